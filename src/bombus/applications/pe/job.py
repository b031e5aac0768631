# SPDX-License-Identifier: Apache-2.0
"""Jobs for processing elements: each runs on the next free element of its kind.

An element is free if its kernel is idle and no program waits for it: a run by `Element.start`
keeps its element until `wait` or `stop`, one by another master of registers until it ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from bombus.applications.pe.element import (
    POLL_CYCLES,
    RUN_CYCLES,
    Argument,
    Element,
    Outcome,
    advance_until_end,
)
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation


class Job:
    """A run that was submitted: waits for an element, runs, and is done."""

    def __init__(self, queue: Queue, arguments: Sequence[Argument]) -> None:
        self._queue = queue
        self.arguments = arguments
        self.element: Element | None = None  # on which it runs or has run
        self.run = 0  # its number among those of the element
        self.outcome: Outcome | None = None
        self.error: str = ""  # why there is no outcome

    @property
    def done(self) -> bool:
        """Whether it has ended, has failed, was stopped, or was lost (see `result`)."""
        self._queue.progress()
        return self.outcome is not None or bool(self.error)

    def result(self, limit_cycles: int = RUN_CYCLES) -> Outcome:
        """Advances until it is done; other jobs continue meanwhile.

        TimeoutError after `limit_cycles`; it may be called again. SimulationError if the job has
        failed (no room for its buffers, or a failed access to them), was stopped, or was lost by a
        reset, or by `wait` or `stop` of its element. Also, at once and with the job still queued,
        if `start` of the program keeps all elements: none would become free.
        """
        self._queue.advance_until(self, limit_cycles)
        if self.outcome is None:
            raise SimulationError(self.error)
        return self.outcome

    def stop(self, limit_cycles: int = RUN_CYCLES) -> None:
        """Stops its run, or prevents it; no effect on a job that is done.

        TimeoutError after `limit_cycles`: the kernel still runs.
        """
        self._queue.stop(self, limit_cycles)


class Queue:
    """The jobs of one kind of kernel, in order."""

    def __init__(self, simulation: Simulation, elements: Sequence[Element]) -> None:
        self._simulation = simulation
        self._elements = elements
        self._waiting: deque[Job] = deque()
        self._running: dict[Element, Job] = {}
        simulation.at_reset(self._forget)

    def _forget(self) -> None:
        for job in (*self._running.values(), *self._waiting):
            job.error = "the design was reset before the job was done"
        self._running.clear()
        self._waiting.clear()

    def submit(self, arguments: Sequence[Argument]) -> Job:
        """A job with these arguments, which starts now if an element is free; if that fails,
        `Job.result` tells.
        """
        self._elements[0].check(arguments)
        job = Job(self, arguments)
        self._waiting.append(job)
        self.progress()
        return job

    def stop(self, job: Job, limit_cycles: int) -> None:
        """Ends a job that is not done without an outcome; TimeoutError after `limit_cycles`."""
        if job.done:
            return
        if job.element is None:
            self._waiting.remove(job)
        else:
            job.element.stop(limit_cycles)
            del self._running[job.element]
        job.error = "the job was stopped"

    def progress(self) -> None:
        """Ends jobs whose kernel has ended, and starts waiting ones; costs the cycles of its
        accesses to registers.
        """
        for element, job in [*self._running.items()]:
            lost = not element.started or element.runs != job.run
            if not lost and not element.finished:
                continue
            del self._running[element]
            if lost:
                job.error = f"`wait` or `stop` of {element.name} has ended the job"
                continue
            try:
                job.outcome = element.wait()
            except SimulationError as error:
                job.error = str(error)
        for element in self._elements:
            while self._waiting and not element.started and not element.running:
                self._start(self._waiting[0], element)
                self._waiting.popleft()

    def _start(self, job: Job, element: Element) -> None:
        """Starts a job on a free element, or leaves the reason why it cannot."""
        try:
            element.start(*job.arguments)
        except SimulationError as error:
            job.error = str(error)
        else:
            job.element, job.run = element, element.runs
            self._running[element] = job

    def advance_until(self, job: Job, limit_cycles: int) -> None:
        """Advances until a job is done; TimeoutError after `limit_cycles`."""
        end = self._simulation.cycle + limit_cycles
        while not job.done:
            left = end - self._simulation.cycle
            if left <= 0:
                where = f"on {job.element.name}" if job.element else "without an element"
                raise TimeoutError(f"a job {where} is not done after {limit_cycles} cycles")
            if job.element is None:
                left = self._limit_of_waiting(left)
            advance_until_end(self._simulation, [*self._running], left)

    def _limit_of_waiting(self, limit_cycles: int) -> int:
        """The cycles after which a job without an element looks for one again; SimulationError if
        it would wait for ever.
        """
        if not all(each.started for each in self._elements):
            return min(limit_cycles, POLL_CYCLES)  # another master of registers keeps one
        if not self._running:
            names = ", ".join(each.name for each in self._elements)
            raise SimulationError(f"the job waits until `wait` or `stop` frees one of {names}")
        return limit_cycles
