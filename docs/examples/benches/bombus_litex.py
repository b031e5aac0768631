# SPDX-License-Identifier: Apache-2.0
"""A design that Bombus has generated, as a LiteX module."""

import json
from pathlib import Path
from typing import Any

from liteeth.common import eth_phy_description
from litex.gen import LiteXModule
from litex.soc.interconnect import stream, wishbone
from migen import ClockSignal, If, Instance, Mux, ResetSignal, Signal


class Bombus(LiteXModule):  # type: ignore[misc]
    """The design in `folder`, with one MAC port in the clock domain `sys`.

    `sink` takes the frames from a MAC, `source` has those for it: LiteEth's streams, without
    preamble and FCS. `bus` accesses the registers, in words of 32 bits.
    """

    def __init__(self, platform: Any, folder: Path, sys_clk_freq: float) -> None:
        manifest = json.loads(next(folder.glob("*.json")).read_text())
        width = manifest["data_width"]
        self.sink = sink = stream.Endpoint(eth_phy_description(width))
        self.source = source = stream.Endpoint(eth_phy_description(width))
        self.bus = bus = wishbone.Interface(data_width=32, addressing="word")
        address_width = (manifest["registers"]["size"] - 1).bit_length()

        # tkeep has a bit for each byte, last_be only that of the last one.
        all_bytes = 2 ** (width // 8) - 1
        keep_in, keep_out = Signal(width // 8), Signal(width // 8)
        self.comb += [
            keep_in.eq(Mux(sink.last, (sink.last_be << 1) - 1, all_bytes)),
            If(source.last, source.last_be.eq(keep_out & ~(keep_out >> 1))),
        ]

        # Once a microsecond
        cycles = round(sys_clk_freq / 1e6)
        tick, count = Signal(), Signal(max=cycles)
        self.comb += tick.eq(count == cycles - 1)
        self.sync += If(tick, count.eq(0)).Else(count.eq(count + 1))

        address, ticks = Signal(address_width), Signal(16)
        self.comb += [address.eq(bus.adr << 2), ticks.eq(tick)]
        self.specials += Instance(
            manifest["top"],
            i_clk_i=ClockSignal(),
            i_rst_i=ResetSignal(),
            i_tick_us_i=ticks,
            i_reg_valid_i=bus.cyc & bus.stb,
            i_reg_write_i=bus.we,
            i_reg_addr_i=address,
            i_reg_wdata_i=bus.dat_w,
            o_reg_ready_o=bus.ack,
            o_reg_rdata_o=bus.dat_r,
            i_mac0_rx_tdata_i=sink.data,
            i_mac0_rx_tkeep_i=keep_in,
            i_mac0_rx_tvalid_i=sink.valid,
            o_mac0_rx_tready_o=sink.ready,
            i_mac0_rx_tlast_i=sink.last,
            i_mac0_rx_tuser_i=sink.error != 0,
            o_mac0_tx_tdata_o=source.data,
            o_mac0_tx_tkeep_o=keep_out,
            o_mac0_tx_tvalid_o=source.valid,
            i_mac0_tx_tready_i=source.ready,
            o_mac0_tx_tlast_o=source.last,
            o_in_flight_o=Signal(),
            o_busy_o=Signal(),
        )

        for line in next(folder.glob("*.f")).read_text().splitlines():
            if line.startswith("+incdir+"):
                platform.add_verilog_include_path(folder / line.removeprefix("+incdir+"))
            elif not line.startswith("//"):
                platform.add_source(folder / line)
