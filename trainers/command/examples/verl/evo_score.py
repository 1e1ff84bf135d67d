"""verl's reward function as a call of our reward server. Read in verl's sources, not run.

verl asks for one completion at a time and says which prompt it belongs to, not which sample: they
are numbered as they come. The server grades those that wait together.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from evo_reward import Rewards

rewards = Rewards()
seen: Counter[int] = Counter()


def compute_score(data_source, solution_str, ground_truth, extra_info):
    index, step = extra_info["index"], extra_info["step"]
    sample = seen[index]
    seen[index] += 1
    paid = rewards.grade(step, [{"index": index, "sample": sample, "text": solution_str}])[0]
    # verl cannot leave a completion out of its group's baseline, so a dropped one counts as zero.
    return 0.0 if paid is None else paid
