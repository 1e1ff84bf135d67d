"""Reward components and filters are SQL over facts: DuckDB reads a batch and sees nothing else.

The expression is another's text. It runs without files, network or extensions, over a view of the
fact columns alone: no label, no reward, no id and no seed can be named in it.
"""

import math
import threading
from typing import Any

import duckdb

from evotrainer.contract import arrow_schema
from evotrainer.failures import ConfigInvalid, Diverged
from evotrainer.tables import to_table

SECONDS_MAX = 30.0
SETTINGS = {
    "threads": 1,
    "enable_external_access": False,
    "python_enable_replacements": False,
    "memory_limit": "1GB",
}


def evaluate_features(
    features: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> dict[str, list[float]]:
    """A number for each feature and row, in row order; booleans become 0 and 1."""
    if not features:
        return {}
    names = arrow_schema("facts").names
    with duckdb.connect(config=SETTINGS) as connection:
        facts = [{name: row[name] for name in names} for row in rows]
        connection.register("t", to_table("facts", facts))
        connection.execute("SET lock_configuration = true")
        return {feature["name"]: _evaluate(connection, feature, len(rows)) for feature in features}


def _evaluate(
    connection: duckdb.DuckDBPyConnection, feature: dict[str, Any], count: int
) -> list[float]:
    place = f"feature {feature['name']}"
    timer = threading.Timer(SECONDS_MAX, connection.interrupt)
    timer.start()
    try:
        sql = (
            f"SELECT v FROM (SELECT ({feature['sql']}\n) AS v FROM t)"
            f" POSITIONAL JOIN range({count}) ORDER BY range"
        )
        values = [value for (value,) in connection.execute(sql).fetchall()]
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        raise ConfigInvalid(f"{place}: {first}; mend its SQL ({feature['sql']})") from error
    finally:
        timer.cancel()
    if len(values) != count:
        raise ConfigInvalid(f"{place}: gives {len(values)} values for {count} rows; no aggregates")
    return [_number(value, place) for value in values]


def _number(value: Any, place: str) -> float:
    if value is None:
        raise ConfigInvalid(f"{place}: is NULL for a trajectory; wrap it in coalesce(…)")
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ConfigInvalid(f"{place}: {value!r} is no number; a category pays nothing") from error
    if not math.isfinite(number):
        raise Diverged(f"{place}: is {number} for a trajectory; bound it with greatest and least")
    return number
