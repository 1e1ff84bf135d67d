"""A recipe as settings of verl's main_ppo. Read in verl's sources of 2026-08-22, not run.

    python translate.py FOLDER        prints the settings, one `key=value` a line

FOLDER is the folder of a training, see trainers/contract.md. It also writes FOLDER/verl.jsonl, the
rows that verl reads, and expects evo_score.py, which lies beside this file, as FOLDER/evo_score.py.
"""

import json
import sys
from pathlib import Path
from typing import Any

LOSS = {
    "token_mean": "token-mean",
    "sequence_mean": "seq-mean-token-mean",
    "constant": "seq-mean-token-sum-norm",
}
# What verl's main_ppo has no setting for.
REFUSED = {
    "filter": ("dynamic_sampling", "snr", "std_group", "dual_level"),
    "curriculum": ("success_band", "window"),
    "rollout": ("guidance",),
    "optimizer": ("replay",),
}


def translate(train: dict[str, Any], folder: str) -> dict[str, Any]:
    """`train` is train.json; the values are those of Hydra."""
    recipe = train["recipe"]
    refuse(recipe)
    rollout, optimizer = recipe["rollout"], recipe["optimizer"]
    actor, rolled = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
    estimator = "grpo" if optimizer["advantage_estimator"] == "grpo" else "rloo"
    return {
        "algorithm.adv_estimator": estimator,
        "algorithm.norm_adv_by_std_in_grpo": optimizer["advantage_scale"] == "group_std",
        "algorithm.use_kl_in_reward": False,
        f"{actor}.clip_ratio_low": optimizer["clip_low"],
        f"{actor}.clip_ratio_high": optimizer["clip_high"],
        f"{actor}.entropy_coeff": optimizer["entropy_coef"],
        f"{actor}.grad_clip": optimizer["max_grad_norm"],
        f"{actor}.kl_loss_coef": optimizer["kl_coef"],
        f"{actor}.kl_loss_type": "low_var_kl",
        f"{actor}.loss_agg_mode": LOSS[optimizer["loss_aggregation"]],
        f"{actor}.loss_scale_factor": rollout["max_tokens"],
        f"{actor}.optim.lr": optimizer["learning_rate"],
        f"{actor}.optim.weight_decay": optimizer["weight_decay"],
        # It counts prompts, and verl multiplies it by the samples of each.
        f"{actor}.ppo_mini_batch_size": rollout["prompts_per_step"] // optimizer["minibatches"],
        f"{actor}.use_kl_loss": optimizer["kl_coef"] > 0,
        f"{actor}.checkpoint.save_contents": "[model,optimizer,extra,hf_model]",
        "actor_rollout_ref.model.path": f"{folder}/policy",
        f"{rolled}.n": rollout["group_size"],
        f"{rolled}.name": "vllm",
        f"{rolled}.temperature": rollout["temperature"],
        f"{rolled}.multi_turn.max_assistant_turns": rollout["max_turns"],
        "data.max_response_length": rollout["max_tokens"],
        "data.shuffle": False,
        "data.train_batch_size": rollout["prompts_per_step"],
        "data.train_files": f"{folder}/verl.jsonl",
        "data.val_files": f"{folder}/verl.jsonl",
        "reward.custom_reward_function.path": f"{folder}/evo_score.py",
        # One process counts the samples of each prompt.
        "reward.num_workers": 1,
        "trainer.default_local_dir": f"{folder}/verl",
        "trainer.logger": "[file]",
        "trainer.save_freq": train["checkpoint_every"],
        "trainer.test_freq": -1,
        "trainer.total_epochs": 1,
        "trainer.total_training_steps": train["budget"]["optimizer_steps"],
        "trainer.val_before_train": False,
    }


def refuse(recipe: dict[str, Any]) -> None:
    asked = [
        f"recipe/{part}/{key}"
        for part, keys in REFUSED.items()
        for key in keys
        if recipe[part][key] is not None
    ]
    optimizer, rollout = recipe["optimizer"], recipe["rollout"]
    if recipe["filter"]["truncated"] != "keep":
        asked.append("recipe/filter/truncated")
    if optimizer["advantage_scale"] == "batch_std":
        asked.append("recipe/optimizer/advantage_scale: batch_std")
    if rollout["prompts_per_step"] % optimizer["minibatches"]:
        asked.append("recipe/optimizer/minibatches: not a divisor of rollout/prompts_per_step")
    if asked:
        raise SystemExit(f"{', '.join(asked)}: verl's main_ppo has no such setting; leave it out")


def row(task: dict[str, Any]) -> dict[str, Any]:
    """A line of tasks.jsonl as verl reads it. Our server has the reference, so there is none."""
    return {
        "data_source": "evotrainer",
        "prompt": task["messages"],
        "reward_model": {"style": "rule", "ground_truth": ""},
        "extra_info": {"index": task["index"], "step": task["step"]},
    }


def main(folder: Path) -> None:
    settings = translate(json.loads((folder / "train.json").read_text()), str(folder))
    with (folder / "tasks.jsonl").open() as tasks, (folder / "verl.jsonl").open("w") as rows:
        for line in tasks:
            rows.write(json.dumps(row(json.loads(line))) + "\n")
    for key, value in sorted(settings.items()):
        print(f"{key}={'null' if value is None else value}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
