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
    """The words are no program."""


def parse(words: Sequence[str]) -> Tree:
    """The tree of a whole program; anything else is Malformed."""
    reader = _Reader(words)
    tree = reader.program(0)
    if reader.word is not None:
        raise Malformed(f"{reader.word} after the end of the program")
    return tree


class _Reader:
    def __init__(self, words: Sequence[str]):
        self.words = words
        self.place = 0

    @property
    def word(self) -> str | None:
        return self.words[self.place] if self.place < len(self.words) else None

    def take(self, expected: str) -> None:
        if self.word != expected:
            raise Malformed(f"{self.word or 'the end'} in place of {expected}")
        self.place += 1

    def digit(self) -> int:
        if self.word not in DIGITS:
            raise Malformed(f"{self.word or 'the end'} in place of a digit")
        self.place += 1
        return int(self.words[self.place - 1])

    def program(self, nesting: int) -> Tree:
        if nesting > NESTING_MAX:
            raise Malformed("nested too deep")
        then = self.term(nesting)
        if self.word != "if":
            return then
        self.take("if")
        condition = self.term(nesting)
        self.take("==")
        digit = self.digit()
        self.take("else")
        return ("case", condition, digit, then, self.program(nesting + 1))

    def term(self, nesting: int) -> Tree:
        word = self.word
        if word in DIGITS:
            return ("digit", self.digit())
        if word == "[":
            return self.list_literal()
        if word != "(":
            self.place += 1
        if word == "x":
            return ("x",)
        if word == "EXIT":
            return ("exit",)
        if word != "(" and word not in OPERATORS and word not in CONSTANT_MAPS:
            raise Malformed(f"{word or 'the end'} in place of an expression")
        self.take("(")
        constant = self.digit() if word in CONSTANT_MAPS else None
        if constant is not None:
            self.take(",")
        tree = self.program(nesting + 1)
        self.take(")")
        if word == "(":
            return tree
        return ("call", word, tree) if constant is None else ("map", word, constant, tree)

    def list_literal(self) -> Tree:
        self.take("[")
        digits = []
        while self.word != "]":
            if digits:
                self.take(",")
            digits.append(self.digit())
        self.take("]")
        return ("list", tuple(digits))


def calls_of(words: Sequence[str]) -> list[str]:
    """Operators that the words name and EXIT, well-formed or not, in order."""
    return [word for word in words if word in OPERATORS or word in (*CONSTANT_MAPS, "EXIT")]


def literals_of(words: Sequence[str]) -> list[str]:
    """Lists and digits that the words spell out; a list as prompts write it, without commas."""
    found, open_list = [], None
    for word in words:
        if word == "[":
            open_list = [word]
        elif word in DIGITS:
            found.append(word) if open_list is None else open_list.append(word)
        elif word == "]" and open_list is not None:
            found.append(" ".join([*open_list, word]))
            open_list = None
    return found
