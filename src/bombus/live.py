"""A design that Linux programs talk to, through a network interface, in real time.

`run` is what `bombus run` does.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from bombus.build import Library, build
from bombus.counters import mesh_table
from bombus.errors import UserError
from bombus.impairment import Impairment
from bombus.interface import Interface
from bombus.simulation import Simulation
from bombus.tables import print_table
from bombus.watch import explain

DEFAULT_TAP = "bombus0"
DEFAULT_MTU = 1500
# Python looks at signals and at the clock so often.
_SLICE_SECONDS = 0.1


@dataclass(frozen=True)
class Totals:
    """What a live run has done."""

    seconds: float
    cycles: int  # evaluated
    counters: dict[str, dict[str, int]]  # by tile and name
    ports: list[dict[str, Any]]  # Simulation.statistics() of each
    errors: dict[str, int]

    def write(self, path: Path) -> None:
        """As JSON, whole or not at all."""
        temporary = path.with_name(path.name + ".new")
        temporary.write_text(json.dumps(self.__dict__, indent=2) + "\n")
        temporary.rename(path)


def default_address(manifest: Mapping[str, Any]) -> str:
    """An address for this machine in the network of the design's host."""
    host = manifest["host"]
    own = IPv4Interface(f"{host['ip']}/{host.get('prefix', 24)}")
    # The gateway is this machine, as far as the design can tell.
    wanted = host.get("gateway") or next(a for a in own.network.hosts() if a != own.ip)
    return f"{IPv4Address(wanted)}/{own.network.prefixlen}"


def checked_address(manifest: Mapping[str, Any], address: str) -> str:
    """The address, if this machine can have it beside the design; else UserError."""
    try:
        given = IPv4Interface(address)
    except ValueError:
        given = None
    host = manifest["host"]
    if given is None or "/" not in address:
        raise UserError(
            f"address {address}: should be an IPv4 address with prefix, such as "
            f"{default_address(manifest)}"
        )
    if given.ip == IPv4Address(host["ip"]):
        raise UserError(
            f"address {address}: {host['ip']} is the design's own; this machine needs another, "
            f"such as {default_address(manifest)}"
        )
    return address


def run(
    design: Path | str | Library,
    *,
    tap: str = DEFAULT_TAP,
    address: str | None = None,
    mtu: int = DEFAULT_MTU,
    veth: bool = False,
    seed: int = 0,
    impair_rx: Impairment | None = None,
    impair_tx: Impairment | None = None,
    pcap_in: Path | None = None,
    pcap_out: Path | None = None,
    duration: float | None = None,
    interval: float = 1.0,
    report: Path | None = None,
    console: Console | None = None,
) -> Totals:
    """Runs a design until SIGINT, SIGTERM or `duration` seconds have passed.

    `tap`: name of the interface of MAC port 0; further ports get the names that follow
    (`bombus1`, ...), without address. `address`: of this machine, with prefix; default: one
    that the design can reach. `veth`: do not use TAP even where it is. `pcap_in`: frames to
    send into port 0 at the start. `pcap_out`: both directions of port 0. On a terminal the
    counters are shown as they grow; elsewhere they are printed at the end. `report`: a JSON
    file with all numbers, rewritten every `interval` seconds and at the end.
    """
    console = console or Console()
    library = design if isinstance(design, Library) else build(design, console=console)
    manifest = library.manifest
    address = checked_address(manifest, address or default_address(manifest))
    with ExitStack() as stack:
        stop = stack.enter_context(_stop_on_signal())
        simulation = stack.enter_context(Simulation(library, seed=seed))
        interfaces = []
        for port in range(simulation.mac_ports):
            interface = stack.enter_context(Interface(_numbered(tap, port), tap=not veth))
            simulation.attach(interface.file_descriptor, port)
            simulation.impair(impair_rx, impair_tx, port=port)
            interfaces.append(interface)
        if pcap_out is not None:
            simulation.pcap_out(pcap_out)
        if pcap_in is not None:
            simulation.pcap_in(pcap_in)
        for port, interface in enumerate(interfaces):
            interface.bring_up(address if port == 0 else None, mtu)
        host = simulation.manifest["host"]
        console.print(
            f"{simulation.manifest['name']} at {host['ip']} on {interfaces[0].name} "
            f"({interfaces[0].kind}, this side {address}); Ctrl-C ends it",
            highlight=False,
        )
        return _loop(simulation, stop, duration, interval, report, console)


def _loop(
    simulation: Simulation,
    stop: list[int],
    duration: float | None,
    interval: float,
    report: Path | None,
    console: Console,
) -> Totals:
    start = time.monotonic()
    end = start + duration if duration is not None else float("inf")
    next_look = start
    told: set[str] = set()
    with ExitStack() as stack:
        live = None
        if console.is_terminal:
            live = stack.enter_context(Live(console=console, auto_refresh=False, transient=True))
        while not stop and (now := time.monotonic()) < end:
            if now >= next_look:
                next_look = now + interval
                if live is not None or report is not None:
                    totals = _totals(simulation, now - start)
                    if live is not None:
                        live.update(_table(simulation, totals), refresh=True)
                    if report is not None:
                        totals.write(report)
            simulation.run_live(min(_SLICE_SECONDS, end - now))
            told = _tell_stalls(simulation, told, console)
    totals = _totals(simulation, time.monotonic() - start)
    if report is not None:
        totals.write(report)
    print_table(console, _table(simulation, totals))
    simulation.check()
    return totals


def _tell_stalls(simulation: Simulation, told: set[str], console: Console) -> set[str]:
    """Prints what stands still whenever there is more of it; returns what that is."""
    found = simulation.stalls()
    names = {stall.name for stall in found}
    if names - told:
        for line in explain(found):
            console.print(line, style="red", markup=False, highlight=False)
    return names


def _totals(simulation: Simulation, seconds: float) -> Totals:
    return Totals(
        seconds=seconds,
        cycles=simulation.evaluated_cycles,
        counters=simulation.counters(),
        ports=[simulation.statistics(port) for port in range(simulation.mac_ports)],
        errors=simulation.errors(),
    )


def _table(simulation: Simulation, totals: Totals) -> Table:
    table = mesh_table(simulation.manifest, totals.counters)
    frames = "; ".join(
        f"mac{port}: {numbers['rx_frames']:,} frames in, {numbers['tx_frames']:,} out"
        for port, numbers in enumerate(totals.ports)
    )
    table.caption = f"{frames}; {totals.cycles:,} cycles in {totals.seconds:.1f} s"
    table.caption_justify = "left"
    return table


def _numbered(name: str, port: int) -> str:
    """The interface's name for a port: bombus0, bombus1, ..."""
    if port == 0:
        return name
    stem = name.rstrip("0123456789")
    return f"{stem}{int(name[len(stem) :] or 0) + port}"


@contextmanager
def _stop_on_signal() -> Iterator[list[int]]:
    """A list that holds the signals (SIGINT, SIGTERM) that came."""
    came: list[int] = []
    old = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield came
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
