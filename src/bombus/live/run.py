# SPDX-License-Identifier: Apache-2.0
"""Live runs: a design attached to a Linux network interface, in real time.

`run` is what `bombus run` does.
"""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live

from bombus.base.errors import UserError
from bombus.base.tables import print_table
from bombus.design.config.host import Host
from bombus.live.addresses import checked_address, default_address, host_of
from bombus.live.interface import Interface
from bombus.live.netns import inside
from bombus.live.report import STANDARD_OUTPUT, Report, Totals, table
from bombus.simulator.build import Library, build
from bombus.simulator.impairment import Impairment
from bombus.simulator.simulation import Simulation
from bombus.simulator.stalls import explain

DEFAULT_TAP = "bombus0"
DEFAULT_MTU = 1500
# Python looks at signals and at the clock so often.
_SLICE_SECONDS = 0.1


def run(
    design: Path | str | Library,
    *,
    tap: str = DEFAULT_TAP,
    address: str | None = None,
    mtu: int = DEFAULT_MTU,
    veth: bool = False,
    netns: str | None = None,
    bridge: str | None = None,
    ip: str | None = None,
    mac: str | None = None,
    gateway: str | None = None,
    seed: int = 0,
    impair_rx: Impairment | None = None,
    impair_tx: Impairment | None = None,
    pcap_in: Path | None = None,
    keep_time: bool = False,
    pcap_out: Path | None = None,
    trace: Path | None = None,
    assertions: bool = False,
    duration: float | None = None,
    interval: float = 1.0,
    report: Path | None = None,
    console: Console | None = None,
) -> Totals:
    """Runs a design until SIGINT, SIGTERM, SIGHUP or `duration` seconds have passed.

    `tap`: name of the interface of MAC port 0; further ports get the names that follow
    (`bombus1`, ...), without address. `address`: of this machine, with prefix; default: one
    that the design can reach. `veth`: do not use TAP even where it is. `netns`: network
    namespace of the interfaces, by name or path. `bridge`: joins the interface of port 0 to this
    bridge, without address. `ip` (with or without prefix), `mac`, `gateway`: of the design,
    instead of those in its file; gateway "0.0.0.0": none. `pcap_in`: frames to send into port 0
    at the start; `keep_time`: with the gaps that the file has. `pcap_out`: both directions of
    port 0. `trace`: a waveform file. `assertions`: check those of the RTL. On a terminal the
    counters are shown as they grow; elsewhere they are printed at the end. `report`: a JSON
    file with all numbers, rewritten every `interval` seconds and at the end; "-": standard
    output. UserError when an interface goes away meanwhile, after the report.
    """
    if duration is not None and not 0 <= duration < math.inf:
        raise UserError(f"duration {duration}: should be a number of seconds, 0 or more")
    files = {"pcap-in": pcap_in, "pcap-out": pcap_out, "trace": trace, "report": report}
    if not isinstance(design, Library):
        files["design"] = Path(design)
    _check_different(files)
    to_standard_output = report == STANDARD_OUTPUT
    console = console or Console(file=sys.stderr if to_standard_output else None)
    if isinstance(design, Library):
        library = design
    else:
        library = build(design, trace=trace is not None, assertions=assertions, console=console)
    host = host_of(library.manifest, ip=ip, mac=mac, gateway=gateway)
    if bridge is not None and address is not None:
        raise UserError("an interface in a bridge has no address: give --bridge or --address")
    if bridge is None:
        address = checked_address(host, address or default_address(host))
    with ExitStack() as stack:
        stop = stack.enter_context(_stop_on_signal())
        if netns is not None:
            stack.enter_context(inside(netns))
        simulation = stack.enter_context(Simulation(library, seed=seed))
        if (ip, mac, gateway) != (None, None, None):
            _set_host(simulation, host)
        interfaces = []
        for port in range(simulation.mac_ports):
            interface = stack.enter_context(Interface(_numbered(tap, port), tap=not veth))
            simulation.attach(interface.file_descriptor, port)
            simulation.impair(impair_rx, impair_tx, port=port)
            interfaces.append(interface)
        if trace is not None:
            simulation.wave_start(trace)
        if pcap_out is not None:
            simulation.pcap_out(pcap_out)
        if pcap_in is not None:
            simulation.pcap_in(pcap_in, keep_time=keep_time)
        for port, interface in enumerate(interfaces):
            if port == 0:
                interface.bring_up(address, mtu, bridge)
            else:
                interface.bring_up(None, mtu)
        side = f"in bridge {bridge}" if bridge else f"local address {address}"
        console.print(
            f"{simulation.manifest['name']} at {host.ip} on {interfaces[0].name} "
            f"({interfaces[0].kind}, {side}); press Ctrl-C to stop",
            highlight=False,
        )
        written = Report(report) if report is not None else None
        return _loop(simulation, interfaces, stop, duration, interval, written, console)


def _check_different(files: Mapping[str, Path | None]) -> None:
    """No file may be two things: one would be lost."""
    seen: dict[Path, str] = {}
    for use, path in files.items():
        if path is None or path == STANDARD_OUTPUT or (path.exists() and not path.is_file()):
            continue
        other = seen.setdefault(path.resolve(), use)
        if other != use:
            raise UserError(f"{path} is given twice: as {other} and as {use}")


def _set_host(simulation: Simulation, host: Host) -> None:
    simulation.receive_all()  # what it says of the addresses in its file concerns nobody
    simulation.set_host(
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
