# SPDX-License-Identifier: Apache-2.0
"""The software around the witness: style, simulated faults, and real processes that are killed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path

import pytest

from tests.applications.vr.vr_software import SOURCES, Group, go, run_go
from tests.support.live import new_namespace

pytestmark = pytest.mark.slow

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


def faults_beside_the_model(seeds: int, operations: int) -> None:
    script = Path(__file__).with_name("model_witness.py")
    shown = run_go(
        *("test", "-count=1", "-v", "-timeout", "60m", "./sim", "-run", "TestFaults"),
        *("-seeds", str(seeds), "-operations", str(operations)),
        *("-witness", f"{sys.executable} {script}"),
    )
    assert f"{seeds} seeds, {seeds * operations} operations" in shown


def test_model_as_witness() -> None:
    """The model that the RTL is compared with, among replicas in Go."""
    faults_beside_the_model(4, 200)


@pytest.mark.sweep
def test_model_as_witness_of_many_seeds() -> None:
    faults_beside_the_model(200, 500)


@pytest.mark.sweep
@pytest.mark.parametrize("package, target", [("wire", "FuzzDecode"), ("kv", "FuzzOp")])
def test_fuzz(package: str, target: str) -> None:
    run_go("test", f"./{package}", "-run", "^$", "-fuzz", target, "-fuzztime", "30s")


@pytest.mark.parametrize(
    ("members", "operations", "witness"),
    [(3, 4000, MODEL), (3, 8000, ()), (5, 4000, ())],
    ids=["model", "three", "five"],
)
def test_processes(tmp_path: Path, members: int, operations: int, witness: tuple[str, ...]) -> None:
    """Under load, members are killed and restarted in turn; the history stays linearizable."""
    history = tmp_path / "history"
    with new_namespace() as namespace, Group(namespace, tmp_path, members, witness) as group:
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
        shown = load.communicate()[0]
        assert load.returncode == 0, f"{shown}\n{group.logs()}"
        assert re.match(rf"{operations} operations", shown)
        assert f"{operations} operations are linearizable" in group.check(history)
        assert re.search(r"view [1-9]\d*, leader", group.logs())


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


def test_refusals(tmp_path: Path) -> None:
    """Wrong use and a damaged log are reported, and nothing is overwritten."""
    program = tmp_path / "vr"
    run_go("build", "-o", str(program), ".")
    config = tmp_path / "group.json"
    config.write_text('{"replicas": ["127.0.0.1:7000", "127.0.0.1:7001", "127.0.0.1:7002"]}')
    bad = tmp_path / "bad.json"
    bad.write_text('{"replicas": ["127.0.0.1:7000", "127.0.0.1:7001"]}')
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
    subprocess.run([program, "init", "-data", data], check=True)
    assert "exists" in refusal("init", "-data", str(data))
    log = data / "log"
    log.write_bytes(b"x" + log.read_bytes()[1:] + log.read_bytes())
    assert "damaged" in refusal(*replica, "-index", "0")
