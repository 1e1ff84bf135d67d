"""Rewriting of pipelines: equal normal forms compute the same; the converse need not hold.

Each rule shortens a pipeline or moves a cheap step to the front (filters first, so that less is
sorted), hence rewriting ends.
"""

from evotrainer.domains.code_listprog.language import CONSTANT_MAPS, FILTERS, MAPS
from evotrainer.domains.code_listprog.specification import Step, Steps

NOTHING: Steps = (("nothing",),)
ALL_MAPS = (*MAPS, *CONSTANT_MAPS)
# Rules for two neighboring steps, in the order of application. Maps compute modulo 10.
IDEMPOTENT = ("even", "odd", "sort", "unique")
INVOLUTIONS = ("neg", "reverse")
ABSORBED = {
    "max": ("reverse", "sort", "unique"),
    "sum": ("reverse", "sort"),
    "length": ("reverse", "sort", *ALL_MAPS),
    "first": ("unique",),
    "sort": ("reverse",),
}


def normal_form(steps: Steps) -> Steps:
    """Rewritten until no rule applies; NOTHING where every list becomes empty."""
    steps, index = tuple(steps), 0
    while index < len(steps) - 1:
        pair = rewrite(steps[index], steps[index + 1])
        if pair is None:
            index += 1
        elif pair == NOTHING:
            return NOTHING
        else:
            steps = (*steps[:index], *pair, *steps[index + 2 :])
            index = max(0, index - 1)
    return steps


def rewrite(first: Step, second: Step) -> Steps | None:
    """Two neighboring steps rewritten; None where no rule applies."""
    a, b = first[0], second[0]
    if a == b and a in IDEMPOTENT:
        return (first,)
    if a == b and a in INVOLUTIONS:
        return ()
    if a in ABSORBED.get(b, ()):
        return (second,)
    if a == "times" and b == "times" and second < first:
        return (second, first)
    if b in FILTERS:
        return _filter_first(first, second)
    return (second, first) if _is_moved(a, b) else None


def _filter_first(first: Step, second: Step) -> Steps | None:
    a, b = first[0], second[0]
    other = FILTERS[1 - FILTERS.index(b)]
    if a == other:
        return NOTHING
    factor = {"double": 2, "times": first[-1]}.get(a, 1)
    if factor % 2 == 0:
        return (first,) if b == "even" else NOTHING
    shift = {"inc": 1, "add": first[-1]}.get(a, 0)
    if shift % 2 == 1:
        return ((other,), first)
    return (second, first) if a in (*ALL_MAPS, "unique", "sort", "reverse") else None


def _is_moved(a: str, b: str) -> bool:
    """Whether b, which follows a, commutes with it and should go first."""
    if b in ALL_MAPS and a in ("reverse", "tail"):
        return True
    if b in ("inc", "neg", "add") and a == "unique":
        return True  # These maps never make two digits equal.
    return (a, b) in (("neg", "double"), ("neg", "times"), ("times", "double"), ("sort", "unique"))
