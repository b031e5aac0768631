# SPDX-License-Identifier: Apache-2.0
"""Check a design: all rules beyond the syntax of its file.

`check` is what all later steps build on: it returns the facts of the design and the warnings, or
raises DesignError with every problem and its line. Each rule is a function that takes the facts and
yields problems; the tables below list them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bombus.analysis import deadlock
from bombus.analysis.checks import (
    activity,
    addresses,
    agreement,
    bandwidth,
    bindings,
    fabrics,
    flight_problems,
    kinds,
    mac_ports,
    memories,
    names,
    partners,
    reachability,
    register_mesh,
    remarks,
    replicas,
    requests,
)
from bombus.base.errors import DesignError, Problem
from bombus.design import resolve
from bombus.design.cycle import Cycle
from bombus.design.facts import Facts

Rule = Callable[[Facts], Iterator[Problem]]

# Rules about single entries of the design file.
ENTRIES: tuple[Rule, ...] = (
    mac_ports.layers,
    replicas.replicable,
    bindings.values,
    addresses.neighbours,
    addresses.others,
    bandwidth.line_rate,
    remarks.of_layers,
    mac_ports.widths,
    mac_ports.stopped,
    fabrics.queues,
    register_mesh.waits,
    activity.visible,
)
# Rules about what layers exchange. Errors of the above would cause errors of these.
EXCHANGES: tuple[Rule, ...] = (
    reachability.reachable,
    reachability.wired_cycles,
    names.distinct,
    replicas.dispatch,
    kinds.problems,
    requests.problems,
    memories.ports,
    agreement.problems,
    partners.order,
    partners.places,
    partners.needs,
)


class DeadlockError(DesignError):
    """A design whose only errors are cycles of channels; carries the data for a picture.

    `changes`: those of a running design that would cause the cycles; empty: the design file has
    them.
    """

    changes: Sequence[str] = ()

    def __init__(self, problems: Iterable[Problem], facts: Facts, cycles: list[Cycle]) -> None:
        super().__init__(problems)
        self.facts = facts
        self.cycles = cycles


def problems_of(facts: Facts, known: Iterable[Problem]) -> list[Problem]:
    """Known errors and warnings of a resolved design with those of its rules, apart from deadlocks.

    After an error, rules that need a design without errors are left out.
    """
    problems = [*known, *_found(ENTRIES, facts)]
    if not _has_error(problems):
        problems += _found(EXCHANGES, facts)
    return problems


def check(path: Path, *, allow_deadlock: bool = False) -> tuple[Facts, list[Problem]]:
    """Checks a design file.

    Returns the facts of the design and the warnings. Raises DesignError with all errors (and the
    warnings) if the design is invalid; DeadlockError if cycles of channels are the only errors.
    `allow_deadlock`: those, and windows that do not prevent them, are warnings, for experiments.
    """
    design, problems = resolve.load(path)
    facts = Facts(design)
    problems = problems_of(facts, problems)
    if not _has_error(problems):
        for problem in flight_problems.problems(facts):
            is_error = problem.is_error and not allow_deadlock
            problems.append(replace(problem, is_error=is_error))
    cycles = []
    if not _has_error(problems):
        cycles = deadlock.open_cycles(facts)
        for cycle in cycles:
            loc = cycle.legs[0].hop.source.tile.loc
            problems.append(design.file.problem(loc, str(cycle), is_error=not allow_deadlock))
    problems = list(dict.fromkeys(problems))  # replicas have the same
    problems.sort(key=lambda problem: (not problem.is_error, problem.line or 0))
    if cycles and not allow_deadlock:
        raise DeadlockError(problems, facts, cycles)
    if _has_error(problems):
        raise DesignError(problems)
    return facts, problems


def _found(rules: Iterable[Rule], facts: Facts) -> list[Problem]:
    return [problem for rule in rules for problem in rule(facts)]


def _has_error(problems: Iterable[Problem]) -> bool:
    return any(problem.is_error for problem in problems)
