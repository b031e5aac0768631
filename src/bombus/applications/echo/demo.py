# SPDX-License-Identifier: Apache-2.0
"""`bombus demo`: Bombus in half a minute.

Builds a design, runs it in a private network namespace, lets ping and a program
with plain sockets talk to it, shows the counters of the mesh, and measures it in
virtual time. Leaves nothing behind.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bombus.base.errors import UserError
from bombus.base.tables import print_table
from bombus.live.netns import Namespace
from bombus.live.sides import DEFAULT_TAP
from bombus.measure.exchanges import (
    burst,
    cycles_per_packet,
    echo_port,
    idle_latencies,
    introduce,
    neighbour,
    wire_gbps,
)
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.build import Library, build
from bombus.simulator.counters import dropped, mesh_table
from bombus.simulator.simulation import Simulation

# Runs as a separate program inside the namespace; any program with sockets would do.
UDP_CLIENT = """
import os, socket, sys, time
address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(2)
client.connect((address, port))
times = []
for i in range(count):
    message = os.urandom(1 + i * 1471 // max(1, count - 1))
    start = time.perf_counter()
    client.send(message)
    answer = client.recv(65535)
    times.append(time.perf_counter() - start)
    assert answer == message, f"message {i} came back changed"
times.sort()
print(f"{count} datagrams of 1 to 1472 bytes came back unchanged; "
      f"median {times[count // 2] * 1e6:.0f} us of real time, simulated cycle by cycle")
"""
DATAGRAMS = 200
SINGLE_PACKETS = 16
BURST = 2000
HEADERS = 14 + 20 + 8  # Ethernet, IPv4, UDP


def run(design: Path, console: Console) -> None:
    library = build(design, console=console)
    failure = None
    try:
        live(design, library, console)
    except UserError as error:  # virtual time needs no network: that part works anywhere
        failure = error
        console.print(f"[red]not shown live:[/red] {error}")
    measure(library, console)
    if failure is not None:
        raise failure


def live(design: Path, library: Library, console: Console) -> None:
    """Linux programs talk to the design in a private network."""
    host = library.manifest["mac_ports"][0]
    udp_port = echo_port(library.manifest)
    with Namespace() as namespace, tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            sys.executable,
            "-P",
            "-m",
            "bombus.cli",
            "run",
            str(design),
            "--report",
            str(report),
        ]
        log = Path(folder) / "log"
        with log.open("w") as output:
            runner = namespace.popen(command, stdout=output, stderr=output)
        try:
            namespace.wait_for_interface(DEFAULT_TAP, runner)
        except UserError:
            raise UserError(log.read_text().strip()) from None
        console.rule(f"{host['ip']} on {DEFAULT_TAP}, in a private network namespace")
        if shutil.which("ping"):
            _shell(namespace, ["ping", "-c", "5", "-i", "0.2", host["ip"]], console)
        else:
            console.print("ping is not installed (package iputils-ping)")
        console.print(f"\n[bold]UDP echo on port {udp_port}, with plain sockets[/bold]")
        console.print(
            namespace.python(UDP_CLIENT, host["ip"], str(udp_port), str(DATAGRAMS)).strip()
        )
        if namespace.stop(runner) != 0:
            raise UserError(log.read_text().strip())
        totals = json.loads(report.read_text())
    console.print()
    print_table(console, mesh_table(library.manifest, totals["counters"], "Counters by tile"))
    ports = totals["ports"][0]
    console.print(
        f"{ports['rx_frames']:,} frames in, {ports['tx_frames']:,} out, "
        f"{dropped(totals['counters']):,} dropped; {totals['cycles']:,} cycles evaluated in "
        f"{totals['seconds']:.1f} s; the simulator sleeps while nothing happens"
    )


def _shell(namespace: Namespace, command: Sequence[str], console: Console) -> None:
    console.print(f"[bold]$ {' '.join(command)}[/bold]")
    console.file.flush()
    result = namespace.run(command, check=False, capture_output=True, text=True)
    console.print((result.stdout + result.stderr).strip(), markup=False)
    if result.returncode != 0:
        raise UserError(f"{command[0]} failed")


def measure(library: Library, console: Console) -> None:
    """Cycles per packet and latency, in virtual time: exact, and the same on every machine."""
    console.print()
    table = Table(title="Measured in virtual time: UDP echo", title_justify="left")
    for heading in (
        "frame bytes",
        "latency, cycles",
        "latency, ns",
        "cycles per packet",
        "packets/s",
        "Gbit/s on the wire",
    ):
        table.add_column(heading, justify="right")
    started = time.perf_counter()
    with Simulation(library) as simulation:
        station = neighbour(library.manifest)
        host = Host.from_manifest(library.manifest)
        introduce(simulation, station)
        mhz = simulation.clock_hz / 1e6
        for size in (60, 256, 1514):
            payload = bytes(size - HEADERS)
            frame = udp_frame(station, host, payload, port=echo_port(library.manifest))
            latency, _ = idle_latencies(simulation, [frame] * SINGLE_PACKETS)
            received = burst(simulation, [frame] * BURST).received
            if len(latency) != SINGLE_PACKETS or len(received) != BURST:
                raise UserError(
                    f"{library.manifest['name']}: not every datagram of {size} bytes came back"
                )
            cycles = cycles_per_packet(received)
            rate = simulation.clock_hz / cycles
            on_the_wire = min(library.manifest["line_rate_gbps"], wire_gbps(size, rate))
            table.add_row(
                f"{size}",
                f"{max(latency)}",
                f"{max(latency) * 1000 / mhz:.0f}",
                f"{cycles:.2f}",
                f"{rate / 1e6:.1f} M",
                f"{on_the_wire:.1f}",
            )
        simulation.check()
        speed = simulation.evaluated_cycles / (time.perf_counter() - started)
    line_rate = library.manifest["line_rate_gbps"]
    table.caption = (
        f"{mhz:.0f} MHz, {library.manifest['data_width']} bits per cycle; Gbit/s are at most the "
        f"line rate, {line_rate:g}; {speed / 1000:.0f} k cycles/s simulated"
    )
    table.caption_justify = "left"
    print_table(console, table)
