"""Reward components and filters are SQL over facts: DuckDB reads a batch and sees nothing else.

The expression is another's text. It is parsed as one expression before it is bound, and runs
without files, network or extensions, over a view of the fact columns alone: no label, no reward, no
id and no seed can be named in it, and it cannot be a statement of its own.
"""

import json
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
        _require_expression(connection, place, feature["sql"])
        # It leaves the engine as a number: text of any length would be held here too.
        sql = (
            f"SELECT v::DOUBLE FROM (SELECT ({feature['sql']}\n) AS v FROM t)"
            f" POSITIONAL JOIN range({count}) ORDER BY range"
        )
        values = [value for (value,) in connection.execute(sql).fetchall()]
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        raise ConfigInvalid(f"{place}: {first}; mend its SQL ({feature['sql'][:1000]})") from error
    finally:
        timer.cancel()
    if len(values) != count:
        raise ConfigInvalid(f"{place}: gives {len(values)} values for {count} rows; no aggregates")
    return [_number(value, place) for value in values]


BEYOND_A_ROW = {"SUBQUERY", "WINDOW", "STAR", "PARAMETER"}
CLAUSES = ["where_clause", "group_expressions", "having", "qualify", "sample", "modifiers"]


def _require_expression(connection: duckdb.DuckDBPyConnection, place: str, sql: str) -> None:
    """Text that closes our brackets would open a query of its own: the engine's parse tells it from
    one expression over one row."""
    text = f"SELECT ({sql}\n)".replace("'", "''")
    [(parsed,)] = connection.execute(f"SELECT json_serialize_sql('{text}')").fetchall()
    try:
        answer = json.loads(parsed)
    except RecursionError:
        answer = {"error_message": "is nested too deeply"}
    nodes = [statement["node"] for statement in answer.get("statements", [])]
    is_one = (
        len(nodes) == 1
        and nodes[0]["type"] == "SELECT_NODE"
        and nodes[0]["from_table"]["type"] == "EMPTY"
        and len(nodes[0]["select_list"]) == 1
        and not nodes[0]["cte_map"]["map"]
        and not any(nodes[0][clause] for clause in CLAUSES)
    )
    if not is_one or _classes(nodes) & BEYOND_A_ROW:
        why = answer.get("error_message", "is not one expression over one trajectory")
        raise ConfigInvalid(f"{place}: {why}; mend its SQL ({sql[:1000]})")


def _classes(tree: Any) -> set[str]:
    """Every class of expression within a parse, however deep."""
    found: set[str] = set()
    left = [tree]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            found.add(str(part.get("class")))
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)
    return found


def _number(value: float | None, place: str) -> float:
    if value is None:
        raise ConfigInvalid(f"{place}: is NULL for a trajectory; wrap it in coalesce(…)")
    if not math.isfinite(value):
        raise Diverged(f"{place}: is {value} for a trajectory; bound it with greatest and least")
    return value
