# SPDX-License-Identifier: Apache-2.0
"""Live runs: a design attached to a Linux network interface, in real time.

`run` is what `bombus run` does.
"""

from __future__ import annotations

import errno
import math
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.output import STDOUT, check_different, check_writable, inputs
from bombus.base.tables import print_table
from bombus.base.text import listing
from bombus.design import config
from bombus.design.config.host import Host
from bombus.live import privileges
from bombus.live.interface import Interface, check_interface, check_mtu
from bombus.live.report import Report, Totals, table
from bombus.live.sides import PerPort, sides_of
from bombus.live.software import Software, of_applications
from bombus.simulator.build import Library, build
from bombus.simulator.impairment import Impairment
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation
from bombus.simulator.stalls import explain
from bombus.simulator.verilating import wave_format

DEFAULT_MTU = 1500
WAVE_FORMATS = (".fst", ".vcd")
# Interval at which Python checks signals and the clock.
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
    seed: int | None = None,
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
    software: Software | None = None,
    drops_privileges: bool = False,
    console: Console | None = None,
) -> Totals:
    """Runs a design until SIGINT, SIGTERM, SIGHUP or `duration` seconds have passed.

    Each MAC port has an interface. `tap`: its name; further ports get the names that follow
    (`bombus1`, ...). `address`: of this machine, with prefix; default: one that the port can reach.
    `veth`: do not use TAP even where it is. `netns`: network namespace of the interface, by name or
    path; one alone is for all ports. `bridge`: joins the interface to this bridge, without address.
    `ip` (with or without prefix), `mac`, `gateway`: of the port, instead of those in the design
    file; gateway "0.0.0.0": none. While an interface is down, so is the port's link. `pcap_in`:
    frames to send into the port at the start; `keep_time`: with the gaps that the file has.
    `pcap_out`: both directions of the port. `trace`: a waveform file. `assertions`: check those of
    the RTL. `board`: with the Ethernet MACs of this board. On a terminal the counters are shown as
    they grow; elsewhere they are printed at the end. `report`: a JSON file with all numbers,
    rewritten every `interval` seconds and at the end; "-": standard output; a full disk ends no
    run. `software`: called at the start, then about ten times a second, and when messages have
    arrived on a raised stream, to read and write registers and messages. `drops_privileges`: when
    the interfaces are open, this process gives up rights that it no longer needs, for good.

    Raises UserError, after the report, if an interface disappears meanwhile.
    """
    if duration is not None and not 0 <= duration < math.inf:
        raise UserError(f"duration {duration}: should be a number of seconds, 0 or more")
    if seed is None:
        seed = secrets.randbits(64)
    if not 0 <= seed < 1 << 64:
        raise UserError(f"seed {seed}: should be from 0 to 2**64 - 1")
    pcaps_in, pcaps_out = _paths(pcap_in), _paths(pcap_out)
    files: list[tuple[str, Path | None]] = [("pcap-in", path) for path in pcaps_in]
    files += [("pcap-out", path) for path in pcaps_out]
    files += [("trace", trace), ("report", report)]
    if not isinstance(design, Library):
        files = [*inputs(Path(design)), *files]
    check_different(files)
    _check_captures(pcaps_in, pcaps_out, keep_time=keep_time)
    _check_trace(trace)
    check_mtu(mtu)
    written = Report(report) if report is not None else None
    console = console or new_console(file=sys.stderr if report == STDOUT else None)
    sides = sides_of(
        _mac_ports(design),
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
    for side in sides:  # before a build, which takes minutes
        check_interface(side.tap, tap=not veth, netns=side.netns, bridge=side.bridge)
    if isinstance(design, Library):
        library = design
    else:
        library = build(
            design, trace=trace is not None, assertions=assertions, board=board, console=console
        )
    # The last ports may have addresses and no MAC, as those of tunnels.
    with_mac = [each.get("at_top", True) for each in library.manifest["mac_ports"]]
    sides = [side for side, has_mac in zip(sides, with_mac, strict=True) if has_mac]
    # A middlebox has no addresses: it passes frames on.
    has_addresses = library.manifest["answers_for_host"]
    if has_addresses:
        for doubt in (doubt for side in sides for doubt in side.doubts):
            _warning(console)(doubt)
    with ExitStack() as stack:
        stop = stack.enter_context(stop_on_signal())
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
            (f"{side.host.ip} on " if has_addresses else "")
            + f"{interface.name} ({interface.kind}, "
            + (f"in bridge {side.bridge})" if side.bridge else f"local address {side.address})")
            for interface, side in zip(interfaces, sides, strict=True)
        ]
        console.print(
            f"{simulation.manifest['name']} {'at' if has_addresses else 'on'} "
            f"{', '.join(places)}; press Ctrl-C to stop",
            highlight=False,
        )
        if drops_privileges:
            _drop_privileges(interfaces)
            if report is not None:
                check_writable(report)
        return _loop(simulation, interfaces, stop, duration, interval, written, software, console)


