"""A child process that holds untrusted work to limits of memory and time.

The kernel keeps the memory limit and the parent the time, so that both hold whatever the work does.
Requests take turns. A process that exceeds a limit is ended, and the next request starts another.
Its environment is new, because this process's may hold secrets.
"""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

START_SECONDS = 60.0
ENVIRONMENT = {
    "HOME": "/nonexistent",
    "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
    # The default pool reserves a gigabyte, which would count as used.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
# Where the machine keeps the libraries of its Python.
KEPT = ["LD_LIBRARY_PATH"]
OUT_OF_MEMORY = 71
BROKEN = {"SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGTRAP"}


class Overrun(Exception):
    """The work exceeded a limit or broke its process. The text continues a sentence about it."""


class Lost(Exception):
    """The process did not start, or was ended from outside: the work is not at fault."""


class ConfinedProcess:
    """`module` calls `serve` when it is run; its process may hold `memory_mb` in all."""

    def __init__(self, module: str, memory_mb: int):
        self._module = module
        self._memory_mb = memory_mb
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, request: Any, seconds: float, body: bytes = b"") -> Any:
        """What `serve`'s function returns for these. Raises Overrun or Lost."""
        child = self._child or self._start()
        head = json.dumps([request, len(body), seconds]).encode() + b"\n"
        try:
            _pipe(child.stdin).write(head + body)
            _pipe(child.stdin).flush()
        except BrokenPipeError:
            pass  # The child has ended; reading tells why.
        return json.loads(self._read(child, seconds))

    def end(self) -> None:
        """The next request starts another process."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.communicate()

    def _start(self) -> subprocess.Popen[bytes]:
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", self._module, str(self._memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**ENVIRONMENT, **{key: os.environ[key] for key in KEPT if key in os.environ}},
        )
        try:
            self._read(self._child, START_SECONDS)
        except Overrun as error:
            raise Lost(f"did not start: {error}") from error
        return self._child

    def _read(self, child: subprocess.Popen[bytes], seconds: float) -> bytes:
        """The next line of the child; a process that gives none in time is ended."""
        descriptor, line = _pipe(child.stdout).fileno(), b""
        deadline = time.monotonic() + seconds
        while not line.endswith(b"\n"):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([descriptor], [], [], left)[0]:
                self.end()
                raise Overrun(f"takes more than {seconds:g} s")
            part = os.read(descriptor, 1 << 16)
            if not part:
                raise self._ended(child, seconds)
            line += part
        return line

    def _ended(self, child: subprocess.Popen[bytes], seconds: float) -> Exception:
        status = child.wait()
        self.end()
        if status == OUT_OF_MEMORY:
            return Overrun(f"needs more than {self._memory_mb} MB")
        name = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        if name == "SIGALRM":
            return Overrun(f"takes more than {seconds:g} s")
        if status > 0 or name in BROKEN:
            return Overrun(f"broke the process that computed it ({name})")
        return Lost(f"was ended from outside ({name})")


def serve(answer: Callable[[Any, bytes], Any]) -> None:
    """In the child: answer requests until the parent closes the pipe."""
    # The parent decides when this process ends; a terminal's Ctrl-C reaches both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    memory = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _reply(replies, "ready")
    while line := requests.readline():
        try:
            request, size, seconds = json.loads(line)
            body = requests.read(size)
            # If the parent is gone, nobody else ends this process.
            signal.setitimer(signal.ITIMER_REAL, seconds + 1)
            _reply(replies, answer(request, body))
            signal.setitimer(signal.ITIMER_REAL, 0)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)


def _reply(replies: Any, value: Any) -> None:
    replies.write(json.dumps(value).encode() + b"\n")
    replies.flush()


def _pipe(stream: Any) -> Any:
    assert stream is not None
    return stream
