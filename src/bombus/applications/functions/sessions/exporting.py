# SPDX-License-Identifier: Apache-2.0
"""Takes a connection out of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import Any

from bombus.applications.functions import tcp_repair
from bombus.applications.functions.sessions.carrier import Carrier
from bombus.applications.functions.sessions.document import Session, SessionError
from bombus.applications.functions.sessions.engine import ESTABLISHED, Engine
from bombus.protocols.tcp.segment import WORD, Segment, distance
from bombus.registers.access import BlockAccess

_HEADER_BYTES = 40  # of IP and TCP
_ROUNDS = 2000  # without an effect, each a wait of the carrier
_RESEND_ROUNDS = 64


def release(registers: BlockAccess, manifest: Mapping[str, Any]) -> None:
    """Ends the hold after `export`. From now on, the engine resets a peer whose packets still
    reach it.
    """
    Engine(registers, manifest).release()


def export(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    carrier: Carrier,
    *,
    own_port: int,
    peer: tuple[str, int],
) -> Session:
    """Takes a connection out of the engine. Its session ends there, and segments of the peer are
    dropped until `release`; the peer retransmits them.

    The application goes on for as long as it has bytes to read and write: all that it writes is in
    `unacknowledged`. SessionError: the connection is not established, or its application does not
    read. The connection continues then, unless the error has a `session`: bytes that the peer may
    lack have been acknowledged.
    """
    engine = Engine(registers, manifest)
    number = engine.find(own_port, peer)
    if number is None:
        raise SessionError(f"there is no connection of port {own_port} with {peer[0]}:{peer[1]}")
    if engine.state(number)["state"] != ESTABLISHED:
        raise SessionError("only an established connection can be moved")
    carrier.introduce()
    engine.take(own_port, peer, int.from_bytes(carrier.station.ip))
    drain: _Drain | None = None
    try:
        drain = _Drain(engine, carrier, number, own_port, peer)
        session = drain.run()
    except BaseException as error:
        if drain is None or not drain.has_acknowledged:
            engine.release()
            raise
        engine.take(own_port, peer, 0)
        raise SessionError(
            f"{error or type(error).__name__}; the connection is held, and does not continue here",
            drain.session(),
        ) from error
    engine.take(own_port, peer, 0)
    return session


class _Drain:
    """The carrier as the peer: acknowledges all that the engine sends."""

    def __init__(
        self, engine: Engine, carrier: Carrier, number: int, own_port: int, peer: tuple[str, int]
    ) -> None:
        self._engine, self._carrier, self._number = engine, carrier, number
        self._ports, self._peer = (peer[1], own_port), peer
        # An access of registers takes longer than segments that are past tcp_handover.
        while (state := engine.state(number)) != engine.state(number):
            pass
        self._first = state
        self._una = state["una"]
        self._bytes = bytearray()
        self._parts: dict[int, bytes] = {}  # beyond a gap, by their place
        self._stamps: tuple[int, int] | None = (0, 0) if state["timestamps"] else None
        self._state: Mapping[str, int] = state  # the latest one
        self.has_acknowledged = False  # bytes

    def run(self) -> Session:
        self._await_reading()
        quiet = rounds = 0
        while quiet < 3:
            before = len(self._bytes)
            self._receive()
            state = self._read()
            end = (self._una + len(self._bytes)) % WORD
            done = state["una"] == state["send_end"] == end and not self._engine.unread(state)
            quiet = quiet + 1 if done and len(self._bytes) == before else 0
            if not done and len(self._bytes) == before:
                rounds += 1
                if rounds % 16 == 1:
                    self._ask_again(state)
                if rounds > _ROUNDS:
                    raise SessionError("the engine does not send what its application has written")
            elif not done:
                rounds = 0
            self._carrier.wait()
        self._end()
        return self.session()

    def _end(self) -> None:
        """The engine ends the session without a segment, so its state shows that it has."""
        for n in range(_ROUNDS):
            if self._engine.state(self._number)["state"] != ESTABLISHED:
                return
            if n % _RESEND_ROUNDS == 0:
                self._send(ack=self._una + len(self._bytes), flags=("rst",))
            self._carrier.wait()
        raise SessionError("the engine does not end the session")

    def session(self) -> Session:
        """The connection up to here."""
        first, rcv_nxt = self._first, self._state["rcv_nxt"]
        scaled = bool(first["scaled"])
        own = str(IPv4Address(self._carrier.host.ip))
        return Session(
            own=(own, self._ports[1]),
            peer=self._peer,
            receive_sequence=rcv_nxt,
            received=b"",
            send_sequence=self._una,
            unacknowledged=bytes(self._bytes),
            mss=first["mss"] + (tcp_repair.STAMP_BYTES if first["timestamps"] else 0),
            send_scale=first["peer_scale"] if scaled else None,
            receive_scale=self._engine.scale if scaled else None,
            has_sack=bool(first["sack"]),
            timestamps=self._stamps,
            send_window=(first["send_edge"] - first["una"]) % WORD,
            receive_window=(self._state["receive_edge"] - rcv_nxt) % WORD,
        )

    def _ask_again(self, state: Mapping[str, int]) -> None:
        """An engine sends again at once what is in flight if a segment was too big for its path."""
        self._acknowledge()
        if state["max"] != state["una"]:
            mtu = (
                state["mss"]
                + _HEADER_BYTES
                + (tcp_repair.STAMP_BYTES if state["timestamps"] else 0)
            )
            self._carrier.report_mtu(self._ports[1], self._peer, state["una"], mtu - 8)

    def _await_reading(self) -> None:
        """Nothing is acknowledged before the application has read all that has arrived, or may wait
        for space to write to.

        The answer to a byte before the window shows the timestamps, and that the engine reaches the
        carrier.
        """
        is_answered, unread = False, 0
        for n in range(_ROUNDS):
            if n % _RESEND_ROUNDS == 0:
                self._send(seq=self._state["rcv_nxt"] - 1)
            self._carrier.wait()
            is_answered = self._receive(acknowledges=False) or is_answered
            unread = self._engine.unread(self._read())
            if is_answered and (not unread or unread > self._engine.writable(self._state)):
                self._acknowledge()
                return
        if not is_answered:
            raise SessionError("the engine does not answer the carrier")
        raise SessionError(f"the application has not read {unread} bytes")

    def _read(self) -> Mapping[str, int]:
        state = self._engine.state(self._number)
        if state["state"] != ESTABLISHED:
            raise SessionError("the connection has ended while it was exported")
        self._state = state
        return state

    def _acknowledge(self) -> None:
        self.has_acknowledged = self.has_acknowledged or bool(self._bytes)
        self._send(ack=self._una + len(self._bytes))

    def _send(
        self, seq: int | None = None, ack: int | None = None, flags: tuple[str, ...] = ("ack",)
    ) -> None:
        stamps = (self._stamps[1], self._stamps[0]) if self._stamps else None
        segment = Segment(
            seq=self._state["rcv_nxt"] if seq is None else seq,
            ack=self._una if ack is None else ack,
            flags=frozenset(flags),
            window=0xFFFF,
            timestamps=None if "rst" in flags else stamps,
        )
        self._carrier.send(*self._ports, segment)

    def _receive(self, *, acknowledges: bool = True) -> bool:
        """Takes segments of the engine; whether there were any."""
        segments = self._carrier.receive(self._ports[1], self._ports[0])
        for segment in segments:
            if segment.timestamps is not None:
                self._stamps = segment.timestamps
            if "rst" in segment.flags:
                raise SessionError("the engine has reset the connection")
            if not segment.payload:
                continue
            place = distance(segment.seq, self._una)
            if len(segment.payload) > len(self._parts.get(place, b"")):
                self._parts[place] = segment.payload
            for start in sorted(self._parts):
                if start <= len(self._bytes):
                    self._bytes += self._parts.pop(start)[len(self._bytes) - start :]
            if acknowledges:
                self._acknowledge()
        return bool(segments)
