"""Lists to run programs on: one function per grader, so that graders use different inputs."""

from functools import cache

from evotrainer.randomness import Stream, hash64

SHOWN_LENGTH_MAX = 4
HIDDEN_COUNT, ORACLE_COUNT = 5, 200
LONG = 24
Digits = tuple[int, ...]


def shown_input(stream: Stream) -> Digits:
    """Two to four digits, short enough for a prompt; one time in ten the empty list."""
    if stream.uniform() < 0.1:
        return ()
    return _digits(2 + stream.below(SHOWN_LENGTH_MAX - 1), 10, stream)


def hidden_inputs(seed: int) -> list[Digits]:
    """Five lists: three of three to eight digits, one of few different digits, one long."""
    stream = Stream(hash64("hidden", seed))
    few = _digits(6, 3, stream)
    short = [_digits(3 + stream.below(6), 10, stream) for _ in range(HIDDEN_COUNT - 2)]
    return [*short, few, _digits(LONG, 10, stream)]


@cache
def oracle_inputs() -> tuple[Digits, ...]:
    """The same 200 for every task: empty, every single digit, pairs, repeats, long lists."""
    stream = Stream(hash64("code.listprog oracle inputs", 1))
    found: dict[Digits, None] = dict.fromkeys([(), *((digit,) for digit in range(10))])
    while len(found) < ORACLE_COUNT:
        kind = stream.below(5)
        if kind == 0:
            found[_digits(2, 10, stream)] = None
        elif kind == 1:
            start = stream.below(10)
            found[tuple((start + step) % 10 for step in _digits(7, 2, stream))] = None
        elif kind == 4:
            found[_digits(9 + stream.below(LONG - 8), 10, stream)] = None
        else:
            found[_digits(3 + stream.below(6), 10, stream)] = None
    return tuple(found)


def _digits(count: int, kinds: int, stream: Stream) -> Digits:
    return tuple(stream.below(kinds) for _ in range(count))
