"""One branch: GRPO from the incumbent's checkpoint, fresh optimizer, a fixed budget, then DIAG.

How it differs from textbook GRPO (arXiv 2402.03300):
1. On-policy by default: one update a batch of rollouts, clip-higher only bites with minibatches.
2. The reward is a sum of SQL features, and SQL features can keep a trajectory out of the gradient.
3. Groups without variance leave the loss, denominator included; the refill is a knob.
4. A step is one batch of rollouts, so that a recipe cannot buy itself rollouts with minibatches.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import torch

from evotrainer import grpo
from evotrainer.adamw import AdamW
from evotrainer.checkpoint import (
    TrainerState,
    load_policy,
    load_state,
    newest_whole,
    policy_digest,
    save_checkpoint,
    save_policy,
)
from evotrainer.failures import ConfigInvalid
from evotrainer.hooks.dynamic_sampling import empty_places
from evotrainer.hooks.guidance import forced_words
from evotrainer.hooks.replay import demonstrations
from evotrainer.hooks.train_max_samples import limited
from evotrainer.hooks.window import moved, top_level, window
from evotrainer.jobdir import JobDir
from evotrainer.optimizer_metrics import (
    distinct_share,
    mean,
    optimizer_metrics_line,
    write_optimizer_metrics,
)
from evotrainer.policy import Policy
from evotrainer.randomness import keyed
from evotrainer.rollout import Mix, decoding_of, group_items, play_diag
from evotrainer.rows import Source, pay_rows, recipe_digest, score_rows, trajectory_rows
from evotrainer.sampling import Playing, play
from evotrainer.splits import TaskStream, uniform_levels
from evotrainer.tables import to_table, write_table
from evotrainer.torch_setup import prepare_torch
from evotrainer.update import Update, update


@dataclass
class Branch:
    """What the loop carries from step to step; all of it is in a checkpoint."""

    policy: Policy
    reference: Policy | None
    optimizer: AdamW
    state: TrainerState

    @property
    def sampled_tokens(self) -> int:
        return self.state.counters["sampled_tokens"]


def run(job: JobDir) -> dict:
    prepare_torch()
    branch = open_branch(job)
    budget = job.spec["budget"]
    while not spent(branch, budget):
        step = branch.state.step + 1
        played, rows = roll_out(job, branch, step)
        updated = learn(job, branch, step, played, rows)
        record(job, branch, step, rows, updated)
        reward = mean([row["reward"] for row in rows])
        tokens = sum(row["token_count"] for row in rows)
        job.progress("train", step, budget["optimizer_steps"], reward, tokens)
        due = step % job.spec["checkpoint_every"] == 0 or spent(branch, budget)
        if due:
            close_shard(job.path, branch.state)
        if due or job.stopping:
            branch.state.optimizer = branch.optimizer.state
            save_checkpoint(job.path / "checkpoints", branch.policy, job.domain, branch.state)
        job.obey()
    save_policy(job.output("policy", "policy"), branch.policy, job.domain)
    job.output("optimizer_metrics", "optimizer_metrics.jsonl")
    job.output("train", "trajectories")
    diag = play_diag(job, branch.policy, "diag.parquet")
    totals = {"optimizer_steps": branch.state.step, "sampled_tokens": branch.sampled_tokens}
    last = json.loads(branch.state.optimizer_metrics[-1])
    return {**totals, "reward_mean": last["reward_mean"], "diag": diag}


def spent(branch: Branch, budget: dict[str, int]) -> bool:
    """Whichever comes first: the steps, or the sampled tokens."""
    return (
        branch.state.step >= budget["optimizer_steps"]
        or branch.sampled_tokens >= budget["sampled_tokens_max"]
    )


def open_branch(job: JobDir) -> Branch:
    """Start from inputs/policy, or go on from the newest whole checkpoint and cut back to it."""
    settings = job.spec["recipe"]["optimizer"]
    start = job.input("policy")
    folder = newest_whole(job.path / "checkpoints")
    policy = load_policy(folder or start, job.domain)
    counters = {"sampled_tokens": 0, "success": {}, "shards": [], "filters": {}, "window": {}}
    fresh = TrainerState(0, counters, {}, [], None)
    state = load_state(folder) if folder else fresh
    optimizer = AdamW(policy, betas=(0.9, 0.99), weight_decay=settings["weight_decay"])
    if folder:
        optimizer.restore(state.optimizer)
    write_optimizer_metrics(job.path, state.optimizer_metrics)
    cut_shards(job.path, state)
    reference = load_policy(start, job.domain) if settings["kl_coef"] > 0 else None
    return Branch(policy, reference, optimizer, state)


def shard_path(job: Path, step: int) -> Path:
    return job / "trajectories" / f"train-{step:06d}.parquet"


def cut_shards(job: Path, state: TrainerState) -> None:
    """Shards after the checkpoint will be made again; those before it must all be there."""
    closed = {shard_path(job, step) for step in state.counters["shards"]}
    for path in (job / "trajectories").glob("train-*.parquet"):
        if path not in closed:
            path.unlink()
    for path in sorted(closed):
        if not path.is_file():
            raise ConfigInvalid(
                f"{path} is missing beside checkpoints/step_{state.step};"
                " stage the closed shards, or remove checkpoints/ to start anew"
            )


def close_shard(job: Path, state: TrainerState) -> None:
    assert state.open_rows is not None, "a step has rows"
    write_table(shard_path(job, state.step), state.open_rows)
    state.counters["shards"].append(state.step)
    state.open_rows = None


def roll_out(job: JobDir, branch: Branch, step: int) -> tuple[list[Playing], list[dict]]:
    """Play and score the groups of this step; branches share tasks, order and sampling draws."""
    recipe, seeds = job.spec["recipe"], job.seeds
    wanted, samples = (recipe["rollout"][key] for key in ("prompts_per_step", "group_size"))
    purpose = (seeds["generation"], seeds["replicate"], step)
    stream = TaskStream(job.domain, seeds["campaign"], "TRAIN", purpose)
    mix = mix_of(job, branch)
    decoding = decoding_of(recipe)
    digests = policy_digest(branch.policy), recipe_digest(recipe)
    source = Source("TRAIN", step, *digests, decoding, samples)
    refill = recipe["filter"]["dynamic_sampling"]
    tasks = limited(stream, recipe["curriculum"]["train_max_samples"], (step - 1) * wanted)
    played: list[Playing] = []
    rows: list[dict] = []
    places = wanted
    for _ in range(refill["max_batches"] if refill else 1):
        first = len(rows) // samples
        items = group_items(tasks, mix, first, first + places, samples)
        guides = guides_of(job, stream, items, first, step)
        batch = play(branch.policy, job.domain, items, decoding, guides)
        played += batch
        rows += trajectory_rows(job, batch, source, first)
        if refill:
            pay_rows(job, rows[first * samples :])
            places = empty_places(rows, samples, wanted)
            if places == 0 or tokens_spent(job, branch, rows):
                break
    score_rows(job, rows, samples, branch.state.counters["filters"])
    return played, rows


def mix_of(job: JobDir, branch: Branch) -> Mix:
    """What the curriculum draws now: levels of the window, those in the success band more often."""
    curriculum, counters = job.spec["recipe"]["curriculum"], branch.state.counters
    bounds = curriculum["levels"]
    levels = list(uniform_levels(job.domain, bounds))
    if curriculum["window"] is not None:
        lowest, top = window(bounds, curriculum["window"], counters["window"])
        levels = list(range(lowest, top + 1))
    success = {int(level): rate for level, rate in counters["success"].items()}
    weights = grpo.in_band(success, levels, curriculum["success_band"])
    return Mix(dict(zip(levels, weights, strict=True)), curriculum["categories"])


def guides_of(job: JobDir, stream: TaskStream, items: list, first: int, step: int) -> list:
    """For each item the words that are forced on it; a group is guided as a whole, or not."""
    rollout = job.spec["recipe"]["rollout"]
    samples, settings = rollout["group_size"], rollout["guidance"]
    seeds = [stream.seed("guidance", first + row // samples) for row in range(len(items))]
    return [
        forced_words(job.domain, task, seed, settings, step)
        for (task, _), seed in zip(items, seeds, strict=True)
    ]


def tokens_spent(job: JobDir, branch: Branch, rows: list[dict]) -> bool:
    """Whether the step's own tokens have reached the budget's cap."""
    own = sum(row["token_count"] for row in rows)
    return branch.sampled_tokens + own >= job.spec["budget"]["sampled_tokens_max"]


def learn(
    job: JobDir, branch: Branch, step: int, played: list[Playing], rows: list[dict]
) -> Update:
    """The rows that the filters kept, in an order that is a hash of their ids, to the optimizer."""
    batch = [(one, row["advantage"]) for one, row in zip(played, rows, strict=True) if row["kept"]]
    purpose = ("minibatch", job.seeds["campaign"], job.seeds["replicate"], step)
    batch.sort(key=lambda item: keyed(*purpose, item[0].seed))
    shown = demonstrations(job, step, branch.policy.shape.max_position_embeddings)
    recipe = job.spec["recipe"]
    return update(branch.policy, branch.reference, branch.optimizer, batch, recipe, shown)


def record(job: JobDir, branch: Branch, step: int, rows: list[dict], updated: Update) -> None:
    """Fold the step into the state: counters, one metrics line, the rows of the open shard."""
    state, recipe = branch.state, job.spec["recipe"]
    state.step = step
    window_level = fold_window(recipe, state, rows)
    state.counters["sampled_tokens"] += sum(row["token_count"] for row in rows)
    own = unguided(rows)
    for level in sorted({row["level"] for row in own}):
        now = mean([row["hidden"]["score"] for row in own if row["level"] == level])
        before = state.counters["success"].get(str(level))
        state.counters["success"][str(level)] = grpo.running_success(before, now)
    table = to_table("trajectory", rows)
    state.open_rows = pa.concat_tables([state.open_rows, table]) if state.open_rows else table
    values = step_values(rows, recipe)
    line = optimizer_metrics_line(
        step=step,
        loss=updated.loss,
        grad_norm=updated.grad_norm,
        clip_share=updated.clip_share,
        kl=updated.kl,
        window_level=window_level,
        replay_loss=updated.replay_loss,
        sampled_tokens_total=state.counters["sampled_tokens"],
        **values,
    )
    state.optimizer_metrics.append(line)
    write_optimizer_metrics(job.path, [line], append=True)


def fold_window(recipe: dict, state: TrainerState, rows: list[dict]) -> int | None:
    """Move the window on by this step's scores; the top level that the step was drawn under."""
    curriculum, samples = recipe["curriculum"], recipe["rollout"]["group_size"]
    settings, bounds = curriculum["window"], curriculum["levels"]
    if settings is None:
        return None
    before = state.counters["window"]
    scores = [(row["level"], row["hidden"]["score"]) for row in unguided(rows)]
    state.counters["window"] = moved(bounds, settings, before, scores, samples)
    return top_level(bounds, settings, before)


