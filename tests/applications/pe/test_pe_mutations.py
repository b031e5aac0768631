# SPDX-License-Identifier: Apache-2.0
"""The tests can fail: each of these mistakes in the RTL makes one of them do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.applications.pe import test_pe, test_pe_memory
from tests.support.harness import Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

CYCLES: Callable[..., None] = partial(test_pe.test_every_cycle, seed=1)
ZERO: Callable[..., None] = test_pe.test_a_zero_acknowledges_nothing
BOTH: Callable[..., None] = partial(test_pe_memory.test_kernel_and_software, data_width=64)
TURN: Callable[..., None] = partial(test_pe_memory.test_software_reads_between_bursts, beats=256)
WRITES: Callable[..., None] = test_pe_memory.test_software_writes_between_bursts
TAKES: Callable[..., None] = test_pe_memory.test_a_kernel_that_takes_nothing
GIVES: Callable[..., None] = test_pe_memory.test_a_kernel_that_gives_no_data
LIMIT: Callable[..., None] = test_pe_memory.test_a_write_at_its_limit
FAILS: Callable[..., None] = test_pe_memory.test_errors_of_software
RESET: Callable[..., None] = partial(test_pe_memory.test_reset_within_bursts, cycles=10)
ERROR: Callable[..., None] = test_pe_memory.test_error
MUTATIONS: tuple[tuple[str, str, str, Callable[..., None]], ...] = (
    ("pe", "regs_i.control.start & ~running_q", "regs_i.control.start", CYCLES),
    ("pe", "kernel_done_i & running_q & ~kernel_start_o", "kernel_done_i & running_q", CYCLES),
    ("pe", "done = ends & ~kernel_stop_o", "done = ends", CYCLES),
    ("pe", "running_q & ~ends & (kernel_stop_o", "(kernel_stop_o", CYCLES),
    ("pe", "ends & kernel_stop_o", "ends", CYCLES),
    ("pe", "pending_q <= done |", "pending_q <=", CYCLES),
    ("pe", "& regs_i.global_interrupt.enable", "", CYCLES),
    ("pe", "~running_q & ~regs_i.control.start", "~running_q", CYCLES),
    ("pe", "if (done) result_q", "if (kernel_done_i) result_q", CYCLES),
    ("pe", "assign timer_o = running_q", "assign timer_o = 1'b0", CYCLES),
    ("pe", "& pending_wdata_i.done", "", ZERO),
    ("pe_memory", "~reads & read_beats_q < beats_t'(OutstandingBeats)", "read_beats_q < '1", TURN),
    ("pe_memory", "~writes & data_beats_q", "data_beats_q", WRITES),
    ("pe_memory", "read_beats_q - beats_t'(beat_taken);", "read_beats_q;", BOTH),
    ("pe_memory", "~sent_write_q & ahead_q == '0", "~sent_write_q", BOTH),
    ("pe_memory", "admits_data = data_beats_q != '0", "admits_data = 1'b1", BOTH),
    ("pe_memory", "data_ready & data_beats_q == '0", "data_ready", GIVES),
    ("pe_memory", "waits & ~ends & is_last", "1'b0", TAKES),
    ("pe_memory", "answered & ~late_q", "answered", TAKES),
    ("pe_memory", "writes & ~is_last", "writes", LIMIT),
    ("pe_memory", "(ends & bad)", "1'b0", FAILS),
    ("pe_memory", "ends & axi_rresp_i == '0", "ends", FAILS),
    ("pe_memory", "      read_beats_q <= '0;\n", "", RESET),
    ("pe_memory", "      sent_q <= 1'b0;\n", "", RESET),
    ("pe_memory", "axi_rdata_i[32*lane+:32]", "axi_rdata_i[31:0]", BOTH),
    ("pe_memory", "DataBytes'(4'hF) << 4 * lane", "'1", BOTH),
    ("pe_memory", "axi_bvalid_i & ~own_write", "axi_bvalid_i", BOTH),
    ("pe_memory", "axi_rready_o & (axi_rresp_i != '0)", "axi_rready_o", ERROR),
)


@pytest.mark.parametrize(
    ("mutation", "test"),
    [
        pytest.param(mutation := Mutation(file, old, new), test, id=str(mutation), marks=sampled(n))
        for n, (file, old, new, test) in enumerate(MUTATIONS)
    ],
)
def test_mistake_is_noticed(mutation: Mutation, test: Callable[..., None], tmp_path: Path) -> None:
    broken = Benches(mutation.copy(tmp_path))
    with pytest.raises(AssertionError):
        test(broken)


def test_every_mistake_can_be_made() -> None:
    for file, old, new, _ in MUTATIONS:
        assert Mutation(file, old, new).text()
