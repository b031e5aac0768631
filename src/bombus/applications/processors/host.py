# SPDX-License-Identifier: Apache-2.0
"""The host of packet processors, in virtual time: frames from and to them, and its memory.

    host = bombus.processors(simulation).host
    host.latency_us = 2
    host.memory.write(0, table)
    host.send(frame, processor=1)
    simulation.advance(10_000)
    hit = host.receive()

A layer `rpu_host` of the design hands over what processors send to its MAC port; what the firmware
asks for: rpu_host.h. Once the host has been used, requests are served while virtual time passes in
`simulation.advance` and in a live run.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bombus.applications.processors.distribution import Position
from bombus.applications.processors.host_memory import (
    FRAME,
    READ,
    Answer,
    HostMemory,
    Request,
    Requests,
)
from bombus.design.dispatch import crc
from bombus.design.rtl import constant
from bombus.simulator.native import SimulationError
from bombus.simulator.register_map import find_tile
from bombus.simulator.simulation import Simulation
from bombus.simulator.streams import Message, Stream

KIND = "rpu_host"  # of the layer
_PACKET = "packet"
_GONE = f"event.{KIND}.from_host"
_WORD_BYTES = 4
_FLOW_BITS = 64  # address and ports
STEP_CYCLES = 8  # between two looks at what has come: answers are late by less than that
_MOST_SENT = 1024  # frames that are kept in mind before it is asked which have left
_MOST_KEYS = 4096  # tried to find one that leads to a processor
_NS_PER_US = 1000


@dataclass(frozen=True)
class HostFrame:
    """A frame that a processor has sent to the host, with the tag that it gave it."""

    data: bytes
    processor: int  # its number
    tag: int


class Host:
    """The host behind a layer `rpu_host`.

    `most_frames`: kept for `receive`; further ones are `lost`; None: all are kept. `memory`: of
    1 MiB; another one can be set. `latency_us`: of a request, from the cycle in which it has a tag
    to its answer, without the way there and back; start and end are each seen up to `STEP_CYCLES`
    late. `tags`: requests in flight at a time; others wait. `counts`: `frames`,
    `lost`, `reads`, `writes`, and what firmware asked for in error: `bad_address`, `bad_length`,
    `bad_request` (no request at all), which is not answered.
    """

    def __init__(
        self,
        simulation: Simulation,
        processors: Sequence[Position],
        enabled: Callable[[], Sequence[int]],
    ) -> None:
        """`enabled`: numbers of the processors that get messages."""
        self._simulation, self._processors, self._enabled = simulation, processors, enabled
        self.tile = _tile(simulation)
        self._out, self._in = _streams(simulation, self.tile)
        self.counts: Counter[str] = Counter()
        self._requests = Requests(HostMemory(1 << 20), _NS_PER_US, 32, self._answer, self.counts)
        self._frames: deque[HostFrame] = deque()
        self.most_frames: int | None = None
        self._keys: dict[int, int] = {}
        self._numbers = _numbers(simulation.manifest, processors)
        self._turn = 0
        # Processors of the frames that may not have left yet, in order; how many have been sent
        self._sent: deque[int] = deque()
        self._num_sent = 0
        simulation.serve_every(STEP_CYCLES, self.poll)
        simulation.at_reset(self.forget)

    # ---- Properties of the host ----

    @property
    def memory(self) -> HostMemory:
        return self._requests.memory

    @memory.setter
    def memory(self, memory: HostMemory) -> None:
        self._requests.memory = memory

    @property
    def latency_us(self) -> float:
        return self._requests.latency_ns / _NS_PER_US

    @latency_us.setter
    def latency_us(self, value: float) -> None:
        if not 0 <= value <= 1_000_000:
            raise SimulationError(f"latency_us: should be 0 to 1,000,000, not {value}")
        self._requests.latency_ns = round(value * _NS_PER_US)

    @property
    def tags(self) -> int:
        return self._requests.tags

    @tags.setter
    def tags(self, value: int) -> None:
        if value < 1:
            raise SimulationError(f"tags: should be 1 or more, not {value}")
        self._requests.tags = value

    @property
    def in_flight(self) -> int:
        """Requests that have a tag."""
        return self._requests.in_flight

    @property
    def waiting(self) -> int:
        """Requests that wait for a tag."""
        return self._requests.waiting

    def open(self, processor: int | None = None) -> int:
        """Requests whose answer has not left the host, of a processor or of all, and other frames
        that have not.
        """
        self._forget_gone()
        self.poll()  # what has come while the counter was read
        left = sum(processor in {None, each} for each in self._sent)
        return self._requests.open(processor) + left

    def _forget_gone(self) -> None:
        gone = self._simulation.tile_counters(self.tile)[_GONE]
        while self._sent and self._num_sent - len(self._sent) < gone:
            self._sent.popleft()

    @property
    def flight_cycles(self) -> int:
        """The longest frame, into the layer's store and out of it."""
        most = max(self._most_bytes(number) for number in range(len(self._processors)))
        return 2 * most // self._out.data_bytes

    # ---- Frames ----

    def receive(self) -> HostFrame | None:
        """The oldest frame for the host; None if there is none. Time passes as in `poll`."""
        self.poll()
        return self._frames.popleft() if self._frames else None

    def send(self, data: bytes, processor: int | None = None, *, tag: int = 0) -> None:
        """Sends a frame to a processor, by its number; None: to the enabled
        ones in turn.

        SimulationError if it does not fit into a slot or is longer than any frame, or the processor
        cannot be addressed. It goes in as time advances, behind those before it.
        """
        if processor is None:
            enabled = self._enabled()
            processor = enabled[self._turn % len(enabled)]
            self._turn += 1
        if not 0 <= processor < len(self._processors):
            raise SimulationError(f"there is no processor {processor}")
        if not 0 <= tag < 1 << 16:
            raise SimulationError(f"tag: should be 0 to 65535, not {tag}")
        if len(data) > (most := self._most_bytes(processor)):
            raise SimulationError(f"the frame has {len(data)} bytes; the processor takes {most}")
        self._put(data, processor, tag, FRAME)

    def poll(self) -> None:
        """Handles what has come, and answers requests whose time is over; no time passes, unless
        so many frames have been sent that it is asked how many have left.
        """
        if len(self._sent) > _MOST_SENT:
            self._forget_gone()
        while (message := self._out.receive()) is not None:
            self._take(message)
        self._requests.run(self._simulation.time_ns)

    def advance_until_idle(self, limit_cycles: int = 1_000_000) -> bool:
        """Advances until no request is open and nothing is in flight.

        Returns False if that has not happened after `limit_cycles`.
        """
        end = self._simulation.cycle + limit_cycles
        while self._simulation.cycle < end:
            self._simulation.advance(64 * STEP_CYCLES)
            if not self.open() and not self._simulation.in_flight:
                return True
        return False

    def forget(self) -> None:
        """Forgets all frames and requests, as after a reset of the design."""
        self._requests.forget()
        self._frames.clear()
        self._sent.clear()
        self._num_sent = 0

    # ---- Messages ----

    def _take(self, message: Message) -> None:
        """A frame from a processor: a request for the memory, or a frame for the host."""
        word = message.fields["ip"]
        what, gap, tag = word >> 30, word >> 22 & 3, word & 0xFFFF
        data, address, length = message.data, 0, 0
        processor = self._numbers.get(message.fields["csum"])
        if what == READ and len(data) == 2 * _WORD_BYTES:
            address, length = _word(data, 0), _word(data, _WORD_BYTES)
            data = b""
        elif what not in {FRAME, READ} and len(data) >= gap + _WORD_BYTES:
            address = _word(data, len(data) - _WORD_BYTES)
            data = data[: len(data) - _WORD_BYTES - gap]
        elif what != FRAME:
            processor = None
        if processor is None:
            self.counts["bad_request"] += 1
        elif what == FRAME:
            self.counts["frames"] += 1
            if self.most_frames is not None and len(self._frames) >= self.most_frames:
                self.counts["lost"] += 1
            else:
                self._frames.append(HostFrame(data, processor, tag))
        else:
            most = self._most_bytes(processor)
            request = Request(what, processor, tag, address, length, data, most)
            self._requests.add(request, self._simulation.time_ns)

    def _answer(self, answer: Answer) -> None:
        request = answer.request
        self._put(answer.data, request.processor, request.tag, request.what, answer.failed)

    def _put(self, data: bytes, processor: int, tag: int, what: int, failed: bool = False) -> None:
        key = {"l4.ports.src_port": 0, "l4.ports.dst_port": self._key(processor)}
        self._in.send_kind(_PACKET, data, csum=tag, tos=failed << 2 | what, **key)
        self._sent.append(processor)
        self._num_sent += 1

    # ---- Processors ----

    def _most_bytes(self, processor: int) -> int:
        """The longest frame that a processor takes and can send on."""
        found = self._processors[processor]
        tile = find_tile(self._simulation.manifest, found.tile)
        (layer,) = (each for each in tile["layers"] if each["name"] == found.layer)
        longest = self._simulation.manifest["max_frame_bytes"]
        return min(int(layer["params"]["slot_bytes"]), int(longest))

    def _key(self, processor: int) -> int:
        """A port that leads frames to a processor, as the design file distributes them."""
        if processor not in self._keys:
            self._keys[processor] = self._find_key(self._processors[processor])
        return self._keys[processor]

    def _find_key(self, processor: Position) -> int:
        slots = [processor.tile]
        for sender in self._simulation.manifest["dispatch"]:
            if sender["tile"] == self.tile:
                slots = [each["to"] for each in sender["slots"]]
                if sender["policy"] != "flow_hash":
                    raise SimulationError(
                        f"{self.tile} distributes by {sender['policy']}: a host needs flow_hash "
                        "to address one of a group"
                    )
        key = find_key(slots, processor.tile, processor.lane)
        if key is None:
            raise SimulationError(f"frames of {self.tile} do not reach {processor.name}")
        return key


