"""metrics.jsonl: one line an optimizer step, every key of the contract, no clock."""

import json
from pathlib import Path

from evotrainer.contract import schema


def metrics_line(**values: float | int | None) -> str:
    """What a step did not measure is null, never zero."""
    row = dict.fromkeys(schema("step-metrics")["properties"])
    row.update(sampled_tokens_total=0)
    unknown = values.keys() - row.keys()
    assert not unknown, f"not in the step-metrics contract: {unknown}"
    return json.dumps({**row, **values}, allow_nan=False) + "\n"


def write_metrics(job: Path, lines: list[str], append: bool = False) -> None:
    with (job / "metrics.jsonl").open("a" if append else "w") as file:
        file.writelines(lines)
