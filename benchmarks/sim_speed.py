# SPDX-License-Identifier: Apache-2.0
"""Speed of simulation: the same frames through the C interface and through cocotb."""

from __future__ import annotations

import json as json_module
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Annotated
from unittest.mock import patch

from rich.table import Table

from bombus import Simulation
from bombus.analysis import check
from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.paths import BENCHMARKS, DESIGNS
from bombus.generation import generate
from bombus.measure.bench import report
from bombus.measure.exchanges import burst, echo_port, introduce, introduction, neighbour
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Host, Station, padded, ping_frame, udp_frame
from bombus.protocols.stack import FIRST_CLIENT_PORT
from bombus.simulator import verilator

DESIGN = DESIGNS / "udp_echo.yaml"
PAYLOADS = (1, 64, 256, 512, 1024, 1472)
DATAGRAMS, PINGS = 300, 30
SECONDS = 2.5  # minimum duration of each measurement through the C interface
IDLE_STEP_CYCLES = 10_000
COCOTB_TEST = BENCHMARKS / "_cocotb_exchange.py"
# No warnings; otherwise the options of bombus.simulator.build, for a fair comparison.
COCOTB_BUILD = (
    *("-Wno-fatal", "-O3", "--x-initial", "unique", "--x-assign", "unique"),
    *("--output-groups", "2"),  # equally few units to compile
)
COCOTB_MAKE = " -- OPT_FAST=-O2"


@dataclass(frozen=True)
class Speeds:
    """All per second of real time; docs/benchmarks.md defines them."""

    idle_cycles_per_s: float
    loaded_cycles_per_s: float
    frames_per_s: float
    cocotb_frames_per_s: float
    ratio: float


def traffic(
    random: Random, station: Station, host: Host, port: int, datagrams: int, pings: int
) -> list[bytes]:
    """UDP and ping requests of mixed sizes, in random order."""
    frames = [
        udp_frame(
            station,
            host,
            random.randbytes(random.choice(PAYLOADS)),
            source_port=random.randrange(FIRST_CLIENT_PORT, 1 << 16),
            port=port,
        )
        for _ in range(datagrams)
    ]
    frames += [
        ping_frame(station, host, random.randbytes(random.choice(PAYLOADS)), sequence=number)
        for number in range(pings)
    ]
    random.shuffle(frames)
    return [padded(frame) for frame in frames]


def check_replies(frames: Sequence[bytes], replies: Iterable[bytes], side: str) -> None:
    """Ping and UDP take different routes, so their replies may be reordered."""
    expected, came = Counter(map(echo_reply, frames)), Counter(replies)
    if expected != came:
        raise UserError(
            f"{side}: {(expected - came).total()} replies are wrong or missing, "
            f"{(came - expected).total()} unexpected"
        )


def c_interface(
    simulation: Simulation, frames: Sequence[bytes], seconds: float
) -> tuple[float, float]:
    """Evaluated cycles and frames per second under load."""
    spent, rounds, cycles = 0.0, 0, 0
    while spent < seconds:
        before = simulation.evaluated_cycles
        started = time.perf_counter()
        exchange = burst(simulation, frames, expected=len(frames))
        spent += time.perf_counter() - started
        cycles += simulation.evaluated_cycles - before
        rounds += 1
        received = [*exchange.received, *simulation.receive_all()]
        check_replies(frames, (reply.data for reply in received), "C interface")
    simulation.check()
    return cycles / spent, rounds * len(frames) / spent


def idle(simulation: Simulation, station: Station, port: int, seconds: float) -> float:
    """Evaluated cycles per second with nothing in flight.

    An idle design would not be evaluated at all; so it waits for an answer to an ARP
    request that it has sent, with its timer armed, which has to be.
    """
    host = Host.from_manifest(simulation.manifest)
    stranger = Station(station.mac, host.ip[:3] + bytes([host.ip[3] ^ 0x40]))
    simulation.send(padded(udp_frame(stranger, host, b"", port=port)))
    simulation.receive_all()
    spent, cycles = 0.0, 0
    while spent < seconds:
        before = simulation.evaluated_cycles
        started = time.perf_counter()
        simulation.advance(IDLE_STEP_CYCLES)
        spent += time.perf_counter() - started
        cycles += simulation.evaluated_cycles - before
    if simulation.in_flight:
        raise UserError("the design did not stay idle")
    return cycles / spent


