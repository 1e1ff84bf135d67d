"""Kills branches with SIGKILL at a random optimizer step, lets them go on, and compares all bytes.

PYTHONPATH=trainer trainer/.venv/bin/python scripts/bench/resume.py [domain…] [--tries N] [--seed N]
"""

import argparse
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.interrupted import DOMAINS, fresh_policy, interrupt, stage_branch
from tests.jobs import outputs, run

STEPS = 24


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("domains", nargs="*", default=[*DOMAINS])
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print("| domain | killed at step | same bytes |\n|---|---|---|", flush=True)
    equal = [try_domain(name, asked.tries, asked.seed) for name in asked.domains]
    return 0 if all(equal) else 1


def try_domain(domain: str, tries: int, seed: int) -> bool:
    """A try is killed once or twice; the steps are those the job was seen to have passed."""
    draw = random.Random(f"{domain}/{seed}")
    root = Path(tempfile.mkdtemp(prefix="evo-resume-"))
    policy = fresh_policy(root / "policy", domain)
    job = stage_branch(root / "whole", domain, policy, steps=STEPS, checkpoint_every=5)
    assert run(job)["status"] == "ok"
    whole = outputs(job)
    equal = []
    for number in range(tries):
        job = stage_branch(root / str(number), domain, policy, steps=STEPS, checkpoint_every=5)
        steps = sorted(draw.sample(range(1, STEPS), draw.randint(1, 2)))
        killed = [interrupt(job, step, signal.SIGKILL) == -signal.SIGKILL for step in steps]
        same = run(job)["status"] == "ok" and outputs(job) == whole
        equal.append(same and all(killed))
        place = ", ".join(str(step) for step in steps)
        print(f"| {domain} | {place} | {'yes' if equal[-1] else 'NO'} |", flush=True)
        shutil.rmtree(job)
    shutil.rmtree(root)
    print(f"| **{domain}** | | **{sum(equal)} of {tries}** |", flush=True)
    return all(equal)


if __name__ == "__main__":
    sys.exit(main())
