# SPDX-License-Identifier: Apache-2.0
"""TCP echo over links that lose, double, reorder, delay and corrupt frames: every stream comes
whole and in order, and the engine never waits for longer than its timeouts allow (RFC 6298)."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.protocols.tcp.model import State
from bombus.simulator.build import build
from bombus.simulator.impairment import Impairment
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.protocols.tcp.tcp_states import (
    CLOSED,
    OVER,
    SYN_RECEIVED,
    SYN_SENT,
    TIME_WAIT,
    Fields,
    session_state,
)
from tests.protocols.tcp.tcp_stations import Stations

pytestmark = pytest.mark.slow

DESIGNS = ROOT / "designs"
DESIGN = DESIGNS / "tcp_echo.yaml"
BYPASS = DESIGNS / "tcp_echo_bypass.yaml"

LINKS: dict[str, dict[str, Any]] = {
    "loss 0.1 %": {"loss": 0.001},
    "loss 1 %": {"loss": 0.01},
    "loss 5 %": {"loss": 0.05},
    "loss 10 %": {"loss": 0.1},
    "duplication": {"duplicate": 0.05},
    "reordering": {"reorder": 0.05, "reorder_distance": 3},
    "jitter": {"delay_us": 100.0, "jitter_us": 300.0},
    "corruption": {"corrupt": 0.02},
    "loss and reordering": {"loss": 0.02, "reorder": 0.02, "reorder_distance": 5},
    "all": {
        "loss": 0.03,
        "duplicate": 0.03,
        "reorder": 0.03,
        "reorder_distance": 2,
        "jitter_us": 200.0,
        "corrupt": 0.01,
    },
}
SEEDS = 1000
SAMPLES = 10
PARTS = 10
SESSIONS = 16
WATCH_US = 100_000
SLACK_US = 10_000
LATE_US = 32_000  # of a timer while time is skipped: a step for each session (tcp_timers)
INITIAL_US = 1_000_000  # the timeout of a handshake (RFC 6298, 2.1)
RETRANSMIT, PROBE = 1, 2  # of the engine's timers
LOOKS = 5  # within some microseconds


class Watch:
    """Watches the engine's sessions: bytes in flight always have a timer, and none waits for an
    acknowledgement for longer than the consecutive timeouts that it has counted.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._next = 0
        self._seen: dict[int, tuple[tuple[int, ...], int, int]] = {}

    def look(self) -> None:
        now = self._simulation.time_us
        if now < self._next:
            return
        self._next = now + WATCH_US
        for session in range(SESSIONS):
            self._check_stall(session, self._timed(session), now)

    def _timed(self, session: int) -> Fields:
        """The state of a session. Between the end of a timer and what it sends, a few cycles pass
        in which no timer runs.
        """
        for _ in range(LOOKS):
            state = session_state(self._simulation, session)
            rests = state["state"] in (CLOSED, TIME_WAIT, OVER) or state["una"] == state["max"]
            if rests or state["timer"] in (RETRANSMIT, PROBE):
                return state
        raise AssertionError(f"no timer in session {session}: {state}")

    def _check_stall(self, session: int, state: Fields, now: int) -> None:
        """Neither bytes from the peer nor new ones to it start the timer again, nor does a fast
        retransmission (RFC 6298, 5); a window that opens begins with another timeout.
        """
        key = tuple(state[name] for name in ("peer_port", "una", "timer"))
        seen, since, backoff = self._seen.get(session, ((), now, 0))
        if state["timer"] not in (RETRANSMIT, PROBE) or seen != key or state["backoff"] < backoff:
            since = now
        self._seen[session] = key, since, state["backoff"]
        # RFC 6298, 5.5: each timeout is twice the one before. The timeout that a handshake finds is
        # of the session before it.
        first = INITIAL_US if state["state"] in (SYN_SENT, SYN_RECEIVED) else state["rto"]
        allowed = first * ((2 << state["backoff"]) - 1) + LATE_US * (state["backoff"] + 1)
        stalled = now - since
        assert stalled <= allowed + SLACK_US, f"{stalled} us in session {session}: {state}"


def transfer(seed: int, link: str, design: Path = DESIGN) -> None:
    """Several simultaneous connections, each with an echo and then its end."""
    random = Random(f"{seed} {link}")
    impaired = LINKS[link]
    library = build(design, assertions=True)
    with Simulation(library, seed=seed, timer_step_us=1000) as simulation:
        stations = Stations(simulation, tolerant="corrupt" in impaired)
        simulation.impair(
            rx=Impairment(**impaired, seed=2 * seed), tx=Impairment(**impaired, seed=2 * seed + 1)
        )
        watch = Watch(simulation)
        ports = random.sample(range(1024, 65536), random.randrange(1, 5))
        options = {"sack_permitted": random.random() < 0.8, "timestamps": random.random() < 0.8}
        endpoints = {port: stations.open(port, random.getrandbits(32), **options) for port in ports}
        sent = {port: random.randbytes(random.randrange(1, 30_000)) for port in ports}
        back = {port: bytearray() for port in ports}
        written: set[int] = set()

        def done() -> bool:
            watch.look()
            for port, endpoint in endpoints.items():
                if endpoint.state is State.ESTABLISHED and port not in written:
                    written.add(port)
                    endpoint.send(sent[port])
                    endpoint.close()
                back[port] += endpoint.read()
            stations.flush()
            ended = (State.TIME_WAIT, State.CLOSED)
            return all(e.state in ended for e in endpoints.values()) and len(written) == len(ports)

        stations.run(done, limit_us=600_000_000)
        for port, endpoint in endpoints.items():
            assert not endpoint.failed
            assert back[port] == sent[port]
        simulation.impair()
        simulation.check()


@pytest.mark.parametrize("seed", range(SAMPLES))
def test_streams_come_whole(seed: int) -> None:
    transfer(seed, list(LINKS)[seed % len(LINKS)])


@pytest.mark.sweep  # tcp_core's bench has a sample
@pytest.mark.parametrize("link", ["loss 10 %", "all"])
def test_streams_come_whole_without_a_receive_buffer(link: str) -> None:
    transfer(0, link, BYPASS)


@pytest.mark.sweep
@pytest.mark.parametrize("design", [DESIGN, BYPASS], ids=lambda design: design.stem)
@pytest.mark.parametrize("part", range(PARTS))
def test_streams_of_a_thousand_seeds_come_whole(part: int, design: Path) -> None:
    for seed in range(part, SEEDS, PARTS):
        try:
            transfer(seed, list(LINKS)[(seed // PARTS) % len(LINKS)], design)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
