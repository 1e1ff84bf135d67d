"""A list of the policy's words, played in an episode: the sequence a policy would have seen."""

from collections.abc import Sequence
from dataclasses import dataclass

from evotrainer.domains import Domain, Submission, Task


@dataclass(frozen=True)
class Shown:
    """The words of a whole episode; `own` marks the ones that the policy chose."""

    words: tuple[str, ...]
    own: tuple[bool, ...]
    submission: Submission
    terminated: bool


def show(domain: Domain, task: Task, chosen: Sequence[str]) -> Shown:
    """Play `chosen` word by word; words after the episode's end are left out."""
    episode = domain.episode(task)
    words = list(episode.reset())
    own = [False] * len(words)
    for word in chosen:
        if episode.done:
            break
        seen = episode.act(word)
        words += [word, *seen]
        own += [True, *[False] * len(seen)]
    return Shown(tuple(words), tuple(own), episode.submit(), episode.done)
