# SPDX-License-Identifier: Apache-2.0
"""register_hub: masters and targets that keep others waiting are found."""

from __future__ import annotations

import pytest

from bombus.base.macros import CHECKS
from tests.support.harness import BenchError, Benches

MOST_CYCLES = 1024
MOST_TARGET_CYCLES = 1 << 20


def test_a_reservation_is_used_in_time(benches: Benches) -> None:
    bench = benches("register_hub", macros={CHECKS: 1})
    for _ in range(3):
        bench.push([1], 0)
        bench.run(20)
        bench.push([0], 1)
        bench.run(MOST_CYCLES - 50)
        assert bench.items() == [0], "reserved for master 0"
        bench.push([0], 0)
        bench.drain()
        assert bench.items() == [0, 0, 1]
        bench.forget()


def test_a_reservation_that_is_not_used_fails(
    benches: Benches, capfd: pytest.CaptureFixture[str]
) -> None:
    bench = benches("register_hub", macros={CHECKS: 1})
    bench.push([1], 0)
    bench.run(MOST_CYCLES - 50)
    with pytest.raises(BenchError):
        bench.run(100)
    assert "ReservationIsUsed failed" in capfd.readouterr().out


def test_a_target_that_does_not_respond_fails(
    benches: Benches, capfd: pytest.CaptureFixture[str]
) -> None:
    """An access to registers never waits for a data path."""
    bench = benches("register_hub", macros={CHECKS: 1})
    bench.control(1)
    bench.push([0], 0)
    bench.run(MOST_TARGET_CYCLES - 50)
    with pytest.raises(BenchError):
        bench.run(100)
    assert "TargetResponds failed" in capfd.readouterr().out
