# SPDX-License-Identifier: Apache-2.0
"""Run the points of a sweep on the workers of a Dask cluster, local or remote."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bombus.base.errors import UserError
from bombus.base.extras import extra
from bombus.base.interrupt import Interrupts, deaf_children
from bombus.measure import mesh
from bombus.measure.sweep import worker
from bombus.measure.sweep.grid import Point, Sweep
from bombus.measure.sweep.store import Store
from bombus.measure.sweep.worker import run_point

with extra("bombus sweep", "Dask and PyArrow", "sweep"):
    import cryptography  # noqa: F401  # for Security.temporary
    from distributed import Client, LocalCluster, Security, as_completed

CONNECT_SECONDS = 10
# A point is abandoned after this many workers died running it.
LOCAL_DEATHS = 5
RETRIES = 2  # retries of a point that fails although its worker survives


@dataclass(frozen=True)
class Outcome:
    """Outcome of a sweep."""

    path: Path
    points: int
    kept: int  # points already in the file
    run: int
    failed: dict[str, str]  # settings of a point, and why it has no result
    unsound: int  # points whose fabric lost, duplicated, misrouted or blocked messages
    stopped: bool  # by Ctrl-C


def _end(groups: Iterable[int]) -> None:
    """Ends remaining processes of workers that have ended."""
    for group in groups:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGTERM)


@contextlib.contextmanager
def client(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at an address, or of `workers` new processes on this machine.

    The latter talk by TLS, with certificates in memory alone. Raises UserError if the scheduler
    cannot be reached.
    """
    if scheduler is not None:
        if not re.search(r":\d+$", scheduler):
            raise UserError(
                f"cannot reach the Dask scheduler {scheduler}: its address should end with a "
                "port, such as tcp://host:8786"
            )
        try:
            remote = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"cannot reach the Dask scheduler {scheduler}: {reason}") from None
        with remote:
            yield remote
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
                preload=[worker.__name__],
                # A scheduler runs the code of anyone who can connect to it, and other users of
                # this machine can. Only holders of this key connect.
                security=Security.temporary(),
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

    `scheduler`: address of a Dask scheduler; without one, `workers` processes on this machine
    (default: one for each processor). Raises UserError if the scheduler cannot be reached or the
    file belongs to another sweep. Ctrl-C ends it early and keeps the results so far.
    """
    points = sweep.points()
    failed: dict[str, str] = {}
    stopped = False
    with Interrupts() as interrupts, Store(output) as store:
        todo = [point for point in points if point.key not in store.rows]
        kept = len(points) - len(todo)
        if todo:
            try:
                with client(scheduler, workers) as connected:
                    _run_all(sweep, todo, store, failed, connected, interrupts, console)
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
