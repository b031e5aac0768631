# SPDX-License-Identifier: Apache-2.0
"""The tests can fail: each of these mistakes in the RTL makes one of them do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.applications.pe import test_pe, test_pe_dma, test_pe_memory
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
COPIES: Callable[..., None] = partial(test_pe_dma.test_copies_and_kernel, data_width=128)
ALIGNED: Callable[..., None] = test_pe_dma.test_every_alignment
REFUSED: Callable[..., None] = test_pe_dma.test_refused
ERRORS: Callable[..., None] = test_pe_dma.test_errors_of_the_memory
MIDDLE: Callable[..., None] = test_pe_dma.test_an_error_in_one_of_several_bursts
LENGTHS: Callable[..., None] = partial(test_pe_dma.test_messages_of_another_length, data_width=128)
CUT: Callable[..., None] = partial(test_pe_dma.test_reset_in_copies, cycles=60)
RATE: Callable[..., None] = test_pe_dma.test_rate
TURNS: Callable[..., None] = partial(test_pe_dma.test_copy_and_kernel_take_turns, beats=16)
WAITS: Callable[..., None] = test_pe_dma.test_a_host_that_waits
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
    ("pe_dma", "from_first_q | {DataBytes{~first_q}}", "{DataBytes{1'b1}}", ALIGNED),
    ("pe_dma", "to_last_q | {DataBytes{~is_last_q}}", "{DataBytes{1'b1}}", ALIGNED),
    ("pe_dma", "decided | (requests", "(requests", ALIGNED),
    ("pe_dma", "refused_q <= beyond |", "refused_q <=", REFUSED),
    ("pe_dma", "| (is_write == ended_q)", "", REFUSED),
    ("pe_dma", "| header_q.length > 32'(MaxCopyBytes)", "", REFUSED),
    ("pe_dma", "empty_q ? Done : Refused", "Refused", REFUSED),
    ("pe_dma", "known_q ? Offer", "1'b1 ? Offer", REFUSED),
    ("pe_dma", "error & ~copy_ends", "error", ERRORS),
    ("pe_dma", "wire error = error_q |", "wire error =", MIDDLE),
    ("pe_dma", "(copy_in_tlast_i != is_last_q) |", "", LENGTHS),
    ("pe_dma", "| (|(wanted & ~copy_in_tkeep_i))", "", LENGTHS),
    ("pe_dma", "wanted & copy_in_tkeep_i : '0", "wanted : '0", LENGTHS),
    ("pe_dma", "state_q <= Pad", "state_q <= Header", LENGTHS),
    ("pe_dma", "copy_in_tlast_i ? Header : Skip;\n", "Header;\n", LENGTHS),
    ("pe_dma", "~some_left | access == access_q", "1'b1", COPIES),
    ("pe_dma", "unclaimed_q >= level_t'(BurstBeats) | stored_q", "1'b1", WAITS),
    ("pe_dma", "is_last_q | place_q == '1", "is_last_q", COPIES),
    (
        "pe_dma",
        "wire has_room = reserved_q <= level_t'(QueueBeats - BurstBeats)",
        "wire has_room = 1'b1",
        WAITS,
    ),
    ("pe_dma", "~answer.has_data | ~answer.last)", "1'b1)", COPIES),
    ("pe_dma", "      unclaimed_q <= '0;\n", "", WAITS),
    ("pe_dma", "      reserved_q <= '0;\n", "", CUT),
    ("axi_share", "~(one_arvalid_i & last_read_q)", "1'b1", TURNS),
    (
        "axi_share",
        "two_arvalid_i & ~(one_arvalid_i & last_read_q)",
        "two_arvalid_i & ~one_arvalid_i",
        TURNS,
    ),
    ("axi_share", "axi_bvalid_i & response_of_two", "axi_bvalid_i", COPIES),
    ("axi_share", "in_head_i  (data_of_two)", "in_head_i  (write_two)", COPIES),
    ("axi_bursts", "(last_q ? end_q : '0) - place_q", "last_q ? end_q : '0", COPIES),
    ("axi_bursts", "end_q == '0 ? blocks_t'(2)", "1'b0 ? blocks_t'(2)", RATE),
    ("axi_bursts", "address_i >> AddrWidth != '0 |", "", REFUSED),
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
