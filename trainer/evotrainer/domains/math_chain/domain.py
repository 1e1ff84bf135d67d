"""math.chain: evaluate a chain of + - * from left to right modulo 10; level = operations, 1 to 8.

Q 7 * 4 - 9 ?   →   7 * 4 = 8 ; 8 - 9 = 9 ; # 9 END
"""

from collections.abc import Sequence
from typing import Any

from evotrainer.domains import Submission, Task
from evotrainer.domains.math_chain import demonstrations, graders
from evotrainer.domains.math_chain.chain import OPERATIONS, chain_value
from evotrainer.domains.math_chain.episode import ChainEpisode
from evotrainer.randomness import Stream

DIGITS = tuple(str(digit) for digit in range(10))
CATEGORIES = {
    "levels_1_2": (1, 2),
    "levels_3_4": (3, 4),
    "levels_5_6": (5, 6),
    "levels_7_8": (7, 8),
}


class MathChain:
    name = "math.chain"
    environment_version = "math.chain/1"
    vocabulary = ("PAD", "END", "Q", "?", "#", "=", ";", "wait", *OPERATIONS, *DIGITS)
    levels = (1, 8)
    categories = CATEGORIES
    demonstration_mix = demonstrations.MIX
    # Silence, and the guess that products meet least often (8 % of all tasks).
    null_completions = ((), ("#", "7", "END"))

    def draw(self, level: int, stream: Stream) -> Task:
        words = [DIGITS[stream.below(10)]]
        for _ in range(level):
            words += [OPERATIONS[stream.below(len(OPERATIONS))], DIGITS[stream.below(10)]]
        return Task(
            family="chain",
            level=level,
            category=next(name for name, (_, top) in CATEGORIES.items() if level <= top),
            prompt=("Q", *words, "?"),
            content="".join(words),
            gold=chain_value(words),
        )

    def canary(self, task: Task, stream: Stream) -> Task:
        wrong = str((int(task.gold) + 1 + stream.below(9)) % 10)
        return Task(task.family, task.level, task.category, task.prompt, task.content, wrong)

    def demonstration(self, task: Task, mix: dict[str, float], stream: Stream) -> Sequence[str]:
        return demonstrations.demonstration(task.prompt[1:-1], task.gold, mix, stream)

    def episode(self, task: Task) -> ChainEpisode:
        return ChainEpisode(task)

    def grade(self, task: Task, submission: Submission) -> tuple[dict[str, Any], dict[str, Any]]:
        words = submission.artifact.split()
        return graders.visible(words, task.gold), graders.hidden(words, task.gold)

    def oracle(self, prompt: str, artifact: str) -> tuple[float, str]:
        return graders.oracle(prompt, artifact)

    def second_score(self, prompt: str, artifact: str) -> float:
        gold = chain_value(prompt.split()[1:-1])
        return graders.hidden(artifact.split(), gold)["score"]


DOMAIN = MathChain()
