# SPDX-License-Identifier: Apache-2.0
"""Links of beats that the design file raises to the top, for programs that carry the beats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bombus.design.rtl.ports import FurtherPort

# Ports of a link, and whether each is an output of the design.
_PORTS = {
    "tx_data_o": True,
    "tx_valid_o": True,
    "tx_ready_i": False,
    "rx_data_i": False,
    "rx_valid_i": False,
    "up_i": False,
}


def beat_links(raised: Mapping[str, FurtherPort]) -> list[dict[str, Any]]:
    """For the manifest: name and width in bits of each link among the raised ports of the top.

    `link0` is one if `link0_tx_data_o`, `_tx_valid_o`, `_tx_ready_i`, `_rx_data_i`, `_rx_valid_i`
    and `_up_i` are raised, and both directions have the same width.
    """
    found = []
    for name in (port.removesuffix("_tx_data_o") for port in raised if port.endswith("_tx_data_o")):
        if not all(f"{name}_{port}" in raised for port in _PORTS):
            continue
        bits = raised[f"{name}_tx_data_o"].width
        if raised[f"{name}_rx_data_i"].width == bits:
            found.append({"name": name, "bits": bits})
    return found
