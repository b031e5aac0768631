# SPDX-License-Identifier: Apache-2.0
"""A run of many boards: what `bombus cluster run` does."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console

from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.extensions import modules
from bombus.base.output import STDOUT, write_json
from bombus.base.tables import print_table
from bombus.base.text import counted
from bombus.cluster import report as reporting
from bombus.cluster.description import Description
from bombus.cluster.live_calls import CALLS
from bombus.cluster.live_run import WINDOWS, exchange_frames
from bombus.cluster.simulation import Cluster
from bombus.live.control import Control

DEFAULT_CYCLES = 100_000
TRAINING_CYCLES = 4096  # of a link that comes back, before routes lead over it


def run(
    design: Path | Description,
    *,
    ranks: int | None = None,
    transport: str | None = None,
    cycles: int | None = None,
    seed: int = 0,
    bit_errors: float = 0.0,
    rate: float = 1.0,
    switch: Sequence[str] = (),
    kill: Sequence[str] = (),
    pcap_in: Path | None = None,
    pcap_out: Path | None = None,
    report: Path | None = None,
    assertions: bool = False,
    tap: str | None = None,
    address: str | None = None,
    board: int = 0,
    reroute: bool = False,
    counters: bool = False,
    control: Path | None = None,
    web: bool = False,
    web_address: str | None = None,
) -> dict[str, Any]:
    """Runs a cluster for so many cycles, or live until a signal; returns the report.

    `tap`: a network interface of this machine, joined to MAC port 0 of `board`. `kill`:
    `A-B@FROM[:UNTIL]`, boards and cycles of the run. `switch`: `WHAT=SHARE`, arguments of
    `Cluster.impair_switch`. `reroute`: rewrites the route tables when
    links go down or come back. `counters`: prints those of all boards. `control`: a
    socket that answers calls (`bombus.cluster.live_calls`). `web`: serves the live page, at
    `web_address`. Other options as in `Cluster`.
    """
    if cycles is not None and cycles < 0:
        raise UserError(f"--cycles {cycles}: should be 0 or more")
    killed = [_parsed_kill(text) for text in kill]
    shares: dict[str, Any] = dict(map(_parsed_share, switch))
    console = new_console(file=sys.stderr if report == STDOUT else None)
    with ExitStack() as stack:
        cluster = stack.enter_context(
            Cluster(design, ranks=ranks, transport=transport, seed=seed, assertions=assertions)
        )
        besides: list[Beside] = []  # of the first rank, which alone comes here
        if control is not None:
            besides.append(stack.enter_context(Control(control, CALLS)))
        if web:
            besides += [
                stack.enter_context(module.page(CALLS, web_address))
                for module in modules("cluster_live")
            ]
        if bit_errors or rate != 1.0:
            for link in range(len(cluster.description.links)):
                cluster.impair(link, bit_errors=bit_errors, rate=rate)
        if shares:
            for link in range(len(cluster.description.links)):
                cluster.impair_switch(link, **shares)
        changes = _Changes(cluster, killed, console, reroute=reroute, besides=besides)
        if pcap_out is not None:
            cluster.pcap_out(pcap_out)
        if pcap_in is not None:
            cluster[board].call("pcap_in", pcap_in.absolute())
        started, first = time.monotonic(), cluster.cycle
        if tap is not None:
            _run_live(cluster, board, tap, address, cycles, console, changes)
        else:
            changes.run(first + (DEFAULT_CYCLES if cycles is None else cycles))
        seconds, ran = time.monotonic() - started, cluster.cycle - first
        found: dict[str, Any] = {
            "cluster": cluster.description.name,
            "ranks": cluster.ranks,
            "cycles": ran,
            "seconds": round(seconds, 3),
            **reporting.report(cluster),
        }
        cluster.check()
    print_table(console, reporting.link_table(found["links"]))
    if counters:
        print_table(console, reporting.counter_table(found["boards"]))
    console.print(
        f"{len(found['boards'])} boards in {found['ranks']} ranks: {ran} cycles in {seconds:.2f} s",
        highlight=False,
    )
    write_json(found, report)
    return found


def _parsed_kill(text: str) -> tuple[int, int, int, int | None]:
    match = re.fullmatch(r"(\d+)-(\d+)@(\d+)(?::(\d+))?", text)
    if match is None:
        raise UserError(f"--kill {text}: should be A-B@FROM or A-B@FROM:UNTIL, such as 3-4@1000")
    a, b, start, end = match.groups()
    if end is not None and int(end) < int(start):
        raise UserError(f"--kill {text}: ends before it begins")
    return int(a), int(b), int(start), None if end is None else int(end)


def _parsed_share(text: str) -> tuple[str, float]:
    match = re.fullmatch(r"(loss|corrupt|repeat|reorder)=([0-9.eE+-]+)", text)
    try:
        return match[1], float(match[2])  # type: ignore[index]
    except (TypeError, ValueError):
        raise UserError(
            f"--switch {text}: should be loss, corrupt, repeat or reorder and a share, such as "
            "loss=0.01"
        ) from None


Beside = Callable[[Cluster], None]


class _Changes:
    """What happens in the course of a run: links that go down and come back, calls from outside."""

    def __init__(
        self,
        cluster: Cluster,
        killed: Sequence[tuple[int, int, int, int | None]],
        console: Console,
        *,
        reroute: bool,
        besides: Sequence[Beside],
    ) -> None:
        self._cluster, self._console, self._reroutes = cluster, console, reroute
        self._besides = besides
        self._dead: set[int] = set()
        first = cluster.cycle
        due: list[tuple[int, bool, int]] = []  # cycle, up, link
        for a, b, start, end in killed:
            link = cluster.link_number(a, b)
            due.append((first + start, False, link))
            if end is not None:
                due.append((first + end, True, link))
        self._due = sorted(due)
        for cycle, up, link in self._due:
            cluster.set_link(link, up=up, cycle=cycle)
        if reroute and due:
            _ = cluster.routes  # refuses a cluster without tables

    def run(self, until: int) -> None:
        """Runs to a cycle; a change of routes may end after it."""
        while (now := self._cluster.cycle) < until:
            step = until - now
            if self._besides:
                step = min(step, WINDOWS * self._cluster.description.window)
            if self._reroutes and self._due:
                step = min(step, max(0, self._due[0][0] - now))
            self._cluster.run(step)
            self.look(self._cluster)

    def look(self, cluster: Cluster) -> None:
        """Serves what is beside the run; rewrites routes if a link has changed."""
        for beside in self._besides:
            beside(cluster)
        if self._reroutes:
            self._reroute(cluster)

    def _reroute(self, cluster: Cluster) -> None:
        before = set(self._dead)
        while self._due and self._due[0][0] <= cluster.cycle:
            _, up, link = self._due.pop(0)
            (self._dead.discard if up else self._dead.add)(link)
        if self._dead != before:
            if self._dead < before:
                cluster.run(TRAINING_CYCLES)
            done = cluster.reroute(self._dead)
            text = (
                f"cycle {cluster.cycle}: {counted(done.written, 'route')} rewritten, after a pause "
                f"of {counted(done.cycles, 'cycle')}"
            )
            if done.waiting:
                text += f"; {counted(done.waiting, 'packet')} wait in dead links"
            if done.unreachable:
                text += f"; {counted(len(done.unreachable), 'pair')} of boards without a path"
            self._console.print(text, highlight=False, markup=False)


def _run_live(
    cluster: Cluster,
    board: int,
    tap: str,
    address: str | None,
    cycles: int | None,
    console: Console,
    changes: _Changes,
) -> None:
    from bombus.live.interface import Interface
    from bombus.live.run import DEFAULT_MTU, stop_on_signal
    from bombus.live.sides import sides_of

    ports = cluster[board].manifest["mac_ports"]
    side = sides_of(ports, {"tap": tap, "address": address, **dict.fromkeys(_OTHER)})[0]
    with stop_on_signal() as stop, Interface(side.tap) as interface:
        interface.bring_up(side.address, DEFAULT_MTU, None)
        console.print(
            f"board {board} at {side.host.ip} on {interface.name} ({interface.kind}, local address "
            f"{side.address}); press Ctrl-C to stop",
            highlight=False,
        )
        exchange_frames(
            cluster,
            board,
            interface.file_descriptor,
            stop=stop,
            cycles=cycles,
            beside=changes.look,
        )


_OTHER = ("netns", "bridge", "ip", "mac", "gateway")  # options that are not given
