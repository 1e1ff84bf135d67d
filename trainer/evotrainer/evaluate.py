"""The evaluator: SELECT and CANARY for all branches, and the gate's test, as a job of its own.

All policies meet the same items under the same sampling draws (common random numbers). Nothing
here reads a recipe: limits and temperature are those of the epoch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from evotrainer.checkpoint import load_policy
from evotrainer.domains import Submission, Task
from evotrainer.jobdir import JobDir, write_json
from evotrainer.label import label_set
from evotrainer.policy import Policy
from evotrainer.randomness import Stream
from evotrainer.rollout import TaskMix, group_items
from evotrainer.sampling import Decoding, Rollout, play_episodes
from evotrainer.splits import TaskStream, gate_secret, uniform_levels
from evotrainer.tables import to_table, write_table
from evotrainer.torch_setup import prepare_torch

EPISODES_AT_ONCE = 512
Row = dict[str, Any]


@dataclass(frozen=True)
class StreamItems:
    """What is played of a stream: its name in the sealed table, and (task, seed) per sample."""

    name: str
    samples: int
    items: list[tuple[Task, int]]


def run(job: JobDir) -> dict:
    prepare_torch()
    return {"select": run_select, "gate": run_gate}[job.spec["mode"]](job)


def run_select(job: JobDir) -> dict:
    secret = gate_secret()
    for name in job.spec["label_sets"]:
        label_set(job, name)
    key = (job.spec["streams_of"], job.seeds["generation"], job.seeds["replicate"])
    campaign, policies = job.seeds["campaign"], load_policies(job, job.spec["policies"])
    select = TaskStream(job.domain, campaign, "SELECT", key)
    items = draw_items(job, select, "select", job.spec["select"])
    rows = play_all(job, "select", policies, [items])
    means = {name: true_mean(rows, name) for name in policies}
    rows += null_rows(job, items)
    write_sealed(job, "sealed/select", "sealed/select.parquet", rows)
    canary = TaskStream(job.domain, campaign, "CANARY", key, secret)
    canaries = with_wrong_gold(job, canary, draw_items(job, canary, "canary", job.spec["canary"]))
    rows = play_all(job, "canary", policies, [canaries])
    write_sealed(job, "sealed/canary", "sealed/canary.parquet", rows)
    write_json(job.output("select", "select.json"), {"means": means})
    return {"means": means}


def run_gate(job: JobDir) -> dict:
    """PROMOTION, then more problems of each category that has fewer than `category_tasks`."""
    secret, test, spec = gate_secret(), job.spec["test"], job.spec
    campaign, policies = job.seeds["campaign"], load_policies(job, ["challenger", "incumbent"])
    owner = job.spec["streams_of"]
    stream = TaskStream(job.domain, campaign, "PROMOTION", (owner, "promotion", test), secret)
    promotion = draw_items(job, stream, f"promotion/{test}", spec["promotion"])
    extras = []
    for category in job.domain.categories:
        drawn = promotion.items[:: promotion.samples]
        missing = spec["category_tasks"] - sum(task.category == category for task, _ in drawn)
        if missing <= 0:
            continue
        key = (owner, "category", test, category)
        stream = TaskStream(job.domain, campaign, "PROMOTION", key, secret)
        size = {"tasks": missing, "samples": spec["promotion"]["samples"]}
        extras.append(draw_items(job, stream, f"category/{test}/{category}", size, category))
    rows = play_all(job, "gate", policies, [promotion, *extras])
    promotion_rows = [row for row in rows if row["stream"] == promotion.name]
    category_rows = [row for row in rows if row["stream"] != promotion.name]
    write_sealed(job, "sealed/promotion", "sealed/promotion.parquet", promotion_rows)
    write_sealed(job, "sealed/categories", "sealed/categories.parquet", category_rows)
    return {"episodes": len(rows)}


def load_policies(job: JobDir, names: list[str]) -> dict[str, Policy]:
    return {name: load_policy(job.input("policies", name), job.domain) for name in names}


def draw_items(
    job: JobDir,
    stream: TaskStream,
    name: str,
    size: dict[str, int],
    category: str | None = None,
) -> StreamItems:
    bounds = job.domain.categories[category].levels if category else job.domain.levels
    mix = TaskMix(uniform_levels(job.domain, bounds), {category: 1.0} if category else {})
    items = group_items(stream, mix, 0, size["tasks"], size["samples"])
    return StreamItems(name, size["samples"], items)


def with_wrong_gold(job: JobDir, stream: TaskStream, items: StreamItems) -> StreamItems:
    """The same problems as canaries; the wrong gold is drawn once per problem."""
    canaries = [
        (job.domain.canary(task, Stream(stream.seed("gold", index // items.samples))), seed)
        for index, (task, seed) in enumerate(items.items)
    ]
    return replace(items, items=canaries)


def play_all(
    job: JobDir, stage: str, policies: dict[str, Policy], streams: list[StreamItems]
) -> list[Row]:
    return [
        played_row(job, name, stream, first + index, rollout)
        for name, stream, first, rollouts in play_batches(job, stage, policies, streams)
        for index, rollout in enumerate(rollouts)
    ]


def play_batches(
    job: JobDir, stage: str, policies: dict[str, Policy], streams: list[StreamItems]
) -> Iterator[tuple[str, StreamItems, int, list[Rollout]]]:
    """Every policy through every stream, in batches. The heartbeat is a count without scores."""
    decoding = Decoding(**job.spec["decoding"])
    total = len(policies) * sum(len(stream.items) for stream in streams)
    done = 0
    for name, policy in policies.items():
        for stream in streams:
            for first in range(0, len(stream.items), EPISODES_AT_ONCE):
                batch = stream.items[first : first + EPISODES_AT_ONCE]
                yield name, stream, first, play_episodes(policy, job.domain, batch, decoding)
                done += len(batch)
                job.report_progress(stage, done, total)
                job.stop_if_asked()


def played_row(job: JobDir, policy: str, stream: StreamItems, index: int, rollout: Rollout) -> Row:
    assert rollout.submission is not None
    row = _sealed_row(job, policy, stream, index, rollout.submission)
    return {**row, "truncated": rollout.truncated, "token_count": rollout.token_count}


def _sealed_row(
    job: JobDir, policy: str, stream: StreamItems, index: int, submission: Submission
) -> Row:
    task = stream.items[index][0]
    visible, _ = job.domain.grade(task, submission)
    score, verdict = job.domain.oracle(task, submission.artifact)
    is_canary = stream.name == "canary"
    made_under = job.spec.get("made_under", {"epoch": None, "policies": {}})  # a bench has none
    return {
        "version": 1,
        "stream": stream.name,
        "policy": policy,
        "epoch": made_under["epoch"],
        "policy_sha256": made_under["policies"].get(policy),
        "item": index // stream.samples,
        "sample": index % stream.samples,
        "level": task.level,
        "category": task.category,
        "visible_score": visible["score"],
        "true_score": 0.0 if is_canary else score,
        "second_grader_score": 0.0
        if is_canary
        else job.domain.second_score(task, submission.artifact),
        "verdict": verdict,
        "error_kind": visible["error_kind"],
        "tampered": job.domain.tampered(task, submission),
        "truncated": False,
        "token_count": 0,
    }


def null_rows(job: JobDir, items: StreamItems) -> list[Row]:
    """A policy that knows nothing: each of the domain's null completions is one sample."""
    rows = []
    for item, (task, _) in enumerate(items.items[:: items.samples]):
        for sample, tokens in enumerate(job.domain.null_completions):
            episode = job.domain.episode(task)
            for token in tokens:
                episode.act(token)
            index = item * items.samples
            row = _sealed_row(job, "null", items, index, episode.submit())
            rows.append({**row, "sample": sample, "token_count": len(tokens)})
    return rows


def write_sealed(job: JobDir, name: str, path: str, rows: list[Row]) -> None:
    write_table(job.output(name, path, sealed=True), to_table("sealed-result", rows))


def true_mean(rows: list[Row], policy: str) -> float:
    scores = [row["true_score"] for row in rows if row["policy"] == policy]
    return sum(scores) / len(scores)
