# SPDX-License-Identifier: Apache-2.0
"""The MAC ports of a simulation: frames, line rate, impairments, captures, network interfaces.

"Sent" is what goes into the design (rx of its MAC), "received" what comes out (tx). `port`
is the number of a MAC port everywhere.
"""

from __future__ import annotations

import errno
import os
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, SupportsBytes

from bombus.simulator.frames import Exchange, Frame, Sent, frame_bytes
from bombus.simulator.impairment import Impairment
from bombus.simulator.native import Native, SimulationError

# More than any design needs for one frame; a test that waits longer has failed.
DEFAULT_TIMEOUT_CYCLES = 100_000


class MacPorts:
    """The MAC ports of a `Simulation`, which adds time, registers and the rest."""

    def __init__(self, native: Native, manifest: dict[str, Any]) -> None:
        self._native = native
        self.manifest = manifest
        self._buffer = native.new("uint8_t[]", 2 * manifest["max_frame_bytes"])

    @property
    def data_bytes(self) -> int:
        """Bytes of one beat of a MAC port."""
        return int(self._native.describe().data_bytes)

    @property
    def mac_ports(self) -> int:
        """Number of MAC ports."""
        return int(self._native.describe().mac_ports)

    # ---- Frames ----

    def send(self, frame: bytes | SupportsBytes, port: int = 0, *, bad: bool = False) -> None:
        """Queues a frame (bytes, or a scapy packet) for the MAC port `port`.

        It is sent as time advances, back to back with earlier ones. `bad`: the MAC saw a bad FCS.
        Nothing is padded.
        """
        data = frame_bytes(frame)
        flags = self._native.library.BOMBUS_BAD_FRAME if bad else 0
        self._native.call("send_frame", port, data, len(data), flags)

    def receive(self, port: int = 0, timeout_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> Frame | None:
        """The next frame from the MAC port; advances time until then.

        None if there is none after `timeout_cycles`. With 0, only a frame that is already there.
        """
        status = self._native.call(
            "advance_until_frame", port, timeout_cycles, allowed=errno.ETIMEDOUT
        )
        if status < 0:
            return None
        info = self._native.new("bombus_frame_info *")
        length = self._native.call("receive_frame", port, self._buffer, len(self._buffer), info)
        return Frame.of(info, bytes(self._native.ffi.buffer(self._buffer, length)))

    def sent(self, port: int = 0) -> list[Sent]:
        """Times of the frames sent since the last call (the last 65536)."""
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
        """Sends many frames and collects the output, in one call into the simulator.

        `ports`: of each frame, default 0. `window`: at most this many frames sent and not answered
        (0: no limit). `gap_cycles`: at least this many cycles from one frame to the next. Stops
        after `expected` frames have been received, or (0) when nothing is in flight, or after
        `limit_cycles` (0: never). `capacity`: maximum number of received frames; default: a little
        more than twice as many as are sent.
        """
        contents = [frame_bytes(frame) for frame in frames]
        if ports is not None and len(ports) != len(contents):
            raise ValueError(f"{len(ports)} ports for {len(contents)} frames; give one per frame")
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

    # ---- The surrounding network ----

    def pace(self, port: int = 0, *, rx_bubble: float = 0.0, tx_stall: float = 0.0) -> None:
        """Probability of an idle cycle before each beat in, and of `tready` low."""
        self._native.call("set_pace", port, rx_bubble, tx_stall)

    def link(self, port: int = 0, *, up: bool) -> None:
        """Takes the link of a port down, or up again.

        While it is down, the port accepts nothing from the design, and frames sent to it are lost.
        """
        self._native.call("set_link", port, int(up))

    def line_rate(self, gbps: float | None, port: int = 0) -> None:
        """Limits both directions of a port to a line rate in Gbit/s, including preamble, FCS and
        gap.

        None: as fast as the port.
        """
        self._native.call("set_line_rate", port, (gbps or 0) * 1e9)

    def impair(
        self,
        rx: Impairment | None = None,
        tx: Impairment | None = None,
        *,
        port: int = 0,
    ) -> None:
        """Impairments of frames into (`rx`) and out of (`tx`) a port; None: no impairment."""
        library, null = self._native.library, self._native.ffi.NULL
        for direction, impairment in ((library.BOMBUS_RX, rx), (library.BOMBUS_TX, tx)):
            if not isinstance(impairment, Impairment | None):
                raise TypeError(
                    f"an impairment is an Impairment, as by Impairment.parse, not "
                    f"{type(impairment).__name__}"
                )
            given = asdict(impairment) if impairment else None
            parameters = self._native.new("bombus_impairment *", given) if given else null
            self._native.call("set_impairment", port, direction, parameters)

    def pcap_in(self, path: Path | str, port: int = 0, *, keep_time: bool = False) -> int:
        """Queues the frames of a capture file; returns their number.

        Raises SimulationError, and queues none, if the file is damaged or a frame is not whole.
        `keep_time`: with the gaps recorded in the file, otherwise back to back.
        """
        return self._native.call("pcap_in", port, os.fsencode(path), int(keep_time))

    def pcap_out(
        self, path: Path | str | None, port: int = 0, *, rx: bool = True, tx: bool = True
    ) -> None:
        """Starts to write the frames of a port to a capture file; None: stops.

        pcapng if the name ends in `.pcapng`, otherwise classic pcap, with nanoseconds of virtual
        time; from the first `run_live` on, of wall-clock time. `rx`: frames into the design;
        `tx`: frames out of it. Raises SimulationError if the file, or the previous one, could not
        be written completely.
        """
        name = os.fsencode(path) if path is not None else self._native.ffi.NULL
        library = self._native.library
        directions = int(rx) << library.BOMBUS_RX | int(tx) << library.BOMBUS_TX
        self._native.call("pcap_out", port, name, directions)

    def attach(self, file_descriptor: int, port: int = 0) -> None:
        """Connects a port to a TAP or packet socket for `run_live`; -1: none."""
        self._native.call("attach", port, file_descriptor)

    def statistics(self, port: int = 0) -> dict[str, Any]:
        """Frames and bytes of a port, and the effects of its impairments (pairs: rx, tx)."""
        statistics = self._native.new("bombus_port_statistics *")
        self._native.call("get_statistics", port, statistics)
        return self._native.as_dict(statistics[0])
