"""Demonstrations replay: right solutions of TRAIN tasks, learnt beside the policy gradient.

After the auxiliary loss on demonstrations of DAPG (Rajeswaran et al. 2018, arXiv:1709.10087): the
loss of an optimizer step is the policy gradient's + coef * cross-entropy on the words that the
expert chose. It costs optimizer steps and no sampled tokens.
"""

from evotrainer.demonstrate import show
from evotrainer.failures import ConfigInvalid
from evotrainer.jobdir import JobDir
from evotrainer.sampling import encode
from evotrainer.splits import TaskStream, kinds_of, uniform_levels

Demonstration = tuple[list[int], list[bool]]


def demonstrations(job: JobDir, step: int, context_length: int) -> list[Demonstration]:
    """Word ids of this step's solutions, and which of them the expert chose."""
    recipe, seeds = job.spec["recipe"], job.seeds
    settings = recipe["optimizer"]["replay"]
    if settings is None:
        return []
    purpose = ("replay", seeds["generation"], seeds["replicate"], step)
    stream = TaskStream(job.domain, seeds["campaign"], "TRAIN", purpose)
    weights = settings["categories"]
    levels = replay_levels(job, recipe["curriculum"]["levels"], weights)
    shown = []
    for index in range(settings["batch_size"]):
        task = stream.task(index, levels, weights)
        played = show(job.domain, task, job.domain.solution(task))
        if len(played.words) > context_length:
            raise ConfigInvalid(
                f"job.json: at spec/recipe/optimizer/replay: a solution of level {task.level},"
                f" {task.category} has {len(played.words)} tokens, the policy's context"
                f" {context_length}; leave that category out, or lower curriculum/levels"
            )
        shown.append((encode(job.domain, played.words), list(played.own)))
    return shown


def replay_levels(job: JobDir, bounds: list[int], weights: dict[str, float]) -> dict[int, float]:
    """The curriculum's levels, but of them only those that hold a category that is asked for."""
    levels = uniform_levels(job.domain, bounds)
    if not weights:
        return levels
    asked = {name for name, weight in weights.items() if weight > 0}
    held = {
        level: share
        for level, share in levels.items()
        if asked & kinds_of(job.domain, level, weights).keys()
    }
    if not held:
        raise ConfigInvalid(
            "job.json: at spec/recipe/optimizer/replay/categories: none of them has a level in"
            f" curriculum/levels {list(bounds)}"
        )
    return held
