# SPDX-License-Identifier: Apache-2.0
"""Sends the design `first` an ARP request and UDP datagrams, and checks the replies."""

from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

OUR_MAC, OUR_IP = "02:00:00:00:00:99", "10.77.0.1"
ITS_MAC, ITS_IP = "02:b0:0b:05:00:01", "10.77.0.2"


def bus(dut: Any, prefix: str, forward: str, backward: str) -> AxiStreamBus:
    """An AXI-Stream whose port names end in their direction."""

    class Bus(AxiStreamBus):  # type: ignore[misc]
        _signals = {"tdata": f"tdata_{forward}"}  # noqa: RUF012
        _optional_signals = {  # noqa: RUF012
            **{name: f"{name}_{forward}" for name in ("tvalid", "tlast", "tkeep", "tuser")},
            "tready": f"tready_{backward}",
        }

    return Bus.from_prefix(dut, prefix)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def udp_echo(dut: Any) -> None:
    Clock(dut.clk_i, 5, "ns").start()
    dut.tick_us_i.value = 0  # no timer runs
    dut.reg_valid_i.value = 0
    dut.rst_i.value = 1
    source = AxiStreamSource(bus(dut, "mac0_rx", "i", "o"), dut.clk_i, dut.rst_i)
    sink = AxiStreamSink(bus(dut, "mac0_tx", "o", "i"), dut.clk_i, dut.rst_i)
    await ClockCycles(dut.clk_i, 4)
    dut.rst_i.value = 0

    async def receive() -> Ether:
        return Ether(bytes((await sink.recv()).tdata))

    assert (await receive())[ARP].psrc == ITS_IP  # the design announces its address
    arp = ARP(op="who-has", hwsrc=OUR_MAC, psrc=OUR_IP, pdst=ITS_IP)
    await source.send(AxiStreamFrame(bytes(Ether(src=OUR_MAC, dst="ff:ff:ff:ff:ff:ff") / arp)))
    assert (await receive())[ARP].hwsrc == ITS_MAC

    headers = (
        Ether(src=OUR_MAC, dst=ITS_MAC) / IP(src=OUR_IP, dst=ITS_IP) / UDP(sport=50000, dport=7)
    )
    for length in range(1, 200):
        payload = bytes(range(length))
        await source.send(AxiStreamFrame(bytes(headers / payload)))
        reply = await receive()
        assert reply[UDP].sport == 7
        assert bytes(reply[UDP].payload)[:length] == payload
