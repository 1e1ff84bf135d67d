"""Rewriting of pipelines: two with one normal form compute the same; the reverse need not hold.

Each rule shortens a pipeline or moves a cheap step to the front (filters before all, so that what
is sorted is short), hence rewriting ends.
"""

from evotrainer.domains.code_listprog.language import FILTERS
from evotrainer.domains.code_listprog.specification import Step, Steps

NOTHING: Steps = (("nothing",),)
MAPS = ("inc", "double", "neg", "add", "times")
# In application order: what two neighbours become. Maps count modulo 10.
IDEMPOTENT = ("even", "odd", "sort", "unique")
INVOLUTIONS = ("neg", "reverse")
ABSORBED = {
    "max": ("reverse", "sort", "unique"),
    "sum": ("reverse", "sort"),
    "length": ("reverse", "sort", *MAPS),
    "first": ("unique",),
    "sort": ("reverse",),
}


def normal_form(steps: Steps) -> Steps:
    """Rewritten until no rule applies; NOTHING where every list becomes empty."""
    steps, place = tuple(steps), 0
    while place < len(steps) - 1:
        pair = rewrite(steps[place], steps[place + 1])
        if pair is None:
            place += 1
        elif pair == NOTHING:
            return NOTHING
        else:
            steps = (*steps[:place], *pair, *steps[place + 2 :])
            place = max(0, place - 1)
    return steps


def rewrite(first: Step, second: Step) -> Steps | None:
    """Two neighbouring steps in normal form, None where they are already."""
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
    return (second, first) if a in (*MAPS, "unique", "sort", "reverse") else None


def _is_moved(a: str, b: str) -> bool:
    """Whether b commutes with the a before it and goes first."""
    if b in MAPS and a in ("reverse", "tail"):
        return True
    if b in ("inc", "neg", "add") and a == "unique":
        return True  # Only maps that keep digits apart.
    return (a, b) in (("neg", "double"), ("neg", "times"), ("times", "double"), ("sort", "unique"))
