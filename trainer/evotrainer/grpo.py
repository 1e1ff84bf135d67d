"""GRPO and its family, a small function an idea. Shapes: G groups, K samples, B rows, T tokens."""

import torch
from torch import Tensor

ZERO_VARIANCE = 1e-6


def group_moments(rewards: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and population standard deviation over the present samples of each group: [G], [G]."""
    count = present.sum(dim=1).clamp(min=1)
    mean = (rewards * present).sum(dim=1) / count
    variance = ((rewards - mean.unsqueeze(1)) ** 2 * present).sum(dim=1) / count
    return mean, variance.sqrt()


def group_advantages(
    rewards: Tensor, present: Tensor, scale: str, estimator: str = "grpo"
) -> Tensor:
    """Reward less baseline, over a scale: [G, K].

    grpo: the baseline is the group's mean (Shao et al. 2024, arXiv 2402.03300, 4.1). rloo: the
    mean of the other samples (Ahmadian et al. 2024, arXiv 2402.14740, 3.3), n / (n - 1) times as
    far off. A sample alone has no others and no advantage.
    group_std: / (std of the group + 1e-6) (GRPO). batch_std: / (std of all rewards of the batch +
    1e-6) (Liu et al. 2025, arXiv 2508.08221, 4). none (Dr. GRPO, arXiv 2503.20783, 3.2).
    """
    mean, std = group_moments(rewards, present)
    advantages = rewards - mean.unsqueeze(1)
    if estimator == "rloo":
        count = present.sum(dim=1, keepdim=True)
        advantages = advantages * count / (count - 1).clamp(min=1)
    if scale == "group_std":
        advantages = advantages / (std.unsqueeze(1) + ZERO_VARIANCE)
    elif scale == "batch_std":
        whole = group_moments(rewards.view(1, -1), present.view(1, -1))[1]
        advantages = advantages / (whole + ZERO_VARIANCE)
    return advantages * present


def zero_variance(rewards: Tensor, present: Tensor) -> Tensor:
    """Groups without a signal, std < 1e-6: [G] (dynamic sampling, DAPO, arXiv 2503.14476, 3.2)."""
    return group_moments(rewards, present)[1] < ZERO_VARIANCE


def clipped_objective(
    logprobs: Tensor, old: Tensor, advantages: Tensor, clip_low: float, clip_high: float
) -> tuple[Tensor, Tensor]:
    """Per token min(rA, clip(r, 1 - low, 1 + high)A) with r = exp(new - old), and where it clips.

    PPO (Schulman et al. 2017, arXiv 1707.06347) with DAPO's clip-higher (arXiv 2503.14476, 3.1).
    """
    ratio = (logprobs - old).exp()
    free = ratio * advantages
    bound = ratio.clamp(1 - clip_low, 1 + clip_high) * advantages
    return torch.minimum(free, bound), bound < free


def k3(logprobs: Tensor, reference: Tensor) -> Tensor:
    """exp(d) - d - 1 with d = ref - new: unbiased, never negative (Schulman 2020; GRPO eq. 4)."""
    difference = reference - logprobs
    return difference.exp() - difference - 1


def token_weights(mask: Tensor, aggregation: str, budget: int = 1) -> Tensor:
    """Weights over the tokens of the loss, [B, T] as `mask`; but for `constant` they sum to 1.

    token_mean: every token counts the same (DAPO, 3.3). sequence_mean: every completion does, and
    its tokens share its weight (GRPO, eq. 3). constant: every token counts 1 / (completions x
    budget), whatever the lengths (Dr. GRPO, arXiv 2503.20783, 3.2 and listing 1).
    """
    if aggregation == "token_mean":
        return mask / mask.sum().clamp(min=1)
    lengths = mask.sum(dim=1, keepdim=True)
    rows = (lengths > 0).sum().clamp(min=1)
    if aggregation == "constant":
        return mask / (rows * budget)
    return mask / lengths.clamp(min=1) / rows


def entropy(logprobs: Tensor) -> Tensor:
    """-sum p log p over the vocabulary, in nats: [B, T, V] to [B, T]."""
    return -(logprobs.exp() * logprobs).sum(dim=-1)


def in_band(success: dict[int, float], levels: list[int], band: list[float] | None) -> list[float]:
    """Draw weights of levels: 4 where the running success rate lies in the band, else 1.

    A level that has not been seen yet counts as inside. After the 0.2-0.8 windows of RLVE and
    SPEED-RL; a weight, not a filter, so that no level is ever forgotten.
    """
    if band is None:
        return [1.0] * len(levels)
    low, high = band
    return [4.0 if low <= success.get(level, low) <= high else 1.0 for level in levels]


def running_success(before: float | None, now: float) -> float:
    """Exponential average with weight 0.2 on the newest batch."""
    return now if before is None else 0.8 * before + 0.2 * now
