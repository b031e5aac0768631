# SPDX-License-Identifier: Apache-2.0
"""Exports and imports that fail, against a model of an engine's registers and of its segments."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bombus.applications.functions.sessions import (
    Carrier,
    Session,
    SessionError,
    export,
    restore,
)
from bombus.applications.functions.sessions.world import CARRIER, PEER_PORT, PORT
from bombus.protocols.frames import Host, Station
from bombus.registers.access import BlockAccess
from tests.protocols.tcp.tcp_wire import Wire, decode

OWN = Station.of("02:b0:0b:05:00:01", "10.77.0.2")
PEER = ("10.77.0.99", PEER_PORT)
MSS, SIZE = 1000, 65_536
WORD = 1 << 32
MANIFEST = {
    "tiles": [
        {
            "name": "all",
            "layers": [
                {
                    "kind": "tcp",
                    "name": "tcp",
                    "params": {
                        "num_sessions": 2,
                        "receive_bytes": SIZE,
                        "send_bytes": SIZE,
                        "mss": MSS,
                    },
                },
                {"kind": "tcp_handover", "name": "received", "params": {}},
                {"kind": "tcp_handover", "name": "sent", "params": {"received": 0}},
            ],
        }
    ]
}


@dataclass
class Engine:
    """One connection. It sends a segment in each wait, from the first byte not acknowledged on."""

    written: bytes = b""  # by the application, from `una` on
    unread: int = 0  # bytes in the receive buffer
    reads: int = 0  # bytes that the application reads in each wait
    loses: int = 0  # of the first segments of the carrier
    loses_resets: int = 0
    ends_after: int = WORD  # bytes acknowledged, after which the connection is over
    log: list[str] = field(default_factory=list)
    una: int = WORD - 500
    rcv_nxt: int = 5000
    state: int = 3

    def __post_init__(self) -> None:
        self.first = self.una
        self.receive_edge = self.rcv_nxt + SIZE - self.unread
        self.to_carrier: list[bytes] = []
        self.carrier = {"received": 0, "sent": 0}
        self.shown = 0

    # ---- Its registers ----

    @property
    def registers(self) -> BlockAccess:
        tcp = SimpleNamespace(
            session=SimpleNamespace(write=self._show), state=SimpleNamespace(read=self._state)
        )
        layers: dict[str, Any] = {"tcp": tcp}
        for name in self.carrier:
            write = self._writer(name)
            layers[name] = SimpleNamespace(connection=SimpleNamespace(write=write))
        return cast("BlockAccess", SimpleNamespace(tiles={"all": layers}))

    def _show(self, index: int) -> None:
        self.shown = index

    def _state(self) -> dict[str, int]:
        state = self.state if self.shown == 0 else 0
        return {
            "state": state,
            "peer_ip": int.from_bytes(bytes(map(int, PEER[0].split(".")))) if state else 0,
            "peer_port": PEER[1] if state else 0,
            "own_port": PORT if state else 0,
            "una": self.una,
            "max": self.una,
            "send_end": (self.first + len(self.written)) % WORD,
            "send_edge": (self.una + SIZE) % WORD,
            "rcv_nxt": self.rcv_nxt,
            "receive_edge": self.receive_edge,
            "release_edge": (self.rcv_nxt + SIZE - self.unread) % WORD,
            "mss": MSS,
            "timestamps": 0,
            "scaled": 0,
            "peer_scale": 0,
            "sack": 0,
        }

    def _writer(self, name: str) -> Any:
        def write(**fields: int) -> None:
            self.carrier[name] = fields["carrier_ip"]
            what = "carried" if fields["carrier_ip"] else "held" if fields["valid"] else "released"
            self.log.append(what)

        return write

    # ---- The carrier's port ----

    def send(self, frame: bytes) -> None:
        wire = decode(frame)
        if wire is None:
            self.log.append("introduced")
            return
        if self.loses:
            self.loses -= 1
            return
        if "RST" in wire.flags and self.loses_resets:
            self.loses_resets -= 1
            return
        if "RST" in wire.flags:
            self.log.append("reset")
            self.state = 0
            return
        self.una = wire.ack
        if self._acknowledged() >= self.ends_after:
            self.state = 0
        if wire.seq != self.rcv_nxt:
            self.receive_edge = self.rcv_nxt + SIZE - self.unread
            self._answer(b"")

    def frames(self) -> list[bytes]:
        found, self.to_carrier = self.to_carrier, []
        return found

    def wait(self) -> None:
        self.unread = max(0, self.unread - self.reads)
        part = self.written[self._acknowledged() :][:MSS]
        if part and self.state and self.carrier["sent"]:
            self._answer(part)

    def _acknowledged(self) -> int:
        return (self.una - self.first) % WORD

    def _answer(self, payload: bytes) -> None:
        segment = Wire(
            *(PORT, PEER_PORT, self.una, self.rcv_nxt), flags=frozenset({"ACK"}), payload=payload
        )
        self.to_carrier.append(segment.frame(OWN, Host(CARRIER.mac, CARRIER.ip, bytes(4))))


def take(engine: Engine) -> Session:
    carrier = Carrier(engine, CARRIER, Host(OWN.mac, OWN.ip, bytes((255, 255, 255, 0))))
    return export(engine.registers, MANIFEST, carrier, own_port=PORT, peer=PEER)


def test_an_export() -> None:
    engine = Engine(bytes(range(250)) * 20, unread=3 * MSS, reads=100, loses=3)
    session = take(engine)
    assert session.unacknowledged == engine.written
    assert (session.send_sequence, session.receive_sequence) == (engine.first, engine.rcv_nxt)
    assert (session.mss, session.receive_window) == (MSS, engine.receive_edge - engine.rcv_nxt)
    assert engine.log[-3:] == ["reset", "held", "held"]


@pytest.mark.parametrize("unread", [1, 2 * MSS])
def test_an_application_that_does_not_read(unread: int) -> None:
    """A single byte is seen; nothing is acknowledged, and the connection continues."""
    engine = Engine(bytes(5000), unread=unread)
    with pytest.raises(SessionError, match=f"has not read {unread} bytes") as error:
        take(engine)
    assert error.value.session is None
    assert engine.una == engine.first and engine.state == 3
    assert engine.log[-2:] == ["released", "released"] and "held" not in engine.log


def test_a_reset_that_is_lost() -> None:
    """It is sent again until the session has ended."""
    engine = Engine(bytes(range(250)), loses_resets=2)
    assert take(engine).unacknowledged == engine.written
    assert engine.state == 0 and engine.log[-3:] == ["reset", "held", "held"]


def test_an_engine_that_does_not_answer() -> None:
    engine = Engine(loses=WORD)
    with pytest.raises(SessionError, match="does not answer"):
        take(engine)
    assert engine.log[-2:] == ["released", "released"]


def test_a_connection_that_ends_midway() -> None:
    """Bytes that were acknowledged are not lost: the error has them, and the peer is held."""
    engine = Engine(bytes(range(250)) * 20, ends_after=2 * MSS)
    with pytest.raises(SessionError, match=r"has ended while.*is held") as error:
        take(engine)
    session = error.value.session
    assert session is not None and session.send_sequence == engine.first
    assert session.unacknowledged == engine.written[: len(session.unacknowledged)]
    assert len(session.unacknowledged) >= 2 * MSS
    assert engine.log[-2:] == ["held", "held"] and "released" not in engine.log


def test_an_import_takes_the_connection_first() -> None:
    """Else the engine resets a peer whose segments reach it before."""
    engine = Engine(bytes(100))
    session = take(engine)
    engine.log.clear()
    engine.loses = WORD  # it does not open the connection
    carrier = Carrier(engine, CARRIER, Host(OWN.mac, OWN.ip, bytes((255, 255, 255, 0))))
    with pytest.raises(SessionError, match="does not open"):
        restore(engine.registers, MANIFEST, carrier, session, replay=True)
    assert engine.log[:3] == ["carried", "carried", "introduced"]
    assert engine.log[-2:] == ["released", "released"]
