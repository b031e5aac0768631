# SPDX-License-Identifier: Apache-2.0
"""Drives one RTL module at a time, fast enough for many thousands of messages a second.

Every module has a bench in `benches/`: a SystemVerilog wrapper that gives it the
ports of `benches/bench.svh`. Verilator and `harness.cpp` make a library of it. A test
pushes items into the streams, lets the bench run with random gaps and stalls, and
compares what comes out with what its own model says. The harness itself checks the
rules of a link (`valid` does not wait for `ready` and does not fall, data stay) in
every cycle.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from bombus.base import paths
from bombus.design.rtl import StructField, struct_layout
from tests.support.bench_library import build, load

WIDTHS = (64, 128, 256, 512)
SEEDS = (1, 2, 3)


class BenchError(AssertionError):
    """The module under test broke a rule of the link."""


# ---- Benches ----


class Received(NamedTuple):
    cycle: int
    item: int


class Bench:
    """One bench, out of reset. Items are numbers, as wide as the stream."""

    def __init__(self, library: Path, seed: int) -> None:
        self._library = load(library)
        self._handle = self._library.bench_open(seed)
        shape = (ctypes.c_uint64 * 6)()
        self._library.bench_shape(self._handle, shape)
        self.num_in, self._in_bytes, self.num_out, self._out_bytes = shape[:4]
        self._control_bytes, self._status_bytes = shape[4:]
        self.reset()

    def __del__(self) -> None:
        if handle := getattr(self, "_handle", None):
            self._library.bench_close(handle)

    def _check(self) -> None:
        if error := self._library.bench_error(self._handle):
            raise BenchError(error.decode())

    def reset(self, cycles: int = 3) -> None:
        """Resets the module; discards queued input and received output."""
        self._library.bench_reset(self._handle, cycles)
        self.forget()

    def clock(self, index: int, period: int, phase: int = 0) -> None:
        """The period of a clock, in the unit of the other's; its next edge is `phase` behind the
        next one of clock 0."""
        self._library.bench_set_period(self._handle, index, period, phase)

    def hold_reset(self, *clocks: int) -> None:
        """Resets only the domains of these clocks until the next call, and discards their queued
        input.
        """
        bits = sum(1 << clock for clock in clocks)
        self._library.bench_set_reset(self._handle, bits)
        self._library.bench_flush(self._handle, bits)

    def push(self, items: Sequence[int], stream: int = 0) -> None:
        data = b"".join(item.to_bytes(self._in_bytes, "little") for item in items)
        self._library.bench_push(self._handle, stream, data, len(items))

    def pace(self, *, gap: float = 0.0, stall: float = 0.0) -> None:
        """The chance in every cycle that a source waits and that a sink is not ready."""
        for stream in range(self.num_in):
            self.gap(stream, gap)
        for stream in range(self.num_out):
            self.stall(stream, stall)

    def gap(self, stream: int, chance: float) -> None:
        self._library.bench_set_gap(self._handle, stream, chance)

    def stall(self, stream: int, chance: float) -> None:
        self._library.bench_set_stall(self._handle, stream, chance)

    def control(self, value: int) -> None:
        data = value.to_bytes(self._control_bytes, "little")
        self._library.bench_set_control(self._handle, data)

    @property
    def status(self) -> int:
        buffer = ctypes.create_string_buffer(self._status_bytes)
        self._library.bench_status(self._handle, buffer)
        return int.from_bytes(buffer.raw, "little")

    def run(self, cycles: int = 1) -> None:
        self._library.bench_run(self._handle, cycles)
        self._check()

    def drain(self, limit: int = 300_000, quiet: int = 100) -> None:
        """Runs until everything is sent and there has been no output for a while."""
        done = self._library.bench_drain(self._handle, limit, quiet)
        self._check()
        assert done, f"still busy after {limit} cycles"

    @property
    def cycle(self) -> int:
        return int(self._library.bench_cycle(self._handle))

    @property
    def combinational(self) -> int:
        """The inputs whose ready has been seen to hang on an output's ready, as bits."""
        return int(self._library.bench_combinational(self._handle))

    def waiting(self, stream: int = 0) -> int:
        """Items that have been pushed and not been taken yet."""
        return int(self._library.bench_waiting(self._handle, stream))

    def taken(self, stream: int = 0) -> list[int]:
        """The cycle in which each item was taken."""
        cycles = ctypes.POINTER(ctypes.c_uint64)()
        count = self._library.bench_taken(self._handle, stream, ctypes.byref(cycles))
        return cycles[:count]

    def received(self, stream: int = 0) -> list[Received]:
        data = ctypes.c_void_p()
        cycles = ctypes.POINTER(ctypes.c_uint64)()
        count = self._library.bench_received(
            self._handle, stream, ctypes.byref(data), ctypes.byref(cycles)
        )
        if not count:
            return []
        size = self._out_bytes
        raw = ctypes.string_at(data.value or 0, count * size)
        items = (
            int.from_bytes(raw[start : start + size], "little")
            for start in range(0, count * size, size)
        )
        return [Received(cycle, item) for cycle, item in zip(cycles[:count], items, strict=True)]

    def items(self, stream: int = 0) -> list[int]:
        return [received.item for received in self.received(stream)]

    def forget(self) -> None:
        self._library.bench_forget(self._handle)

    @property
    def events(self) -> list[int]:
        """How often each bit of event_o was high."""
        counts = (ctypes.c_uint64 * 64)()
        self._library.bench_events(self._handle, counts)
        return list(counts)


