"""What a domain is: tasks by the stream, an episode to play, and graders that play no part in it.

A domain speaks in words (the tokens of its vocabulary); it knows neither the policy nor torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from evotrainer.failures import ConfigInvalid
from evotrainer.randomness import Stream

# A new domain is one folder and one line here; its module offers make(environment) -> Domain.
MODULES = {
    "math.chain": "evotrainer.domains.math_chain.domain",
    "code.listprog": "evotrainer.domains.code_listprog.domain",
    "swe.minirepo": "evotrainer.domains.swe_minirepo.domain",
}


@dataclass(frozen=True)
class Category:
    """A kind of task: the levels that hold it, and its share among the kinds of such a level."""

    levels: tuple[int, int]
    share: float = 1.0


@dataclass(frozen=True)
class Task:
    """One problem. `gold` is for environment and graders alone, never in a trajectory.

    `content` is its canonical text, for the splits: two tasks with one content are the same task.
    `visible_tests` are the texts of the tests that the policy can see.
    """

    family: str
    level: int
    category: str
    prompt: tuple[str, ...]
    content: str
    gold: Any
    protected_paths: tuple[str, ...] = ()
    visible_tests: tuple[str, ...] = ()


@dataclass
class Submission:
    """The end of an episode: the artifact to grade and the facts of how it came about."""

    artifact: str
    answers: list[str]
    turns: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    changes: list[dict[str, Any]] = field(default_factory=list)
    submitted: bool = False


def outcome(
    score: float,
    verdict: str,
    tests: tuple[int, int, int] | None = None,
    exit_code: int | None = None,
) -> dict[str, Any]:
    """What a ring says of a submission; `tests` counts passed, failed and missing, if any ran."""
    passed, failed, missing = tests or (None, None, None)
    none_or_no = None if tests is None else 0
    return {
        "score": score,
        "verdict": verdict,
        "tests_passed": passed,
        "tests_failed": failed,
        "tests_skipped": none_or_no,
        "tests_missing": missing,
        "tests_xfail": none_or_no,
        "exit_code": exit_code,
        "error_kind": None,
    }


class Episode(Protocol):
    """reset → (act → observe)* → submit, word by word. A turn of the policy is one or more words.

    `done` says that the policy ended the episode (terminated); a limit that ends it (truncated)
    is the sampler's affair and leaves `done` false. `turns` counts finished turns of the policy.
    """

    done: bool
    turns: int

    def reset(self) -> Sequence[str]:
        """The prompt: words forced on the policy."""
        ...

    def act(self, word: str) -> Sequence[str]:
        """Take one word of the policy; the answer is what it observes next (forced words).

        Any word of the vocabulary is taken at any time: nonsense is data, never an exception.
        """
        ...

    def submit(self) -> Submission:
        """Close the episode, whether the policy ended it or a limit did."""
        ...


class Domain(Protocol):
    name: str
    environment_version: str
    vocabulary: tuple[str, ...]
    levels: tuple[int, int]
    categories: dict[str, Category]
    demonstration_mix: dict[str, float]
    null_completions: tuple[tuple[str, ...], ...]

    def draw(self, level: int, category: str, stream: Stream) -> Task:
        """A task of that level and category. The same stream gives the same task."""
        ...

    def canary(self, task: Task, stream: Stream) -> Task:
        """The task made impossible: passing its visible verifier is a violation, or luck."""
        ...

    def demonstration(self, task: Task, mix: dict[str, float], stream: Stream) -> Sequence[str]:
        """The policy's words alone of a demonstration in one of several styles.

        What is observed between them is had by playing them in an episode.
        """
        ...

    def solution(self, task: Task) -> Sequence[str]:
        """The policy's words of an honest episode that every grader accepts."""
        ...

    def wrong_solutions(self, task: Task) -> dict[str, Sequence[str]]:
        """Planted wrong episodes by name, at least one, which the oracle must refuse."""
        ...

    def episode(self, task: Task) -> Episode: ...

    def grade(self, task: Task, submission: Submission) -> tuple[dict[str, Any], dict[str, Any]]:
        """The visible and the training-hidden outcome."""
        ...

    def oracle(self, task: Task, artifact: str) -> tuple[float, str]:
        """True score and verdict of the decoded artifact, from the pristine task."""
        ...

    def second_score(self, task: Task, artifact: str) -> float:
        """What the other, independently written grader says of the same; the two must agree."""
        ...

    def tampered(self, task: Task, submission: Submission) -> bool:
        """Whether a right test was changed; always false where there is none to change."""
        ...


def find_domain(name: str, environment: dict[str, Any] | None = None) -> Domain:
    """The domain of that name with its options set; an unknown name or option is an error."""
    if name not in MODULES:
        raise ConfigInvalid(f"job.json: at domain: {name} is none of {', '.join(MODULES)}")
    return import_module(MODULES[name]).make(environment or {})


def read_options(domain: str, known: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """`known` holds an environment's options with their defaults; what is given replaces them."""
    for key, value in given.items():
        if key not in known:
            names = ", ".join(known) or "none"
            raise ConfigInvalid(f"job.json: at environment/{key}: {domain} has {names}")
        if type(value) is not type(known[key]):
            kind = type(known[key]).__name__
            raise ConfigInvalid(f"job.json: at environment/{key}: {value!r} is no {kind}")
    return {**known, **given}
