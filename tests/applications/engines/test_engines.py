# SPDX-License-Identifier: Apache-2.0
"""The engines one by one: every packet is what the model says, goes where its sequence says, at
every pace, one beat a cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from bombus.applications.engines.model import (
    NUM_FLOWS,
    Flow,
    Packet,
    with_checksum,
)
from bombus.protocols.frames import (
    ip_frame,
    pseudo_header,
    sums_to_zero,
    udp_frame,
)
from tests.applications.engines.engine_world import (
    FUNCTIONS,
    HOP,
    HOST,
    NEXT,
    STATION,
    Case,
    check,
    message,
    meta_of,
    open_engine,
    open_layer_without_entry,
    packet_beats,
    run,
)
from tests.support.harness import PACES, SEEDS, Bench, Benches, Layout, consecutive
from tests.support.layer_bench import counts

pytestmark = pytest.mark.slow

# What the bench reads from engine_count: the time, then an entry as in engine_count.rdl.
FLOW = Layout(("time_us", 32), ("packets", 32), ("hash", 32), ("bytes", 48))


STORING = ("engine_checksum", "engine_hash", "engine_encrypt")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("layer", FUNCTIONS)
def test_engine(benches: Benches, layer: str, seed: int) -> None:
    random = Random(seed)
    bench = open_engine(benches, layer, seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [Case.random(random) for _ in range(60)]
        check(layer, cases, run(bench, cases, random))


@pytest.mark.parametrize("layer", FUNCTIONS)
def test_reset(benches: Benches, layer: str) -> None:
    random = Random(4)
    bench = open_engine(benches, layer)
    for _ in range(30):
        some = [Case.random(random) for _ in range(5)]
        bench.push(packet_beats().stream(message(c.packet.frame, c.meta()) for c in some))
        bench.pace(gap=0.2, stall=random.choice([0.2, 0.8, 1.0]))
        bench.run(random.randrange(1, 150))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        cases = [Case.random(random) for _ in range(3)]
        check(layer, cases, run(bench, cases, random))
        bench.forget()


@pytest.mark.parametrize("layer", FUNCTIONS)
@pytest.mark.parametrize("small", [True, False])
def test_a_beat_goes_through_in_every_cycle(benches: Benches, layer: str, small: bool) -> None:
    """Packets of one beat, and of any size, back to back: none waits."""
    random = Random(5)
    bench = open_engine(benches, layer)
    cases = [Case.random(random, small=small) for _ in range(700)]
    check(layer, cases, run(bench, cases, random))
    assert consecutive(bench.taken())
    if small:
        assert consecutive([cycle for cycle, _ in bench.received()])


@pytest.mark.parametrize("layer", STORING)
def test_full_store(benches: Benches, layer: str) -> None:
    """Nothing is lost when an engine fills up behind a stalled output."""
    random = Random(6)
    bench = open_engine(benches, layer)
    cases = [Case.random(random, small=n % 2 == 0) for n in range(700)]
    bench.push(packet_beats().stream(message(c.packet.frame, c.meta()) for c in cases))
    bench.pace(stall=1.0)
    bench.run(3000)
    assert bench.waiting()
    bench.pace()
    bench.drain(quiet=200)
    check(layer, cases, packet_beats(NEXT).messages(bench.items(), lengths=True))


def test_refused(benches: Benches) -> None:
    """Packets refused by engine_forward go to the exit, marked, and are counted."""
    layer, random = "engine_forward", Random(7)
    for hop, event in ((replace(HOP, refuse=True), "refused"), (None, "no_entry")):
        cases = [Case.random(random) for _ in range(50)]
        if hop is None:
            bench = open_layer_without_entry(benches)
            got = run(bench, cases, random)
            assert all(meta_of(came)["discard"] for came in got)
        else:
            bench = open_engine(benches, layer, hop=hop)
            check(layer, cases, run(bench, cases, random), refused=True)
        assert counts(bench, layer, 0)[event] == len(cases)


def tcp_frame(checksum: int | None = None) -> bytes:
    """A segment whose checksum is 0 if it is right; that, or another."""
    segment = bytes.fromhex("0007 1f90 00000001 00000002 5010 ffff 0000 0000") + b"bees"
    frame = ip_frame(STATION, HOST, 6, segment + bytes(2))
    right = int.from_bytes(with_checksum(Packet(frame, 0)).frame[50:52])
    frame = frame[:58] + right.to_bytes(2)  # the last two bytes make up for the rest
    return frame if checksum is None else frame[:50] + checksum.to_bytes(2) + frame[52:]


def test_right_and_wrong_checksums_are_counted(benches: Benches) -> None:
    """0 is right for a TCP segment that sums to all ones, and says the same as 0xFFFF."""
    random = Random(9)
    udp = udp_frame(STATION, HOST, b"bees")
    assert sums_to_zero(pseudo_header(udp[26:30], udp[30:34], 6, 26) + tcp_frame()[34:])
    for frame, event in (
        (udp, "right"),
        (udp_frame(STATION, HOST, b"bees", udp_checksum=0), "corrected"),
        (udp_frame(STATION, HOST, b"bees", udp_checksum=1), "corrected"),
        (tcp_frame(), "right"),
        (tcp_frame(0xFFFF), "right"),
        (tcp_frame(1), "corrected"),
        (with_checksum(Packet(ip_frame(STATION, HOST, 6, bytes(20)), 0)).frame, "right"),
        (ip_frame(STATION, HOST, 6, bytes(20)), "corrected"),
        (ip_frame(STATION, HOST, 1, bytes(20)), "no_checksum"),
    ):
        bench = open_engine(benches, "engine_checksum")
        cases = [Case(Packet(frame, 0), (), 0)]
        check("engine_checksum", cases, run(bench, cases, random))
        counted = counts(bench, "engine_checksum", 0)
        assert {name for name, count in counted.items() if count} == {event}, frame.hex()


def flows(bench: Bench) -> dict[int, Flow]:
    """Counters of engine_count, by flow."""
    found = {}
    for _ in range(NUM_FLOWS):
        bench.control(1)
        bench.run()
        bench.control(0)
        bench.run(3)
        entry = FLOW.unpack(bench.status)
        counted = Flow(entry["packets"], entry["bytes"], entry["hash"])
        if counted != Flow():
            found[entry["time_us"] % NUM_FLOWS] = counted
    return found


def expected_flows(cases: Sequence[Case]) -> dict[int, Flow]:
    found: dict[int, Flow] = {}
    for packet in (case.packet for case in cases):
        flow = found.setdefault(packet.flow, Flow())
        flow.packets += 1
        flow.bytes += len(packet.frame)
        flow.hash = packet.hash
    return found


# Flows of consecutive packets: an entry is read while packets are being added to it.
SEQUENCES = ([7] * 60, [7, 8] * 40, [7, 7, 8] * 40, [7, 8, 9] * 30, [63, 0, 0, 63, 0] * 20, [])


@pytest.mark.parametrize("pace", PACES)
def test_packets_of_a_flow_are_counted(benches: Benches, pace: dict[str, float]) -> None:
    """Of one beat each; without pauses, in consecutive cycles."""
    random = Random(8)
    bench = open_engine(benches, "engine_count")
    for sequence in SEQUENCES:
        bench.reset()
        bench.pace(**pace)
        numbers = sequence or random.choices([3, 4, 5], k=200)
        cases = [Case.random(random, small=True) for _ in numbers]
        cases = [
            replace(case, packet=replace(case.packet, flow=flow))
            for case, flow in zip(cases, numbers, strict=True)
        ]
        check("engine_count", cases, run(bench, cases, random))
        if not pace["gap"] and not pace["stall"]:
            assert consecutive(bench.taken())
            assert consecutive([cycle for cycle, _ in bench.received()])
        assert flows(bench) == expected_flows(cases)


def test_packets_of_any_size_are_counted(benches: Benches) -> None:
    """Each once, with the bytes of all of its beats."""
    random = Random(9)
    bench = open_engine(benches, "engine_count")
    cases = [Case.random(random) for _ in range(300)]
    check("engine_count", cases, run(bench, cases, random))
    assert flows(bench) == expected_flows(cases)


def test_counting_starts_anew_with_a_reset(benches: Benches) -> None:
    """Also in the middle of packets: none of those before counts."""
    random = Random(10)
    bench = open_engine(benches, "engine_count")
    for _ in range(20):
        before = [Case.random(random, small=random.random() < 0.7) for _ in range(40)]
        bench.push(packet_beats().stream(message(c.packet.frame, c.meta()) for c in before))
        bench.run(random.randrange(1, 40))
        bench.reset(1)
        cases = [Case.random(random, small=True) for _ in range(5)]
        check("engine_count", cases, run(bench, cases, random))
        assert flows(bench) == expected_flows(cases)
