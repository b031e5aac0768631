# SPDX-License-Identifier: Apache-2.0
"""The same frames through the C interface and through cocotb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.base.output import STDOUT
from bombus.measure import bench
from bombus.protocols import answers
from tests.support.bench import DESIGNS, FUSED
from tests.support.helpers import Benchmark

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_assertions")]


KEYS = [
    "idle_cycles_per_s",
    "loaded_cycles_per_s",
    "frames_per_s",
    "cocotb_frames_per_s",
    "ratio",
]


@pytest.mark.sweep
def test_quick_run(benchmark: Benchmark) -> None:
    result = benchmark("sim-speed", DESIGNS[64], quick=True)
    assert list(result) == KEYS
    assert all(value > 0 for value in result.values())
    ratio = result["frames_per_s"] / result["cocotb_frames_per_s"]
    assert result["ratio"] == pytest.approx(ratio, rel=1e-2)
    # The narrow design builds fastest, and suits cocotb best; the machine may be busy.
    assert result["ratio"] > 5


def test_each_installation_of_cocotb_has_its_own_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its libraries are loaded from their location at build time."""
    from cocotb_tools import config

    benchmark: Any = bench.load("sim-speed")
    monkeypatch.setattr(benchmark, "cached_directory", lambda name, _: name)
    here = benchmark.cocotb_simulator(DESIGNS[64])
    assert benchmark.cocotb_simulator(DESIGNS[64]) == here
    monkeypatch.setattr(config, "libs_dir", Path("/gone/cocotb/libs"))
    assert benchmark.cocotb_simulator(DESIGNS[64]) != here


@pytest.mark.parametrize("side", ["C interface", "cocotb"])
def test_wrong_reply_is_an_error(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark: Any = bench.load("sim-speed")
    frames = [bytes([number]) * 60 for number in range(3)]
    monkeypatch.setattr(benchmark, "echo_reply", lambda frame: frame[::-1])
    replies = [frame[::-1] for frame in reversed(frames)]
    benchmark.check_replies(frames, replies, side)
    replies[1] = replies[1][:-1] + b"x"
    with pytest.raises(UserError, match=f"{side}: 1 replies are wrong or missing, 1 unexpected"):
        benchmark.check_replies(frames, replies, side)


def test_corrupted_model_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark: Any = bench.load("sim-speed")
    monkeypatch.setattr(benchmark, "cocotb", lambda *_: 1.0)  # has the same check
    monkeypatch.setattr(
        benchmark, "echo_reply", lambda frame: answers.echo_reply(frame)[:-1] + b"\x55"
    )
    with pytest.raises(UserError, match=r"C interface: \d+ replies are wrong"):
        benchmark.main(FUSED, STDOUT, quick=True)
