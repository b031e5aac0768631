# SPDX-License-Identifier: Apache-2.0
"""Results of a sweep: a Parquet file, and a journal of those not merged into it yet."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from pathlib import Path
from typing import IO, Any

from bombus.base.errors import UserError
from bombus.base.extras import extra
from bombus.measure.sweep.worker import RESULT

with extra("bombus sweep", "Dask and PyArrow", "sweep"):
    import pyarrow as pa
    import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        ("key", pa.string()),  # of the point; the same key, the same result
        ("sweep", pa.string()),
        *((name, pa.string()) for name in ("fabric", "algorithm")),
        ("lossless", pa.bool_()),
        *(
            (name, pa.int64())
            for name in ("virtual_channels", "buffer_depth", "max_packet_flits", "columns", "rows")
        ),
        *((name, pa.string()) for name in ("traffic", "pattern")),
        ("offered", pa.float64()),
        *((name, pa.int64()) for name in ("seed", "packet", "warmup", "measure")),
        *((name, pa.int64()) for name in RESULT[:9]),
        ("stalled", pa.bool_()),
        *((name, pa.float64()) for name in RESULT[10:]),
        ("sound", pa.bool_()),  # nothing lost uncounted, duplicated, misrouted or stuck
        ("source", pa.string()),  # key of the RTL and of the model
        ("worker", pa.string()),  # host and process that ran it
        ("seconds", pa.float64()),  # duration, including the build of the model
    ]
)


class Store:
    """Results in a Parquet file, and a journal of those not in it yet.

    For one process at a time: the journal is locked while a store is open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._journal_path = path.with_name(path.name + ".journal")
        self.rows: dict[str, dict[str, Any]] = {}
        self._journal: IO[str] | None = None

    def __enter__(self) -> Store:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._journal = self._journal_path.open("a+", encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {error.strerror}") from None
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._journal.close()
            raise UserError(f"another sweep is writing {self.path}") from None
        if self.path.exists():
            for row in _read(self.path):
                self.rows[row["key"]] = row
        self._journal.seek(0)
        for line in self._journal.read().splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # a truncated line
                row = json.loads(line)
                self.rows[row["key"]] = row
        return self

    def add(self, row: dict[str, Any]) -> None:
        assert self._journal is not None
        self.rows[row["key"]] = row
        # On its own line, even after a truncated one.
        self._journal.write("\n" + json.dumps(row) + "\n")
        self._journal.flush()

    def __exit__(self, *_: object) -> None:
        assert self._journal is not None
        table = pa.Table.from_pylist(list(self.rows.values()), schema=SCHEMA)
        work = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            pq.write_table(table, work)
            work.rename(self.path)
            self._journal_path.unlink()
        finally:
            work.unlink(missing_ok=True)
            self._journal.close()


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    if not table.schema.equals(SCHEMA):
        raise UserError(f"{path} is not a result file of this version; use another file")
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
