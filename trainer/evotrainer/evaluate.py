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
    """What is played of a stream: its name in the sealed table, and (task, seed) per sample.

    `first` is the position of its first task in the stream.
    """

    name: str
    samples: int
    items: list[tuple[Task, int]]
    first: int = 0


def run(job: JobDir) -> dict:
    prepare_torch()
    modes = {
        "select": run_select,
        "gate": run_block,
        "categories": run_categories,
        "final": run_final,
    }
    return modes[job.spec["mode"]](job)


def run_select(job: JobDir) -> dict:
    secret = gate_secret()
    for name in job.spec["label_sets"]:
        label_set(job, name)
    key = (job.spec["streams_of"], job.seeds["generation"], job.seeds["replicate"])
    campaign, policies = job.seeds["campaign"], load_policies(job, job.spec["policies"])
    select = TaskStream(job.domain, campaign, "SELECT", key)
    items = draw_items(select, "select", job.spec["select"])
    rows = play_all(job, "select", policies, [items])
    means = {name: true_mean(rows, name) for name in policies}
    rows += null_rows(job, items)
    write_sealed(job, "sealed/select", "sealed/select.parquet", rows)
    canary = TaskStream(job.domain, campaign, "CANARY", key, secret)
    canaries = with_wrong_gold(job, canary, draw_items(canary, "canary", job.spec["canary"]))
    rows = play_all(job, "canary", policies, [canaries])
    write_sealed(job, "sealed/canary", "sealed/canary.parquet", rows)
    write_json(job.output("select", "select.json"), {"means": means})
    return {"means": means}


def run_block(job: JobDir) -> dict:
    """The problems of PROMOTION from `first` up to `last`, which do not depend on the block."""
    spec, first = job.spec, job.spec["first"]
    size = {"tasks": spec["last"] - first, "samples": spec["samples"]}
    name = f"promotion/{spec['test']}"
    block = draw_items(promotion_stream(job), name, size, first=first)
    rows = play_all(job, "gate", load_policies(job, spec["policies"]), [block])
    write_sealed(job, "sealed/promotion", "sealed/promotion.parquet", rows)
    return {"episodes": len(rows)}


def run_categories(job: JobDir) -> dict:
    """More problems of each category that has fewer than `category_tasks` in what was played."""
    spec, test = job.spec, job.spec["test"]
    levels = uniform_levels(job.domain, job.domain.levels)
    played = [promotion_stream(job).task(index, levels) for index in range(spec["played"])]
    extras = []
    for category in job.domain.categories:
        missing = spec["category_tasks"] - sum(task.category == category for task in played)
        if missing <= 0:
            continue
        key = (spec["streams_of"], "category", test, category)
        size = {"tasks": missing, "samples": spec["samples"]}
        name = f"category/{test}/{category}"
        extras.append(draw_items(gate_stream(job, key), name, size, category))
    rows = play_all(job, "gate", load_policies(job, spec["policies"]), extras)
    write_sealed(job, "sealed/categories", "sealed/categories.parquet", rows)
    return {"episodes": len(rows)}


def promotion_stream(job: JobDir) -> TaskStream:
    return gate_stream(job, (job.spec["streams_of"], "promotion", job.spec["test"]))


def gate_stream(job: JobDir, key: tuple[str | int, ...]) -> TaskStream:
    return TaskStream(job.domain, job.seeds["campaign"], "PROMOTION", key, gate_secret())


def run_final(job: JobDir) -> dict:
    """FINAL: fresh tasks of the campaign's distribution and of a shifted one."""
    secret, spec = gate_secret(), job.spec
    campaign, policies = job.seeds["campaign"], load_policies(job, spec["policies"])
    key = (spec["streams_of"], spec["namespace"])
    drawn = {"FINAL_IID": job.domain, "FINAL_SHIFT": job.domain.shifted()}
    streams = [
        draw_items(TaskStream(domain, campaign, split, key, secret), split, spec["tasks"])
        for split, domain in drawn.items()
    ]
    rows = play_all(job, "final", policies, streams)
    write_sealed(job, "sealed/final", "sealed/final.parquet", rows)
    return {"episodes": len(rows)}


def load_policies(job: JobDir, names: list[str]) -> dict[str, Policy]:
    return {name: load_policy(job.input("policies", name), job.domain) for name in names}


def draw_items(
    stream: TaskStream,
    name: str,
    size: dict[str, int],
    category: str | None = None,
    first: int = 0,
) -> StreamItems:
    domain = stream.domain
    bounds = domain.categories[category].levels if category else domain.levels
    mix = TaskMix(uniform_levels(domain, bounds), {category: 1.0} if category else {})
    items = group_items(stream, mix, first, first + size["tasks"], size["samples"])
    return StreamItems(name, size["samples"], items, first)


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
        "item": stream.first + index // stream.samples,
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