def unguided(rows: list[dict]) -> list[dict]:
    """What the policy did by itself: a forced prefix says nothing of what it can."""
    return [row for row in rows if row["extra"] == "{}"]


def step_values(rows: list[dict], recipe: dict) -> dict[str, float | None]:
    """Means of a step; what is said of the policy's skill leaves guided rows out."""
    rollout, refill = recipe["rollout"], recipe["filter"]["dynamic_sampling"]
    rewards = torch.tensor([row["reward"] for row in rows], dtype=torch.float64)
    groups = rewards.view(-1, rollout["group_size"])
    tokens = sum(row["token_count"] for row in rows)
    own = unguided(rows)
    return {
        "reward_mean": float(rewards.mean()),
        "reward_std": float(rewards.std(correction=0)),
        "visible_mean": mean([row["visible"]["score"] for row in own]) if own else None,
        "hidden_mean": mean([row["hidden"]["score"] for row in own]) if own else None,
        "zero_variance_share": mean(
            grpo.zero_variance(groups, torch.ones_like(groups, dtype=torch.bool)).tolist()
        ),
        "truncated_share": mean([row["truncated"] for row in rows]),
        "kept_share": mean([row["kept"] for row in rows]),
        "distinct_share": distinct_share(rows, rollout["group_size"]),
        "mean_logprob": mean([row["mean_logprob"] for row in rows]),
        "entropy": sum(row["entropy"] * row["token_count"] for row in rows) / max(1, tokens),
        "completion_tokens_mean": tokens / len(rows),
        "answers_mean": mean([len(row["answers"]) for row in rows]),
        "refilled_prompts": len(groups) - rollout["prompts_per_step"] if refill else None,
        "guided_share": 1 - len(own) / len(rows) if rollout["guidance"] else None,
    }
