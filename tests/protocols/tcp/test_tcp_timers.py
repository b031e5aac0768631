# SPDX-License-Identifier: Apache-2.0
"""The timers of TCP sessions against a dictionary."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

WRAP = 1 << 32
STATUS = Layout(("session", 14), ("class", 8), ("valid", 1), ("armed", 1))


class Timers:
    """Drives the bench cycle by cycle, and knows what may expire."""

    def __init__(self, benches: Benches, sessions: int, classes: int = 2, seed: int = 1) -> None:
        self.bench: Bench = benches(
            "tcp_timers", NumSessions=sessions, NumClasses=classes, seed=seed
        )
        self.sessions, self.classes = sessions, classes
        self.control = Layout(
            *(("time", 32), ("session", 14), ("set", classes), ("clear", classes)),
            *((f"deadline{c}", 32) for c in range(classes)),
            ("ready", 1),
        )
        self.time = 0
        self.now = 0  # cycles
        self.armed: dict[tuple[int, int], int] = {}
        self.due_since: dict[tuple[int, int], int] = {}
        self.expired: list[tuple[int, int]] = []
        self.reset()

    def reset(self) -> None:
        self.bench.control(self.control.pack(time=self.time))
        self.bench.reset()
        self.armed.clear()
        self.due_since.clear()
        self.bench.run(self.sessions)

    def cycle(
        self,
        session: int = 0,
        deadlines: dict[int, int] | None = None,
        clear: int = 0,
        *,
        ready: int = 1,
    ) -> tuple[int, int] | None:
        """A cycle with timers of a session set or cleared; returns what has expired in it."""
        deadlines = deadlines or {}
        values = {f"deadline{c}": deadline % WRAP for c, deadline in deadlines.items()}
        setting = sum(1 << c for c in deadlines)
        self.bench.control(
            self.control.pack(
                time=self.time % WRAP,
                session=session,
                set=setting,
                clear=clear,
                ready=ready,
                **values,
            )
        )
        status = STATUS.unpack(self.bench.status)
        if self.armed:
            assert status["armed"]
        for key, deadline in self.armed.items():
            if deadline <= self.time:
                self.due_since.setdefault(key, self.now)
        for c in range(self.classes):
            if (setting | clear) >> c & 1:
                self.armed.pop((session, c), None)
                self.due_since.pop((session, c), None)
        found = None
        if status["valid"]:
            key = (status["session"], status["class"])
            assert key in self.armed, f"{key} is not armed"
            assert self.armed[key] <= self.time, f"{key} is early"
            if ready:
                found = key
                del self.armed[key]
                self.due_since.pop(key, None)
                self.expired.append(key)
        for c, deadline in deadlines.items():
            self.armed[session, c] = deadline
        self.bench.run()
        self.now += 1
        return found

    def quiet(self) -> None:
        """Runs until everything due has expired and no timer is armed."""
        for _ in range(4 * self.sessions + 6 * len(self.armed) + 20):
            self.cycle()
        assert not self.due_since
        assert bool(STATUS.get(self.bench.status, "armed")) == bool(self.armed)


def test_a_timer_expires_once_and_in_time(benches: Benches) -> None:
    timers = Timers(benches, 16)
    timers.cycle(5, {0: 100})
    timers.time = 99
    for _ in range(100):
        assert timers.cycle() is None
    timers.time = 100
    cycles = [timers.cycle() for _ in range(60)]
    assert [found for found in cycles if found] == [(5, 0)]
    assert cycles.index((5, 0)) <= 16 + 3
    timers.quiet()


def test_all_at_once(benches: Benches) -> None:
    timers = Timers(benches, 16)
    for session in range(16):
        timers.cycle(session, {0: 50, 1: 60})
    timers.time = 70
    cycles = [timers.cycle() for _ in range(16 + 3 * 32 + 8)]
    found = [each for each in cycles if each]
    assert len(found) == len(set(found)) == 32
    timers.quiet()


@pytest.mark.parametrize("start", [0, WRAP - 500, (1 << 31) - 500])
def test_time_wraps(benches: Benches, start: int) -> None:
    timers = Timers(benches, 16)
    timers.time = start
    for session in range(16):
        timers.cycle(session, {0: start + 100 * session + 50, 1: start + (1 << 31) - 2000})
    for step in range(16):
        timers.time = start + 100 * step
        for _ in range(40):
            timers.cycle()
        assert {s for s, c in timers.expired} == set(range(step))
    timers.cycle(0, {0: timers.time + (1 << 31) - 1})
    for _ in range(40):
        assert timers.cycle() != (0, 0)
    timers.time += (1 << 31) - 1
    timers.quiet()
    assert not timers.armed


def test_an_expiry_that_waits_is_taken_back(benches: Benches) -> None:
    for deadlines, clear in (({}, 1), ({0: 1000}, 0)):
        timers = Timers(benches, 16)
        timers.cycle(3, {0: 10})
        timers.time = 20
        for _ in range(40):
            timers.cycle(ready=0)
        assert STATUS.unpack(timers.bench.status)["valid"]
        # Of another session or class it stays.
        timers.cycle(4, {}, 1, ready=0)
        timers.cycle(3, {}, 2, ready=0)
        assert STATUS.unpack(timers.bench.status)["valid"]
        assert timers.cycle(3, deadlines, clear) is None
        for _ in range(60):
            assert timers.cycle() is None
        timers.time = 1000
        timers.quiet()
        assert len(timers.expired) == len(deadlines)


def test_nothing_is_armed_after_reset(benches: Benches) -> None:
    timers = Timers(benches, 64)
    for session in range(64):
        timers.cycle(session, {0: 10, 1: 10})
    timers.reset()
    timers.time = 1000
    timers.quiet()
    assert not timers.expired


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("sessions", "classes"), [(16, 2), (16, 1), (128, 2)])
@pytest.mark.parametrize("pace", ["slow", "busy", "jumps"])
def test_random_settings(
    benches: Benches, sessions: int, classes: int, seed: int, pace: str
) -> None:
    """Short deadlines, so that settings and expiries meet in all ways."""
    random = Random(seed)
    timers = Timers(benches, sessions, classes, seed)
    timers.time = WRAP - 3000
    writes = {"slow": 0.05, "busy": 0.8, "jumps": 0.3}[pace]
    few = random.sample(range(sessions), 3)
    for _ in range(6000):
        if random.random() < 0.5:
            timers.time += random.choice([0, 1, 1, 200]) if pace == "jumps" else 1
        session = random.choice(few) if random.random() < 0.5 else random.randrange(sessions)
        deadlines: dict[int, int] = {}
        clear = 0
        if random.random() < writes:
            for c in range(classes):
                chance = random.random()
                if chance < 0.4:
                    deadlines[c] = timers.time + random.choice([-5, 0, 1, 10, 50, 2 * sessions])
                elif chance < 0.6:
                    clear |= 1 << c
        timers.cycle(session, deadlines, clear, ready=int(random.random() < 0.7))
        if pace == "slow":
            bound = 2 * sessions + 12 * (len(timers.due_since) + 4)
            assert all(timers.now - since < bound for since in timers.due_since.values())
    assert len(timers.expired) > 50
    timers.time += 3 * sessions + 100
    timers.quiet()
    assert not timers.armed
