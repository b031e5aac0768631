# SPDX-License-Identifier: Apache-2.0
"""Sockets as POSIX programs expect them: peeking, corks, local ports, errors of the path, sizes."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from socket import SHUT_RD, SHUT_RDWR

import pytest

import bombus
from bombus import Simulation
from bombus.protocols.frames import (
    PROTOCOL_ICMP,
    Host,
    Station,
    icmp,
    ip_bytes,
    ip_frame,
    mac_bytes,
)
from bombus.protocols.tcp.model import State
from bombus.simulator.native import SimulationError
from tests.protocols.tcp.tcp_pair import CLIENT, CLIENT_MAC, HOST, SERVER, SESSIONS, Pair
from tests.protocols.tcp.tcp_stations import Stations
from tests.protocols.tcp.test_tcp_path import HOST_UNREACHABLE, PORT_UNREACHABLE, Asking

pytestmark = pytest.mark.slow

TOO_BIG, SMALL_MTU = 4, 600
SYN_LIMIT_S = 190  # RFC 9293, 3.8.3
IDLE_US = 60_000_000  # evict_idle_s


@pytest.fixture
def pair() -> Iterator[Pair]:
    with ExitStack() as stack:
        found = Pair(stack, coarse=True)
        yield found
        for end in (found.near, found.far):
            end.check()


class Tap:
    """The payload of the client's segments on the wire, as lengths; `drops`: so many are lost."""

    def __init__(self, pair: Pair) -> None:
        self.pair, self.lengths, self.drops = pair, list[int](), 0
        self.dropped: list[bytes] = []
        pair.link.carry = self.carry

    def carry(self, source: Simulation, target: Simulation, frame: bytes) -> None:
        length = int.from_bytes(frame[16:18]) - 20 - 4 * (frame[46] >> 4)
        if source is self.pair.near and frame[23] == 6 and length > 0:
            self.lengths.append(length)
            if self.drops:
                self.drops -= 1
                self.dropped.append(frame[14:])
                return
        self.pair.link.deliver(source, target, frame)

    def taken(self, us: int = 2000) -> list[int]:
        self.pair.link.run(us)
        lengths, self.lengths = self.lengths, []
        return lengths

    def report(self, code: int, mtu: int = 0) -> None:
        """An ICMP error of the segment that was lost, from the server's address."""
        far = Host.from_manifest(self.pair.far.manifest)
        near = replace(far, mac=mac_bytes(CLIENT_MAC), ip=ip_bytes(CLIENT))
        station = Station(far.mac, far.ip)
        frame = ip_frame(station, near, PROTOCOL_ICMP, icmp(3, code, mtu, self.dropped.pop()[:28]))
        self.pair.near.send(frame)
        self.pair.near.elapse(us=20)


def test_peek(pair: Pair) -> None:
    near, far = pair.connected()
    near.send(b"0123456789")
    assert far.peek(3) == far.peek(3) == b"012"
    assert far.available == 10
    assert far.peek() == far.receive(4) + far.peek() == b"0123456789"
    with pytest.raises(TimeoutError):
        far.receive_exactly(7, timeout=0.001)  # keeps what has come
    near.send(b"abc")
    pair.link.run(100)
    assert far.peek(4) == b"4567"
    assert far.peek() == b"456789abc"
    assert far.receive_exactly(9) == b"456789abc"
    with pytest.raises(TimeoutError, match="nothing has come"):
        far.peek(timeout=0)
    near.close()
    assert far.peek() == b"" and far.at_end
    far.close()
    pair.settle()


def test_cork(pair: Pair) -> None:
    """Only full segments leave, until the cork is drawn or the connection is shut down."""
    near, far = pair.connected()
    tap = Tap(pair)
    data = Random(1).randbytes(100 * 100)
    near.cork = True
    for start in range(0, len(data), 100):
        near.send(data[start : start + 100])
        pair.link.run(20)
    assert near.cork and near.unsent == 0
    whole, rest = divmod(len(data), near.mss)
    assert tap.taken() == [near.mss] * whole
    near.cork = False
    assert tap.taken() == [rest]
    assert far.receive_exactly(len(data)) == data
    near.write(b"head", more=True)
    assert tap.taken() == []
    near.write(b" and body")
    assert tap.taken() == [13]
    assert far.receive_exactly(13) == b"head and body"
    near.cork = True
    far.cork = True
    big = Random(2).randbytes(300_000)
    near.write(big)
    far.write(big[::-1])
    near.shutdown()
    far.shutdown()
    assert near.receive_exactly(len(big)) == big[::-1]
    assert far.receive_exactly(len(big)) == big
    near.close()
    far.close()
    pair.settle()


