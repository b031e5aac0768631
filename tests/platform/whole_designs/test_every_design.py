# SPDX-License-Identifier: Apache-2.0
"""Every design of designs/ under traffic of all kinds: each tile's counters add up.

Boards that have links only are tested in tests/cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bombus.base.paths import DESIGNS
from bombus.measure.exchanges import neighbour
from bombus.protocols.frames import (
    Host,
    Station,
    arp_reply,
    arp_request,
    ethernet,
    ip_frame,
    padded,
    ping_frame,
    udp_frame,
)
from bombus.simulator.simulation import Simulation
from tests.applications.processors import forwarding
from tests.support import message_sums
from tests.support.bench import LIMIT_CYCLES, SCALE_28, TAGGED, TIMER_STEP_US, UNCHECKED, udp_ports

pytestmark = pytest.mark.slow

FRAMES = 300
# To build; replicas are in SCALE_28 and other tests, too, and MACs with clocks of their own in
# udp_echo_xxv.
SLOW = (
    SCALE_28,
    *(
        DESIGNS / f"{name}.yaml"
        for name in (
            *("middlebox_8", "middlebox_16", "tcp_echo_bypass", "udp_echo_cmac"),
            "udp_echo_replicas",
        )
    ),
)


def frames(random: Random, host: Host, station: Station, ports: list[int]) -> Iterator[bytes]:
    """Frames that a design answers, frames that it drops, and invalid frames."""
    tagged = Station(station.mac, station.ip, TAGGED.tci)
    while True:
        data = random.randbytes(random.choice([0, 1, 18, 64, random.randrange(1472)]))
        sender = random.choice([station, station, tagged])
        wrong = {"udp_checksum": random.getrandbits(16)} if random.random() < 0.1 else {}
        yield random.choice(
            [
                udp_frame(sender, host, data, port=random.choice(ports), **wrong),
                udp_frame(sender, host, data, port=random.randrange(1, 1 << 16)),
                ping_frame(sender, host, data),
                ip_frame(sender, host, random.randrange(256), data),
                ip_frame(sender, host, 17, data, options=bytes((1,)) * 8),
                ip_frame(sender, host, 17, data, fragment=random.choice([1, 0x2000])),
                padded(arp_request(sender, host)),
                padded(arp_reply(sender, host)),
                ethernet(host.mac, sender.mac, random.getrandbits(16), data + bytes(46)),
                random.randbytes(random.randrange(1, 200)),
                udp_frame(sender, host, data)[: random.randrange(14, 60)],
            ]
        )


@pytest.mark.parametrize(
    "design",
    [
        pytest.param(file, marks=pytest.mark.sweep if file in SLOW else (), id=file.stem)
        for file in sorted(DESIGNS.glob("*.yaml"))
        if "cluster_node" not in file.read_text()
    ],
)
def test_counters_add_up(design: Path, tmp_path: Path) -> None:
    random = Random(1)
    is_checked = design not in UNCHECKED
    with Simulation(design, assertions=is_checked, timer_step_us=TIMER_STEP_US) as simulation:
        forwarding.start(simulation, tmp_path)
        host = Host.from_manifest(simulation.manifest)
        station = neighbour(simulation.manifest)
        ports = sorted(udp_ports(simulation.manifest)) or [7]
        source = frames(random, host, station, ports)
        # As it is; with MACs that pause; and from all MAC ports at once.
        for stall in (0.0, 0.4, 0.9):
            for port in range(simulation.mac_ports):
                simulation.pace(port, tx_stall=stall, rx_bubble=stall / 2)
            sent = [padded(arp_request(station, host)), *(next(source) for _ in range(FRAMES))]
            ways = [random.randrange(simulation.mac_ports) for _ in sent]
            done = simulation.exchange(sent, ports=ways, limit_cycles=LIMIT_CYCLES)
            assert not done.timed_out
            message_sums.check(simulation)
        values = simulation.counters().values()
        assert sum(tile["mac_in_frames"] for tile in values) > FRAMES
        simulation.check()
