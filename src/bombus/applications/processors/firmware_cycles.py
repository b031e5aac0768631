# SPDX-License-Identifier: Apache-2.0
"""Cycles per packet of a program, measured on the RTL of one packet processor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from bombus.analysis.check import check
from bombus.applications.processors import LEAST_BYTES
from bombus.applications.processors.build import FILES
from bombus.applications.processors.processors import count_in, processors
from bombus.base.errors import UserError
from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    PROTOCOL_UDP,
    TYPE_IPV4,
    UDP_BYTES,
    ethernet,
    ipv4,
    udp,
)
from bombus.simulator.frames import latencies
from bombus.simulator.simulation import Simulation

ONE_PROCESSOR = FILES / "one_processor.yaml"
_FRAMES = 400
_WINDOW = 32  # frames in flight: enough to keep a processor busy
_LONGEST = 1_000_000  # cycles of a single frame
_SLACK_CYCLES = 100_000
_START_CYCLES = 2000  # until a program receives


@dataclass(frozen=True)
class Cycles:
    """Of the path of frames that come out again."""

    frame_bytes: int
    per_packet: float  # from frame to frame, with frames always waiting
    latency: int  # of a single frame, from its first beat in to its first beat out


def datagram(random: Random, frame_bytes: int) -> bytes:
    """A frame with a UDP datagram of random addresses, ports and payload."""
    source, destination = random.randbytes(4), random.randbytes(4)
    ports = random.randrange(1 << 16), random.randrange(1 << 16)
    payload = random.randbytes(frame_bytes - ETHERNET_BYTES - IPV4_BYTES - UDP_BYTES)
    packet = ipv4(source, destination, PROTOCOL_UDP, udp(source, destination, *ports, payload))
    return ethernet(bytes.fromhex("020000000000"), bytes.fromhex("020000000001"), TYPE_IPV4, packet)


def measure(program: Path, frame_bytes: int = LEAST_BYTES, design: Path = ONE_PROCESSOR) -> Cycles:
    """Runs a program (ELF) on the packet processor of a design, with datagrams on MAC port 0.

    `frame_bytes`: without FCS. UserError if the design has not exactly one processor, or if not all
    frames come out: then there is no rate to measure.
    """
    facts, _ = check(design)
    checked = facts.design
    if (count := count_in(checked)) != 1:
        raise UserError(
            f"cycles are measured with one packet processor; {checked.config.name} has {count}"
        )
    with Simulation(design) as simulation:
        longest = simulation.manifest["max_frame_bytes"]
        if not LEAST_BYTES <= frame_bytes <= longest:
            raise UserError(f"frames must have {LEAST_BYTES} to {longest} bytes, not {frame_bytes}")
        for port in range(simulation.mac_ports):
            simulation.line_rate(None, port)
        processor = processors(simulation)[0]
        processor.load(program)
        processor.boot()
        simulation.advance(_START_CYCLES)
        random = Random(1)
        frames = [datagram(random, frame_bytes) for _ in range(_FRAMES)]
        alone = simulation.exchange(frames[:1], limit_cycles=_LONGEST)
        # None takes longer behind others than alone.
        limit = _FRAMES * max(latencies(alone), default=0) + _SLACK_CYCLES
        done = simulation.exchange(frames, window=_WINDOW, limit_cycles=limit)
        count = len(alone.received) + len(done.received)
        if count != _FRAMES + 1:
            raise UserError(
                f"{program}: {count:,} of {_FRAMES + 1:,} frames have come out, so there is no "
                f"rate to measure (the program: {processor.status.state})"
            )
        at = [frame.last_beat_cycle for frame in done.received]
        first, last = at[_FRAMES // 4], at[_FRAMES * 3 // 4]
        return Cycles(frame_bytes, (last - first) / (_FRAMES // 2), latencies(alone)[0])
