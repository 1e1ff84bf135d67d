"""Trainings of a few steps against a stand-in reward server."""

import json
import logging
import statistics
from pathlib import Path
from typing import Any

import pytest
from conftest import NoStop, weights
from evo_hooks.snr import snr_filter
from standin import StandIn

from evo_trl.main import STOPPED

GROUPS = {"keep_ratio": 0.6, "min_keep_ratio": 0.0, "ema_decay": 0.1, "min_std": 0.01}
STD_GROUP = {"filter__std_group": GROUPS | {"warmup_groups": 2}}


class Killed(Exception):
    """Stands for SIGKILL: nothing of the trainer runs after it."""


def kill_at(last: int) -> Any:
    def stop(step: int) -> None:
        if step == last:
            raise Killed

    return stop


@pytest.fixture(scope="module")
def whole(policy: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Eight steps without interruption, by minibatches."""
    from standin import recipe, write_folder

    from evo_trl.main import run

    made = {}
    for count in (1, 2):
        folder = tmp_path_factory.mktemp(f"whole{count}")
        changes = STD_GROUP | {"optimizer__minibatches": count}
        write_folder(folder, policy, recipe(**changes), options={"per_device_batch": 4})
        rewards = StandIn()
        assert run(folder, rewards, NoStop()) == 0
        made[count] = (rewards, folder)
    return made


def test_the_same_training_twice_gives_the_same_bytes(whole: Any, train: Any) -> None:
    rewards, folder = whole[1]
    again, other, _ = train("again", STD_GROUP, options={"per_device_batch": 4})
    assert weights(folder / "policy_out") == weights(other / "policy_out")
    assert weights(folder / "policy_out") != weights(folder / "policy")
    assert (again.graded, again.metrics) == (rewards.graded, rewards.metrics)


@pytest.mark.parametrize("count", [1, 2])
def test_a_killed_training_resumes_to_the_same_bytes(whole: Any, train: Any, count: int) -> None:
    rewards, folder = whole[count]
    changes = STD_GROUP | {"optimizer__minibatches": count}
    options = {"options": {"per_device_batch": 4}}
    killed = StandIn(stop=kill_at(5))
    with pytest.raises(Killed):
        train("killed", changes, killed, **options)
    assert killed.saved == [2, 4]
    resumed, other, _ = train("killed", changes, resume=4, **options)
    assert weights(folder / "policy_out") == weights(other / "policy_out")
    assert killed.graded.keys() | resumed.graded.keys() == set(range(1, 9))
    for step in range(5, 9):
        assert resumed.graded[step] == rewards.graded[step]
        assert resumed.metrics[step] == rewards.metrics[step]
        assert resumed.told[step] == rewards.told[step]


def test_prompts_are_graded_in_their_order_each_with_all_its_samples(whole: Any) -> None:
    for rewards, _ in whole.values():
        for step, graded in rewards.graded.items():
            first = (step - 1) * 4
            expected = [(first + row // 4, row % 4) for row in range(16)]
            assert [(one["index"], one["sample"]) for one in graded] == expected


def test_advantages_divide_by_the_sample_deviation(whole: Any) -> None:
    rewards, _ = whole[1]
    for step, (values, _) in rewards.told.items():
        for first in range(0, 16, 4):
            paid, told = rewards.paid[step][first : first + 4], values[first : first + 4]
            left = [value for value in paid if value is not None]
            for reward, value in zip(paid, told, strict=True):
                assert (reward is None) == (value is None)
                if reward is not None:
                    spread = statistics.stdev(left) if len(left) > 1 else 0.0
                    expected = (reward - statistics.mean(left)) / (spread + 1e-4)
                    assert value == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("aggregation", ["token_mean", "sequence_mean", "constant"])
def test_the_loss_is_that_of_our_formulas_over_what_is_kept(train: Any, aggregation: str) -> None:
    snr = {"strategy": "top_p", "value": 0.8, "selection_eps": 0.0}
    # Long enough that about half of the completions end by themselves, at different lengths.
    changes = {
        "filter__snr": snr,
        "filter__truncated": "mask",
        "rollout__max_tokens": 150,
        "optimizer__loss_aggregation": aggregation,
    }
    options = {"per_device_batch": 8}
    rewards, _, _ = train("loss", changes, steps=2, checkpoint_every=9, options=options)
    for step in (1, 2):
        values, kept = rewards.told[step]
        paid, graded = rewards.paid[step], rewards.graded[step]
        groups = [[one for one in paid[i : i + 4] if one is not None] for i in range(0, 16, 4)]
        stays = snr_filter([statistics.pstdev(group) for group in groups], snr)
        alive = [paid[row] is not None and not graded[row]["truncated"] for row in range(16)]
        assert kept == [alive[row] and stays[row // 4] for row in range(16)]
        assert not all(stays) and any(kept)
        rows = [(graded[row]["tokens"], values[row]) for row in range(16) if kept[row]]
        total = sum(tokens for tokens, _ in rows)
        weighed = {
            "token_mean": sum(tokens * value for tokens, value in rows) / total,
            "sequence_mean": sum(value for _, value in rows) / len(rows),
            "constant": sum(tokens * value for tokens, value in rows) / (150 * len(rows)),
        }
        assert abs(weighed[aggregation]) > 0.01
        assert rewards.metrics[step]["loss"] == pytest.approx(-weighed[aggregation], abs=1e-4)


class Equal(StandIn):
    """Pays everybody the same from step 2 on."""

    def grade(self, step: int, completions: list) -> list:
        paid = super().grade(step, completions)
        return paid if step == 1 else [1.0] * len(paid)


def test_a_step_that_keeps_nothing_leaves_the_policy_as_it_is(train: Any) -> None:
    changes = {"optimizer__weight_decay": 0.1}
    rewards, folder, _ = train("none", changes, Equal(), steps=3, checkpoint_every=1)
    steps = [weights(folder / "checkpoints" / f"step_{step}" / "policy") for step in (1, 2, 3)]
    assert steps[0] == steps[1] == steps[2] != weights(folder / "policy")
    assert rewards.metrics[2]["grad_norm"] is None
    assert rewards.told[2][1] == [False] * 16


def test_the_token_cap_ends_the_training_with_its_batch(train: Any) -> None:
    rewards, folder, status = train("cap", rewards=StandIn(tokens_max=400))
    assert status == 0
    assert max(rewards.graded) == rewards.saved[-1] == 3
    assert rewards.tokens >= 400 > rewards.tokens - sum(one["tokens"] for one in rewards.graded[3])
    policy = folder / "checkpoints" / "step_3" / "policy"
    assert weights(folder / "policy_out") == weights(policy)
    resumed, other, _ = train("cap", resume=3)
    assert resumed.graded == {}
    assert weights(other / "policy_out") == weights(policy)


class Ask(NoStop):
    """SIGTERM during step 3."""

    def at(self, step: int) -> None:
        self.is_asked = step == 3


def test_sigterm_checkpoints_where_the_batch_ends(whole: Any, train: Any) -> None:
    asked = Ask()
    changes = STD_GROUP | {"optimizer__minibatches": 2}
    options = {"options": {"per_device_batch": 4}, "checkpoint_every": 100}

    class Asked(StandIn):
        def grade(self, step: int, completions: list) -> list:
            asked.at(step)
            return super().grade(step, completions)

    rewards, folder, status = train("term", changes, Asked(), stop=asked, **options)
    assert (status, rewards.saved) == (STOPPED, [3])
    assert not (folder / "policy_out").exists()
    _, folder, status = train("term", changes, resume=3, **options)
    assert status == 0
    assert weights(folder / "policy_out") == weights(whole[2][1] / "policy_out")


def test_no_prompt_reaches_the_log(train: Any, capfd: Any, caplog: Any) -> None:
    with caplog.at_level(logging.INFO):
        rewards, _, _ = train("quiet", steps=2)
    assert None in rewards.paid[1]
    told = caplog.text + "".join(capfd.readouterr())
    assert "What is" not in told
    assert "|" not in told


def test_a_checkpoint_holds_the_policy_apart_from_the_state(whole: Any) -> None:
    folder = whole[1][1] / "checkpoints" / "step_8"
    policy = {file.name for file in (folder / "policy").iterdir()}
    state = {file.name for file in (folder / "state").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= policy
    assert state == {
        "evo_state.json",
        "optimizer.pt",
        "rng_state.pth",
        "scheduler.pt",
        "trainer_state.json",
    }
    own = json.loads((folder / "state" / "evo_state.json").read_text())
    assert own["filters"]["std_group"]["groups"] == 32
