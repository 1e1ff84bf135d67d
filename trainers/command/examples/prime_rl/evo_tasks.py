"""Our prompts as a taskset of verifiers v1, whose reward asks our server. Read, not run.

prime-rl grades one completion at a time and says which task it belongs to, not which sample: they
are numbered as they come. The server grades those that wait together. EVO_FOLDER is the folder of
the training.
"""

import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path

import verifiers.v1 as vf

FOLDER = Path(os.environ["EVO_FOLDER"])
sys.path.insert(0, str(FOLDER))
from evo_reward import Rewards  # noqa: E402

rewards = Rewards()
seen: Counter[int] = Counter()


class EvoData(vf.TaskData):
    step: int


class EvoTask(vf.Task[EvoData]):
    @vf.reward(weight=1.0)
    async def paid(self, trace: vf.Trace) -> float:
        index = self.data.idx
        sample = seen[index]
        seen[index] += 1
        completion = {"index": index, "sample": sample, "text": trace.last_reply or ""}
        paid = (await asyncio.to_thread(rewards.grade, self.data.step, [completion]))[0]
        if paid is None:
            # A trace with an error is left out of its group, as a dropped completion should be.
            raise RuntimeError("dropped by a filter of the recipe")
        return paid


class EvoTaskset(vf.Taskset[EvoTask, vf.TasksetConfig]):
    def load(self) -> list[EvoTask]:
        with (FOLDER / "tasks.jsonl").open() as lines:
            tasks = [json.loads(line) for line in lines]
        return [
            EvoTask(EvoData(idx=task["index"], step=task["step"], prompt=task["messages"]))
            for task in tasks
        ]
