# SPDX-License-Identifier: Apache-2.0
"""The tests can fail: each of these mistakes in the RTL makes one of them do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.applications.spn import test_spn_kernel, test_spn_pipeline_rtl
from tests.support.harness import Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

UDP, ETHERNET, TCP = (
    partial(test_spn_kernel.test_requests, kernel=kernel) for kernel in test_spn_kernel.KERNELS
)
SHARED: Callable[..., None] = partial(test_spn_pipeline_rtl.test_results, name="shared_nodes")
WIDE: Callable[..., None] = partial(test_spn_pipeline_rtl.test_results, name="random_wide")
MUTATIONS: tuple[tuple[str, str, str, Callable[..., None]], ...] = (
    ("spn_kernel", "group_ready = space_q != '0", "group_ready = 1'b1", UDP),
    ("spn_kernel", "32'(group_bytes) > c * SampleBytes", "32'(group_bytes) != 0", UDP),
    ("spn_kernel", "|| !agrees", "", UDP),
    ("spn_sum", "a_is_less ? a_q : b_q", "b_q", SHARED),
    ("spn_sum", ">= Segments", ">= Segments + 64", WIDE),
    ("spn_sum", "? ~&above", "? |above", SHARED),
    ("spn_sum", "if (is_far) entry_q <= '0;", "", WIDE),
    ("spn_class_table", "Numbers[class_i]", "Numbers[0]", SHARED),
    ("spn_leaf_table", "else if (is_above) index", "if (is_above) index", SHARED),
    ("spn_ethernet", "header.destination == swap48(host.mac) &&", "", ETHERNET),
    ("spn_tcp", "done: from.ended", "done: 1'b0", TCP),
    ("spn_udp", "in_meta.l4.ports.src_port == '0", "1'b0", UDP),
)


@pytest.mark.parametrize(
    ("mutation", "test"),
    [
        pytest.param(mutation := Mutation(file, old, new), test, id=str(mutation), marks=sampled(n))
        for n, (file, old, new, test) in enumerate(MUTATIONS)
    ],
)
def test_mistake_is_noticed(mutation: Mutation, test: Callable[..., None], tmp_path: Path) -> None:
    generated = tmp_path / "generated"
    generated.mkdir()
    broken = Benches(mutation.copy(tmp_path))
    with pytest.raises(AssertionError):
        test(broken, tmp_path=generated)


def test_every_mistake_can_be_made() -> None:
    for file, old, new, _ in MUTATIONS:
        assert Mutation(file, old, new).text()
