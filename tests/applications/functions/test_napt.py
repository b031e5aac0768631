# SPDX-License-Identifier: Apache-2.0
"""napt at all widths against a model: packets, sessions, timeouts, errors, exhaustion, pace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

import pytest

from tests.applications.functions import napt_model as model
from tests.applications.functions.napt_model import ACK, FIN, ICMP, RST, SYN, TCP, UDP, Fate
from tests.applications.functions.napt_packets import answer, echo, error, packet, tcp, udp
from tests.protocols.stack.layer_cases import PACKET, ROUTED, ROUTED_FIELDS
from tests.support.harness import PACES, WIDTHS, Beats, Bench, Benches, Message, pack_meta
from tests.support.layer_bench import counts

INSIDE, OUTSIDE, OTHER = range(3)  # MAC ports, as in benches/napt.sv
NUM_PORTS, FIRST = 128, 16384
HOST, PUBLIC = bytes((10, 1, 0, 1)), bytes((198, 51, 100, 5))
SERVER, REMOTE = bytes((203, 0, 113, 9)), bytes((192, 0, 2, 77))
FORWARDS = {
    (TCP, 80): model.Endpoint(TCP, bytes((10, 1, 0, 7)), 8080),
    (UDP, 53): model.Endpoint(UDP, bytes((10, 1, 0, 8)), 5353),
}
UNITS = {"udp": 30, "echo": 5, "established": 90, "transitory": 20}
UNIT_US = 1 << 20
LATENCY = 4
SERVED, TRANSLATED = 0, 1
DROPS = ("fragment", "unsupported", "expired", "bad_source", "no_session", "no_port")


def client(number: int) -> bytes:
    return bytes((10, 1, 1 + number // 200, number % 200))


@dataclass
class Gateway:
    """A bench and a model for each of its widths."""

    bench: Bench
    eighths: int = 8
    units: int = 0
    # For each width: which place a session gets depends on what is in the table a cycle before.
    fates_of: list[Counter[Fate]] = field(default_factory=lambda: [Counter() for _ in WIDTHS])
    begun_of: list[int] = field(default_factory=lambda: [0] * len(WIDTHS))

    def __post_init__(self) -> None:
        self.set()
        self.bench.reset()
        self.bench.run(2 * NUM_PORTS)
        usable = range(FIRST, FIRST + NUM_PORTS * self.eighths // 8)
        self.models = [
            model.Napt(
                model.Side(INSIDE, HOST, 16),
                model.Side(OUTSIDE, PUBLIC, 24),
                usable,
                FORWARDS,
                UNITS,
            )
            for _ in WIDTHS
        ]
        self.bench.forget()
        self.counted: list[Counter[str]] = [Counter() for _ in WIDTHS]

    def set(self, tick: int = 0) -> None:
        self.bench.control(self.eighths << 32 | FIRST << 16 | tick)

    def elapse(self, units: int) -> None:
        """Whole units of the time, and some cycles for the search."""
        for _ in range(units * 32):
            self.set(UNIT_US // 32)
            self.bench.run(1)
            self.set()
        self.bench.run(8)
        self.units += units

    def send(self, cases: Iterable[tuple[int, bytes]], random: Random | None = None) -> list[bytes]:
        """Compares what becomes of all packets at all widths; those sent, at the first width."""
        cases = list(cases)
        first: list[bytes] = []
        self.bench.forget()
        for stream, width in enumerate(WIDTHS):
            messages = [
                Message(data, pack_meta(length=len(data), kind=PACKET, mac_port=port, csum=port))
                for port, data in cases
            ]
            blank = {name: 0 for name, _ in ROUTED_FIELDS}
            messages = [Message(m.payload, m.meta, blank) for m in messages]
            self.bench.push(beats(width).stream(messages, random), stream)
        self.bench.drain()
        for stream, width in enumerate(WIDTHS):
            self.counted[stream].update(counts(self.bench, "napt", stream))
            left = beats(width, ("next", 5)).messages(self.bench.items(stream), lengths=True)
            sent = self._compare(stream, cases, left)
            first = first or sent
        return first

    def _compare(
        self, stream: int, cases: list[tuple[int, bytes]], left: list[Message]
    ) -> list[bytes]:
        sent: list[bytes] = []
        for port, data in cases:
            # The identification shows which packet this is.
            same = bool(left) and left[0].side["id"].to_bytes(2) == data[4:6]
            offered = left[0].payload if same and left[0].side["next"] == TRANSLATED else None
            outcome = self.models[stream].process(data, port, self.units, offered)
            self.fates_of[stream][outcome.fate] += 1
            self.begun_of[stream] += outcome.is_new
            assert left or outcome.fate not in (Fate.SERVED, Fate.SENT)
            if outcome.fate is Fate.SERVED:
                message = left.pop(0)
                assert message.side["next"] == SERVED and message["kind"] == PACKET
                assert message.payload == data and message["csum"] == port
                assert message["mac_port"] == port
            elif outcome.fate is Fate.SENT:
                message = left.pop(0)
                assert message.side["next"] == TRANSLATED and message["kind"] == ROUTED
                assert rebuilt(message) == outcome.packet
                assert message["mac_port"] == outcome.mac_port
                assert message["csum"] == 0 and message["l4.ip_tx.csum_pos"] == 0
                sent.append(outcome.packet)
        assert not left
        return sent

    @property
    def fates(self) -> Counter[Fate]:
        return self.fates_of[0]

    @property
    def begun(self) -> int:
        return min(self.begun_of)

    def check_counters(self) -> None:
        for counted, fates, begun in zip(self.counted, self.fates_of, self.begun_of, strict=True):
            for name in DROPS:
                assert counted[name] == fates[Fate(name)], name
            assert counted["outward"] + counted["inward"] == fates[Fate.SENT]
            assert counted["session"] == begun


def beats(width: int, *side: tuple[str, int]) -> Beats:
    return Beats(width, *ROUTED_FIELDS, *side, first_only=[name for name, _ in ROUTED_FIELDS])


def rebuilt(message: Message) -> bytes:
    """The packet that ipv4_tx makes of a message."""
    side = message.side
    return (
        model.header(
            side["source"].to_bytes(4),
            message["ip"].to_bytes(4),
            message["l4.ip_tx.protocol"],
            message.payload,
            ttl=side["ttl"],
            tos=message["tos"],
            number=side["id"],
            fragment=0 if side["may_fragment"] else 0x4000,
        )
        + message.payload
    )


def opened(benches: Benches, **more: int) -> Gateway:
    return Gateway(benches("napt", seed=3), **more)


def outward(random: Random, number: int) -> bytes:
    """A packet that begins or continues the session of a number."""
    size = random.choice([0, 1, 4, 5, 12, 13, 30, 35, 36, 37, random.randrange(300)])
    source, port, data = client(number), 4000 + number, random.randbytes(size)
    far = random.choice([SERVER, REMOTE])
    tos, ident = random.randrange(256), random.randrange(65536)
    more = {"tos": tos, "number": ident, "fragment": random.choice([0, 0x4000])}
    match number % 3:
        case 0:
            return udp(source, far, data, csum=random.random() < 0.8, source_port=port, **more)
        case 1:
            return tcp(source, far, SYN, data, source_port=port, ttl=random.randrange(2, 256))
        case _:
            return echo(source, far, model.ECHO, port, data)


def test_both_ways(benches: Benches) -> None:
    """All protocols and lengths, back to back and with pauses; answers, errors about both ways."""
    random = Random(1)
    gateway = opened(benches)
    for pace in PACES:
        gateway.bench.pace(**pace)
        for _ in range(2):
            # Packets of a session in a row: the second one finds what the first one writes.
            numbers = [
                n for n in random.choices(range(45), k=30) for _ in range(random.choice([1, 1, 3]))
            ]
            sent = gateway.send([(INSIDE, outward(random, n)) for n in numbers], random)
            assert len(sent) == len(numbers)
            back = [answer(each, random.randbytes(random.randrange(99))) for each in sent]
            sizes = (8, 12, 19, 20, 21, 44)
            back += [
                error(REMOTE, each, random.choice(sizes), random.choice(model.ERRORS))
                for each in sent
            ]
            random.shuffle(back)
            inward = gateway.send([(OUTSIDE, each) for each in back], random)
            assert len(inward) == len(back)
            # Errors of inside hosts about these packets.
            mixed = [
                (INSIDE, error(each[16:20], each, random.choice(sizes)))
                for each in inward
                if each[9] != ICMP or each[20] == 0
            ]
            mixed += [(OUTSIDE, answer(each)) for each in sent]
            random.shuffle(mixed)
            gateway.send(mixed, random)
    gateway.check_counters()
    assert gateway.begun <= 45 and gateway.fates[Fate.SENT] == sum(gateway.fates.values())


def test_every_length(benches: Benches) -> None:
    random = Random(2)
    gateway = opened(benches)
    for kind in (
        lambda n: udp(client(1), SERVER, random.randbytes(n)),
        lambda n: tcp(client(2), SERVER, SYN, random.randbytes(n)),
        lambda n: echo(client(3), SERVER, model.ECHO, 9, random.randbytes(n)),
    ):
        sent = gateway.send([(INSIDE, kind(n)) for n in range(140)])
        gateway.send([(OUTSIDE, answer(each, random.randbytes(n))) for n, each in enumerate(sent)])
        gateway.send([(OUTSIDE, error(REMOTE, sent[99], n)) for n in range(70)])
    # Cut off anywhere, with a header that says so or not.
    whole = udp(client(1), SERVER, b"bee" * 9)
    quote = error(REMOTE, gateway.send([(INSIDE, whole)])[0], 20)
    for full, side in ((whole, INSIDE), (quote, OUTSIDE), (quote, INSIDE)):
        cut = [full[:n] for n in range(1, len(full))]
        gateway.send([(side, each) for each in cut], random)
        honest = [
            packet(full[12:16], full[16:20], full[9], full[20:n]) for n in range(38, len(full))
        ]
        gateway.send([(side, each) for each in honest], random)
    gateway.check_counters()


def test_what_is_not_translated(benches: Benches) -> None:
    random = Random(3)
    gateway = opened(benches)
    begins = udp(client(1), SERVER, b"bee")
    (sent,) = gateway.send([(INSIDE, begins)])
    back = answer(sent)
    port = int.from_bytes(sent[20:22])
    cases = [
        # To the host, to the own network, to no host
        *[(INSIDE, udp(client(1), to, b"bee")) for to in (HOST, client(2), PUBLIC)],
        *[
            (INSIDE, udp(client(1), bytes((first, 0, 0, 1)), b"bee"))
            for first in (0, 127, 224, 255)
        ],
        # Bad headers
        *[(INSIDE, damaged(begins, at)) for at in range(20)],
        *[(OUTSIDE, damaged(back, at)) for at in range(20)],
        # Fragments
        *[(INSIDE, udp(client(1), SERVER, b"b", fragment=f)) for f in (1, 0x2000, 0x1FFF, 0x8000)],
        *[(OUTSIDE, udp(SERVER, PUBLIC, b"b", port=port, fragment=f)) for f in (1, 0x2000)],
        # Time to live
        *[(INSIDE, udp(client(1), SERVER, b"b", ttl=ttl)) for ttl in (0, 1, 2, 255)],
        *[(OUTSIDE, udp(SERVER, PUBLIC, b"b", port=port, ttl=ttl)) for ttl in (0, 1, 2)],
        # Sources
        *[
            (INSIDE, udp(source, SERVER, b"b"))
            for source in (HOST, PUBLIC, bytes(4), b"\xe0\0\0\1")
        ],
        *[(OUTSIDE, udp(source, PUBLIC, b"b", port=port)) for source in (HOST, PUBLIC, client(9))],
        # Other protocols, other ICMP
        *[(INSIDE, packet(client(1), SERVER, protocol, bytes(40))) for protocol in (0, 2, 47, 132)],
        *[
            (side, echo(SERVER, PUBLIC, kind, port, b"bee"))
            for kind in range(20)
            for side in (0, 1)
        ],
        # Ports that belong to the host, to no session, to another protocol
        *[(OUTSIDE, udp(SERVER, PUBLIC, b"b", port=p)) for p in (7, FIRST - 1, FIRST + NUM_PORTS)],
        *[(OUTSIDE, udp(SERVER, PUBLIC, b"b", port=p)) for p in range(FIRST, FIRST + NUM_PORTS)],
        *[(OUTSIDE, tcp(SERVER, PUBLIC, SYN, port=p)) for p in range(FIRST, FIRST + NUM_PORTS, 9)],
        (OUTSIDE, udp(SERVER, bytes((198, 51, 100, 6)), b"b", port=port)),
        # TCP without SYN
        *[(INSIDE, tcp(client(1), SERVER, flags)) for flags in range(64) if flags & 0x16 != SYN],
        # Errors about other packets
        (OUTSIDE, error(REMOTE, udp(PUBLIC, SERVER, b"b", source_port=port), 8)),
        (OUTSIDE, error(REMOTE, udp(PUBLIC, SERVER, b"b", source_port=port + 1), 8)),
        (OUTSIDE, error(REMOTE, udp(PUBLIC, SERVER, b"b", source_port=7), 8)),
        (OUTSIDE, error(REMOTE, udp(PUBLIC, SERVER, b"b", source_port=port, fragment=1), 8)),
        (OUTSIDE, error(REMOTE, tcp(PUBLIC, SERVER, SYN, source_port=port), 20)),
        # A third MAC port
        (OTHER, begins),
        (OTHER, back),
    ]
    random.shuffle(cases)
    gateway.send(cases, random)
    gateway.check_counters()
    assert gateway.begun < 10 and all(gateway.fates[fate] for fate in Fate if fate != Fate.NO_PORT)


def damaged(data: bytes, at: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 0x10,)) + data[at + 1 :]


def test_wrong_checksums_stay_wrong(benches: Benches) -> None:
    gateway = opened(benches)
    (good,) = gateway.send([(INSIDE, udp(client(1), SERVER, b"bees"))])
    bad = udp(client(1), SERVER, b"bees")
    bad = bad[:26] + (int.from_bytes(bad[26:28]) ^ 0x100).to_bytes(2) + bad[28:]
    for stream, width in enumerate(WIDTHS):
        gateway.bench.forget()
        message = Message(bad, pack_meta(length=len(bad)), {name: 0 for name, _ in ROUTED_FIELDS})
        gateway.bench.push(beats(width).stream([message]), stream)
        gateway.bench.drain()
        (left,) = beats(width, ("next", 5)).messages(gateway.bench.items(stream))
        difference = int.from_bytes(left.payload[6:8]) - int.from_bytes(good[26:28])
        assert difference % 0xFFFF in (0x100, 0xFFFF - 0x100)


def test_forwards(benches: Benches) -> None:
    gateway = opened(benches)
    inside = [
        tcp(SERVER, PUBLIC, SYN, source_port=6000, port=80),
        udp(REMOTE, PUBLIC, b"question", source_port=6001, port=53),
    ]
    first = gateway.send([(OUTSIDE, each) for each in inside])
    assert [each[16:20] for each in first] == [bytes((10, 1, 0, 7)), bytes((10, 1, 0, 8))]
    replies = gateway.send([(INSIDE, answer(each, flags=SYN | ACK)) for each in first])
    assert [int.from_bytes(each[20:22]) for each in replies] == [80, 53]
    gateway.send([(OUTSIDE, error(REMOTE, each, 20)) for each in replies])
    gateway.send([(INSIDE, error(each[16:20], each, 20)) for each in first])
    # The other protocol has no forward.
    gateway.send([(OUTSIDE, udp(SERVER, PUBLIC, b"b", port=80))])
    gateway.send([(OUTSIDE, tcp(SERVER, PUBLIC, SYN, port=53))])
    gateway.check_counters()
    assert gateway.begun == 0


def test_timeouts(benches: Benches) -> None:
    gateway = opened(benches)
    udp_, syn = udp(client(1), SERVER, b"b"), tcp(client(2), SERVER, SYN)
    ping = echo(client(3), SERVER, model.ECHO, 7, b"bee")
    starts = [udp_, syn, ping]
    for waited in (4, 5, 6, 19, 20, 21, 29, 30, 31, 90, 91):
        sent = gateway.send([(INSIDE, each) for each in starts])
        gateway.elapse(waited)
        gateway.send([(OUTSIDE, answer(each)) for each in sent])
        gateway.elapse(200)
    # Only packets from inside prolong a session.
    (sent,) = gateway.send([(INSIDE, udp_)])
    for _ in range(10):
        gateway.elapse(10)
        gateway.send([(OUTSIDE, answer(sent))])
    for _ in range(10):
        gateway.elapse(10)
        gateway.send([(INSIDE, udp_)])
        gateway.send([(OUTSIDE, answer(sent))])
    gateway.check_counters()


def test_states_of_tcp(benches: Benches) -> None:
    """Each order of segments, then how long the session lasts."""
    gateway = opened(benches)
    source = client(4)
    syn, ack, fin, rst = (tcp(source, SERVER, flags) for flags in (SYN, ACK, FIN | ACK, RST))
    inside = {"S": syn, "A": ack, "F": fin, "R": rst}
    outside = {"s": SYN | ACK, "a": ACK, "f": FIN | ACK, "r": RST}
    orders = (
        "S",
        "Ss",
        "SA",
        "SsA",
        "SsAf",
        "SsAF",
        "SsAFfa",
        "SsAfaF",
        "SsAr",
        "SsAR",
        "SsArA",
        "SsAFfS",
        "Sr",
    )
    for order in orders:
        for waited in (20, 21, 90, 91):
            (sent,) = gateway.send([(INSIDE, syn)])
            steps = [
                (INSIDE, inside[each])
                if each in inside
                else (OUTSIDE, answer(sent, flags=outside[each]))
                for each in order
            ]
            gateway.send(steps)
            gateway.elapse(waited)
            gateway.send([(OUTSIDE, answer(sent))])
            gateway.elapse(200)
    gateway.check_counters()


@pytest.mark.parametrize("eighths", [8, 3])
def test_exhaustion(benches: Benches, eighths: int) -> None:
    """Up to half of the ports, all sessions find room; beyond that, some are refused."""
    random = Random(eighths)
    gateway = opened(benches, eighths=eighths)
    usable = NUM_PORTS * eighths // 8
    some = [
        udp(client(n), REMOTE, b"b", source_port=random.randrange(65536), number=n)
        for n in range(usable // 2)
    ]
    gateway.send([(INSIDE, each) for each in some], random)
    if eighths == 8:
        assert gateway.begun == len(some)
    more = [udp(client(200 + n), REMOTE, b"b", number=n) for n in range(3 * usable)]
    gateway.send([(INSIDE, each) for each in more], random)
    assert gateway.fates[Fate.NO_PORT] >= 2 * usable
    assert gateway.begun > usable * 0.85
    # Those that have a port keep it; after their end the ports are free again.
    gateway.send([(INSIDE, each) for each in some])
    gateway.elapse(UNITS["udp"] + 1)
    begun = gateway.begun
    gateway.send([(INSIDE, each) for each in some])
    assert gateway.begun - begun >= len(some) * 0.9
    gateway.check_counters()


def test_old_sessions_are_removed(benches: Benches) -> None:
    """The time wraps after 65,536 units; a session that ended is not taken for a new one."""
    gateway = opened(benches)
    (sent,) = gateway.send([(INSIDE, udp(client(1), SERVER, b"b"))])
    gateway.elapse(40)
    for _ in range(65_536 - 40 - 1):
        gateway.set(32768)  # 32 cycles a unit
        gateway.bench.run(32)
    gateway.set()
    gateway.units += 65_536 - 40 - 1
    gateway.send([(OUTSIDE, answer(sent))])
    assert gateway.fates[Fate.NO_SESSION] == 1


def test_reset_in_traffic(benches: Benches) -> None:
    gateway = opened(benches)
    sent = gateway.send([(INSIDE, outward(Random(5), n)) for n in range(20)])
    for stream, width in enumerate(WIDTHS):
        message = Message(
            sent[0], pack_meta(length=len(sent[0])), {name: 0 for name, _ in ROUTED_FIELDS}
        )
        gateway.bench.push(beats(width).stream([message] * 40), stream)
    gateway.bench.run(15)
    again = Gateway(gateway.bench)
    again.send([(OUTSIDE, answer(each)) for each in sent])
    assert again.fates[Fate.NO_SESSION] == 20
    again.send([(INSIDE, outward(Random(5), n)) for n in range(20)])
    again.check_counters()


def test_busy_while_sessions_are_removed(benches: Benches) -> None:
    """The input stalls then, so a design must not look idle."""
    gateway = opened(benches)
    bench = gateway.bench

    def busy() -> int:
        return bench.status >> 32

    assert not busy()
    bench.reset()
    removed = 0
    while busy():
        assert busy() == 0b1111
        bench.run(1)
        removed += 1
    assert removed >= NUM_PORTS // 8
    gateway.eighths = 4  # a write of `ports`
    gateway.set()
    bench.run(2)
    assert busy() == 0b1111
    bench.run(NUM_PORTS // 8)
    assert not busy()


def test_one_beat_a_cycle(benches: Benches) -> None:
    gateway = opened(benches)
    (sent,) = gateway.send([(INSIDE, udp(client(1), SERVER, bytes(36)))])
    data = udp(client(1), SERVER, bytes(36))
    gateway.bench.forget()
    for stream, width in enumerate(WIDTHS):
        message = Message(data, pack_meta(length=len(data)), {name: 0 for name, _ in ROUTED_FIELDS})
        gateway.bench.push(beats(width).stream([message] * 200), stream)
    gateway.bench.drain()
    for stream, width in enumerate(WIDTHS):
        came, out = gateway.bench.taken(stream), gateway.bench.received(stream)
        assert came[-1] - came[0] + 1 == len(came), width
        messages = beats(width, ("next", 5)).messages([item for _, item in out])
        assert [message.payload for message in messages] == [sent[20:]] * 200
    out = gateway.bench.received(len(WIDTHS) - 1)
    assert out[0].cycle - gateway.bench.taken(len(WIDTHS) - 1)[0] == LATENCY


@pytest.mark.sweep
@pytest.mark.parametrize("near", [False, True])
def test_half_of_all_ports(benches: Benches, near: bool) -> None:
    """16,384 sessions of random endpoints, or of neighbouring ones, find room in 32,768 places."""
    random = Random(near)
    number, stream = 16_384, len(WIDTHS) - 1
    bench = benches("napt", seed=3, NumPorts=2 * number)
    bench.control(8 << 32 | FIRST << 16)
    bench.reset()
    bench.run(2 * number)
    if near:
        pairs = [(client(n // 128), 5000 + n % 128) for n in range(number)]
    else:
        some = random.sample(range(200 << 16), number)
        pairs = [(client(each >> 16), each & 0xFFFF) for each in some]
    meta, blank = pack_meta(length=29), {name: 0 for name, _ in ROUTED_FIELDS}
    datagrams = [udp(source, SERVER, b"b", source_port=port) for source, port in pairs]
    items = beats(WIDTHS[stream]).stream([Message(each, meta, blank) for each in datagrams])
    bench.forget()
    bench.push(items, stream)
    bench.drain()
    counted = counts(bench, "napt", stream)
    assert counted["session"] == counted["outward"] == number
    left = beats(WIDTHS[stream], ("next", 5)).messages(bench.items(stream))
    assert len({message.payload[:2] for message in left}) == number
