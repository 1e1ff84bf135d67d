"""What the recipe leaves out of the loss: whole groups, and completions that a limit cut off.

The reward server has dropped trajectories before (value None). The filters are those of
EvoTrainer's own trainer: evo_hooks/ lies in the folder of the training.

Shapes: rows come group by group, K samples each.
"""

from dataclasses import dataclass
from typing import Any

import torch
from evo_hooks.groups import group_filter_reasons
from evo_hooks.truncation import loss_weight


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
    reasons = group_filter_reasons(group_stds(rows, samples), recipe["filter"], state)
    kept = [
        row.reward is not None
        and reasons[index // samples] is None
        and not (mode != "keep" and row.truncated)
        for index, row in enumerate(rows)
    ]
    weights = [
        _weight(mode, row, recipe["rollout"]) if is_kept else 1.0
        for row, is_kept in zip(rows, kept, strict=True)
    ]
    return weights, kept


def _weight(mode: str, row: Sampled, limits: dict[str, Any]) -> float:
    turns = limits["max_turns"]
    used = row.tokens / limits["max_tokens"], row.turns / turns if turns else None
    return loss_weight(mode, row.truncated, *used)
