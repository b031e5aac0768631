# SPDX-License-Identifier: Apache-2.0
"""What the benchmark `cluster` measures between the boards of a bar, and what the law says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from bombus.cluster import law
from bombus.cluster.model import Endpoint, Timing

WORDS = 8  # of a packet: 64 bytes
LONG_WORDS = 32  # 256 bytes
STRIDES = (8, 32, 128, 256, 512)
MORE_STRIDES = (16, 64)
SHARED = (16, 32)  # strides of figure 9
ENDPOINTS = (1, 2, 4)
MORE_ENDPOINTS = (3, 6, 8)
HOPS = 3
# Settings of figure 10: buffer, stride, offset. The first three are table III of the paper; the
# fourth needs the same buffer as the first; in the last one the buffer has room for one grant of 32
# packets at a time.
CONTENDED = {
    "64x1+16": (80, 64, 16),
    "64x1+8": (72, 64, 8),
    "32x2+16": (80, 32, 16),
    "8x1+72": (80, 8, 72),
    "32x1+16": (48, 32, 16),
}
ERROR_RATES = (0.0, 1e-6, 1e-4)
LINK_BUFFERS = (200, 248)  # beats; the second one needs no more memory
LAW_OF_ERRORS = 1e-5  # above, most retries fail, too


@dataclass(frozen=True)
class Case:
    """A measurement: who sends to whom, by number of the board, and on how many channels."""

    figure: str
    endpoint: Endpoint
    flows: tuple[tuple[int, int], ...]
    packets: int  # of each flow
    skip: int = 0  # of them before the measurement
    endpoints: int = 1
    echoes: bool = False
    endless: bool = False  # all flows send until the end
    bit_errors: float = 0.0
    link_buffer: int = LINK_BUFFERS[0]  # beats
    part: str = ""  # cases with the same boards

    @property
    def hops(self) -> int:
        return max(abs(source - target) for source, target in self.flows)


def half(stride: int) -> Endpoint:
    """As in figures 8 and 9: the offset is half of the stride."""
    return Endpoint(
        buffer_size=stride + stride // 2,
        flow_offset=stride // 2,
        flow_stride=stride,
        init_budget=1,
        words=WORDS,
    )


def window() -> Endpoint:
    """The least buffer for the full rate over all hops: an offset of a round trip, 1.1 of it in
    all.
    """
    timing = Timing()
    trip = law.round_trip(HOPS, WORDS, timing) / timing.wire(WORDS)
    buffer, offset = int(1.1 * trip), ceil(trip)
    return replace(half(8), buffer_size=buffer, flow_offset=offset, flow_stride=buffer - offset)


def _in_strides(figure: str, stride: int, hops: int, endpoints: int = 1, part: str = "") -> Case:
    """Figures 8 and 9: whole strides are measured, so that the moment of a grant adds nothing."""
    skip = stride * max(2, 64 // stride)
    packets = skip + stride * max(4, 512 // stride) + 1
    return Case(figure, half(stride), ((hops, 0),), packets, skip, endpoints, part=part)


def _links(buffer: int, *, full: bool) -> Iterator[Case]:
    """Packets that nothing but a link stops, and bit errors."""
    for words in (WORDS, LONG_WORDS):
        unmanaged = Endpoint(managed=False, buffer_size=16, words=words)
        of_errors = ERROR_RATES[1:] if words == LONG_WORDS else ()
        for rate, ways in [(0.0, 1), (0.0, 2), *((rate, 1) for rate in of_errors)]:
            count = (40_000 if rate else 16_000) // words * (4 if full else 1)
            way = f"errors {rate:.0e}" if rate else f"{'both ways' if ways == 2 else 'one way'}"
            yield Case(
                f"link {8 * words} B, {way}",
                unmanaged,
                ((1, 0), (0, 1))[:ways],
                packets=count,
                skip=count // 8,
                bit_errors=rate,
                link_buffer=buffer,
                part=f"link {buffer}",
            )


def cases(*, full: bool = False) -> Iterator[Case]:
    for stride in sorted((*STRIDES, *(MORE_STRIDES if full else ()))):
        for hops in range(1, HOPS + 1):
            yield _in_strides("8", stride, hops)
    for hops in range(1, HOPS + 1):
        yield Case("11", half(STRIDES[0]), ((hops, 0),), packets=8, echoes=True)
    for name, (buffer, stride, offset) in CONTENDED.items():
        endpoint = replace(half(stride), buffer_size=buffer, flow_stride=stride, flow_offset=offset)
        flows = tuple((source, 0) for source in range(1, HOPS + 1))
        yield Case(f"10 {name}", endpoint, flows, packets=5000, skip=500, endless=True)
    yield Case("window", window(), ((HOPS, 0),), packets=2000, skip=500, part="window")
    for buffer in LINK_BUFFERS:
        yield from _links(buffer, full=full)
    for stride in SHARED:
        for count in sorted((*ENDPOINTS, *(MORE_ENDPOINTS if full else ()))):
            yield _in_strides("9", stride, HOPS, count, part=f"stride {stride}")


def bound(case: Case, timing: Timing, channels: Sequence[int]) -> float | None:
    """The payload's share of a link by the law; each stage of the chain adds a cycle both ways."""
    if case.echoes or case.bit_errors > LAW_OF_ERRORS:
        return None
    kind = case.endpoint
    line = law.line(kind.words, timing, both=len({target for _, target in case.flows}) > 1)
    if not kind.managed:
        return line * law.goodput(kind.words, case.bit_errors, timing)
    timings = [replace(timing, endpoint=timing.endpoint + 2 * each) for each in channels]
    hops = [abs(source - target) for source, target in case.flows]
    if len(hops) > 1:
        return min(line, law.several(kind, hops, timings[0]))
    return min(line, sum(law.share(kind, hops[0], each) for each in timings))
