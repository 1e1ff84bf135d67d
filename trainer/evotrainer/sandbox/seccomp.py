"""Calls that a confined process gives up: memory that no limit counts, and doors into the kernel.

A file of memory belongs to no file system and to no process that maps it, so that neither the size
of /tmp nor the memory of processes would hold it.
"""

import ctypes
import errno
import platform
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, JUMP_ABOVE, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
# Numbers of the other convention of x86-64, which has calls of its own.
X32 = 0x40000000
# memfd_create, memfd_secret, shmget, keyctl, add_key, request_key, bpf, perf_event_open,
# userfaultfd, io_uring_setup.
CALLS = {
    "x86_64": (0xC000003E, (319, 447, 29, 250, 248, 249, 321, 298, 323, 425)),
    "aarch64": (0xC00000B7, (279, 447, 194, 219, 217, 218, 280, 241, 282, 425)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def give_up_calls() -> None:
    """For this process and all that it starts. Nothing on machines of another kind."""
    known = CALLS.get(platform.machine())
    if known is None:
        return
    code = _filter(*known)
    program = _Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the filter of calls")


def _filter(architecture: int, refused: tuple[int, ...]) -> bytes:
    """A classic BPF program over (number of the call, architecture, …)."""
    count = len(refused)
    lines = [
        (LOAD, 0, 0, 4),
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),
        (JUMP_ABOVE, count + 1, 0, X32),
        *((JUMP_EQUAL, count - place, 0, number) for place, number in enumerate(refused)),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in lines)
