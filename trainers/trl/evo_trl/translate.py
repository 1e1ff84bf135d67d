"""A recipe as arguments of TRL's GRPOConfig: pure, without importing TRL.

Every factor of the recipe is translated or refused by name; capabilities.json says which is which.
"""

import difflib
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any


class ConfigInvalid(Exception):
    """What the user has to change; the message names the key and the cure."""


# TRL's and peft's own settings that trainer/extra may name. What the recipe decides is not among
# them, so that no factor has two names.
EXTRA = {
    "importance_sampling_level",
    "delta",
    "top_entropy_quantile",
    "off_policy_mask_threshold",
    "use_bias_correction_kl",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "warmup_steps",
    "adam_beta1",
    "adam_beta2",
    "adam_epsilon",
    "vllm_gpu_memory_utilization",
    "vllm_max_model_length",
    "vllm_enable_sleep_mode",
}
LORA_EXTRA = {"lora_alpha", "lora_dropout", "lora_target_modules"}
VLLM = "vllm"
OPTIONS = {"per_device_batch", "gradient_checkpointing", "dtype", "lora", VLLM, "extra"}
DTYPES = ("float32", "bfloat16")

LOSS_TYPES = {"token_mean": "dapo", "sequence_mean": "grpo", "constant": "dr_grpo"}
SCALES = {"group_std": "group", "batch_std": "batch", "none": "none"}


@dataclass(frozen=True)
class Translation:
    """`config`: arguments of GRPOConfig. `minibatches`: its updates for one of our steps."""

    config: dict[str, Any]
    minibatches: int
    lora: dict[str, Any] | None
    model: dict[str, Any] = field(default_factory=dict)


def translate(train: dict[str, Any], device: str) -> Translation:
    """`train` is train.json; `device` is cpu or cuda."""
    recipe, options = train["recipe"], _options(train.get("options") or {})
    refuse(recipe)
    minibatches = recipe["optimizer"]["minibatches"]
    config = {
        **_fixed(seed_of(train["seeds"]), minibatches, device),
        **_batch(recipe, options.get("per_device_batch"), train["budget"]["optimizer_steps"]),
        **_rollout(recipe["rollout"]),
        **_optimizer(recipe["optimizer"]),
        **_engine(options),
        **{key: value for key, value in options["extra"].items() if key in EXTRA},
    }
    dtype = options.get("dtype", "float32")
    if dtype not in DTYPES:
        raise ConfigInvalid(f"policy/dtype: {dtype}; one of {', '.join(DTYPES)}")
    lora = _lora(options)
    is_half = dtype == "bfloat16" and device != "cpu"
    # All weights in bfloat16 would lose small updates: they stay float32 under autocast. The frozen
    # weights below an adapter take no updates.
    config["bf16"] = is_half and lora is None
    config["model_init_kwargs"] = {"dtype": "bfloat16" if is_half and lora else "float32"}
    return Translation(config, minibatches, lora)


def seed_of(seeds: dict[str, Any]) -> int:
    """One seed for everything that TRL draws, from the seeds of the job."""
    text = json.dumps(seeds, sort_keys=True, separators=(",", ":"))
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % (2**31)


def refuse(recipe: dict[str, Any]) -> None:
    """Say what of the recipe TRL cannot do, all of it at once."""
    filters, curriculum = recipe["filter"], recipe["curriculum"]
    rollout, optimizer = recipe["rollout"], recipe["optimizer"]
    asked = {
        "filter/dynamic_sampling": filters["dynamic_sampling"] is not None,
        "curriculum/success_band": curriculum["success_band"] is not None,
        "curriculum/window": curriculum["window"] is not None,
        "rollout/guidance": rollout["guidance"] is not None,
        "optimizer/replay": optimizer["replay"] is not None,
        "optimizer/advantage_estimator: rloo": optimizer["advantage_estimator"] != "grpo",
    }
    refused = [key for key, is_asked in asked.items() if is_asked]
    if refused:
        raise ConfigInvalid(
            f"recipe/{', recipe/'.join(refused)}: TRL's GRPOTrainer has no such setting; leave it"
            " out of the recipe, or train with trainer: {type: evotrainer}"
        )


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """The options, with what trainer/extra may also spell checked by name."""
    extra = dict(options.get("extra") or {})
    own = {key: value for key, value in options.items() if key != "extra"}
    for key in sorted(own.keys() - OPTIONS):
        extra[key] = own.pop(key)
    if VLLM in extra:
        own[VLLM] = extra.pop(VLLM)
    known = EXTRA | LORA_EXTRA
    for key in extra:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known | OPTIONS), 1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(known))}"
            raise ConfigInvalid(f"trainer/extra/{key}: the adapter for TRL has no such key; {hint}")
    return own | {"extra": extra}