@dataclass(frozen=True)
class Benches:
    """Opens benches on the RTL of one folder."""

    rtl: Path = paths.RTL
    generated: Path | None = None  # folder of modules that benches use besides

    def __call__(
        self,
        name: str,
        *,
        seed: int = 1,
        macros: Mapping[str, str | int] | None = None,
        **parameters: int,
    ) -> Bench:
        return Bench(build(name, self.rtl, parameters, macros or {}, self.generated), seed)


# ---- Items ----


class Layout:
    """Named fields of an item, the lowest bits first."""

    def __init__(self, *fields: tuple[str, int]) -> None:
        self.width = 0
        self.fields: dict[str, tuple[int, int]] = {}
        for name, width in fields:
            self.fields[name] = (self.width, (1 << width) - 1)
            self.width += width

    def pack(self, **values: int) -> int:
        item = 0
        for name, value in values.items():
            offset, mask = self.fields[name]
            assert 0 <= value <= mask, f"{name}: {value} does not fit"
            item |= value << offset
        return item

    def get(self, item: int, name: str) -> int:
        offset, mask = self.fields[name]
        return item >> offset & mask

    def unpack(self, item: int) -> dict[str, int]:
        return {name: item >> offset & mask for name, (offset, mask) in self.fields.items()}


def _layout(struct: str, package: str) -> dict[str, StructField]:
    """Kind and length of a message above the fields of its metadata."""
    fields = dict(struct_layout(struct, package))
    fields["length"] = StructField(_STRUCT_BITS, LENGTH_BITS)
    fields["kind"] = StructField(_STRUCT_BITS + LENGTH_BITS, KIND_BITS)
    return fields


def pack_meta(
    *, meta_type: str = "packet_meta_t", package: str = "bombus_pkg", **fields: int
) -> int:
    """Metadata, length and kind of a message as a number. Fields by their names, `__` for the dot
    (`l4__ports__src_port`)."""
    layout = _layout(meta_type, package)
    value = 0
    for name, number in fields.items():
        place = layout[name.replace("__", ".")]
        assert 0 <= number < 1 << place.width, f"{name}: {number} does not fit"
        value |= number << place.offset
    return value


def get_meta(meta: int, name: str) -> int:
    place = _layout("packet_meta_t", "bombus_pkg")[name]
    return meta >> place.offset & ((1 << place.width) - 1)


KIND_BITS, LENGTH_BITS = 3, 14  # of a beat in the benches
_STRUCT_BITS = max(each.offset + each.width for each in struct_layout("packet_meta_t").values())
META_BITS = _STRUCT_BITS + LENGTH_BITS + KIND_BITS


@dataclass(frozen=True)
class Message:
    """Beats up to `last`; side: signals alongside the first beat."""

    payload: bytes
    meta: int = 0
    side: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> int:
        return get_meta(self.meta, name)


