# SPDX-License-Identifier: Apache-2.0
"""The reference model of TCP beside a simulated engine: checks all frames at its MAC port, and
compares the engine's registers with the model.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import ExitStack
from ipaddress import IPv4Address
from pathlib import Path
from tempfile import TemporaryDirectory

from scapy.utils import RawPcapNgReader

from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES
from bombus.protocols.tcp.sockets import Connection
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.tcp_shadow import DEFAULT_MSS, Key, Span, place, within
from tests.protocols.tcp.tcp_shadow import Connection as Model
from tests.protocols.tcp.tcp_states import OVER, SYN_RECEIVED, Fields, session_ranges, session_state
from tests.protocols.tcp.tcp_wire import Wire, decode

TCP_START = ETHERNET_BYTES + IPV4_BYTES
# Parameters of the engine, as in the design
OWN = {"receive_bytes": 65536, "send_bytes": 65536, "mss": 1460, "num_gaps": 4, "num_sacks": 4}
LIVE = range(SYN_RECEIVED, OVER)  # states
# Between comparisons; while there are ranges beyond gaps, or too much is in flight to compare
COMPARE_US, RANGES_US = 500, 20
CALM_US, CALM_CYCLES = 2, 300  # without a frame: nothing is in the engine
STAMP_BYTES = 12
INBOUND = 1  # of pcapng


def compare(model: Model, state: Fields, ranges: Sequence[Fields]) -> None:
    """Registers of an engine that has nothing to do are those of the model."""
    iss, irs = model.iss or 0, model.irs or 0
    una, after = place(state["una"], iss), place(state["rcv_nxt"], irs)
    seen = f"{dict(state)}, una {una}, rcv_nxt {after}"
    model.check(model.una_certain <= una <= model.una_possible, f"una of {seen}")
    model.check(model.certain.next <= after <= model.possible.next, f"rcv_nxt of {seen}")
    model.check(place(state["max"], iss) == model.max, f"max of {seen}; sent to {model.max}")
    # 65,536 bytes are 65,535 in a window that is not scaled.
    beyond = place(state["receive_edge"], irs) - model.edge
    model.check(0 <= beyond < max(2, 1 << (model.offer.scale or 0)), f"receive_edge of {seen}")
    mss = min(model.peer.mss or DEFAULT_MSS, model.own["mss"]) - STAMP_BYTES * model.stamped
    model.check(state["mss"] == mss, f"mss of {seen}, not {mss}")
    compare_ranges(model, una, after, state["backoff"], ranges)


def compare_ranges(
    model: Model, una: int, after: int, backoff: int, ranges: Sequence[Fields]
) -> None:
    """What lies beyond gaps: all that is certain, and nothing that is impossible. Ranges that the
    peer has reported are forgotten at a timeout (RFC 2018, 8), which `backoff` shows until a later
    acknowledgement.
    """
    received = spans(ranges, "received", model.irs or 0)
    reported = spans(ranges, "reported", model.iss or 0)
    for name, found, least, known in (
        ("received", received, after, model.possible),
        ("reported", reported, una, model.reported),
    ):
        apart = all(a[1] < b[0] for a, b in zip([(0, least), *found], found, strict=False))
        model.check(apart, f"{name} ranges {found} beyond {least} touch")
        possible = all(within(known.all, *each) for each in found)
        model.check(possible, f"{name} ranges {found} are not within {known.all}")
    for left, right in model.certain.all[1:]:
        held = right <= after or within(received, left, right)
        model.check(held, f"received range {left, right} is not in {received} beyond {after}")
    starts = [each for each in model.reported_starts if each > una]
    if model.last_reported and backoff == 0 and len(starts) <= model.own["num_sacks"]:
        ack, left, right = model.last_reported
        held = ack != una or within(reported, left, right)
        model.check(held, f"reported range {left, right} is not in {reported} beyond {una}")


def spans(ranges: Sequence[Fields], name: str, first: int) -> list[Span]:
    """The ranges of a kind in the registers, in order."""
    return sorted(
        (place(each[f"{name}_left"], first), place(each[f"{name}_right"], first))
        for each in ranges
        if each[f"is_{name}"]
    )


class Shadow:
    """The reference model beside one engine. It sees what the engine sends before the link
    impairs it, and what the engine receives afterwards: both are captured at the MAC port.
    """

    def __init__(self, simulation: Simulation, stack: ExitStack) -> None:
        self._simulation = simulation
        self._path = Path(stack.enter_context(TemporaryDirectory())) / "frames.pcapng"
        self._mac = b""
        self._next = 0
        self._last_us = self._compared_us = 0.0  # of the latest frame, now and when compared
        self.compared = self.ranges = 0  # comparisons, and those with ranges beyond gaps
        self.connections: dict[Key, Model] = {}
        simulation.pcap_out(self._path)

    def of(self, connection: Connection) -> Model:
        """The model of a connection."""
        self.take()
        address, port = connection.peer
        return self.connections[IPv4Address(address).packed, port, connection.port]

    def take(self) -> None:
        """Checks all frames since the last call."""
        self._simulation.pcap_out(None)
        with RawPcapNgReader(str(self._path)) as packets:
            for frame, data in packets:
                self._last_us = (data.tshigh << 32 | data.tslow) * 1e6 / data.tsresol
                self._note(self._last_us, frame, data.direction != INBOUND)
        self._simulation.pcap_out(self._path)

    def _note(self, time_us: float, frame: bytes, is_sent: bool) -> None:
        if is_sent:
            self._mac = frame[6:12]
        elif frame[:6] != self._mac:
            return
        try:
            wire = decode(frame)
        except (AssertionError, struct.error):
            assert not is_sent, f"bad frame at {time_us} us: {frame.hex()}"
            return
        if wire is None:
            return
        ip = frame[:TCP_START]
        key = ip[-4:], wire.destination, wire.source
        if not is_sent:
            key = ip[-8:-4], wire.source, wire.destination
        found = self._find(key, wire, is_sent)
        found.time_us = time_us
        (found.note_sent if is_sent else found.note_received)(wire)

    def _find(self, key: Key, wire: Wire, is_sent: bool) -> Model:
        """The connection of a segment; a SYN of another number begins another incarnation."""
        found = self.connections.get(key)
        first = None if found is None else found.iss if is_sent else found.irs
        other = "SYN" in wire.flags and first not in (None, wire.seq)
        if found is None or (other and found.is_over):
            found = self.connections[key] = Model(key, OWN)
        return found

    def look(self, connections: Sequence[Connection], *, now: bool = False) -> None:
        """Compares with the registers from time to time, if no frame has crossed the MAC port for
        so long that the engine has nothing to do.
        """
        started = self._simulation.time_us
        if started < self._next and not now:
            return
        self.take()
        if self._last_us > started - CALM_US:
            self._next = started + RANGES_US
            return
        self._next = started + COMPARE_US
        if self._last_us == self._compared_us:
            return
        slots = max(OWN["num_gaps"], OWN["num_sacks"])
        seen = [
            (
                each,
                session_state(self._simulation, each.session),
                session_ranges(self._simulation, each.session, slots),
            )
            for each in connections
        ]
        last_us = self._last_us
        self._simulation.advance(CALM_CYCLES)
        self.take()
        if self._last_us != last_us:
            return  # there was something to do while registers were read
        self._compared_us = last_us
        for connection, state, ranges in seen:
            model = self.of(connection)
            if (state["peer_port"], state["own_port"]) == model.key[1:] and state["state"] in LIVE:
                compare(model, state, ranges)
                self.compared += 1
                if any(each["is_received"] or each["is_reported"] for each in ranges):
                    self.ranges += 1
                    self._next = started + RANGES_US
