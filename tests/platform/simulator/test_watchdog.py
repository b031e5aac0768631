# SPDX-License-Identifier: Apache-2.0
"""The stall watchdog: a real deadlock is reported with what waits for what, slowness is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus import Simulation
from bombus.analysis import check
from bombus.generation import generate
from bombus.generation.manifest import manifest
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, arp_reply, udp_frame
from bombus.simulator.build import Library, build_library
from bombus.simulator.stalls import Stall, explain, present_hops, ring, stalls
from tests import ROOT
from tests.support import message_sums
from tests.support.helpers import DESIGNS

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "docs" / "examples" / "deadlock"

STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")


@pytest.fixture(scope="module")
def figure_5a(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Built although `bombus check` rejects it."""
    folder = tmp_path_factory.mktemp("figure_5a") / "generated"
    generate.generate(EXAMPLES / "figure_5a.yaml", folder, allow_deadlock=True)
    return build_library(folder)


def exchange(simulation: Simulation, sizes: list[int], *, limit_cycles: int = 40_000) -> int:
    """Sends datagrams of these sizes back to back; returns the number of answers."""
    host = Host.from_manifest(simulation.manifest)
    frames = [udp_frame(STATION, host, bytes(size), port=7) for size in sizes]
    return len(simulation.exchange(frames, limit_cycles=limit_cycles).received)


def test_figure_5a_stops_for_ever_and_the_ring_is_named(figure_5a: Library) -> None:
    # One long datagram is enough: it needs the link that it still holds.
    with Simulation(figure_5a) as simulation:
        introduce(simulation, STATION)
        assert exchange(simulation, [1400]) == 0
        found = simulation.stalls()
        assert {stall.name for stall in ring(found)} == {
            "link (1, 0) to (2, 0)",
            "ejection port of router (2, 0)",
            "layer ipv4_rx",
            "injection port of router (2, 0)",
            "link (2, 0) to (1, 0)",
            "ejection port of router (1, 0)",
            "layer udp_rx",
            "injection port of router (1, 0)",
        }
        # eth_rx waits too, outside the cycle.
        (outside,) = (stall for stall in found if stall.name == "injection port of router (0, 0)")
        assert outside.waits_for == ("link (0, 0) to (1, 0)",)
        text = explain(found)
        assert text[-1].startswith("deadlock, each waits for the next: ")
        assert (
            "-> link (1, 0) to (2, 0) -> ejection port of router (2, 0) -> layer ipv4_rx ->"
            in text[-1]
        )
        assert all(0 < stall.since_cycle < simulation.cycle - 10_000 for stall in found)
        simulation.reset()
        assert simulation.stalls() == []


