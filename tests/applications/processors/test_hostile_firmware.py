# SPDX-License-Identifier: Apache-2.0
"""Hostile firmware on one of four packet processors that share traffic by load: the others lose
nothing, the hostile one is reported or found by its counters, evicted, and works again with a good
program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.processors.build import build
from bombus.applications.processors.processor import Processor
from bombus.base.paths import DESIGNS
from bombus.simulator.counters import DROP
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from tests.applications.processors import forwarding
from tests.applications.processors.middlebox import frame
from tests.support import message_sums

pytestmark = pytest.mark.slow

VICTIMS = (0, 1, 3)
HOSTILE = 2
DEFAULT_LIMIT = 64  # periods of the watchdog
PERIOD = 4096
SLOTS = 8
GAP_CYCLES = 300  # from frame to frame: three processors forward all that comes, floods included
# Frames that come at once, and time for three slow processors to forward them: more than all slots
# take, so that one that takes nothing gets as many as it ever does.
BURST, BURST_CYCLES = 40, 12_000

# Each begins well: a frame shows that it runs.
PROGRAMS = {
    "loops": "for (;;) {}",
    "takes one and loops": "rpu_receive(); for (;;) {}",
    "holds": "for (;;) rpu_receive();",
    "strays": "*(volatile uint32_t *)0x10004000u = 1; for (;;) rpu_send(rpu_receive());",
    "forges": "for (uint32_t slot = 0;; slot++) rpu_send((slot & 0xff) << 16 | 0x8010);",
    "stores": """
        volatile uint32_t *word = rpu_window(rpu_receive())->header;
        for (;;) word[0] = word[1] = word[2] = 5;""",
}
EMPTIES = "for (;;) rpu_empty();"
# Frames of its own out of port 1; into the loop, to all processors, while it forwards others; words
# to all processors. What the first and the last receive stays inside.
FLOODS = {
    "frames": "for (;;) { rpu_packet p = rpu_empty(); if (p) rpu_send(p | RPU_PORT_BIT | 60); }",
    "loop": """
        for (;;) {
            rpu_packet p = rpu_poll();
            if (p) rpu_send(RPU_PORT(p) == 2 ? p | RPU_DROP : p ^ RPU_PORT_BIT);
            p = rpu_empty();
            if (p) rpu_send(p | 2 * RPU_PORT_BIT | 60);
        }""",
    "broadcasts": "for (uint32_t n = 0;; n++) RPU_SHARED[16 + (n & 15)] = n;",
}
# Words to all processors: three that run it take every cycle of the broadcast.
STORES = " ".join(f"RPU_SHARED[{n}] = n;" for n in range(16, 32))
SATURATES = f'#include "rpu.h"\nint main(void) {{ for (uint32_t n = 0;; n++) {{ {STORES} }} }}\n'
# Reports what the host has sent last; takes all messages.
OBEYS = """
#include "rpu.h"
int main(void) {
    uint32_t word;
    for (;;) {
        int place = rpu_message(&word);
        if (place >= 0 && place < 16) rpu_report(word);
    }
}
"""
# Sends by the other port; drops what came through the loop.
GOOD = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        rpu_send(RPU_PORT(packet) < 2 ? packet ^ RPU_PORT_BIT : packet | RPU_DROP);
    }
}
"""


# Needs some 500 cycles for a frame.
SLOW = GOOD.replace(
    "rpu_send(RPU", 'for (int n = 120; n; n--) __asm__ volatile("");\n        rpu_send(RPU'
)


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """designs/middlebox.yaml by load, with a loop; narrow, since a test simulates a millisecond."""
    text = (DESIGNS / "middlebox.yaml").read_text()
    loop = "{frame_loop: {mac_port: 2, drops_when_full: true}}"
    for old, new in (
        ("data_width: 512", "data_width: 64"),
        ("line_rate_gbps: 100", "line_rate_gbps: 10"),
        ("dispatch: flow_hash", "dispatch: [least_loaded, flow_hash]"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path_factory.mktemp("design") / "hostile.yaml"
    file.write_text(f"{text}  - {{name: again, layers: [{loop}], at: [1, 2]}}\n")
    return file


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("firmware"), GOOD)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("firmware"), SLOW)


def compiled(folder: Path, text: str) -> Path:
    source, elf = folder / "program.c", folder / "program.elf"
    source.write_text(text)
    build([source], elf)
    return elf


@pytest.fixture
def shared(design: Path, good: Path) -> Iterator[Simulation]:
    with Simulation(design) as simulation:
        forwarding.boot(simulation, good)
        yield simulation
        message_sums.check(simulation)
        simulation.check()


