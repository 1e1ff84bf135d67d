"""SNR-aware filter: keep the groups whose rewards differ most, for low variance is mostly noise.

top_p: RAGEN-2 (arXiv:2604.06268) with its linear rule. Groups by falling standard deviation (what
its code calls reward_variance) until their sum reaches value * total - selection_eps.
top_k: StarPO-S (RAGEN, arXiv:2504.20073), the upper share of all groups by the same measure.
Groups without variance are no candidates in either.
"""

from typing import Any

from evotrainer.grpo import ZERO_VARIANCE


def kept_groups(stds: list[float], settings: dict[str, Any]) -> list[bool]:
    """Of each group whether it stays; equal ones in the order of their prompts."""
    live = [index for index, std in enumerate(stds) if std >= ZERO_VARIANCE]
    ranked = sorted(live, key=lambda index: (-stds[index], index))
    if settings["strategy"] == "top_k":
        chosen = ranked[: max(1, int(settings["value"] * len(stds)))]
    elif settings["value"] == 1:
        chosen = ranked
    else:
        chosen = _until(ranked, stds, settings)
    kept = set(chosen)
    return [index in kept for index in range(len(stds))]


def _until(ranked: list[int], stds: list[float], settings: dict[str, Any]) -> list[int]:
    enough = settings["value"] * sum(stds[index] for index in ranked) - settings["selection_eps"]
    reached, chosen = 0.0, []
    for index in ranked:
        if reached >= enough:
            break
        reached += stds[index]
        chosen.append(index)
    return chosen
