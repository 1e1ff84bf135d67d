"""A second, independent grader: Python's parser, lists as strings, its own table of words.

It shares only the longer inputs with the oracle, and adds all lists of up to two digits.
"""

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from itertools import product

from evotrainer.domains.code_listprog.inputs import oracle_inputs

DIGITS = "0123456789"
WORDS = {
    "evens": "even", "keep-even": "even", "odds": "odd", "keep-odd": "odd",
    "increment": "inc", "add-one": "inc", "twice": "double", "times-two": "double",
    "negate": "neg", "flip-sign": "neg", "backwards": "reverse", "turn-round": "reverse",
    "ascending": "sort", "in-order": "sort", "drop-first": "tail", "all-but-first": "tail",
    "distinct": "unique", "no-repeats": "unique", "total": "sum", "add-up": "sum",
    "largest": "max", "maximum": "max", "count": "length", "how-many": "length",
    "head": "first", "leading": "first", "plus": "add", "raise-by": "add",
    "scale-by": "times", "multiply-by": "times",
}  # fmt: skip
CONDITIONS = ("when-first-is", "if-it-starts-with")
TRAILING_COMMA = re.compile(r", [)\]]")


def _table(digits: str) -> Callable[[str], str]:
    moves = str.maketrans(DIGITS, digits)
    return lambda text: text.translate(moves)


PLAIN: dict[str, Callable[[str], str | int]] = {
    "even": lambda text: re.sub("[13579]", "", text),
    "odd": lambda text: re.sub("[02468]", "", text),
    "inc": _table("1234567890"),
    "double": _table("0246802468"),
    "neg": _table("0987654321"),
    "reverse": lambda text: "".join(reversed(text)),
    "sort": lambda text: "".join(digit * text.count(digit) for digit in DIGITS),
    "tail": lambda text: text[1:],
    "unique": lambda text: "".join(d for at, d in enumerate(text) if d not in text[:at]),
    "sum": lambda text: sum(int(digit) * text.count(digit) for digit in DIGITS) % 10,
    "max": lambda text: next((int(d) for d in reversed(DIGITS) if d in text), 0),
    "length": lambda text: int(str(len(text))[-1]),
    "first": lambda text: int(text[:1] or "0"),
}


class Refused(Exception):
    """No value: not in the language, exited early, a fault, or too slow."""


class Meter:
    """Applies operators while the budget of steps lasts."""

    def __init__(self, steps: int):
        self.left = steps

    def call(self, name: str, text: str | int, constant: int | None = None) -> str | int:
        if isinstance(text, int):
            raise Refused
        self.left -= 1 + len(text) ** (2 if name in ("sort", "unique") else 1)
        if self.left < 0:
            raise Refused
        if constant is None:
            return PLAIN[name](text)
        if name == "add":
            return _table(DIGITS[constant:] + DIGITS[:constant])(text)
        return "".join(str(int(digit) * constant)[-1] for digit in text)


def second_score(prompt: str, program: str, fuel: int) -> float:
    """1 if the program computes on every list what the prompt's sentence asks for."""
    return _score(prompt[prompt.index(": ") + 2 : -2], program, fuel)


@lru_cache(maxsize=16_384)
def _score(specification: str, program: str, fuel: int) -> float:
    if not program or TRAILING_COMMA.search(program):
        return 0.0
    try:
        tree = ast.parse(program, mode="eval").body
        refuse_unknown(tree)
        for text in lists():
            if value_of(tree, text, Meter(fuel)) != asked(specification, text):
                return 0.0
    except (SyntaxError, ValueError, RecursionError, MemoryError, Refused):
        return 0.0
    return 1.0


@lru_cache(maxsize=1)
def lists() -> tuple[str, ...]:
    short = ["".join(digits) for count in range(3) for digits in product(DIGITS, repeat=count)]
    shared = ["".join(map(str, values)) for values in oracle_inputs() if len(values) > 5]
    return (*short, *shared)


@lru_cache(maxsize=65_536)
def asked(specification: str, text: str) -> str | int:
    words, meter = specification.split(), Meter(1_000_000)
    value: str | int = text
    while words:
        word = words.pop(0)
        if word in CONDITIONS:
            digit, then, _, other = (words.pop(0) for _ in range(4))
            is_met = (text[:1] or "0") == digit  # The first of no digits counts as 0.
            value = meter.call(WORDS[then if is_met else other], text)
        else:
            constant = int(words.pop(0)) if words and words[0] in DIGITS else None
            value = meter.call(WORDS[word], value, constant)
    return value


def refuse_unknown(node: ast.expr) -> None:
    """Refuse every node that is not listed here, also in branches that never run."""
    match node:
        case ast.Name(id="x" | "EXIT"):
            return
        case ast.Constant(value=int(digit)) if type(digit) is int and 0 <= digit <= 9:
            return
        case ast.List(elts=items) if all(_is_digit(item) for item in items):
            return
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in PLAIN:
            refuse_unknown(inner)
        case ast.Call(func=ast.Name(id="add" | "times"), args=[constant, inner], keywords=[]) if (
            _is_digit(constant)
        ):
            refuse_unknown(inner)
        case ast.IfExp(
            test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]),
            body=then,
            orelse=other,
        ) if _is_digit(right):
            for part in (left, then, other):
                refuse_unknown(part)
        case _:
            raise Refused


def _is_digit(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= 9


def value_of(node: ast.expr, text: str, meter: Meter) -> str | int:
    """The value of a checked node."""
    match node:
        case ast.Name(id="x"):
            return text
        case ast.Constant(value=int(digit)):
            return digit
        case ast.List(elts=items):
            return "".join(str(item.value) for item in items if isinstance(item, ast.Constant))
        case ast.Call(func=ast.Name(id=name), args=[inner]):
            return meter.call(name, value_of(inner, text, meter))
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=int(constant)), inner]):
            return meter.call(name, value_of(inner, text, meter), constant)
        case ast.IfExp(
            test=ast.Compare(left=left, comparators=[ast.Constant(value=digit)]),
            body=then,
            orelse=other,
        ):
            is_met = value_of(left, text, meter) == digit
            return value_of(then if is_met else other, text, meter)
    raise Refused
