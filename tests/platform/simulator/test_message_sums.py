# SPDX-License-Identifier: Apache-2.0
"""The message sums of tiles see every counter of a message, of every layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.design import rtl
from bombus.generation.manifest import manifest
from tests import ROOT
from tests.support import message_sums
from tests.support.helpers import DESIGNS, Edited

# With those of the documentation's examples, of the conformance suite, of benchmarks, of designs.
EXAMPLES = sorted((ROOT / "docs" / "examples").rglob("*.sv"))
OTHERS = [
    ROOT / "tests" / "protocols" / "tcp" / "conformance" / "tcp_puppet.sv",
    ROOT / "benchmarks" / "tcp_load.sv",
    ROOT / "tests" / "designs" / "register_walker.sv",
]
LAYERS = rtl.library(512, [*EXAMPLES, *OTHERS]).layers
LOSSY = "fabric: {kind: crosspoint, lossless: false}\ntiles:"


def test_every_event_of_every_layer_has_its_place() -> None:
    expected = {kind.name: set(kind.events) for kind in LAYERS.values() if kind.events}
    expected["my_list"] = set(message_sums.EVENTS["my_list"])  # written by `bombus firewall`
    assert {kind: set(effects) for kind, effects in message_sums.EVENTS.items()} == expected


def zeros(file: Path) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """A design's manifest and its counters before any traffic."""
    described = manifest(check.check(file)[0])
    return described, {
        tile["name"]: dict.fromkeys(tile["counters"], 0) for tile in described["tiles"]
    }


@pytest.mark.parametrize("fabric", ["tiles:", LOSSY], ids=["wormhole", "lossy"])
def test_one_message_more_or_less_is_seen(fabric: str, edited: Edited) -> None:
    described, counters = zeros(edited(("tiles:", fabric)))
    assert not list(message_sums.problems(described, counters))
    unseen = set()
    for values in counters.values():
        for name in values:
            values[name] += 1
            if not list(message_sums.problems(described, counters)):
                unseen.add(name)
            values[name] -= 1
    # Bytes, and what says nothing but that a message goes on.
    assert unseen == {
        *("noc_in_bytes", "noc_out_bytes", "mac_in_bytes", "mac_out_bytes"),
        *("event.ipv4_rx.options", "event.ipv4_rx.unknown_protocol", "event.udp_rx.closed_port"),
        *("event.icmp_echo.echo_reply", "event.arp.foreign"),
        *(f"event.eth_tx.binding_{end}" for end in ("evicted", "refused")),
        *(f"event.icmp_echo.{what}_unreachable" for what in ("port", "protocol")),
    }


def test_an_unknown_event_says_what_to_add() -> None:
    described, counters = zeros(DESIGNS / "udp_echo.yaml")
    counters["echo"]["event.udp_echo.surprise"] = 0
    with pytest.raises(LookupError, match="event surprise of udp_echo: add to EVENTS"):
        list(message_sums.problems(described, counters))


def test_what_waits_in_eth_tx() -> None:
    described, counters = zeros(DESIGNS / "udp_echo.yaml")
    values = counters["eth_tx"]
    values |= {"noc_in_messages": 9, "event.eth_tx.packet_queued": 9, "drop.eth_tx.no_room": 2}
    values |= {"drop.eth_tx.unresolved": 1, "event.eth_tx.packet_forwarded": 3}
    values["mac_out_frames"] = 3
    counters["ipv4_tx"] |= {"noc_out_messages": 9, "noc_in_messages": 9}
    counters["udp_tx"] |= {"noc_out_messages": 9, "noc_in_messages": 9}
    counters["echo"] |= {"noc_out_messages": 9, "mac_in_frames": 9}
    assert not list(message_sums.problems(described, counters))
    assert message_sums.waiting(described, counters) == 3
