"""The incumbent plays TRAIN with its recipe's curriculum, and DIAG over all levels."""

from dataclasses import dataclass

from evotrainer.checkpoint import load_policy, policy_digest
from evotrainer.domains import Task
from evotrainer.hooks.train_max_samples import LimitedTasks
from evotrainer.jobdir import JobDir
from evotrainer.policy import Policy
from evotrainer.rows import RowSource, recipe_digest, score_rows, trajectory_rows
from evotrainer.sampling import Decoding, play_episodes
from evotrainer.splits import TaskStream, uniform_levels
from evotrainer.tables import to_table, write_table
from evotrainer.torch_setup import prepare_torch

GROUPS_AT_ONCE = 64


@dataclass(frozen=True)
class TaskMix:
    """Sampling weights of levels, and of categories where they replace the domain's shares."""

    levels: dict[int, float]
    categories: dict[str, float]


def decoding_of(recipe: dict) -> Decoding:
    """The recipe's own limits, for TRAIN and DIAG."""
    rollout = recipe["rollout"]
    return Decoding(rollout["max_tokens"], rollout["temperature"], rollout["max_turns"])


def run(job: JobDir) -> dict:
    prepare_torch()
    policy = load_policy(job.input("policy"), job.domain)
    curriculum = job.spec["recipe"]["curriculum"]
    mix = TaskMix(uniform_levels(job.domain, curriculum["levels"]), curriculum["categories"])
    train = play_set(job, policy, "TRAIN", mix, job.spec["train"])
    write_table(job.output("train", "trajectories/train.parquet"), to_table("trajectory", train))
    return {"train": summarize(train), "diag": play_diag(job, policy, "trajectories/diag.parquet")}


def play_diag(job: JobDir, policy: Policy, path: str) -> dict:
    """Fresh DIAG tasks of this generation, the same for the incumbent and every branch."""
    mix = TaskMix(uniform_levels(job.domain, job.domain.levels), {})
    rows = play_set(job, policy, "DIAG", mix, job.spec["diag"])
    write_table(job.output("diag", path), to_table("trajectory", rows))
    return summarize(rows)


def play_set(
    job: JobDir, policy: Policy, split: str, mix: TaskMix, size: dict[str, int]
) -> list[dict]:
    """`tasks` groups of `samples` each, under the recipe's limits, with the recipe's rewards."""
    recipe, seeds, samples = job.spec["recipe"], job.seeds, size["samples"]
    decoding = decoding_of(recipe)
    key = (seeds["generation"], seeds["replicate"], 0)
    stream = TaskStream(job.domain, seeds["campaign"], split, key)
    rollouts = []
    for first in range(0, size["tasks"], GROUPS_AT_ONCE):
        last = min(first + GROUPS_AT_ONCE, size["tasks"])
        items = group_items(stream, mix, first, last, samples)
        rollouts += play_episodes(policy, job.domain, items, decoding)
        job.report_progress(split.lower(), last, size["tasks"])
        job.stop_if_asked()
    source = RowSource(split, 0, policy_digest(policy), recipe_digest(recipe), decoding, samples)
    rows = trajectory_rows(job, rollouts, source)
    score_rows(job, rows, samples)
    return rows


def group_items(
    stream: TaskStream | LimitedTasks, mix: TaskMix, first: int, last: int, samples: int
) -> list[tuple[Task, int]]:
    """(task, seed) for the tasks from index `first` up to `last`, each `samples` times in a row."""
    return [
        (task, stream.sample_seed(index, sample))
        for index in range(first, last)
        for task in [stream.task(index, mix.levels, mix.categories)]
        for sample in range(samples)
    ]


def summarize(rows: list[dict]) -> dict:
    count = len(rows)
    return {
        "trajectories": count,
        "reward_mean": round(sum(row["reward"] for row in rows) / count, 6),
        "visible_mean": round(sum(row["visible"]["score"] for row in rows) / count, 6),
        "hidden_mean": round(sum(row["hidden"]["score"] for row in rows) / count, 6),
        "truncated_share": round(sum(row["truncated"] for row in rows) / count, 6),
    }
