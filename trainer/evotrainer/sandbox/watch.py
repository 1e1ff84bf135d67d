"""What a confined program and all that it started use, and a thread that ends it beyond a limit.

The kernel's own limits hold for one process each, and for root hardly at all.
"""

import contextlib
import os
import threading
from pathlib import Path

from evotrainer.sandbox.processes import descendants

PAUSE_SECONDS = 0.05
PAGE = os.sysconf("SC_PAGE_SIZE")


class Watch(threading.Thread):
    """Kills the process `pid` once its tree has too many processes or too much memory.

    `reason` then continues a sentence about it. The pid must be a child that is not waited for
    before `end` was called, so that it cannot belong to another process.
    """

    def __init__(self, pid: int, processes_max: int, memory_mb: int | None):
        super().__init__(daemon=True)
        self._pid = pid
        self._processes_max = processes_max
        self._memory_mb = memory_mb
        self._ending = threading.Event()
        self.reason: str | None = None

    def run(self) -> None:
        _go_first()
        while not self._ending.wait(PAUSE_SECONDS):
            self.reason = self._excess()
            if self.reason is not None:
                os.kill(self._pid, 9)
                return

    def end(self) -> None:
        self._ending.set()
        self.join()

    def _excess(self) -> str | None:
        pids = descendants(self._pid, self._processes_max + 1)
        if len(pids) > self._processes_max:
            return f"starts more than {self._processes_max} processes"
        if self._memory_mb is not None and resident_mb(pids) > self._memory_mb:
            return f"needs more than {self._memory_mb} MB"
        return None


def _go_first() -> None:
    """This thread before others: among processes that multiply it would wait seconds for a turn.

    Best effort: a user whom the kernel refuses it is not root, and has a limit of processes.
    """
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def resident_mb(pids: list[int]) -> float:
    """Memory in use; what several share counts for each."""
    pages = 0
    for pid in pids:
        try:
            pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
    return pages * PAGE / (1 << 20)
