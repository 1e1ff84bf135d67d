"""Planted wrong programs, which graders must refuse, but for those that a task happens to allow."""

from collections.abc import Sequence

from evotrainer.domains.code_listprog.generator import Gold, value_words
from evotrainer.domains.code_listprog.graders import oracle
from evotrainer.domains.code_listprog.language import LIST_OPERATORS, REDUCERS
from evotrainer.domains.code_listprog.specification import is_typed, program_of


def wrong_programs(gold: Gold, solution: Sequence[str]) -> dict[str, Sequence[str]]:
    steps, last = gold.steps, gold.steps[-1]
    kind = REDUCERS if last[0] in REDUCERS else LIST_OPERATORS
    output = value_words(gold.examples[0][1])
    literal = " , ".join(output[1:-1]).split()
    planted = {
        "another operator": _other(gold, [program_of([*steps[:-1], (op,)]) for op in kind]),
        "a missing step": _other(gold, [program_of(steps[1:]), program_of(steps[:-1])]),
        "the order of the specification": _other(
            gold, [program_of(steps[::-1])] if is_typed(steps[::-1]) else []
        ),
        "early exit": ["EXIT"],
        "exit inside": ["EXIT" if word == "x" else word for word in solution],
        "the first example's output": output if len(output) == 1 else ["[", *literal, "]"],
        "a constant": ["0"],
        "an unclosed bracket": list(solution[:-1]),
    }
    whole = {name: [*words, "END"] for name, words in planted.items() if words}
    return {**whole, "no end": list(solution)}


def _other(gold: Gold, programs: list[list[str]]) -> list[str] | None:
    """The first that is wrong; a replaced step may do the same on this task."""
    return next((words for words in programs if oracle(gold, " ".join(words))[0] == 0), None)
