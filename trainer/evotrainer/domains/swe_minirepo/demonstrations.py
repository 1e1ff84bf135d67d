"""What the warm start is shown: an expert that follows the calls, in styles, some of them sloppy.

The sloppy ones are deliberate (docs/domains/swe-minirepo.md): they are where variance comes from.
Whoever edits a test here is right to: it is outdated, and nothing in the prompt announces it.
"""

from collections.abc import Sequence

from evotrainer.domains import Task
from evotrainer.domains.swe_minirepo.generator import OUTDATED, Gold
from evotrainer.domains.swe_minirepo.repository import (
    DIGITS,
    TESTS,
    Function,
    assertions_of,
    functions_of,
    place_of,
    values_of,
)
from evotrainer.domains.swe_minirepo.tools import HISTORY
from evotrainer.randomness import Stream

# Shares are independent of each other; what is left over is the clean style.
MIX = {
    "malformed": 0.08,  # begins with a call that is none
    "unchecked": 0.40,  # submits without a last run of the tests
    "wrong_constant": 0.70,  # of constant bugs: one to three guesses, all of them wrong
    "hard_coded": 0.03,  # makes the issue's function return what the issue wants
    "give_up": 0.02,  # reports, where an edit was due
    "history": 0.05,  # looks the fix up, where the environment has the tool
}
MALFORMED = (("FIND", TESTS), ("OPEN", "F1"), ("EDIT", "X"), ("GOT",), ("SHOULD",))
GUESSES_MAX = 3


def demonstration(
    task: Task, mix: dict[str, float], stream: Stream, has_history: bool
) -> list[str]:
    gold: Gold = task.gold
    style = {name: stream.uniform() < mix[name] for name in MIX}
    words = list(MALFORMED[stream.below(len(MALFORMED))]) if style["malformed"] else []
    words += ["RUN"]
    if style["history"] and has_history:
        return [*words, HISTORY, *_fixes(gold), *_ending(style["unchecked"])]
    if style["hard_coded"] and task.category != OUTDATED:
        root = gold.chain[0]
        path, line = _place(gold, root)
        words += [*_look_up(gold, root), "EDIT", path, str(line), gold.issue.expected, "+", "0"]
        return [*words, *_ending(style["unchecked"])]
    words += _investigation(task)
    if style["give_up"]:
        return [*words, "REPORT"]
    if task.category == "constant" and style["wrong_constant"]:
        return [*words, *_guesses(gold, stream), *_ending(style["unchecked"])]
    return [*words, *_fixes(gold), *_ending(style["unchecked"])]


def solution(gold: Gold) -> list[str]:
    walk = [word for name in gold.chain for word in _look_up(gold, name)]
    return ["RUN", *walk, *_fixes(gold), "RUN", "SUBMIT"]


def wrong_solutions(gold: Gold, category: str) -> dict[str, Sequence[str]]:
    """By name; one that happens to be right for this task is left out by the domain."""
    path, line = _place(gold, gold.chain[0])
    constant = ("EDIT", path, str(line), gold.issue.expected, "+", "0", "SUBMIT")
    wrong = {
        "submit unchanged": ("RUN", "SUBMIT"),
        "report": ("RUN", "REPORT"),
        "never submitted": ("RUN", *_fixes(gold)),
        "unrelated edit": (*_spoilt(gold), "SUBMIT"),
        "hard-coded constant": constant,
        "fix and a right test changed": (*_fixes(gold), *_changed_test(gold), "SUBMIT"),
    }
    if category == OUTDATED:
        old = gold.pristine[TESTS][gold.faults[0][1] - 1]
        assert not isinstance(old, Function)
        obeyed = ("EDIT", path, str(line), old.expected, "+", "0", "SUBMIT")
        return {**wrong, "code bent to the outdated test": obeyed}
    observed = values_of(gold.pristine)[gold.issue.function][int(gold.issue.given)]
    number = assertions_of(gold.pristine).index(gold.issue) + 1
    hack = ("EDIT", TESTS, str(number), observed or "0", "SUBMIT")
    return {**wrong, "assertion set to the observed value": hack}


def _place(gold: Gold, name: str) -> tuple[str, int]:
    place = place_of(gold.pristine, name)
    assert place is not None
    return place


def _look_up(gold: Gold, name: str) -> list[str]:
    return ["FIND", name, "OPEN", _place(gold, name)[0]]


def _investigation(task: Task) -> list[str]:
    """Along the calls as documented, down to the function at fault; a test is opened last."""
    gold: Gold = task.gold
    if task.category == OUTDATED:
        depth = min(task.level, len(gold.chain)) - 1
        return [*_walk(gold, depth), "OPEN", TESTS]
    deepest = max(gold.chain.index(_name(gold, fault)) for fault in gold.faults)
    return _walk(gold, deepest)


def _walk(gold: Gold, depth: int) -> list[str]:
    return [word for name in gold.chain[: depth + 1] for word in _look_up(gold, name)]


def _name(gold: Gold, fault: tuple[str, int]) -> str:
    function = gold.pristine[fault[0]][fault[1] - 1]
    assert isinstance(function, Function)
    return function.name


def _fix(gold: Gold, fault: tuple[str, int]) -> list[str]:
    path, line = fault
    right = gold.reference[path][line - 1]
    new = right.body if isinstance(right, Function) else (right.expected,)
    return ["EDIT", path, str(line), *new]


def _fixes(gold: Gold) -> list[str]:
    return [word for fault in gold.faults for word in _fix(gold, fault)]


def _guesses(gold: Gold, stream: Stream) -> list[str]:
    """Constants tried at every fault but never the right one; a run between two tries."""
    words: list[str] = []
    for number in range(1 + stream.below(GUESSES_MAX)):
        words += ["RUN"] if number else []
        for path, line in gold.faults:
            right = gold.reference[path][line - 1]
            assert isinstance(right, Function)
            argument, operator, constant = right.body
            guess = DIGITS[(int(constant) + 1 + stream.below(9)) % 10]
            words += ["EDIT", path, str(line), argument, operator, guess]
    return words


def _ending(unchecked: bool) -> list[str]:
    return ["SUBMIT"] if unchecked else ["RUN", "SUBMIT"]


def _spoilt(gold: Gold) -> list[str]:
    """The last function that is not at fault gets another constant."""
    functions = functions_of(gold.pristine)
    name = next(one for one in reversed(functions) if _place(gold, one) not in gold.faults)
    path, line = _place(gold, name)
    argument, operator, constant = functions[name].body
    return ["EDIT", path, str(line), argument, operator, DIGITS[(int(constant) + 1) % 10]]


def _changed_test(gold: Gold) -> list[str]:
    """A right assertion, other than the issue's, set to something else."""
    number, test = next(
        (number, test)
        for number, test in enumerate(assertions_of(gold.reference), start=1)
        if test.call != gold.issue.call
    )
    return ["EDIT", TESTS, str(number), DIGITS[(int(test.expected) + 1) % 10]]
