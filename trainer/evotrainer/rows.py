"""From played episodes to rows of the trajectory table, and what a recipe makes of them."""

import hashlib
from dataclasses import dataclass
from typing import Any

import torch

from evotrainer import grpo
from evotrainer.contract import canonical_json
from evotrainer.failures import ConfigInvalid
from evotrainer.features import evaluate_features
from evotrainer.hooks import snr, std_group
from evotrainer.hooks.dual_level import anomaly
from evotrainer.hooks.overlong import punishment
from evotrainer.hooks.truncation import loss_weight
from evotrainer.jobdir import JobDir
from evotrainer.sampling import Decoding, Playing
from evotrainer.splits import content_hash


@dataclass(frozen=True)
class Source:
    """Where a set of trajectories comes from: what all its rows share."""

    split: str
    step: int
    policy_sha256: str
    recipe_sha256: str
    decoding: Decoding
    samples: int


def recipe_digest(recipe: dict[str, Any]) -> str:
    return hashlib.sha256(canonical_json(recipe).encode()).hexdigest()


def trajectory_rows(
    job: JobDir, played: list[Playing], source: Source, first: int = 0
) -> list[dict[str, Any]]:
    """One row an episode, group by group from group `first`, not yet scored by a recipe."""
    start = first * source.samples
    return [_row(job, row, source, index) for index, row in enumerate(played, start)]


def _row(job: JobDir, played: Playing, source: Source, index: int) -> dict[str, Any]:
    task, submission, domain = played.task, played.submission, job.domain
    assert submission is not None
    group, sample = divmod(index, source.samples)
    content = content_hash(domain, task)
    seeds = job.seeds
    place = f"g{seeds['generation']}/r{seeds['replicate']}/{source.split}/{source.step}/{group}"
    identity = f"{seeds['campaign']}/{place}/{sample}/{source.policy_sha256}/{source.recipe_sha256}"
    visible, hidden = domain.grade(task, submission)
    count, guided = max(1, played.token_count), played.guided_words
    measured = {
        "tokens": played.token_count,
        "mean_logprob": sum(played.logprobs) / count,
        "entropy": sum(played.entropies) / count,
    }
    return {
        "version": 1,
        "campaign_seed": seeds["campaign"],
        "generation": seeds["generation"],
        "replicate": seeds["replicate"],
        "split": source.split,
        "step": source.step,
        "task_id": f"{domain.name}/{content[:16]}",
        "group_id": place,
        "sample": sample,
        "trajectory_id": hashlib.sha256(identity.encode()).hexdigest()[:32],
        "policy_sha256": source.policy_sha256,
        "recipe_sha256": source.recipe_sha256,
        "environment_version": domain.environment_version,
        "content_hash": content,
        "seed": f"{played.seed:016x}",
        "extra": canonical_json({"guided_words": guided}) if guided else "{}",
        "domain": domain.name,
        "family": task.family,
        "level": task.level,
        "category": task.category,
        "prompt": " ".join(task.prompt),
        "protected_paths": list(task.protected_paths),
        "visible_tests": list(task.visible_tests),
        "turns": [measured | turn for turn in _marked(submission.turns, played.guided_turns)],
        "actions": submission.actions,
        "changes": submission.changes,
        "artifact": submission.artifact,
        "answers": submission.answers,
        "answer": submission.answers[-1] if submission.answers else None,
        "stop_reason": played.stop_reason,
        "terminated": not played.truncated,
        "truncated": played.truncated,
        "turn_count": sum(turn["role"] == "policy" for turn in submission.turns),
        "token_count": played.token_count,
        "prompt_tokens": played.prompt_tokens,
        "max_tokens": source.decoding.max_tokens,
        "mean_logprob": measured["mean_logprob"],
        "entropy": measured["entropy"],
        "visible": visible,
        "hidden": hidden,
    }


def _marked(turns: list[dict[str, Any]], guided: int) -> list[dict[str, Any]]:
    """The policy's first turns, `guided` of them, were wholly forced and say so."""
    own = [index for index, turn in enumerate(turns) if turn["role"] == "policy"][:guided]
    return [turn | {"forced": True} if i in own else turn for i, turn in enumerate(turns)]


