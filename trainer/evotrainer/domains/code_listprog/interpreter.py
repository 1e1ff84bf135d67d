"""A total evaluator: on every list, every program ends with a value or with one of three faults.

Digit arithmetic is modulo 10. `tail` of an empty list is empty, `max` and `first` of one are 0.
An operator costs one step plus one per element that it reads; `sort` and `unique` compare every
element with every other.
"""

from collections.abc import Sequence

from evotrainer.domains.code_listprog.language import MAPS, REDUCERS, Tree

FUEL = 20_000
QUADRATIC = ("sort", "unique")
Value = tuple[int, ...] | int


class Exit(Exception):
    """The program exited with success and without a value."""


class Fault(Exception):
    """An operator got a number where it needs a list, a TypeError in Python."""


class OutOfFuel(Exception):
    """The step budget is spent."""


class Machine:
    """One evaluation under one budget of steps."""

    def __init__(self, values: Sequence[int], fuel: int = FUEL):
        self.input = tuple(values)
        self.fuel = fuel

    def value(self, tree: Tree) -> Value:
        kind = tree[0]
        if kind == "x":
            return self.input
        if kind in ("digit", "list"):
            return tree[1]
        if kind == "exit":
            raise Exit
        if kind == "call":
            return self.apply(tree[1], self.value(tree[2]))
        if kind == "map":
            return self.apply(tree[1], self.value(tree[3]), tree[2])
        is_met = self.value(tree[1]) == tree[2]
        return self.value(tree[3] if is_met else tree[4])

    def apply(self, name: str, values: Value, constant: int = 0) -> Value:
        if not isinstance(values, tuple):
            raise Fault(name)
        count = len(values)
        self.fuel -= 1 + (count * count if name in QUADRATIC else count)
        if self.fuel < 0:
            raise OutOfFuel
        if name in REDUCERS:
            return reduce_list(name, values)
        if name in MAPS or name in ("add", "times"):
            return map_list(name, values, constant)
        return arrange(name, values)


def reduce_list(name: str, values: tuple[int, ...]) -> int:
    if name == "sum":
        return sum(values) % 10
    if name == "length":
        return len(values) % 10
    if not values:
        return 0
    return max(values) if name == "max" else values[0]


def map_list(name: str, values: tuple[int, ...], constant: int) -> tuple[int, ...]:
    if name == "inc":
        return tuple((value + 1) % 10 for value in values)
    if name == "double":
        return tuple(2 * value % 10 for value in values)
    if name == "neg":
        return tuple(-value % 10 for value in values)
    if name == "add":
        return tuple((value + constant) % 10 for value in values)
    return tuple(value * constant % 10 for value in values)


def arrange(name: str, values: tuple[int, ...]) -> tuple[int, ...]:
    if name == "even":
        return tuple(value for value in values if value % 2 == 0)
    if name == "odd":
        return tuple(value for value in values if value % 2 == 1)
    if name == "reverse":
        return values[::-1]
    if name == "sort":
        return tuple(sorted(values))
    if name == "tail":
        return values[1:]
    return tuple(dict.fromkeys(values))


def run(tree: Tree, values: Sequence[int], fuel: int = FUEL) -> tuple[str, Value | None]:
    """How a program ends on one input: ok with its value; or exit, error or timeout with None."""
    try:
        return "ok", Machine(values, fuel).value(tree)
    except Exit:
        return "exit", None
    except Fault:
        return "error", None
    except OutOfFuel:
        return "timeout", None
