"""A kernel's limit on the processes of root's programs, for whom the limit of users does not hold.

Best effort: where root may not make control groups, the watch alone ends who forks without end.
"""

import contextlib
import itertools
import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
ENTER = 'echo $$ > "$0" && exec "$@"'
ENDING_TRIES, ENDING_SECONDS = 50, 0.02
_left: set[Path] = set()
_numbers = itertools.count()


class ProcessLimit:
    """A control group of at most `most` processes; `argv` starts a program in it."""

    def __init__(self, most: int):
        self._folder: Path | None = None
        parent = _parent() if os.geteuid() == 0 else None
        if parent is None:
            return
        _sweep(parent)
        folder = parent / f"evo-{os.getpid()}-{next(_numbers)}"
        try:
            folder.mkdir()
            self._folder = folder
            (folder / "pids.max").write_text(str(most))
        except OSError:
            self.remove()

    def argv(self, argv: list[str]) -> list[str]:
        if self._folder is None:
            return argv
        return ["/bin/sh", "-c", ENTER, str(self._folder / "cgroup.procs"), *argv]

    def remove(self) -> None:
        """After its program has ended; what it left behind is ending too."""
        folder, self._folder = self._folder, None
        for _ in range(ENDING_TRIES):
            if folder is None:
                return
            try:
                folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(ENDING_SECONDS)
        if folder is not None:
            _left.add(folder)


def _sweep(parent: Path) -> None:
    """Groups of programs that took long to end, and of trainers that were killed."""
    for folder in parent.glob("evo-*"):
        maker = folder.name.split("-")[1]
        if folder in _left or not Path("/proc", maker).exists():
            with contextlib.suppress(OSError):
                folder.rmdir()
            _left.discard(folder)


def _parent() -> Path | None:
    """Our own control group, in the hierarchy that counts processes."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        _, kinds, path = line.split(":", 2)
        own = {"pids": ROOT / "pids", "": ROOT}.get(kinds)
        if own is not None and (own / path.lstrip("/")).is_dir():
            return own / path.lstrip("/")
    return None
