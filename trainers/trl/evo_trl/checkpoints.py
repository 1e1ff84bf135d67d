"""TRL's checkpoint-N and the contract's checkpoints/step_N, one made of the other by hard links.

TRL deletes its older checkpoints; the links survive that. Nothing is copied.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from evo_trl.translate import ConfigInvalid

WORK = "trl"
OWN_STATE = "evo_state.json"
# What belongs to the training and not to the policy.
STATE_FILES = {"optimizer.pt", "scheduler.pt", "scaler.pt", "trainer_state.json", OWN_STATE}
# What training changes of a policy. The rest, such as the tokenizer, stays the start's.
TRAINED = (".safetensors", ".safetensors.index.json")
CONFIGS = {"config.json", "adapter_config.json"}
SEAL = "evo.json"


def is_state(name: str) -> bool:
    return name in STATE_FILES or (name.startswith("rng_state") and name.endswith(".pth"))


def publish(folder: Path, made: Path, step: int, own: dict[str, Any]) -> None:
    """Make checkpoints/step_N of TRL's checkpoint `made`, complete at once by a rename."""
    target = folder / "checkpoints" / f"step_{step}"
    half = target.with_name(f".step_{step}.half")
    shutil.rmtree(half, ignore_errors=True)
    _link_policy(folder, made, half / "policy")
    (half / "state").mkdir()
    for file in made.iterdir():
        if is_state(file.name) and file.name != OWN_STATE:
            _link(file, half / "state" / file.name)
    (half / "state" / OWN_STATE).write_text(json.dumps(own, sort_keys=True))
    shutil.rmtree(target, ignore_errors=True)
    half.rename(target)


def is_trained(name: str) -> bool:
    return name in CONFIGS or name.endswith(TRAINED)


def _link_policy(folder: Path, made: Path, target: Path) -> None:
    target.mkdir(parents=True)
    kept = [file for file in (folder / "policy").iterdir() if not is_trained(file.name)]
    for file in [*kept, *(file for file in made.iterdir() if is_trained(file.name))]:
        if file.is_file() and file.name != SEAL:
            _link(file.resolve(), target / file.name)


def _link(file: Path, target: Path) -> None:
    """A hard link; a copy where the machine allows none, such as between file systems."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)


def own_checkpoint(folder: Path, updates: int) -> Path:
    """Where TRL keeps the checkpoint after so many of its updates."""
    return folder / WORK / f"checkpoint-{updates}"


def prepare_resume(folder: Path, step: int, updates: int) -> tuple[Path, dict[str, Any]]:
    """TRL's checkpoint of checkpoints/step_N, and the adapter's own state in it."""
    source = folder / "checkpoints" / f"step_{step}"
    if not (source / "state" / OWN_STATE).is_file():
        raise ConfigInvalid(
            f"checkpoints/step_{step} is not complete, but train.json resumes at {step};"
            " stage it again, or set resume to null"
        )
    target = own_checkpoint(folder, updates)
    target.mkdir(parents=True)
    for part in ("policy", "state"):
        for file in (source / part).iterdir():
            if file.name != OWN_STATE:
                _link(file, target / file.name)
    return target, json.loads((source / "state" / OWN_STATE).read_text())


def write_policy(folder: Path, updates: int) -> None:
    """policy_out/ of TRL's last checkpoint: there last, and complete at once."""
    half, target = folder / ".policy_out.half", folder / "policy_out"
    for old in (half, target):
        shutil.rmtree(old, ignore_errors=True)
    _link_policy(folder, own_checkpoint(folder, updates), half)
    half.rename(target)