def score_rows(
    job: JobDir, rows: list[dict[str, Any]], samples: int, state: dict[str, Any] | None = None
) -> None:
    """Fill rewards, advantages and the reasons for leaving the loss, as the job's recipe says.

    `state` is what group filters carry from step to step; sets that are not trained on have none.
    """
    pay_rows(job, [row for row in rows if "reward" not in row])
    weigh_rows(job.spec["recipe"], rows, samples, {} if state is None else state)


def pay_rows(job: JobDir, rows: list[dict[str, Any]]) -> None:
    """Rewards, and which trajectories leave the loss whatever their group."""
    if not rows:
        return
    recipe = job.spec["recipe"]
    components, overlong = recipe["reward"]["components"], recipe["reward"]["overlong"]
    filters, dual_level = recipe["filter"]["trajectories"], recipe["filter"]["dual_level"]
    names = dict.fromkeys([*(component["feature"] for component in components), *filters])
    values = evaluate_features([_feature(job, name) for name in names], rows)
    for index, row in enumerate(rows):
        row["rewards"] = [
            {"component": part["feature"], "value": part["weight"] * values[part["feature"]][index]}
            for part in components
        ]
        if overlong is not None:
            value = punishment(row["token_count"], row["max_tokens"], overlong)
            row["rewards"].append({"component": "overlong_punishment", "value": value})
        row["reward"] = sum(part["value"] for part in row["rewards"])
        fired = [f"trajectory:{name}" for name in filters if values[name][index] != 0]
        if dual_level is not None and (reason := anomaly(row, dual_level)):
            fired.append(f"dual_level:{reason}")
        row["filter_reason"] = fired[0] if fired else None


def weigh_rows(
    recipe: dict[str, Any], rows: list[dict[str, Any]], samples: int, state: dict[str, Any]
) -> None:
    """Advantages among what is left of each group, and which groups and rows leave the loss."""
    rewards = torch.tensor([row["reward"] for row in rows], dtype=torch.float64)
    present = torch.tensor([row["filter_reason"] is None for row in rows])
    rewards, present = rewards.view(-1, samples), present.view(-1, samples)
    scale, estimator = (recipe["optimizer"][f"advantage_{key}"] for key in ("scale", "estimator"))
    advantages = grpo.group_advantages(rewards, present, scale, estimator).flatten().tolist()
    stds = grpo.group_moments(rewards, present)[1].tolist()
    dropped = group_reasons(stds, recipe["filter"], state)
    for index, row in enumerate(rows):
        screened = row["filter_reason"] is not None
        is_cut = row["truncated"] and recipe["filter"]["truncated"] != "keep"
        if not screened:
            row["filter_reason"] = dropped[index // samples] or ("truncated" if is_cut else None)
        row["kept"] = row["filter_reason"] is None
        weight = _weight(row, recipe) if row["kept"] else 1.0
        row["advantage"] = None if screened else weight * advantages[index]


def _weight(row: dict[str, Any], recipe: dict[str, Any]) -> float:
    turns = recipe["rollout"]["max_turns"]
    used = row["token_count"] / row["max_tokens"], turns and row["turn_count"] / turns
    return loss_weight(recipe["filter"]["truncated"], row["truncated"], *used)


def group_reasons(
    stds: list[float], settings: dict[str, Any], state: dict[str, Any]
) -> list[str | None]:
    """The first filter that drops a group, or null. Each sees every group, whoever drops it."""
    kept_by: dict[str, list[bool]] = {}
    if settings["zero_variance_groups"] or settings["dynamic_sampling"] is not None:
        kept_by["zero_variance"] = [std >= grpo.ZERO_VARIANCE for std in stds]
    if settings["snr"] is not None:
        kept_by["snr"] = snr.kept_groups(stds, settings["snr"])
    if settings["std_group"] is not None:
        own = state.setdefault("std_group", {})
        kept_by["std_group"] = std_group.kept_groups(stds, settings["std_group"], own)
    if settings["dual_level"] is not None:
        own = state.setdefault("dual_level", {})
        kept_by["dual_level"] = std_group.kept_groups(stds, settings["dual_level"]["groups"], own)
    return [
        next((name for name, kept in kept_by.items() if not kept[index]), None)
        for index in range(len(stds))
    ]


def _feature(job: JobDir, name: str) -> dict[str, Any]:
    if name not in job.features:
        raise ConfigInvalid(f"job.json: the recipe names feature {name}, which features lack")
    return job.features[name]