def test_a_cork_with_a_full_send_buffer(pair: Pair) -> None:
    """The peer does not read: what waits for space is counted, and all of it arrives."""
    near, far = pair.connected()
    near.cork = True
    data = Random(3).randbytes(400_001)
    near.write(data)
    pair.link.run(50_000)
    assert 0 < near.unsent < len(data)
    whole = len(data) // near.mss * near.mss
    assert far.receive_exactly(whole) == data[:whole]
    pair.link.run(5000)
    assert (far.available, near.unsent) == (0, 0)
    near.cork = False
    assert far.receive_exactly(len(data) - whole) == data[whole:]
    near.close()
    far.close()
    pair.settle()


def test_a_local_port(pair: Pair) -> None:
    pair.server.listen(80)
    pair.server.listen(81)
    near = pair.client.connect(SERVER, 80, timeout=1, local_port=4000)
    far = pair.server.listeners[80].accept(timeout=1)
    assert (near.port, far.peer) == (4000, (CLIENT, 4000))
    with pytest.raises(SimulationError, match=r"Address already in use: the local port is in use"):
        pair.client.connect(SERVER, 80, timeout=1, local_port=4000)
    # The same port to another peer, and others from ports that the engine chooses, in any order.
    openings = [
        pair.client.open(SERVER, 80),
        pair.client.open(SERVER, 80, local_port=5000),
        pair.client.open(SERVER, 81, local_port=4000),
        pair.client.open(SERVER, 80, local_port=4000),
    ]
    pair.link.run(2000)
    assert openings[3].error.startswith("Address already in use")
    opened = [each.connection for each in openings[:3]]
    ports = [each.port for each in opened if each]
    assert ports[0] >= 0xC000 and ports[1:] == [5000, 4000]
    listener = pair.client.listen(90)
    for call in (pair.client.open, pair.client.connect):
        with pytest.raises(SimulationError, match="already listening on port 90"):
            call(SERVER, 80, local_port=90)
        with pytest.raises(SimulationError, match="local_port: should be 0 to 65535"):
            call(SERVER, 80, local_port=65536)
    listener.close()
    for each in (near, far, *opened):
        assert each is not None
        each.abort()
    for port in (80, 81):
        pair.server.listeners[port].close()  # resets those that wait
    pair.settle()
    pair.server.listen(80)
    near = pair.client.connect(SERVER, 80, timeout=1, local_port=4000)
    assert near.port == 4000
    near.abort()
    pair.server.listeners[80].close()
    pair.settle()


def test_space_when_a_connection_is_accepted(pair: Pair) -> None:
    """Both ends can send at once."""
    near, far = pair.connected()
    far.send(bytes(near.send_buffer), timeout=0)
    near.send(bytes(near.send_buffer), timeout=0)
    assert near.unsent == far.unsent == 0
    near.write(b"x")
    assert near.unsent == 1
    for one, other in ((near, far), (far, near)):
        assert len(one.receive_exactly(other.send_buffer)) == other.send_buffer
    assert far.receive() == b"x"
    near.close()
    far.close()
    pair.settle()


def test_sizes(pair: Pair) -> None:
    near, far = pair.connected()
    registers = pair.near.tile("tcp").registers.tcp
    registers.session.index = near.session
    assert near.mss == registers.state.read()["mss"] == 1460 - 12
    assert (near.send_buffer, near.receive_buffer) == (65536, 65536)
    assert near.mac_port == far.mac_port == 0
    tap = Tap(pair)
    tap.drops = 1
    near.send(bytes(1448))
    pair.link.run(20)
    tap.report(TOO_BIG, SMALL_MTU)
    assert far.receive_exactly(1448)
    far.send(b"x")
    assert near.receive() == b"x"
    assert near.mss == SMALL_MTU - 40 - 12
    near.close()
    far.close()
    pair.settle()


