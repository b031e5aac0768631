# SPDX-License-Identifier: Apache-2.0
"""Live runs: a design attached to a Linux network interface, in real time.

`run` is what `bombus run` does.
"""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from bombus.base.errors import UserError
from bombus.base.tables import print_table
from bombus.design.config.host import Host
from bombus.live.addresses import checked_address, default_address, host_of
from bombus.live.interface import Interface
from bombus.live.report import STANDARD_OUTPUT, Report, Totals, table
from bombus.simulator.build import Library, build
from bombus.simulator.impairment import Impairment
from bombus.simulator.simulation import Simulation
from bombus.simulator.stalls import explain

DEFAULT_TAP = "bombus0"
DEFAULT_MTU = 1500
# One value is for MAC port 0, a list for as many ports as it is long.
PerPort = str | Sequence[str | None] | None
# Python looks at signals and at the clock so often.
_SLICE_SECONDS = 0.1


def run(
    design: Path | str | Library,
    *,
    tap: PerPort = None,
    address: PerPort = None,
    mtu: int = DEFAULT_MTU,
    veth: bool = False,
    netns: PerPort = None,
    bridge: PerPort = None,
    ip: PerPort = None,
    mac: PerPort = None,
    gateway: PerPort = None,
    seed: int = 0,
    impair_rx: Impairment | None = None,
    impair_tx: Impairment | None = None,
    pcap_in: Path | Sequence[Path] | None = None,
    keep_time: bool = False,
    pcap_out: Path | Sequence[Path] | None = None,
    trace: Path | None = None,
    assertions: bool = False,
    board: str | None = None,
    duration: float | None = None,
    interval: float = 1.0,
    report: Path | None = None,
    console: Console | None = None,
) -> Totals:
    """Runs a design until SIGINT, SIGTERM, SIGHUP or `duration` seconds have passed.

    Each MAC port has an interface. `tap`: its name; further ports get the names that follow
    (`bombus1`, ...). `address`: of this machine, with prefix; default: one that the port can reach.
    `veth`: do not use TAP even where it is. `netns`: network namespace of the interface, by name
    or path; one alone is for all ports. `bridge`: joins the interface to this bridge, without
    address. `ip` (with or without prefix), `mac`, `gateway`: of the port, instead of those in the
    design file; gateway "0.0.0.0": none. While an interface is down, so is the port's link.
    `pcap_in`: frames to send into the port at the start; `keep_time`: with the gaps that the file
    has. `pcap_out`: both directions of the port. `trace`: a waveform file. `assertions`: check
    those of the RTL. `board`: with the Ethernet MACs of this board. On a terminal the counters
    are shown as they grow; elsewhere they are printed at the end. `report`: a JSON file with all
    numbers, rewritten every `interval` seconds and at the end; "-": standard output.

    UserError when an interface goes away meanwhile, after the report.
    """
    if duration is not None and not 0 <= duration < math.inf:
        raise UserError(f"duration {duration}: should be a number of seconds, 0 or more")
    pcaps_in, pcaps_out = _paths(pcap_in), _paths(pcap_out)
    files: list[tuple[str, Path | None]] = [("pcap-in", path) for path in pcaps_in]
    files += [("pcap-out", path) for path in pcaps_out]
    files += [("trace", trace), ("report", report)]
    if not isinstance(design, Library):
        files.append(("design", Path(design)))
    _check_different(files)
    to_standard_output = report == STANDARD_OUTPUT
    console = console or Console(file=sys.stderr if to_standard_output else None)
    if isinstance(design, Library):
        library = design
    else:
        library = build(
            design, trace=trace is not None, assertions=assertions, board=board, console=console
        )
    sides = _sides(
        library.manifest,
        {
            "tap": tap,
            "address": address,
            "netns": netns,
            "bridge": bridge,
            "ip": ip,
            "mac": mac,
            "gateway": gateway,
        },
    )
    with ExitStack() as stack:
        stop = stack.enter_context(_stop_on_signal())
        simulation = stack.enter_context(Simulation(library, seed=seed))
        for port, side in enumerate(sides):
            if side.is_changed:
                _set_host(simulation, port, side.host)
        interfaces = []
        for port, side in enumerate(sides):
            interface = stack.enter_context(Interface(side.tap, tap=not veth, netns=side.netns))
            simulation.attach(interface.file_descriptor, port)
            simulation.impair(impair_rx, impair_tx, port=port)
            interfaces.append(interface)
        if trace is not None:
            simulation.wave_start(trace)
        for port, path in enumerate(pcaps_out):
            simulation.pcap_out(path, port)
        for port, path in enumerate(pcaps_in):
            simulation.pcap_in(path, port, keep_time=keep_time)
        for interface, side in zip(interfaces, sides, strict=True):
            interface.bring_up(side.address, mtu, side.bridge)
        places = [
            f"{side.host.ip} on {interface.name} ({interface.kind}, "
            + (f"in bridge {side.bridge})" if side.bridge else f"local address {side.address})")
            for interface, side in zip(interfaces, sides, strict=True)
        ]
        console.print(
            f"{simulation.manifest['name']} at {', '.join(places)}; press Ctrl-C to stop",
            highlight=False,
        )
        written = Report(report) if report is not None else None
        return _loop(simulation, interfaces, stop, duration, interval, written, console)


