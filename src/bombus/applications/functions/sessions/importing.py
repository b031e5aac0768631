# SPDX-License-Identifier: Apache-2.0
"""Puts a connection into an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bombus.applications.functions import tcp_repair
from bombus.applications.functions.sessions.carrier import Carrier
from bombus.applications.functions.sessions.document import Session, SessionError
from bombus.applications.functions.sessions.engine import ESTABLISHED, Engine
from bombus.protocols.tcp.segment import WORD, Segment, distance
from bombus.registers.access import BlockAccess

_PART_BYTES = 1400  # payload of a segment to the engine
_ROUNDS = 2000  # without an effect, each a wait of the carrier
_RESEND_ROUNDS = 64
_ATTEMPTS = 3


def restore(
    registers: BlockAccess,
    manifest: Mapping[str, Any],
    carrier: Carrier,
    session: Session,
    *,
    replay: bool = False,
) -> None:
    """Puts a connection into the engine: its application sees a connection that a peer has opened,
    and reads `received`. It must write `unacknowledged` first. With `replay` it does so by itself,
    since it is an echo: it gets these bytes as if the peer had sent them.

    Nothing reaches the peer before the session is complete. SessionError: the connection exists, no
    session is free, the application does not listen, the buffers or the scale of windows do not
    suit, the engine sends no timestamps as the peer expects, too many segments to the engine are
    lost, or its application does not read; then the engine has no further connection.
    """
    engine = Engine(registers, manifest)
    _check(engine, session, replay=replay)
    own_port, peer = session.own[1], session.peer
    # First, since an engine without the connection resets a peer whose segments reach it.
    engine.take(own_port, peer, int.from_bytes(carrier.station.ip))
    fill = _Fill(engine, carrier, session, replay=replay)
    try:
        fill.run()
    except SessionError:
        fill.reset()
        raise
    finally:
        engine.release()


def _check(engine: Engine, session: Session, *, replay: bool) -> None:
    peer = f"{session.peer[0]}:{session.peer[1]}"
    if session.unacknowledged and not replay:
        raise SessionError(
            f"{len(session.unacknowledged)} bytes are not acknowledged, and only an echo can write "
            "them again (replay)"
        )
    # An echo writes as many bytes as its send buffer takes; others stay in the receive buffer.
    sizes = len(session.unacknowledged) + len(session.received), len(session.received)
    names = ("send_bytes", "receive_bytes"), ("receive_bytes",)
    for size, buffers in zip(sizes, names, strict=True):
        if size > sum(int(engine.params[name]) for name in buffers):
            raise SessionError(
                f"the connection has {size} bytes; {' + '.join(buffers)} of the engine is smaller"
            )
    if session.receive_scale is not None and session.receive_scale != engine.scale:
        raise SessionError(
            f"the peer expects windows in units of {1 << session.receive_scale} bytes; this engine "
            f"has units of {1 << engine.scale} (receive_bytes)"
        )
    if session.timestamps is not None and not int(engine.params.get("timestamps", 1)):
        raise SessionError(
            "the connection has timestamps; this engine sends none (parameter timestamps)"
        )
    if engine.find(session.own[1], session.peer) is not None:
        raise SessionError(f"port {session.own[1]} has a connection with {peer} already")
    if not engine.has_room():
        raise SessionError("no session is free")


class _Fill:
    """The carrier as the peer: opens the connection with given sequence numbers, and sends.

    The peer may have acknowledged any of the bytes in `unacknowledged` since, and the engine
    ignores acknowledgements of bytes beyond those that it has sent. If its initial window is too
    small for them, the connection begins earlier by the missing bytes, which only the echo and the
    carrier see: each that is acknowledged adds one to the congestion window (RFC 5681, 3.1). If the
    window is then too small because segments were lost, the carrier resets the connection and
    begins again.
    """

    def __init__(self, engine: Engine, carrier: Carrier, session: Session, *, replay: bool) -> None:
        self._engine, self._carrier, self._session = engine, carrier, session
        self._ports = (session.peer[1], session.own[1])
        self._data = (session.unacknowledged if replay else b"") + session.received
        end = session.receive_sequence + len(session.received)
        self._start = (end - len(self._data)) % WORD
        send_bytes = int(engine.params["send_bytes"])
        in_flight = min(len(session.unacknowledged), session.send_window, send_bytes)
        mss = min(session.mss, int(engine.params["mss"]))
        self._window = in_flight + mss  # that the engine needs
        self._before = max(0, self._window - _initial_window(mss, session))
        self._number: int | None = None  # of the session

    def run(self) -> None:
        for _ in range(_ATTEMPTS):
            number = self._connect()
            if self._engine.state(number)["cwnd"] >= self._window:
                break
            self.reset()
            self._before = self._window
        else:
            raise SessionError("too many segments to the engine are lost")
        # From now on the engine reaches the peer, whose segments are still dropped.
        self._engine.release(False)
        self._deliver(number, self._start, self._data)

    def _connect(self) -> int:
        """The number of the session, after the bytes that only the echo and the carrier see."""
        session = self._session
        first, ack = self._start - self._before, session.send_sequence - self._before
        self._carrier.introduce()
        self._open(first, ack)
        # Before the search, which takes long with many sessions: when the engine sends its SYN
        # again, its window becomes one segment (RFC 5681, 3.1).
        self._send(first, ack)
        self._number = number = self._engine.find(session.own[1], session.peer)
        if number is None:
            raise SessionError("the engine has not kept the connection")
        for n in range(1, _ROUNDS):
            if self._engine.state(number)["state"] == ESTABLISHED:
                break
            if n % _RESEND_ROUNDS == 0:
                self._send(first, ack)
            self._carrier.wait()
        else:
            raise SessionError("the engine does not take the end of the handshake")
        if self._before:
            self._deliver(number, first, bytes(self._before), acknowledges=True)
        return number

    def reset(self) -> None:
        """Ends the connection, if there is one, without a segment of the engine. The session is
        free when the application has seen the end.
        """
        ends = self._session.own[1], self._session.peer
        # A handshake that failed may have left a session, whose SYN would be sent to the peer.
        number = self._engine.find(*ends) if self._number is None else self._number
        for n in range(_ROUNDS):
            if number is None or not self._engine.holds(number, *ends):
                self._number = None
                return
            if n % _RESEND_ROUNDS == 0:
                seq = self._engine.state(number)["rcv_nxt"]
                self._carrier.send(*self._ports, Segment(seq=seq, flags=frozenset({"rst"})))
            self._carrier.wait()
        raise SessionError("the engine does not end the session")

    def _deliver(self, number: int, start: int, data: bytes, *, acknowledges: bool = False) -> None:
        """Sends bytes until the engine has taken them and, with `acknowledges`, until all that it
        sends up to `send_sequence` is acknowledged.
        """
        ack = self._session.send_sequence
        place = stalled = 0
        progress: tuple[int, int] | None = None
        while True:
            state = self._engine.state(number)
            taken, before = distance(state["rcv_nxt"], start), progress
            if taken == len(data) and not (acknowledges and state["una"] != ack % WORD):
                return
            progress = (taken, state["una"])
            stalled = stalled + 1 if progress == before else 0
            if stalled > _ROUNDS:
                raise SessionError("the application does not take the bytes of the connection")
            if stalled % 32 == 31:  # a segment is lost
                place = taken
            reached = state["max"] if acknowledges else ack
            if reached != state["una"]:
                self._send(start + taken, reached)
            room = taken + distance(state["receive_edge"], state["rcv_nxt"])
            while place < min(len(data), room):
                part = data[place : min(place + _PART_BYTES, room)]
                self._send(start + place, reached, part)
                place += len(part)
            self._carrier.wait()

    def _open(self, first: int, ack: int) -> None:
        """`first`, `ack`: sequence numbers of the first byte to and from the engine."""
        session = self._session
        syn = Segment(
            seq=first - 1,
            ack=ack - 1,
            flags=frozenset({"syn"}),
            window=min(session.send_window, 0xFFFF),
            mss=session.mss,
            scale=session.send_scale,
            sack_permitted=session.has_sack,
            timestamps=self._stamps(),
        )
        for n in range(_ROUNDS):
            if n % _RESEND_ROUNDS == 0:
                self._carrier.send(*self._ports, syn)
            self._carrier.wait()
            for answer in self._carrier.receive(self._ports[1], self._ports[0]):
                if "rst" in answer.flags:
                    raise SessionError(f"no application listens to port {session.own[1]}")
                if {"syn", "ack"} <= answer.flags:
                    if answer.seq != (ack - 1) % WORD:
                        raise SessionError("the engine does not take over sequence numbers")
                    return
        raise SessionError("the engine does not open the connection")

    def _stamps(self) -> tuple[int, int] | None:
        found = self._session.timestamps
        return None if found is None else (found[1], found[0])

    def _send(self, seq: int, ack: int, payload: bytes = b"") -> None:
        scale = self._session.send_scale or 0
        segment = Segment(
            seq=seq,
            ack=ack,
            flags=frozenset({"ack", "psh"} if payload else {"ack"}),
            window=min(self._session.send_window >> scale, 0xFFFF),
            payload=payload,
            timestamps=self._stamps(),
        )
        self._carrier.send(*self._ports, segment)


def _initial_window(mss: int, session: Session) -> int:
    """Congestion window of an engine after the handshake (RFC 6928, 2), in bytes."""
    if session.timestamps is not None:
        mss -= tcp_repair.STAMP_BYTES
    return min(10 * mss, max(2 * mss, 14_600))
