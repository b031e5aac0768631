# SPDX-License-Identifier: Apache-2.0
"""The state of the TCP engine, against an independent endpoint over links of all kinds."""

from __future__ import annotations

from random import Random

import pytest

from bombus.protocols.tcp.model import Endpoint, State
from bombus.protocols.tcp.segment import WORD, Segment, distance
from tests.protocols.tcp.tcp_world import Session, World
from tests.support.harness import Benches

pytestmark = pytest.mark.slow


def connect(world: World, *numbers: int, **options: object) -> list[Endpoint]:
    """Peers that open connections."""
    for number in numbers:
        peer = Endpoint(world.random.getrandbits(32), now=world.now, **options)  # type: ignore[arg-type]
        world.peers[number] = peer
        peer.connect()
        world.flush(number)
    peers = [world.peers[number] for number in numbers]
    world.run(lambda: all(peer.state is State.ESTABLISHED for peer in peers))
    world.run(
        lambda: all(
            number in world.by_peer and world.sessions[world.by_peer[number]].opened
            for number in numbers
        )
    )
    return peers


def test_connection_opens_and_closes(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    (peer,) = connect(world, 7)
    session = world.by_peer[7]
    peer.close()
    world.flush(7)
    world.run(lambda: world.sessions[session].peer_closed)
    assert peer.state in (State.FIN_WAIT_1, State.FIN_WAIT_2)
    world.close(session)
    world.run(lambda: 7 not in world.by_peer)
    assert peer.state is State.TIME_WAIT


def echo(world: World) -> None:
    """Applications that echo, and close when the peer does."""

    def on_report(session: int, state: Session, report: dict[str, int]) -> None:
        if report["changes.opened"]:
            world.want(session)
        if report["changes.readable"] or report["changes.peer_closed"]:
            world.write(session, world.read(session))
            if state.peer_closed:
                world.close(session)
            else:
                world.want(session)
        if report["changes.closed"] and not state.peer_closed:
            world.request(session, "abort")

    world.on_report = on_report


LINKS = {
    "clean": {},
    "loss": {"loss": 0.05},
    "doubled": {"double": 0.2},
    "jitter": {"delay_us": (10, 3000)},
    "all": {"loss": 0.1, "double": 0.1, "delay_us": (10, 2000)},
    "much loss": {"loss": 0.15},
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("seed", range(1, 5))
def test_echo(benches: Benches, link: str, seed: int) -> None:
    # Much loss would take all of three SYN,ACKs.
    bench = benches("tcp_core", SynAckRetries=5)
    check_echo(World(bench, seed, **LINKS[link]), seed)


@pytest.mark.parametrize("link", LINKS)
def test_echo_without_a_receive_buffer(benches: Benches, link: str) -> None:
    """Payload is taken in order and whole."""
    world = World(benches("tcp_core", NumGaps=0, Bypass=1), 1, **LINKS[link])
    heard: dict[int, int] = {}
    take = world.on_verdict

    def on_verdict(session: int, verdict: dict[str, int], segment: Segment) -> None:
        if verdict["keep"]:
            state = world.sessions[session]
            place = heard.setdefault(session, state.released)
            assert verdict["start"] == place and not verdict["skip"]
            heard[session] = (place + len(segment.payload)) % WORD
        take(session, verdict, segment)

    world.on_verdict = on_verdict
    check_echo(world, 1)
    assert heard


def test_part_of_a_segment_is_not_taken(benches: Benches) -> None:
    """Without a receive buffer, the peer learns how much has arrived, and sends the rest."""
    world = World(benches("tcp_core", NumGaps=0, Bypass=1))
    connect(world, 7, timestamps=False)
    session = world.by_peer[7]
    state = world.sessions[session]
    first = state.released
    world.want(session)
    fields = {"ack": state.first, "flags": frozenset({"ack"}), "window": 1000}
    world.send_to_engine(7, Segment(first, payload=b"abc", **fields))
    world.settle()
    before = len(world.departures)
    for payload in (b"bcdef", b"f"):  # some of it again, and behind a gap
        start = (first + b"abcdef".index(payload)) % WORD
        world.send_to_engine(7, Segment(start, payload=payload, **fields))
        world.settle()
        told = world.departures[before:]
        assert told and all(each["ack"] == (first + 3) % WORD for _, each in told)
        before = len(world.departures)
    world.send_to_engine(7, Segment((first + 3) % WORD, payload=b"def", **fields))
    world.settle()
    assert bytes(state.got[(first + n) % WORD] for n in range(6)) == b"abcdef"


@pytest.mark.parametrize("link", ("clean", "all"))
@pytest.mark.parametrize("nagle", (0, 1))
def test_echo_with_a_small_window(benches: Benches, link: str, nagle: int) -> None:
    """Smaller than two segments: the peer waits for it."""
    bench = benches("tcp_core", ReceiveBytes=2048, Nagle=nagle)
    check_echo(World(bench, 1, **LINKS[link]), 1)


def check_echo(world: World, seed: int) -> None:
    random = Random(seed)
    echo(world)
    numbers = range(1, 6)
    connect(world, *numbers)
    sent = {number: random.randbytes(random.randrange(1, 40_000)) for number in numbers}
    back = {number: bytearray() for number in numbers}
    for number in numbers:
        world.peers[number].send(sent[number])
        world.peers[number].close()
        world.flush(number)

    def done() -> bool:
        for number in numbers:
            back[number] += world.peers[number].read()
            world.flush(number)
        return (
            all(len(back[number]) == len(sent[number]) for number in numbers) and not world.by_peer
        )

    world.run(done, limit_us=600_000_000)
    for number in numbers:
        assert back[number] == sent[number]
        assert not world.peers[number].failed


@pytest.mark.parametrize("buffer", (1, 100, 1448, 3000, 10_000))
@pytest.mark.parametrize("loss", (0.0, 0.05))
def test_window_of_the_peer_shuts_and_opens(benches: Benches, buffer: int, loss: float) -> None:
    """A peer that reads late, in parts: every byte comes, whatever its window is."""
    random = Random(buffer)
    world = World(benches("tcp_core"), seed=buffer, loss=loss)
    (peer,) = connect(world, 3, buffer=buffer, scale=None)
    session = world.by_peer[3]
    data = random.randbytes(20 * buffer if buffer < 1000 else 3 * buffer + 77)
    world.write(session, data)
    world.close(session)
    got = bytearray()
    while len(got) < len(data) or peer.state not in (State.CLOSE_WAIT, State.LAST_ACK):
        world.run(lambda: bool(peer.received) or peer.state is State.CLOSE_WAIT, 900_000_000)
        # It stays shut for longer each time: the engine has to ask.
        wait = world.now + random.choice([1_000, 300_000, 2_000_000])
        world.run_to(wait)
        got += peer.read(random.randrange(1, buffer + 1))
        world.flush(3)
    assert got == data
    assert not peer.failed
    peer.close()
    world.flush(3)
    world.run(lambda: 3 not in world.by_peer, 900_000_000)


@pytest.mark.parametrize("lost", ("ack", "nothing"))
@pytest.mark.parametrize("fin", (False, True))
def test_first_bytes_come_with_the_end_of_the_handshake(
    benches: Benches, lost: str, fin: bool
) -> None:
    world = World(benches("tcp_core"))
    echo(world)
    peer = Endpoint(7, now=0)
    world.peers[1] = peer
    peer.connect()
    world.flush(1)
    world.run(lambda: peer.state is State.ESTABLISHED, 10_000_000, flush=False)
    if lost == "ack":
        peer.take()
    peer.send(b"first bytes")
    if fin:
        peer.close()
    world.flush(1)
    world.run(lambda: len(peer.received) == 11, 60_000_000)
    assert peer.read() == b"first bytes"


def peer_that_listens(world: World, number: int, **options: object) -> Endpoint:
    peer = Endpoint(world.random.getrandbits(32), now=world.now, **options)  # type: ignore[arg-type]
    world.peers[number] = peer
    peer.listen()
    return peer


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("options", ({}, {"scale": None}, {"timestamps": False}))
def test_application_connects(benches: Benches, link: str, options: dict[str, object]) -> None:
    """It gets back its data from an echoing peer."""
    world = World(benches("tcp_core"), 3, **LINKS[link])
    peer = peer_that_listens(world, 1, **options)
    session = world.connect(1)
    state = world.sessions[session]
    world.run(lambda: state.opened)
    data = world.random.randbytes(30_000)
    got = bytearray()

    def on_report(number: int, state: Session, report: dict[str, int]) -> None:
        if report["changes.readable"] or report["changes.peer_closed"]:
            got.extend(world.read(number))
            if not state.peer_closed:
                world.want(number)

    world.on_report = on_report
    world.want(session)
    world.write(session, data)
    world.close(session)

    def done() -> bool:
        if peer.received:
            peer.send(peer.read())
        if peer.state is State.CLOSE_WAIT and not peer.received:
            peer.close()
        world.flush(1)
        return state.freed

    world.run(done, limit_us=600_000_000)
    assert got == data
    assert not state.failed


@pytest.mark.parametrize("link", ("clean", "loss", "all"))
def test_both_connect_at_once(benches: Benches, link: str) -> None:
    """RFC 9293, 3.5: simultaneous open."""
    for seed in range(10):
        world = World(benches("tcp_core"), seed, **LINKS[link])
        peer = peer_that_listens(world, 1)
        peer.state = State.CLOSED
        session = world.connect(1)
        peer.connect()
        world.flush(1)
        state = world.sessions[session]
        world.run(lambda: state.opened and peer.state is State.ESTABLISHED)  # noqa: B023
        world.write(session, b"to the peer")
        peer.send(b"from the peer")
        world.flush(1)
        world.run(lambda: peer.received == b"to the peer")  # noqa: B023
        world.run(lambda: len(state.got) == 13)  # noqa: B023
        world.settle()
        world.want(session)
        world.settle()
        assert world.read(session) == b"from the peer"


def test_answers_to_both_syns_complete_the_handshake(benches: Benches) -> None:
    """A scripted peer connects at the same time; there is no endless exchange (RFC 9293, 3.5).

    Two engines do so in tests/protocols/tcp/test_tcp_two_engines.py.
    """
    world = World(benches("tcp_core"))
    peer = peer_that_listens(world, 1)
    peer.state = State.CLOSED
    session = world.connect(1)
    world.settle()
    (_, syn) = world.departures[-1]
    assert syn["flags.syn"] and not syn["flags.ack"]
    world.send_to_engine(1, Segment(1000, flags=frozenset({"syn"}), window=5000))
    world.settle()
    (_, answer) = world.departures[-1]
    assert answer["flags.syn"] and answer["flags.ack"] and answer["ack"] == 1001
    count = len(world.departures)
    both = frozenset({"syn", "ack"})
    world.send_to_engine(1, Segment(1000, (syn["seq"] + 1) % WORD, both, window=5000))
    world.settle()
    assert world.sessions[session].opened
    (last,) = [departure for _, departure in world.departures[count:]]
    assert last["flags.ack"] and not last["flags.syn"]


def test_connection_is_refused_or_nobody_answers(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    for number in (1, 2):  # peers that answer nothing
        world.peers[number] = Endpoint(0)
    session = world.connect(1)
    state = world.sessions[session]
    world.settle()
    (_, syn) = world.departures[-1]
    # A reset that acknowledges something else is not for this one (RFC 9293, 3.10.7.3).
    world.send_to_engine(1, Segment(0, syn["seq"], frozenset({"rst", "ack"})))
    world.send_to_engine(1, Segment(0, 0, frozenset({"rst"})))
    world.settle()
    assert not state.closed
    world.send_to_engine(1, Segment(0, (syn["seq"] + 1) % WORD, frozenset({"rst", "ack"})))
    world.settle()
    assert state.closed and state.failed and not state.opened
    world.run(lambda: 1 not in world.by_peer)
    session = world.connect(2)
    state = world.sessions[session]
    world.run(lambda: state.closed, limit_us=200_000_000)
    assert state.failed
    assert world.now > 180_000_000  # RFC 9293, 3.8.3: MUST-23
    world.run(lambda: 2 not in world.by_peer)


def test_challenges_are_answered_seldom(benches: Benches) -> None:
    """RFC 5961, 7: a burst of invalid segments is answered once per 131 ms."""
    world = World(benches("tcp_core"))
    connect(world, 1, timestamps=False)
    world.run_to(world.now + 1_000_000)
    count = len(world.departures)
    state = world.sessions[world.by_peer[1]]
    start = world.now
    while world.now < start + 1_000_000:
        far = (state.released + 1_000_000) % WORD
        world.send_to_engine(1, Segment(far, state.first, frozenset({"ack"})))
        world.settle()
        world.run_to(world.now + 1_000)
    assert 7 <= len(world.departures) - count <= 9


def test_application_aborts(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    peers = connect(world, 1, 2)
    world.request(world.by_peer[1], "abort")
    world.run(lambda: 1 not in world.by_peer)
    world.run(lambda: peers[0].state is State.CLOSED)
    assert peers[0].failed
    assert peers[1].state is State.ESTABLISHED
    peers[1].abort()
    world.flush(2)
    world.run(lambda: 2 not in world.by_peer)


@pytest.mark.parametrize("ends", [False, True])
def test_bytes_that_are_not_read_reset_the_connection(benches: Benches, ends: bool) -> None:
    """RFC 9293, 3.6.1: SHLD-3. Those that come after the application has closed both directions, or
    before, also if the peer has closed.
    """
    world = World(benches("tcp_core"))
    peers = connect(world, 1, 2, 3)
    for number, peer in zip((1, 2), peers, strict=False):
        peer.send(bytes(100))
        if ends:
            peer.close()
        world.flush(number)
    sessions = [world.by_peer[number] for number in (1, 2, 3)]
    states = [world.sessions[session] for session in sessions]
    world.run_to(world.now + 10_000)
    # 1 has not read. 2 has: the end does not count as a byte. 3 reads nothing that comes later.
    world.want(sessions[1], 100)
    world.run(lambda: distance(states[1].read_end, states[1].released) >= 100)
    assert len(world.read(sessions[1])) == 100
    for session, state in zip(sessions, states, strict=True):
        world.request(session, "close_both", state.first)
    world.run(lambda: peers[0].failed)
    assert states[0].closed and states[0].failed
    world.run_to(world.now + 10_000)
    assert not peers[1].failed and not peers[2].failed
    peers[2].send(bytes(10))
    world.flush(3)
    world.run(lambda: peers[2].failed)
    assert states[2].failed
    if ends:
        world.run(lambda: peers[1].state is State.TIME_WAIT)
        assert states[1].closed and not states[1].failed


def test_connection_is_closed_before_it_is_open(benches: Benches) -> None:
    """RFC 9293, 3.10.4: nothing is sent."""
    world = World(benches("tcp_core"))
    world.peers[1] = Endpoint(0)  # answers nothing
    session = world.connect(1)
    state = world.sessions[session]
    world.settle()
    world.departures.clear()
    world.close(session)
    world.run(lambda: 1 not in world.by_peer)
    assert state.closed and not state.failed and not state.opened
    assert not world.departures


def test_session_is_kept_until_its_application_lets_go(benches: Benches) -> None:
    """Also until all bytes that it announced have arrived."""
    world = World(benches("tcp_core"))
    (peer,) = connect(world, 1)
    session = world.by_peer[1]
    state = world.sessions[session]
    state.freed = True  # by hand
    peer.abort()
    world.flush(1)
    world.run(lambda: state.closed)
    world.bench.run(100)
    assert 1 in world.by_peer
    state.sent += bytes(10)
    world.free(session)
    world.bench.run(100)
    world.settle()
    assert 1 in world.by_peer
    world.request(session, "send", state.first + 10)
    world.run(lambda: 1 not in world.by_peer)


def test_requests_of_sessions_that_there_are_not(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    for session in (16, 17, 2**14 - 1):
        world.request(session, "abort")
    world.bench.run(100)
    assert world.bench.events[6] == 3
    connect(world, 1)


def test_many_connections_one_after_the_other(benches: Benches) -> None:
    world = World(benches("tcp_core"))
    echo(world)
    for round_ in range(60):
        numbers = range(8 * round_, 8 * round_ + 8)
        peers = connect(world, *numbers)
        for number, peer in zip(numbers, peers, strict=True):
            peer.send(bytes([number % 256]) * (number % 50 + 1))
            peer.close()
            world.flush(number)
        world.run(lambda peers=peers: not world.by_peer, 60_000_000)
        for number, peer in zip(numbers, peers, strict=True):
            assert peer.read() == bytes([number % 256]) * (number % 50 + 1)
            del world.peers[number]
