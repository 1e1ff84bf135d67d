"""LoRA adapters, by peft."""

import json
from pathlib import Path
from typing import Any

import pytest


def test_an_adapter_trains_alone_and_resumes(train: Any) -> None:
    options = {"options": {"lora": {"rank": 2}, "gradient_checkpointing": True}}
    changes = {"optimizer__kl_coef": 0.01}
    rewards, folder, _ = train("lora", changes, steps=3, checkpoint_every=2, **options)
    names = {file.name for file in (folder / "policy_out").iterdir()}
    assert "adapter_model.safetensors" in names and "model.safetensors" not in names
    assert rewards.metrics[2]["kl"] > 0
    assert (folder / "policy_out" / "tokenizer.json").exists()
    made = (folder / "policy_out" / "adapter_model.safetensors").read_bytes()
    again, folder, _ = train("lora", changes, steps=3, checkpoint_every=2, resume=2, **options)
    assert again.graded[3] == rewards.graded[3]
    assert (folder / "policy_out" / "adapter_model.safetensors").read_bytes() == made


def test_an_adapter_is_trained_further_on_its_base(train: Any, policy: Path) -> None:
    options = {"options": {"lora": {"rank": 2}}, "steps": 2}
    _, first, _ = train("first", **options)
    folder = first.parent / "second"
    folder.mkdir()
    (folder / "policy").symlink_to(first / "policy_out")
    (folder / "base").symlink_to(policy)
    rewards, _, status = train("second", {"optimizer__kl_coef": 0.1}, **options)
    assert status == 0
    before, after = first / "policy_out", folder / "policy_out"
    name = "adapter_model.safetensors"
    assert (before / name).read_bytes() != (after / name).read_bytes()
    assert (before / "tokenizer.json").read_bytes() == (after / "tokenizer.json").read_bytes()
    # The reference is the adapter that the branch started with, so that nothing differs at first.
    assert rewards.metrics[1]["kl"] == pytest.approx(0, abs=1e-6) != rewards.metrics[2]["kl"]
    assert (
        json.loads((after / "adapter_config.json").read_text())["base_model_name_or_path"] == "base"
    )
