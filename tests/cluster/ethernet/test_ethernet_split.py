# SPDX-License-Identifier: Apache-2.0
"""Design files of boards with links over Ethernet."""

from __future__ import annotations

from bombus.cluster import files
from bombus.cluster.ethernet import address, addresses, frame_bytes
from bombus.cluster.split import split
from tests import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "cluster" / "udp_echo_ethernet.yaml"


def test_links_share_the_port_of_their_board() -> None:
    cluster = split(EXAMPLE)
    center, *others = cluster.boards
    bridge = center.data["tiles"][-1]
    (carrier,) = (each for each in bridge["layers"] if "cluster_ethernet" in each)
    assert carrier["cluster_ethernet"] == {
        "link_width": 64,
        "num_links": 2,
        "ether_type": 0x88B5,
        "frame_bytes": 1514,
    }
    assert bridge["ports"] == {"wire": "ethernet"}
    assert others[0].data == others[1].data  # what differs are registers
    of = {
        board.number: {
            each["register"]: each["value"]
            for each in board.registers(cluster.links)
            if each["layer"] == "cluster_ethernet"
        }
        for board in cluster.boards
    }
    valid = 1 << 31
    assert of[0] == {"board": 0, "peer0": valid | 1, "peer1": valid | 2}
    assert of[1] == {"board": 1, "peer0": valid}
    assert of[2] == {"board": 2, "peer0": valid | 1 << 8}
    links = files.description(cluster, dict.fromkeys(range(3), ""))["links"]
    assert [link["carrier"] for link in links] == ["ethernet"] * 2


def test_addresses() -> None:
    assert address((7, 2)).hex(":") == "02:b0:0b:cc:02:07"
    first, second = addresses((1, 0), (2, 3))
    both = first.to_bytes(8, "little") + second.to_bytes(4, "little")
    assert both == address((2, 3)) + address((1, 0))
    assert [frame_bytes(width + width // 8 + 2) for width in (64, 512)] == [8, 64]
