"""The processes below a process, as Linux lists them."""

from pathlib import Path


def descendants(pid: int, most: int) -> list[int]:
    """All processes below `pid`, at most `most`, those nearer first."""
    found, unread = [], [pid]
    while unread and len(found) < most:
        children = _children(unread.pop(0))
        found += children
        unread += children
    return found[:most]


def _children(pid: int) -> list[int]:
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in path.read_text().split()]
        except (OSError, ValueError):
            continue
    return found
