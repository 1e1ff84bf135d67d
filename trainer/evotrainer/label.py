"""Oracle labels of stored DIAG trajectories. It reads text and no policy, so it needs no torch."""

from typing import Any

from evotrainer.domains import Task
from evotrainer.failures import ConfigInvalid
from evotrainer.jobdir import JobDir
from evotrainer.splits import diag_task
from evotrainer.tables import read_table, to_table, write_table

COLUMNS = [
    "trajectory_id",
    "campaign_seed",
    "group_id",
    "content_hash",
    "artifact",
    "visible",
    "split",
    "domain",
]


def run(job: JobDir) -> dict:
    sets = job.spec["sets"]
    counts = {}
    for index, name in enumerate(sets, start=1):
        counts[name] = label_set(job, name)
        job.report_progress("label", index, len(sets))
        job.stop_if_asked()
    return {"labeled": counts}


def label_set(job: JobDir, name: str) -> int:
    path = job.input("trajectories", f"{name}.parquet")
    rows = read_table(path, "trajectory").select(COLUMNS).to_pylist()
    for row in rows:
        if row["split"] != "DIAG" or row["domain"] != job.domain.name:
            raise ConfigInvalid(
                f"{path}: holds {row['split']} of {row['domain']}; only DIAG of {job.domain.name}"
                " can be labeled, name another set"
            )
    drawn: dict[tuple, Task] = {}
    for number, row in enumerate(rows, start=1):
        key = _key(row)
        if key not in drawn:
            try:
                drawn[key] = diag_task(job.domain, row)
            except ConfigInvalid as error:
                raise ConfigInvalid(
                    f"{path}: row {number}: {error}; fetch it again from the store"
                ) from error
    labels = to_table("label", [_label(job, drawn[_key(row)], row) for row in rows])
    write_table(job.output(f"labels/{name}", f"labels/{name}.parquet"), labels)
    return len(rows)


def _key(row: dict[str, Any]) -> tuple:
    return row["group_id"], row["content_hash"], row["campaign_seed"]


def _label(job: JobDir, task: Task, row: dict[str, Any]) -> dict[str, Any]:
    score, verdict = job.domain.oracle(task, row["artifact"])
    return {
        "version": 1,
        "trajectory_id": row["trajectory_id"],
        "oracle_score": score,
        "verdict": verdict,
        "second_grader_score": job.domain.second_score(task, row["artifact"]),
        "honest_success": score == 1,
        "invalid_success": row["visible"]["score"] == 1 and score == 0,
    }