def meta_of(beat: Mapping[str, int]) -> int:
    """Metadata, length and kind of a beat, as `pack_meta` makes them."""
    return (beat["kind"] << LENGTH_BITS | beat["length"]) << _STRUCT_BITS | beat["meta"]


class Beats:
    """Makes beats of messages and messages of beats, at one data width.

    `side`: fields of an item above the beat; those named in `first_only` are valid only with the
    first beat of a message. A `first` among them is not data: it must be set in the first beat of
    every message, and in no other.
    """

    def __init__(
        self, data_width: int, *side: tuple[str, int], first_only: Iterable[str] = ()
    ) -> None:
        self.size = data_width // 8
        self.side = dict(side)
        self.first_only = frozenset(first_only)
        self.layout = Layout(
            ("data", data_width),
            ("bytes", self.size.bit_length()),
            ("last", 1),
            ("kind", KIND_BITS),
            ("length", LENGTH_BITS),
            ("meta", _STRUCT_BITS),
            *side,
        )

    def count(self, length: int) -> int:
        """Beats of a message."""
        return max(1, -(-length // self.size))

    def beats(self, message: Message, random: Random | None = None) -> list[int]:
        """Items. With `random`, don't-care fields are noise: metadata, byte counts and side signals
        of beats without them.
        """
        count = self.count(len(message.payload))
        items = []
        for index in range(count):
            part = message.payload[index * self.size : (index + 1) * self.size]
            last = index == count - 1
            meta, size, side = message.meta, len(part), dict(message.side)
            if random and index:
                meta = random.getrandbits(META_BITS)
                side |= {name: random.getrandbits(self.side[name]) for name in self.first_only}
            if random and not last:
                size = random.getrandbits(self.size.bit_length())
            items.append(
                self.layout.pack(
                    data=int.from_bytes(part, "little"),
                    bytes=size,
                    last=int(last),
                    kind=meta >> _STRUCT_BITS + LENGTH_BITS,
                    length=meta >> _STRUCT_BITS & (1 << LENGTH_BITS) - 1,
                    meta=meta & (1 << _STRUCT_BITS) - 1,
                    **side,
                )
            )
        return items

    def stream(self, messages: Iterable[Message], random: Random | None = None) -> list[int]:
        return [item for message in messages for item in self.beats(message, random)]

    def messages(self, items: Iterable[int], *, lengths: bool = False) -> list[Message]:
        """Messages. `lengths`: `length` must agree with the beats."""
        messages: list[Message] = []
        payload = bytearray()
        first: dict[str, int] | None = None
        for item in items:
            beat = self.layout.unpack(item)
            if "first" in beat:
                assert beat["first"] == (first is None), "first is in the wrong beat"
            if first is None:
                first = beat
            data = beat["data"].to_bytes(self.size, "little")
            if not beat["last"]:
                payload += data
                continue
            size = beat["bytes"]
            assert size <= self.size, f"{size} bytes in a beat of {self.size}"
            assert size or not payload, "the last beat of several is empty"
            assert not any(data[size:]), "bytes behind the end are not zero"
            payload += data[:size]
            message = Message(
                bytes(payload), meta_of(first), {name: first[name] for name in self.side}
            )
            if lengths:
                assert message["length"] == len(payload), "length is not the length of the message"
            messages.append(message)
            payload.clear()
            first = None
        assert first is None, "the last message has no end"
        return messages


def csum(data: bytes, start: int = 0) -> int:
    """One's complement sum of 16-bit words (RFC 1071), not inverted."""
    if len(data) % 2:
        data += b"\0"
    total = start + sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def same_sum(a: int, b: int) -> bool:
    """Whether two one's complement sums mean the same: 0 and 0xFFFF do."""
    return a == b or {a, b} == {0, 0xFFFF}


def consecutive(cycles: Sequence[int]) -> bool:
    """Whether nothing waited: one item in each cycle from the first to the last."""
    return all(after == before + 1 for before, after in pairwise(cycles))


PACES = (
    {"gap": 0.0, "stall": 0.0},
    {"gap": 0.5, "stall": 0.0},
    {"gap": 0.0, "stall": 0.5},
    {"gap": 0.3, "stall": 0.3},
    {"gap": 0.05, "stall": 0.9},
)
