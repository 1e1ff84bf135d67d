"""The arithmetic of a chain over tokens, for the generator and the training graders."""

from collections.abc import Sequence
from itertools import pairwise

OPERATIONS = ("+", "-", "*")


def compute(left: str, operation: str, right: str) -> str:
    a, b = int(left), int(right)
    return str((a + b if operation == "+" else a - b if operation == "-" else a * b) % 10)


def chain_value(tokens: Sequence[str]) -> str:
    """From left to right, without precedence: `7 * 4 - 9` is 9."""
    value = tokens[0]
    for position in range(1, len(tokens), 2):
        value = compute(value, tokens[position], tokens[position + 1])
    return value


def marked_answers(tokens: Sequence[str]) -> list[str]:
    """Every digit that directly follows a `#`, in order."""
    return [token for mark, token in pairwise(tokens) if mark == "#" and token.isdigit()]
