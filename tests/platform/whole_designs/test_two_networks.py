# SPDX-License-Identifier: Apache-2.0
"""Designs with two networks: live, under load with pauses everywhere, and where one waits."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.generation.generate import generate
from bombus.simulator.build import build_library
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS
from tests.platform.analysis.test_waiting import EXAMPLE
from tests.support import message_sums
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

DESIGN = EXAMPLE / "two_networks.yaml"
# Asks for 300 numbers, and prints how many of the answers are right.
ASK = """
import socket, sys
right = 0
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.settimeout(30)
    client.connect((sys.argv[1], 2000))
    for number in range(300):
        client.send(number.to_bytes(8))
        right += client.recv(100) == bytes(255 - byte for byte in number.to_bytes(8))
print(right)
"""


def test_linux_asks_over_two_networks(start: Callable[..., Live]) -> None:
    live = start(DESIGN)
    assert live.python(ASK, ADDRESS) == "300"
    totals = live.stop()
    lookup = totals["counters"]["lookup"]
    assert lookup["noc_control_in_messages"] == lookup["noc_control_out_messages"] == 300
    assert lookup["noc_out_messages"] == 300


def frames(count: int) -> list[bytes]:
    """Frames of several sizes, each with a number in its first 8 bytes."""
    choose = random.Random(count)
    return [n.to_bytes(8) + choose.randbytes(choose.randint(52, 400)) for n in range(count)]


def inverted(frame: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in frame[:8]) + frame[8:]


def test_nobody_waits_for_ever_on_two_networks() -> None:
    """Frames as fast as they come, with pauses at both MAC ports and in the store."""
    sent = frames(300)
    with Simulation(TEST_DESIGNS / "frame_lookup.yaml", assertions=True) as simulation:
        simulation.pace(rx_bubble=0.2, tx_stall=0.5)
        exchange = simulation.exchange(sent, window=40, limit_cycles=400_000)
        # Two virtual channels may change the order.
        came = sorted(frame.data for frame in exchange.received)
        assert came == sorted(inverted(each) for each in sent)
        assert message_sums.check(simulation) == 0
        lookup = simulation.tile_counters("lookup")
        assert lookup["noc_control_out_messages"] == lookup["noc_control_in_messages"] == 300
        assert lookup["noc_control_in_bytes"] == 8 * 300
        assert lookup["noc_in_messages"] == lookup["noc_out_messages"] == 300
        assert not simulation.stalls()
        simulation.check()
        run_time_changes(simulation)


def run_time_changes(simulation: Simulation) -> None:
    """The second network's next hop follows the first one's in the same table."""
    lookup = next(each for each in simulation.manifest["tiles"] if each["name"] == "lookup")
    hop = simulation.registers.tiles["lookup"].next_hop[lookup["next_hops"]["store"]]
    # Outside the network's rectangle there is no router: the message is dropped.
    hop.write(valid=1, is_group=0, port=0, y=0, x=0)
    simulation.send(frames(1)[0])
    simulation.advance(1_000)
    counters = simulation.tile_counters("lookup")
    assert (counters["drop.no_route"], counters["drop.control.no_route"]) == (0, 1)
    simulation.reset()
    simulation.set_next_hop("lookup", "store", "store")
    assert len(simulation.exchange(frames(1)).received) == 1


@pytest.mark.sweep
def test_a_ring_over_two_networks_is_refused_and_stalls(tmp_path: Path) -> None:
    """Requests have a network for themselves, but answers wait behind frames."""
    text = (TEST_DESIGNS / "frame_lookup.yaml").read_text()
    for old, new in (
        (
            "[frame_lookup.sv, erratic_store.sv]",
            f"[{TEST_DESIGNS}/frame_lookup.sv, {TEST_DESIGNS}/erratic_store.sv]",
        ),
        ("{data_width: 128, fabric: {kind: virtual_channels}}", "{data_width: 64}"),
        ("{query: control, answer: control}", "{query: control}"),
        ("{in: control, out: control}", "{in: control}"),
    ):
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "ring.yaml"
    file.write_text(text)
    with pytest.raises(check.DeadlockError, match="of network data"):
        check.check(file)
    folder = tmp_path / "generated"
    generate(file, folder, allow_deadlock=True)
    with Simulation(build_library(folder)) as simulation:
        message_sums.leave_out(simulation)
        for frame in frames(20):
            simulation.send(frame)
        simulation.advance(40_000)
        assert len(list(simulation.receive_all())) < 20
        names = [stall.name for stall in simulation.stalls()]
        assert "ejection port of router (0, 1) of network data" in names
        assert not any(name.endswith("of network control") for name in names)
