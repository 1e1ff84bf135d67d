"""The trainer digest identifies the code and packages that a job runs under.

infra/trainer/trainer-digest.ts computes the same one.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


COVERED = ("evotrainer/**/*.py", "contract/*.json", "uv.lock")
# Of a folder of trainers/, its tests and its environment left out.
COVERED_ENVIRONMENT = ("evo_*/**/*.py", "capabilities.json", "pyproject.toml", "uv.lock")


def trainer_digest(root: Path = ROOT, environments: Sequence[str] = ()) -> str:
    """sha256, in lower-case hex, over a UTF-8 text with one line per file: `<sha256>  <path>\\n`.

    Files: every `evotrainer/**/*.py`, every `contract/*.json`, and `uv.lock`; of each environment,
    a folder of `trainers/`, those of COVERED_ENVIRONMENT. `<sha256>` is the lower-case hex sha256
    of the file's bytes, followed by two spaces; `<path>` is relative to `trainer/`, that of an
    environment begins with `trainers/`, with `/` between its parts. Lines are sorted by path,
    compared as UTF-8 bytes.
    """
    files = _files(root, COVERED, "")
    for name in environments:
        folder = root.parent / "trainers" / name
        files |= _files(folder, COVERED_ENVIRONMENT, f"trainers/{name}/")
    lines = (
        f"{hashlib.sha256(files[path].read_bytes()).hexdigest()}  {path}\n"
        for path in sorted(files, key=str.encode)
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _files(folder: Path, patterns: Sequence[str], prefix: str) -> dict[str, Path]:
    """The covered files of a folder by their path in the digest."""
    found = (path for pattern in patterns for path in folder.glob(pattern))
    return {prefix + path.relative_to(folder).as_posix(): path for path in found}
