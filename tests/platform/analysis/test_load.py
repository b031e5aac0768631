# SPDX-License-Identifier: Apache-2.0
"""What each next hop is expected to carry."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bombus.analysis import load
from bombus.design import resolve
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from tests import ROOT
from tests.support.helpers import DESIGNS

TEXT = """name: small
data_width: 64
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
tiles:
  - name: receive
    layers: [mac_rx, eth_rx, ipv4_rx, icmp_echo, udp_rx]
    traffic: {udp_rx: 0.8}
  - {name: arp, kind: arp}
  - {name: transmit, layers: [udp_tx, ipv4_tx, eth_tx, mac_tx]}
  - {name: echo, kind: udp_echo, udp_port: 7, replicas: 4}
"""


@pytest.fixture
def design(tmp_path: Path) -> Design:
    file = tmp_path / "design.yaml"
    file.write_text(TEXT)
    return resolve.load(file)[0]


def carried(design: Design) -> Mapping[tuple[str, str], float]:
    return {
        (str(hop.source), str(hop.target)): rate
        for hop, rate in load.expected(Facts(design)).items()
    }


def test_replicas_share_the_traffic_of_their_next_hop(design: Design) -> None:
    rates = carried(design)
    assert rates["receive.mac_rx", "receive.eth_rx"] == pytest.approx(10)
    datagrams = rates["receive.ipv4_rx", "receive.udp_rx"]
    assert datagrams == pytest.approx(0.8 * rates["receive.eth_rx", "receive.ipv4_rx"])
    to_replicas = [rates["receive.udp_rx", f"echo_{n}"] for n in range(4)]
    assert to_replicas == pytest.approx([to_replicas[0]] * 4)
    # Errors about closed ports are rare beside all replicas together.
    rare = load.RARE_SHARE / (1 + load.RARE_SHARE)
    assert rates["receive.udp_rx", "receive.icmp_echo"] == pytest.approx(datagrams * rare)
    assert sum(to_replicas) == pytest.approx(datagrams * (1 - rare))
    for n in range(4):
        assert rates[f"echo_{n}", "transmit.udp_tx"] == pytest.approx(to_replicas[n])


def test_replicas_share_what_the_design_file_gives_them(tmp_path: Path) -> None:
    file = tmp_path / "design.yaml"
    file.write_text(TEXT.replace("traffic: {", "traffic: {udp_port_7: 0.6, "))
    rates = carried(resolve.load(file)[0])
    to_replicas = [rates["receive.udp_rx", f"echo_{n}"] for n in range(4)]
    datagrams = rates["receive.ipv4_rx", "receive.udp_rx"]
    assert to_replicas == pytest.approx([datagrams * 0.6 / 4] * 4)


def test_what_is_not_said_is_shared_equally_but_for_rare_next_hops() -> None:
    design, _ = resolve.load(DESIGNS / "udp_echo.yaml")
    for layer in design.layers():
        hops = [
            hop
            for out in layer.outputs
            for hop in Facts(design).topology.hops_from(out)
            if hop.target
        ]
        rates = load.expected(Facts(design))
        rare = [rates[hop] for hop in hops if hop.is_rare]
        usual = [rates[hop] for hop in hops if not hop.is_rare]
        if layer.tile.traffic:
            continue
        assert usual == pytest.approx(usual[:1] * len(usual))
        if usual:
            assert rare == pytest.approx([load.RARE_SHARE * usual[0]] * len(rare))


@pytest.mark.parametrize("share", [0.9, 0.999, 1.0])
def test_no_layer_carries_more_than_comes_in(tmp_path: Path, share: float) -> None:
    """Not even in a ring that keeps nearly all: `eth_tx` asks `arp` for each packet."""
    file = tmp_path / "design.yaml"
    file.write_text(TEXT.replace("eth_tx, mac_tx]", f"eth_tx, mac_tx], traffic: {{arp: {share}}}"))
    rates = load.expected(Facts(resolve.load(file)[0]))
    assert all(0 <= rate <= 10 + 1e-6 for rate in rates.values())


@pytest.mark.parametrize(("data", "control"), [(512, 64), (64, 64), (64, 512)])
def test_messages_without_payload_have_one_flit(tmp_path: Path, data: int, control: int) -> None:
    """For each frame of 64 bytes, whatever the width of the network of the packets."""
    text = (DESIGNS / "tcp_echo.yaml").read_text()
    for name, old, new in (("data", 512, data), ("control", 64, control)):
        assert f"{name}: {{data_width: {old}" in text
        text = text.replace(f"{name}: {{data_width: {old}", f"{name}: {{data_width: {new}")
    file = tmp_path / "tcp_echo.yaml"
    file.write_text(text.replace("line_rate_gbps: 100", "line_rate_gbps: 10"))
    design, _ = resolve.load(file)
    rates = load.expected(Facts(design))
    echoes = {
        hop.source.name: rate for hop, rate in rates.items() if hop.source.tile.name == "echo"
    }
    assert echoes["read"] == pytest.approx(echoes["out"] * control / 512)
    assert echoes["request"] == echoes["read"]
    (answer,) = (rate for hop, rate in rates.items() if str(hop.target) == "echo")
    assert echoes["out"] * 3 == pytest.approx(answer)
    assert max(rates.values()) <= design.config.line_rate_gbps + 1e-6


def test_kernels_bring_no_traffic() -> None:
    """Behind the layer that serves them, they have neither inputs nor outputs on the mesh."""
    design, _ = resolve.load(ROOT / "docs" / "examples" / "tcp_kernel" / "tcp_kernel.yaml")
    assert max(load.expected(Facts(design)).values()) <= design.config.line_rate_gbps + 1e-6
