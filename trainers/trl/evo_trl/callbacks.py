"""When TRL stops, saves and reports: only where a batch of rollouts ends.

TRL does not save the rest of a batch, so a checkpoint inside one would sample it anew on resume.
"""

import math
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from evo_trl.checkpoints import publish

# Our name of a metric and TRL's.
METRICS = {
    "loss": "loss",
    "grad_norm": "grad_norm",
    "entropy": "entropy",
    "kl": "kl",
    "clip_share": "clip_ratio/region_mean",
}


class Diverged(Exception):
    """The loss or the gradient is not a number."""


class Contract(TrainerCallback):
    """`asked` tells whether SIGTERM has come; `trainer` is set once there is one."""

    def __init__(self, folder: Path, train: dict[str, Any], rewards: Any, asked: Any):
        self.folder, self.rewards, self.asked = folder, rewards, asked
        self.every, self.steps = train["checkpoint_every"], train["budget"]["optimizer_steps"]
        self.minibatches = train["recipe"]["optimizer"]["minibatches"]
        self.trainer: Any = None
        self.saved: int | None = None

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Without a gradient AdamW leaves weights and moments alone, as our own trainer does."""
        if self.trainer.learns_nothing():
            self.trainer.model.zero_grad(set_to_none=True)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step = self._ended(state)
        if step is None:
            return
        control.should_save = step % self.every == 0 or step == self.steps or self.asked()
        control.should_training_stop |= self.asked()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any, **_: Any) -> None:
        step = self._ended(state)
        # The last log of a training sums it up and is no step.
        if step is None or "loss" not in logs:
            return
        metrics = step_metrics(logs, any(self.trainer.book.kept)) | self.trainer.step_means()
        answer = self.rewards.step(step, metrics)
        if answer["stop"]:
            self.trainer.book.is_stopped = True
            control.should_save = control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        step = self._ended(state)
        assert step is not None, "a checkpoint falls where a batch of rollouts ends"
        made = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        publish(self.folder, made, step, self.trainer.book.state())
        self.saved = step
        self.rewards.checkpoint(step)

    def _ended(self, state: Any) -> int | None:
        """The step of the contract that has just ended, or None inside one."""
        step, rest = divmod(state.global_step, self.minibatches)
        return None if rest else step


def step_metrics(logs: dict[str, Any], is_kept: bool) -> dict[str, float | None]:
    """TRL's numbers by our names; null what was not measured, since nothing was kept."""
    found = {ours: logs.get(theirs) for ours, theirs in METRICS.items()}
    for name in ("loss", "grad_norm"):
        if found[name] is not None and not math.isfinite(found[name]):
            raise Diverged(f"{name} is {found[name]}; lower recipe/optimizer/learning_rate")
    return found if is_kept else {name: None for name in found} | {"loss": found["loss"]}
