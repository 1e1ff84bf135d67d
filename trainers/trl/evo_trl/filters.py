"""What the recipe leaves out of the loss: whole groups, and completions that a limit cut off.

The reward server has dropped trajectories before (value None). The formulas are those of
EvoTrainer's own trainer, whose sources this environment does not see; a test compares the two.

Shapes: rows come group by group, K samples each.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import torch

ZERO_STD = 1e-6
# Share of a limit over which filter/truncated: ramp lowers the weight.
RAMP = 0.2


@dataclass(frozen=True)
class Sampled:
    """What the filters have to know of a completion."""

    reward: float | None
    tokens: int
    truncated: bool
    turns: int


def group_stds(rows: list[Sampled], samples: int) -> list[float]:
    """Population standard deviation of the rewards that are left in each group."""
    rewards = torch.tensor([row.reward or 0.0 for row in rows], dtype=torch.float64)
    present = torch.tensor([row.reward is not None for row in rows]).view(-1, samples)
    rewards = rewards.view(-1, samples)
    count = present.sum(dim=1).clamp(min=1)
    mean = (rewards * present).sum(dim=1) / count
    return (((rewards - mean.unsqueeze(1)) ** 2 * present).sum(dim=1) / count).sqrt().tolist()


def loss_weights(
    rows: list[Sampled], recipe: dict[str, Any], state: dict[str, Any]
) -> tuple[list[float], list[bool]]:
    """Factor of each row's advantage, and whether the row is kept in the loss at all.

    `state` is what moving averages carry from step to step; it begins empty.
    """
    samples, mode = recipe["rollout"]["group_size"], recipe["filter"]["truncated"]
    groups = kept_groups(group_stds(rows, samples), recipe["filter"], state)
    kept = [
        row.reward is not None
        and groups[index // samples]
        and not (mode != "keep" and row.truncated)
        for index, row in enumerate(rows)
    ]
    weights = [
        truncation_weight(mode, row, recipe["rollout"]) if is_kept else 1.0
        for row, is_kept in zip(rows, kept, strict=True)
    ]
    return weights, kept


def truncation_weight(mode: str, row: Sampled, limits: dict[str, Any]) -> float:
    """1, unless mode is ramp: then falling to 0 over the last fifth of a limit."""
    if mode != "ramp":
        return 1.0
    turns = limits["max_turns"]
    used = max(row.tokens / limits["max_tokens"], row.turns / turns if turns else 0.0)
    return min(1.0, max(0.0, (1 - used) / RAMP))


def kept_groups(stds: list[float], settings: dict[str, Any], state: dict[str, Any]) -> list[bool]:
    """Every filter sees all groups; a group stays that all of them keep."""
    verdicts = []
    if settings["zero_variance_groups"]:
        verdicts.append([std >= ZERO_STD for std in stds])
    if settings["snr"] is not None:
        verdicts.append(snr_filter(stds, settings["snr"]))
    if settings["std_group"] is not None:
        own = state.setdefault("std_group", {})
        verdicts.append(std_group_filter(stds, settings["std_group"], own))
    if settings["dual_level"] is not None:
        own = state.setdefault("dual_level", {})
        verdicts.append(std_group_filter(stds, settings["dual_level"]["groups"], own))
    return [all(verdict[index] for verdict in verdicts) for index in range(len(stds))]


def snr_filter(stds: list[float], settings: dict[str, Any]) -> list[bool]:
    """The groups with the largest deviation (RAGEN-2, arXiv:2604.06268; StarPO-S, 2504.20073)."""
    live = [index for index, std in enumerate(stds) if std >= ZERO_STD]
    ranked = sorted(live, key=lambda index: (-stds[index], index))
    if settings["strategy"] == "top_k":
        chosen = ranked[: max(1, int(settings["value"] * len(stds)))]
    elif settings["value"] == 1:
        chosen = ranked
    else:
        enough = settings["value"] * sum(stds[index] for index in ranked)
        enough, reached, chosen = enough - settings["selection_eps"], 0.0, []
        for index in ranked:
            if reached >= enough:
                break
            reached += stds[index]
            chosen.append(index)
    kept = set(chosen)
    return [index in kept for index in range(len(stds))]


def std_group_filter(
    stds: list[float], settings: dict[str, Any], state: dict[str, float]
) -> list[bool]:
    """Drops groups below a moving threshold (EvoTrainer, arXiv:2606.03108). Updates `state`."""
    kept, dead = [], []
    for std in stds:
        _move(state, std, settings["ema_decay"])
        dead.append(std < max(settings["min_std"], ZERO_STD))
        is_judged = state["groups"] > settings["warmup_groups"]
        kept.append(not dead[-1] and not (is_judged and std < _threshold(state, settings)))
    live = [index for index, one in enumerate(dead) if not one]
    # A ceiling of 0.5 * 6 that floating point made 3.0000000000000004 would be 4.
    floor = math.ceil(settings["min_keep_ratio"] * len(live) - 1e-9)
    if sum(kept) < floor:
        ranked = sorted(live, key=lambda index: (-stds[index], index))
        kept = [index in ranked[:floor] for index in range(len(stds))]
    return kept


def _threshold(state: dict[str, float], settings: dict[str, Any]) -> float:
    if settings["keep_ratio"] == 1:
        return -math.inf
    quantile = NormalDist().inv_cdf(settings["keep_ratio"])
    return state["mean"] - quantile * math.sqrt(state["variance"])


def _move(state: dict[str, float], std: float, decay: float) -> None:
    if not state:
        state.update(groups=1, mean=std, variance=0.0)
        return
    difference = std - state["mean"]
    state["groups"] += 1
    state["mean"] += decay * difference
    state["variance"] = (1 - decay) * (state["variance"] + decay * difference**2)
