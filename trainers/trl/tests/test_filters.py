"""The filters against those of EvoTrainer's own trainer, on rewards drawn at random."""

import random
import sys

import pytest
from conftest import TRAINER
from standin import recipe

from evo_trl.filters import Sampled, group_stds, kept_groups, loss_weights, truncation_weight

sys.path.append(str(TRAINER))
from evotrainer import grpo
from evotrainer.hooks.snr import snr_filter
from evotrainer.hooks.std_group import std_group_filter
from evotrainer.hooks.truncation import loss_weight

GROUPS = {"keep_ratio": 0.9, "min_keep_ratio": 0.5, "ema_decay": 0.1, "min_std": 0.01}
OFF = {"zero_variance_groups": False, "snr": None, "std_group": None, "dual_level": None}


def batch(draw: random.Random, count: int = 64) -> list[Sampled]:
    rewards = [draw.choice([0.0, 0.0, 1 / 3, 1.0, None]) for _ in range(count)]
    return [Sampled(reward, draw.randint(1, 12), draw.random() < 0.3, 1) for reward in rewards]


def theirs(rows: list[Sampled]) -> list[float]:
    import torch

    rewards = torch.tensor([row.reward or 0.0 for row in rows], dtype=torch.float64).view(-1, 4)
    present = torch.tensor([row.reward is not None for row in rows]).view(-1, 4)
    return grpo.group_moments(rewards, present)[1].tolist()


@pytest.mark.parametrize(
    "snr",
    [
        {"strategy": "top_p", "value": 0.6, "selection_eps": 0.01},
        {"strategy": "top_p", "value": 1, "selection_eps": 0.01},
        {"strategy": "top_k", "value": 0.25, "selection_eps": 0.0},
    ],
)
def test_snr_keeps_what_our_trainer_keeps(snr: dict) -> None:
    draw = random.Random(1)
    for _ in range(50):
        rows = batch(draw)
        assert group_stds(rows, 4) == theirs(rows)
        kept = kept_groups(theirs(rows), OFF | {"snr": snr}, {})
        assert kept == snr_filter(theirs(rows), snr)


@pytest.mark.parametrize("name", ["std_group", "dual_level"])
def test_moving_thresholds_keep_what_our_trainer_keeps_over_many_steps(name: str) -> None:
    draw, ours, other = random.Random(2), {}, {}
    settings = GROUPS | {"warmup_groups": 20}
    asked = OFF | {name: settings if name == "std_group" else {"groups": settings}}
    seen = set()
    for _ in range(50):
        stds = theirs(batch(draw))
        kept = kept_groups(stds, asked, ours)
        assert kept == std_group_filter(stds, settings, other)
        seen |= set(kept)
    assert ours == {name: other}
    assert seen == {True, False}


def test_a_group_stays_that_all_filters_keep() -> None:
    settings = OFF | {"zero_variance_groups": True, "std_group": GROUPS | {"warmup_groups": 0}}
    assert kept_groups([0.0, 0.005, 0.4], settings, {}) == [False, False, True]


@pytest.mark.parametrize("mode", ["keep", "mask", "ramp"])
def test_truncation_weighs_as_our_trainer_does(mode: str) -> None:
    draw = random.Random(3)
    limits = {"max_tokens": 12, "max_turns": 4}
    for row in batch(draw):
        if mode == "mask" and row.truncated:
            continue
        expected = loss_weight(mode, row.truncated and mode == "mask", row.tokens / 12, 1 / 4)
        assert truncation_weight(mode, row, limits) == expected


def test_a_truncated_row_leaves_the_loss_but_not_the_baseline() -> None:
    rows = [Sampled(1.0, 3, False, 1), Sampled(0.0, 12, True, 1)]
    asked = recipe(rollout__group_size=2, filter__truncated="mask")
    assert loss_weights(rows, asked, {}) == ([1.0, 1.0], [True, False])
