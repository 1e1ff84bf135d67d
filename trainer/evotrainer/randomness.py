"""Every random number is a hash of what it is for, so that order and batching never matter."""

import hashlib
import json

import numpy as np

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def hash64(*key: str | int, secret: bytes = b"") -> int:
    """64 bits from a key such as ("TRAIN", campaign, …), under an optional secret."""
    text = json.dumps(key, separators=(",", ":")).encode()
    return int.from_bytes(hashlib.blake2b(text, key=secret, digest_size=8).digest(), "big")


class Stream:
    """splitmix64 (Steele et al. 2014), written here so that no Python release changes a task."""

    def __init__(self, seed: int):
        self.state = seed & MASK

    def bits(self) -> int:
        self.state = (self.state + GOLDEN) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, count: int) -> int:
        """An integer in [0, count); its bias of 2**-32 is far below anything we measure."""
        return (self.bits() >> 32) * count >> 32

    def uniform(self) -> float:
        return (self.bits() >> 11) * 2.0**-53

    def weighted(self, weights: list[float]) -> int:
        """An index, drawn in proportion to its weight."""
        left = self.uniform() * sum(weights)
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        return len(weights) - 1


def uniforms(seeds: np.ndarray, counter: int) -> np.ndarray:
    """For each seed the number at position `counter` of its Stream, in [0, 1)."""
    return uniforms_at(seeds, np.full(len(seeds), counter, dtype=np.uint64))


def uniforms_at(seeds: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """The same, with a position for each seed."""
    with np.errstate(over="ignore"):
        mixed = seeds + np.uint64(GOLDEN) * (counters + np.uint64(1))
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