def _fixed(seed: int, minibatches: int, device: str) -> dict[str, Any]:
    """What no recipe changes: our prompts in our order, one seed, quiet logs, our checkpoints."""
    is_cpu = device == "cpu"
    return {
        "seed": seed,
        "data_seed": seed,
        "full_determinism": is_cpu,
        "use_cpu": is_cpu,
        "shuffle_dataset": False,
        "remove_unused_columns": False,
        "dataloader_num_workers": 0,
        "dataloader_pin_memory": False,
        "num_iterations": 1,
        "mask_truncated_completions": False,
        "lr_scheduler_type": "constant",
        "optim": "adamw_torch" if is_cpu else "adamw_torch_fused",
        # As in our own trainer; TRL's default is 0.999.
        "adam_beta2": 0.99,
        "logging_strategy": "steps",
        "logging_steps": minibatches,
        # It would hide a loss that is not a number.
        "logging_nan_inf_filter": False,
        # Checkpoints are asked for where a batch of rollouts ends, see callbacks.py.
        "save_strategy": "no",
        "save_total_limit": 1,
        "report_to": "none",
        "disable_tqdm": True,
        "log_completions": False,
        "fp16": False,
    }


def _batch(recipe: dict[str, Any], at_once: int | None, steps: int) -> dict[str, Any]:
    """One generation batch a step, cut into minibatches, cut into forward passes of equal size."""
    groups, samples = (recipe["rollout"][key] for key in ("prompts_per_step", "group_size"))
    count, rows = recipe["optimizer"]["minibatches"], groups * samples
    if rows % count:
        raise ConfigInvalid(
            f"recipe/optimizer/minibatches: TRL cuts {rows} completions ({groups} prompts x"
            f" {samples}) into equal minibatches, and {count} does not divide them; choose a"
            " divisor, or change rollout/prompts_per_step"
        )
    part = rows // count
    limit = min(part, at_once or part)
    size = next(number for number in range(limit, 0, -1) if part % number == 0)
    return {
        "num_generations": samples,
        "per_device_train_batch_size": size,
        "gradient_accumulation_steps": part // size,
        "steps_per_generation": rows // size,
        "max_steps": steps * count,
    }


def _rollout(rollout: dict[str, Any]) -> dict[str, Any]:
    turns = rollout["max_turns"]
    return {
        "temperature": rollout["temperature"],
        "top_p": 1.0,
        "top_k": 0,
        "max_completion_length": rollout["max_tokens"],
        # A turn that calls tools is answered and followed by another turn.
        "max_tool_calling_iterations": None if turns is None else turns - 1,
    }


def _optimizer(optimizer: dict[str, Any]) -> dict[str, Any]:
    return {
        "learning_rate": optimizer["learning_rate"],
        "weight_decay": optimizer["weight_decay"],
        "max_grad_norm": optimizer["max_grad_norm"],
        "epsilon": optimizer["clip_low"],
        "epsilon_high": optimizer["clip_high"],
        "entropy_coef": optimizer["entropy_coef"],
        "beta": optimizer["kl_coef"],
        "scale_rewards": SCALES[optimizer["advantage_scale"]],
        "loss_type": LOSS_TYPES[optimizer["loss_aggregation"]],
    }


def _engine(options: dict[str, Any]) -> dict[str, Any]:
    engine = options.get(VLLM)
    if engine not in (None, False, "colocate"):
        raise ConfigInvalid(f"trainer/extra/vllm: {engine}; only colocate, or leave it out")
    vllm = {"use_vllm": True, "vllm_mode": "colocate"} if engine else {}
    # transformers' new name of what TRL and our config call gradient checkpointing.
    return {"activation_checkpointing": bool(options.get("gradient_checkpointing", False)), **vllm}


def _lora(options: dict[str, Any]) -> dict[str, Any] | None:
    """Arguments of peft's LoraConfig, or None."""
    settings, extra = options.get("lora"), options["extra"]
    own = {key: extra[key] for key in LORA_EXTRA if key in extra}
    if not settings:
        if own:
            raise ConfigInvalid(
                f"trainer/extra/{min(own)}: there is no adapter; set policy/lora, or leave it out"
            )
        return None
    rank = settings["rank"]
    targets = own.get("lora_target_modules", "all-linear")
    return {
        "r": rank,
        "lora_alpha": own.get("lora_alpha", 2 * rank),
        "lora_dropout": own.get("lora_dropout", 0.0),
        "target_modules": targets.split(",") if "," in targets else targets,
        "bias": "none",
        "task_type": "CAUSAL_LM",
    }