def _drop_privileges(interfaces: Sequence[Interface]) -> None:
    """Keeps what it takes to look at interfaces in other namespaces, and to remove a veth pair."""
    keep = set()
    if any(interface.kind == "veth" for interface in interfaces):
        keep.add(privileges.NET_ADMIN)
    if any(interface.netns is not None for interface in interfaces):
        keep.add(privileges.SYS_ADMIN)
    privileges.drop(keep)


def _paths(given: Path | Sequence[Path] | None) -> list[Path]:
    return [given] if isinstance(given, Path) else list(given or ())


def _mac_ports(design: Path | str | Library) -> list[dict[str, Any]]:
    """The addresses in the design file, of each MAC port."""
    if isinstance(design, Library):
        ports: list[dict[str, Any]] = design.manifest["mac_ports"]
        return ports
    return [port.model_dump(mode="json") for port in config.load(Path(design)).config.ports]


def _check_captures(given: list[Path], written: list[Path], *, keep_time: bool) -> None:
    if STDOUT in written:
        raise UserError("--pcap-out -: should be a file or a named pipe, not standard output")
    if keep_time and not given:
        raise UserError("--keep-time is about the capture of --pcap-in, which is not given")
    for path in given:
        if not path.exists():
            raise UserError(f"--pcap-in {path}: there is no such file")


def _check_trace(trace: Path | None) -> None:
    """Checks the suffix of the waveform's name: the format is known before the build."""
    if trace is None:
        return
    made = wave_format()
    if trace.suffix not in WAVE_FORMATS:
        endings = listing(WAVE_FORMATS, "or")
        raise UserError(f"--trace {trace}: the file name should end in {endings}; here, .{made}")
    if trace.suffix != f".{made}":
        why = "" if made == "fst" else ", since zlib.h and lz4.h, which FST needs, are missing"
        raise UserError(
            f"--trace {trace}: waveforms are written as {made.upper()} here{why}; name the file "
            f"{trace.with_suffix(f'.{made}')}"
        )


def _set_host(simulation: Simulation, port: int, host: Host) -> None:
    simulation.receive_all(port)  # discards announcements of the design file's addresses
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
    software: Software | None,
    console: Console,
) -> Totals:
    told: set[str] = set()
    application_software = of_applications(simulation, _warning(console))  # imports modules
    start = time.monotonic()
    end = start + duration if duration is not None else math.inf
    next_look = start
    failure: UserError | None = None
    with ExitStack() as stack:
        live = None
        if console.is_terminal:
            live = stack.enter_context(Live(console=console, auto_refresh=False, transient=True))
        while not stop and failure is None and (now := time.monotonic()) < end:
            try:
                for port, interface in enumerate(interfaces):
                    simulation.link(port, up=interface.is_up())
                simulation.serve()
                if software is not None:
                    software(simulation)
                application_software(simulation)
                simulation.run_live(min(_SLICE_SECONDS, end - now))
                told = _tell_stalls(simulation, told, console)
                now = time.monotonic()
                if now >= next_look and (live is not None or report is not None):
                    next_look = now + interval
                    totals = Totals.of(simulation, interfaces, now - start)
                    if live is not None:
                        live.update(table(simulation, interfaces, totals), refresh=True)
                    if report is not None and (reason := report.update(totals)):
                        _warning(console)(reason)
            except UserError as error:
                failure = _named(error, interfaces)
    totals = Totals.of(simulation, interfaces, time.monotonic() - start)
    print_table(console, table(simulation, interfaces, totals))
    if report is not None:
        report.finish(totals)
    if failure is not None:
        raise failure
    simulation.check()
    return totals


def _named(error: UserError, interfaces: list[Interface]) -> UserError:
    """The error with the name of the deleted interface: the simulator only knows its port."""
    if isinstance(error, SimulationError) and error.code == errno.ENODEV:
        for port, interface in enumerate(interfaces):
            if not interface.is_there():
                return UserError(f"interface {interface.name} of MAC port {port} was deleted")
    return error


def _warning(console: Console) -> Callable[[str], None]:
    """Prints warnings on a console."""
    return lambda text: console.print(
        f"warning: {text}", style="yellow", markup=False, highlight=False
    )


def _tell_stalls(simulation: Simulation, told: set[str], console: Console) -> set[str]:
    """Prints stalled places when there are new ones; returns all of them."""
    found = simulation.stalls()
    names = {stall.name for stall in found}
    if names - told:
        for line in explain(found):
            console.print(line, style="red", markup=False, highlight=False)
    return names


@contextmanager
def stop_on_signal() -> Iterator[list[int]]:
    """A list of the signals (SIGINT, SIGTERM, SIGHUP) received; ignored ones stay ignored."""
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
