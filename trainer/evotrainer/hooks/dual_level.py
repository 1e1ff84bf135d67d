"""Dual-Level Filter of EvoTrainer (arXiv:2606.03108, coding v10): trajectories first, then groups.

Level 1 drops anomalous trajectories (truncated, over-length, judge error) out of the gradient and
of their group's baseline. Level 2 is the StdGroupFilter on what is left of the groups.
"""

from typing import Any


def anomaly(row: dict[str, Any], settings: dict[str, Any]) -> str | None:
    """Why level 1 drops a trajectory, or null."""
    if settings["truncated"] and row["truncated"]:
        return "truncated"
    longest = settings["over_length"]
    if longest is not None and row["token_count"] >= longest * row["max_tokens"]:
        return "over_length"
    outcomes = (row["visible"], row["hidden"])
    if settings["judge_errors"] and any(_failed(outcome) for outcome in outcomes):
        return "judge_error"
    return None


def _failed(outcome: dict[str, Any]) -> bool:
    """The grader's or the environment's failure, not the policy's."""
    return outcome["verdict"] == "grader_error" or outcome["error_kind"] == "infrastructure"
