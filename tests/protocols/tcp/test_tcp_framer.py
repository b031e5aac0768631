# SPDX-License-Identifier: Apache-2.0
"""tcp_framer: bytes of sessions to messages, against a model, with chunks cut anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

import pytest

from tests.protocols.tcp.tcp_world import Struct
from tests.support.app_bench import struct_bits
from tests.support.harness import PACES, SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

CHUNKS, SENT = range(2)
MESSAGES, BACK = range(2)
MESSAGE, LONG, BAD, CUT = range(4)  # events
FROM = Struct("from_peer_t", "tcp_stream_pkg")
TO = Struct("to_peer_t", "tcp_stream_pkg")
FROM_BITS = struct_bits("from_peer_t", "tcp_stream_pkg")
SESSIONS = 4
FLAGS = ("opened", "closed", "ended", "failed")


@dataclass(frozen=True)
class Frames:
    """How messages are told apart; the parameters of the module."""

    fixed: int = 0
    offset: int = 0
    width: int = 2
    big: bool = True
    bias: int = 0
    most: int = 300
    skips: bool = False

    @property
    def parameters(self) -> dict[str, int]:
        return {
            "MessageBytes": self.fixed,
            "LengthOffset": self.offset,
            "LengthBytes": self.width,
            "LengthIsBig": int(self.big),
            "LengthBias": self.bias,
            "MaxBytes": self.most,
            "SkipsLong": int(self.skips),
        }

    def least_ring(self, beat: int) -> int:
        least = max((self.fixed or self.most) + 2 * beat, 4 * beat)
        return 1 << (least - 1).bit_length()

    @property
    def head(self) -> int:
        return self.offset + self.width

    def message(self, random: Random, length: int) -> bytes:
        """Any bytes, with the field that says so."""
        if self.fixed:
            return random.randbytes(self.fixed)
        data = bytearray(random.randbytes(max(length, self.head)))
        value = (length - self.bias) % (1 << 8 * self.width)
        order = "big" if self.big else "little"
        data[self.offset : self.head] = value.to_bytes(self.width, order)
        return bytes(data)

    def length_of(self, data: bytes) -> int | None:
        """Of the message that begins there; None if that is not known yet."""
        if self.fixed:
            return self.fixed
        if len(data) < self.head:
            return None
        field = data[self.offset : self.head]
        return int.from_bytes(field, "big" if self.big else "little") + self.bias


@dataclass
class Session:
    """A model of one connection."""

    user: dict[str, int]
    waiting: bytearray = field(default_factory=bytearray)
    is_dead: bool = False
    is_skipping: bool = False


class World:
    def __init__(
        self,
        benches: Benches,
        frames: Frames,
        width: int = 64,
        seed: int = 1,
        ring: int | None = None,  # None: the least
    ) -> None:
        self.frames, self.random, self.size = frames, Random(seed), width // 8
        self.bench: Bench = benches(
            "tcp_framer",
            seed=seed,
            DataWidth=width,
            NumSessions=SESSIONS,
            RingBytes=ring or frames.least_ring(width // 8),
            **frames.parameters,
        )
        self.layout = Layout(("data", width), ("keep", self.size), ("last", 1), ("user", FROM_BITS))
        self.sessions: dict[int, Session] = {}
        self.expected: list[tuple[dict[str, int], bytes]] = []
        self.resets: list[int] = []
        self.counted = [0] * 4
        self.seen = [0] * 4  # counted, and checked

    # ---- Input ----

    def push(self, data: bytes, user: int, stream: int = CHUNKS) -> None:
        items = []
        for start in range(0, max(len(data), 1), self.size):
            part = data[start : start + self.size]
            hidden = self.random.randbytes(self.size - len(part))
            items.append(
                self.layout.pack(
                    data=int.from_bytes(part + hidden, "little"),
                    keep=(1 << len(part)) - 1,
                    last=start + self.size >= len(data),
                    user=user,
                )
            )
        self.bench.push(items, stream)

    def notice(self, number: int, *flags: str) -> None:
        if "opened" in flags:
            noise = self.random.getrandbits
            user = {"ip": noise(32), "peer_port": noise(16), "own_port": noise(16)}
            self.sessions[number] = Session({"session": number, **user})
        session = self.sessions[number]
        if session.waiting and not session.is_dead:
            self.counted[CUT] += 1
        session.waiting.clear()
        session.is_skipping = False
        user = session.user | dict.fromkeys(flags, 1)
        self.push(b"", FROM.pack(**user))
        self.expected.append((user, b""))

    def chunk(self, number: int, data: bytes) -> None:
        """Bytes of a session, and what the model makes of them."""
        session = self.sessions[number]
        self.push(data, FROM.pack(**session.user))
        if session.is_dead:
            return
        waiting = session.waiting
        waiting += data
        while (length := self.frames.length_of(waiting)) is not None:
            if not self.frames.fixed:
                too_short = length < self.frames.head
                if too_short or (length > self.frames.most and not self.frames.skips):
                    self.counted[BAD if too_short else LONG] += 1
                    session.is_dead = True
                    self.resets.append(number)
                    waiting.clear()
                    return
                if length > self.frames.most and not session.is_skipping:
                    session.is_skipping = True  # counted when the field has come
                    self.counted[LONG] += 1
            if len(waiting) < length:
                return
            if not session.is_skipping:
                self.expected.append((session.user, bytes(waiting[:length])))
                self.counted[MESSAGE] += 1
            session.is_skipping = False
            del waiting[:length]

    # ---- Output ----

    def messages(self) -> list[tuple[dict[str, int], bytes]]:
        found, data, first = [], bytearray(), None
        for item in self.bench.items(MESSAGES):
            beat = self.layout.unpack(item)
            first = beat["user"] if first is None else first
            assert beat["user"] == first  # in every beat
            count = beat["keep"].bit_length()
            assert beat["keep"] == (1 << count) - 1
            assert beat["last"] or count == self.size
            data += beat["data"].to_bytes(self.size, "little")[:count]
            if beat["last"]:
                user = {name: value for name, value in FROM.unpack(first).items() if value}
                found.append((user, bytes(data)))
                data, first = bytearray(), None
        assert first is None
        return found

    def check(self) -> None:
        self.bench.drain()
        expected = [({n: v for n, v in user.items() if v}, data) for user, data in self.expected]
        assert self.messages() == expected
        self.expected.clear()
        back = [self.layout.unpack(item) for item in self.bench.items(BACK)]
        resets = [TO.unpack(each["user"]) for each in back if not each["keep"]]
        assert [each["session"] for each in resets if each["reset"]] == self.resets
        self.resets.clear()
        assert self.bench.events[: len(self.counted)] == self.counted
        assert not self.bench.status
        self.bench.forget()
        self.seen = [a + b for a, b in zip(self.seen, self.counted, strict=True)]
        self.counted = [0] * 4

    # ---- Traffic ----

    def length(self) -> int:
        frames, random = self.frames, self.random
        return random.choice(
            [frames.head, random.randrange(frames.head, frames.most + 1), frames.most]
        )

    def stream(self, number: int, lengths: Iterable[int]) -> bytes:
        return b"".join(self.frames.message(self.random, each) for each in lengths)

    def pieces(self, data: bytes, most: int) -> list[bytes]:
        found = []
        while data:
            count = self.random.choice([1, 2, self.size, self.random.randrange(1, most + 1), most])
            found.append(data[:count])
            data = data[count:]
        return found

    def traffic(self, rounds: int, *, wild: bool = False) -> None:
        """All sessions at once, chunks interleaved at random. `wild`: also bad lengths, and streams
        that end within a message."""
        random = self.random
        for _ in range(rounds):
            queues: dict[int, list[bytes]] = {}
            for number in range(SESSIONS):
                self.notice(number, "opened")
                lengths = [self.length() for _ in range(random.randrange(1, 12))]
                if wild and random.random() < 0.4:
                    bad = [0, self.frames.head - 1, self.frames.most + 1, 5 * self.frames.most]
                    lengths.insert(random.randrange(len(lengths)), random.choice(bad))
                data = self.stream(number, lengths)
                if wild and random.random() < 0.3:
                    data = data[: random.randrange(len(data))]
                queues[number] = self.pieces(data, 6 * self.size)
            while queues:
                number = random.choice(list(queues))
                if queues[number]:
                    self.chunk(number, queues[number].pop(0))
                    continue
                del queues[number]
                if random.random() < 0.5:
                    self.notice(number, "closed")
                self.notice(number, "ended", *["failed"] * random.randrange(2))


SHAPES = {
    "fixed 1": Frames(fixed=1),
    "fixed 5": Frames(fixed=5),
    "fixed 64": Frames(fixed=64),
    "fixed 301": Frames(fixed=301),
    "2 big": Frames(bias=2),
    "2 little at 3": Frames(offset=3, big=False),
    "4 big at 4": Frames(offset=4, width=4, bias=8, most=1000),
    "4 little at 11": Frames(offset=11, width=4, big=False, bias=-3),
    "1 at 0": Frames(width=1, bias=1, most=255),
    "1 short": Frames(width=1, bias=1, most=20),  # several in a beat
    "3 big at 69": Frames(offset=69, width=3, most=2048),
}


@pytest.mark.parametrize(
    ("width", "shape"),
    [
        # `make test` has each shape at one width.
        pytest.param(width, shape, marks=() if (n + (width == 64)) % 2 else pytest.mark.sweep)
        for width in (64, 512)
        for n, shape in enumerate(SHAPES)
    ],
)
def test_messages(benches: Benches, width: int, shape: str) -> None:
    for seed in SEEDS:
        world = World(benches, SHAPES[shape], width, seed)
        for pace in PACES:
            world.bench.pace(**pace)
            world.traffic(3)
            world.check()


@pytest.mark.parametrize("skips", [False, True], ids=["resets", "skips"])
@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("shape", ["1 short", "2 big", "4 little at 11", "3 big at 69"])
def test_lengths_that_are_wrong(benches: Benches, shape: str, width: int, skips: bool) -> None:
    """Messages that are too long, or shorter than their own head; streams that end early."""
    given = SHAPES[shape].__dict__ | {"skips": skips}
    for seed in SEEDS:
        world = World(benches, Frames(**given), width, seed)
        for pace in PACES:
            world.bench.pace(**pace)
            world.traffic(6, wild=True)
            world.check()
        assert all(world.seen[event] for event in (MESSAGE, LONG, CUT))


def test_the_longest_lengths(benches: Benches) -> None:
    """The field and the bias are added without overflow, and a long message is skipped whole."""
    frames = Frames(width=4, bias=65536, most=4000, skips=True)
    world = World(benches, frames)
    world.notice(0, "opened")
    world.chunk(0, bytes.fromhex("ffffffff") + bytes(1000))
    world.notice(0, "ended")
    world.notice(0, "opened")
    long = (100_000).to_bytes(4) + bytes(165_532)
    for start in range(0, len(long), 2048):
        world.chunk(0, long[start : start + 2048])
    world.bench.drain()
    assert world.bench.events[LONG] == 2 and world.bench.events[BAD] == 0


def test_the_kernel_s_messages_and_resets(benches: Benches) -> None:
    """Resets go between the messages of the kernel, never into one."""
    world = World(benches, Frames(most=20))
    random = world.random
    for pace in PACES:
        world.bench.pace(**pace)
        sent, resets = [], []
        for number in range(60):
            session = number % SESSIONS
            if session == 0:
                world.bench.drain()  # a reset is dropped if its session is opened again
            world.notice(session, "opened")
            world.chunk(session, (21).to_bytes(2))
            resets.append(session)
            data = random.randbytes(random.randrange(1, 40))
            user = TO.pack(session=session, close=random.randrange(2))
            world.push(data, user, SENT)
            sent.append((user, data))
        world.bench.drain()
        found, data = [], bytearray()
        for item in world.bench.items(BACK):
            beat = world.layout.unpack(item)
            data += beat["data"].to_bytes(8, "little")[: beat["keep"].bit_length()]
            if beat["last"]:
                found.append((beat["user"], bytes(data)))
                data.clear()
        assert [each for each in found if each[1]] == sent
        assert [TO.unpack(user) for user, data in found if not data] == [
            TO.unpack(TO.pack(reset=1, session=session)) for session in resets
        ]
        world.bench.forget()


def test_resets_do_not_wait_for_a_kernel_that_needs_input(benches: Benches) -> None:
    """It has begun a message, and ends it after others have come: each session is reset once, if
    its connection is still there.
    """
    world = World(benches, Frames(most=20))
    user = TO.pack(session=0)
    for _ in range(2):
        world.bench.push([world.layout.pack(data=7, keep=0xFF, last=0, user=user)], SENT)
        world.bench.run(20)
        for _ in range(3):  # more resets than sessions
            for number in range(SESSIONS):
                world.notice(number, "opened")
                world.chunk(number, (21).to_bytes(2))
        world.notice(2, "closed", "ended")
        world.notice(1, "opened")
        world.chunk(1, world.frames.message(world.random, 20))
        world.bench.run(1000)
        assert not world.bench.waiting(CHUNKS)
        world.bench.push([world.layout.pack(data=7, keep=0xFF, last=1, user=user)], SENT)
        world.bench.drain()
        back = [world.layout.unpack(item) for item in world.bench.items(BACK)]
        assert [each["keep"] for each in back[:2]] == [0xFF, 0xFF]
        resets = [TO.unpack(each["user"]) for each in back[2:]]
        assert all(each["reset"] for each in resets)
        assert sorted(each["session"] for each in resets) == [0, 3]
        world.bench.forget()


def test_a_slow_kernel_stops_the_sessions_and_loses_nothing(benches: Benches) -> None:
    world = World(benches, Frames(fixed=100))
    world.bench.stall(MESSAGES, 1.0)
    for number in range(SESSIONS):
        world.notice(number, "opened")
    for _ in range(40):
        for number in range(SESSIONS):
            world.chunk(number, world.random.randbytes(130))
    world.bench.run(3000)
    assert world.bench.waiting(CHUNKS) > 1000
    world.bench.stall(MESSAGES, 0.0)
    world.check()


def test_reset_in_the_middle(benches: Benches) -> None:
    world = World(benches, Frames(fixed=50))
    for cycles in range(1, 80, 3):
        for number in range(SESSIONS):
            world.notice(number, "opened")
            world.chunk(number, bytes(75))
        world.bench.run(cycles)
        world.bench.reset(1)
        world.expected.clear()
        world.counted = [0] * 4
        world.notice(2, "opened")
        world.chunk(2, world.stream(2, [50] * 5))
        world.check()


@pytest.mark.parametrize(
    ("frames", "cycles"),
    [(Frames(fixed=64), 1.0), (Frames(fixed=256), 4.0), (Frames(most=1460), 26.0)],
    ids=["fixed 64", "fixed 256", "field 1460"],
)
@pytest.mark.parametrize("ahead", [0, 13, 63])
def test_rate(benches: Benches, frames: Frames, cycles: float, ahead: int) -> None:
    """Cycles per message at 512 bits, at any alignment, in long chunks."""
    world = World(benches, frames, 512, ring=4096)
    count, length = 400, frames.fixed or 1460
    data = world.stream(0, [length] * count)
    world.notice(0, "opened")
    world.chunk(0, data[:ahead])
    world.bench.drain()
    world.chunk(0, data[ahead:])
    world.bench.drain()
    ends = [
        each.cycle for each in world.bench.received(MESSAGES) if world.layout.get(each.item, "last")
    ][-300:]
    assert (ends[-1] - ends[0]) / (len(ends) - 1) <= cycles + 0.01
    world.check()