def cocotb_simulator(design: Path) -> Path:
    """The directory of the same design, built by cocotb's runner; built once."""
    from cocotb_tools import config  # only developers have it
    from cocotb_tools.runner import get_runner

    checked, _ = check.check(design)
    top = f"{checked.design.config.name}_top"
    texts = generate.texts(checked)
    listed = texts[f"{checked.design.config.name}.f"].splitlines()
    files = [line for line in listed if not line.startswith("//")]

    def build(folder: Path) -> None:
        generated = generate.generate(design, folder / "generated").folder
        with patch.dict(os.environ, MAKEFLAGS=COCOTB_MAKE):
            get_runner("verilator").build(
                sources=[generated / file for file in files if not file.startswith("+")],
                includes=[
                    generated / file.removeprefix("+incdir+")
                    for file in files
                    if file.startswith("+incdir+")
                ],
                hdl_toplevel=top,
                build_dir=folder,
                build_args=COCOTB_BUILD,
                timescale=("1ps", "1ps"),
                log_file=folder / "build.log",
            )

    # The program loads cocotb's libraries from their location at build time.
    parts = [verilator.version(), str(config.libs_dir), *COCOTB_BUILD, COCOTB_MAKE]
    parts += [part for item in sorted(texts.items()) for part in item]
    return cached_directory(f"cocotb/{top}-{content_key(parts, [])}", build)


def cocotb(design: Path, simulation: Simulation, frames: Sequence[bytes]) -> float:
    """Frames per second through cocotb."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    manifest = simulation.manifest
    request, answer = introduction(manifest, neighbour(manifest))
    with (
        tempfile.TemporaryDirectory() as name,
        patch.dict(os.environ, verilator.verilator_environment()),
        patch("sys.path", [str(BENCHMARKS), *sys.path]),
    ):
        folder = Path(name)
        build_dir = cocotb_simulator(design)
        (folder / "request.json").write_text(
            json_module.dumps(
                {
                    "period_ps": round(1e12 / simulation.clock_hz),
                    "introduction": request.hex(),
                    "introduction_answer": answer.hex(),
                    "frames": [frame.hex() for frame in frames],
                }
            )
        )
        result = get_runner("verilator").test(
            hdl_toplevel=manifest["top"],
            hdl_toplevel_lang="verilog",
            test_module=COCOTB_TEST.stem,
            build_dir=build_dir,
            test_dir=folder,
            seed=1,
            extra_env={
                "EXCHANGE_REQUEST": str(folder / "request.json"),
                "EXCHANGE_RESULT": str(folder / "result.json"),
            },
            log_file=folder / "test.log",
        )
        passed, failed = get_results(result)
        if not passed or failed:
            raise UserError(f"cocotb failed:\n{(folder / 'test.log').read_text()}")
        outcome = json_module.loads((folder / "result.json").read_text())
    check_replies(frames, map(bytes.fromhex, outcome["replies"]), "cocotb")
    return len(frames) / float(outcome["seconds"])


def measure(design: Path, *, quick: bool, seed: int) -> Speeds:
    share = 10 if quick else 1
    with Simulation(design, seed=seed) as simulation:
        manifest = simulation.manifest
        station, port = neighbour(manifest), echo_port(manifest)
        introduce(simulation, station)
        host = Host.from_manifest(manifest)
        frames = traffic(Random(seed), station, host, port, DATAGRAMS // share, PINGS // share)
        # Run first, so that the others follow each other even if this one must be built.
        cocotb_frames = cocotb(design, simulation, frames)
        loaded_cycles, sent_frames = c_interface(simulation, frames, SECONDS / share)
        idle_cycles = idle(simulation, station, port, SECONDS / share)
    return Speeds(
        idle_cycles_per_s=round(idle_cycles, 1),
        loaded_cycles_per_s=round(loaded_cycles, 1),
        frames_per_s=round(sent_frames, 3),
        cocotb_frames_per_s=round(cocotb_frames, 3),
        ratio=round(sent_frames / cocotb_frames, 2),
    )


def main(
    design: Path | None,
    json: Path | None,
    *,
    quick: Annotated[bool, "shorter runs, less exact"] = False,
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    speeds = measure(design or DESIGN, quick=quick, seed=seed)
    table = Table(title="Speed of simulation, in this run", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("cycles/s, idle", f"{speeds.idle_cycles_per_s:,.0f}")
    table.add_row("cycles/s, loaded", f"{speeds.loaded_cycles_per_s:,.0f}")
    table.add_row("frames/s, C interface", f"{speeds.frames_per_s:,.0f}")
    table.add_row("frames/s, cocotb", f"{speeds.cocotb_frames_per_s:,.1f}")
    table.add_row("ratio", f"{speeds.ratio:,.0f}")
    report(asdict(speeds), json, [table])
