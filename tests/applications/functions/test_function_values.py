# SPDX-License-Identifier: Apache-2.0
"""`bombus check` on values of the network functions, and on MAC ports without a MAC."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base import paths
from tests.support.helpers import Problems

NAT, TUNNEL, VXLAN = "udp_echo_nat", "udp_echo_tunnel", "udp_echo_vxlan"


@pytest.mark.parametrize(
    ("design", "old", "new", "message"),
    [
        (NAT, "received: 0", "received: 0, num_entries: 1000", "a power of two from 16 to 65536"),
        (NAT, "received: 0", "received: 0, num_entries: 8", "a power of two from 16 to 65536"),
        (TUNNEL, "remote: 0x0a4d0001", "mtu: 67", "mtu must be 68 to 9566"),
        (TUNNEL, "remote: 0x0a4d0001", "mtu: 9567", "mtu must be 68 to 9566"),
        (TUNNEL, "remote: 0x0a4d0001", "outer_port: 2", "must be MAC ports of the design"),
        (TUNNEL, "remote: 0x0a4d0001", "remote: 0x0a4d0002", "an address of the design itself"),
        (TUNNEL, "_decapsulate, ", "_decapsulate, remote: 0x0a630002, ", "of the design itself"),
        (TUNNEL, "_decapsulate, ", "_decapsulate, inner_port: 2, ", "must be a MAC port"),
        (VXLAN, "before: udp_rx", "before: udp_rx, inner_port: 0", "here from 1 to 1"),
        (VXLAN, "_encapsulate: {", "_encapsulate: {mtu: 9537, ", "mtu must be 68 to 9536"),
        (VXLAN, "_encapsulate: {", "_encapsulate: {num_replicas: 0, ", "must be 1 to 64"),
        (TUNNEL, "_decapsulate, ", "_decapsulate, inner_port: 0, ", "here from 1 to 1"),
    ],
)
def test_values_that_are_refused(
    problems: Problems, tmp_path: Path, design: str, old: str, new: str, message: str
) -> None:
    text = (paths.EXAMPLES / "functions" / f"{design}.yaml").read_text()
    assert text.count(old) == 1
    file = tmp_path / f"{design}.yaml"
    file.write_text(text.replace(old, new))
    found = problems(check.check, file)
    assert any(message in said for said in found), found
