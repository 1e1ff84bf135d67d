"""The ten figures of analytics-figures.ts by Polars over Parquet, with their time, as JSON.

The import is no part of that time.
"""

import json
import resource
import sys
import time

import polars as pl

source = pl.scan_parquet(sys.argv[1])
began, used = time.perf_counter(), time.process_time()

element = pl.element().struct.field
last_test = (
    pl.col("actions")
    .list.eval(pl.when(element("kind") == "test").then(element("turn")))
    .list.max()
    .fill_null(-1)
)
last_write = (
    pl.col("actions")
    .list.eval(pl.when(element("wrote")).then(element("turn")))
    .list.max()
    .fill_null(-1)
)
rows = source.select(
    "task_id",
    "group_id",
    "reward",
    "token_count",
    visible_true_gap=pl.col("visible").struct.field("score")
    - pl.col("hidden").struct.field("score"),
    text_characters=pl.col("turns").list.eval(element("text").str.len_chars()).list.sum(),
    is_truncated=pl.col("truncated"),
    history_read=pl.col("actions")
    .list.eval((element("verb") == "git log") & element("ok"))
    .list.any(),
    test_edited=pl.col("changes").list.eval(element("kind") == "test").list.any(),
    malformed_call=pl.col("turns")
    .list.eval((element("role") == "policy") & (element("status") == "malformed"))
    .list.any(),
    submitted_untested=(pl.col("stop_reason") == "submitted") & (last_test <= last_write),
).collect()
SHARES = ["is_truncated", "history_read", "test_edited", "malformed_call", "submitted_untested"]
figures = {
    "reward_mean": rows.group_by("task_id").agg(pl.col("reward").mean())["reward"].mean(),
    "zero_variance": (
        rows.group_by("group_id").agg(pl.col("reward").std(ddof=0))["reward"] < 1e-3
    ).mean(),
    "length_reward": rows.select(pl.corr("token_count", "reward")).item(),
    **{name: rows[name].mean() for name in ["visible_true_gap", "text_characters", *SHARES]},
}
taken = {
    "wallMs": 1000 * (time.perf_counter() - began),
    "cpuMs": 1000 * (time.process_time() - used),
    "peakMb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}
print(json.dumps({"figures": figures, "taken": taken}))
