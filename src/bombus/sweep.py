"""A grid of runs over meshes without tiles, spread over the workers of a Dask cluster.

A sweep file says which fabrics, sizes, patterns, loads and seeds. Each combination
is a point; its result is a row of one Parquet file. A point has a key: its own
content and that of the RTL and of the model around it. Points whose key is in the
file are not run again, so that a sweep that was stopped goes on where it was.

While a sweep runs, each result is appended to a journal beside the file as soon
as it is there; the journal is merged into the file at the end, also at a bad one.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import logging
import os
import re
import signal
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster, as_completed
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    ValidationInfo,
    field_validator,
)
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bombus import yaml_file
from bombus.cache import content_key
from bombus.config import MAX_NODES, Fabric, Name
from bombus.errors import UserError
from bombus.interrupt import Interrupts, deaf_children
from bombus.noc import mesh

Side = Annotated[StrictInt, Field(ge=2, le=MAX_NODES // 2)]
Positive = Annotated[StrictInt, Field(ge=1)]

CONNECT_SECONDS = 10
# A point is given up when so many workers have died while they ran it.
LOCAL_DEATHS = 5
RETRIES = 2  # of a point that fails on a worker that lives


class SweptFabric(Fabric):
    """A fabric of meshes without tiles, whose sizes the sweep gives."""

    @field_validator("columns", "rows", "max_load")
    @classmethod
    def _is_not_for_sweeps(cls, value: Any, info: ValidationInfo) -> Any:
        if info.field_name == "max_load":
            raise ValueError("is for `bombus place`; a sweep has no use for it")
        raise ValueError("the meshes are named under `sizes`")


def _has_room(fabric: SweptFabric) -> SweptFabric:
    if lack := mesh.lack_of_room(fabric):
        raise ValueError(lack)
    return fabric


def _fits(size: tuple[int, int]) -> tuple[int, int]:
    columns, rows = size
    if columns * rows > MAX_NODES:
        raise ValueError(f"a mesh of {columns} x {rows} has more than {MAX_NODES} nodes")
    return size


class Sweep(BaseModel):
    """A sweep file: every combination of what the lists hold is run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name = Field(description="Name of the sweep.")
    fabrics: list[Annotated[SweptFabric, AfterValidator(_has_room)]] = Field(
        min_length=1,
        description="Fabrics, with the keys of `fabric` in a design file.",
        examples=[[{"kind": "crosspoint"}]],
    )
    sizes: list[Annotated[tuple[Side, Side], AfterValidator(_fits)]] = Field(
        [(4, 4)], min_length=1, description="Meshes, as `[columns, rows]`.", examples=[[[4, 4]]]
    )
    traffic: Literal["independent", "chain"] = Field(
        "independent",
        description="Every node sends messages of its own, or node 0 sends messages through all "
        "other nodes and back.",
    )
    patterns: list[Literal["uniform", "exponential", "bit_complement", "transpose", "hotspot"]] = (
        Field(
            ["uniform"],
            min_length=1,
            description="Where messages go.",
            examples=[["uniform", "hotspot"]],
        )
    )
    offered: list[Annotated[float, Field(gt=0, le=1)]] = Field(
        min_length=1, description="Loads, in flits per cycle and source.", examples=[[0.2, 0.4]]
    )
    seeds: list[StrictInt] = Field(
        [1], min_length=1, description="Seeds of the traffic.", examples=[[1, 2, 3]]
    )
    packet: Positive = Field(24, description="Flits of a message (`independent`).")
    warmup: Positive = Field(
        5000, description="Cycles before the measurement; with `chain`, messages."
    )
    measure: Positive = Field(20000, description="Cycles of the measurement; or messages.")

    @field_validator("packet")
    @classmethod
    def _is_used(cls, value: int, info: ValidationInfo) -> int:
        if info.data.get("traffic") == "chain":
            raise ValueError("is for `traffic: independent`; chains have messages of several sizes")
        for fabric in info.data.get("fabrics", ()):
            room = mesh.with_defaults(fabric).packet_flits
            if fabric.algorithm == "adaptive" and fabric.lossless and value > room:
                raise ValueError(
                    f"adaptive routing needs room for whole messages: max_packet_flits, {room}, "
                    f"should be at least {value}"
                )
        return value

    def points(self) -> list[Point]:
        """All of them, each once. Neighbours differ in fabric: models are built side by side."""
        grid = itertools.product(self.seeds, self.offered, self.patterns, self.sizes, self.fabrics)
        points = {}
        for seed, offered, pattern, (columns, rows), fabric in grid:
            traffic = mesh.Traffic(
                traffic=self.traffic,
                pattern=pattern,
                offered=offered,
                seed=seed,
                packet=self.packet,
                warmup=self.warmup,
                measure=self.measure,
            )
            point = Point(fabric, columns, rows, traffic)
            points[point.key] = point
        return list(points.values())


