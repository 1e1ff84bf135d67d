"""What the warm start is shown: several styles, some of them sloppy, so that RL has variance.

The sloppy ones are deliberate (docs/domains/math-chain.md). `revise` marks several answers, which
the lenient verifier pays for: the seed of answer spraying, as real corpora hold it.
"""

from collections.abc import Sequence

from evotrainer.domains.math_chain.chain import apply
from evotrainer.randomness import Stream

# Shares are independent of each other; what is left over is the clean style.
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
    words = [] if direct else scratchpad(chain)
    tries = 0
    while revise and tries < REVISIONS_MAX and (tries == 0 or stream.uniform() < 0.5):
        words += ["#", str((int(gold) + 1 + stream.below(9)) % 10), "wait"]
        tries += 1
    words += [gold, "END"] if unmarked else ["#", gold, "END"]
    return words


def scratchpad(chain: Sequence[str]) -> list[str]:
    """Each step restated: `a op b = c ;`, which is what makes the arithmetic local."""
    words: list[str] = []
    value = chain[0]
    for position in range(1, len(chain), 2):
        operation, right = chain[position], chain[position + 1]
        result = apply(value, operation, right)
        words += [value, operation, right, "=", result, ";"]
        value = result
    return words
