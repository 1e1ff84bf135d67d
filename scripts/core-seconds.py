"""Runs a command and writes the core-seconds that it and all its descendants took.

    python scripts/core-seconds.py FILE COMMAND [ARGUMENT...]

On Linux, descendants that leave the command's process tree (servers in a session of their own, jobs
whose parent was killed) become children of this process and are counted when they end. Exits as the
command does.
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36


def main() -> int:
    out, command = sys.argv[1], sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = subprocess.Popen(command)
    # A terminal sends its Ctrl-C to the command as well, and the command decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    while True:
        pid, status = os.wait()
        if pid == child.pid:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(out, "w", encoding="utf-8") as file:
        file.write(f"{used.ru_utime + used.ru_stime:.2f}\n")
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
