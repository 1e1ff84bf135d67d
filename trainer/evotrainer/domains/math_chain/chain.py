"""The arithmetic of a chain, as the generator and the training graders see it: words."""

from collections.abc import Sequence
from itertools import pairwise

OPERATIONS = ("+", "-", "*")


def apply(left: str, operation: str, right: str) -> str:
    a, b = int(left), int(right)
    return str((a + b if operation == "+" else a - b if operation == "-" else a * b) % 10)


def chain_value(words: Sequence[str]) -> str:
    """From left to right, without precedence: `7 * 4 - 9` is 9."""
    value = words[0]
    for position in range(1, len(words), 2):
        value = apply(value, words[position], words[position + 1])
    return value


def marked_answers(words: Sequence[str]) -> list[str]:
    """Every digit that directly follows a `#`, in order."""
    return [word for mark, word in pairwise(words) if mark == "#" and word.isdigit()]
