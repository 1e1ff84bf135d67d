"""Guidance: on some prompts the first words of a right solution are forced, less each step.

After GHPO (arXiv:2507.10628), which prefixes prompts that a policy always fails with a part of
their solution. Here a share of prompts is drawn, so that what a prompt meets does not depend on
the policy, and all samples of a prompt share the prefix, so that their baseline is that of one
state. Forced words are played in the episode, are not sampled and carry no loss.
"""

from collections.abc import Sequence
from typing import Any

from evotrainer.domains import Domain, Task
from evotrainer.randomness import Stream


def forced_share(settings: dict[str, Any], step: int) -> float:
    """prefix * (1 - (step - 1) / anneal_steps), never below zero; steps count from 1."""
    return settings["prefix"] * max(0.0, 1 - (step - 1) / settings["anneal_steps"])


def forced_words(
    domain: Domain, task: Task, seed: int, settings: dict[str, Any] | None, step: int
) -> Sequence[str]:
    """The words to force on every sample of a prompt, by the draw that belongs to the prompt."""
    if settings is None or Stream(seed).uniform() >= settings["share"]:
        return ()
    words = domain.solution(task)
    return words[: int(forced_share(settings, step) * len(words))]
