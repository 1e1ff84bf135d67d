"""A pipeline of steps: its sentence with synonyms, and the program that computes it.

A step is a tuple: ("sort",) · ("add", 3) · ("case", 3, "even", "odd"), the first step alone.
"""

from collections.abc import Sequence

from evotrainer.domains.code_listprog.language import (
    LIST_OPERATORS,
    OPERATORS,
    REDUCERS,
    Tree,
)
from evotrainer.randomness import Stream

Step = tuple
Steps = tuple[Step, ...]

SYNONYMS = {
    "even": ("evens", "keep-even"),
    "odd": ("odds", "keep-odd"),
    "inc": ("increment", "add-one"),
    "double": ("twice", "times-two"),
    "neg": ("negate", "flip-sign"),
    "reverse": ("backwards", "turn-round"),
    "sort": ("ascending", "in-order"),
    "tail": ("drop-first", "all-but-first"),
    "unique": ("distinct", "no-repeats"),
    "sum": ("total", "add-up"),
    "max": ("largest", "maximum"),
    "length": ("count", "how-many"),
    "first": ("head", "leading"),
    "add": ("plus", "raise-by"),
    "times": ("scale-by", "multiply-by"),
    "case": ("when-first-is", "if-it-starts-with"),
}
OTHERWISE = "otherwise"
WORDS = (*(word for pair in SYNONYMS.values() for word in pair), OTHERWISE)
CONSTRUCTS = ("pipeline", "constants", "conditions")
REDUCED_SHARE = 0.5
CONSTANT_SHARE = 0.25


def draw_steps(level: int, constructs: str, stream: Stream) -> Steps:
    """`level` steps, drawn uniformly; half of the pipelines end in a number."""
    steps = [_list_step(constructs, stream) for _ in range(level)]
    if constructs == "conditions" and stream.uniform() < 0.5:
        then, otherwise = _operator(stream), _operator(stream)
        while otherwise == then:
            otherwise = _operator(stream)
        steps[0] = ("case", stream.below(10), then, otherwise)
    if steps[-1][0] != "case" and stream.uniform() < REDUCED_SHARE:
        steps[-1] = (REDUCERS[stream.below(len(REDUCERS))],)
    return tuple(steps)


def _operator(stream: Stream) -> str:
    return LIST_OPERATORS[stream.below(len(LIST_OPERATORS))]


def _list_step(constructs: str, stream: Stream) -> Step:
    if constructs != "pipeline" and stream.uniform() < CONSTANT_SHARE:
        name = ("add", "times")[stream.below(2)]
        return (name, (2, 3, 4, 5, 6, 7, 8)[stream.below(7)])
    return (_operator(stream),)


def sentence_of(steps: Steps, stream: Stream) -> list[str]:
    """The steps in words, in order of application, with a synonym drawn for each."""
    words: list[str] = []
    for step in steps:
        words.append(_synonym(step[0], stream))
        if step[0] == "case":
            words += [str(step[1]), _synonym(step[2], stream), OTHERWISE]
            words.append(_synonym(step[3], stream))
        elif len(step) == 2:
            words.append(str(step[1]))
    return words


def _synonym(name: str, stream: Stream) -> str:
    return SYNONYMS[name][stream.below(2)]


def tree_of(steps: Sequence[Step]) -> Tree:
    """The program of a pipeline: the last step is the outermost call."""
    tree: Tree = ("x",)
    for step in steps:
        if step[0] == "case":
            _, digit, then, otherwise = step
            first = ("call", "first", ("x",))
            tree = ("case", first, digit, ("call", then, tree), ("call", otherwise, tree))
        elif len(step) == 2:
            tree = ("map", *step, tree)
        else:
            tree = ("call", step[0], tree)
    return tree


def program_of(steps: Sequence[Step]) -> list[str]:
    """The program in tokens: composition reverses the order of the sentence."""
    tokens = ["x"]
    for step in steps:
        if step[0] == "case":
            _, digit, then, otherwise = step
            test = ["if", "first", "(", "x", ")", "==", str(digit), "else"]
            tokens = [then, "(", *tokens, ")", *test, otherwise, "(", "x", ")"]
        elif len(step) == 2:
            tokens = [step[0], "(", str(step[1]), ",", *tokens, ")"]
        else:
            tokens = [step[0], "(", *tokens, ")"]
    return tokens


def steps_of(tree: Tree) -> Steps | None:
    """The pipeline that a program computes step by step; None for any other program."""
    steps: list[Step] = []
    while tree[0] in ("call", "map"):
        steps.append((tree[1],) if tree[0] == "call" else (tree[1], tree[2]))
        tree = tree[-1]
    if tree[0] == "case":
        found = _case_of(tree)
        return None if found is None else (found, *reversed(steps))
    return tuple(reversed(steps)) if tree == ("x",) else None


def _case_of(tree: Tree) -> Step | None:
    digit, then, otherwise = tree[2:]
    names = [branch[1] for branch in (then, otherwise) if branch[0] == "call"]
    step = ("case", digit, *names)
    return step if len(names) == 2 and tree_of([step]) == tree else None


def canonical(steps: Steps) -> str:
    """A text without synonyms, by which the splits know a pipeline."""
    return " ".join(":".join(str(part) for part in step) for step in steps)


def is_typed(steps: Sequence[Step]) -> bool:
    """Whether every step but the last returns a list."""
    return all(step[0] not in REDUCERS for step in steps[:-1])


assert set(OPERATORS) < set(SYNONYMS), "every operator has synonyms"
