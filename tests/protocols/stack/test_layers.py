# SPDX-License-Identifier: Apache-2.0
"""The protocol layers one by one: all widths give what a model says, at every pace.

What a layer refuses is tested with whole designs (tests/platform/whole_designs); here it is the
streams that matter: stalls and gaps at every beat, resets, messages back to back.
"""

from __future__ import annotations

import struct
from collections import Counter
from itertools import product
from random import Random

import pytest

from bombus.design.rtl import struct_layout
from tests.protocols.stack.layer_cases import (
    LAYERS,
    MAX_FRAME,
    PEER_IP,
    PROTOCOL_UDP,
    STREAMING,
    Case,
    check,
    checksummed,
    icmp_echo,
    number,
    open_bench,
    push,
    received,
    reported,
    unreachable,
)
from tests.support.harness import (
    PACES,
    SEEDS,
    WIDTHS,
    Beats,
    Benches,
    Message,
    consecutive,
    csum,
    pack_meta,
)
from tests.support.layer_bench import HOST_IP, counts, layer_kind, open_layer

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.sweep if seed > 2 else ()) for seed in SEEDS]
)
@pytest.mark.parametrize("layer", LAYERS)
def test_layer(benches: Benches, layer: str, seed: int) -> None:
    random = Random(seed)
    bench = open_bench(benches, layer, seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [LAYERS[layer](random) for _ in range(60)]
        push(bench, layer, cases, random)
        bench.drain()
        check(bench, layer, cases)


@pytest.mark.parametrize(("beats", "latency"), [(16, 2), (128, 4)], ids=["LUTRAM", "block RAM"])
def test_icmp_with_a_queue(benches: Benches, beats: int, latency: int) -> None:
    """Nothing else changes, and no cycle is lost."""
    random = Random(beats)
    bench = open_layer(benches, "icmp_echo", [f".QueueBeats({beats})"], seed=beats)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [LAYERS["icmp_echo"](random) for _ in range(60)]
        push(bench, "icmp_echo", cases, random)
        bench.drain()
        check(bench, "icmp_echo", cases)
        if not any(pace.values()):
            for stream in range(len(WIDTHS)):
                came, out = bench.taken(stream), [cycle for cycle, _ in bench.received(stream)]
                assert came[-1] - came[0] + 1 == len(came)
                assert out[0] >= came[0] + latency
                if cases[0].payload is not None:
                    assert out[0] == came[0] + latency


@pytest.mark.parametrize("pace", PACES)
def test_icmp_errors(benches: Benches, pace: dict[str, float]) -> None:
    """As many at once as the rate limit allows: the checksum is left to mac_tx."""
    random = Random(str(pace))
    bench = open_bench(benches, "icmp_echo")
    for _ in range(20):
        bench.reset()
        bench.pace(**pace)
        cases = [unreachable(random) for _ in range(8)]
        late = unreachable(random)
        push(bench, "icmp_echo", [*cases, Case(late.message, None)], random)
        bench.drain()
        for stream, width in enumerate(WIDTHS):
            got = Beats(width, ("next", 5)).messages(bench.items(stream), lengths=True)
            assert [message.payload for message in got] == [case.payload for case in cases]
            assert {message["l4.ip_tx.csum_pos"] for message in got} == {1}
            counted = counts(bench, "icmp_echo", stream)
            ports = sum(case.payload[1] == 3 for case in cases if case.payload)
            errors = {"port_unreachable": ports, "protocol_unreachable": 8 - ports}
            # One is too many.
            assert counted == Counter(errors | {"rate_limited": 1})


def test_a_noisy_peer_silences_no_other(benches: Benches) -> None:
    """Each has a burst of its own; together they have TotalBurst."""
    random = Random(1)
    bench = open_bench(benches, "icmp_echo")

    def sent(peers: list[int]) -> list[Counter[int]]:
        """Errors that are sent to peers, per width."""
        bench.forget()
        push(bench, "icmp_echo", [unreachable(random, peer.to_bytes(4)) for peer in peers], random)
        bench.drain()
        return [
            Counter(m["ip"] for m in Beats(width, ("next", 5)).messages(bench.items(stream)))
            for stream, width in enumerate(WIDTHS)
        ]

    noisy, quiet = 0x0A000063, [0x0A000100 + 7 * n for n in range(12)]
    for counted in sent([noisy] * 500 + quiet):
        assert counted[noisy] == 8
        # A few may share its bucket.
        assert sum(counted[peer] for peer in quiet) >= 10
    for counted in sent([random.getrandbits(31) for _ in range(300)]):
        assert 64 - 20 <= counted.total() <= 64 - 18


@pytest.mark.parametrize("pace", PACES)
def test_icmp_errors_that_are_reported(benches: Benches, pace: dict[str, float]) -> None:
    """They go to the layer bound by the protocol, among echo requests; others are counted."""
    random = Random(str(pace))
    bench = open_bench(benches, "icmp_echo")
    bench.pace(**pace)
    cases = [random.choice([reported, reported, icmp_echo])(random) for _ in range(200)]
    push(bench, "icmp_echo", cases, random)
    bench.drain()
    check(bench, "icmp_echo", cases)
    fields = struct_layout("icmp_error_meta_t", "icmp_pkg")
    for stream, width in enumerate(WIDTHS):
        got = Beats(width, ("next", 5)).messages(bench.items(stream), lengths=True)
        expected = [case.error for case in cases if case.payload is not None]
        for message, error in zip(got, expected, strict=True):
            for name, value in (error or {}).items():
                place = fields[name]
                assert message.meta >> place.offset & (1 << place.width) - 1 == value, name
        assert counts(bench, "icmp_echo", stream)["not_echo_request"] == sum(
            case.payload is None for case in cases
        )


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_forgets_at_reset(benches: Benches, layer: str) -> None:
    random = Random(9)
    bench = open_bench(benches, layer)
    for _ in range(15):
        push(bench, layer, [LAYERS[layer](random) for _ in range(20)], random)
        bench.pace(gap=0.2, stall=random.choice([0.2, 0.8, 1.0]))
        bench.run(random.randrange(1, 80))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        cases = [LAYERS[layer](random) for _ in range(8)]
        push(bench, layer, cases, random)
        bench.drain()
        check(bench, layer, cases)
        bench.forget()


@pytest.mark.parametrize("layer", STREAMING)
def test_layer_takes_or_gives_a_beat_in_every_cycle(benches: Benches, layer: str) -> None:
    """Back to back messages: a layer that removes bytes never stops its input, one that
    adds bytes leaves no gap in its output."""
    random = Random(10)
    bench = open_bench(benches, layer)
    cases: list[Case] = []
    while len(cases) < 60:
        case = LAYERS[layer](random)
        if case.payload is not None and case.next_hop != "icmp":
            cases.append(case)
    push(bench, layer, cases, random)
    bench.drain()
    check(bench, layer, cases)
    for stream in range(len(WIDTHS)):
        out = [cycle for cycle, _ in bench.received(stream)]
        assert consecutive(bench.taken(stream)) or consecutive(out)


def numbered_packet(size: int, number: int, random: Random, *, with_options: bool) -> Message:
    words = random.randrange(1, min(11, (size - 24) // 4)) if with_options else 0
    options = b"\x01" * 4 * words
    data = number.to_bytes(4, "big") + random.randbytes(size - 24 - len(options))
    words = 5 + len(options) // 4
    header = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x40 | words, 0, size, 0, 0x4000, 64, PROTOCOL_UDP, 0, PEER_IP, HOST_IP),
    )
    return received(checksummed(header + options, 10) + data)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("size", [200, 46])
def test_packets_with_options_do_not_hold_up_others(
    benches: Benches, size: int, share: float
) -> None:
    """At full rate, only packets with options are lost, if the side path cannot accept them. The
    shortest packet has 46 bytes. At the rate of a wire: tests/protocols/ipv4/test_ip_options.py."""
    random = Random(11)
    bench = open_bench(benches, "ipv4_rx")
    drops = layer_kind("ipv4_rx").drops
    slow = [random.random() < share for _ in range(2500)]
    for stream, width in enumerate(WIDTHS):
        messages = [numbered_packet(size, n, random, with_options=s) for n, s in enumerate(slow)]
        bench.push(Beats(width).stream(messages, random), stream)
    bench.drain(quiet=1000)
    for stream, width in enumerate(WIDTHS):
        came = Beats(width, ("next", 5)).messages(bench.items(stream), lengths=True)
        numbers = [int.from_bytes(message.payload[:4], "big") for message in came]
        plain = [number for number in numbers if not slow[number]]
        assert plain == [number for number, is_slow in enumerate(slow) if not is_slow]
        side = [number for number in numbers if slow[number]]
        assert side == sorted(set(side)), "among themselves they keep their order"
        assert len(side) >= min(sum(slow), 30)
        counted = counts(bench, "ipv4_rx", stream)
        lost = {name: counted[name] for name in drops if counted[name]}
        assert lost == ({"options_busy": sum(slow) - len(side)} if len(side) < sum(slow) else {})
        # Plain packets wait at most one cycle for each packet from the side path.
        cycles = bench.taken(stream)
        assert cycles[-1] - cycles[0] + 1 <= len(cycles) + len(side)


def test_ipv4_tx_drops_what_no_frame_can_hold(benches: Benches) -> None:
    random = Random(12)
    bench = open_bench(benches, "ipv4_tx")
    cases = []
    for tagged, extra in product((0, 1), range(-1, 3)):
        length = MAX_FRAME - 14 - 4 * tagged - 20 + extra
        data = random.randbytes(length)
        meta = pack_meta(ip=number(PEER_IP), l4__ip_tx__protocol=17, vlan__valid=tagged)
        header = struct.pack(
            "!BBHHHBBH4s4s", 0x45, 0, 20 + length, 0, 0x4000, 64, 17, 0, HOST_IP, PEER_IP
        )
        frame = checksummed(header, 10) + data if extra <= 0 else None
        cases.append(Case(received(data, meta), frame, "eth_tx", csum(data)))
    push(bench, "ipv4_tx", cases, random)
    bench.drain()
    check(bench, "ipv4_tx", cases)
    for stream in range(len(WIDTHS)):
        assert counts(bench, "ipv4_tx", stream)["too_long"] == 4
