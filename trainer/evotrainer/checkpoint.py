"""Checkpoints: a Hugging Face directory anyone can load, and beside it what resuming needs.

    checkpoints/step_N/{config.json,model.safetensors,tokenizer.json}
    checkpoints/step_N/trainer_state/{optimizer.safetensors,state.json,metrics.jsonl,open.parquet}
    checkpoints/step_N/trainer_state/manifest.json    sha256 of every other file: "whole"

`step_N` with the shards closed up to it suffices to go on in another directory.
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from safetensors import SafetensorError
from safetensors.torch import load_file, save, save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import Tensor

from evotrainer.domains import Domain
from evotrainer.failures import ConfigInvalid
from evotrainer.jobdir import write_json, write_text
from evotrainer.policy import Policy, PolicyShape
from evotrainer.tables import read_table, write_table

POLICY_FILES = ("config.json", "model.safetensors", "tokenizer.json")


@dataclass
class TrainerState:
    """Everything besides the policy's weights that the next step depends on."""

    step: int
    counters: dict[str, Any]
    optimizer: dict[str, Tensor]
    metrics: list[str]
    open_rows: pa.Table | None


def save_policy(folder: Path, policy: Policy, domain: Domain) -> None:
    """The three files that other programs read, and no others."""
    folder.mkdir(parents=True, exist_ok=True)
    words = domain.vocabulary
    config = policy.shape.huggingface(end=words.index("END"), pad=words.index("PAD"))
    write_json(folder / "config.json", config)
    (folder / "model.safetensors").write_bytes(policy_bytes(policy))
    model = models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="PAD")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    write_text(folder / "tokenizer.json", tokenizer.to_str(pretty=True))


def policy_bytes(policy: Policy) -> bytes:
    return save({name: weight.detach() for name, weight in policy.named_parameters()})


def policy_digest(policy: Policy) -> str:
    """The sha256 that model.safetensors has, whether or not it has been written."""
    return hashlib.sha256(policy_bytes(policy)).hexdigest()


def load_policy(folder: Path, domain: Domain) -> Policy:
    """Read a policy of ours; whatever is damaged or foreign is named, with its place."""
    for name in POLICY_FILES:
        if not (folder / name).is_file():
            raise ConfigInvalid(f"{folder / name} is missing; stage the whole checkpoint again")
    try:
        config = json.loads((folder / "config.json").read_text())
        shape = PolicyShape(**{key: config[key] for key in PolicyShape.__dataclass_fields__})
        words = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigInvalid(
            f"{folder}: config.json or tokenizer.json is damaged ({error!r})"
        ) from error
    if words != {word: index for index, word in enumerate(domain.vocabulary)}:
        raise ConfigInvalid(f"{folder / 'tokenizer.json'}: not the vocabulary of {domain.name}")
    policy = Policy(shape)
    weights = _load_tensors(folder / "model.safetensors")
    try:
        policy.load_state_dict(weights)
    except RuntimeError as error:
        raise ConfigInvalid(
            f"{folder / 'model.safetensors'} does not fit config.json beside it: {error}"
        ) from error
    return policy


def _load_tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise ConfigInvalid(
            f"{path} is damaged ({error}); fetch the checkpoint again from the store"
        ) from error


def save_checkpoint(root: Path, policy: Policy, domain: Domain, state: TrainerState) -> None:
    """Whole or not at all: made beside its place, renamed, and only then named by latest.json."""
    target = root / f"step_{state.step}"
    half = root / f".step_{state.step}.tmp"
    shutil.rmtree(half, ignore_errors=True)
    save_policy(half, policy, domain)
    inner = half / "trainer_state"
    inner.mkdir()
    save_file(state.optimizer, inner / "optimizer.safetensors")
    write_text(inner / "metrics.jsonl", "".join(state.metrics))
    write_json(inner / "state.json", {"step": state.step, "counters": state.counters})
    if state.open_rows is not None:
        write_table(inner / "open.parquet", state.open_rows)
    write_json(inner / "manifest.json", _digests(half))
    if target.exists():
        shutil.rmtree(target)
    half.rename(target)
    write_json(root / "latest.json", {"step": state.step, "path": f"checkpoints/{target.name}"})


def newest_whole(root: Path) -> Path | None:
    """The checkpoint to go on from; half-written and damaged ones are passed over."""
    folders = [path for path in root.glob("step_*") if path.name[5:].isdigit()]
    for folder in sorted(folders, key=lambda path: int(path.name[5:]), reverse=True):
        try:
            manifest = json.loads((folder / "trainer_state" / "manifest.json").read_text())
        except (OSError, ValueError):
            continue
        if manifest == _digests(folder):
            return folder
    return None


def load_state(folder: Path) -> TrainerState:
    inner = folder / "trainer_state"
    state = json.loads((inner / "state.json").read_text())
    rows = inner / "open.parquet"
    return TrainerState(
        step=state["step"],
        counters=state["counters"],
        optimizer=load_file(inner / "optimizer.safetensors"),
        metrics=(inner / "metrics.jsonl").read_text().splitlines(keepends=True),
        open_rows=read_table(rows, "trajectory") if rows.is_file() else None,
    )


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name != "manifest.json"
    }