@dataclass(frozen=True)
class Point:
    """One run: a fabric, a size, and the traffic over it."""

    fabric: Fabric
    columns: int
    rows: int
    traffic: mesh.Traffic

    @property
    def settings(self) -> dict[str, Any]:
        """The columns of the result that say what was run."""
        traffic = asdict(self.traffic)
        fabric = mesh.with_defaults(self.fabric)
        return {
            "fabric": self.fabric.kind,
            "algorithm": self.fabric.algorithm,
            "lossless": self.fabric.lossless,
            "virtual_channels": self.fabric.virtual_channels,
            "buffer_depth": fabric.depth,
            "max_packet_flits": fabric.max_packet_flits,
            "columns": self.columns,
            "rows": self.rows,
            **{key: traffic[key] for key in TRAFFIC},
        }

    @property
    def key(self) -> str:
        return content_key([json.dumps(self.settings, sort_keys=True), mesh.source_key()], [])


TRAFFIC = ("traffic", "pattern", "offered", "seed", "packet", "warmup", "measure")
RESULT = (
    *("cycles", "sent", "received", "flits", "lost", "reordered", "wrong", "missing"),
    *("max_flight", "stalled", "accepted", "latency_mean", "latency_p99", "latency_max"),
)
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
        ("sound", pa.bool_()),  # nothing lost uncounted, doubled, misled or stuck
        ("source", pa.string()),  # key of the RTL and of the model
        ("worker", pa.string()),  # host and process that ran it
        ("seconds", pa.float64()),  # that it took, the model's build included
    ]
)


def load(path: Path) -> Sweep:
    """Reads a sweep file. DesignError names every mistake with its line."""
    return yaml_file.load(path, "sweep file", Sweep)


# ---- A worker's part ----


def dask_setup(worker: object) -> None:
    """What Dask calls in each worker on this machine.

    Its process group has what it starts, such as compilers, and the sweep ends that group.
    Ctrl-C is for the sweep alone.
    """
    os.setpgid(0, 0)


def run_point(point: Point, source: str) -> dict[str, Any]:
    """Runs a point; `source`: key of the RTL that it is meant for."""
    start = time.monotonic()
    if mesh.source_key() != source:
        raise UserError(
            f"the worker on {socket.gethostname()} has another version of Bombus than the sweep"
        )
    model = mesh.build(point.fabric, point.columns, point.rows, console=None)
    (result,) = model.run([point.traffic])
    return {
        **point.settings,
        **{name: getattr(result, name) for name in RESULT},
        "key": point.key,
        "sound": result.is_sound,
        "source": source,
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "seconds": time.monotonic() - start,
    }


# ---- Results ----


