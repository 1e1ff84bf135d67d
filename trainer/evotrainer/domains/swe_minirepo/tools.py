"""The tools as the policy writes them: a name and a fixed number of words after it."""

from collections.abc import Sequence

from evotrainer.domains.swe_minirepo.repository import (
    DIGITS,
    OPERATORS,
    PATHS,
    SYMBOLS,
    TESTS,
    is_operand,
)

HISTORY = "LOG"
ENDS = ("SUBMIT", "REPORT")
ARGUMENTS = {
    "RUN": (),
    "FIND": ("symbol",),
    "OPEN": ("path",),
    "EDIT": ("path", "line"),  # then a value for a test, three words of a body for a source
    "REVERT": ("path",),
    HISTORY: (),
    "REPORT": (),
    "SUBMIT": (),
}
KINDS = {
    "RUN": "test",
    "FIND": "search",
    "OPEN": "read",
    "EDIT": "edit",
    "REVERT": "vcs",
    HISTORY: "vcs",
    "REPORT": "report",
    "SUBMIT": "submit",
}
FITS = {
    "symbol": lambda word: word in SYMBOLS,
    "path": lambda word: word in PATHS,
    "line": lambda word: word in DIGITS,
    "value": lambda word: word in DIGITS,
    "operand": is_operand,
    "operator": lambda word: word in OPERATORS,
}


def slots(words: Sequence[str]) -> tuple[str, ...]:
    """What the words after the tool's name have to be, as far as the call so far tells."""
    if words[0] == "EDIT" and len(words) > 1:
        rest = ("value",) if words[1] == TESTS else ("operand", "operator", "operand")
        return (*ARGUMENTS["EDIT"], *rest)
    return ARGUMENTS[words[0]]


def is_malformed(words: Sequence[str], has_history: bool) -> bool:
    """Whether no call begins with these words."""
    if words[0] not in ARGUMENTS or (words[0] == HISTORY and not has_history):
        return True
    return not all(FITS[slot](word) for slot, word in zip(slots(words), words[1:], strict=False))


def is_whole(words: Sequence[str]) -> bool:
    """Whether a call that is not malformed has all its words."""
    return len(words) == 1 + len(slots(words)) and (words[0] != "EDIT" or len(words) > 3)
