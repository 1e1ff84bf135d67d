"""A repository of small functions and one test file: its text, its values, and patches.

F3 (- F2): F2 + 4    documented: argument F2, operator -; the code differs
F3(2) == 7           an assertion of the test file
"""

from collections.abc import Mapping
from dataclasses import dataclass

OPERATORS = ("+", "-", "*")
DIGITS = tuple(str(digit) for digit in range(10))
INPUT = "X"
SYMBOLS = tuple(f"F{number}" for number in range(18))
SOURCES = tuple(f"src/{letter}" for letter in "abcdef")
TESTS = "tests"
PATHS = (*SOURCES, TESTS)

NOTHING = (None,) * 10
CONSTANT = {digit: (digit,) * 10 for digit in DIGITS}
COMPUTE = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
RESULTS = {
    (operator, left, right): str(COMPUTE[operator](int(left), int(right)) % 10)
    for operator in OPERATORS
    for left in DIGITS
    for right in DIGITS
}


@dataclass(frozen=True)
class Function:
    """`operator` and `argument` are documented; `body` is the code: operand, operator, operand."""

    name: str
    operator: str
    argument: str
    body: tuple[str, str, str]

    def tokens(self) -> list[str]:
        return [self.name, self.operator, self.argument, ":", *self.body]

    def text(self) -> str:
        return f"{self.name} ({self.operator} {self.argument}): {' '.join(self.body)}"


@dataclass(frozen=True)
class Assertion:
    function: str
    given: str
    expected: str

    @property
    def call(self) -> str:
        return f"{self.function}({self.given})"

    def tokens(self) -> list[str]:
        return [self.function, self.given, "=", self.expected]

    def text(self) -> str:
        return f"{self.call} == {self.expected}"


# Lines by path. Trees are replaced, never changed in place.
Tree = Mapping[str, tuple[Function | Assertion, ...]]


def replace_line(tree: Tree, path: str, line: int, new: Function | Assertion) -> Tree:
    lines = tree[path]
    return {**tree, path: (*lines[: line - 1], new, *lines[line:])}


def functions_of(tree: Tree) -> dict[str, Function]:
    return {
        line.name: line for lines in tree.values() for line in lines if isinstance(line, Function)
    }


def assertions_of(tree: Tree) -> list[Assertion]:
    return [line for line in tree[TESTS] if isinstance(line, Assertion)]


def location_of(tree: Tree, name: str) -> tuple[str, int] | None:
    """Path and line (from 1) of a function's definition."""
    for path, lines in tree.items():
        for number, line in enumerate(lines, start=1):
            if isinstance(line, Function) and line.name == name:
                return path, number
    return None


Value = str | None


def values_of(tree: Tree) -> dict[str, tuple[Value, ...]]:
    """Every function's values on 0 to 9, which are the whole meaning of a repository.

    None where calls never end or go to an unknown function. It always ends and never raises.
    """
    functions = functions_of(tree)
    known: dict[str, tuple[Value, ...]] = {}
    for name in functions:
        _fill(name, functions, known)
    return known


def _fill(name: str, functions: Mapping[str, Function], known: dict[str, tuple]) -> tuple:
    if name in known or name not in functions:
        return known.get(name, NOTHING)
    # A call that gets back here before the values are filled in is circular.
    known[name] = NOTHING
    left, operator, right = functions[name].body
    columns = [
        DIGITS if operand == INPUT else CONSTANT.get(operand) or _fill(operand, functions, known)
        for operand in (left, right)
    ]
    known[name] = tuple(RESULTS.get((operator, *pair)) for pair in zip(*columns, strict=True))
    return known[name]


def failing(tree: Tree, tests: list[Assertion]) -> list[tuple[int, Assertion, Value]]:
    """(line, assertion, observed value) of the tests that fail."""
    values = values_of(tree)
    seen = [values[test.function][int(test.given)] for test in tests]
    return [
        (number, test, value)
        for number, (test, value) in enumerate(zip(tests, seen, strict=True), start=1)
        if value != test.expected
    ]


def changed_lines(before: Tree, after: Tree) -> list[tuple[str, int, Function | Assertion]]:
    return [
        (path, number, new)
        for path in sorted(after)
        for number, (old, new) in enumerate(zip(before[path], after[path], strict=True), start=1)
        if old != new
    ]


def write_patch(before: Tree, after: Tree) -> str:
    """One line `path:line: new text` per change, sorted by path and line; empty without changes."""
    lines = changed_lines(before, after)
    return "\n".join(f"{path}:{number}: {new.text()}" for path, number, new in lines)


def read_patch(before: Tree, patch: str) -> Tree | None:
    """The patched tree; None where this is not a canonical patch of `before`."""
    tree = before
    for row in patch.split("\n") if patch else []:
        path, _, rest = row.partition(":")
        number, _, text = rest.partition(": ")
        lines = tree.get(path, ())
        if number not in DIGITS or not 1 <= int(number) <= len(lines):
            return None
        new = _read_line(lines[int(number) - 1], text)
        if new is None:
            return None
        tree = replace_line(tree, path, int(number), new)
    return tree if write_patch(before, tree) == patch else None


def _read_line(old: Function | Assertion, text: str) -> Function | Assertion | None:
    """Only a function's body and an assertion's value can change."""
    if isinstance(old, Assertion):
        value = text[-1:]
        new = Assertion(old.function, old.given, value)
        return new if value in DIGITS and new.text() == text else None
    tokens = text.rpartition(": ")[2].split(" ")
    if len(tokens) != 3 or not is_body(tokens):
        return None
    new = Function(old.name, old.operator, old.argument, (tokens[0], tokens[1], tokens[2]))
    return new if new.text() == text else None


def is_operand(token: str) -> bool:
    return token == INPUT or token in DIGITS or token in SYMBOLS


def is_body(tokens: list[str]) -> bool:
    return is_operand(tokens[0]) and tokens[1] in OPERATORS and is_operand(tokens[2])
