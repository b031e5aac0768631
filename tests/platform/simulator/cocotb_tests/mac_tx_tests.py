# SPDX-License-Identifier: Apache-2.0
"""mac_tx under cocotb, with the AXI-Stream sink of cocotbext-axi behind it."""

from __future__ import annotations

from itertools import repeat
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamSink  # type: ignore[import-untyped]

BEAT_BYTES = 8
HEADER_BYTES = 14
MIN_FRAME_BYTES = 60


def ones_complement(data: bytes, start: int) -> int:
    data = data + bytes(len(data) % 2)
    total = start + sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


async def send(dut: Any, frame: bytes, csum: int, csum_word: int, random: Random) -> None:
    for start in range(0, len(frame), BEAT_BYTES):
        while random.random() < 0.3:  # a gap
            dut.valid_i.value = 0
            await RisingEdge(dut.clk_i)
        part = frame[start : start + BEAT_BYTES]
        dut.data_i.value = int.from_bytes(part, "little")
        dut.bytes_i.value = len(part)
        dut.last_i.value = int(start + BEAT_BYTES >= len(frame))
        dut.length_i.value = len(frame)
        dut.csum_i.value = csum
        dut.csum_pos_i.value = csum_word
        dut.valid_i.value = 1
        await RisingEdge(dut.clk_i)
        while not int(dut.ready_o.value):
            await RisingEdge(dut.clk_i)
    dut.valid_i.value = 0


@cocotb.test
async def frames_with_checksums(dut: Any) -> None:
    random = Random(2)
    Clock(dut.clk_i, 2, "ns").start()
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "mac_tx"), dut.clk_i, dut.rst_i)
    dut.valid_i.value = 0
    dut.rst_i.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    await RisingEdge(dut.clk_i)
    sink.set_pause_generator(random.random() < 0.4 for _ in repeat(None))
    for _ in range(20):
        frame = random.randbytes(random.randrange(42, 200))
        csum, word = random.getrandbits(16), 20
        await send(dut, frame, csum, word, random)
        expected = bytearray(frame.ljust(MIN_FRAME_BYTES, b"\0"))
        field = 0xFFFF ^ ones_complement(frame[HEADER_BYTES:], csum)
        expected[2 * word : 2 * word + 2] = (field or 0xFFFF).to_bytes(2, "big")
        received = await sink.recv()
        assert bytes(received.tdata) == bytes(expected)