def test_the_reading_side_is_shut(pair: Pair) -> None:
    """What has come and what comes is discarded, and does not hinder the peer."""
    near, far = pair.connected()
    near.send(b"unread")
    pair.link.run(100)
    far.shutdown(SHUT_RD)
    assert (far.available, far.at_end) == (0, True)
    assert far.receive() == far.peek() == b""
    near.send(bytes(300_000), timeout=1)
    far.send(b"still sends")
    assert near.receive_exactly(11) == b"still sends"
    assert far.receive() == b"" and not far.is_closed
    near.shutdown(SHUT_RDWR)
    with pytest.raises(BrokenPipeError, match="Broken pipe"):
        near.send(b"x")
    far.close()
    near.wait_closed(timeout=1)
    assert near.receive() == b""
    near.close()
    pair.settle()
    with pytest.raises(SimulationError, match="how: should be 0 to 2, not 3"):
        pair.connected()[0].shutdown(3)


@pytest.mark.parametrize("arrives", ["before", "later"])
def test_unread_bytes_reset_a_connection_that_is_closed(pair: Pair, arrives: str) -> None:
    """RFC 9293, 3.6.1: the peer must not take them as read."""
    near, far = pair.connected()
    if arrives == "before":
        near.send(b"unread")
        pair.link.run(100)
    far.close()
    if arrives == "later":
        pair.link.run(100)
        assert not far.is_closed
        near.send(b"unread")
    pair.link.run(100)
    for end in (near, far):
        assert (end.is_reset, end.error) == (True, errno.ECONNRESET)
    near.close()
    pair.settle()


def test_bytes_that_were_read_do_not_reset_a_connection_that_is_closed(pair: Pair) -> None:
    """Those written before still arrive, also after the end of the sending side."""
    near, far = pair.connected()
    data = Random(4).randbytes(300_000)
    near.send(b"request")
    assert far.receive_exactly(7) == b"request"
    near.shutdown()
    far.write(data)
    far.close()
    assert near.receive_exactly(len(data)) == data
    near.close()
    pair.settle()
    assert not near.is_reset and not far.is_reset
    near, far = pair.connected()
    far.shutdown()
    assert near.receive() == b""
    near.send(b"answer")
    assert far.receive_exactly(6) == b"answer"
    far.close()
    pair.link.run(100)
    assert not near.is_reset
    near.send(b"more")
    pair.link.run(100)
    assert near.is_reset and far.is_reset
    near.close()
    pair.settle()


def test_both_close_with_bytes_that_wait_for_space(pair: Pair) -> None:
    """Nobody reads them, so the connection ends by a reset."""
    near, far = pair.connected()
    for end in (near, far):
        end.write(bytes(400_000))
    pair.link.run(10_000)
    for end in (near, far):
        end.close()
    pair.settle()
    assert near.is_reset and far.is_reset


@pytest.mark.parametrize("call", ["close", "abort"])
def test_a_connection_that_is_not_open_yet_ends(pair: Pair, call: str) -> None:
    """All sessions wait for a peer that is silent; once given up, they are free for others."""
    calls = pair.client.calls
    for wait_us in (0, 1000):  # before and after the engine has answered
        openings = [pair.client.open("10.77.0.9", 80) for _ in range(SESSIONS)]
        pair.link.run(wait_us)
        for opening in openings:
            assert getattr(calls, call)(opening.number)
        pair.link.run(1000)
        assert all(calls.get(opening.number, "STATE") is None for opening in openings)
        near, far = pair.connected()
        near.close()
        far.close()
        pair.settle()


def test_a_user_timeout(pair: Pair) -> None:
    """RFC 9293, 3.9.1.2: it is set in milliseconds, and kept beside the other settings."""
    near, far = pair.connected()
    assert near.user_timeout == 0
    near.user_timeout = 0.3
    near.no_delay = True
    assert (near.user_timeout, near.no_delay) == (0.3, True)
    near.send(b"x")
    assert far.receive() == b"x"
    pair.link.carry = lambda *_: None  # cut
    near.send(b"lost")
    pair.link.run(300_000)
    assert not near.error
    pair.link.run(131_000)
    assert near.error == errno.ETIMEDOUT
    near.close()
    for value, reason in (
        (-1, "user_timeout: should be 0 seconds or more, not -1"),
        (4294.837, "value: should be 0 to 4294836, not 4294837"),
    ):
        with pytest.raises(SimulationError, match=reason):
            far.user_timeout = value
    assert far.user_timeout == 0


