"""The tools as the policy calls them: a name and a fixed number of tokens after it."""

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
    "EDIT": ("path", "line"),  # then a value for a test, three tokens of a body for a source
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
    "symbol": lambda token: token in SYMBOLS,
    "path": lambda token: token in PATHS,
    "line": lambda token: token in DIGITS,
    "value": lambda token: token in DIGITS,
    "operand": is_operand,
    "operator": lambda token: token in OPERATORS,
}


def slots(tokens: Sequence[str]) -> tuple[str, ...]:
    """The kinds of the tokens after the tool's name, as far as the call determines them."""
    if tokens[0] == "EDIT" and len(tokens) > 1:
        rest = ("value",) if tokens[1] == TESTS else ("operand", "operator", "operand")
        return (*ARGUMENTS["EDIT"], *rest)
    return ARGUMENTS[tokens[0]]


def is_malformed(tokens: Sequence[str], has_history: bool) -> bool:
    """Whether no valid call begins with these tokens."""
    if tokens[0] not in ARGUMENTS or (tokens[0] == HISTORY and not has_history):
        return True
    return not all(
        FITS[slot](token) for slot, token in zip(slots(tokens), tokens[1:], strict=False)
    )


def is_complete(tokens: Sequence[str]) -> bool:
    """Whether a call that is not malformed is complete."""
    return len(tokens) == 1 + len(slots(tokens)) and (tokens[0] != "EDIT" or len(tokens) > 3)
