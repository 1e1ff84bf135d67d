"""SQL features: their values, and the columns that they cannot read."""

from pathlib import Path

import pytest

from evotrainer.contract import arrow_schema
from evotrainer.failures import ConfigInvalid, Diverged
from evotrainer.features import evaluate_features
from evotrainer.tables import read_table
from tests.jobs import FEATURES


@pytest.fixture(scope="module")
def rows(rollout: Path) -> list[dict]:
    return read_table(rollout / "trajectories" / "train.parquet", "trajectory").to_pylist()


def values(rows: list[dict], sql: str) -> list[float]:
    return evaluate_features([{"name": "probe", "sql": sql}], rows)["probe"]


def test_features_follow_the_rows(rows: list[dict]):
    found = evaluate_features(FEATURES, rows)
    assert found["visible_pass"] == [row["visible"]["score"] for row in rows]
    assert found["strict_pass"] == [row["hidden"]["score"] for row in rows]
    assert found["answers_count"] == [len(row["answers"]) for row in rows]
    assert found["is_truncated"] == [float(row["truncated"]) for row in rows]


@pytest.mark.parametrize(
    "column", sorted(set(arrow_schema("trajectory").names) - set(arrow_schema("facts").names))
)
def test_ids_rewards_and_seeds_cannot_be_named(rows: list[dict], column: str):
    with pytest.raises(ConfigInvalid, match="probe"):
        values(rows, f'CASE WHEN "{column}" IS NULL THEN 1 ELSE 1 END')


@pytest.mark.parametrize(
    "sql",
    [
        "oracle_score",
        "(SELECT oracle_score FROM labels LIMIT 1)",
        "(SELECT count(*) FROM read_text('/etc/passwd'))",
        "(SELECT count(*) FROM 'x.parquet')",
        "(SELECT count(*) FROM rows)",
        "(SELECT count(*) FROM facts)",
        "count(*)",
        "NULL",
        "answer",
        "1) AS v FROM t; SET threads = 2; SELECT (1",
        "1) FROM t; ATTACH '/tmp/x.db'; --",
        "1) AS v FROM t); CREATE TEMP VIEW t AS SELECT 1 AS level; SELECT v FROM (SELECT (1",
        "1) AS v FROM t) POSITIONAL JOIN range(1); SET VARIABLE x = 1; SELECT v FROM (SELECT (1",
        "1) AS v FROM enable_logging(storage = 'stdout') UNION ALL SELECT (1",
        "1) FROM duckdb_settings() WHERE (TRUE",
        "1), (2",
        "(SELECT max(token_count) FROM t)",
        "lag(token_count) OVER ()",
        "COLUMNS(*)",
        "(" * 900 + "1" + ")" * 900 + "".join("+1" for _ in range(900)),
        "nonsense(",
    ],
)
def test_an_expression_that_is_not_a_number_of_the_facts_is_refused_by_name(
    rows: list[dict], sql: str
):
    with pytest.raises(ConfigInvalid, match="feature probe"):
        values(rows, sql)


def test_a_reward_that_is_not_finite_is_divergence(rows: list[dict]):
    with pytest.raises(Diverged, match="feature probe"):
        values(rows, "'nan'::DOUBLE")
