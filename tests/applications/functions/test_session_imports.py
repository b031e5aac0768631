# SPDX-License-Identifier: Apache-2.0
"""Imports whose handshake takes long or loses segments, against a model of an engine and an echo:
the engine needs a window for all that the peer may have acknowledged.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest

from bombus.applications.functions.sessions import Carrier, Session, SessionError, restore
from bombus.applications.functions.sessions.world import CARRIER, PEER_PORT, PORT
from bombus.protocols.frames import Host
from tests.applications.functions.test_session_errors import (
    MANIFEST,
    MSS,
    OWN,
    PEER,
    WORD,
    Engine,
)
from tests.protocols.tcp.tcp_wire import Wire, decode

PATIENCE = 100  # reads of a state, after which the SYN is sent again


@dataclass
class Listening(Engine):
    """Without a connection. An echo writes what it reads; `slow`: reads that one read counts as."""

    slow: int = 1
    mute: bool = False  # its SYN,ACK is lost
    own_numbers: bool = False  # it chooses its initial sequence number
    loses_ends: int = 0  # in each handshake
    times_out: int = 0  # at acknowledgements
    deaf: bool = False  # its echo does not read
    state: int = 0
    handshakes: int = 0
    ends: int = 0  # of the handshake
    cwnd: int = 0
    patience: int = 0

    def _state(self) -> dict[str, int]:
        self.patience -= self.slow
        sent = min(self.cwnd, len(self.written) - self._acknowledged())
        return super()._state() | {"cwnd": self.cwnd, "max": (self.una + sent) % WORD}

    def send(self, frame: bytes) -> None:
        wire = decode(frame)
        if wire is None or "RST" in wire.flags:
            super().send(frame)
        elif "SYN" in wire.flags:
            self.state, self.patience, self.written = 2, PATIENCE, b""
            self.handshakes, self.ends = self.handshakes + 1, 0
            self.rcv_nxt = (wire.seq + 1) % WORD
            self.first = self.una = (wire.ack + 1) % WORD
            if not self.mute:
                self._take(wire.ack + self.own_numbers, frozenset({"SYN", "ACK"}))
        elif self.state == 2 and self.ends < self.loses_ends:
            self.ends += 1
        elif self.state == 2:
            self.state, self.cwnd = 3, 10 * MSS if self.patience > 0 else MSS
        elif self.state == 3:
            acked = (wire.ack - self.una) % WORD
            self.una, self.cwnd = wire.ack, self.cwnd + acked
            if acked and self.times_out:
                self.times_out, self.cwnd = self.times_out - 1, MSS
            if wire.seq == self.rcv_nxt and not self.deaf:
                self.written += wire.payload
                self.rcv_nxt = (self.rcv_nxt + len(wire.payload)) % WORD
        self.receive_edge = self.rcv_nxt + 65_536

    def wait(self) -> None:
        """Its segments reach the carrier, which does not read them."""

    def _take(self, seq: int, flags: frozenset[str]) -> None:
        segment = Wire(PORT, PEER_PORT, seq, self.rcv_nxt, flags=flags)
        self.to_carrier.append(segment.frame(OWN, Host(CARRIER.mac, CARRIER.ip, bytes(4))))

    @property
    def in_flight(self) -> int:
        return min(self.cwnd, len(self.written) - self._acknowledged())


def session(size: int, timestamps: tuple[int, int] | None = None) -> Session:
    return Session(
        own=("10.77.0.2", PORT),
        peer=PEER,
        receive_sequence=5000,
        received=b"",
        send_sequence=WORD - 100,
        unacknowledged=bytes(range(250)) * (size // 250),
        mss=MSS,
        send_scale=None,
        receive_scale=None,
        has_sack=False,
        timestamps=timestamps,
        send_window=0xFFFF,
        receive_window=0xFFFF,
    )


def put(engine: Engine, session: Session, manifest: dict[str, Any] = MANIFEST) -> None:
    carrier = Carrier(engine, CARRIER, Host(OWN.mac, OWN.ip, bytes((255, 255, 255, 0))))
    restore(engine.registers, manifest, carrier, session, replay=True)


@pytest.mark.parametrize("size", [2000, 20_000])
@pytest.mark.parametrize(
    ("what", "handshakes"),
    [({}, 1), ({"slow": PATIENCE}, 1), ({"slow": PATIENCE, "loses_ends": 1}, 2)],
    ids=["at once", "slow registers", "lost ends"],
)
def test_handshakes(size: int, what: dict[str, int], handshakes: int) -> None:
    """All bytes are in flight after it. A search for the session is no reason to begin again."""
    engine = Listening(**what)
    put(engine, session(size))
    assert engine.una == WORD - 100 and engine.rcv_nxt == 5000
    assert engine.in_flight == size and engine.handshakes == handshakes
    assert engine.log.count("reset") == handshakes - 1


def test_a_window_that_a_loss_reduces() -> None:
    engine = Listening(times_out=1)
    put(engine, session(20_000))
    assert engine.in_flight == 20_000 and engine.handshakes == 2


@pytest.mark.parametrize(
    ("what", "complaint"),
    [
        ({"mute": True}, "does not open the connection"),
        ({"own_numbers": True}, "does not take over sequence numbers"),
        ({"loses_ends": WORD}, "does not take the end of the handshake"),
        ({"times_out": WORD}, "too many segments to the engine are lost"),
        ({"deaf": True}, "the application does not take the bytes"),
    ],
)
def test_failed_imports(what: dict[str, int], complaint: str) -> None:
    """Nothing remains of them."""
    engine = Listening(**what)
    with pytest.raises(SessionError, match=complaint):
        put(engine, session(20_000))
    assert engine.state == 0 and engine.log[-3:] == ["reset", "released", "released"]


def test_timestamps_that_the_engine_does_not_send() -> None:
    manifest = deepcopy(MANIFEST)
    tcp = next(
        each for tile in manifest["tiles"] for each in tile["layers"] if each["kind"] == "tcp"
    )
    tcp["params"]["timestamps"] = 0
    engine = Listening()
    with pytest.raises(SessionError, match="this engine sends none"):
        put(engine, session(2000, timestamps=(7, 9)), manifest)
    assert engine.log == []
    put(engine, session(2000), manifest)
