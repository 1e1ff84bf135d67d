"""The evaluator: SELECT and CANARY for all branches, and the gate's test. Its own job.

All policies meet the same items under the same sampling draws (common random numbers). Nothing
here reads a recipe: limits and temperature are the epoch's.
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
from evotrainer.rollout import Mix, group_items
from evotrainer.sampling import Decoding, Playing, play
from evotrainer.splits import TaskStream, gate_secret, uniform_levels
from evotrainer.tables import to_table, write_table
from evotrainer.torch_setup import prepare_torch

EPISODES_AT_ONCE = 512
Row = dict[str, Any]


@dataclass(frozen=True)
class Items:
    """A stream as it is played: its name in the sealed table, and (task, seed) sample by sample."""

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
    purpose = (job.seeds["generation"], job.seeds["replicate"])
    campaign, policies = job.seeds["campaign"], load_policies(job, job.spec["policies"])
    select = TaskStream(job.domain, campaign, "SELECT", purpose)
    items = draw_items(job, select, "select", job.spec["select"])
    rows = play_all(job, "select", policies, [items])
    means = {name: mean_true(rows, name) for name in policies}
    rows += null_rows(job, items)
    write_sealed(job, "sealed/select", "sealed/select.parquet", rows)
    hidden = TaskStream(job.domain, campaign, "CANARY", purpose, secret)
    planted = plant(job, hidden, draw_items(job, hidden, "canary", job.spec["canary"]))
    canaries = play_all(job, "canary", policies, [planted])
    write_sealed(job, "sealed/canary", "sealed/canary.parquet", canaries)
    write_json(job.output("select", "select.json"), {"means": means})
    return {"means": means}


def run_gate(job: JobDir) -> dict:
    """PROMOTION in full, then every category topped up to its number of problems."""
    secret, test, spec = gate_secret(), job.spec["test"], job.spec
    campaign, policies = job.seeds["campaign"], load_policies(job, ["challenger", "incumbent"])
    stream = TaskStream(job.domain, campaign, "PROMOTION", ("promotion", test), secret)
    promotion = draw_items(job, stream, f"promotion/{test}", spec["promotion"])
    extras = []
    for category in job.domain.categories:
        drawn = promotion.items[:: promotion.samples]
        missing = spec["category_tasks"] - sum(task.category == category for task, _ in drawn)
        if missing <= 0:
            continue
        purpose = ("category", test, category)
        stream = TaskStream(job.domain, campaign, "PROMOTION", purpose, secret)
        size = {"tasks": missing, "samples": spec["promotion"]["samples"]}
        extras.append(draw_items(job, stream, f"category/{test}/{category}", size, category))
    rows = play_all(job, "gate", policies, [promotion, *extras])
    is_promotion = [row["stream"] == promotion.name for row in rows]
    main = [row for row, own in zip(rows, is_promotion, strict=True) if own]
    rest = [row for row, own in zip(rows, is_promotion, strict=True) if not own]
    write_sealed(job, "sealed/promotion", "sealed/promotion.parquet", main)
    write_sealed(job, "sealed/categories", "sealed/categories.parquet", rest)
    return {"episodes": len(rows)}


def load_policies(job: JobDir, names: list[str]) -> dict[str, Policy]:
    return {name: load_policy(job.input("policies", name), job.domain) for name in names}


def draw_items(
    job: JobDir,
    stream: TaskStream,
    name: str,
    size: dict[str, int],
    category: str | None = None,
) -> Items:
    bounds = job.domain.categories[category].levels if category else job.domain.levels
    mix = Mix(uniform_levels(job.domain, bounds), {category: 1.0} if category else {})
    items = group_items(stream, mix, 0, size["tasks"], size["samples"])
    return Items(name, size["samples"], items)


def plant(job: JobDir, stream: TaskStream, items: Items) -> Items:
    """The same problems with a wrong gold, drawn once a problem."""
    planted = [
        (job.domain.canary(task, Stream(stream.seed("gold", index // items.samples))), seed)
        for index, (task, seed) in enumerate(items.items)
    ]
    return replace(items, items=planted)


def play_all(
    job: JobDir, stage: str, policies: dict[str, Policy], streams: list[Items]
) -> list[Row]:
    return [
        played_row(job, name, stream, first + index, row)
        for name, stream, first, played in play_batches(job, stage, policies, streams)
        for index, row in enumerate(played)
    ]


def play_batches(
    job: JobDir, stage: str, policies: dict[str, Policy], streams: list[Items]
) -> Iterator[tuple[str, Items, int, list[Playing]]]:
    """Every policy through every stream; the heartbeat is a count and says nothing of scores."""
    decoding = Decoding(**job.spec["decoding"])
    total = len(policies) * sum(len(stream.items) for stream in streams)
    done = 0
    for name, policy in policies.items():
        for stream in streams:
            for first in range(0, len(stream.items), EPISODES_AT_ONCE):
                batch = stream.items[first : first + EPISODES_AT_ONCE]
                yield name, stream, first, play(policy, job.domain, batch, decoding)
                done += len(batch)
                job.progress(stage, done, total)
                job.obey()


def played_row(job: JobDir, policy: str, stream: Items, index: int, played: Playing) -> Row:
    assert played.submission is not None
    row = _sealed_row(job, policy, stream, index, played.submission)
    return {**row, "truncated": played.truncated, "token_count": played.token_count}


def _sealed_row(job: JobDir, policy: str, stream: Items, index: int, submission: Submission) -> Row:
    task = stream.items[index][0]
    visible, _ = job.domain.grade(task, submission)
    score, verdict = job.domain.oracle(task, submission.artifact)
    is_canary = stream.name == "canary"
    return {
        "version": 1,
        "stream": stream.name,
        "policy": policy,
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


def null_rows(job: JobDir, items: Items) -> list[Row]:
    """A policy that knows nothing: sample 0 is silent, sample 1 guesses a constant."""
    rows = []
    for item, (task, _) in enumerate(items.items[:: items.samples]):
        for sample, words in enumerate(job.domain.null_completions):
            episode = job.domain.episode(task)
            for word in words:
                episode.act(word)
            index = item * items.samples
            row = _sealed_row(job, "null", items, index, episode.submit())
            rows.append({**row, "sample": sample, "token_count": len(words)})
    return rows


def write_sealed(job: JobDir, name: str, path: str, rows: list[Row]) -> None:
    write_table(job.output(name, path, sealed=True), to_table("sealed-result", rows))


def mean_true(rows: list[Row], policy: str) -> float:
    scores = [row["true_score"] for row in rows if row["policy"] == policy]
    return sum(scores) / len(scores)
