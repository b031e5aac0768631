"""The cache of simulators."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bombus.build import BuildError, build_library, verilator_environment
from bombus.cache import cached_directory, content_key
from bombus.errors import UserError
from bombus.simulation import Simulation

LOOPBACK = Path(__file__).parent / "loopback"


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_key_depends_on_names_and_contents(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one")
    key = content_key(["flag"], [("a", file)])
    assert key == content_key(["flag"], [("a", file)])
    assert key != content_key(["flags"], [("a", file)])
    assert key != content_key(["flag"], [("b", file)])
    file.write_text("two")
    assert key != content_key(["flag"], [("a", file)])


def test_made_once_though_wanted_by_many(own_cache: Path) -> None:
    made = []

    def make(directory: Path) -> None:
        made.append(directory)
        time.sleep(0.1)
        (directory / "file").write_text("whole")

    def want() -> None:
        assert (cached_directory("thing", make) / "file").read_text() == "whole"

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert {path.name for path in own_cache.iterdir()} == {"thing", "thing.lock"}


def test_nothing_stays_of_a_failure(own_cache: Path) -> None:
    def fail(directory: Path) -> None:
        (directory / "half").write_text("")
        raise ValueError

    with pytest.raises(ValueError):
        cached_directory("thing", fail)
    assert {path.name for path in own_cache.iterdir()} == {"thing.lock"}


def test_cache_with_a_space_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path / "a b"))
    with pytest.raises(UserError, match="space"):
        cached_directory("thing", lambda _: None)


def test_an_error_in_the_hardware_is_named(own_cache: Path, tmp_path: Path) -> None:
    shutil.copytree(LOOPBACK, tmp_path / "broken")
    source = tmp_path / "broken" / "loopback_port.sv"
    source.write_text(source.read_text().replace("assign whole =", "assign hole ="))
    with pytest.raises(BuildError, match=r"loopback_port.sv:\d+.*hole") as caught:
        build_library(tmp_path / "broken")
    log = Path(str(caught.value).rsplit(" ", 1)[1])
    assert "hole" in log.read_text()
    assert not list((own_cache / "simulators").glob("*/*.so"))


def test_same_content_elsewhere_is_the_same(tmp_path: Path) -> None:
    shutil.copytree(LOOPBACK, tmp_path / "copy")
    assert build_library(tmp_path / "copy").path == build_library(LOOPBACK).path


def test_another_clock_is_another_simulator(tmp_path: Path) -> None:
    shutil.copytree(LOOPBACK, tmp_path / "slow")
    manifest = tmp_path / "slow" / "loopback.json"
    values = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**values, "clock_mhz": 156.25}))
    with Simulation(build_library(tmp_path / "slow")) as simulation:
        assert simulation.clock_hz == 156_250_000
        simulation.advance(156_250 - simulation.cycle)
        assert simulation.time_us == 1000


def test_programs_find_verilator() -> None:
    result = subprocess.run(
        ["verilator", "--version"], env=verilator_environment(), text=True, capture_output=True
    )
    assert result.stdout.startswith("Verilator 5."), result.stderr


def test_c_program_can_use_a_simulator(tmp_path: Path) -> None:
    """The header is plain C, and the library is all a program needs."""
    library = build_library(LOOPBACK).path
    program = tmp_path / "program.c"
    program.write_text(
        """
        #include <assert.h>
        #include <string.h>
        #include "bombus_sim.h"
        int main(void) {
          assert(bombus_api_version() == BOMBUS_API_VERSION);
          bombus_sim *sim = bombus_open(NULL);
          uint8_t frame[100], answer[9600];
          for (unsigned i = 0; i < sizeof frame; ++i) frame[i] = (uint8_t)i;
          assert(bombus_send_frame(sim, 0, frame, sizeof frame, 0) == 0);
          assert(bombus_advance_until_frame(sim, 0, 1000) == 0);
          assert(bombus_receive_frame(sim, 0, answer, 10, NULL) < 0);
          assert(bombus_receive_frame(sim, 0, answer, sizeof answer, NULL) == sizeof frame);
          assert(memcmp(frame, answer, sizeof frame) == 0);
          bombus_close(sim);
          return 0;
        }
        """
    )
    sim = Path(__file__).parents[2] / "sim"
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(
        ["gcc", *warnings, f"-I{sim}", program, library, "-o", tmp_path / "program"], check=True
    )
    subprocess.run([tmp_path / "program"], check=True)


def test_a_second_start_is_quick() -> None:
    build_library(LOOPBACK)
    code = (
        "import sys; from pathlib import Path; from bombus.build import build_library; "
        "from bombus.simulation import Simulation; "
        "Simulation(build_library(Path(sys.argv[1]))).advance(1)"
    )
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", code, str(LOOPBACK)], check=True)
    assert time.monotonic() - started < 3
