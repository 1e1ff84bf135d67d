"""The trainer digest identifies the code and packages that a job runs under.

infra/trainer/trainer-digest.ts computes the same one.
"""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def trainer_digest(root: Path = ROOT) -> str:
    """sha256, in lower-case hex, over a UTF-8 text with one line per file: `<sha256>  <path>\\n`.

    Files: every `evotrainer/**/*.py`, every `contract/*.json`, and `uv.lock`. `<sha256>` is the
    lower-case hex sha256 of the file's bytes, followed by two spaces; `<path>` is relative to
    `trainer/` with `/` between its parts. Lines are sorted by path, compared as UTF-8 bytes.
    """
    found = [*root.glob("evotrainer/**/*.py"), *root.glob("contract/*.json"), root / "uv.lock"]
    paths = sorted((path.relative_to(root).as_posix() for path in found), key=str.encode)
    lines = (
        f"{hashlib.sha256((root / path).read_bytes()).hexdigest()}  {path}\n" for path in paths
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()
