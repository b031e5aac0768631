"""A design in virtual time, from Python.

    with bombus.Simulation("designs/udp_echo.yaml") as simulation:
        simulation.send(frame)
        reply = simulation.receive()

Cycles are clock cycles of the design; virtual time follows from the clock
frequency of the design file and moves only inside calls of this class. "Sent"
is what goes into the design (rx of its MAC), "received" what comes out (tx).
"""

from __future__ import annotations

import ctypes
import errno
import os
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from types import TracebackType
from typing import Any, SupportsBytes

from bombus import _library as native
from bombus.build import Library, build
from bombus.errors import UserError
from bombus.impairment import Impairment
from bombus.watch import Stall, stalls

HOST_REGISTERS = 0xFF << 12
NEXT_HOP_TABLE = 0x800
SLOTS = 0xC00
STALL_CYCLES = 10_000  # without any movement: longer than the longest frame at a slow MAC
# More than any design needs for one frame; a test that waits longer has failed.
DEFAULT_TIMEOUT_CYCLES = 100_000


class SimulationError(UserError):
    """The simulator refused a call, or the design broke a rule while it ran."""


@dataclass(frozen=True)
class Frame:
    """A frame that crossed a MAC port. Without FCS."""

    data: bytes
    first_beat_cycle: int  # in which its first beat was taken
    last_beat_cycle: int
    time_ns: int  # virtual time of the last beat
    port: int = 0

    def __bytes__(self) -> bytes:
        return self.data

    def __len__(self) -> int:
        return len(self.data)


@dataclass(frozen=True)
class Sent:
    """When a frame went into the design; zeros if it never did."""

    first_beat_cycle: int
    last_beat_cycle: int
    time_ns: int
    length: int
    port: int = 0


@dataclass(frozen=True)
class Exchange:
    """What `Simulation.exchange` did."""

    sent: list[Sent]  # in the order of the request
    received: list[Frame]  # in the order of their last beats
    cycles: int  # from the call to its end
    timed_out: bool


