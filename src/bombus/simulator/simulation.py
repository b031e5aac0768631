# SPDX-License-Identifier: Apache-2.0
"""A design in virtual time, from Python.

    with bombus.Simulation("designs/udp_echo.yaml") as simulation:
        simulation.send(frame)
        reply = simulation.receive()

Cycles are clock cycles of the design; virtual time follows from the clock
frequency of the design file and moves only inside calls of this class. "Sent"
is what goes into the design (rx of its MAC), "received" what comes out (tx).
"""

from __future__ import annotations

import errno
import math
import os
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, SupportsBytes

from bombus.simulator import register_map
from bombus.simulator.build import Library, build
from bombus.simulator.frames import Exchange, Frame, Sent, frame_bytes
from bombus.simulator.impairment import Impairment
from bombus.simulator.native import Native, SimulationError
from bombus.simulator.stalls import Stall, stalls

STALL_CYCLES = 10_000  # without any movement: longer than the longest frame at a slow MAC
# More than any design needs for one frame; a test that waits longer has failed.
DEFAULT_TIMEOUT_CYCLES = 100_000


class Simulation:
    """A running design.

    `design`: a design file, which is built if need be, or a `Library` from
    `bombus.simulator.build`. `seed`: of the initial state of registers that have no reset,
    and of all random choices here. `rx_bubble`, `tx_stall`: probability of an idle
    cycle before each beat into the design, and of `tready` low at its output.
    `timer_step_us`: longest jump of `elapse` while a timer is armed. `trace`,
    `assertions`: see `bombus.simulator.build.build`.

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
        self.library = (
            design
            if isinstance(design, Library)
            else build(design, trace=trace, assertions=assertions)
        )
        self.manifest = self.library.manifest
        self._native = Native(
            self.library.path,
            {
                "seed": seed % (1 << 64),
                "queue_limit": queue_limit,
                "timer_step_us": timer_step_us,
                "rx_bubble": rx_bubble,
                "tx_stall": tx_stall,
            },
        )
        self.watch()
        self._buffer = self._native.new("uint8_t[]", 2 * self.manifest["max_frame_bytes"])

    def close(self) -> None:
        """Ends the simulation; capture and waveform files are complete then.

        SimulationError if a capture file could not be written.
        """
        if self._native.closed:
            return
        try:
            for port in range(self.mac_ports):
                self.pcap_out(None, port)
        finally:
            self._native.close()

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
        if hasattr(self, "_native"):
            self._native.close()

    # ---- What the design is ----

    @property
    def clock_hz(self) -> int:
        """Clock frequency that virtual time assumes."""
        return int(self._native.describe().clock_hz)

    @property
    def data_bytes(self) -> int:
        """Bytes of one beat of a MAC port."""
        return int(self._native.describe().data_bytes)

    @property
    def mac_ports(self) -> int:
        return int(self._native.describe().mac_ports)

    # ---- Frames ----

    def send(self, frame: bytes | SupportsBytes, port: int = 0, *, bad: bool = False) -> None:
        """Queues a frame (bytes, or a scapy packet) for the MAC port `port`.

        It goes in while time advances, back to back with those before it. `bad`:
        the MAC saw a bad FCS. Nothing is padded.
        """
        data = frame_bytes(frame)
        flags = self._native.library.BOMBUS_BAD_FRAME if bad else 0
        self._native.call("send_frame", port, data, len(data), flags)

    def receive(self, port: int = 0, timeout_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> Frame | None:
        """The next frame that comes out of the MAC port; advances time until then.

        None if none has come after `timeout_cycles`. With 0: only what is there.
        """
        status = self._native.call(
            "advance_until_frame", port, timeout_cycles, allowed=errno.ETIMEDOUT
        )
        if status < 0:
            return None
        info = self._native.new("bombus_frame_info *")
        length = self._native.call("receive_frame", port, self._buffer, len(self._buffer), info)
        return Frame.of(info, bytes(self._native.ffi.buffer(self._buffer, length)))

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
        info = self._native.new("bombus_frame_info *")
        while self._native.call("next_sent", port, info, allowed=errno.EAGAIN) == 0:
            stamps.append(Sent.of(info))
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

        `ports`: of each frame, default 0. `window`: at most this many frames sent and not
        answered (0: no limit). `gap_cycles`: at least this many cycles from one frame to the
        next. Stops after `expected` frames have come out, or (0) when nothing is in
        flight, or after `limit_cycles` (0: never). `capacity`: most frames that can come
        out; default: twice as many as go in, and some.
        """
        contents = [frame_bytes(frame) for frame in frames]
        if ports is not None and len(ports) != len(contents):
            raise ValueError("one port for each frame")
        if ports is not None and not all(0 <= port < self.mac_ports for port in ports):
            raise SimulationError(f"ports are from 0 to {self.mac_ports - 1}")
        lengths = array("I", map(len, contents))
        capacity = capacity if capacity is not None else 2 * len(contents) + 64
        data_capacity = min(
            capacity * self.manifest["max_frame_bytes"],
            2 * sum(lengths) + capacity * 64 + (1 << 20),
        )
        new, buffer = self._native.new, self._native.ffi.from_buffer
        joined, port_bytes = b"".join(contents), bytes(ports or ())  # kept for the call
        data = new("uint8_t[]", data_capacity)
        sent = new("bombus_frame_info[]", len(contents))
        received = new("bombus_frame_info[]", capacity)
        request = new(
            "bombus_exchange_request *",
            {
                "frames": buffer("uint8_t[]", joined),
                "lengths": buffer("uint32_t[]", lengths),
                "ports": buffer("uint8_t[]", port_bytes) if ports else self._native.ffi.NULL,
                "count": len(contents),
                "window": window,
                "gap_cycles": gap_cycles,
                "expected": expected,
                "limit_cycles": limit_cycles,
                "data_capacity": data_capacity,
                "received_capacity": capacity,
                "sent": sent,
                "data": data,
                "received": received,
            },
        )
        status = self._native.call("exchange", request, allowed=errno.ETIMEDOUT)
        out = []
        position = 0
        view = memoryview(self._native.ffi.buffer(data))
        for index in range(request.received_count):
            info = received[index]
            out.append(Frame.of(info, bytes(view[position : position + info.length])))
            position += info.length
        return Exchange(
            sent=[Sent.of(sent[index]) for index in range(len(contents))],
            received=out,
            cycles=request.cycles,
            timed_out=status < 0,
        )

    # ---- Time ----

    @property
    def cycle(self) -> int:
        """Clock cycles since the simulation was opened."""
        return self._native.call("cycle")

    @property
    def evaluated_cycles(self) -> int:
        """Cycles that were really computed; idle ones are skipped."""
        return self._native.call("evaluated_cycles")

    @property
    def time_us(self) -> int:
        """Virtual time in microseconds."""
        return self._native.call("time_us")

    @property
    def time_ns(self) -> int:
        """Virtual time in nanoseconds."""
        return self._native.call("time_ns")

    @property
    def busy(self) -> bool:
        """Something is in flight or waiting, or a timer is armed."""
        return bool(self._native.call("busy"))

    @property
    def in_flight(self) -> bool:
        """Something is in flight or waiting."""
        return bool(self._native.call("in_flight"))

    def advance(self, cycles: int) -> None:
        """Advances by a number of clock cycles."""
        self._native.call("advance_cycles", cycles)

    def advance_until_idle(self, limit_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> bool:
        """Advances until nothing is in flight and counters are up to date.

        False if that has not happened after `limit_cycles`. Timers may stay armed.
        """
        limit = errno.ETIMEDOUT
        return self._native.call("advance_until_idle", limit_cycles, allowed=limit) == 0

    def elapse(self, *, us: int = 0, seconds: float = 0) -> None:
        """Lets virtual time pass in few cycles, by large steps of `tick_us_i`.

        Timers fire, at most `timer_step_us` late, and what they send goes out.
        """
        if not math.isfinite(seconds):
            raise SimulationError(f"elapse: {seconds} seconds")
        self._native.call("elapse_us", us + round(seconds * 1_000_000))

    def reset(self) -> None:
        """Resets the design; frames that wait or are in it are lost. Time goes on."""
        self._native.call("reset")

    # ---- Registers ----

    def read_register(self, address: int) -> int:
        """Reads a 32-bit register; takes some cycles."""
        value = self._native.new("uint32_t *")
        self._native.call("read_register", address, value)
        return int(value[0])

    def write_register(self, address: int, value: int) -> None:
        """Writes a 32-bit register; takes some cycles."""
        self._native.call("write_register", address, value)

    def counters(self) -> dict[str, dict[str, int]]:
        """All counters, by tile and name. May lag events by 64 cycles."""
        return {tile["name"]: self.tile_counters(tile["name"]) for tile in self.manifest["tiles"]}

    def tile_counters(self, tile: str) -> dict[str, int]:
        """The counters of one tile, by name."""
        found = register_map.find_tile(self.manifest, tile)
        values = self._native.new("uint64_t[]", len(found["counters"]))
        self._native.call("read_counters", found["index"], 0, len(values), values)
        return dict(zip(found["counters"], values, strict=True))

    def watch(self, cycles: int = STALL_CYCLES) -> None:
        """Watches for messages that wait for this many cycles; 0: stop watching."""
        self._native.call("watch", cycles)

    def stalls(self) -> list[Stall]:
        """Links, queues and layers that stand still, the oldest first, and what each waits for.

        `watch` says after how many cycles. `bombus.simulator.stalls.explain` puts them in words.
        """
        points = self.manifest.get("watch", ())
        found = self._native.new("bombus_stall[]", len(points))
        count = self._native.call("get_stalls", found, len(points))
        return stalls(points, {stall.point: stall.since_cycle for stall in found[0:count]})

    def set_next_hop(
        self, tile: str, next_hop: int | str, to_tile: str | None, *, port: int = 0
    ) -> None:
        """Points a next hop of a tile to another tile's entry `port`; None: to nowhere.

        `next_hop`: number, or name as in the manifest (`udp_rx`).
        """
        self.write_register(*register_map.next_hop(self.manifest, tile, next_hop, to_tile, port))

    def set_slot(
        self, tile: str, next_hop: int | str, slot: int, to_tile: str | None, *, port: int = 0
    ) -> None:
        """Points a slot of a group of replicas to a tile's entry `port`; None: to nowhere.

        `tile` distributes the messages with that next hop. What the slots are depends on the
        policy: see `bombus.design.dispatch` and the manifest's `dispatch`.
        """
        self.write_register(*register_map.slot(self.manifest, tile, next_hop, slot, to_tile, port))

    def set_host(
        self,
        *,
        mac: str | None = None,
        ip: str | None = None,
        netmask: str | None = None,
        gateway: str | None = None,
    ) -> None:
        """Changes addresses of the host; what is not given stays. Gateway "0.0.0.0": none."""
        for write in register_map.host(mac=mac, ip=ip, netmask=netmask, gateway=gateway):
            self.write_register(*write)

    # ---- The world around ----

    def pace(self, port: int = 0, *, rx_bubble: float = 0.0, tx_stall: float = 0.0) -> None:
        """Probability of an idle cycle before each beat in, and of `tready` low."""
        self._native.call("set_pace", port, rx_bubble, tx_stall)

    def line_rate(self, gbps: float | None, port: int = 0) -> None:
        """Keeps both directions of a port to the rate of a wire, in Gbit/s.

        Preamble, FCS and gap count. None: as fast as the port.
        """
        self._native.call("set_line_rate", port, (gbps or 0) * 1e9)

    def impair(
        self,
        rx: Impairment | None = None,
        tx: Impairment | None = None,
        *,
        port: int = 0,
    ) -> None:
        """What the network does to frames into (`rx`) and out of (`tx`) a port; None: nothing."""
        library, null = self._native.library, self._native.ffi.NULL
        for direction, impairment in ((library.BOMBUS_RX, rx), (library.BOMBUS_TX, tx)):
            given = asdict(impairment) if impairment else None
            parameters = self._native.new("bombus_impairment *", given) if given else null
            self._native.call("set_impairment", port, direction, parameters)

    def pcap_in(self, path: Path | str, port: int = 0, *, keep_time: bool = False) -> int:
        """Queues the frames of a capture file; the number of them.

        `keep_time`: with the gaps between them that the file has, else back to back.
        """
        return self._native.call("pcap_in", port, os.fsencode(path), int(keep_time))

    def pcap_out(
        self, path: Path | str | None, port: int = 0, *, rx: bool = True, tx: bool = True
    ) -> None:
        """Writes what crosses a port to a capture file, from now on; None: stops.

        pcapng if the name ends in `.pcapng`, else classic pcap, with nanoseconds of virtual
        time. `rx`: what goes in; `tx`: what comes out. SimulationError if the file, or the one
        before, could not be written to its end.
        """
        name = os.fsencode(path) if path is not None else self._native.ffi.NULL
        library = self._native.library
        directions = int(rx) << library.BOMBUS_RX | int(tx) << library.BOMBUS_TX
        self._native.call("pcap_out", port, name, directions)

    @property
    def wave_format(self) -> str:
        """`fst` or `vcd`, or nothing if built without waveforms."""
        return self._native.text(self._native.describe().wave_format)

    def wave_start(self, path: Path | str) -> None:
        """Writes a waveform file from now on; needs `trace=True`. Slow, and nothing is skipped."""
        self._native.call("wave_start", os.fsencode(path))

    def wave_stop(self) -> None:
        """Ends the waveform file."""
        self._native.call("wave_stop")

    # ---- Watching ----

    def errors(self) -> dict[str, int]:
        """Broken rules seen at the ports so far, by name; all must be 0."""
        errors = self._native.new("bombus_errors *")
        self._native.call("get_errors", errors)
        return self._native.as_dict(errors[0])

    def check(self) -> None:
        """Raises `SimulationError` if a rule was broken."""
        if broken := {name: count for name, count in self.errors().items() if count}:
            raise SimulationError(
                f"{self.manifest['name']}: "
                + ", ".join(f"{name} {count}" for name, count in broken.items())
            )

    def statistics(self, port: int = 0) -> dict[str, Any]:
        """Frames and bytes of a port, and what its impairments did (pairs: rx, tx)."""
        statistics = self._native.new("bombus_port_statistics *")
        self._native.call("get_statistics", port, statistics)
        return self._native.as_dict(statistics[0])

    # ---- Live ----

    def attach(self, file_descriptor: int, port: int = 0) -> None:
        """Joins a port to a TAP or packet socket for `run_live`; -1: none."""
        self._native.call("attach", port, file_descriptor)

    def run_live(self, seconds: float) -> None:
        """Runs in real time for so long, or until a signal comes; see `bombus.live.run`."""
        if not 0 <= seconds < math.inf:
            raise SimulationError(f"run_live: {seconds} seconds")
        self._native.call("run_live", max(1, round(seconds * 1000)))
