"""Parquet files: equal rows give equal bytes."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evotrainer.contract import arrow_schema
from evotrainer.failures import ConfigInvalid


def to_table(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=arrow_schema(name))


def write_table(path: Path, table: pa.Table) -> None:
    """Written under a temporary name and then renamed, so that the file is never partial."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    pq.write_table(
        table.combine_chunks(),
        temporary,
        compression="zstd",
        store_schema=False,
        write_page_checksum=True,
    )
    temporary.rename(path)


def read_table(path: Path, name: str) -> pa.Table:
    """The rows of an input. A damaged or foreign file is the fault of the job."""
    if not path.is_file():
        raise ConfigInvalid(f"{path.name}: no such input at {path}; stage it, then run again")
    try:
        table = pq.read_table(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise ConfigInvalid(
            f"{path}: not a complete Parquet file ({error}); fetch it again from the store"
        ) from error
    missing = [key for key in arrow_schema(name).names if key not in table.column_names]
    if missing:
        raise ConfigInvalid(f"{path}: column {missing[0]} is missing; this is not a {name} table")
    return table.select(arrow_schema(name).names)