class Traffic:
    """Different frames to port 0, which should leave by port 1."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._random = simulation, Random(1)
        self.missing: Counter[bytes] = Counter()
        self.own = 0  # frames that nobody sent

    def run(self, cycles: int) -> None:
        for _ in range(cycles // GAP_CYCLES):
            self._send(self._random.choice((60, 100, 300)))
            self._simulation.advance(GAP_CYCLES)
        self.receive()

    def bursts(self, count: int) -> None:
        for _ in range(count):
            for _ in range(BURST):
                self._send(60)
            self._simulation.advance(BURST_CYCLES)
            self.receive()

    def _send(self, length: int) -> None:
        data = frame(self._random, length)
        self.missing[data] += 1
        self._simulation.send(data)

    def receive(self) -> None:
        while (each := self._simulation.receive(1, timeout_cycles=0)) is not None:
            if each.data not in self.missing:
                self.own += 1
                continue
            self.missing[each.data] -= 1
            assert self.missing[each.data] >= 0, "doubled"

    @property
    def lost(self) -> int:
        return self.missing.total()


def lost_by_others(simulation: Simulation) -> dict[tuple[str, str], int]:
    """Drops of all tiles but the hostile one, and not of frames from the loop."""
    return {
        (tile, name): count
        for tile, counters in simulation.counters().items()
        for name, count in counters.items()
        if name.startswith(DROP) and count and tile != f"rpu_{HOSTILE}"
    }


def attack(shared: Simulation, program: Path) -> Traffic:
    """The program gets its share of the traffic."""
    hostile, traffic = bombus.processors(shared)[HOSTILE], Traffic(shared)
    hostile.reload(program)
    assert hostile.registers.watchdog["limit"] == DEFAULT_LIMIT
    traffic.run(20_000)
    return traffic


def among_slow(
    shared: Simulation, slow: Path, folder: Path, text: str
) -> tuple[Processor, Traffic]:
    """The hostile one runs this program, and the others need long for a frame."""
    program = compiled(folder, f'#include "rpu.h"\nint main(void) {{ {text} }}\n')
    for number in VICTIMS:
        bombus.processors(shared)[number].reload(slow)
    hostile = bombus.processors(shared)[HOSTILE]
    hostile.reload(program)
    return hostile, Traffic(shared)


def recover(shared: Simulation, good: Path, traffic: Traffic, most_lost: int) -> None:
    """Evicts the hostile one and loads a good program: it works again. Lost is only what it had."""
    hostile = bombus.processors(shared)[HOSTILE]
    try:
        hostile.reload(good, limit_cycles=1000)
    except SimulationError as error:
        assert "they are lost" in str(error)
    traffic.receive()
    lost = traffic.lost
    assert lost <= most_lost
    before = [rpu.status.counters["noc_in_messages"] for rpu in bombus.processors(shared)]
    traffic.run(20_000)
    shared.advance_until_idle()
    traffic.receive()
    assert traffic.lost <= lost, "the good programs lose something"
    after = [rpu.status.counters["noc_in_messages"] for rpu in bombus.processors(shared)]
    assert min(b - a for a, b in zip(before, after, strict=True)) > 0
    assert hostile.status.running and not hostile.status.stuck


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_that_hangs(shared: Simulation, good: Path, tmp_path: Path, name: str) -> None:
    """The watchdog reports it, with the limit that it has after reset."""
    begins = f"rpu_send(rpu_receive() ^ RPU_PORT_BIT); {PROGRAMS[name]}"
    program = compiled(tmp_path, f'#include "rpu.h"\nint main(void) {{ {begins} }}\n')
    hostile = bombus.processors(shared)[HOSTILE]
    traffic = attack(shared, program)
    assert not hostile.status.stuck
    for _ in range(DEFAULT_LIMIT + 8):
        traffic.run(PERIOD)
        if hostile.status.stuck:
            break
    status = hostile.status
    assert status.stuck and status.counters["event.rpu.stuck"] == 1
    assert (status.exception is not None) == (name == "strays")
    assert lost_by_others(shared) == {}
    recover(
        shared,
        good,
        traffic,
        most_lost=sum(status.counters[n] for n in status.counters if n.startswith(DROP))
        + PERIOD // GAP_CYCLES,
    )
    assert lost_by_others(shared) == {}


@pytest.mark.parametrize("name", FLOODS)
def test_one_that_floods(shared: Simulation, good: Path, tmp_path: Path, name: str) -> None:
    """Others get what it does not take."""
    program = compiled(tmp_path, f'#include "rpu.h"\nint main(void) {{ {FLOODS[name]} }}\n')
    hostile = bombus.processors(shared)[HOSTILE]
    traffic = attack(shared, program)
    traffic.run(50_000)
    if name == "frames":
        assert traffic.own > 1000
    if name == "loop":
        assert shared.tile_counters("again")["noc_in_messages"] > 1000
    events = [rpu.status.counters["event.rpu.message_lost"] for rpu in bombus.processors(shared)]
    assert (min(events[n] for n in VICTIMS) > 1000) == (name == "broadcasts")
    recover(shared, good, traffic, most_lost=hostile.status.slots + 2)
    drops = lost_by_others(shared)
    if name == "broadcasts":  # whose words stand in their queues
        for number in VICTIMS:
            bombus.processors(shared)[number].boot()
    if name == "loop":  # the good programs drop what the loop brings
        drops = {key: count for key, count in drops.items() if key[1] != "drop.rpu.by_firmware"}
    assert drops == {}


@pytest.mark.parametrize("name", ["loops", "takes one and loops", "holds", "strays"])
def test_bursts_go_past_one_that_hangs(
    shared: Simulation, slow: Path, tmp_path: Path, name: str
) -> None:
    """More than all slots take: it gets no more than it has room for, before the watchdog stops it
    and afterwards, when it drops what comes.
    """
    hostile, traffic = among_slow(shared, slow, tmp_path, PROGRAMS[name])
    hostile.registers.watchdog.limit = 16
    traffic.bursts(4)
    assert not hostile.status.stuck
    assert 0 < traffic.lost <= SLOTS
    traffic.bursts(4)
    assert hostile.status.stuck
    traffic.bursts(4)
    assert hostile.status.stuck and traffic.lost <= SLOTS
    assert lost_by_others(shared) == {}
    recover(shared, slow, traffic, most_lost=SLOTS)
    assert lost_by_others(shared) == {}


@pytest.mark.parametrize("traffic_is", ["light", "bursts"])
def test_one_that_takes_all_empty_slots(
    shared: Simulation, slow: Path, tmp_path: Path, traffic_is: str
) -> None:
    """It has less room than its load says: in bursts, frames wait behind those for it until the
    watchdog stops it.
    """
    hostile, traffic = among_slow(shared, slow, tmp_path, EMPTIES)
    hostile.registers.watchdog.limit = 16
    if traffic_is == "light":
        traffic.run(20 * PERIOD)
    else:
        traffic.bursts(8)
    assert hostile.status.stuck
    traffic.bursts(4)
    assert 0 < traffic.lost <= SLOTS
    recover(shared, slow, traffic, most_lost=SLOTS)
    assert lost_by_others(shared) == {}


def test_bursts_go_past_one_that_floods(shared: Simulation, slow: Path, tmp_path: Path) -> None:
    """It keeps what comes; frames of its own do not count as if it were through with that."""
    hostile, traffic = among_slow(shared, slow, tmp_path, FLOODS["frames"])
    traffic.bursts(4)
    assert 0 < traffic.lost <= SLOTS and traffic.own > 1000
    assert not hostile.status.stuck
    recover(shared, slow, traffic, most_lost=SLOTS)
    assert lost_by_others(shared) == {}


def test_three_that_take_the_broadcast(shared: Simulation, good: Path, tmp_path: Path) -> None:
    """The host reaches all registers, its messages arrive, and it evicts them."""
    folders = tmp_path / "floods", tmp_path / "obeys"
    for folder in folders:
        folder.mkdir()
    floods, obeys = compiled(folders[0], SATURATES), compiled(folders[1], OBEYS)
    bombus.processors(shared)[3].reload(obeys)
    for rpu in bombus.processors(shared)[:3]:
        rpu.reload(floods)
    shared.advance(1000)
    before = [rpu.status.counters["event.rpu.message_lost"] for rpu in bombus.processors(shared)]
    shared.advance(1000)
    lost = [rpu.status.counters["event.rpu.message_lost"] for rpu in bombus.processors(shared)]
    assert min(now - was for was, now in zip(before[:3], lost[:3], strict=True)) >= 990
    arrived = 0
    for word in range(1, 21):
        bombus.processors(shared)[3].debug_send(word, 5)
        for rpu in bombus.processors(shared)[:3]:
            rpu.poke()
        shared.advance(500)
        arrived += bombus.processors(shared)[3].debug_word == word
    assert arrived == 20
    for rpu in bombus.processors(shared):
        rpu.reload(good)
    for rpu in bombus.processors(
        shared
    ):  # whose queues have the words of those that came after them
        rpu.boot()
    traffic = Traffic(shared)
    traffic.run(20_000)
    shared.advance_until_idle()
    traffic.receive()
    assert traffic.lost == 0