class Simulation:
    """A running design.

    `design`: a design file, which is built if need be, or a `Library` from
    `bombus.build`. `seed`: of the initial state of registers that have no reset,
    and of all random choices here. `rx_bubble`, `tx_stall`: probability of an idle
    cycle before each beat into the design, and of `tready` low at its output.
    `timer_step_us`: longest jump of `elapse` while a timer is armed. `trace`,
    `assertions`: see `bombus.build.build`.

    The same seed and the same calls give the same bytes.
    """

    def __init__(
        self,
        design: Path | str | Library,
        *,
        seed: int = 0,
        rx_bubble: float = 0.0,
        tx_stall: float = 0.0,
        queue_limit: int = 0,
        timer_step_us: int = 100,
        trace: bool = False,
        assertions: bool = False,
    ) -> None:
        self._handle: int | None = None
        self.library = (
            design
            if isinstance(design, Library)
            else build(design, trace=trace, assertions=assertions)
        )
        self.manifest = self.library.manifest
        self._native = native.load(self.library.path)
        options = native.Options(
            seed=seed % (1 << 64),
            queue_limit=queue_limit,
            timer_step_us=timer_step_us,
            rx_bubble=rx_bubble,
            tx_stall=tx_stall,
        )
        handle = self._native.bombus_open(ctypes.byref(options))
        if not handle:
            raise SimulationError(f"{self.library.path}: could not be opened")
        self._handle = handle
        self.watch()
        self._buffer = ctypes.create_string_buffer(2 * self.manifest["max_frame_bytes"])
        self._tiles = {tile["name"]: tile for tile in self.manifest["tiles"]}

    def close(self) -> None:
        """Ends the simulation; capture and waveform files are complete then."""
        if self._handle is not None:
            self._native.bombus_close(self._handle)
            self._handle = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    # ---- What the design is ----

    @property
    def clock_hz(self) -> int:
        """Clock frequency that virtual time assumes."""
        return int(self._native.bombus_describe().contents.clock_hz)

    @property
    def data_bytes(self) -> int:
        """Bytes of one beat of a MAC port."""
        return int(self._native.bombus_describe().contents.data_bytes)

    @property
    def mac_ports(self) -> int:
        return int(self._native.bombus_describe().contents.mac_ports)

    # ---- Frames ----

    def send(self, frame: bytes | SupportsBytes, port: int = 0, *, bad: bool = False) -> None:
        """Queues a frame (bytes, or a scapy packet) for the MAC port `port`.

        It goes in while time advances, back to back with those before it. `bad`:
        the MAC saw a bad FCS. Nothing is padded.
        """
        data = bytes(frame)
        flags = native.BAD_FRAME if bad else 0
        self._check(self._native.bombus_send_frame(self._handle, port, data, len(data), flags))

    def receive(self, port: int = 0, timeout_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> Frame | None:
        """The next frame that comes out of the MAC port; advances time until then.

        None if none has come after `timeout_cycles`. With 0: only what is there.
        """
        status = self._native.bombus_advance_until_frame(self._handle, port, timeout_cycles)
        if status == -errno.ETIMEDOUT:
            return None
        self._check(status)
        info = native.FrameInfo()
        length = self._check(
            self._native.bombus_receive_frame(
                self._handle, port, self._buffer, len(self._buffer), ctypes.byref(info)
            )
        )
        return _frame(info, ctypes.string_at(self._buffer, length))

    def receive_all(
        self, port: int = 0, timeout_cycles: int = DEFAULT_TIMEOUT_CYCLES
    ) -> list[Frame]:
        """Every frame that comes out until nothing is in flight."""
        self.advance_until_idle(timeout_cycles)
        frames = []
        while (frame := self.receive(port, timeout_cycles=0)) is not None:
            frames.append(frame)
        return frames

    def sent(self, port: int = 0) -> list[Sent]:
        """When the frames that went in since the last call did so (the last 65536)."""
        stamps = []
        info = native.FrameInfo()
        while self._native.bombus_next_sent(self._handle, port, ctypes.byref(info)) == 0:
            stamps.append(_sent(info))
        return stamps

    def exchange(
        self,
        frames: Sequence[bytes | SupportsBytes],
        *,
        ports: Sequence[int] | None = None,
        window: int = 0,
        gap_cycles: int = 0,
        expected: int = 0,
        limit_cycles: int = 0,
        capacity: int | None = None,
    ) -> Exchange:
        """Sends many frames and gathers what comes out, in one call into the simulator.

        `ports`: of each frame, default 0. `window`: at most so many frames sent and not
        answered (0: no limit). `gap_cycles`: at least so many cycles from one frame to the
        next. Stops after `expected` frames have come out, or (0) when nothing is in
        flight, or after `limit_cycles` (0: never). `capacity`: most frames that can come
        out; default: twice as many as go in, and some.
        """
        contents = [bytes(frame) for frame in frames]
        lengths = array("I", map(len, contents))
        capacity = capacity if capacity is not None else 2 * len(contents) + 64
        data_capacity = min(
            capacity * self.manifest["max_frame_bytes"],
            2 * sum(lengths) + capacity * 64 + (1 << 20),
        )
        data = ctypes.create_string_buffer(data_capacity)
        sent = (native.FrameInfo * max(1, len(contents)))()
        received = (native.FrameInfo * capacity)()
        joined = b"".join(contents)
        request = native.ExchangeRequest(
            frames=joined,
            lengths=(ctypes.c_uint32 * max(1, len(contents))).from_buffer_copy(
                lengths.tobytes() or bytes(4)
            ),
            ports=bytes(ports) if ports is not None else None,
            count=len(contents),
            window=window,
            gap_cycles=gap_cycles,
            expected=expected,
            limit_cycles=limit_cycles,
            data_capacity=data_capacity,
            received_capacity=capacity,
            sent=sent,
            data=ctypes.cast(data, ctypes.c_void_p),
            received=received,
        )
        if ports is not None and len(ports) != len(contents):
            raise ValueError("one port for each frame")
        status = self._native.bombus_exchange(self._handle, ctypes.byref(request))
        if status != -errno.ETIMEDOUT:
            self._check(status)
        out = []
        position = 0
        view = memoryview(data)
        for info in received[: request.received_count]:
            out.append(_frame(info, bytes(view[position : position + info.length])))
            position += info.length
        return Exchange(
            sent=[_sent(info) for info in sent[: len(contents)]],
            received=out,
            cycles=request.cycles,
            timed_out=status == -errno.ETIMEDOUT,
        )

    # ---- Time ----

    @property
    def cycle(self) -> int:
        """Clock cycles since the simulation was opened."""
        return int(self._native.bombus_cycle(self._handle))

    @property
    def evaluated_cycles(self) -> int:
        """Cycles that were really computed; idle ones are skipped."""
        return int(self._native.bombus_evaluated_cycles(self._handle))

    @property
    def time_us(self) -> int:
        """Virtual time in microseconds."""
        return int(self._native.bombus_time_us(self._handle))

    @property
    def time_ns(self) -> int:
        """Virtual time in nanoseconds."""
        return int(self._native.bombus_time_ns(self._handle))

    @property
    def busy(self) -> bool:
        """Something is in flight or waiting, or a timer is armed."""
        return bool(self._native.bombus_busy(self._handle))

    @property
    def in_flight(self) -> bool:
        """Something is in flight or waiting."""
        return bool(self._native.bombus_in_flight(self._handle))

    def advance(self, cycles: int) -> None:
        """Advances by so many clock cycles."""
        self._check(self._native.bombus_advance_cycles(self._handle, cycles))

    def advance_until_idle(self, limit_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> bool:
        """Advances until nothing is in flight and counters are up to date.

        False if that has not happened after `limit_cycles`. Timers may stay armed.
        """
        status = self._native.bombus_advance_until_idle(self._handle, limit_cycles)
        if status == -errno.ETIMEDOUT:
            return False
        self._check(status)
        return True

    def elapse(self, *, us: int = 0, seconds: float = 0) -> None:
        """Lets virtual time pass in few cycles, by large steps of `tick_us_i`.

        Timers fire, at most `timer_step_us` late, and what they send goes out.
        """
        self._check(self._native.bombus_elapse_us(self._handle, us + round(seconds * 1_000_000)))

    def reset(self) -> None:
        """Resets the design; frames that wait or are in it are lost. Time goes on."""
        self._check(self._native.bombus_reset(self._handle))

    # ---- Registers ----

    def read_register(self, address: int) -> int:
        """Reads a 32-bit register; takes some cycles."""
        value = ctypes.c_uint32()
        self._check(self._native.bombus_read_register(self._handle, address, ctypes.byref(value)))
        return value.value

    def write_register(self, address: int, value: int) -> None:
        """Writes a 32-bit register; takes some cycles."""
        self._check(self._native.bombus_write_register(self._handle, address, value))

    def counters(self) -> dict[str, dict[str, int]]:
        """All counters, by tile and name. May lag events by 64 cycles."""
        return {name: self.tile_counters(name) for name in self._tiles}

    def tile_counters(self, tile: str) -> dict[str, int]:
        """The counters of one tile, by name."""
        names = self._tile(tile)["counters"]
        values = (ctypes.c_uint64 * len(names))()
        self._check(
            self._native.bombus_read_counters(
                self._handle, self._tile(tile)["index"], 0, len(names), values
            )
        )
        return dict(zip(names, values, strict=True))

    def watch(self, cycles: int = STALL_CYCLES) -> None:
        """Looks from now on for places where a message waits for so many cycles; 0: no more."""
        self._check(self._native.bombus_watch(self._handle, cycles))

    def stalls(self) -> list[Stall]:
        """Links, queues and layers that stand still, the oldest first, and what each waits for.

        `watch` says after how many cycles. `bombus.watch.explain` puts them in words.
        """
        found = (native.Stall * max(1, len(self.manifest.get("watch", ()))))()
        count = self._check(self._native.bombus_get_stalls(self._handle, found, len(found)))
        since = {stall.point: stall.since_cycle for stall in found[:count]}
        return stalls(self.manifest.get("watch", ()), since)

    def set_next_hop(
        self, tile: str, next_hop: int | str, to_tile: str | None, *, port: int = 0
    ) -> None:
        """Points a next hop of a tile to another tile's entry `port`; None: to nowhere.

        `next_hop`: number, or name as in the manifest (`udp_rx`).
        """
        self.write_register(
            self._tile(tile)["index"] << 12 | NEXT_HOP_TABLE + 4 * self._next_hop(next_hop),
            self._route(to_tile, port),
        )

    def set_slot(
        self, tile: str, next_hop: int | str, slot: int, to_tile: str | None, *, port: int = 0
    ) -> None:
        """Points a slot of a group of replicas to a tile's entry `port`; None: to nowhere.

        `tile` distributes the messages with that next hop. What the slots are depends on the
        policy: see `bombus.dispatch` and the manifest's `dispatch`.
        """
        wanted = self._tile(tile)["name"], self._next_hop(next_hop)
        for group in self.manifest["dispatch"]:
            if (group["tile"], self._next_hop(group["next"])) == wanted:
                break
        else:
            raise SimulationError(f"{tile} has no replicas for next hop {next_hop!r}")
        if not 0 <= slot < len(group["slots"]):
            raise SimulationError(f"slot {slot}: {group['group']} has {len(group['slots'])}")
        self.write_register(
            self._tile(tile)["index"] << 12 | SLOTS + 4 * (group["first_slot"] + slot),
            self._route(to_tile, port),
        )

    def set_host(
        self,
        *,
        mac: str | None = None,
        ip: str | None = None,
        netmask: str | None = None,
        gateway: str | None = None,
    ) -> None:
        """Changes addresses of the host; what is not given stays. Gateway "0.0.0.0": none."""
        if mac is not None:
            number = int(mac.replace(":", ""), 16)
            self.write_register(HOST_REGISTERS | 0x00, number & 0xFFFFFFFF)
            self.write_register(HOST_REGISTERS | 0x04, number >> 32)
        for offset, address in ((0x08, ip), (0x0C, netmask), (0x10, gateway)):
            if address is not None:
                self.write_register(HOST_REGISTERS | offset, int(IPv4Address(address)))

    # ---- The world around ----

    def pace(self, port: int = 0, *, rx_bubble: float = 0.0, tx_stall: float = 0.0) -> None:
        """Probability of an idle cycle before each beat in, and of `tready` low."""
        self._check(self._native.bombus_set_pace(self._handle, port, rx_bubble, tx_stall))

    def line_rate(self, gbps: float | None, port: int = 0) -> None:
        """Keeps both directions of a port to the rate of a wire, in Gbit/s.

        Preamble, FCS and gap count. None: as fast as the port.
        """
        self._check(self._native.bombus_set_line_rate(self._handle, port, (gbps or 0) * 1e9))

    def impair(
        self,
        rx: Impairment | None = None,
        tx: Impairment | None = None,
        *,
        port: int = 0,
    ) -> None:
        """What the network does to frames into (`rx`) and out of (`tx`) a port; None: nothing."""
        for direction, impairment in ((native.RX, rx), (native.TX, tx)):
            parameters = native.impairment_parameters(impairment) if impairment else None
            self._check(
                self._native.bombus_set_impairment(
                    self._handle, port, direction, ctypes.byref(parameters) if parameters else None
                )
            )

    def pcap_in(self, path: Path | str, port: int = 0, *, keep_time: bool = False) -> int:
        """Queues the frames of a capture file; the number of them.

        `keep_time`: with the gaps between them that the file has, else back to back.
        """
        return self._check(
            self._native.bombus_pcap_in(self._handle, port, os.fsencode(path), int(keep_time))
        )

    def pcap_out(
        self, path: Path | str | None, port: int = 0, *, rx: bool = True, tx: bool = True
    ) -> None:
        """Writes what crosses a port to a capture file, from now on; None: stops.

        Classic pcap with nanoseconds of virtual time. `rx`: what goes in; `tx`: what comes out.
        """
        name = os.fsencode(path) if path is not None else None
        directions = int(rx) << native.RX | int(tx) << native.TX
        self._check(self._native.bombus_pcap_out(self._handle, port, name, directions))

    @property
    def wave_format(self) -> str:
        """`fst` or `vcd`, or nothing if built without waveforms."""
        return str(self._native.bombus_describe().contents.wave_format.decode())

    def wave_start(self, path: Path | str) -> None:
        """Writes a waveform file from now on; needs `trace=True`. Slow, and nothing is skipped."""
        self._check(self._native.bombus_wave_start(self._handle, os.fsencode(path)))

    def wave_stop(self) -> None:
        """Ends the waveform file."""
        self._check(self._native.bombus_wave_stop(self._handle))

    # ---- Watching ----

    def errors(self) -> dict[str, int]:
        """Broken rules seen at the ports so far, by name; all must be 0."""
        errors = native.Errors()
        self._native.bombus_get_errors(self._handle, ctypes.byref(errors))
        return native.as_dict(errors)

    def check(self) -> None:
        """Raises `SimulationError` if a rule was broken."""
        if broken := {name: count for name, count in self.errors().items() if count}:
            raise SimulationError(
                f"{self.manifest['name']}: "
                + ", ".join(f"{name} {count}" for name, count in broken.items())
            )

    def statistics(self, port: int = 0) -> dict[str, Any]:
        """Frames and bytes of a port, and what its impairments did (pairs: rx, tx)."""
        statistics = native.PortStatistics()
        self._check(
            self._native.bombus_get_statistics(self._handle, port, ctypes.byref(statistics))
        )
        return native.as_dict(statistics)

    # ---- Live ----

    def attach(self, file_descriptor: int, port: int = 0) -> None:
        """Joins a port to a TAP or packet socket for `run_live`; -1: none."""
        self._check(self._native.bombus_attach(self._handle, port, file_descriptor))

    def run_live(self, seconds: float) -> None:
        """Runs in real time for so long, or until a signal comes; see `bombus.live`."""
        self._check(self._native.bombus_run_live(self._handle, max(1, round(seconds * 1000))))

    # ---- Inside ----

    def _check(self, status: int) -> int:
        if status >= 0:
            return status
        text = self._native.bombus_last_error(self._handle).decode()
        raise SimulationError(text or os.strerror(-status))

    def _tile(self, name: str) -> Mapping[str, Any]:
        if name not in self._tiles:
            raise SimulationError(f"no tile {name!r}; there are {', '.join(self._tiles)}")
        return self._tiles[name]  # type: ignore[no-any-return]

    def _route(self, to_tile: str | None, port: int) -> int:
        """An entry of a table."""
        if to_tile is None:
            return 0
        target = self._tile(to_tile)
        return int(1 << 31 | port << 16 | target["y"] << 8 | target["x"])

    def _next_hop(self, next_hop: int | str) -> int:
        if isinstance(next_hop, int):
            return next_hop
        names: Mapping[str, int] = self.manifest.get("next_hops", {})
        if next_hop not in names:
            raise SimulationError(f"no next hop {next_hop!r}; there are {', '.join(names)}")
        return names[next_hop]


def _frame(info: Any, data: bytes) -> Frame:
    return Frame(data, info.first_cycle, info.last_cycle, info.time_ns, info.port)


def _sent(info: Any) -> Sent:
    return Sent(info.first_cycle, info.last_cycle, info.time_ns, info.length, info.port)


def latencies(exchange: Exchange) -> list[int]:
    """Cycles from a frame's first beat in to its answer's first beat out, for answers in order."""
    return [
        received.first_beat_cycle - sent.first_beat_cycle
        for sent, received in zip(exchange.sent, exchange.received, strict=False)
    ]


def total(counters: Mapping[str, Mapping[str, int]], names: Iterable[str]) -> int:
    """The sum of counters of these names over all tiles."""
    wanted = set(names)
    return sum(
        value for tile in counters.values() for name, value in tile.items() if name in wanted
    )
