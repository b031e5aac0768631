# SPDX-License-Identifier: Apache-2.0
"""VXLAN between a design and Linux: ARP, ping and UDP in the tunnel."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.base import paths
from tests.applications.functions import user_mode_linux
from tests.applications.functions.test_functions_linux import needs
from tests.support.live import starter

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

DESIGN = paths.EXAMPLES / "functions" / "udp_echo_vxlan.yaml"
# The other end is in the list only: its MAC address is unknown, so that all frames are copied.
SOFTWARE = """
written = False
def software(simulation):
    global written
    if not written:
        registers = simulation.tile("inner_tx").registers.vxlan_encapsulate
        registers.replicas[7].replica.write(ip=0x0A4E0002, valid=1)
        registers.remote[0].write(mac=0x020000000c02, vni=42, ip=0x0A4E0002, valid=1)
        written = True
"""
MODULES = ("net/ipv4/udp_tunnel", "net/ipv6/ip6_udp_tunnel", "drivers/net/vxlan/vxlan")
# It takes a second MAC address later, whose end the design knows.
SETUP = """
link add v0 address 02:00:00:00:0c:01 type vxlan id 42 remote 10.77.0.2 dstport 4789 {options}
addr add 10.99.0.1/24 dev v0
link set v0 up
"""
PROGRAM = """
found.update(pings=[], echoes=[])
for round in range(2):
    for size in (0, 56, 1421, 1422):
        found["pings"].append(" 0% packet loss" in run(
            "ping", "-c", "3", "-i", "0.2", "-W", "5", "-M", "do", "-s", str(size), "10.99.0.2"))
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(5)
    client.connect(("10.99.0.2", 7))
    for length in (0, 1, 7, 8, 99, 100, 1000, 1421, 1422):
        data = os.urandom(length)
        client.send(data)
        found["echoes"].append(client.recv(9999) == data)
    run("ip", "link", "set", "v0", "address", "02:00:00:00:0c:02")
    run("ip", "neigh", "flush", "dev", "v0")
    run("ping", "-c", "2", "-W", "5", "10.99.0.2")
found["outside"] = " 0% packet loss" in run("ping", "-c", "2", "-W", "5", "10.77.0.2")
link = json.loads(run("ip", "-j", "-s", "link", "show", "v0"))
found["errors"] = link[0]["stats64"]["rx"]["errors"]
"""


@pytest.mark.parametrize("options", ["noudpcsum", "udpcsum"])
def test_a_vxlan_with_linux(tmp_path: Path, options: str) -> None:
    needs("linux.uml", "ip", "ping")
    with starter(tmp_path) as start:
        live = start(DESIGN, software=SOFTWARE)
        setup = SETUP.replace("{options}", options)
        found = user_mode_linux.run(live, tmp_path, MODULES, setup, PROGRAM)
        assert found == {"pings": [True] * 8, "echoes": [True] * 18, "outside": True, "errors": 0}
        totals = live.stop()
        counters = {
            name: count
            for tile in totals["counters"].values()
            for name, count in tile.items()
            if ".vxlan_" in name and count
        }
        sent = counters["event.vxlan_encapsulate.encapsulated"]
        copies = counters["event.vxlan_encapsulate.copy"]
        # The second round goes to the end in the table.
        assert copies >= 12 + 9 and sent - copies >= 12 + 9
        # The announcement of the inner host may come before the list is written.
        drops = {name for name in counters if name.startswith("drop.")}
        assert drops <= {"drop.vxlan_encapsulate.no_end"}, counters
