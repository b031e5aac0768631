# SPDX-License-Identifier: Apache-2.0
"""A processing element of a running design: start its kernel, and wait for the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, SupportsIndex

from bombus.applications.pe.copies import Copies
from bombus.applications.pe.memory import Buffer, In, InOut, Memory, Out
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

RUN_CYCLES = 1_000_000  # that `wait` waits for at most
POLL_CYCLES = 64  # between two reads of the registers of an element without an interrupt line
ARGUMENT_BITS = 64

Argument = SupportsIndex | In | Out | InOut


@dataclass(frozen=True)
class Position:
    """Where an element is."""

    name: str  # of its tile, with that of its layer if the tile has several
    kind: str  # of its kernel
    num_arguments: int
    registers: Any
    memory_bytes: int  # 0: it has no memory
    copies: Copies | None  # to and from the memory
    interrupt: str | None  # raised port; None: left open


@dataclass(frozen=True)
class Outcome:
    """A finished run of a kernel."""

    value: int  # unsigned, 64 bits
    cycles: int  # of the clock, from the start to the end
    outputs: tuple[bytes, ...] = ()  # of its arguments Out and InOut, in order


class Element:
    """A kernel and its control interface."""

    def __init__(self, simulation: Simulation, number: int, position: Position) -> None:
        self._simulation = simulation
        self._position = position
        self.number = number
        self.started = False  # by `start`, and not waited for
        self.runs = 0  # begun by `start`
        self._listens = False  # its interrupt is enabled
        self._buffers: list[tuple[Buffer, Argument]] = []  # of the arguments of its run
        self._memory: Memory | None = None
        if position.copies is not None:
            self._memory = Memory(position.copies, position.memory_bytes, position.name)
        simulation.at_reset(self._forget)

    def _forget(self) -> None:
        self.started = self._listens = False
        self._buffers.clear()
        if self._memory is not None:
            self._memory.forget()

    @property
    def name(self) -> str:
        """The name of its tile, with that of its layer if the tile has several elements."""
        return self._position.name

    @property
    def kind(self) -> str:
        """The kind of its kernel."""
        return self._position.kind

    @property
    def registers(self) -> Any:
        """Its registers by name."""
        return self._position.registers

    @property
    def num_arguments(self) -> int:
        """Arguments of 64 bits."""
        return self._position.num_arguments

    @property
    def interrupt(self) -> str | None:
        """The raised port of its interrupt line; None: it has none."""
        return self._position.interrupt

    @property
    def running(self) -> bool:
        """Whether the kernel runs, by its registers."""
        return not self.registers.control.idle

    @property
    def memory(self) -> Memory:
        """Its memory; SimulationError if it has none."""
        if self._memory is None:
            raise SimulationError(f"{self.name} has no memory")
        return self._memory

    # ---- Arguments ----

    def check(self, arguments: Sequence[Argument]) -> None:
        """SimulationError if there are too many arguments, or one does not fit."""
        if len(arguments) > self.num_arguments:
            raise SimulationError(
                f"{self.name} has {self.num_arguments} arguments, not {len(arguments)}"
            )
        for number, each in enumerate(arguments):
            if isinstance(each, In | Out | InOut):
                if not 0 < len(each) <= self.memory.size:
                    raise SimulationError(
                        f"{self.name}: argument {number}: a buffer of {len(each)} bytes"
                    )
            else:
                self._word(number, each)

    def _placed(self, arguments: Sequence[Argument]) -> list[SupportsIndex]:
        """The arguments, with buffers in the memory for those that are data."""
        found: list[SupportsIndex] = []
        try:
            for each in arguments:
                if isinstance(each, In | Out | InOut):
                    buffer = self.memory.allocate(len(each))
                    self._buffers.append((buffer, each))
                    if not isinstance(each, Out):
                        buffer.write(each.data)
                    found.append(buffer)
                else:
                    found.append(each)
        except SimulationError:
            self._outputs(is_read=False)
            raise
        return found

    def _outputs(self, *, is_read: bool = True) -> tuple[bytes, ...]:
        """Frees the buffers of the arguments; the bytes of those that are outputs."""
        buffers = self._buffers.copy()
        self._buffers.clear()
        for buffer, _ in buffers:
            buffer.free()  # it keeps its bytes until another one gets its place
        outputs = (buffer for buffer, each in buffers if isinstance(each, Out | InOut))
        return tuple(buffer.read() for buffer in outputs) if is_read else ()

    def _word(self, number: int, value: SupportsIndex) -> int:
        try:
            word = index(value)
        except TypeError:
            raise SimulationError(
                f"{self.name}: argument {number}: {value!r} is not an integer"
            ) from None
        if not -1 << ARGUMENT_BITS - 1 <= word < 1 << ARGUMENT_BITS:
            raise SimulationError(
                f"{self.name}: argument {number}: {word} does not fit into {ARGUMENT_BITS} bits"
            )
        return word % (1 << ARGUMENT_BITS)

    def set_argument(self, number: int, value: SupportsIndex) -> None:
        """Writes one argument, also while the kernel runs; -2^63 to 2^64 - 1."""
        if not 0 <= number < self.num_arguments:
            raise SimulationError(
                f"{self.name} has arguments 0 to {self.num_arguments - 1}, not {number}"
            )
        self.registers.argument[number].value.bits = self._word(number, value)

    # ---- Runs ----

    def start(self, *arguments: Argument) -> None:
        """Starts the kernel; arguments that are not given keep their values.

        An argument is an integer from -2^63 to 2^64 - 1, a buffer of its memory, or data for one
        (`In`, `Out`, `InOut`), which exists up to the end of `wait`. SimulationError if the kernel
        runs.
        """
        self.check(arguments)
        if self.started or self.running:
            raise SimulationError(f"{self.name} runs")
        for number, word in enumerate(self._placed(arguments)):
            self.set_argument(number, word)
        if self.interrupt is not None and not self._listens:
            self.registers.interrupt_enable.done = 1
            self.registers.global_interrupt.enable = 1
            self._listens = True
        self.acknowledge()  # of a run that another program has started
        self.registers.control.write(start=1, stop=0)
        self.started = True
        self.runs += 1

    def acknowledge(self) -> bool:
        """Clears its pending interrupt; returns whether there was one."""
        was_pending = bool(self.registers.pending.done)
        if was_pending:
            self.registers.pending.done = 1
        return was_pending

    @property
    def finished(self) -> bool:
        """Whether a run that was started has ended; costs no cycles with an interrupt line."""
        if not self.started:
            return False
        if self.interrupt is not None:
            return bool(self._simulation.read_pin(self.interrupt))
        return bool(self.registers.pending.done)

    def wait(self, limit_cycles: int = RUN_CYCLES) -> Outcome:
        """Advances until the run that was started has ended, acknowledges it, and returns its
        outcome.

        TimeoutError after `limit_cycles`: the kernel still runs, and `wait` may be called again.
        SimulationError if there is no such run, or an output cannot be read.
        """
        if not self.started:
            raise SimulationError(f"{self.name} was not started")
        if not advance_until_end(self._simulation, [self], limit_cycles):
            raise TimeoutError(f"{self.name} still runs after {limit_cycles} cycles")
        self.acknowledge()
        self.started = False
        value, cycles = self.registers.result.bits, self.registers.cycles.count
        return Outcome(value, cycles, self._outputs())

    def stop(self, limit_cycles: int = RUN_CYCLES) -> bool:
        """Stops the kernel, whatever has started it, and advances until it is idle; returns whether
        a run was stopped. Buffers of its arguments are freed without being read.

        TimeoutError after `limit_cycles`: the kernel still runs, and `stop` or `wait` may be called
        again.
        """
        end = self._simulation.cycle + limit_cycles
        was_running = self.running
        self.registers.control.write(start=0, stop=1)
        while self.running:
            step = min(POLL_CYCLES, end - self._simulation.cycle)
            if step <= 0:
                raise TimeoutError(f"{self.name} has not stopped after {limit_cycles} cycles")
            self._simulation.advance(step)
        self.started = False
        self._outputs(is_read=False)
        return not self.acknowledge() and was_running

    def run(self, *arguments: Argument, limit_cycles: int = RUN_CYCLES) -> Outcome:
        """`start` and `wait`."""
        self.start(*arguments)
        return self.wait(limit_cycles)


def advance_until_end(
    simulation: Simulation, elements: Sequence[Element], limit_cycles: int
) -> bool:
    """Advances until a run of one of these elements has ended; False: none has within
    `limit_cycles`.
    """
    lines = [each.interrupt for each in elements if each.interrupt is not None]
    polled = [each for each in elements if each.interrupt is None]
    end = simulation.cycle + limit_cycles
    while not any(each.finished for each in polled):
        step = max(0, end - simulation.cycle)
        if polled:
            step = min(step, POLL_CYCLES)
        if simulation.advance_until_pin(*lines, limit_cycles=step) is not None:
            return True
        if simulation.cycle >= end:
            return any(each.finished for each in polled)
    return True
