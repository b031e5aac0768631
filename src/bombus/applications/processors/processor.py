# SPDX-License-Identifier: Apache-2.0
"""A packet processor of a running design: load, start and replace programs under traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bombus.applications.processors import image
from bombus.applications.processors.distribution import (
    COUNTER_LAG,
    QUIET_CYCLES,
    Distribution,
    Position,
    Requests,
)
from bombus.applications.processors.image import Image
from bombus.applications.processors.load import check, put, write
from bombus.simulator.counters import DROP
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

_EMPTY_SLOT = ".empty_slot"  # event: a program has taken one
DRAIN_CYCLES = 100_000


@dataclass(frozen=True)
class Status:
    """State of a packet processor."""

    running: bool
    stuck: bool  # stopped by the watchdog
    exception: tuple[int, int] | None  # mcause and mepc of the last exception since it was started
    slots: int  # slots in use
    enabled: bool  # messages are sent to it
    inside: int  # messages in its tile, or in its slots if the tile has others
    counters: dict[str, int]  # of its tile

    @property
    def state(self) -> str:
        """What the program does, in words."""
        return state(self.running, self.stuck, self.exception)


def state(running: bool, stuck: bool, exception: Sequence[int] | None) -> str:
    """What a program does, in words: after an exception it may run, but not as its author meant."""
    words = []
    if stuck:
        words.append("stopped by the watchdog")
    if exception:
        cause, pc = exception
        words.append(f"exception {cause} at {pc:#x}")
    return "; ".join(words) or ("runs" if running else "stopped")


class Memory:
    """The data memory of a stopped processor; addresses as in its program."""

    def __init__(self, registers: Any, name: str) -> None:
        self._registers, self._name = registers, name

    def read(self, address: int = image.DATA_BASE, count: int = 4) -> bytes:
        """This many bytes from an address on."""
        first, last = address // 4, (address + count - 1) // 4
        words = b"".join(
            self._word(4 * n).word.to_bytes(4, "little") for n in range(first, last + 1)
        )
        return words[address % 4 :][:count]

    def write(self, address: int, data: bytes) -> None:
        """Bytes from an address on; both are multiples of 4."""
        if address % 4 or len(data) % 4:
            raise SimulationError(
                f"{self._name}: address and size must be multiples of 4; {len(data)} bytes at "
                f"{address:#x} are not"
            )
        for n in range(0, len(data), 4):
            self._word(address + n).word = int.from_bytes(data[n : n + 4], "little")

    def _word(self, address: int) -> Any:
        if self._registers.control.run:
            raise SimulationError(f"{self._name} runs; stop it to reach its memory")
        table = self._registers.data
        if not 0 <= address - image.DATA_BASE < 4 * len(table):
            raise SimulationError(
                f"{self._name}: data memory is {image.DATA_BASE:#x} to "
                f"{image.DATA_BASE + 4 * len(table) - 1:#x}, not {address:#x}"
            )
        return table[(address - image.DATA_BASE) // 4]


class Group(Requests, Protocol):
    """The processors among which a processor is one (`Processors`)."""

    @property
    def shared(self) -> Distribution | None:
        """The distribution among them, if there is one."""
        ...


class Processor:
    """A packet processor; `number`: among those of the design."""

    def __init__(
        self, simulation: Simulation, number: int, position: Position, group: Group
    ) -> None:
        self._simulation, self._group = simulation, group
        self.number = number
        self.tile, self.layer, self.lane = position.tile, position.layer, position.lane
        self.registers, self.name = position.registers, position.name
        self.memory = Memory(self.registers, self.name)

    def load(self, file: Path | str) -> None:
        """Stops it and writes a program (ELF) into its memories."""
        write(self.registers, Path(file), self.number)

    def put(self, program: Image) -> None:
        """Stops it and writes a program that fits into its memories."""
        put(self.registers, program, self.number)

    def boot(self) -> None:
        """Starts the program from its beginning."""
        if self._group.shared:
            self._group.shared.begin(self.number)
        self.registers.control.run = 0
        self.registers.control.run = 1

    def stop(self) -> None:
        """Stops it; messages inside are dropped, new ones wait."""
        self.registers.control.run = 0

    def poke(self) -> None:
        """Raises the software interrupt, by sending 0 at index 0."""
        self.debug_send(0)

    def debug_send(self, word: int, place: int = 0) -> None:
        """Sends the program a word (`rpu_message`), at an index below 16."""
        self.registers.message.write(word=word, place=place)

    @property
    def debug_word(self) -> int:
        """The last word that the program left for the host (`rpu_report`)."""
        return int(self.registers.report["word"])

    @property
    def status(self) -> Status:
        counters = self._simulation.tile_counters(self.tile)
        distribution = self._group.shared
        core = self.registers.status.read()
        return Status(
            running=bool(self.registers.control.run),
            stuck=bool(core["stuck"]),
            exception=(core["cause"], core["pc"]) if core["exception"] else None,
            slots=core["slots"],
            enabled=distribution is None or self.number in distribution.enabled,
            inside=core["slots"] if self.lane is not None else _inside(counters),
            counters=counters,
        )

    def evict(self, limit_cycles: int = DRAIN_CYCLES) -> None:
        """Stops it without loss: it gets no further messages, finishes what it has, and stops.

        SimulationError if it has not finished within `limit_cycles`; it is stopped anyway.
        """
        distribution = self._group.shared
        if distribution is None:
            raise SimulationError(f"{self.name} has no replicas that could do its work")
        distribution.disable(self.number)
        inside = 0 if distribution.drained else self._finish(limit_cycles)
        self.stop()
        if inside:
            raise SimulationError(
                f"{self.name} still had {inside} messages after {limit_cycles} cycles; "
                "they are lost"
            )

    def _finish(self, limit_cycles: int) -> int:
        """Waits until it has no messages and gets none; how many it still has at the limit."""
        end = self._simulation.cycle + limit_cycles
        before, quiet = (-1, -1), 0
        quiet_cycles = QUIET_CYCLES + self._group.flight_cycles()
        while quiet * COUNTER_LAG < quiet_cycles and self._simulation.cycle < end:
            self._simulation.advance(COUNTER_LAG)
            now = self._come_and_inside()
            quiet = quiet + 1 if now == before and now[1] == 0 else 0
            before = now
        return before[1]

    def reload(self, program: Path | str | Image, limit_cycles: int = DRAIN_CYCLES) -> None:
        """Evicts it, loads and starts a program, and enables it again without loss.

        UserError, and the old program continues, if this one cannot be loaded. SimulationError if
        the old program did not finish; the new one runs anyway.
        """
        if not isinstance(program, Image):
            program = image.read(Path(program))
        check(self.registers, program)
        try:
            self.evict(limit_cycles)
        except SimulationError as error:
            raise SimulationError(f"{error}; the new program runs") from None
        finally:
            self.put(program)
            self.boot()
            if self._group.shared is not None:
                self._group.shared.enable(self.number)

    def _come_and_inside(self) -> tuple[int, int]:
        """Messages that have reached its tile, possibly for its neighbours, and messages inside or
        asked for.
        """
        asked = self._group.open_requests(self.number)
        if self.lane is not None:
            return 0, self.registers.status["slots"] + asked
        counters = self._simulation.tile_counters(self.tile)
        return counters["noc_in_messages"], _inside(counters) + asked


def _inside(counters: dict[str, int]) -> int:
    """Messages that have reached a tile, or empty slots that its program has taken, and that are
    still inside.
    """
    gone = sum(value for name, value in counters.items() if name.startswith(DROP))
    made = sum(value for name, value in counters.items() if name.endswith(_EMPTY_SLOT))
    return counters["noc_in_messages"] + made - counters["noc_out_messages"] - gone