@dataclass(frozen=True)
class _Side:
    """A MAC port and this machine's interface to it."""

    tap: str
    host: Host  # of the design
    is_changed: bool  # it is not the one of the design file
    address: str | None
    netns: str | None
    bridge: str | None


def _sides(manifest: Mapping[str, Any], given: Mapping[str, PerPort]) -> list[_Side]:
    count = len(manifest["mac_ports"])
    lists: dict[str, list[str | None]] = {}
    for name, value in given.items():
        values: list[str | None] = [value] if isinstance(value, str) else list(value or ())
        if len(values) > count:
            raise UserError(f"--{name} is given {len(values)} times; MAC ports: {count}")
        rest = values[0] if name == "netns" and len(values) == 1 else None
        lists[name] = [*values, *[rest] * (count - len(values))]
    return [
        _side(manifest, port, {name: values[port] for name, values in lists.items()}, lists["tap"])
        for port in range(count)
    ]


def _side(
    manifest: Mapping[str, Any],
    port: int,
    given: Mapping[str, str | None],
    taps: Sequence[str | None],
) -> _Side:
    changes = {name: given[name] for name in ("ip", "mac", "gateway")}
    host = host_of(manifest, port, **changes)
    address, bridge = given["address"], given["bridge"]
    if bridge is not None and address is not None:
        raise UserError("an interface in a bridge has no address: give --bridge or --address")
    if bridge is None:
        address = checked_address(host, address or default_address(host))
    tap = given["tap"] or _numbered(taps[0] or DEFAULT_TAP, port)
    is_changed = any(value is not None for value in changes.values())
    return _Side(tap, host, is_changed, address, given["netns"], bridge)


def _paths(given: Path | Sequence[Path] | None) -> list[Path]:
    return [given] if isinstance(given, Path) else list(given or ())


def _check_different(files: Iterable[tuple[str, Path | None]]) -> None:
    """No file may be two things: one would be lost."""
    seen: dict[Path, str] = {}
    for use, path in files:
        if path is None or path == STANDARD_OUTPUT or (path.exists() and not path.is_file()):
            continue
        there = path.resolve() in seen
        other = seen.setdefault(path.resolve(), use)
        if there:
            raise UserError(f"{path} is given twice: as {other} and as {use}")


def _set_host(simulation: Simulation, port: int, host: Host) -> None:
    simulation.receive_all(port)  # what it says of the addresses in its file concerns nobody
    simulation.set_host(
        port,
        mac=host.mac,
        ip=str(host.ip),
        netmask=str(host.network.netmask),
        gateway=str(host.gateway or "0.0.0.0"),
    )


def _loop(
    simulation: Simulation,
    interfaces: list[Interface],
    stop: list[int],
    duration: float | None,
    interval: float,
    report: Report | None,
    console: Console,
) -> Totals:
    start = time.monotonic()
    end = start + duration if duration is not None else math.inf
    next_look = start
    told: set[str] = set()
    failure: UserError | None = None
    with ExitStack() as stack:
        live = None
        if console.is_terminal:
            live = stack.enter_context(Live(console=console, auto_refresh=False, transient=True))
        while not stop and failure is None and (now := time.monotonic()) < end:
            try:
                if now >= next_look and (live is not None or report is not None):
                    next_look = now + interval
                    totals = Totals.of(simulation, interfaces, now - start)
                    if live is not None:
                        live.update(table(simulation, interfaces, totals), refresh=True)
                    if report is not None:
                        report.update(totals)
                for port, interface in enumerate(interfaces):
                    simulation.link(port, up=interface.is_up())
                simulation.run_live(min(_SLICE_SECONDS, end - now))
                told = _tell_stalls(simulation, told, console)
            except UserError as error:
                failure = error
    totals = Totals.of(simulation, interfaces, time.monotonic() - start)
    print_table(console, table(simulation, interfaces, totals))
    if report is not None:
        report.finish(totals)
    if failure is not None:
        raise failure
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


def _numbered(name: str, port: int) -> str:
    """The interface's name for a port: bombus0, bombus1, ..."""
    if port == 0:
        return name
    stem = name.rstrip("0123456789")
    return f"{stem}{int(name[len(stem) :] or 0) + port}"


@contextmanager
def _stop_on_signal() -> Iterator[list[int]]:
    """A list that holds the signals (SIGINT, SIGTERM, SIGHUP) that came; ignored ones stay so."""
    came: list[int] = []
    old = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield came
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
