# SPDX-License-Identifier: Apache-2.0
"""The tests of the carrier can fail: each of these mistakes in it makes one of them do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.ethernet import test_ethernet
from tests.support.harness import Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

Test = Callable[[Benches], None]

ALL: Test = partial(test_ethernet.test_all_lengths, width=64)
WIDE: Test = partial(test_ethernet.test_all_lengths, width=128)
DELAYS: Test = partial(test_ethernet.test_trouble, width=64, kind="delays")
HOSTILE: Test = partial(test_ethernet.test_hostile_frames, width=64)
ANEW: Test = test_ethernet.test_a_neighbour_is_configured_anew
CUT: Test = test_ethernet.test_cut_frames

SENDER = "cluster_ethernet_transmit"
RECEIVER = "cluster_ethernet_receive"

MUTATIONS: tuple[tuple[str, str, str, Test], ...] = (
    (RECEIVER, "~knows | ~ahead[$bits(ahead)-1]", "1'b1", DELAYS),
    (RECEIVER, "& taken_q & (left_q != '0)", "& taken_q", ALL),
    (RECEIVER, "if (silent_q[n] == 2'd2) knows_q[n] <= 1'b0;", "", ANEW),
    (RECEIVER, "header.crc == cluster_crc_pkg::of_half(header.numbering)", "1'b1", HOSTILE),
    (RECEIVER, "header.source == peer_i[n]", "1'b1", HOSTILE),
    (RECEIVER, "(left != '0) | checked_q.error", "left != '0", CUT),
    (SENDER, "beats < beats_t'(PaddedBeats)", "1'b0", ALL),
    (SENDER, "beats_t'(HeadBeats) + beats_t'(Offset != 0)", "beats_t'(HeadBeats)", WIDE),
    (SENDER, "age_q == WaitBits'(WaitCycles)", "1'b0", ALL),
)


@pytest.mark.parametrize(
    ("mutation", "test"),
    [
        pytest.param(mutation := Mutation(file, old, new), test, id=str(mutation), marks=sampled(n))
        for n, (file, old, new, test) in enumerate(MUTATIONS)
    ],
)
def test_mistake_is_noticed(mutation: Mutation, test: Test, tmp_path: Path) -> None:
    broken = Benches(mutation.copy(tmp_path))
    with pytest.raises(AssertionError):
        test(broken)


def test_every_mistake_can_be_made() -> None:
    for file, old, new, _ in MUTATIONS:
        assert Mutation(file, old, new).text()
