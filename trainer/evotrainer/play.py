"""A person plays a task of a domain in the terminal, word by word, as the policy would.

python -m evotrainer.play DOMAIN [--level N] [--category C] [--seed S] [--option NAME=VALUE]
"""

import argparse
import sys
from collections.abc import Callable, Iterable

from evotrainer.domains import MODULES, Domain, Task, find_domain
from evotrainer.failures import ConfigInvalid
from evotrainer.splits import TaskStream, kinds_of, uniform_levels

HELP = """Type words of the vocabulary, parted by spaces; an empty line shows the task again.
  :words      the vocabulary
  :solution   an honest episode, and end
  :quit       close the episode as a limit would (truncated)"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="evo play", description="Play a task as a policy would.")
    parser.add_argument("domain", help=", ".join(MODULES))
    parser.add_argument("--level", type=int, help="task level; drawn from all when left out")
    parser.add_argument("--category", help="kind of task; drawn by its share when left out")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another task")
    parser.add_argument("--option", action="append", default=[], help="environment option, k=v")
    given = parser.parse_args(arguments)
    try:
        domain = find_domain(given.domain, dict(map(_option, given.option)))
        task = draw(domain, given.level, given.category, given.seed)
    except ConfigInvalid as error:
        print(str(error).removeprefix("job.json: "), file=sys.stderr)
        return 2
    play(domain, task, sys.stdin, print)
    return 0


def _option(text: str) -> tuple[str, bool | int | str]:
    name, _, value = text.partition("=")
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.isdigit() else value


def draw(domain: Domain, level: int | None, category: str | None, seed: int) -> Task:
    bounds = (level, level) if level is not None else domain.levels
    if category is not None:
        kinds_of(domain, bounds[0], {category: 1.0})
        held = domain.categories[category].levels
        bounds = max(bounds[0], held[0]), min(bounds[1], held[1])
        if bounds[0] > bounds[1]:
            raise ConfigInvalid(f"{category} has levels {held[0]} to {held[1]}, not {level}")
    stream = TaskStream(domain, seed, "TRAIN", ("play",))
    return stream.task(0, uniform_levels(domain, bounds), {category: 1.0} if category else None)


def play(domain: Domain, task: Task, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Drive one episode by lines of words, then tell how every ring judges it."""
    say(f"{domain.name}  level {task.level}, {task.category}\n{HELP}\n")
    episode = domain.episode(task)
    prompt = " ".join(episode.reset())
    say(f"environment  {prompt}")
    for line in lines:
        if line.strip() == ":quit":
            break
        _line(domain, task, episode, line, prompt, say)
        if episode.done:
            break
    submission = episode.submit()
    visible, hidden = domain.grade(task, submission)
    score, verdict = domain.oracle(task, submission.artifact)
    say(f"\nended by      {'you' if episode.done else 'the limit (truncated)'}")
    say(f"artifact      {submission.artifact or '(nothing)'}")
    say(f"visible       {visible['score']:g} {visible['verdict']}")
    say(f"hidden        {hidden['score']:g} {hidden['verdict']}")
    say(f"oracle        {score:g} {verdict}")
    say(f"an honest one {' '.join(domain.solution(task))}")


def _line(domain: Domain, task: Task, episode, line: str, prompt: str, say) -> None:
    words = line.split()
    if not words:
        return say(f"environment  {prompt}")
    if words == [":words"]:
        return say(" ".join(domain.vocabulary))
    if words == [":solution"]:
        words = list(domain.solution(task))
    unknown = [word for word in words if word not in domain.vocabulary]
    if unknown:
        return say(f"no word of the vocabulary: {' '.join(unknown)} (:words lists them)")
    for word in words:
        if episode.done:
            break
        seen = episode.act(word)
        if seen:
            say(f"environment  {' '.join(seen)}")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
