"""The programs: a strict subset of Python expressions over one list `x`, parsed into small tuples.

program := term ["if" term "==" digit "else" program]
term    := "x" | digit | "EXIT" | list | "(" program ")"
         | operator "(" program ")" | ("add" | "times") "(" digit "," program ")"
list    := "[" [digit ("," digit)*] "]"
"""

from collections.abc import Sequence

FILTERS = ("even", "odd")
MAPS = ("inc", "double", "neg")
ARRANGEMENTS = ("reverse", "sort", "tail", "unique")
LIST_OPERATORS = (*FILTERS, *MAPS, *ARRANGEMENTS)
REDUCERS = ("sum", "max", "length", "first")
OPERATORS = (*LIST_OPERATORS, *REDUCERS)
CONSTANT_MAPS = ("add", "times")
DIGITS = tuple(str(digit) for digit in range(10))
SYNTAX = ("x", "EXIT", "(", ")", "[", "]", ",", "if", "else", "==")
NESTING_MAX = 100

# ("x",) · ("digit", 3) · ("list", (3, 1)) · ("exit",) · ("call", "sort", tree)
# ("map", "add", 3, tree) · ("case", condition, 3, then, otherwise)
Tree = tuple


class Malformed(ValueError):
    """The tokens are not a program."""


def parse(tokens: Sequence[str]) -> Tree:
    """The tree of a complete program; anything else raises Malformed."""
    reader = _Reader(tokens)
    tree = reader.program(0)
    if reader.token is not None:
        raise Malformed(f"{reader.token} after the end of the program")
    return tree


class _Reader:
    def __init__(self, tokens: Sequence[str]):
        self.tokens = tokens
        self.index = 0

    @property
    def token(self) -> str | None:
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def take(self, expected: str) -> None:
        if self.token != expected:
            raise Malformed(f"{self.token or 'the end'} in place of {expected}")
        self.index += 1

    def digit(self) -> int:
        if self.token not in DIGITS:
            raise Malformed(f"{self.token or 'the end'} in place of a digit")
        self.index += 1
        return int(self.tokens[self.index - 1])

    def program(self, nesting: int) -> Tree:
        if nesting > NESTING_MAX:
            raise Malformed("nested too deep")
        then = self.term(nesting)
        if self.token != "if":
            return then
        self.take("if")
        condition = self.term(nesting)
        self.take("==")
        digit = self.digit()
        self.take("else")
        return ("case", condition, digit, then, self.program(nesting + 1))

    def term(self, nesting: int) -> Tree:
        token = self.token
        if token in DIGITS:
            return ("digit", self.digit())
        if token == "[":
            return self.list_literal()
        if token != "(":
            self.index += 1
        if token == "x":
            return ("x",)
        if token == "EXIT":
            return ("exit",)
        if token != "(" and token not in OPERATORS and token not in CONSTANT_MAPS:
            raise Malformed(f"{token or 'the end'} in place of an expression")
        self.take("(")
        constant = self.digit() if token in CONSTANT_MAPS else None
        if constant is not None:
            self.take(",")
        tree = self.program(nesting + 1)
        self.take(")")
        if token == "(":
            return tree
        return ("call", token, tree) if constant is None else ("map", token, constant, tree)

    def list_literal(self) -> Tree:
        self.take("[")
        digits = []
        while self.token != "]":
            if digits:
                self.take(",")
            digits.append(self.digit())
        self.take("]")
        return ("list", tuple(digits))


def calls_of(tokens: Sequence[str]) -> list[str]:
    """Operators and EXIT among the tokens, in order, whether they form a program or not."""
    return [token for token in tokens if token in OPERATORS or token in (*CONSTANT_MAPS, "EXIT")]


def literals_of(tokens: Sequence[str]) -> list[str]:
    """List literals and digits among the tokens; lists without commas, as in prompts."""
    found, literal = [], None
    for token in tokens:
        if token == "[":
            literal = [token]
        elif token in DIGITS:
            found.append(token) if literal is None else literal.append(token)
        elif token == "]" and literal is not None:
            found.append(" ".join([*literal, token]))
            literal = None
    return found
