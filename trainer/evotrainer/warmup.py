"""Warm start: cross-entropy on demonstrations, so that RL begins where groups have variance."""

import json
import math

import torch
from torch.nn import functional as F

from evotrainer.adamw import AdamW
from evotrainer.checkpoint import (
    TrainerState,
    load_policy,
    load_state,
    newest_whole,
    save_checkpoint,
    save_policy,
)
from evotrainer.demonstrate import show
from evotrainer.failures import ConfigInvalid, Diverged
from evotrainer.jobdir import JobDir
from evotrainer.optimizer_metrics import optimizer_metrics_line, write_optimizer_metrics
from evotrainer.policy import Policy, PolicyShape
from evotrainer.randomness import Stream, keyed
from evotrainer.rollout import Mix
from evotrainer.sampling import encode
from evotrainer.splits import TaskStream, uniform_levels
from evotrainer.torch_setup import prepare_torch

WARM_UP_SHARE, FINAL_SHARE = 0.05, 0.05
CHUNKS = 3
IGNORED = -100


def run(job: JobDir) -> dict:
    prepare_torch()
    spec = job.spec
    tasks = TaskStream(job.domain, job.seeds["campaign"], "WARM", (job.seeds["replicate"],))
    mix = Mix(uniform_levels(job.domain, spec["levels"]), spec["categories"])
    styles = demonstration_mix(job)
    policy, optimizer, state = _start(job)
    write_optimizer_metrics(job.path, state.optimizer_metrics)
    for step in range(state.step + 1, spec["optimizer_steps"] + 1):
        first = (step - 1) * spec["batch_size"]
        batch = [_sequence(job, tasks, mix, styles, first + i) for i in range(spec["batch_size"])]
        rate = learning_rate(step, spec["optimizer_steps"], spec["learning_rate"])
        loss, norm = _update(policy, optimizer, batch, rate)
        tokens = sum(len(words) for words, _ in batch)
        state.optimizer_metrics.append(optimizer_metrics_line(step=step, loss=loss, grad_norm=norm))
        write_optimizer_metrics(job.path, state.optimizer_metrics[-1:], append=True)
        job.progress("warmup", step, spec["optimizer_steps"], tokens=tokens)
        if step % spec["checkpoint_every"] == 0 or step == spec["optimizer_steps"] or job.stopping:
            state.step, state.optimizer = step, optimizer.state
            save_checkpoint(job.path / "checkpoints", policy, job.domain, state)
        job.obey()
    save_policy(job.output("policy", "policy"), policy, job.domain)
    job.output("optimizer_metrics", "optimizer_metrics.jsonl")
    last = [json.loads(line)["loss"] for line in state.optimizer_metrics[-20:]]
    return {"optimizer_steps": spec["optimizer_steps"], "loss": round(sum(last) / len(last), 6)}


def demonstration_mix(job: JobDir) -> dict[str, float]:
    """The domain's shares, with the job's in their place."""
    known = job.domain.demonstration_mix
    for style in job.spec["mix"]:
        if style not in known:
            raise ConfigInvalid(f"job.json: at spec/mix/{style}: not one of {', '.join(known)}")
    return {**known, **job.spec["mix"]}


def _start(job: JobDir) -> tuple[Policy, AdamW, TrainerState]:
    shape = job.spec["policy"]
    folder = newest_whole(job.path / "checkpoints")
    if folder:
        policy, state = load_policy(folder, job.domain), load_state(folder)
    else:
        seed = keyed("initialise", job.seeds["campaign"], job.seeds["replicate"])
        policy = Policy(
            PolicyShape(
                vocab_size=len(job.domain.vocabulary),
                hidden_size=shape["hidden_size"],
                num_hidden_layers=shape["num_hidden_layers"],
                num_attention_heads=shape["num_attention_heads"],
                intermediate_size=shape["intermediate_size"],
                max_position_embeddings=shape["context_length"],
            ),
            seed,
        )
        state = TrainerState(0, {}, {}, [], None)
    optimizer = AdamW(policy, betas=(0.9, 0.95), weight_decay=0.01)
    if folder:
        optimizer.restore(state.optimizer)
    return policy, optimizer, state


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Linear rise over the first 5 %, then a cosine down to 5 % of the peak."""
    rise = max(1, round(WARM_UP_SHARE * steps))
    if step <= rise:
        return peak * step / rise
    done = (step - rise) / max(1, steps - rise)
    return peak * (FINAL_SHARE + (1 - FINAL_SHARE) * 0.5 * (1 + math.cos(math.pi * done)))


Sequence = tuple[list[int], list[bool]]


def _sequence(
    job: JobDir, tasks: TaskStream, mix: Mix, styles: dict[str, float], index: int
) -> Sequence:
    """Word ids of the demonstration with this number, and which of them the policy chose."""
    task = tasks.task(index, mix.levels, mix.categories)
    stream = Stream(tasks.seed("demonstration", index))
    shown = show(job.domain, task, job.domain.demonstration(task, styles, stream))
    if len(shown.words) > job.spec["policy"]["context_length"]:
        raise ConfigInvalid(
            f"job.json: at spec/policy/context_length: a demonstration of level {task.level} has"
            f" {len(shown.words)} tokens; raise it, or lower spec/levels"
        )
    return encode(job.domain, shown.words), list(shown.own)


def _update(
    policy: Policy, optimizer: AdamW, batch: list[Sequence], rate: float
) -> tuple[float, float]:
    """One optimizer step on the policy's own words, in chunks of like length to pad less."""
    total = sum(sum(own) for _, own in batch)
    ordered = sorted(batch, key=lambda item: len(item[0]))
    size = math.ceil(len(ordered) / CHUNKS)
    loss = 0.0
    optimizer.zero_grad()
    for start in range(0, len(ordered), size):
        part = cross_entropy(policy, ordered[start : start + size]) / total
        part.backward()
        loss += float(part.detach())
    norm = float(torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0))
    if not math.isfinite(loss + norm):
        raise Diverged(f"warm-up loss is {loss}, gradient norm {norm}; lower spec/learning_rate")
    optimizer.step(rate)
    return loss, norm


def cross_entropy(policy: Policy, chunk: list[Sequence]) -> torch.Tensor:
    """Summed over the policy's own words, in nats."""
    tokens = torch.zeros(len(chunk), max(len(words) for words, _ in chunk), dtype=torch.long)
    targets = torch.full_like(tokens, IGNORED)
    for row, (words, own) in enumerate(chunk):
        tokens[row, : len(words)] = torch.tensor(words)
        learned = [word if mine else IGNORED for word, mine in zip(words, own, strict=True)]
        targets[row, : len(words) - 1] = torch.tensor(learned[1:])
    logits = policy(tokens[:, :-1]).flatten(0, 1)
    return F.cross_entropy(logits, targets[:, :-1].flatten(), ignore_index=IGNORED, reduction="sum")
