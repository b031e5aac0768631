# SPDX-License-Identifier: Apache-2.0
"""A service that waits for another layer: where `bombus check` finds a deadlock, and where not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.generation.generate import generate
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, Station, udp_frame
from bombus.simulator.build import build_library
from bombus.simulator.simulation import Simulation
from bombus.simulator.stalls import ring
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support import message_sums

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "docs" / "examples" / "lookup"
PORT = 2000
TOGETHER = "  - {name: lookup, layers: [udp_lookup, store], at: [0, 1]}\n"
APART = (
    "  - {{name: lookup, kind: udp_lookup{more}, at: [0, 1]}}\n"
    "  - {{name: store, kind: store, at: [1, 1]}}\n"
)


def variant(folder: Path, tiles: str) -> Path:
    text = (EXAMPLE / "lookup.yaml").read_text()
    assert TOGETHER in text
    # At 128 bits datagrams come faster than answers.
    text = text.replace("data_width: 64", "data_width: 128")
    text = text.replace(TOGETHER, tiles).replace(
        "[udp_lookup.sv, store.sv]", f"[{EXAMPLE / 'udp_lookup.sv'}, {EXAMPLE / 'store.sv'}]"
    )
    file = folder / "lookup.yaml"
    file.write_text(text)
    return file


def requests(simulation: Simulation, count: int) -> list[bytes]:
    host = Host.from_manifest(simulation.manifest)
    station: Station = neighbour(simulation.manifest)
    introduce(simulation, station)
    return [
        udp_frame(station, host, n.to_bytes(8), port=PORT, source_port=1000 + n)
        for n in range(count)
    ]


def answers(frames: list[bytes]) -> list[bytes]:
    """Payloads of 8 bytes, inverted again."""
    return [bytes(byte ^ 0xFF for byte in frame[42:50]) for frame in frames]


def test_store_in_the_same_tile_answers_everyone() -> None:
    count = 200
    with Simulation(EXAMPLE / "lookup.yaml", assertions=True) as simulation:
        exchange = simulation.exchange(requests(simulation, count), limit_cycles=200_000)
        came = [frame.data for frame in exchange.received]
        assert answers(came) == [n.to_bytes(8) for n in range(count)]
        assert message_sums.check(simulation) == 0
        simulation.check()


def test_no_datagram_is_taken_while_a_request_is_open() -> None:
    """The MAC takes nothing until the stop has reached the service, whose reply waits, too."""
    count = 800  # some 600 fill the buffer of `mac_tx` and all between
    with Simulation(EXAMPLE / "lookup.yaml", assertions=True) as simulation:
        frames = requests(simulation, count)
        simulation.pace(tx_stall=1.0)
        for frame in frames:
            simulation.send(frame)
        simulation.advance(20_000)
        assert "layer lookup.udp_lookup" in {stall.name for stall in simulation.stalls()}
        simulation.pace()
        came = [frame.data for frame in simulation.receive_all()]
        assert answers(came) == [n.to_bytes(8) for n in range(count)]
        ports = [(int.from_bytes(data[34:36]), int.from_bytes(data[36:38])) for data in came]
        assert ports == [(PORT, 1000 + n) for n in range(count)]
        simulation.check()


def test_store_in_another_tile_is_refused_and_stalls(tmp_path: Path) -> None:
    """The answer waits behind the datagrams that wait for it."""
    file = variant(tmp_path, APART.format(more=""))
    with pytest.raises(check.DeadlockError) as caught:
        check.check(file)
    assert {"lookup", "store"} <= {tile.name for tile in caught.value.cycles[0].tiles}
    folder = tmp_path / "generated"
    generate(file, folder, allow_deadlock=True)
    with Simulation(build_library(folder)) as simulation:
        message_sums.leave_out(simulation)
        for frame in requests(simulation, 3):
            simulation.send(frame)
        simulation.advance(50_000)
        assert len(list(simulation.receive_all())) < 3
        names = [stall.name for stall in ring(simulation.stalls())]
        after = [*names, *names][names.index("layer lookup") + 1 :][:2]
        assert after == ["link (1, 1) to (0, 1)", "ejection port of router (0, 1)"]
        assert simulation.in_flight


def test_dropping_while_busy_breaks_the_cycle(tmp_path: Path) -> None:
    count = 100
    with Simulation(
        variant(tmp_path, APART.format(more=", drops_when_busy: true")), assertions=True
    ) as simulation:
        frames = requests(simulation, count)
        for frame in frames:
            simulation.send(frame)
        came = answers([frame.data for frame in simulation.receive_all()])
        dropped = simulation.tile_counters("lookup")["drop.udp_lookup.busy"]
        assert dropped > 0
        assert len(came) + dropped == count
        rest = iter(n.to_bytes(8) for n in range(count))
        assert all(answer in rest for answer in came)
        assert message_sums.check(simulation) == 0
        simulation.check()


# ---- Layers that hand messages to others beside the mesh ----

HAND_OVER = TEST_DESIGNS / "hand_over.yaml"


def echoed(simulation: Simulation, count: int) -> int:
    """Answers of the right content to long datagrams back to back."""
    host = Host.from_manifest(simulation.manifest)
    station = neighbour(simulation.manifest)
    introduce(simulation, station)
    payloads = [bytes([n]) * 1400 for n in range(count)]
    frames = [udp_frame(station, host, each, port=7) for each in payloads]
    came = simulation.exchange(frames, limit_cycles=60_000).received
    assert [frame.data[42:] for frame in came] == payloads[: len(came)]
    return len(came)


def test_layers_that_hand_over_messages_answer() -> None:
    with Simulation(HAND_OVER, assertions=True) as simulation:
        message_sums.leave_out(simulation)
        simulation.pace(tx_stall=0.5)
        assert echoed(simulation, 20) == 20
        simulation.check()


@pytest.mark.sweep
def test_layers_that_hand_over_messages_may_stand_in_their_own_way(tmp_path: Path) -> None:
    """`udp_tx` needs the link to the echo, which messages to the echo hold."""
    text = HAND_OVER.read_text()
    for old, new in (
        ("kind: udp_tx, at: [2, 1]", "kind: udp_tx, at: [1, 0]"),
        ("mac_tx], at: [1, 1]", "mac_tx], at: [2, 1]"),
        ("[hand_over.sv]", f"[{HAND_OVER.with_suffix('.sv')}]"),
    ):
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "hand_over.yaml"
    file.write_text(text)
    with pytest.raises(check.DeadlockError) as caught:
        check.check(file)
    assert "layer echo.taker: hands messages on to echo.giver" in str(caught.value)
    folder = tmp_path / "generated"
    generate(file, folder, allow_deadlock=True)
    with Simulation(build_library(folder)) as simulation:
        message_sums.leave_out(simulation)
        assert echoed(simulation, 20) < 20
        assert simulation.stalls()


def test_a_lost_message_is_seen_when_a_simulation_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not lost, but as if no counter knew of it."""
    monkeypatch.setitem(message_sums.EVENTS["arp"], "request_in", message_sums.GOES_ON)
    with (
        pytest.raises(AssertionError, match="arp: 1 in, but 2 out, 0 dropped, -2 more ended"),
        Simulation(EXAMPLE / "lookup.yaml", assertions=True) as simulation,
    ):
        introduce(simulation, neighbour(simulation.manifest))