def test_an_idle_connection_is_evicted() -> None:
    with Simulation(HOST, timer_step_us=20_000, assertions=True) as simulation:
        listener = bombus.sockets(simulation).listen(80)
        stations = Stations(simulation, to=80)
        for port in range(2000, 2000 + SESSIONS):
            stations.connect(port)
            simulation.elapse(us=20_000)
        ends = [listener.accept(timeout=0) for _ in range(SESSIONS)]
        simulation.elapse(us=IDLE_US)
        client = stations.open(3000, 1)
        stations.run(lambda: stations.endpoints[2000].state is State.CLOSED)
        bombus.sockets(simulation).poll()
        assert [end.error for end in ends] == [errno.ECONNABORTED] + [0] * (SESSIONS - 1)
        for call in (ends[0].receive, lambda: ends[0].send(b"x")):
            with pytest.raises(ConnectionAbortedError, match="idle"):
                call()
        ends[0].close()
        stations.run(lambda: client.state is State.ESTABLISHED)


def test_a_silent_peer_is_not_a_refusal(pair: Pair) -> None:
    """The reason is the errno value; a timeout of the call has none."""
    with pytest.raises(
        ConnectionRefusedError, match=f"{SERVER} port 81: Connection refused: the"
    ) as refused:
        pair.client.connect(SERVER, 81, timeout=1)
    assert refused.value.errno == errno.ECONNREFUSED
    with pytest.raises(TimeoutError) as late:
        pair.client.connect("10.77.0.9", 80, timeout=0.01)
    assert late.value.errno is None
    near, far = pair.connected()
    far.abort()
    for call in (near.receive, lambda: near.send(b"x")):
        with pytest.raises(ConnectionResetError) as reset:
            call()
        assert reset.value.errno == near.error == errno.ECONNRESET
    near.close()
    pair.settle(SYN_LIMIT_S)


def test_a_connection_that_times_out() -> None:
    with Simulation(HOST, timer_step_us=32_000, assertions=True) as simulation:
        tcp = bombus.sockets(simulation)
        tcp.pass_time = lambda us: simulation.elapse(us=us)
        with pytest.raises(TimeoutError, match="port 80: Connection timed out: the") as late:
            tcp.connect("10.77.0.9", 80, timeout=SYN_LIMIT_S)
        assert late.value.errno == errno.ETIMEDOUT
        simulation.check()


@pytest.mark.parametrize(
    ("reports", "reason"),
    [(False, "Connection timed out: "), (True, "No route to host: ")],
    ids=["silent", "unreachable"],
)
def test_why_no_connection_opened(reports: bool, reason: str) -> None:
    """RFC 1122, 4.2.3.9: an error of the path does not end the attempt, but is its reason."""
    asking = Asking(HOST, timer_step_us=32_000)
    with asking.simulation:
        if reports:
            asking.report(HOST_UNREACHABLE)
        assert not asking.opening.error
        asking.segments(SYN_LIMIT_S * 1_000_000)
        assert asking.opening.error.startswith(reason)
        assert "has not answered" in asking.opening.error
        asking.simulation.check()


@pytest.mark.parametrize(
    ("code", "reason"),
    [(HOST_UNREACHABLE, errno.EHOSTUNREACH), (PORT_UNREACHABLE, errno.ECONNREFUSED)],
)
def test_errors_of_the_path_of_an_open_connection(pair: Pair, code: int, reason: int) -> None:
    """RFC 5461: it goes on."""
    near, far = pair.connected()
    tap = Tap(pair)
    tap.drops = 1
    near.send(b"lost at first")
    pair.link.run(20)
    pair.client.poll()
    assert not near.soft_error
    tap.report(code)
    assert near in pair.client.poll()
    assert near.soft_error == reason and not near.error
    assert far.receive_exactly(13, timeout=1) == b"lost at first"
    assert near.soft_error == reason
    near.clear_soft_error()
    assert near.soft_error == 0
    far.send(b"fine")
    assert near.receive() == b"fine"
    near.close()
    far.close()
    pair.settle()
    assert near.error == 0
