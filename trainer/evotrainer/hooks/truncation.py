"""What weight a trajectory has in the loss when a limit cut it off, or nearly did.

mask: none if it was truncated (overlong filtering, DAPO, arXiv:2503.14476, 3.4; Skywork-OR1,
arXiv:2505.22312, found no mask best). ramp: besides, one that ended by itself in the last fifth of
a limit on tokens or turns weighs the less the nearer it came; the fifth is DAPO's buffer (4096 of
20480), the weight in place of a punishment is our own.
"""

BUFFER = 0.2


def loss_weight(
    mode: str, truncated: bool, used_tokens: float, used_turns: float | None = None
) -> float:
    """Factor of its advantage; `used_` are shares of the limits, null where there is none."""
    if mode == "keep":
        return 1.0
    if truncated:
        return 0.0
    if mode == "mask":
        return 1.0
    used = max(used_tokens, used_turns or 0.0)
    return min(1.0, max(0.0, (1 - used) / BUFFER))
