"""A counter behind tools."""

import os
from typing import Literal


def visible(completion, row):
    return 1.0


class Environment:
    def reset(self, start: int, **row):
        self.count = start
        return f"The counter shows {start}."

    def add(self, amount: int, times: int | None = None) -> str:
        """Add to the counter.

        It may be negative.

        Args:
            amount: what to add,
                or to take
            times: how often
        Returns:
            what it shows
        """
        self.count += amount * (times or 1)
        return str(self.count)

    def crash(self, how: Literal["exit", "raise"]) -> dict:
        """Fail.

        Args:
            how: the way
        """
        if how == "exit":
            os._exit(1)
        raise RuntimeError("no luck")

    def _hidden(self):
        pass
