"""Which task belongs to which split, and how a stream of a split's own tasks is drawn."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from evotrainer.domains import Domain, Task
from evotrainer.failures import ConfigInvalid, EnvFailure
from evotrainer.randomness import Stream, keyed

HELD_OUT = ("DIAG", "SELECT", "CANARY", "PROMOTION", "FINAL_IID", "FINAL_SHIFT")
SECRET = ("CANARY", "PROMOTION", "FINAL_IID", "FINAL_SHIFT")
TRAINING_SHARE, HELD_OUT_SHARE = 52, 8
DRAWS_MAX = 10_000
SECRET_VARIABLE = "EVO_GATE_SECRET_FILE"


def content_hash(domain: Domain, task: Task) -> str:
    return hashlib.sha256(f"{domain.name}\n{task.content}".encode()).hexdigest()


def bucket(campaign: int, content: str) -> str:
    """The one split a content belongs to in a campaign: "WARM+TRAIN" (52 %) or one of six (8 %)."""
    place = keyed("bucket", campaign, content) % 100
    if place < TRAINING_SHARE:
        return "WARM+TRAIN"
    return HELD_OUT[(place - TRAINING_SHARE) // HELD_OUT_SHARE]


def gate_secret() -> bytes:
    """The evaluator's 256 bits, from the file that EVO_GATE_SECRET_FILE names."""
    place = os.environ.get(SECRET_VARIABLE)
    if not place:
        raise ConfigInvalid(f"{SECRET_VARIABLE} is not set; evaluate jobs need the gate secret")
    try:
        secret = bytes.fromhex(Path(place).read_text().strip())
    except (OSError, ValueError) as error:
        raise ConfigInvalid(f"{SECRET_VARIABLE}: {place} is not readable hex ({error})") from error
    if len(secret) != 32:
        raise ConfigInvalid(f"{SECRET_VARIABLE}: {place} holds {len(secret)} bytes, not 32")
    return secret


@dataclass(frozen=True)
class TaskStream:
    """Item `index` of a named stream: a keyed hash, so items are had in any order, one by one."""

    domain: Domain
    campaign: int
    split: str
    purpose: tuple[str | int, ...]
    secret: bytes = b""

    def __post_init__(self) -> None:
        if self.split in SECRET and not self.secret:
            raise ConfigInvalid(f"{self.split} needs the gate secret; set {SECRET_VARIABLE}")

    def seed(self, *purpose: str | int) -> int:
        whole = (self.campaign, self.split, self.domain.name, *self.purpose, *purpose)
        return keyed(*whole, key=self.secret)

    def task(
        self, index: int, levels: dict[int, float], categories: dict[str, float] | None = None
    ) -> Task:
        """Draw level and category by weight, then their tasks until one is this split's.

        `categories` holds weights in place of the domain's own shares, 0 for what it leaves out.
        """
        stream = Stream(self.seed("task", index))
        level = list(levels)[stream.weighted(list(levels.values()))]
        kinds = kinds_of(self.domain, level, categories)
        category = list(kinds)[stream.weighted(list(kinds.values())) if len(kinds) > 1 else 0]
        own = "WARM+TRAIN" if self.split in ("WARM", "TRAIN") else self.split
        for _ in range(DRAWS_MAX):
            task = self.domain.draw(level, category, stream)
            if bucket(self.campaign, content_hash(self.domain, task)) == own:
                return task
        raise EnvFailure(
            f"{self.domain.name} level {level}, {category}: no content of {self.split} was found"
        )

    def sample_seed(self, index: int, sample: int) -> int:
        return self.seed("sample", index, sample)


def uniform_levels(domain: Domain, bounds: tuple[int, int] | list[int]) -> dict[int, float]:
    lowest, highest = domain.levels
    if bounds[0] > bounds[1] or bounds[0] < lowest or bounds[1] > highest:
        raise ConfigInvalid(
            f"job.json: levels {list(bounds)} are outside {domain.name}'s {lowest} to {highest}"
        )
    return {level: 1.0 for level in range(bounds[0], bounds[1] + 1)}


def kinds_of(
    domain: Domain, level: int, weights: dict[str, float] | None = None
) -> dict[str, float]:
    """The categories that hold a level, each with the weight it is drawn by."""
    if weights:
        for name in weights:
            if name not in domain.categories:
                known = ", ".join(domain.categories)
                raise ConfigInvalid(f"job.json: category {name} is none of {known}")
    kinds = {
        name: weights.get(name, 0.0) if weights else category.share
        for name, category in domain.categories.items()
        if category.levels[0] <= level <= category.levels[1]
    }
    # Where the weights say nothing of a level, the domain's own shares hold.
    return kinds if sum(kinds.values()) > 0 else kinds_of(domain, level)


def diag_task(domain: Domain, row: dict) -> Task:
    """The task of a DIAG row, drawn anew from its seeds; the row's own words are not believed."""
    place = str(row["group_id"])
    named = re.fullmatch(r"g(\d+)/r(\d+)/DIAG/0/(\d+)", place)
    if named is None:
        raise ConfigInvalid(f"group_id {place!r} names no DIAG task; take a set that a job wrote")
    generation, replicate, index = map(int, named.groups())
    stream = TaskStream(domain, row["campaign_seed"], "DIAG", (generation, replicate, 0))
    task = stream.task(index, uniform_levels(domain, domain.levels))
    if content_hash(domain, task) != row["content_hash"]:
        raise ConfigInvalid(f"{place}: its content_hash is not that of its task; it was changed")
    return task
