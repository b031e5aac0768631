# SPDX-License-Identifier: Apache-2.0
"""Sockets in virtual time: two simulated stacks at a wire, programs as their applications."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from typing import Any

import pytest

import bombus
from bombus import Simulation
from bombus.protocols.tcp.sockets import Sockets
from bombus.simulator.native import SimulationError
from tests import ROOT
from tests.protocols.tcp.tcp_link import TIME_WAIT_US
from tests.protocols.tcp.tcp_pair import CLIENT, HOST, SERVER, SESSIONS, Pair

pytestmark = pytest.mark.slow

KERNEL = ROOT / "docs" / "examples" / "tcp_kernel" / "tcp_kernel.yaml"
NO_SESSION = "No buffer space available: all sessions are in use"


@pytest.fixture
def pair() -> Iterator[Pair]:
    with ExitStack() as stack:
        found = Pair(stack, coarse=True)
        yield found
        for end in (found.near, found.far):
            end.check()


def test_bytes_both_ways(pair: Pair) -> None:
    near, far = pair.connected()
    assert near.peer == (SERVER, 80)
    assert (far.peer[0], far.port) == (CLIENT, 80)
    random = Random(1)
    for size in (1, 2, 1460, 1461, 10_000, 60_000):
        for one, other in ((near, far), (far, near)):
            data = random.randbytes(size)
            one.send(data)
            assert other.receive_exactly(size) == data
    near.send(b"last")
    near.shutdown()
    assert far.receive(100) == b"last"
    assert far.receive(100) == b""
    assert far.at_end
    far.send(b"half-closed")
    far.close()
    assert near.receive(100) == b"half-closed"
    assert near.receive(100) == b""
    near.close()
    pair.settle()


def test_more_connections_than_sessions(pair: Pair) -> None:
    pair.server.listen(80)
    for _ in range(2):
        ends = [pair.connected() for _ in range(SESSIONS)]
        assert len({near.session for near, _ in ends}) == SESSIONS
        with pytest.raises(ConnectionRefusedError, match="all sessions are in use"):
            pair.client.connect(SERVER, 80, timeout=1)
        for n, (near, far) in enumerate(ends):
            near.send(bytes([n]))
            far.send(bytes([n + 100]))
        for n, (near, far) in enumerate(ends):
            assert (far.receive(), near.receive()) == (bytes([n]), bytes([n + 100]))
            near.close()
            far.close()
        pair.settle()


def test_the_request_without_a_session_is_the_one_that_fails(pair: Pair) -> None:
    """More connections are requested at once than there are sessions."""
    ports = range(80, 80 + SESSIONS + 2)
    for port in ports:
        pair.server.listen(port)
    openings = [pair.client.open(SERVER, port) for port in ports]
    for _ in range(40):  # the server lets half as many handshakes begin at once
        pair.link.run(100_000)
        pair.client.poll()
        pair.server.poll()
    assert [opening.error for opening in openings[SESSIONS:]] == [NO_SESSION] * 2
    for opening in openings[:SESSIONS]:
        assert opening.connection is not None
        far = pair.server.listeners[opening.peer[1]].accept(timeout=1)
        opening.connection.send(b"%d" % far.port)
        assert far.receive() == b"%d" % opening.peer[1]
        opening.connection.close()
        far.close()
    pair.settle()


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.sweep)])
def test_openings_that_nobody_answers(count: int) -> None:
    """Each ends with an error, and leaves nothing that a later one would get."""
    with Simulation(HOST, timer_step_us=32_000, assertions=True) as simulation:
        tcp = bombus.sockets(simulation)
        for _ in range(2):
            openings = [tcp.open("10.77.0.9", 80) for _ in range(count)]
            simulation.elapse(seconds=1)
            tcp.poll()
            waiting = [each for each in openings if not each.error]
            assert waiting == openings[:SESSIONS]
            assert {each.error for each in openings[SESSIONS:]} == {NO_SESSION}
            simulation.elapse(seconds=190)  # RFC 9293, 3.8.3
            tcp.poll()
            assert all(each.error and each.connection is None for each in openings)
            assert not tcp.connections
        late = tcp.open("10.77.0.9", 80)
        simulation.elapse(seconds=100)
        tcp.poll()
        assert late.connection is None and not late.error
        assert not simulation.counters()["tcp"]["event.tcp.bad_request"]
        simulation.check()


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.sweep)])
def test_openings_that_are_answered(pair: Pair, count: int) -> None:
    """Openings to three ports of one peer: each ends with a connection of its own or an error."""
    ports = (80, 81, 82)
    for port in ports:
        pair.server.listen(port)
    for _ in range(2):
        openings = [pair.client.open(SERVER, ports[n % 3]) for n in range(count)]
        for _ in range(40):  # the server lets half as many handshakes begin at once
            pair.link.run(100_000)
            pair.client.poll()
            pair.server.poll()
            if all(each.connection or each.error for each in openings):
                break
        assert not any(each.error for each in openings[:SESSIONS])
        assert {each.error for each in openings[SESSIONS:]} == {NO_SESSION}
        opened = [each.connection for each in openings[:SESSIONS]]
        assert len({each.port for each in opened if each}) == SESSIONS
        for opening, near in zip(openings, opened, strict=False):
            assert near is not None and near.peer == (SERVER, opening.peer[1])
            near.send(b"%d" % opening.peer[1])
        for port in ports:
            listener = pair.server.listeners[port]
            for _ in range(listener.waiting):
                with listener.accept(timeout=1) as far:
                    assert far.receive() == b"%d" % port
        for near in opened:
            assert near is not None
            near.close()
        pair.settle()
    assert not pair.near.counters()["tcp"]["event.tcp.bad_request"]


def test_resets(pair: Pair) -> None:
    near, far = pair.connected()
    near.abort()
    with pytest.raises(ConnectionResetError, match=rf"with {CLIENT} port {near.port} was reset"):
        far.receive(timeout=1)
    with pytest.raises(ConnectionResetError):
        far.send(b"x")
    far.close()
    near, far = pair.connected()
    far.abort()
    with pytest.raises(ConnectionResetError):
        near.receive(timeout=1)
    near.close()
    with pytest.raises(ConnectionRefusedError, match="refused"):
        pair.client.connect(SERVER, 81, timeout=1)
    # The port of a closed listener is closed, until another one opens it.
    pair.server.listeners[80].close()
    with pytest.raises(ConnectionRefusedError, match="refused"):
        pair.client.connect(SERVER, 80, timeout=1)
    pair.settle()
    near, far = pair.connected()
    near.close()
    far.close()
    pair.settle()


def test_settings(pair: Pair) -> None:
    """They can be read and made; bytes pass as before."""
    near, far = pair.connected()
    assert (near.no_delay, near.keepalive) == (False, True)
    near.no_delay, near.keepalive = True, False
    assert (near.no_delay, near.keepalive) == (True, False)
    near.send(b"same")
    assert far.receive_exactly(4) == b"same"
    near.close()
    far.close()
    pair.settle()
    with pytest.raises(SimulationError):
        near.no_delay = False


def test_backlog(pair: Pair) -> None:
    listener = pair.server.listen(80, backlog=1)
    first, second = (pair.client.connect(SERVER, 80, timeout=1) for _ in range(2))
    with pytest.raises(ConnectionResetError):
        second.receive(timeout=1)
    assert listener.waiting == 1
    with listener.accept(timeout=0) as far:
        first.send(b"first")
        assert far.receive() == b"first"
    first.close()
    second.close()
    pair.settle()


def test_a_state_is_known_after_the_session(pair: Pair) -> None:
    """Its number is free then, and the library has forgotten it."""
    near, far = pair.connected()
    near.close()
    assert not near.is_closed  # the peer has not closed
    with pytest.raises(SimulationError, match=f"{SERVER} port 80 has been closed"):
        near.shutdown()
    assert (near.available, near.read()) == (0, b"")
    far.close()
    near.wait_closed(timeout=5)
    pair.settle()
    for end in (near, far):
        assert (end.is_closed, end.is_reset, end.at_end) == (True, False, True)
        assert (end.available, end.unsent, end.read()) == (0, 0, b"")
        for call in (end.receive, end.shutdown, lambda end=end: end.send(b"x")):
            with pytest.raises(SimulationError, match="has been closed"):
                call()
        end.close()
        end.abort()
    near, far = pair.connected()
    near.close()
    far.abort()
    pair.settle()
    assert (near.is_closed, near.is_reset) == (True, True)
    assert (far.is_closed, far.is_reset) == (True, True)


def test_windows_that_shut(pair: Pair) -> None:
    """A receiver that does not read blocks only its own sender."""
    near, far = pair.connected()
    other_near, other_far = pair.connected()
    data = Random(2).randbytes(300_000)
    with pytest.raises(TimeoutError, match=r"there is no space.*; all are queued") as late:
        near.send(data, timeout=0.05)
    assert 0 < near.unsent < len(data)
    assert f"({near.unsent} bytes wait)" in str(late.value)
    other_near.send(b"passes")
    assert other_far.receive() == b"passes"
    assert far.receive_exactly(len(data)) == data
    for each in (near, far, other_near, other_far):
        each.close()
    pair.settle()


@pytest.mark.parametrize("pace", [0.0, 0.3])
def test_a_kernel_echoes(pace: float) -> None:
    with ExitStack() as stack:
        pair = Pair(stack, KERNEL, pace)
        random = Random(4)
        for _ in range(2):
            ends = [pair.client.connect(SERVER, 7, timeout=2) for _ in range(SESSIONS)]
            sent = {end: random.randbytes(random.choice([1, 64, 2049])) for end in ends}
            for end, data in sent.items():
                end.send(data)
            for end, data in sent.items():
                assert end.receive_exactly(len(data)) == data
            for end in ends:
                if random.random() < 0.3:
                    end.abort()
                else:
                    end.close()
            while pair.client.connections:
                pair.link.run(100_000)
            pair.link.run(TIME_WAIT_US)


def test_a_kernel_answers_requests() -> None:
    with ExitStack() as stack:
        pair = Pair(stack, KERNEL)
        ends = [pair.client.connect(SERVER, 700, timeout=2) for _ in range(SESSIONS)]
        for n, end in enumerate(ends):
            end.send(bytes(n * 333))
        for n, end in enumerate(ends):
            end.send(b"end")
            end.shutdown()
            assert end.receive_exactly(5) == (n * 333 + 3).to_bytes(4, "little")
            end.close()


@pytest.mark.parametrize("pace", [0.0, 0.3])
def test_a_kernel_connects(pace: float) -> None:
    with ExitStack() as stack:
        pair = Pair(stack, KERNEL, pace)
        pair.near.set_host(ip="10.77.0.1", gateway="0.0.0.0")

        def go() -> None:
            for level in (0, 1):
                pair.far.write_pin("fetch_go_i", level)
                pair.link.run(2)

        def result() -> tuple[int, int]:
            """Bytes that came, and whether the connection failed."""
            for _ in range(1000):
                if pair.far.read_pin("fetch_done_o"):
                    break
                pair.link.run(1000)
            assert pair.far.read_pin("fetch_done_o")
            return pair.far.read_pin("fetch_bytes_o"), pair.far.read_pin("fetch_failed_o")

        go()  # no listener
        assert result() == (0, 1)
        listener = pair.client.listen(80)
        for size in (0, 1, 5000, 100_000):
            go()
            with listener.accept(timeout=2) as server:
                assert server.receive_exactly(18) == b"GET / HTTP/1.0\r\n\r\n"
                server.send(bytes(size))
            assert result() == (size, 0)
        go()
        listener.accept(timeout=2).abort()
        assert result()[1] == 1
        go()
        with listener.accept(timeout=2) as server:
            assert server.receive_exactly(18)
            server.send(b"again")
        assert result() == (5, 0)
        go()
        with listener.accept(timeout=2):  # closed with unread bytes: a reset (RFC 9293, 3.6.1)
            pair.link.run(100)
        assert result() == (0, 1)


def test_what_is_refused(pair: Pair) -> None:
    near, _ = pair.connected()
    tcp = pair.client
    for call, reason in (
        (lambda: tcp.listen(0), "port: should be 1 to 65535"),
        (lambda: tcp.listen(65536), "port: should be 1 to 65535"),
        (lambda: tcp.listen(-1), "port: should be 1 to 65535, not -1"),
        (lambda: tcp.listen(81, backlog=-1), "backlog: should be 0 to 4294967295, not -1"),
        (lambda: tcp.open(SERVER, 1 << 32), "port: should be 1 to 65535"),
        (lambda: tcp.connect("10.0.0", 80), "should be an IPv4 address"),
        (lambda: tcp.connect(SERVER, 0), "port: should be 1 to 65535"),
        (lambda: near.receive(0), "size: should be 1 or more, not 0"),
        (lambda: near.receive_exactly(-1), "size: should be 0 or more"),
        (lambda: near.read(-1), "size: should be 0 or more"),
        (lambda: near.receive(1, timeout=-1), "timeout: should be 0 seconds or more"),
        (lambda: pair.server.listen(80), "already listening on port 80"),
        (lambda: Sockets(pair.near, "tcp"), "tile tcp is no tile that raises"),
    ):
        with pytest.raises(SimulationError, match=reason):
            call()
    with pytest.raises(TimeoutError, match="nothing has come"):
        near.receive(timeout=0)
    near.shutdown()
    with pytest.raises(BrokenPipeError):
        near.send(b"x")
    near.close()
    with pytest.raises(SimulationError, match="has been closed"):
        near.receive()
    with pytest.raises(TimeoutError, match="no connection with"):
        tcp.connect("10.77.0.9", 80, timeout=0.01)


def test_arguments_of_another_type(pair: Pair) -> None:
    """Nothing is sent of a call that is refused."""
    near, far = pair.connected()
    tcp: Any = pair.client
    end: Any = near
    for call, reason in (
        (lambda: end.send("hello"), "send: data should be bytes, not str"),
        (lambda: end.send(5), "send: data should be bytes, not int"),
        (lambda: end.write(None), "write: data should be bytes, not NoneType"),
        (lambda: end.send(b"x", timeout="1"), "timeout: should be a number of seconds, not str"),
        (lambda: end.receive(1, timeout=None), "timeout: should be a number of seconds, not None"),
        (lambda: end.receive("1"), "receive: size should be int, not str"),
        (lambda: end.receive_exactly(1.0), "receive_exactly: size should be int, not float"),
        (lambda: tcp.listen("80"), "listen: port should be int, not str"),
        (lambda: tcp.listen(80, "1"), "listen: backlog should be int, not str"),
        (lambda: tcp.connect(SERVER, "80"), "connect: port should be int, not str"),
        (lambda: tcp.open(SERVER, None), "open: port should be int, not NoneType"),
        (lambda: tcp.open(5, 80), "open: ip should be str, not int"),
    ):
        with pytest.raises(TypeError, match=reason):
            call()
    assert near.unsent == 0
    words = array("H", [1, 2])
    for data in (bytearray(b"a"), memoryview(b"bc"), words):
        end.send(data)
    assert far.receive_exactly(7) == b"abc" + words.tobytes()


def test_bytes_are_not_lost_by_a_call_that_fails(pair: Pair) -> None:
    near, far = pair.connected()
    far.send(b"0123456")
    with pytest.raises(TimeoutError):
        near.receive_exactly(10, timeout=0.01)
    assert near.available == 7 and not near.at_end
    assert near.receive(3) == b"012"
    far.send(b"789")
    assert near.receive_exactly(7) == b"3456789"
    far.send(b"last")
    far.shutdown()
    with pytest.raises(TimeoutError):
        far.receive_exactly(1, timeout=0.01)
    assert near.receive_exactly(10) == b"last"
    assert near.at_end and near.available == 0


def test_an_opening_that_is_given_up(pair: Pair) -> None:
    opening = pair.client.open("10.77.0.9", 80)
    assert opening.error == ""
    opening.give_up()
    assert (opening.error, opening.connection) == ("it was given up", None)


def test_waiting_without_a_peer() -> None:
    """As in a live run: frames do not pass while a call waits."""
    with Simulation(HOST, assertions=True) as simulation:
        listener = bombus.sockets(simulation).listen(80)
        with pytest.raises(TimeoutError, match=r"no connection in 2000 us; no `pass_time` .*live"):
            listener.accept(timeout=0.002)
        with pytest.raises(TimeoutError, match=r"no connection$"):
            listener.accept(timeout=0)
        bombus.sockets(simulation).pass_time = lambda us: simulation.elapse(us=us)
        with pytest.raises(TimeoutError, match=r"no connection in 2000 us$"):
            listener.accept(timeout=0.002)


def test_an_engine_that_only_listens() -> None:
    """It would not answer a request, so none is made. The manifest says what the engine can do."""
    with Simulation(HOST, assertions=True) as simulation:
        (engine,) = (
            layer
            for tile in simulation.manifest["tiles"]
            for layer in tile["layers"]
            if layer["kind"] == "tcp"
        )
        assert engine["params"]["active_open"] == 1
        engine["params"]["active_open"] = 0
        bombus.sockets(simulation).listen(80)
        for call in (bombus.sockets(simulation).connect, bombus.sockets(simulation).open):
            with pytest.raises(SimulationError, match=r"only accepts connections.*active_open"):
                call(SERVER, 80)
        assert not bombus.sockets(simulation).connections
