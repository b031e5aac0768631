# SPDX-License-Identifier: Apache-2.0
"""Simulations of many boards: the same in one process and in several, by either transport."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.cluster.description import Description, LinkDescription
from bombus.cluster.simulation import Cluster
from bombus.cluster.transport import RankError
from bombus.simulator.build import Library
from bombus.simulator.native import SimulationError
from tests import BEAT_BOARD
from tests.cluster.simulation import ring as ring_module
from tests.cluster.simulation.ring import ring, trace

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("beat_board")]

BOARDS = 6


@pytest.fixture(scope="module")
def reference(beat_board: Library) -> str:
    """The trace of a single process."""
    with Cluster(ring(BOARDS), ranks=1, seed=5) as cluster:
        return trace(cluster)


def mpirun() -> str:
    """The launcher beside this Python, or of the system; skips the test if there is none."""
    beside = Path(sys.executable).parent / "mpirun"
    found = str(beside) if beside.exists() else shutil.which("mpirun")
    if found is None or find_spec("mpi4py") is None:
        pytest.skip("MPI is not installed: pip install 'bombus[mpi]'")
    return found


# ---- The same everywhere ----


@pytest.mark.parametrize("ranks", [2, 4])
def test_shared_memory_has_the_trace_of_one_process(reference: str, ranks: int) -> None:
    with Cluster(ring(BOARDS), ranks=ranks, seed=5) as cluster:
        assert cluster.ranks == ranks
        assert trace(cluster) == reference


def on_mpi(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs ring.py on so many ranks."""
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    command = [mpirun(), "-n", str(ranks), sys.executable, ring_module.__file__, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("ranks", [2, 4])
def test_mpi_has_the_trace_of_one_process(reference: str, ranks: int) -> None:
    done = on_mpi(ranks, str(BOARDS))
    # Open MPI ends with escape sequences.
    assert done.stdout.split()[:2] == [str(ranks), reference], done.stderr


def test_an_error_ends_all_ranks_of_mpi() -> None:
    done = on_mpi(2, "4", "damage")
    assert done.returncode != 0
    assert "error: rank 0 of 2 on " in done.stderr
    assert "address 0x1" in done.stderr or "multiple of 4" in done.stderr


def test_the_trace_depends_on_the_seed_and_on_each_part(reference: str) -> None:
    with Cluster(ring(BOARDS), ranks=1, seed=6) as cluster:
        assert trace(cluster) != reference


# ---- Links ----


def test_a_beat_takes_the_latency_of_its_link() -> None:
    description = ring(4, pace=0, chords=False)
    with Cluster(description, ranks=1) as cluster:
        cluster[1].write_register(0x804, 256)  # board 1 sends in each cycle
        while not cluster[1].link_statistics(0).sent:
            cluster.run(1)
        sent = cluster.cycle
        while not cluster[2].link_statistics(1).received:
            cluster.run(1)
        assert cluster.cycle - sent == 75


def test_a_frame_goes_round_the_ring(tmp_path: Path) -> None:
    with Cluster(ring(5), ranks=2) as cluster:
        files = cluster.pcap_out(tmp_path / "captures")
        assert [file.name for file in files] == [f"board_{n}_port0.pcap" for n in range(5)]
        frame = bytes(range(200))
        cluster[3].send(frame)
        answer = cluster[0].receive()
        assert answer is not None
        assert answer.data == frame
        assert cluster[3].counters()["node"]["frames"] == 1
        assert cluster[4].registers.tiles["node"].board.read() == {"value": 4}
    sizes = [file.stat().st_size for file in files]
    assert sizes[0] == sizes[3] == 24 + 16 + 200
    assert sizes[1] == sizes[2] == sizes[4] == 24


def test_a_killed_link_and_one_that_is_slow() -> None:
    with Cluster(ring(4, pace=256), ranks=2) as cluster:
        cluster.run(1000)
        cluster.set_link(1, up=False)
        before = cluster.link_statistics()[1]
        cluster.run(1000)
        for one, other in zip(before, cluster.link_statistics()[1], strict=True):
            assert other.sent == one.sent
            assert other.received == one.received
            assert other.lost == 75
        cluster.set_link(1, up=True)
        cluster.impair(1, rate_gbps=2.0)  # of 20
        before = cluster.link_statistics()[1]
        cluster.run(1000)
        after = cluster.link_statistics()[1]
        assert 98 <= after[0].sent - before[0].sent <= 102
        cluster.check()


def test_a_reset_writes_the_registers_again() -> None:
    with Cluster(ring(4), ranks=2) as cluster:
        for board in cluster:
            board.call("reset")
            assert board.read_register(0x800) == board.number


# ---- Failures ----


def test_a_rank_that_dies_ends_the_run_with_its_name() -> None:
    with pytest.raises(RankError) as caught, Cluster(ring(6), ranks=3) as cluster:
        process = cluster.processes[2]
        threading.Timer(0.5, os.kill, (process, signal.SIGKILL)).start()
        started = time.monotonic()
        cluster.run(10**9)
    assert str(caught.value) == (f"rank 2 (boards 4, 5), process {process}, was killed by SIGKILL")
    assert time.monotonic() - started < 10


def test_ranks_end_with_the_first_one() -> None:
    cluster = Cluster(ring(6), ranks=3)
    processes = [*cluster.processes.values()]
    cluster.close()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    with pytest.raises(SimulationError, match="closed"):
        cluster.run(1)


def test_an_error_of_a_board_reaches_the_caller_and_the_run_goes_on() -> None:
    with Cluster(ring(6), ranks=3) as cluster:
        with pytest.raises(SimulationError, match="no MAC port 7"):
            cluster[5].send(bytes(60), 7)
        with pytest.raises(SimulationError, match="in rank 2"):
            _ = cluster[5].simulation
        cluster.run(1000)
        assert cluster[5].counters()["node"]["from_link0"] > 0


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk(ranks: int) -> None:
    cluster = Cluster(ring(4), ranks=ranks)
    with pytest.raises(SimulationError, match="No space left"):
        cluster[3].pcap_out("/dev/full")
        for _ in range(200):
            cluster[3].send(bytes(1500))
        cluster.run(60_000)
        cluster.close()
    cluster.close()


def linked(given: Description, a: tuple[int, int], b: tuple[int, int], *, ranks: int) -> Cluster:
    return Cluster(Description("c", given.boards, [LinkDescription(a, b)]), ranks=ranks)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: Description("c", [], []), "there are no boards"),
        (lambda d: Description("c", [*d.boards, d.boards[0]], []), "2 boards have the number 0"),
        (
            lambda d: Description("c", d.boards, [LinkDescription((0, 0), (9, 0))]),
            "a link leads to board 9",
        ),
        (
            lambda d: Description("c", d.boards, [*d.links, d.links[0]]),
            "2 links are at port 0 of board 0",
        ),
        (
            lambda d: Description("c", d.boards, [LinkDescription((0, 0), (1, 0), 0)]),
            "latency of 0 cycles",
        ),
        (
            lambda d: Cluster(
                Description("c", d.boards, [LinkDescription((0, 7), (1, 0))]), ranks=1
            ),
            "has no port link7; its links: link0, link1, link2, link3",
        ),
        (
            lambda d: Cluster(
                Description("c", d.boards, [LinkDescription((0, 3), (1, 0))]), ranks=1
            ),
            r"has \[96, 128\] bits at its two ends",
        ),
        (
            lambda d: Cluster(
                Description("c", d.boards, [LinkDescription((0, 3), (3, 0))]), ranks=2
            ),
            r"has \[96, 128\] bits at its two ends",
        ),
        (lambda d: Cluster(d, ranks=5), "5 ranks for 4 boards"),
        (lambda d: Cluster(d, ranks=0), "0 ranks for 4 boards"),
        (lambda d: Cluster(d, transport="pigeon"), "transport 'pigeon'"),
        (lambda d: Cluster("/nowhere/cluster.yaml"), "no such file"),
    ],
)
def test_bad_descriptions(change: Callable[[Description], object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        change(ring(4))


def test_a_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "cluster.json"
    for text, message in (
        ('{\n"name": c', r"cluster\.json:2: invalid JSON"),
        ('{"name": "c"}', "no description of a cluster: 'boards' is missing"),
        ('{"name": "c", "boards": [3], "links": []}', "no description of a cluster"),
        (
            '{"name": "c", "boards": [], "links": []}',
            r"json: cluster c: there are no",
        ),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=message):
            Cluster(file)


def test_the_board_is_where_the_example_says() -> None:
    assert ring_module.BEAT_BOARD == BEAT_BOARD
