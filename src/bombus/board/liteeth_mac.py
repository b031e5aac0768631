# SPDX-License-Identifier: Apache-2.0
"""The Ethernet MAC of a board, made from LiteEth when it is needed.

LiteEth's MAC core adds and checks preamble and FCS, keeps the gap between frames, changes between
bytes at 125 MHz and the width of the design, and crosses the clocks. Here it gets GMII pins on one
side and plain ports on the other. Nothing of it is kept in this repository.
"""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

from bombus.base.extras import extra

MODULE = "liteeth_mac"
# Comments have dates and versions; nothing else here has a time scale.
_LEFT_OUT = re.compile(r"^(//|`timescale).*\n?", re.MULTILINE)


def verilog(data_width: int, command: str) -> str:
    """Verilog of the module `liteeth_mac`.

    Clocks and synchronous resets: `sys`, `eth_rx`, `eth_tx` (`_clk`, `_rst`). Streams of the width
    of the design in `sys`: `rx_*` out of the MAC, `tx_*` into it. `last_be` marks the last byte of
    a frame, `error` each byte of a frame that is bad, at the latest the last.
    """
    with extra(command, "LiteEth", "board"), contextlib.redirect_stdout(io.StringIO()):
        from litex.gen.fhdl.verilog import convert

        top, pins = _mac(data_width)
        text: str = convert(top, pins, name=MODULE, regs_init=True).main_source
    return _LEFT_OUT.sub("", text)


def _mac(data_width: int) -> tuple[Any, set[Any]]:
    """The MAC as a Migen module, and its ports."""
    from liteeth.common import eth_phy_description
    from liteeth.mac.core import LiteEthMACCore
    from litex.soc.interconnect.stream import Endpoint
    from migen import ClockDomain, Module, Signal

    pins: set[Any] = set()

    def pin(name: str, width: int = 1) -> Any:
        signal = Signal(width, name=name)
        pins.add(signal)
        return signal

    top = Module()
    for name in ("sys", "eth_rx", "eth_tx"):
        domain = ClockDomain(name)
        domain.clk, domain.rst = pin(f"{name}_clk"), pin(f"{name}_rst")
        top.clock_domains += domain

    # The GMII side: a PHY as LiteEth sees one.
    phy = Module()
    phy.dw = 8
    phy.source, phy.sink = (Endpoint(eth_phy_description(8)) for _ in range(2))
    rx_dv, rx_er, rx_data = pin("gmii_rx_dv"), pin("gmii_rx_er"), pin("gmii_rx_data", 8)
    tx_en, tx_data = pin("gmii_tx_en"), pin("gmii_tx_data", 8)
    phy.sync.eth_rx += [
        phy.source.valid.eq(rx_dv),
        phy.source.data.eq(rx_data),
        phy.source.error.eq(rx_er),
    ]
    # The check of the FCS looks at last_be, which LiteEth's own PHYs of 8 bits leave at 0: with
    # them every frame passes.
    phy.comb += [
        phy.source.last.eq(~rx_dv),
        phy.source.last_be.eq(~rx_dv),
        phy.sink.ready.eq(1),
    ]
    phy.sync.eth_tx += [tx_en.eq(phy.sink.valid), tx_data.eq(phy.sink.data)]
    top.submodules.phy = phy

    # Frames are padded by the design.
    core = LiteEthMACCore(phy, dw=data_width, with_padding=False)
    top.submodules.core = core
    for name, stream in (("rx", core.source), ("tx", core.sink)):
        fields = ["valid", "ready", "last", "data", "last_be"]
        for field in [*fields, "error"] if name == "rx" else fields:
            signal = getattr(stream, field)
            port = pin(f"{name}_{field}", len(signal))
            is_out = (name == "rx") != (field == "ready")
            top.comb += port.eq(signal) if is_out else signal.eq(port)
    return top, pins