class Store:
    """Results in a Parquet file, and the journal of those that are not there yet.

    One process at a time: the journal is locked while a store is open.
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
            with contextlib.suppress(json.JSONDecodeError):  # a line that was cut off
                row = json.loads(line)
                self.rows[row["key"]] = row
        return self

    def add(self, row: dict[str, Any]) -> None:
        assert self._journal is not None
        self.rows[row["key"]] = row
        # On a line of its own, whatever stands before it.
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
        raise UserError(f"{path} is not the result of a sweep of this version; name another file")
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


# ---- The sweep ----


@dataclass(frozen=True)
class Outcome:
    """What a sweep did."""

    path: Path
    points: int
    kept: int  # that were in the file already
    run: int
    failed: dict[str, str]  # settings of a point, and why it has no result
    unsound: int  # points whose fabric lost, doubled, misled or stuck something
    stopped: bool  # by Ctrl-C


def _end(groups: Iterable[int]) -> None:
    """Ends what the process groups of workers that have ended still do."""
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGTERM)


@contextlib.contextmanager
def _client(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    if scheduler is not None:
        if not re.search(r":\d+$", scheduler):
            raise UserError(
                f"cannot reach the Dask scheduler {scheduler}: its address should end with a "
                "port, such as tcp://host:8786"
            )
        try:
            client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"cannot reach the Dask scheduler {scheduler}: {reason}") from None
        with client:
            yield client
        return
    import dask

    with (
        tempfile.TemporaryDirectory(prefix="bombus-sweep-") as folder,
        dask.config.set({"distributed.scheduler.allowed-failures": LOCAL_DEATHS}),
        contextlib.ExitStack() as running,
    ):
        with deaf_children():
            cluster = LocalCluster(
                n_workers=workers or len(os.sched_getaffinity(0)),
                threads_per_worker=1,
                dashboard_address=None,
                local_directory=folder,
                memory_limit=0,
                silence_logs=logging.ERROR,
                preload=[__name__],
            )
        groups: list[int] = []
        running.callback(_end, groups)
        running.enter_context(cluster)
        running.callback(
            lambda: groups.extend(nanny.pid for nanny in cluster.workers.values() if nanny.pid)
        )
        yield running.enter_context(Client(cluster, set_as_default=False))


def run(
    sweep: Sweep,
    output: Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    console: Console,
) -> Outcome:
    """Runs the points that have no result in `output` yet.

    `scheduler`: address of a Dask scheduler; without one, `workers` processes on
    this machine (default: one for each processor). UserError if that cannot be
    reached or the file is another's. Ctrl-C ends it early, with all that is there.
    """
    points = sweep.points()
    failed: dict[str, str] = {}
    stopped = False
    with Interrupts() as interrupts, Store(output) as store:
        todo = [point for point in points if point.key not in store.rows]
        kept = len(points) - len(todo)
        if todo:
            try:
                with _client(scheduler, workers) as client:
                    _run_all(sweep, todo, store, failed, client, interrupts, console)
            except KeyboardInterrupt:
                stopped = True
        rows = [store.rows[point.key] for point in points if point.key in store.rows]
    return Outcome(
        path=output,
        points=len(points),
        kept=kept,
        run=len(rows) - kept,
        failed=failed,
        unsound=sum(not row["sound"] for row in rows),
        stopped=stopped,
    )


def _run_all(
    sweep: Sweep,
    todo: Sequence[Point],
    store: Store,
    failed: dict[str, str],
    client: Client,
    interrupts: Interrupts,
    console: Console,
) -> None:
    """Runs points until all are in the store or have failed, or until KeyboardInterrupt."""
    progress = Progress(
        TextColumn(sweep.name),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("points on {task.fields[workers]} workers"),
        TimeElapsedColumn(),
        console=console,
    )
    with progress:
        bar = progress.add_task("", total=len(todo), workers=_num_workers(client))
        source = mesh.source_key()
        futures = {
            client.submit(
                run_point, point, source, key=f"point-{point.key}", retries=RETRIES
            ): point
            for point in todo
        }
        try:
            for future in interrupts.until_stopped(as_completed(list(futures), loop=client.loop)):
                point = futures[future]
                if error := future.exception():
                    settings = ", ".join(f"{key} {value}" for key, value in point.settings.items())
                    failed[settings] = " ".join(str(error).split("\n")[:2]) or repr(error)
                else:
                    store.add(future.result() | {"sweep": sweep.name})
                progress.update(bar, advance=1, workers=_num_workers(client))
        except BaseException:
            with contextlib.suppress(Exception):
                client.cancel(list(futures))
            raise


def _num_workers(client: Client) -> int:
    return len(client.scheduler_info(n_workers=-1)["workers"])
