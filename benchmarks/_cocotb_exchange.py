# SPDX-License-Identifier: Apache-2.0
"""The cocotb side of sim_speed.py: frames through cocotbext-axi, timed."""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

RESET_CYCLES = 16
# More cycles than any frame needs through an idle design.
QUIET_CYCLES = 200
TIMEOUT_MS = 1  # of simulated time


class RxBus(AxiStreamBus):  # type: ignore[misc]
    """Into the design. Ports end in the direction."""

    _signals = {"tdata": "tdata_i"}  # noqa: RUF012, as in the base class
    _optional_signals = {  # noqa: RUF012
        "tvalid": "tvalid_i",
        "tready": "tready_o",
        "tlast": "tlast_i",
        "tkeep": "tkeep_i",
        "tuser": "tuser_i",
    }


class TxBus(AxiStreamBus):  # type: ignore[misc]
    """Out of the design."""

    _signals = {"tdata": "tdata_o"}  # noqa: RUF012
    _optional_signals = {  # noqa: RUF012
        "tvalid": "tvalid_o",
        "tready": "tready_i",
        "tlast": "tlast_o",
        "tkeep": "tkeep_o",
    }


def quiet(end: Any) -> Any:
    """Formatting every frame for the log takes time that no benchmark needs to spend."""
    end.log.setLevel(logging.WARNING)
    return end


@cocotb.test(timeout_time=TIMEOUT_MS, timeout_unit="ms")
async def exchange(dut: Any) -> None:
    request = json.loads(Path(os.environ["EXCHANGE_REQUEST"]).read_text())
    frames = [bytes.fromhex(text) for text in request["frames"]]
    Clock(dut.clk_i, request["period_ps"], "ps").start()
    dut.tick_us_i.value = 0
    dut.reg_valid_i.value = 0
    dut.rst_i.value = 1
    source = quiet(AxiStreamSource(RxBus.from_prefix(dut, "mac0_rx"), dut.clk_i, dut.rst_i))
    sink = quiet(AxiStreamSink(TxBus.from_prefix(dut, "mac0_tx"), dut.clk_i, dut.rst_i))
    await ClockCycles(dut.clk_i, RESET_CYCLES)
    dut.rst_i.value = 0

    source.send_nowait(AxiStreamFrame(bytes.fromhex(request["introduction"])))
    while bytes((await sink.recv()).tdata).hex() != request["introduction_answer"]:
        pass  # the announcement after a reset

    replies = []
    started = time.perf_counter()
    for frame in frames:
        source.send_nowait(AxiStreamFrame(frame))
    for _ in frames:
        replies.append(await sink.recv())
    seconds = time.perf_counter() - started

    await ClockCycles(dut.clk_i, QUIET_CYCLES)
    while not sink.empty():  # unexpected frames
        replies.append(sink.recv_nowait())
    answers = [bytes(reply.tdata).hex() for reply in replies]
    Path(os.environ["EXCHANGE_RESULT"]).write_text(
        json.dumps({"seconds": seconds, "replies": answers})
    )
