# SPDX-License-Identifier: Apache-2.0
"""head_fifo under cocotb: a writer, a reader and a queue to compare with."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

DEPTH = 8


async def start(dut: Any) -> None:
    Clock(dut.clk_i, 2, "ns").start()
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 0
    dut.rst_i.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    dut.rst_i.value = 0


@cocotb.test
async def random_traffic(dut: Any) -> None:
    random = Random(1)
    await start(dut)
    stored: deque[tuple[int, int]] = deque()
    largest = 0
    for cycle in range(3000):
        # Phases in which the FIFO fills, empties and holds its level.
        writes, reads = [(0.9, 0.2), (0.2, 0.9), (1.0, 1.0)][cycle // 100 % 3]
        head, body = random.getrandbits(8), random.getrandbits(32)
        dut.in_head_i.value = head
        dut.in_body_i.value = body
        dut.in_valid_i.value = int(random.random() < writes)
        dut.out_ready_i.value = int(random.random() < reads)
        await RisingEdge(dut.clk_i)
        # The clock edge samples the values before it.
        assert int(dut.in_ready_o.value) == (len(stored) < DEPTH)
        assert int(dut.out_valid_o.value) == bool(stored)
        pushed = int(dut.in_valid_i.value) and len(stored) < DEPTH
        if stored:
            assert (int(dut.out_head_o.value), int(dut.out_body_o.value)) == stored[0]
            if int(dut.out_ready_i.value):
                stored.popleft()
        if pushed:
            stored.append((head, body))
        largest = max(largest, len(stored))
        await FallingEdge(dut.clk_i)
    assert largest == DEPTH


@cocotb.test
async def ready_is_a_register(dut: Any) -> None:
    """A full FIFO is not ready in the cycle of a read, but in the next."""
    await start(dut)
    dut.in_valid_i.value = 1
    for _ in range(DEPTH):
        assert int(dut.in_ready_o.value) == 1
        await FallingEdge(dut.clk_i)
    assert int(dut.in_ready_o.value) == 0
    dut.out_ready_i.value = 1
    await RisingEdge(dut.clk_i)
    assert int(dut.in_ready_o.value) == 0
    await FallingEdge(dut.clk_i)
    assert int(dut.in_ready_o.value) == 1
