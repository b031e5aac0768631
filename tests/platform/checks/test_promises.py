# SPDX-License-Identifier: Apache-2.0
"""A layer that breaks a promise is caught in simulation, and named with its tile."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest

from bombus.base import paths
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS
from tests.support import message_sums
from tests.support.rtl_files import Mutation

pytestmark = pytest.mark.slow

DESIGN = TEST_DESIGNS / "promises.yaml"
ROGUE, COPIER, TURNCOAT = (2000, 8), (2001, 16), (2002, 16)  # UDP port, bytes of a datagram
GOOD, UNASKED = 0, 8


def frames(
    simulation: Simulation, *modes: int, application: tuple[int, int] = ROGUE
) -> list[bytes]:
    port, length = application
    host = Host.from_manifest(simulation.manifest)
    station = neighbour(simulation.manifest)
    introduce(simulation, station)
    return [udp_frame(station, host, bytes([mode] * length), port=port) for mode in modes]


def printed(capfd: pytest.CaptureFixture[str]) -> str:
    ctypes.CDLL(None).fflush(None)
    return "".join(capfd.readouterr())


def test_a_layer_that_keeps_its_word(capfd: pytest.CaptureFixture[str]) -> None:
    with Simulation(DESIGN, assertions=True) as simulation:
        exchange = simulation.exchange(frames(simulation, *[GOOD] * 50))
        dropped = simulation.tile_counters("application")["drop.rogue.busy"]
        assert len(exchange.received) + dropped == 50
        assert exchange.received
        # The copier takes the next datagram when the tray has taken both beats.
        copied = frames(simulation, *[GOOD] * 5, application=COPIER)
        assert len(simulation.exchange(copied).received) == 5
        returned = frames(simulation, *[GOOD] * 5, application=TURNCOAT)
        assert len(simulation.exchange(returned).received) == 5
        simulation.check()
    assert "Assertion failed" not in printed(capfd)


@pytest.mark.parametrize(
    ("wrong", "checker", "message"),
    [
        (1, "rogue", "input 0 waits for what it promised not to wait for"),
        (2, "rogue", "output 1 has more requests outstanding than credits"),
        (3, "rogue_query", "a beat changed while it waited"),
        (4, "rogue_query", "a message of 8 bytes has length 9"),
        (5, "rogue_query", "valid fell before the beat was taken"),
        (6, "rogue", "input 1 waits for what it promised not to wait for"),
        # It has room for two requests, and takes the first alone while its output is stopped.
        (7, "slow_store", "input 0 waits for what it promised not to wait for"),
        # The client's checker detects it, and names the server.
        (8, "rogue", "output 1: more answers than requests, from application.slow_store"),
        (8, "slow_store", "input 0: an answer without a request"),
        (9, "slow_store", "input 0: 1 messages have no answer, and the layer is idle"),
    ],
    ids=[
        *("takes late", "too many requests", "changes", "wrong length", "falls", "answer waits"),
        *("no room", "unasked answer", "answers twice", "loses a request"),
    ],
)
def test_a_layer_that_breaks_it(
    wrong: int, checker: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    said = broken_promise(capfd, wrong, ROGUE)
    place = f".u_application.check_{checker}"
    assert any(place in line and line.endswith(message) for line in said)
    # Further messages follow from it: the store returns a wrong length.
    assert all(line.endswith(message) for line in said) or wrong == UNASKED


NOT_ITS_OWN = "sends a message that it has not taken, has already sent, or held while idle"


@pytest.mark.parametrize(
    ("wrong", "checker", "message"),
    [
        (1, "turncoat", NOT_ITS_OWN),
        (2, "turncoat", NOT_ITS_OWN),
        (3, "turncoat_out", "the next hop changed inside a message"),
        (4, "turncoat_out", "a message of kind 1, which the layer does not send there"),
        (5, "turncoat_out", "bytes after the last one are not zero"),
        (6, "turncoat_out", "a message by next hop 3, but the layer has only 3"),
    ],
    ids=[
        *("sends twice", "sends when idle", "next hop changes", "another kind", "bytes behind"),
        "undeclared next hop",
    ],
)
def test_a_layer_of_the_mesh_that_breaks_it(
    wrong: int, checker: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    said = broken_promise(capfd, wrong, TURNCOAT)
    assert any(f".u_tricks.check_{checker}" in line for line in said)
    # Links and the layers behind see bad bytes, too.
    assert all(line.endswith(message) for line in said)


def test_copies_in_lock_step(capfd: pytest.CaptureFixture[str]) -> None:
    """The reply has begun and lacks a beat, since the copy of the one before waits."""
    said = broken_promise(capfd, 1, COPIER)
    assert all(".u_copies.check_copier" in line for line in said)
    assert all(line.endswith("output 0 waits inside a message for another output") for line in said)


def test_a_link_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A router that modifies its output to the east."""
    longer = "candidate[k].flit.beat.length += 14'(o == int'(DirEast));"
    old = "candidate[k].flit.dir = next_dir"
    broken = Mutation("router_wormhole", old, f"{longer}\n          {old}")
    monkeypatch.setattr(paths, "RTL", broken.copy(tmp_path))
    said = broken_promise(capfd, GOOD, ROGUE)
    assert ".u_receive.check_east" in said[0]
    assert re.search(r": link \(0, 0\) to \(1, 0\): a message of \d+ bytes has length", said[0])


def broken_promise(
    capfd: pytest.CaptureFixture[str], wrong: int, application: tuple[int, int]
) -> list[str]:
    """The checkers' output for a datagram that requests a fault."""
    with Simulation(DESIGN, assertions=True) as simulation:
        message_sums.leave_out(simulation)
        simulation.exchange(frames(simulation, wrong, GOOD, application=application))
        with pytest.raises(SimulationError, match=r"^promises: assertions_failed \d+$"):
            simulation.check()
    return [line for line in printed(capfd).splitlines() if "Assertion failed" in line]
