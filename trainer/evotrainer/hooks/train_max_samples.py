"""A training set cut to its first tasks, met again and again (verl's data.train_max_samples).

Without it every prompt of every step is new. What a small set costs is exploration: EvoTrainer
(arXiv:2606.03108) cut 8,622 tasks to 1,958 and lost five points to its collapse.
"""

from dataclasses import dataclass

from evotrainer.domains import Task
from evotrainer.splits import TaskStream

PURPOSE = ("train_max_samples",)


@dataclass(frozen=True)
class LimitedTasks:
    """The stream of a step, its tasks taken in turn from `count` of the campaign's."""

    fresh: TaskStream
    count: int
    first: int

    def task(
        self, index: int, levels: dict[int, float], categories: dict[str, float] | None = None
    ) -> Task:
        """Every policy and generation meets the same set, as long as levels and weights stay."""
        fresh = self.fresh
        own = TaskStream(fresh.domain, fresh.campaign, fresh.split, PURPOSE)
        return own.task((self.first + index) % self.count, levels, categories)

    def sample_seed(self, index: int, sample: int) -> int:
        """A task is sampled anew each time it is met."""
        return self.fresh.sample_seed(index, sample)


def limited(stream: TaskStream, count: int | None, first: int) -> TaskStream | LimitedTasks:
    """`first` is how many prompts earlier steps have taken."""
    return stream if count is None else LimitedTasks(stream, count, first)
