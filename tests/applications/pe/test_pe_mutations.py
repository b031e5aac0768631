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
BOTH: Callable[..., None] = partial(test_pe_memory.test_kernel_and_software, data_width=64)
WAITS: Callable[..., None] = test_pe_memory.test_software_waits_for_bursts_of_the_kernel
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
    ("pe_memory", "~reads & reads_q != '1", "reads_q != '1", WAITS),
    ("pe_memory", "reads & reads_q == '0", "reads", WAITS),
    ("pe_memory", "admits_data = data_q != '0", "admits_data = 1'b1", BOTH),
    ("pe_memory", "writes & writes_q == '0", "writes", BOTH),
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
