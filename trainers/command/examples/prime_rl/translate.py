"""A recipe as settings of prime-rl's `rl`. Read in prime-rl's sources of 2026-08, not run.

    python translate.py FOLDER        prints the settings as TOML

FOLDER is the folder of a training, see trainers/contract.md. evo_tasks.py, which lies beside this
file, is the taskset that the settings name; it must be importable where the environments run.
"""

import json
import sys
from pathlib import Path
from typing import Any

# What prime-rl has no setting for.
REFUSED = {
    "filter": ("dynamic_sampling", "snr", "std_group", "dual_level"),
    "curriculum": ("success_band", "window"),
    "rollout": ("guidance",),
    "optimizer": ("replay",),
}
# Where it has one value alone.
FIXED = {
    ("filter", "truncated"): "keep",
    ("optimizer", "advantage_scale"): "none",
    ("optimizer", "advantage_estimator"): "grpo",
    ("optimizer", "loss_aggregation"): "token_mean",
    ("optimizer", "minibatches"): 1,
    ("optimizer", "entropy_coef"): 0,
}


def translate(train: dict[str, Any], folder: str) -> dict[str, Any]:
    """`train` is train.json; the keys are paths in prime-rl's RLConfig."""
    recipe = train["recipe"]
    refuse(recipe)
    rollout, optimizer = recipe["rollout"], recipe["optimizer"]
    source = {
        "env": {"taskset": {"id": "evo_tasks"}},
        "name": "evotrainer",
        "curriculum": {"sampler": {"type": "standard"}},
    }
    if rollout["max_turns"] is not None:
        source["env"]["max_turns"] = rollout["max_turns"]
    return {
        "ckpt.interval": train["checkpoint_every"],
        "ckpt.keep_last": 2,
        "max_steps": train["budget"]["optimizer_steps"],
        "model.name": f"{folder}/policy",
        "output_dir": f"{folder}/prime_rl",
        "orchestrator.algo.type": "grpo",
        "orchestrator.batch_size": rollout["prompts_per_step"] * rollout["group_size"],
        "orchestrator.group_size": rollout["group_size"],
        # 8 by default: what a step trains on may then come from eight policies.
        "orchestrator.max_off_policy_steps": 1,
        "orchestrator.monitors.file.filename": "metrics.jsonl",
        "orchestrator.train.filter_zero_advantages": recipe["filter"]["zero_variance_groups"],
        "orchestrator.train.sampling.max_completion_tokens": rollout["max_tokens"],
        "orchestrator.train.sampling.temperature": rollout["temperature"],
        "orchestrator.train.source": [source],
        "trainer.loss.type": "default",
        "trainer.loss.kl_tau": optimizer["kl_coef"],
        "trainer.optim.type": "adamw",
        "trainer.optim.lr": optimizer["learning_rate"],
        "trainer.optim.max_norm": optimizer["max_grad_norm"],
        "trainer.optim.weight_decay": optimizer["weight_decay"],
    }


def refuse(recipe: dict[str, Any]) -> None:
    asked = [
        f"recipe/{part}/{key}"
        for part, keys in REFUSED.items()
        for key in keys
        if recipe[part][key] is not None
    ]
    asked += [
        f"recipe/{part}/{key}: {recipe[part][key]}"
        for (part, key), only in FIXED.items()
        if recipe[part][key] != only
    ]
    if asked:
        raise SystemExit(f"{', '.join(asked)}: prime-rl has no such setting; leave it out")


def main(folder: Path) -> None:
    settings = translate(json.loads((folder / "train.json").read_text()), str(folder))
    for key, value in sorted(settings.items()):
        print(f"{key} = {toml(value)}")


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
