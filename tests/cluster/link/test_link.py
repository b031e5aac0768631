# SPDX-License-Identifier: Apache-2.0
"""Links between boards: each packet arrives once and in order, whatever the wire does."""

from __future__ import annotations

from random import Random

import pytest

from tests.cluster.link.link_bench import A, B, Links, packets
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

WIDTHS = (64, 128, 512)


@pytest.mark.parametrize("width", WIDTHS)
def test_all_lengths(benches: Benches, width: int) -> None:
    random = Random(width)
    links = Links(benches, width)
    links.train()
    lengths = list(range(256)) * 2
    random.shuffle(lengths)
    links.send(A, packets(random, lengths))
    links.send(B, packets(random, reversed(lengths)))
    links.settle()
    links.check()
    counts = links.counts()
    assert not any(counts[name] for name in ("crc_error", "bad_word", "retry", "duplicate", "lost"))
