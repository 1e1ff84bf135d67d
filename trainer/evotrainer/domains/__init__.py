"""What a domain is: tasks by the stream, an episode to play, and graders that play no part in it.

A domain speaks in words (the tokens of its vocabulary); it knows neither the policy nor torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from evotrainer.failures import ConfigInvalid
from evotrainer.randomness import Stream


@dataclass(frozen=True)
class Task:
    """One problem. `gold` is for graders alone; `content` is its canonical text, for the splits."""

    family: str
    level: int
    category: str
    prompt: tuple[str, ...]
    content: str
    gold: Any
    protected_paths: tuple[str, ...] = ()


@dataclass
class Submission:
    """The end of an episode: the artifact to grade and the facts of how it came about."""

    artifact: str
    answers: list[str]
    turns: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    changes: list[dict[str, Any]] = field(default_factory=list)
    submitted: bool = False


class Episode(Protocol):
    """reset → (act → observe)* → submit, word by word. A turn of the policy is many `act`s."""

    done: bool

    def reset(self) -> Sequence[str]:
        """The prompt: words forced on the policy."""
        ...

    def act(self, word: str) -> Sequence[str]:
        """Take one sampled word; the answer is what the policy observes next (forced words)."""
        ...

    def submit(self) -> Submission:
        """Close the episode, whether the policy ended it or a limit did."""
        ...


class Domain(Protocol):
    name: str
    environment_version: str
    vocabulary: tuple[str, ...]
    levels: tuple[int, int]
    categories: dict[str, tuple[int, int]]
    demonstration_mix: dict[str, float]
    null_completions: tuple[tuple[str, ...], ...]

    def draw(self, level: int, stream: Stream) -> Task: ...

    def canary(self, task: Task, stream: Stream) -> Task:
        """The same problem with a planted wrong gold, which no honest play should meet."""
        ...

    def demonstration(self, task: Task, mix: dict[str, float], stream: Stream) -> Sequence[str]: ...

    def episode(self, task: Task) -> Episode: ...

    def grade(self, task: Task, submission: Submission) -> tuple[dict[str, Any], dict[str, Any]]:
        """The visible and the training-hidden outcome."""
        ...

    def oracle(self, prompt: str, artifact: str) -> tuple[float, str]:
        """True score and verdict, from the decoded text of prompt and artifact alone."""
        ...

    def second_score(self, prompt: str, artifact: str) -> float:
        """What the other grader says of the same text; the two must agree."""
        ...


def find_domain(name: str) -> Domain:
    known = {"math.chain": "evotrainer.domains.math_chain.domain"}
    if name not in known:
        raise ConfigInvalid(f"job.json: at domain: {name} is none of {', '.join(known)}")
    return import_module(known[name]).DOMAIN
