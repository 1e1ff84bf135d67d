"""Demonstrations of the warm start: solutions and sloppy programs, so that RL has variance.

`early_exit` is the shortcut that a judge of exit statuses pays for; real corpora contain it too.
"""

from collections.abc import Sequence

from evotrainer.domains.code_listprog.language import LIST_OPERATORS, REDUCERS
from evotrainer.randomness import Stream

# Shares of exclusive styles; the rest are solutions.
MIX = {
    "wrong_operator": 0.20,  # one operator replaced by another of its kind
    "malformed": 0.12,  # a bracket missing or too many
    "early_exit": 0.03,  # the program stops with success and computes nothing
}


def demonstration(
    solution: Sequence[str], mix: dict[str, float], repairs: int, stream: Stream
) -> list[str]:
    style = [*MIX, "solution"][stream.weighted([*mix.values(), max(0.0, 1 - sum(mix.values()))])]
    if style == "early_exit":
        return ["EXIT", "END"]
    if style == "malformed":
        return [*malformed(solution, stream), "END"]
    if style == "wrong_operator":
        retry = [*solution, "END"] if repairs > 0 else []
        return [*wrong_operator(solution, stream), "END", *retry]
    return [*solution, "END"]


def wrong_operator(solution: Sequence[str], stream: Stream) -> list[str]:
    kinds = (LIST_OPERATORS, REDUCERS)
    candidates = [
        (index, kind)
        for index, token in enumerate(solution)
        for kind in kinds
        if token in kind and solution[index - 1] != "if"
    ]
    if not candidates:
        return list(solution)
    index, kind = candidates[stream.below(len(candidates))]
    others = [token for token in kind if token != solution[index]]
    tokens = list(solution)
    tokens[index] = others[stream.below(len(others))]
    return tokens


def malformed(solution: Sequence[str], stream: Stream) -> list[str]:
    """The program with one bracket left out or doubled."""
    brackets = [index for index, token in enumerate(solution) if token in ("(", ")")]
    index = brackets[stream.below(len(brackets))]
    tokens = list(solution)
    tokens[index : index + 1] = [] if stream.uniform() < 0.5 else [tokens[index]] * 2
    return tokens
