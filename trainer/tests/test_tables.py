"""Files of sealed rows: their size, which the open ledger names, tells nothing of the rows."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evotrainer.tables import SEALED_SIZE_MIN, write_sealed_table


def drawn(rows: int) -> list[float]:
    """Scores that do not compress."""
    draw = random.Random(1)
    return [draw.random() for _ in range(rows)]


def written(path: Path, scores: list[float]) -> int:
    write_sealed_table(path, pa.table({"score": scores}))
    assert pq.read_table(path).column("score").to_pylist() == scores
    return path.stat().st_size


def test_a_sealed_file_has_one_size_for_all_scores_of_as_many_rows(tmp_path: Path) -> None:
    alike, apart = [0.0] * 1000, drawn(1000)
    sizes = {written(tmp_path / "alike", alike), written(tmp_path / "apart", apart)}
    assert sizes == {SEALED_SIZE_MIN}


@pytest.mark.parametrize("rows", [10_000, 30_000])
def test_a_larger_one_has_a_power_of_two(tmp_path: Path, rows: int) -> None:
    size = written(tmp_path / "large", drawn(rows))
    assert size > SEALED_SIZE_MIN and size.bit_count() == 1


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    rows: list[Any] = [1.0, 0.5]
    written(tmp_path / "one", rows)
    written(tmp_path / "other", rows)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
