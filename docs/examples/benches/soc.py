# SPDX-License-Identifier: Apache-2.0
"""A LiteX design around `first`: sends frames, compares the reply. Writes soc.v and soc.f."""

from itertools import count
from pathlib import Path
from typing import Any

from bombus_litex import Bombus
from litex.build.generic_platform import GenericPlatform, Pins
from litex.gen import LiteXModule
from migen import Array, ClockDomain, Display, Finish, If, Signal
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether

OUR_MAC, OUR_IP = "02:00:00:00:00:99", "10.77.0.1"
ITS_MAC, ITS_IP = "02:b0:0b:05:00:01", "10.77.0.2"
PAYLOAD_START = 14 + 20 + 8
FRAMES = [
    Ether(src=OUR_MAC, dst="ff:ff:ff:ff:ff:ff")
    / ARP(op="who-has", hwsrc=OUR_MAC, psrc=OUR_IP, pdst=ITS_IP),
    Ether(src=OUR_MAC, dst=ITS_MAC)
    / IP(src=OUR_IP, dst=ITS_IP)
    / UDP(sport=50000, dport=7)
    / b"hello bees",
]


class Exchange(LiteXModule):  # type: ignore[misc]
    """Sends frame n after n + 1 frames were received: the first one is the design's announcement.

    The last frame is a UDP datagram, whose payload must come back.
    """

    def __init__(self, bombus: Bombus, frames: list[bytes]) -> None:
        step = len(bombus.sink.last_be)
        beats = [
            (number, start + step >= len(frame), frame[start : start + step])
            for number, frame in enumerate(frames)
            for start in range(0, len(frame), step)
        ]
        sent, received, beat = Signal(max=len(beats) + 1), Signal(8), Signal(8)
        may_send = Array(received > number for number, _, _ in beats)[sent]
        last_be = Array(1 << (len(data) - 1) if last else 0 for _, last, data in beats)
        self.comb += [
            bombus.sink.valid.eq((sent < len(beats)) & may_send),
            bombus.sink.last.eq(Array(last for _, last, _ in beats)[sent]),
            bombus.sink.last_be.eq(last_be[sent]),
            bombus.sink.data.eq(Array(int.from_bytes(d, "little") for _, _, d in beats)[sent]),
            bombus.source.ready.eq(1),
        ]
        self.sync += If(bombus.sink.valid & bombus.sink.ready, sent.eq(sent + 1))

        wrong = Signal()
        reply = frames[-1][PAYLOAD_START:]
        for place, value in zip(count(PAYLOAD_START), reply):
            byte = bombus.source.data[8 * (place % step) : 8 * (place % step) + 8]
            here = (received == len(frames)) & (beat == place // step)
            self.sync += If(bombus.source.valid & here & (byte != value), wrong.eq(1))
        self.sync += If(
            bombus.source.valid,
            beat.eq(beat + 1),
            If(
                bombus.source.last,
                beat.eq(0),
                received.eq(received + 1),
                If(
                    received == len(frames),
                    If(wrong, Display("the reply is wrong")).Else(
                        Display("UDP echo through LiteX's streams: %0d bytes", len(reply))
                    ),
                    Finish(),
                ),
            ),
        )


class Soc(LiteXModule):  # type: ignore[misc]
    def __init__(self, platform: Any, folder: Path, sys_clk_freq: float) -> None:
        self.cd_sys = ClockDomain()
        reset = Signal(4, reset=15)
        self.cd_por = ClockDomain(reset_less=True)
        self.comb += [
            self.cd_por.clk.eq(platform.request("clk")),
            self.cd_sys.clk.eq(self.cd_por.clk),
            self.cd_sys.rst.eq(reset != 0),
        ]
        self.sync.por += If(reset != 0, reset.eq(reset - 1))
        self.bombus = Bombus(platform, folder, sys_clk_freq)
        self.exchange = Exchange(self.bombus, [bytes(frame) for frame in FRAMES])


platform = GenericPlatform("sim", [("clk", 0, Pins(1))], name="soc")
soc = Soc(platform, Path("first"), sys_clk_freq=200e6)
platform.get_verilog(soc, name="soc").write("soc.v")
lines = [f"+incdir+{path}" for path in platform.verilog_include_paths]
lines += [source[0] for source in platform.sources]
Path("soc.f").write_text("\n".join([*lines, "soc.v"]) + "\n")
