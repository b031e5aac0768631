# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests, message sums of simulations, the closing line."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bombus.base import trust
from bombus.base.errors import DesignError
from bombus.base.output import STDOUT
from bombus.measure import bench
from bombus.simulator.build import Library, build_library
from bombus.simulator.simulation import Simulation
from tests import BEAT_BOARD, LOOPBACK, ROOT
from tests.applications.processors import forwarding
from tests.support import cpu_time, message_sums
from tests.support.harness import Benches
from tests.support.helpers import DESIGNS, Benchmark, Edited, Problems
from tests.support.live import Live, starter

# Background jobs ignore Ctrl-C, nohup jobs also a hang-up, and so would programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.environ["BOMBUS_QUICK_BUILDS"] = "1"  # runs are short
trust.allow(ROOT)  # for designs that tests write elsewhere, with sources of the repository
message_sums.watch()  # every simulation that a test opens


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(cpu_time.OPTION, action="store_true", help="print CPU time by folder")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(cpu_time.OPTION):
        config.pluginmanager.register(cpu_time.CpuTime())


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line: `N passed, N failed`. Errors outside a test's body count as failures."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    passed = len(reporter.getreports("passed"))
    failed = len(reporter.getreports("failed")) + len(reporter.getreports("error"))
    reporter.ensure_newline()
    reporter.write_line(f"{passed} passed, {failed} failed")


# ---- Design files ----


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    """udp_echo with texts replaced; each must be there."""

    def write(*edits: tuple[str, str]) -> Path:
        text = (DESIGNS / "udp_echo.yaml").read_text()
        for old, new in edits:
            assert old in text, f"{old!r} is not in udp_echo.yaml"
            text = text.replace(old, new)
        file = tmp_path / "design.yaml"
        file.write_text(text)
        return file

    return write


@pytest.fixture
def problems() -> Problems:
    """The problems that a step finds in a design, each as `line: message`."""

    def find(step: Callable[[Path], object], file: Path, *, errors_only: bool = True) -> list[str]:
        with pytest.raises(DesignError) as caught:
            step(file)
        return [
            f"{problem.line}: {problem.message}"
            for problem in caught.value.problems
            if problem.is_error or not errors_only
        ]

    return find


# ---- Benches of modules ----


@pytest.fixture(scope="session")
def benches() -> Benches:
    """Opens benches on Bombus's own RTL."""
    return Benches()


# ---- Simulators ----


@pytest.fixture(scope="session")
def beat_board() -> Library:
    return build_library(BEAT_BOARD)


@pytest.fixture(scope="session")
def loopback() -> Library:
    return build_library(LOOPBACK)


@pytest.fixture(scope="session")
def loopback_with_everything() -> Library:
    """With waveforms and assertions."""
    return build_library(LOOPBACK, trace=True, assertions=True)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Live]]:
    """Starts a design with options of `live.run`."""
    with starter(tmp_path) as start_design:
        yield start_design


@pytest.fixture(scope="module")
def forward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that only forwards."""
    return forwarding.compiled(tmp_path_factory.mktemp("firmware"))


# ---- Benchmarks ----


@pytest.fixture
def with_assertions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks use the simulators of the other tests, which have assertions."""
    monkeypatch.setitem(Simulation.__init__.__kwdefaults__, "assertions", True)


@pytest.fixture
def benchmark(capsys: pytest.CaptureFixture[str]) -> Benchmark:
    """Runs a benchmark like the command does; returns its JSON output."""

    def run_benchmark(name: str, design: Path | None = None, **options: Any) -> Any:
        capsys.readouterr()
        texts = {option: None if value is True else value for option, value in options.items()}
        bench.run(name, design, STDOUT, **texts)
        return json.loads(capsys.readouterr().out)

    return run_benchmark