def find_key(slots: Sequence[str], tile: str, lane: int | None) -> int | None:
    """A destination port that leads to a lane of a tile, if all else that identifies the flow is 0;
    `slots`: tiles of the slots under `flow_hash`; lanes as after reset.
    """
    flow_bits, lanes = (constant(f"rpu_tile_pkg::{name}") for name in ("FlowBits", "MaxLanes"))
    for port in range(_MOST_KEYS):
        slot = crc(port, _FLOW_BITS, len(slots).bit_length() - 1) if len(slots) > 1 else 0
        its_lane = crc(port, _FLOW_BITS, flow_bits) % lanes
        if slots[slot] == tile and lane in {None, its_lane}:
            return port
    return None


def _numbers(manifest: Mapping[str, Any], processors: Sequence[Position]) -> dict[int, int]:
    """Numbers of the processors by what rpu puts into the metadata of their frames."""
    indices = {tile["name"]: int(tile["index"]) for tile in manifest["tiles"]}
    found = {}
    for number, each in enumerate(processors):
        lane = 0 if each.lane is None else each.lane + 1
        found[indices[each.tile] << constant("rpu_tile_pkg::LaneBits") | lane] = number
    return found


def _word(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + _WORD_BYTES], "little")


def _tile(simulation: Simulation) -> str:
    tiles = host_tiles(simulation.manifest)
    if len(tiles) != 1:
        count = "no" if not tiles else "more than one"
        raise SimulationError(f"{simulation.manifest['name']} has {count} layer {KIND}")
    return tiles[0]


def host_tiles(manifest: Mapping[str, Any]) -> list[str]:
    """The tiles with a layer `rpu_host`."""
    return [
        tile["name"]
        for tile in manifest["tiles"]
        if any(layer["kind"] == KIND for layer in tile["layers"])
    ]


def _streams(simulation: Simulation, tile: str) -> tuple[Stream, Stream]:
    mine = [stream for stream in simulation.streams.values() if stream.tile == tile]
    out, into = (next(s for s in mine if s.is_output == is_output) for is_output in (True, False))
    return out, into
