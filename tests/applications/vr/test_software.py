# SPDX-License-Identifier: Apache-2.0
"""The software around the witness: style, simulated faults, and real processes that are killed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.applications.vr.vr_software import SOURCES, Group, LocalStore, Store, go, run_go
from tests.support.helpers import Benchmark
from tests.support.live import new_namespace, starter

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "vr"
SHARDS = 4  # of the example
# Resets the design when this file appears.
RESETS = """
from pathlib import Path
def software(simulation):
    flag = Path({flag!r})
    if flag.exists():
        simulation.reset()
        flag.unlink()
"""
MODEL = (sys.executable, str(Path(__file__).with_name("model_on_udp.py")))


def test_style() -> None:
    gofmt = shutil.which("gofmt") or str(Path(go()).resolve().parent / "gofmt")
    files = sorted(str(file) for file in SOURCES.rglob("*.go"))
    shown = subprocess.run([gofmt, "-l", *files], check=True, capture_output=True, text=True)
    assert shown.stdout == ""
    run_go("vet", "./...")


def test_packages() -> None:
    """Messages, log and store, and some seeds of the simulator; see clients/vr/sim."""
    run_go("test", "-count=1", "./...")


@pytest.mark.sweep
def test_faults_of_many_seeds() -> None:
    shown = run_go(
        *("test", "-count=1", "-v", "-timeout", "30m", "./sim", "-run", "TestFaults"),
        *("-seeds", "200", "-operations", "500"),
    )
    assert "200 seeds, 100000 operations" in shown


def faults_beside_the_model(test: str, seeds: int, operations: int) -> None:
    script = Path(__file__).with_name("model_witness.py")
    shown = run_go(
        *("test", "-count=1", "-v", "-timeout", "60m", "./sim", "-run", test),
        *("-seeds", str(seeds), "-operations", str(operations)),
        *("-witness", f"{sys.executable} {script}"),
    )
    assert f"{seeds} seeds, {seeds * operations} operations" in shown


MODEL_TESTS = pytest.mark.parametrize("test", ["TestFaults", "TestMixed"])


@MODEL_TESTS
def test_model_as_witness(test: str) -> None:
    """The model that the RTL is compared with, among replicas in Go: as all witnesses, and, of
    five members, as one beside one in Go."""
    faults_beside_the_model(test, 4, 200)


@pytest.mark.sweep
@MODEL_TESTS
def test_model_as_witness_of_many_seeds(test: str) -> None:
    faults_beside_the_model(test, 200, 500)


@pytest.mark.sweep
@pytest.mark.parametrize("package, target", [("wire", "FuzzDecode"), ("kv", "FuzzOp")])
def test_fuzz(package: str, target: str) -> None:
    run_go("test", f"./{package}", "-run", "^$", "-fuzz", target, "-fuzztime", "30s")


@pytest.mark.parametrize(
    ("members", "operations", "witness", "shards"),
    [(3, 4000, MODEL, 1), (3, 8000, (), 4), (5, 4000, (), 1)],
    ids=["model", "shards", "five"],
)
def test_processes(
    tmp_path: Path, members: int, operations: int, witness: tuple[str, ...], shards: int
) -> None:
    """Under load, members are killed and restarted in turn; the history stays linearizable."""
    history = tmp_path / "history"
    with (
        new_namespace() as namespace,
        Group(namespace, tmp_path, members, witness, shards) as group,
    ):
        load = group.load(
            *("-operations", str(operations), "-clients", "6", "-keys", "20"),
            *("-reads", "0.5", "-history", str(history)),
        )
        for restarts, index in enumerate(cycle(range(members))):
            if load.poll() is not None and restarts >= members:
                break
            group.kill(index)
            time.sleep(0.4)  # longer than the silence after which a view change begins
            group.start(index)
            time.sleep(0.3)
        assert re.match(rf"{operations} operations", group.finish(load))
        assert f"{operations} operations are linearizable" in group.check(history)
        for shard in range(shards):
            assert re.search(rf"shard {shard}, .*, view [1-9]\d*, leader", group.logs())


@pytest.mark.sweep
def test_hardware_witness(tmp_path: Path) -> None:
    """The store of docs/examples/vr, whose witnesses are simulated live: the leaders are killed."""
    history = tmp_path / "history"
    with starter(tmp_path) as start:
        live = start(EXAMPLE / "witness.yaml", address="10.77.0.1/24")
        store = LocalStore(live.namespace, tmp_path, EXAMPLE / "group.json")
        store.wait_for("hardware witness, set up", SHARDS)
        store.client("put", "colour", "blue")
        load = ("-operations", "500", "-clients", "4", "-reads", "0.5", "-history", str(history))
        for leader in (0, 2):
            for shard in range(SHARDS):
                store.wait_for(rf"shard {shard}, member {leader}: normal, view \d+, leader")
            store.finish(store.load(*load))
            assert "500 operations are linearizable" in store.check(history)
            if leader == 0:
                store.kill(0)
                assert store.client("get", "colour") == "blue"
        store.stop()
        live.stop()


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [1, 2])
def test_hardware_witness_with_faults(tmp_path: Path, seed: int) -> None:
    """Frames of the witnesses are lost, doubled and late, the design is reset, leaders are killed.

    Each round resets the design and kills the leader, before or after the new set-up by turns; the
    witness thus votes in a view change with what its recovery has found. The load goes on.
    """
    history, flag = tmp_path / "history", tmp_path / "reset"
    impair = {"loss": 0.03, "duplicate": 0.03, "reorder": 0.05}
    with starter(tmp_path) as start:
        live = start(
            EXAMPLE / "witness.yaml",
            address="10.77.0.1/24",
            impair_rx={**impair, "seed": seed},
            impair_tx={**impair, "seed": seed + 100},
            software=RESETS.format(flag=str(flag)),
        )
        store = Store(live.namespace, tmp_path, EXAMPLE / "group.json")

        def replica(index: int) -> subprocess.Popen[Any]:
            data = ("-index", str(index), "-data", str(tmp_path / f"replica_{index}"))
            return store.popen(f"replica_{index}", "replica", *data)

        for index in (0, 2):
            store.client("init", "-data", str(tmp_path / f"replica_{index}"))
        new = ("-new",) if seed % 2 else ()
        store.popen("witness", "setup", "-index", "1", "-watch", *new)
        replicas = {index: replica(index) for index in (0, 2)}
        store.wait_for("hardware witness, set up", SHARDS)
        load = store.load(
            *("-operations", "3000", "-clients", "6", "-keys", "40", "-reads", "0.5"),
            *("-seed", str(seed), "-limit", "400s", "-history", str(history)),
        )
        for turn, leader in enumerate(cycle((0, 2))):
            if load.poll() is not None and turn >= 4:
                break
            again = ("was off, set up again", SHARDS * (turn + 1))
            flag.touch()
            if (turn // 2 + seed) % 2:
                store.wait_for(*again)
            else:
                time.sleep(0.3)
            replicas[leader].kill()
            replicas[leader].wait()
            time.sleep(1.5)  # the view changes, unless the witness needs this replica
            replicas[leader] = replica(leader)
            store.wait_for(*again)
        assert re.match("3000 operations", store.finish(load))
        assert "3000 operations are linearizable" in store.check(history)
        for shard in range(SHARDS):
            assert re.search(rf"shard {shard}, .*, view [1-9]\d*, leader", store.logs())
        (port,) = live.stop()["ports"]
        assert all(min(port[name]) > 0 for name in ("lost", "duplicated", "reordered"))


@pytest.mark.sweep
def test_bench_with_software(tmp_path: Path, benchmark: Benchmark) -> None:
    """The ratio to the software witness, whose replies are compared, too."""
    program = tmp_path / "vr"
    run_go("build", "-o", str(program), ".")
    result = benchmark("vr", messages=150, program=str(program))
    assert {row["message"] for row in result["software_ratio"]} == {"Prepare", "ValidateRead"}
    assert all(0 < row["ratio"] < 1 for row in result["software_ratio"])


def test_leader_is_killed(tmp_path: Path) -> None:
    """What is acknowledged survives the leader, and then all members."""
    with new_namespace() as namespace, Group(namespace, tmp_path, 3) as group:
        group.client("put", "key", "first")
        group.wait_for("member 1: normal")  # recovery needs both replicas
        group.kill(0)
        assert group.client("get", "key") == "first"
        assert group.client("cas", "key", "first", "second") == "first"
        group.start(0)
        for index in range(3):
            group.kill(index)
        for index in range(3):
            group.start(index)
        assert group.client("get", "key") == "second"


WITNESS = "127.0.0.2:7001"  # not an address of an interface: `vr local` does not run it


def small_group(folder: Path) -> Path:
    config = folder / "group.json"
    config.write_text(json.dumps({"shards": [["127.0.0.1:7000", WITNESS, "127.0.0.1:7002"]]}))
    return config


def test_reset_witness(tmp_path: Path) -> None:
    """A witness that a reset has turned off is set up again, and votes for the next leader."""
    with new_namespace() as namespace:
        model = namespace.popen([*MODEL, WITNESS])
        store = LocalStore(namespace, tmp_path, small_group(tmp_path))
        store.client("put", "key", "value")
        store.wait_for("hardware witness, set up")
        namespace.stop(model)
        namespace.popen([*MODEL, WITNESS])
        store.wait_for("was off, set up again")
        store.kill(0)
        assert store.client("get", "key") == "value"
        store.wait_for("member 2: normal, view 2, leader")
        store.stop()


def test_new_group(tmp_path: Path) -> None:
    """Without any replica, a witness begins a new group; one that has a group does not."""
    with new_namespace() as namespace:
        store = Store(namespace, tmp_path, small_group(tmp_path))
        namespace.popen([*MODEL, WITNESS])
        new = ("setup", "-index", "1", "-new")
        store.client(*new)
        store.client("init", "-data", str(tmp_path / "data"))
        store.popen("replica", "replica", "-index", "0", "-data", str(tmp_path / "data"))
        assert store.client("put", "key", "value") == ""
        assert store.client("get", "key") == "value"
        again = namespace.run(store.command(*new), check=False, capture_output=True, text=True)
        assert again.returncode != 0
        assert "it has a group" in again.stderr


def test_refusals(tmp_path: Path) -> None:
    """Wrong use and a damaged log are reported, and nothing is overwritten."""
    program = tmp_path / "vr"
    run_go("build", "-o", str(program), ".")
    config = tmp_path / "group.json"
    config.write_text('{"shards": [["127.0.0.1:7000", "127.0.0.1:7001", "127.0.0.1:7002"]]}')
    bad = tmp_path / "bad.json"
    bad.write_text('{"shards": [["127.0.0.1:7000", "127.0.0.1:7001"]]}')
    data = tmp_path / "data"

    def refusal(*arguments: str) -> str:
        result = subprocess.run([program, *arguments], capture_output=True, text=True)
        assert result.returncode != 0
        return result.stderr

    replica = ("replica", "-config", str(config), "-data", str(data))
    assert "-config is missing" in refusal("replica", "-index", "0")
    assert "3, 5 or 7" in refusal("witness", "-config", str(bad), "-index", "1")
    assert "even" in refusal(*replica, "-index", "1")
    assert "odd" in refusal("witness", "-config", str(config), "-index", "2")
    assert "vr init" in refusal(*replica, "-index", "0")
    init = ("init", "-config", str(config), "-data", str(data))
    subprocess.run([program, *init], check=True)
    assert "exists" in refusal(*init)
    two = tmp_path / "two.json"
    two.write_text(config.read_text().replace("]]", '], ["[::1]:1", "[::1]:2", "[::1]:3"]]'))
    other = ("replica", "-config", str(two), "-data", str(data), "-index", "0")
    assert "logs of 1 shards, not 2" in refusal(*other)
    log = data / "shard_0" / "log"
    log.write_bytes(b"x" + log.read_bytes()[1:] + log.read_bytes())
    assert "damaged" in refusal(*replica, "-index", "0")
