# SPDX-License-Identifier: Apache-2.0
"""Sweeps on real Dask clusters: scheduler and workers as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from distributed import Client, Security
from rich.console import Console

from bombus.base.errors import DesignError, UserError
from bombus.fabric.config import Fabric
from bombus.measure import mesh, sweep
from bombus.measure.sweep import cluster
from tests import ROOT

pytestmark = pytest.mark.slow

CONSOLE = Console(quiet=True)
# 2 x 2, whose model builds quickly; each point runs for some tenths of a second.
TEXT = """name: test
fabrics: [{kind: wormhole}]
sizes: [[2, 2]]
offered: [0.2, 0.4, 0.6, 0.8]
seeds: [1, 2]
measure: 100000
"""
POINTS = 8


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sweep") / "test.yaml"
    file.write_text(TEXT)
    mesh.build(sweep.load(file).fabrics[0], 2, 2, console=None)
    return file


@pytest.mark.parametrize(("columns", "rows"), [(1, 4), (4, 1), (17, 16), (257, 2)])
def test_a_mesh_has_2_x_2_to_256_nodes(columns: int, rows: int) -> None:
    with pytest.raises(UserError, match=f"{columns} x {rows} is not 2 x 2 to 256 nodes"):
        mesh.build(Fabric(), columns, rows)


def test_local_workers_serve_no_stranger() -> None:
    """Other users of the machine can connect to a port, but hold no certificate of the sweep."""
    with cluster.client(None, 1) as mine:
        assert mine.submit(os.getpid).result() != os.getpid()
        address = mine.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        for stranger, security in (
            (address.replace("tls://", "tcp://"), Security()),
            (address, Security.temporary()),
        ):
            with pytest.raises((OSError, ValueError)):
                Client(stranger, security=security, timeout=2)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts programs, and ends them after the test."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(*command: object, **options: Any) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-m", *map(str, command)], **options)
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing has happened"
        time.sleep(0.05)


def journal(output: Path) -> list[str]:
    """Results available while a sweep runs."""
    file = output.with_name(output.name + ".journal")
    text = file.read_text() if file.exists() else ""
    return [line for line in text.splitlines() if line]


def rows(output: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(output).to_pylist()
    return found


def check_complete(output: Path) -> None:
    found = rows(output)
    assert len(found) == len({row["key"] for row in found}) == POINTS
    assert {(row["offered"], row["seed"]) for row in found} == {
        (offered, seed) for offered in (0.2, 0.4, 0.6, 0.8) for seed in (1, 2)
    }
    assert all(row["sound"] and row["accepted"] > 0 for row in found)
    assert not output.with_name(output.name + ".journal").exists()


def test_a_worker_that_dies_loses_nothing(
    grid: Path, start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    address_file = tmp_path / "scheduler.json"
    options = ("--scheduler-file", address_file)
    start("dask", "scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard", *options)
    wait_for(address_file.exists)
    worker = ("dask", "worker", *options, "--nthreads", 1, "--no-nanny", "--no-dashboard")
    worker += ("--local-directory", tmp_path, "--host", "127.0.0.1")
    first, second = start(*worker), start(*worker)
    output = tmp_path / "test.parquet"
    address = json.loads(address_file.read_text())["address"]
    run = start("bombus.cli", "sweep", grid, "-o", output, "--scheduler", address)

    def has_run(process: subprocess.Popen[bytes]) -> bool:
        return any(f':{process.pid}"' in line for line in journal(output))

    # Both are working; the first has another point queued.
    wait_for(lambda: run.poll() is not None or (has_run(first) and has_run(second)))
    assert run.poll() is None
    first.send_signal(signal.SIGKILL)
    before = len(journal(output))
    assert run.wait(timeout=300) == 0
    assert before < POINTS, "too late to lose anything"
    check_complete(output)
    by_worker = [int(row["worker"].partition(":")[2]) for row in rows(output)]
    assert set(by_worker) == {first.pid, second.pid}

    # All results exist: nothing is run, and no scheduler is needed.
    outcome = sweep.run(sweep.load(grid), output, scheduler="tcp://127.0.0.1:1", console=CONSOLE)
    assert (outcome.run, outcome.kept, outcome.failed) == (0, POINTS, {})


def test_an_interrupted_sweep_goes_on(
    grid: Path, start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    output = tmp_path / "test.parquet"
    for end in (signal.SIGINT, signal.SIGKILL):
        command = ("bombus.cli", "sweep", grid, "-o", output, "--workers", 1)
        # As in a terminal, where Ctrl-C goes to all processes of a command.
        run = start(*command, start_new_session=True, stderr=subprocess.PIPE)
        known = len(journal(output))
        wait_for(lambda known=known: len(journal(output)) > known)  # type: ignore[misc]
        worker = int(json.loads(journal(output)[-1])["worker"].partition(":")[2])
        assert os.getpgid(worker) == worker  # out of reach of Ctrl-C
        os.killpg(run.pid, end)
        assert run.stderr is not None
        said = run.stderr.read().decode().splitlines()
        code = run.wait(timeout=60)
        if end == signal.SIGINT:  # the file stays valid, and only this is reported
            done = len(rows(output))
            assert 0 < done < POINTS
            assert code == 130
            assert said[-1] == (
                f"stopped: {done} of {POINTS} points are in {output}; "
                "run the same command to resume"
            )
            assert len(said) == 2, said
            assert said[0].startswith("test "), said  # the bar
    done = {json.loads(line)["key"] for line in journal(output)} | {r["key"] for r in rows(output)}
    outcome = sweep.run(sweep.load(grid), output, workers=2, console=CONSOLE)
    assert (outcome.run, outcome.kept) == (POINTS - len(done), len(done))
    assert outcome.run > 0
    check_complete(output)
    # The same as without a cluster.
    (point, *_) = sweep.load(grid).points()
    result = sweep.run_point(point, mesh.source_key())
    (row,) = [row for row in rows(output) if row["key"] == point.key]
    assert all(row[name] == result[name] for name in sweep.RESULT)


def test_what_a_worker_has_started_ends_with_it() -> None:
    program = subprocess.Popen(["sleep", "60"], start_new_session=True)
    cluster._end([program.pid])
    assert program.wait(timeout=30) == -signal.SIGTERM
    cluster._end([program.pid])  # a process that no longer exists


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds:", "seedz:", "test.yaml:5: seedz: unknown key; did you mean 'seeds'?"),
        ("wormhole}", "wormhole, deph: 4}", "unknown key"),
        ("wormhole}", "wormhole, columns: 4}", "given under `sizes`"),
        (
            "[{kind: wormhole}]",
            "\n  - kind: wormhole\n  - kind: crosspoint\n    columns: 3",
            "test.yaml:5: fabrics[1].columns: the mesh size is given under `sizes`",
        ),
        ("wormhole}", "wormhole, max_load: 0.5}", "only, not to sweeps"),
        (
            "wormhole}",
            "crosspoint, algorithm: o1turn, buffer_depth: 32}",
            "test.yaml:2: fabrics[0]: queues of 32 flits in two lanes of 16 are too small",
        ),
        (
            "[{kind: wormhole}]",
            "[{kind: crosspoint, algorithm: adaptive}]\npacket: 30",
            "test.yaml:3: packet: adaptive routing needs room for whole messages",
        ),
        ("[[2, 2]]", "[[100, 100]]", "test.yaml:3: sizes[0]: a mesh of 100 x 100 has more than"),
        ("seeds:", "traffic: chain\npacket: 4\nseeds:", "test.yaml:6: packet: is for `traffic: in"),
        ("[[2, 2]]", "[[2, 1]]", "test.yaml:3: sizes[0][1]: "),
        ("0.8]", "1.8]", "test.yaml:4: offered[3]: "),
        ("name: test", "nam: test", "test.yaml:1: nam: unknown key; did you mean 'name'?"),
        ("name: test", "", "'name' is missing"),
    ],
)
def test_mistakes_are_named_with_their_line(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "test.yaml"
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(DesignError) as caught:
        sweep.load(file)
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1


def test_the_shipped_sweep_is_sound() -> None:
    grid = sweep.load(ROOT / "sweeps" / "fabrics.yaml")
    assert len(grid.points()) == 7 * 2 * 10 * 3


def test_what_cannot_be_reached_or_written_is_said(grid: Path, tmp_path: Path) -> None:
    loaded = sweep.load(grid)
    output = tmp_path / "test.parquet"
    with pytest.raises(UserError, match=r"cannot reach the Dask scheduler nowhere:1"):
        sweep.run(loaded, output, scheduler="nowhere:1", console=CONSOLE)
    with pytest.raises(UserError, match="its address should end with a port"):
        sweep.run(loaded, output, scheduler="localhost", console=CONSOLE)
    with sweep.Store(output), pytest.raises(UserError, match="another sweep is writing"):
        sweep.run(loaded, output, console=CONSOLE)
    output.write_text("something else")
    with pytest.raises(UserError, match="cannot read"):
        sweep.run(loaded, output, console=CONSOLE)
    assert output.read_text() == "something else"


def test_a_worker_with_other_sources_refuses(grid: Path) -> None:
    (point, *_) = sweep.load(grid).points()
    with pytest.raises(UserError, match="another version of Bombus"):
        sweep.run_point(point, "other")


def test_results_of_the_journal_are_taken_over(tmp_path: Path) -> None:
    output = tmp_path / "test.parquet"
    with sweep.Store(output) as store:
        store.add({"key": "a", "accepted": 0.25})
    cut = '{"key": "c", "acce'
    output.with_name(output.name + ".journal").write_text(f'{{"key": "b"}}\n{cut}')
    with sweep.Store(output) as store:
        store.add({"key": "d"})
    assert [row["key"] for row in rows(output)] == ["a", "b", "d"]
    assert rows(output)[0]["accepted"] == 0.25