def test_a_stall_is_told_when_it_has_lasted_for_the_limit(figure_5a: Library) -> None:
    limit, step = 1_000, 8
    sample = 64  # cycles
    with Simulation(figure_5a) as simulation:
        introduce(simulation, STATION)
        simulation.watch(limit)
        host = Host.from_manifest(simulation.manifest)
        simulation.send(udp_frame(STATION, host, bytes(1400), port=7))
        ages: dict[str, int] = {}
        for _ in range(3 * limit // step):
            simulation.advance(step)
            for stall in simulation.stalls():
                ages.setdefault(stall.name, simulation.cycle - stall.since_cycle)
        assert len(ages) > 8
        assert all(limit <= age < limit + sample + step for age in ages.values()), ages
        simulation.reset()


def test_a_ring_under_next_hops_that_were_rewritten(figure_5a: Library) -> None:
    """`ipv4_tx` sends back to `udp_tx`, over a link that no next hop of the design file uses."""
    with Simulation(figure_5a) as simulation:
        introduce(simulation, STATION)
        simulation.set_next_hop("ipv4_tx", "eth_tx", "udp_tx")
        assert exchange(simulation, [10] * 40) == 0
        assert {stall.name for stall in ring(simulation.stalls())} == {
            "link (3, 1) to (2, 1)",
            "ejection port of router (2, 1)",
            "layer ipv4_tx",
            "injection port of router (2, 1)",
            "link (2, 1) to (3, 1)",
            "ejection port of router (3, 1)",
            "layer udp_tx",
            "injection port of router (3, 1)",
        }
        # The reset restores the next hops.
        simulation.reset()
        introduce(simulation, STATION)
        assert exchange(simulation, [10] * 20) == 20


@pytest.mark.sweep  # test_fabrics names links of such a fabric, too
def test_on_the_crosspoint_fabric_queues_are_named(tmp_path: Path) -> None:
    # Routers with less room than a long datagram needs: it stops while still on links.
    design = tmp_path / "figure_5a.yaml"
    text = (EXAMPLES / "figure_5a.yaml").read_text()
    design.write_text(text + "fabric: {kind: crosspoint, buffer_depth: 32, max_packet_flits: 8}\n")
    generate.generate(design, tmp_path / "generated", allow_deadlock=True)
    with Simulation(build_library(tmp_path / "generated")) as simulation:
        message_sums.leave_out(simulation)
        introduce(simulation, STATION)
        assert exchange(simulation, [1400]) == 0
        names = [stall.name for stall in ring(simulation.stalls())]
        assert {name for name in names if name.startswith("link")} == {
            "link (1, 0) to (2, 0) from local",
            "link (2, 0) to (1, 0) from local",
        }
        # The link is held by a message from the west, which waits behind it.
        after = names[(names.index("link (1, 0) to (2, 0) from local") + 1) % len(names)]
        assert after == "ejection port of router (2, 0) from west"


def test_what_fits_into_the_buffers_passes(figure_5a: Library) -> None:
    with Simulation(figure_5a) as simulation:
        introduce(simulation, STATION)
        assert exchange(simulation, [10] * 20) == 20
        assert simulation.stalls() == []


def test_a_slow_network_is_no_stall(figure_5a: Library) -> None:
    # The MAC takes one beat in twenty cycles, so everything that waits for it moves now and then.
    with Simulation(figure_5a, tx_stall=0.95) as simulation:
        introduce(simulation, STATION)
        simulation.watch(1_000)
        # More than the buffers hold; the ingress buffer drops what does not fit.
        assert exchange(simulation, [10] * 300, limit_cycles=100_000) > 150
        assert simulation.stalls() == []


def test_a_stall_that_ends_is_no_longer_told(figure_5a: Library) -> None:
    with Simulation(figure_5a) as simulation:
        introduce(simulation, STATION)
        simulation.watch(1_000)
        assert exchange(simulation, [10]) == 1
        simulation.pace(tx_stall=1.0)  # the MAC takes nothing: the buffer of mac_tx fills
        exchange(simulation, [10] * 2_000, limit_cycles=30_000)
        found = simulation.stalls()
        assert any(stall.name == "layer eth_tx.mac_tx" and not stall.waits_for for stall in found)
        assert ring(found) == []
        assert "layer eth_tx.mac_tx has been stalled since cycle" in "\n".join(explain(found))
        simulation.pace(tx_stall=0.0)
        simulation.advance(10_000)
        assert simulation.stalls() == []


def test_a_message_of_one_flit_is_seen_in_the_buffer_of_a_router(figure_5a: Library) -> None:
    into = "ejection port of router (1, 1)"
    with Simulation(figure_5a) as simulation:
        introduce(simulation, STATION)
        simulation.watch(1_000)
        simulation.pace(tx_stall=1.0)  # the MAC takes nothing: eth_tx stops in the end
        for _ in range(100):
            exchange(simulation, [10] * 10, limit_cycles=2_000)
            if any(stall.name == into for stall in simulation.stalls()):
                break
        link = "link (0, 1) to (1, 1)"
        assert link not in {stall.name for stall in simulation.stalls()}
        # arp reports an ARP reply to eth_tx: one flit, no answer.
        reply = arp_reply(STATION, Host.from_manifest(simulation.manifest))
        simulation.exchange([reply], limit_cycles=4_000)
        assert {stall.name: stall.waits_for for stall in simulation.stalls()}[link] == (into,)


NOWHERE = 0
GROUP = 3 << 30


def to(x: int, y: int, port: int = 0) -> int:
    """An entry of a next-hop table."""
    return 1 << 31 | port << 16 | y << 8 | x


def ends(manifest: dict[str, Any], hop: str, writes: dict[int, int]) -> list[str | None]:
    """Where a next hop of `udp_rx` leads."""
    return [
        each["to"]
        for each in present_hops(manifest, writes)
        if each["from"] == "udp_rx.udp_rx" and each["next"] == hop
    ]


def test_present_next_hops() -> None:
    facts, _ = check.check(DESIGNS / "udp_echo_replicas.yaml")
    plain = manifest(facts)
    assert present_hops(plain, {}) == plain["hops"]
    tables = {
        each["table"]: each["window"] + each["offset"]
        for each in plain["hop_tables"]
        if each["tile"] == "udp_rx"
    }
    places = {each["name"]: (each["x"], each["y"]) for each in plain["tiles"]}
    (group,) = (
        each for each in plain["dispatch"] if each["tile"] == "udp_rx" and each["group"] == "echo"
    )
    hop = group["next"][0]
    entry = next(
        each["entry"] for each in plain["hops"] if each["next"] == hop and each["group"] == "echo"
    )
    at = tables["next_hop"] + 4 * entry
    replicas = [f"echo_{n}.udp_echo" for n in range(4)]
    assert sorted(map(str, ends(plain, hop, {}))) == replicas
    assert ends(plain, hop, {at: NOWHERE}) == [None]
    assert ends(plain, hop, {at: to(*places["echo_2"])}) == ["echo_2.udp_echo"]
    assert ends(plain, hop, {at: to(200, 0)}) == ends(plain, hop, {at: to(0, 0, 99)}) == [None]
    assert sorted(map(str, ends(plain, hop, {at: GROUP | group["number"]}))) == replicas
    # All slots of the group
    slots = [tables["slot"] + 4 * (group["first_slot"] + n) for n in range(len(group["slots"]))]
    assert ends(plain, hop, dict.fromkeys(slots, to(*places["echo_1"]))) == ["echo_1.udp_echo"]
    assert None in ends(plain, hop, {slots[0]: NOWHERE})
    # Other next hops stay as they are.
    others = [each for each in plain["hops"] if each["entry"] != entry]
    assert all(each in present_hops(plain, {at: NOWHERE}) for each in others)


def test_explanation() -> None:
    watch = [
        {"name": "a", "waits_for": [1, 2]},
        {"name": "b", "waits_for": [0]},
        {"name": "c", "waits_for": []},
        {"name": "d", "waits_for": [0]},
    ]
    assert ring(stalls(watch, {2: 5})) == []
    assert explain(stalls(watch, {2: 5})) == ["c has been stalled since cycle 5: is the cause"]
    found = stalls(watch, {0: 9, 1: 7, 3: 1234})
    assert found == [Stall("b", 7, ("a",)), Stall("a", 9, ("b",)), Stall("d", 1234, ("a",))]
    assert explain(found)[-1] == "deadlock, each waits for the next: b -> a -> b"
