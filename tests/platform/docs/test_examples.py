# SPDX-License-Identifier: Apache-2.0
"""The examples of the documentation work, and its pages show the very files."""

from __future__ import annotations

import difflib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bombus.generation.generate import generate
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, udp_frame
from bombus.simulator.build import Library, build
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.platform.docs.documents import (
    DOCS,
    EXAMPLES,
    PAGES,
    UDP_ECHO,
    blocks,
    renewed,
    udp_upper,
)
from tests.platform.docs.documents import UDP_UPPER as DESIGN
from tests.support.live import new_namespace

UPPER = DESIGN.parent
PORT = 1007
HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP
STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")
CAPITALS = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
ANOTHER_ECHO = "  - {name: echo2, kind: udp_echo, udp_port: 1007}\n"


def added(before: list[str], after: list[str]) -> list[str]:
    """Lines added in `after`; none was removed, except name and comment."""
    marked = list(difflib.ndiff(before, after))
    lost = [line[2:] for line in marked if line.startswith("- ")]
    new = [line[2:] for line in marked if line.startswith("+ ")]
    assert [line.split()[0] for line in lost] in ([], ["#", "name:"])
    return new[len(lost) :]


def is_generated(path: Path) -> bool:
    """Written by a command that its first lines name."""
    head = " ".join(path.read_text().split("module ")[0].replace("//", " ").split())
    return "compiled by `bombus " in head


def test_pages_show_the_very_files() -> None:
    assert DESIGN.read_text() == udp_upper(), "run `make docs`"
    for page in PAGES:
        assert page.read_text() == renewed(page), f"{page.name}: run `make docs`"
    shown = {block.file for page in PAGES for block in blocks(page)}
    examples = [
        path
        for path in EXAMPLES.rglob("*")
        if path.suffix in (".sv", ".yaml", ".py", ".c") and not is_generated(path)
    ]
    assert shown >= {str(path.relative_to(ROOT)) for path in examples}


@pytest.mark.slow
def test_hop(tmp_path: Path) -> None:
    """The tutorial of firmware: every TTL."""
    command = [sys.executable, str(EXAMPLES / "middlebox" / "try_hop.py"), str(tmp_path / "a.elf")]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("256 packets, as expected; the program runs, 2 dropped")


def test_the_layer_is_one_short_file_and_two_lines_of_design_file() -> None:
    assert len((UPPER / "udp_upper.sv").read_text().splitlines()) <= 200
    new = added(UDP_ECHO.read_text().splitlines(), DESIGN.read_text().splitlines())
    assert new == [
        "sources: [udp_upper.sv]",
        "  - {name: upper, kind: udp_upper, udp_port: 1007}",
    ]
    page = (DOCS / "write-your-own-layer.md").read_text()
    for line in new:
        assert f"\n{line}\n" in page


def test_one_more_instance_is_one_line(tmp_path: Path) -> None:
    design = tmp_path / "two_echoes.yaml"
    text = UDP_ECHO.read_text()
    design.write_text(text.rstrip("\n") + "\n" + ANOTHER_ECHO)
    assert len(added(text.splitlines(), design.read_text().splitlines())) == 1
    assert ANOTHER_ECHO in (DOCS / "write-your-own-layer.md").read_text()

    generated = generate(design, tmp_path / "out")  # elaborates the generated design
    assert not generated.warnings
    apps = [str(each.targets[0]) for each in generated.facts.design.bindings_of("udp_port")]
    assert apps == ["echo", "echo2"]
    tile = (generated.folder / "tiles" / "udp_echo_tile_udp_rx.sv").read_text()
    assert ".NumBound(2)" in tile
    assert ".BoundKeys({16'd1007, 16'd7})" in tile
    assert ".BoundHops({8'd1, 8'd0})" in tile


@pytest.fixture(scope="module")
def library() -> Library:
    return build(DESIGN)


def payloads(source: random.Random) -> Iterator[bytes]:
    """Payloads of all lengths around a beat, some long ones, texts, and bytes of all values."""
    for length in (*range(1, 200), 1471, 1472):
        yield bytes(source.choices(range(256), k=length))
    yield bytes(range(256))
    yield b"`az{@AZ["  # the letters' neighbours
    yield "straße, 蜜蜂".encode()


@pytest.mark.slow
@pytest.mark.parametrize("pace", [0.0, 0.5])
def test_upper_answers_in_capitals(library: Library, pace: float) -> None:
    sent = list(payloads(random.Random(1)))
    with Simulation(library, seed=2, rx_bubble=pace, tx_stall=pace) as simulation:
        host = Host.from_manifest(simulation.manifest)
        introduce(simulation, STATION)
        frames = [udp_frame(STATION, host, payload, port=PORT) for payload in sent]
        result = simulation.exchange(frames)
        answers = [
            frame.data[HEADERS : HEADERS + len(payload)]
            for frame, payload in zip(result.received, sent, strict=True)
        ]
        assert answers == [payload.translate(CAPITALS) for payload in sent]
        simulation.advance_until_idle()
        counters = simulation.tile_counters("upper")
        changed = sum(payload != payload.translate(CAPITALS) for payload in sent)
        assert counters["event.udp_upper.changed"] == changed
        assert counters["noc_out_messages"] == len(sent)
        simulation.check()


@pytest.mark.slow
def test_upper_drops_what_wants_no_answer(library: Library) -> None:
    with Simulation(library) as simulation:
        host = Host.from_manifest(simulation.manifest)
        introduce(simulation, STATION)
        for source_port, payload in ((0, b"a" * 200), (5000, b""), (0, b"")):
            frame = udp_frame(STATION, host, payload, port=PORT, source_port=source_port)
            simulation.send(frame)
        simulation.send(udp_frame(STATION, host, b"still there", port=PORT))
        (answer,) = simulation.receive_all()
        assert answer.data[HEADERS:].startswith(b"STILL THERE")
        simulation.advance_until_idle()
        counters = simulation.tile_counters("upper")
        assert counters["drop.udp_upper.no_reply_port"] == 2
        assert counters["drop.udp_upper.empty"] == 1
        assert counters["event.udp_upper.changed"] == 1


@pytest.mark.slow
def test_what_the_page_shows_is_what_the_program_prints(library: Library) -> None:
    assert library.path.exists()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "tests.support.watched", str(UPPER / "try_it.py")]
    result = subprocess.run(command, env=environment, check=True, text=True, capture_output=True)
    page = (DOCS / "write-your-own-layer.md").read_text()
    assert f"```\n{result.stdout}```" in page, result.stdout


@pytest.mark.slow
def test_a_linux_program_talks_to_it(library: Library, tmp_path: Path) -> None:
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    assert library.path.exists()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    report = tmp_path / "report.json"
    with new_namespace() as namespace:
        command = [sys.executable, "-m", "tests.support.watched", "bombus.cli"]
        command += ["run", str(DESIGN), "--report", str(report)]
        runner = namespace.popen(command, env=environment, stdout=subprocess.DEVNULL)
        namespace.wait_for_interface("bombus0", runner)
        client = [sys.executable, str(UPPER / "ask.py"), "10.77.0.2"]
        for text in ("Seven bees in the hive", "straße " * 150):
            result = namespace.run([*client, text], text=True, capture_output=True, timeout=60)
            assert result.stdout == text.encode().translate(CAPITALS).decode() + "\n"
        assert namespace.stop(runner) == 0
    totals = json.loads(report.read_text())
    assert totals["counters"]["upper"]["event.udp_upper.changed"] == 2
    assert not any(totals["errors"].values())
