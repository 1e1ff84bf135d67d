import json
import re
from pathlib import Path

import pytest
from standin import recipe

from evo_trl.translate import ConfigInvalid, seed_of, translate

ROOT = Path(__file__).parents[3]


def train_json(recipe: dict, **options: object) -> dict:
    seeds = {"campaign": 1, "generation": 1, "replicate": 0}
    return {"seeds": seeds, "recipe": recipe, "budget": {"optimizer_steps": 10}, "options": options}


def test_a_whole_recipe_becomes_the_golden_arguments() -> None:
    changed = recipe(
        rollout__prompts_per_step=8,
        rollout__temperature=0.8,
        rollout__max_turns=3,
        optimizer__minibatches=2,
        optimizer__kl_coef=0.01,
        optimizer__entropy_coef=0.02,
        optimizer__weight_decay=0.1,
        optimizer__advantage_scale="batch_std",
        optimizer__loss_aggregation="constant",
    )
    options = {"per_device_batch": 6, "lora": {"rank": 4}, "extra": {"delta": 4.0}}
    made = translate(train_json(changed, **options), "cpu")
    golden = json.loads((Path(__file__).parent / "golden.json").read_text())
    assert {"config": made.config, "lora": made.lora, "minibatches": made.minibatches} == golden


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("filter__dynamic_sampling", {"max_batches": 2}),
        ("curriculum__success_band", [0.2, 0.8]),
        ("curriculum__window", {"initial_level": None}),
        ("rollout__guidance", {"share": 0.5}),
        ("optimizer__replay", {"coef": 0.1}),
        ("optimizer__advantage_estimator", "rloo"),
    ],
)
def test_what_trl_has_not_is_refused_by_name(path: str, value: object) -> None:
    with pytest.raises(ConfigInvalid, match=rf"recipe/{path.replace('__', '/')}.*evotrainer"):
        translate(train_json(recipe(**{path: value})), "cpu")


def test_minibatches_that_do_not_divide_the_batch_are_refused() -> None:
    with pytest.raises(ConfigInvalid, match="minibatches: TRL cuts 16 completions"):
        translate(train_json(recipe(optimizer__minibatches=3)), "cpu")


def test_an_unknown_key_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ConfigInvalid, match=r"extra/detla: .*did you mean delta"):
        translate(train_json(recipe(), extra={"detla": 1}), "cpu")


def test_all_weights_stay_float32_where_bfloat16_is_asked_for() -> None:
    whole = translate(train_json(recipe(), dtype="bfloat16"), "cuda").config
    adapter = translate(train_json(recipe(), dtype="bfloat16", lora={"rank": 4}), "cuda").config
    assert (whole["bf16"], whole["model_init_kwargs"]) == (True, {"dtype": "float32"})
    assert (adapter["bf16"], adapter["model_init_kwargs"]) == (False, {"dtype": "bfloat16"})


def test_replicates_have_seeds_of_their_own() -> None:
    assert seed_of({"replicate": 0}) != seed_of({"replicate": 1})


def test_every_factor_of_the_recipe_has_a_capability() -> None:
    source = (ROOT / "core/recipe/factors.ts").read_text()
    factors = set(re.findall(r"'/[a-z_/]+': '([a-z-]+)'", source))
    told = json.loads((ROOT / "trainers/trl/capabilities.json").read_text())
    assert set(told["factors"]) == factors
    for name, one in [*told["factors"].items(), *told["settings"].items()]:
        assert (one["level"] == "exact") != ("why" in one), name
