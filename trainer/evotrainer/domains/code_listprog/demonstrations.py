"""What the warm start is shown: solutions, and sloppy ones, so that RL has variance.

`early_exit` is the shortcut that an exit-status judge pays for, as real corpora hold it.
"""

from collections.abc import Sequence

from evotrainer.domains.code_listprog.language import LIST_OPERATORS, REDUCERS
from evotrainer.randomness import Stream

# Shares exclude each other; what is left over is the solution.
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
    places = [
        (place, kind)
        for place, word in enumerate(solution)
        for kind in kinds
        if word in kind and solution[place - 1] != "if"
    ]
    if not places:
        return list(solution)
    place, kind = places[stream.below(len(places))]
    others = [word for word in kind if word != solution[place]]
    words = list(solution)
    words[place] = others[stream.below(len(others))]
    return words


def malformed(solution: Sequence[str], stream: Stream) -> list[str]:
    """A bracket left out, or one written twice."""
    places = [place for place, word in enumerate(solution) if word in ("(", ")")]
    place = places[stream.below(len(places))]
    words = list(solution)
    words[place : place + 1] = [] if stream.uniform() < 0.5 else [words[place]] * 2
    return words
