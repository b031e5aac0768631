# SPDX-License-Identifier: Apache-2.0
"""Whether the windows of a design prevent every deadlock at given positions, by the rules of
`bombus check`.

What a window counts and allows follows from the whole design, so each placement is resolved and
analysed. That takes some 30 ms, so it is done only for positions that would be the best so far.
"""

from __future__ import annotations

from bombus.analysis import deadlock
from bombus.analysis.checks import flight_problems
from bombus.analysis.placement.task import Positions, Task
from bombus.design import resolve
from bombus.design.facts import Facts
from bombus.design.snake import Placement


class Windows:
    """Calls the analysis for new positions, at most `most` times."""

    def __init__(self, task: Task, most: int) -> None:
        self.task = task
        self.left = most
        self.known: dict[tuple[tuple[str, tuple[int, int]], ...], str] = {}
        self.refused = ""  # why the last positions were rejected

    def hold(self, positions: Positions) -> bool:
        """Whether no cycle of waiting can fill up, where the task does not say."""
        if not self.task.is_analysed:
            return True
        key = tuple(sorted(positions.items()))
        if key not in self.known:
            if not self.left:
                return False
            self.left -= 1
            self.known[key] = self._fault(positions)
        self.refused = self.known[key]
        return not self.refused

    def _fault(self, positions: Positions) -> str:
        task = self.task
        placement = Placement(task.columns, task.rows, positions, [])
        given = task.facts.design
        design, _ = resolve.resolve(given.file, given.library, placement)
        facts = Facts(design)
        messages = (each.message for each in flight_problems.problems(facts) if each.is_error)
        return next(messages, "") or next(map(str, deadlock.open_cycles(facts)), "")
