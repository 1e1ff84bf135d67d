"""Reward components and filters: SQL expressions over the facts of a batch, computed by DuckDB.

The expressions are untrusted text. Each is parsed as one expression before it is bound, so that it
cannot be a statement of its own, and runs without files, network or extensions. It sees only the
fact columns: no label, reward, id or seed.
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
    """One number per feature and row, in row order; booleans become 0 and 1."""
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
    source = f"feature {feature['name']}"
    timer = threading.Timer(SECONDS_MAX, connection.interrupt)
    timer.start()
    try:
        _require_expression(connection, source, feature["sql"])
        # Cast inside the engine: text of any length would be held in memory here.
        sql = (
            f"SELECT v::DOUBLE FROM (SELECT ({feature['sql']}\n) AS v FROM t)"
            f" POSITIONAL JOIN range({count}) ORDER BY range"
        )
        values = [value for (value,) in connection.execute(sql).fetchall()]
    except duckdb.InterruptException as error:
        raise ConfigInvalid(
            f"{source}: takes more than {SECONDS_MAX:g} s;"
            f" simplify its SQL ({feature['sql'][:1000]})"
        ) from error
    except duckdb.Error as error:
        first = str(error).strip().splitlines()[0]
        raise ConfigInvalid(
            f"{source}: {first}; correct its SQL ({feature['sql'][:1000]})"
        ) from error
    finally:
        timer.cancel()
    if len(values) != count:
        raise ConfigInvalid(
            f"{source}: gives {len(values)} values for {count} rows; use no aggregates"
        )
    return [_number(value, source) for value in values]


BEYOND_ONE_ROW = {"SUBQUERY", "WINDOW", "STAR", "PARAMETER"}
CLAUSES = ["where_clause", "group_expressions", "having", "qualify", "sample", "modifiers"]


def _require_expression(connection: duckdb.DuckDBPyConnection, source: str, sql: str) -> None:
    """Refuse all but one expression over one row, as the engine parses it.

    Text that closes the brackets around it would otherwise begin a query of its own.
    """
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
    if not is_one or _classes(nodes) & BEYOND_ONE_ROW:
        why = answer.get("error_message", "is not one expression over one trajectory")
        raise ConfigInvalid(f"{source}: {why}; correct its SQL ({sql[:1000]})")


def _classes(tree: Any) -> set[str]:
    """All classes of expression in a parse tree."""
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


def _number(value: float | None, source: str) -> float:
    if value is None:
        raise ConfigInvalid(f"{source}: is NULL for a trajectory; wrap it in coalesce(…)")
    if not math.isfinite(value):
        raise Diverged(f"{source}: is {value} for a trajectory; bound it with greatest and least")
    return value
