"""Adaptive difficulty of RLVE (Zeng et al. 2025, arXiv:2511.07317): a window of levels that rises.

Levels top - sliding_window_size + 1 to top are drawn. Success is counted at the top level alone;
after min_prompts_before_check prompts of it the top rises by one if their mean score is at least
min_metric_to_increase, and the count starts anew either way. The top never falls.
"""

from typing import Any

State = dict[str, float]


def top_level(bounds: list[int], settings: dict[str, Any], state: State) -> int:
    """Where the window ends now, inside the curriculum's bounds."""
    first = settings["initial_level"] or bounds[0]
    return int(min(bounds[1], max(bounds[0], state.get("top", first))))


def window(bounds: list[int], settings: dict[str, Any], state: State) -> tuple[int, int]:
    """Lowest and highest level to draw."""
    top = top_level(bounds, settings, state)
    return max(bounds[0], top - settings["sliding_window_size"] + 1), top


def moved(
    bounds: list[int],
    settings: dict[str, Any],
    state: State,
    scores: list[tuple[int, float]],
    samples: int,
) -> State:
    """The state after a step's (level, score) of trajectories, `samples` of them a prompt."""
    top = top_level(bounds, settings, state)
    own = [score for level, score in scores if level == top]
    count = state.get("count", 0) + len(own)
    total = state.get("total", 0.0) + sum(own)
    if count < settings["min_prompts_before_check"] * samples:
        return {"top": top, "count": count, "total": total}
    rises = total / count >= settings["min_metric_to_increase"]
    return {"top": min(bounds[1], top + rises), "count": 0, "total": 0.0}
