"""Time and memory of `evo env check` on a large problem file.

trainer/.venv/bin/python scripts/bench/own_check.py [ROWS]

Prints one line of JSON. `mb` is the most that the check itself held, without its graders' process.
"""

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "trainer"))

from evotrainer.own.check import check
from evotrainer.own.new import SKELETON

WORDS = 40


def write_problems(path: Path, rows: int) -> None:
    """Word problems of about 300 bytes, no two alike."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 8))) for _ in range(5000)]
    with path.open("w") as file:
        for number in range(rows):
            story, answer = " ".join(draw.choices(words, k=WORDS)), draw.randint(0, 99_999)
            row = {"question": f"{story} {number}?", "answer": str(answer), "_id": number}
            file.write(json.dumps(row) + "\n")


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.jsonl"
        write_problems(path, rows)
        environment = {
            "tasks": str(path),
            "prompt": "question",
            "reference": ["answer"],
            "module": str(SKELETON / "grade.py"),
        }
        began = time.monotonic()
        report = check(environment)
        seconds = time.monotonic() - began
    wrong = [line["text"] for line in report["lines"] if line["level"] == "error"]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"rows": rows, "seconds": round(seconds, 1), "mb": own, "errors": wrong}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
