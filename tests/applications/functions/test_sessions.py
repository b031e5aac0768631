# SPDX-License-Identifier: Apache-2.0
"""Connections of the TCP engine that move to another engine, in the middle of a stream both ways;
a model of the peer must not notice.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bombus.applications.functions import tcp_repair
from bombus.applications.functions.sessions import (
    Carrier,
    Session,
    SessionError,
    export,
    release,
    restore,
)
from bombus.applications.functions.sessions.engine import Engine
from bombus.applications.functions.sessions.world import PEER_PORT, PORT, LinuxEcho, World
from bombus.live.linux_host import LinuxHost
from bombus.protocols.tcp.segment import WORD, Segment
from tests import ROOT
from tests.support.live import new_namespace

DESIGN = ROOT / "docs" / "examples" / "functions" / "tcp_echo_handover.yaml"
PEER = ("10.77.0.99", PEER_PORT)
INITIAL_WINDOW = 14_600  # RFC 6928


BAD_FIELDS: list[dict[str, Any]] = [
    {"version": 2},
    {"more": 1},
    {"own": None},
    {"own": ["10.77.0.2", 0]},
    {"own": ["10.77.0.2", "7"]},
    {"own": [177012738, 7]},
    {"peer": ["10.77.0", 1]},
    {"peer": ["224.0.0.1", 1]},
    {"peer": ["10.77.0.9"]},
    {"peer": ["10.77.0.9", 99_999]},
    {"peer": ["10.77.0.9", 7.0]},
    {"receive_sequence": -5},
    {"receive_sequence": None},
    {"send_sequence": 99_999_999_999},
    {"send_sequence": True},
    {"received": "?"},
    {"received": 7},
    {"unacknowledged": None},
    {"mss": 0},
    {"mss": 65_536},
    {"mss": "abc"},
    {"send_scale": 99},
    {"receive_scale": -1},
    {"has_sack": "no"},
    {"timestamps": [1]},
    {"timestamps": [1, 1 << 32]},
    {"send_window": -1},
    {"receive_window": 1 << 31},
]


def take(world: World, at: int) -> Session:
    simulation = world.sides[at].simulation
    return export(
        simulation.registers, simulation.manifest, world.carrier(at), own_port=PORT, peer=PEER
    )


def put(world: World, at: int, session: Session, *, replay: bool = True) -> None:
    simulation = world.sides[at].simulation
    restore(simulation.registers, simulation.manifest, world.carrier(at), session, replay=replay)


def free(world: World, at: int) -> None:
    simulation = world.sides[at].simulation
    release(simulation.registers, simulation.manifest)


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("loss", [0.0, 0.03])
def test_engine_to_engine(loss: float) -> None:
    """To and fro, each time with another part of the stream on its way."""
    with World(DESIGN, loss=loss, seed=7) as world:
        world.connect()
        moved = []
        for n in range(5):
            world.write(5000 + 15_000 * (n % 2))
            goal = len(world.echoed) + 1000 * n
            world.until(lambda goal=goal: len(world.echoed) >= goal)
            for _ in range(7 * n):
                world.step(jumps=False)
            old, new = n % 2, 1 - n % 2
            session = take(world, old)
            assert Session.from_json(session.to_json()) == session
            moved.append(len(session.unacknowledged))
            put(world, new, session)
            world.at = new
            free(world, old)
        world.write(5000)
        world.until(world.all_echoed)
        assert world.resets == 0 and not world.peer.failed
        assert max(moved) > 1448, "too little was on its way"


@pytest.mark.slow
@pytest.mark.sweep
def test_more_than_the_initial_window() -> None:
    """The peer has acknowledged bytes beyond it, which the new engine has never sent."""
    with World(DESIGN, seed=11) as world:
        world.connect()
        world.write(150_000)
        world.until(lambda: len(world.echoed) >= 60_000)
        session = take(world, 0)
        written = (session.receive_sequence - world.peer.iss - 1) % WORD
        acknowledged = written - len(session.unacknowledged)
        assert len(world.echoed) - acknowledged > INITIAL_WINDOW
        put(world, 1, session)
        world.at = 1
        free(world, 0)
        world.until(world.all_echoed)
        assert world.resets == 0 and not world.peer.failed


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.parametrize("lost", [0, 1])
def test_a_slow_search(monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    """For the session, longer than the engine waits until it sends its SYN again. If the end of the
    handshake was lost, its window is a segment, and the carrier begins again.
    """
    find, send = Engine.find, Carrier.send
    flags: list[frozenset[str]] = []
    with World(DESIGN, seed=13) as world:
        world.connect()
        world.write(40_000)
        world.until(lambda: len(world.echoed) >= 10_000)
        session = take(world, 0)
        assert len(session.unacknowledged) > 2 * session.mss

        def slowly(self: Engine, own_port: int, peer: tuple[str, int]) -> int | None:
            world.sides[1].simulation.elapse(seconds=1.5)
            return find(self, own_port, peer)

        def lossy(self: Carrier, source: int, destination: int, segment: Segment) -> None:
            flags.append(segment.flags)
            if flags.count(frozenset({"ack"})) > lost or segment.flags != {"ack"}:
                send(self, source, destination, segment)

        monkeypatch.setattr(Engine, "find", slowly)
        monkeypatch.setattr(Carrier, "send", lossy)
        put(world, 1, session)
        world.at = 1
        free(world, 0)
        world.until(world.all_echoed)
        assert world.resets == 0 and not world.peer.failed
    assert flags.count(frozenset({"syn"})) == 1 + lost
    assert flags.count(frozenset({"rst"})) == lost


@pytest.mark.slow
@pytest.mark.sweep
def test_to_linux_and_back() -> None:
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun")
    new_namespace().close()
    with World(DESIGN, seed=5) as world, LinuxHost("stack0", "10.77.0.2") as linux:
        world.linux = linux
        world.connect()
        for _ in range(2):
            world.write(9_000)
            for _ in range(3):
                world.step(jumps=False)
            session = take(world, 0)
            with linux.inside():
                end = tcp_repair.prepare(session.own[0], session.own[1])
            tcp_repair.restore(end, session.repair_state())
            world.at = linux
            tcp_repair.resume(end, session.repair_state())
            for _ in range(10):  # packets that are still on their way to the engine
                world.step(jumps=False)
            free(world, 0)
            world.serve = echo = LinuxEcho(end)
            world.write(20_000)
            goal = len(world.echoed) + 12_000
            world.until(lambda goal=goal, echo=echo: len(world.echoed) >= goal and echo.is_idle())
            world.serve = None
            with tcp_repair.paused(end):
                state = tcp_repair.dump(end)
                back = Session.of_linux("10.77.0.2", state, peer_timestamp=world.peer_timestamp)
                put(world, 0, Session.from_json(back.to_json()))
                world.at = 0
            world.until(world.all_echoed)
        assert world.resets == 0 and not world.peer.failed


@pytest.mark.slow
@pytest.mark.sweep
def test_refused_imports() -> None:
    """With a reason, and without an effect on the connection that exists."""
    with World(DESIGN, seed=3) as world:
        world.connect()
        world.write(3000)
        world.step(jumps=False)
        session = take(world, 0)
        assert session.unacknowledged
        with pytest.raises(SessionError, match="only an echo can write"):
            put(world, 1, session, replay=False)
        with pytest.raises(SessionError, match="units of 128 bytes; this engine has units of 2"):
            put(world, 1, replace(session, receive_scale=7))
        with pytest.raises(SessionError, match="bytes; receive_bytes of the engine is smaller"):
            put(world, 1, replace(session, received=bytes(70_000)))
        with pytest.raises(SessionError, match=r"send_bytes \+ receive_bytes of the engine is"):
            put(world, 1, replace(session, unacknowledged=bytes(140_000)))
        with pytest.raises(SessionError, match="no application listens to port 8"):
            put(world, 1, replace(session, own=(session.own[0], 8)))
        put(world, 1, session)
        world.at = 1
        with pytest.raises(SessionError, match="has a connection with"):
            put(world, 1, session)
        with pytest.raises(SessionError, match="there is no connection"):
            take(world, 0)
        free(world, 0)
        # All sessions of the engine: each of another peer's port.
        for n in range(7):
            put(world, 0, replace(session, peer=(PEER[0], 41_000 + n)))
        world.until(world.all_echoed)
        assert world.resets == 0


def test_documents() -> None:
    session = Session(
        own=("10.77.0.2", 7),
        peer=PEER,
        receive_sequence=2**32 - 1,
        received=bytes(range(5)),
        send_sequence=7,
        unacknowledged=b"x" * 100,
        mss=1460,
        send_scale=7,
        receive_scale=1,
        has_sack=True,
        timestamps=(1, 2),
        send_window=1000,
        receive_window=2000,
    )
    text = session.to_json()
    assert Session.from_json(text) == session
    fields = json.loads(text)
    for change in BAD_FIELDS:
        (name,) = change
        with pytest.raises(SessionError, match=f"(?s)(bad value: {name} |should have {name} 1)"):
            Session.from_json(json.dumps(fields | change))
    with pytest.raises(SessionError, match="only one of its scales"):
        Session.from_json(json.dumps(fields | {"send_scale": None}))
    unscaled = {"send_scale": None, "receive_scale": None, "timestamps": None}
    assert Session.from_json(json.dumps(fields | unscaled)) == replace(session, **unscaled)
    with pytest.raises(SessionError, match="not JSON"):
        Session.from_json("{")
    with pytest.raises(SessionError, match="version 1"):
        Session.from_json("[]")
    del fields["mss"]
    with pytest.raises(SessionError, match="incomplete"):
        Session.from_json(json.dumps(fields))
    state = session.repair_state()
    assert Session.of_linux("10.77.0.2", state, peer_timestamp=2) == replace(
        session, receive_window=2000
    )
