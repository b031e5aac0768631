# SPDX-License-Identifier: Apache-2.0
"""The cache of simulators."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.simulator.build import build, build_library
from bombus.simulator.compiling import BuildError
from bombus.simulator.simulation import Simulation
from bombus.simulator.verilator import verilator_environment
from tests import LOOPBACK, ROOT

pytestmark = pytest.mark.slow


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


def test_key_depends_on_no_comment(tmp_path: Path) -> None:
    file = tmp_path / "a.sv"
    texts = [
        'assign a = "//"; // one\n  // verilator lint_off WIDTH\n  /* two */\n',
        'assign a = "//";\n  // verilator lint_off WIDTH\n\n',
        'assign a = "//x";\n  // verilator lint_off WIDTH\n\n',
        'assign a = "//";\n  // verilator lint_on WIDTH\n\n',
        'assign a = "//";\n\n  // verilator lint_off WIDTH\n',
        'assign a = "//"; /* one\n */\n  // verilator lint_off WIDTH\n',
    ]
    keys = []
    for text in texts:
        file.write_text(text)
        keys.append(content_key([], [("a", file)]))
    assert keys[0] == keys[1]
    assert keys[4] == keys[5]
    assert len(set(keys)) == 4


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


# Starts a long build with programs that have started others.
BUILD = """
from bombus.base.cache import cached_directory
from bombus.simulator.compiling import run_logged
from pathlib import Path
import os
def make(folder):
    with (folder / "log").open("w") as log:
        script = "while :; do date > file; sleep 0.01; done & echo $! > pid; wait"
        run_logged(["sh", "-c", script], log=log, cwd=folder, environment=dict(os.environ), what="")
cached_directory("thing", make)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_stays_of_a_build_that_is_ended(own_cache: Path, number: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", BUILD], env=environment, stderr=-1)
    while not (pids := list(own_cache.glob(".thing-*/pid"))) or not pids[0].read_text():
        assert process.poll() is None
        time.sleep(0.02)
    child = Path("/proc") / pids[0].read_text().strip()
    time.sleep(0.5)  # the program may not have recorded yet what it has started
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode in (-number, 128 + number)
    end = time.monotonic() + 20
    while child.exists() and "Z" not in (child / "stat").read_text().split():
        assert time.monotonic() < end, "a program of the build runs on"
        time.sleep(0.05)
    if number == signal.SIGKILL:  # its directory is removed by the next build
        cached_directory("thing", lambda folder: (folder / "whole").touch())
        assert {path.name for path in own_cache.iterdir()} == {"thing", "thing.lock"}
        return
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
    """The header is plain C, and a program needs only the library."""
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
    sim = ROOT / "sim" / "platform"
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run(
        ["gcc", *warnings, f"-I{sim}", program, library, "-o", tmp_path / "program"], check=True
    )
    subprocess.run([tmp_path / "program"], check=True)


def test_a_second_start_is_quick() -> None:
    build_library(LOOPBACK)
    code = (
        "import sys; from pathlib import Path; from bombus.simulator.build import build_library; "
        "from bombus.simulator.simulation import Simulation; "
        "Simulation(build_library(Path(sys.argv[1]))).advance(1)"
    )
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", code, str(LOOPBACK)], check=True)
    assert time.monotonic() - started < 3


def test_errors_in_a_source_of_the_design_name_that_file(tmp_path: Path) -> None:
    """Verilator reads a copy in the cache, which users should not edit."""
    layer = (ROOT / "rtl" / "applications" / "echo" / "udp_echo.sv").read_text()
    bad = "  logic [3:0] narrow;\n  assign narrow = 8'(UdpPort);\nendmodule"
    source = tmp_path / "mine.sv"
    source.write_text(layer.replace("module udp_echo", "module my_echo").replace("endmodule", bad))
    line = source.read_text()[: source.read_text().index("assign narrow")].count("\n") + 1
    text = (ROOT / "designs" / "udp_echo.yaml").read_text()
    text = text.replace("kind: udp_echo", "kind: my_echo")
    design = tmp_path / "design.yaml"
    design.write_text(text.replace("tiles:", "sources: [mine.sv]\ntiles:", 1))
    with pytest.raises(BuildError) as caught:
        build(design)
    assert f"{source}:{line}:" in str(caught.value)
    assert "sources/mine.sv" not in str(caught.value)
    assert "DECLFILENAME" not in str(caught.value)  # a file need not have its module's name


@pytest.mark.parametrize("content", [b"name: \xff", b"x: " + b"[" * 500])
def test_a_file_that_cannot_be_read_is_refused_by_build_too(tmp_path: Path, content: bytes) -> None:
    design = tmp_path / "design.yaml"
    design.write_bytes(content)
    with pytest.raises(UserError):
        build(design)
