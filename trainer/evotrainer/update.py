"""One batch of rollouts to the optimizer: minibatches, chunks of like length, clip, step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from evotrainer import grpo
from evotrainer.adamw import AdamW
from evotrainer.failures import Diverged
from evotrainer.hooks.replay import Demonstration
from evotrainer.policy import Policy
from evotrainer.sampling import Playing
from evotrainer.warmup import cross_entropy

ROWS_AT_ONCE = 64
Batch = list[tuple[Playing, float]]


@dataclass
class Update:
    """Means over the tokens of the loss; null where nothing was kept or asked for."""

    loss: float = 0.0
    grad_norm: float | None = None
    clip_share: float | None = None
    kl: float | None = None
    replay_loss: float | None = None


@dataclass(frozen=True)
class Part:
    """What one optimizer update learns from: rollouts, and demonstrations beside them."""

    batch: Batch
    shown: list[Demonstration]


def update(
    policy: Policy,
    reference: Policy | None,
    optimizer: AdamW,
    batch: Batch,
    recipe: dict,
    shown: Sequence[Demonstration] = (),
) -> Update:
    """`minibatches` optimizer updates; without rollouts and demonstrations nothing changes."""
    if not batch and not shown:
        return Update()
    parts = cut(batch, list(shown), recipe["optimizer"]["minibatches"])
    done = [_minibatch(policy, reference, optimizer, part, recipe) for part in parts]
    share = [len(part.batch) / len(batch) if batch else 1.0 for part in parts]

    def average(name: str) -> float:
        pairs = zip(share, done, strict=True)
        return math.fsum(weight * getattr(one, name) for weight, one in pairs)

    kl = average("kl") if reference else None
    replay = average("replay_loss") if shown else None
    return Update(average("loss"), average("grad_norm"), average("clip_share"), kl, replay)


def cut(batch: Batch, shown: list[Demonstration], minibatches: int) -> list[Part]:
    """Rollouts in runs of like size, demonstrations dealt round among them; no rollouts, one."""
    size = max(1, math.ceil(len(batch) / minibatches))
    count = max(1, math.ceil(len(batch) / size))
    return [
        Part(batch[index * size : (index + 1) * size], shown[index::count])
        for index in range(count)
    ]


def _minibatch(
    policy: Policy, reference: Policy | None, optimizer: AdamW, part: Part, recipe: dict
) -> Update:
    settings, batch = recipe["optimizer"], part.batch
    order = sorted(range(len(batch)), key=lambda row: len(batch[row][0].tokens))
    total = Update(loss=0.0, clip_share=0.0, kl=0.0, replay_loss=0.0)
    optimizer.zero_grad()
    weights = _weights(batch, recipe)
    for start in range(0, len(order), ROWS_AT_ONCE):
        rows = order[start : start + ROWS_AT_ONCE]
        chunk = [batch[row] for row in rows]
        length = max(len(one.tokens) for one, _ in chunk) - 1
        loss, clipped, kl = _loss(policy, reference, chunk, weights[rows, :length], recipe)
        loss.backward()
        total.loss += float(loss.detach())
        total.clip_share = (total.clip_share or 0.0) + clipped
        total.kl = (total.kl or 0.0) + kl
    if part.shown:
        total.replay_loss = _replay(policy, part.shown, settings["replay"]["coef"])
        total.loss += settings["replay"]["coef"] * total.replay_loss
    norm = torch.nn.utils.clip_grad_norm_(policy.parameters(), settings["max_grad_norm"])
    total.grad_norm = float(norm)
    if not math.isfinite(total.loss + total.grad_norm):
        raise Diverged(
            f"loss is {total.loss}, gradient norm {total.grad_norm}; lower optimizer/learning_rate"
        )
    optimizer.step(settings["learning_rate"])
    return total


def _weights(batch: Batch, recipe: dict) -> Tensor:
    """What each sampled token counts in the loss, [B, T - 1]."""
    if not batch:
        return torch.zeros(0, 0)
    mask = pad([[float(flag) for flag in one.sampled[1:]] for one, _ in batch])
    budget = recipe["rollout"]["max_tokens"]
    return grpo.token_weights(mask, recipe["optimizer"]["loss_aggregation"], budget)


def _replay(policy: Policy, shown: list[Demonstration], coef: float) -> float:
    """Backward of coef * L; L, the mean cross-entropy of the demonstrated words, is returned."""
    words = max(1, sum(sum(own) for _, own in shown))
    ordered = sorted(shown, key=lambda one: len(one[0]))
    loss = 0.0
    for start in range(0, len(ordered), ROWS_AT_ONCE):
        part = cross_entropy(policy, ordered[start : start + ROWS_AT_ONCE]) / words
        (coef * part).backward()
        loss += float(part.detach())
    return loss


def _loss(
    policy: Policy, reference: Policy | None, chunk: Batch, weights: Tensor, recipe: dict
) -> tuple[Tensor, float, float]:
    """-(clipped objective) - entropy_coef H + kl_coef k3, each weighed token by token."""
    settings, temperature = recipe["optimizer"], recipe["rollout"]["temperature"]
    tokens = pad([one.tokens for one, _ in chunk]).long()
    old = pad([old_logprobs(one) for one, _ in chunk])
    advantages = torch.tensor([advantage for _, advantage in chunk]).unsqueeze(1)
    words = tokens[:, 1:].unsqueeze(2)
    logprobs = torch.log_softmax(policy(tokens[:, :-1]) / temperature, dim=-1)
    chosen = logprobs.gather(2, words).squeeze(2)
    limits = settings["clip_low"], settings["clip_high"]
    objective, clipped = grpo.clipped_objective(chosen, old, advantages, *limits)
    loss = -(weights * objective).sum()
    if settings["entropy_coef"] > 0:
        loss = loss - settings["entropy_coef"] * (weights * grpo.entropy(logprobs)).sum()
    kl = 0.0
    if reference is not None:
        with torch.no_grad():
            held = torch.log_softmax(reference(tokens[:, :-1]) / temperature, dim=-1)
        distance = (weights * grpo.k3(chosen, held.gather(2, words).squeeze(2))).sum()
        loss = loss + settings["kl_coef"] * distance
        kl = float(distance.detach())
    return loss, float((weights * clipped).sum()), kl


def old_logprobs(one: Playing) -> list[float]:
    """What each word cost when it was sampled; forced words carry no weight, hence zero."""
    sampled = iter(one.logprobs)
    return [next(sampled) if flag else 0.0 for flag in one.sampled[1:]]


def pad(rows: list[list]) -> Tensor:
    tensor = torch.zeros(len(rows), max(len(row) for row in rows))
    for index, row in enumerate(rows):
        tensor[index, : len(row)] = torch.tensor(row)
    return tensor
