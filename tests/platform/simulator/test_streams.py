# SPDX-License-Identifier: Apache-2.0
"""AXI-Streams that a design raises to the top: messages in and out, and broken rules."""

from __future__ import annotations

import pytest

import bombus
from bombus.simulator.build import Library
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from bombus.simulator.streams import Stream

pytestmark = pytest.mark.slow

KINDS = [
    {"name": "told", "fields": {"at": {"offset": 0, "width": 4, "values": {}}}},
    {
        "name": "asked",
        "fields": {
            "what": {"offset": 0, "width": 2, "values": {"now": 1, "later": 2}},
            "place": {"offset": 2, "width": 10, "values": {}},
        },
    },
]


@pytest.mark.parametrize("pace", [0.0, 0.5])
def test_messages_of_every_length_come_back(loopback: Library, pace: float) -> None:
    with Simulation(loopback, rx_bubble=pace, tx_stall=pace) as simulation:
        into, out = simulation.streams["echo_in"], simulation.streams["echo_out"]
        assert (into.is_output, out.is_output, out.user_bits) == (False, True, 12)
        for size in range(30):
            into.send(bytes(range(size)), user=size * 100)
        for size in range(30):
            message = out.receive(1000)
            assert message is not None
            assert (message.data, message.user) == (bytes(range(size)), size * 100)
        assert out.receive(1000) is None
        simulation.check()


def test_time_passes_as_in_elapse(loopback: Library) -> None:
    """Waiting for a message that never arrives takes seconds of virtual time, but few cycles."""
    with Simulation(loopback) as simulation:
        assert simulation.streams["echo_out"].receive(10_000_000) is None
        assert simulation.time_us >= 10_000_000
        assert simulation.evaluated_cycles < 5000
        simulation.streams["echo_in"].send(b"x")
        assert simulation.in_flight
        before = simulation.cycle
        assert simulation.streams["echo_out"].receive(10) is not None
        assert simulation.cycle - before < 10


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (0xBA1, "tx_valid_dropped"),
        (0xBA2, "tx_data_changed"),
        (0xBA3, "tx_keep_invalid"),
    ],
)
def test_broken_rules_are_counted(loopback: Library, key: int, error: str) -> None:
    with Simulation(loopback, tx_stall=0.5) as simulation:
        simulation.write_pin("key_i", key)
        for _ in range(20):
            simulation.streams["echo_in"].send(bytes(4))
        simulation.advance(200)
        assert [name for name, count in simulation.errors().items() if count] == [error]


def test_a_run_in_real_time_ends_when_a_message_has_come(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.streams["echo_in"].send(b"x")
        simulation.run_live(1000)
        assert simulation.streams["echo_out"].receive() is not None


def test_metadata_of_declared_kinds(loopback: Library) -> None:
    manifest = loopback.manifest["streams"]
    with Simulation(loopback) as simulation:
        native = simulation._native
        into = Stream(native, {**manifest[0], "user_bits": 12, "kinds": KINDS})
        assert into.kinds == ("told", "asked")
        assert into.values("asked", "what") == {"now": 1, "later": 2}
        for fields, reason in (
            ({"kind": "tells"}, "known: asked and told"),
            ({"kind": "told", "att": 1}, "did you mean 'at'"),
            ({"kind": "told", "at": 16}, "16 does not fit into told.at"),
            ({"kind": "told", "at": -1}, "-1 does not fit"),
            ({"kind": "asked", "what": "lately"}, "did you mean 'later'"),
        ):
            with pytest.raises(SimulationError, match=reason):
                into.send_kind(**fields)
        wide = Stream(native, {**manifest[1], "user_bits": 36, "kinds": KINDS})
        message = wide._message(b"abc", (2 | 77 << 2) << 24 | 3 << 8 | 1)
        assert (message.kind, message.fields) == ("asked", {"what": 2, "place": 77})


@pytest.mark.parametrize(
    ("name", "user", "reason"),
    [
        ("echo_out", 0, "echo_out is a stream out of the design"),
        ("echo_in", 1 << 12, "wider than the 12 bits of tuser"),
        ("echo_in", 1 << 16, "does not fit into tuser"),
        ("echo_in", -1, "does not fit into tuser"),
    ],
)
def test_what_is_refused(loopback: Library, name: str, user: int, reason: str) -> None:
    with Simulation(loopback) as simulation:
        with pytest.raises(SimulationError, match=reason):
            simulation.streams[name].send(b"x", user=user)
        with pytest.raises(SimulationError, match="a stream into the design"):
            simulation.streams["echo_in"].receive()
        with pytest.raises(SimulationError, match="no tile that raises the messages of a TCP"):
            _ = bombus.sockets(simulation)
