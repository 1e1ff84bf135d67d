"""Wrong programs that graders must refuse; one that is right for a task is left out."""

from collections.abc import Sequence

from evotrainer.domains.code_listprog.generator import Gold, value_tokens
from evotrainer.domains.code_listprog.graders import oracle
from evotrainer.domains.code_listprog.language import LIST_OPERATORS, REDUCERS
from evotrainer.domains.code_listprog.specification import is_typed, program_of


def wrong_programs(gold: Gold, solution: Sequence[str]) -> dict[str, Sequence[str]]:
    steps, last = gold.steps, gold.steps[-1]
    kind = REDUCERS if last[0] in REDUCERS else LIST_OPERATORS
    output = value_tokens(gold.examples[0][1])
    literal = " , ".join(output[1:-1]).split()
    planted = {
        "another operator": _other(gold, [program_of([*steps[:-1], (op,)]) for op in kind]),
        "a missing step": _other(gold, [program_of(steps[1:]), program_of(steps[:-1])]),
        "the order of the specification": _other(
            gold, [program_of(steps[::-1])] if is_typed(steps[::-1]) else []
        ),
        "early exit": ["EXIT"],
        "exit inside": ["EXIT" if token == "x" else token for token in solution],
        "the first example's output": output if len(output) == 1 else ["[", *literal, "]"],
        "a constant": ["0"],
        "an unclosed bracket": list(solution[:-1]),
    }
    whole = {name: [*tokens, "END"] for name, tokens in planted.items() if tokens}
    return {**whole, "no end": list(solution)}


def _other(gold: Gold, programs: list[list[str]]) -> list[str] | None:
    """The first that is wrong: on this task a replaced step may compute the same."""
    return next((tokens for tokens in programs if oracle(gold, " ".join(tokens))[0] == 0), None)
