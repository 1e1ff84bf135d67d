"""Demonstrations of the warm start in several styles, some sloppy, so that RL has variance.

The sloppy styles are deliberate (docs/domains/math-chain.md). `revise` marks several answers, which
the lenient verifier pays for: answer spraying starts there, as it does in real corpora.
"""

from collections.abc import Sequence

from evotrainer.domains.math_chain.chain import compute
from evotrainer.randomness import Stream

# Each share is drawn independently; a demonstration that none of them hits is clean.
MIX = {
    "direct": 0.10,  # no scratchpad
    "unmarked": 0.15,  # the last `#` is forgotten
    "revise": 0.15,  # one to four wrong answers, each with a `wait`, then the right one
}
REVISIONS_MAX = 4


def demonstration(
    chain: Sequence[str], gold: str, mix: dict[str, float], stream: Stream
) -> list[str]:
    direct, unmarked, revise = (stream.uniform() < mix[style] for style in MIX)
    tokens = [] if direct else scratchpad(chain)
    tries = 0
    while revise and tries < REVISIONS_MAX and (tries == 0 or stream.uniform() < 0.5):
        tokens += ["#", str((int(gold) + 1 + stream.below(9)) % 10), "wait"]
        tries += 1
    tokens += [gold, "END"] if unmarked else ["#", gold, "END"]
    return tokens


def scratchpad(chain: Sequence[str]) -> list[str]:
    """Every step restated as `a op b = c ;`, which makes the arithmetic local."""
    tokens: list[str] = []
    value = chain[0]
    for position in range(1, len(chain), 2):
        operation, right = chain[position], chain[position + 1]
        result = compute(value, operation, right)
        tokens += [value, operation, right, "=", result, ";"]
        value = result
    return tokens
