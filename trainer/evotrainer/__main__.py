"""`python -m evotrainer JOBDIR` runs a job; `--digest` prints the trainer digest."""

import sys
from pathlib import Path

from evotrainer.digest import trainer_digest
from evotrainer.job import run_job

USAGE = "usage: python -m evotrainer JOBDIR | --digest\n"

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.stderr.write(USAGE)
        sys.exit(2)
    if sys.argv[1] == "--digest":
        print(trainer_digest())
        sys.exit(0)
    sys.exit(run_job(Path(sys.argv[1])))
