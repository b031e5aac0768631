# SPDX-License-Identifier: Apache-2.0
"""`bombus check` on network functions in a wrong place, or without a layer that they need."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base import paths
from tests.support.helpers import Problems

EXAMPLES = paths.EXAMPLES / "functions"
ACL, MARKS, VXLAN = "acl_established", "shaper_marks", "udp_echo_vxlan"
MISREAD = "whose messages it would misread;"


@pytest.mark.parametrize(
    ("example", "old", "new", "message"),
    [
        pytest.param(
            "acl",
            ("layers: [acl: {before: ipv4_rx.ipv4_rx}, ipv4_rx], at", "kind: udp_rx, at"),
            ("kind: ipv4_rx, at", "layers: [acl: {before: udp_rx.udp_rx}, udp_rx], at"),
            f"udp_rx.acl stands before udp_rx.udp_rx, {MISREAD} it should be before ipv4_rx or "
            "eth_tx: name `eth_tx.eth_tx` or `ipv4_rx`",
            id="transport",
        ),
        pytest.param(
            "acl",
            ("{before: ipv4_rx.ipv4_rx}",),
            ("{before: ipv4_rx.ipv4_rx, marks: 1}",),
            f"ipv4_rx.acl stands before ipv4_rx.ipv4_rx, {MISREAD} with marks 1 it should be "
            "before eth_tx: name `eth_tx.eth_tx`",
            id="marks",
        ),
        pytest.param(
            ACL,
            ("receive.ipv4_rx, established: 1}, ipv4_rx]", "transmit.eth_tx}"),
            ("transmit.eth_tx, established: 1}, ipv4_rx]", "receive.ipv4_rx}"),
            f"receive.acl stands before transmit.eth_tx, {MISREAD} with established 1 it should be "
            "before ipv4_rx: name `receive.ipv4_rx`",
            id="established",
        ),
        pytest.param(
            "shaper_fused",
            ("transmit.mac_tx", "waits: [eth_tx]"),
            ("transmit.eth_tx", "waits: [shaper]"),
            f"transmit.shaper stands before transmit.eth_tx, {MISREAD} it should be before mac_tx "
            "or vxlan_encapsulate: name `transmit.mac_tx`",
            id="shaper",
        ),
        pytest.param(
            ACL,
            ("      - acl_sent: {before: transmit.eth_tx}\n", "waits: [acl_sent]"),
            ("", "waits: [eth_tx]"),
            "receive.acl has no partner: with established 1 it needs a layer acl_sent",
            id="no reports",
        ),
        pytest.param(
            ACL,
            (", established: 1",),
            ("",),
            "transmit.acl_sent: set established of receive.acl to true (now false), or replace the "
            "layer acl_sent",
            id="reports ignored",
        ),
        pytest.param(
            MARKS,
            (", marks: 1",),
            ("",),
            "transmit.shaper has no partner: with by_mark 1 it needs a layer acl with marks 1; "
            "transmit.acl has 0",
            id="no marks",
        ),
        pytest.param(
            "shaper_fused",
            ("transmit.mac_tx",),
            ("transmit.mac_tx, by_mark: 1",),
            "transmit.shaper has no partner: with by_mark 1 it needs a layer acl with marks 1",
            id="no list",
        ),
        pytest.param(
            "nat_fused",
            ("received: 0, before: transmit.ipv4_tx",),
            ("before: transmit.ipv4_tx",),
            "receive.nat has no partner: it needs a layer nat with received 0; transmit.nat has 1",
            id="nat",
        ),
        pytest.param(
            "tcp_echo_handover",
            ("      - tcp_handover: {received: 0, before: transmit.ipv4_tx}\n",),
            ("",),
            "receive.tcp_handover has no partner: it needs a layer tcp_handover with received 0",
            id="one direction",
        ),
        pytest.param(
            VXLAN,
            ("before: udp_rx, vni: 42",),
            ("before: udp_rx, vni: 43",),
            "inner_rx.vxlan_decapsulate has no partner: it needs a layer vxlan_encapsulate "
            "with vni 43; inner_tx.vxlan_encapsulate has 42",
            id="networks",
        ),
    ],
)
def test_functions_that_would_not_work(
    problems: Problems,
    tmp_path: Path,
    example: str,
    old: tuple[str, ...],
    new: tuple[str, ...],
    message: str,
) -> None:
    text = (EXAMPLES / f"{example}.yaml").read_text()
    for before, after in zip(old, new, strict=True):
        assert text.count(before) == 1
        text = text.replace(before, after)
    file = tmp_path / "design.yaml"
    file.write_text(text)
    lines = dict(reversed(said.split(": ", 1)) for said in problems(check.check, file))
    layer = message.split()[0].partition(".")[2].rstrip(":")
    assert message in lines and layer in text.splitlines()[int(lines[message]) - 1]


def test_marks_of_established_flows(problems: Problems, tmp_path: Path) -> None:
    """Marks are for packets to be sent."""
    text = (EXAMPLES / f"{ACL}.yaml").read_text()
    file = tmp_path / "design.yaml"
    file.write_text(text.replace("established: 1", "established: 1, marks: 1"))
    (found,) = problems(check.check, file)
    assert "marks is for packets to be sent, established for received ones" in found
