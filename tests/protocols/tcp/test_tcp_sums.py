# SPDX-License-Identifier: Apache-2.0
"""Long transfers between Linux and the TCP engine: SHA-256 sums of each end are the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from tests.protocols.tcp.test_tcp_host import DESIGN
from tests.support.live import ADDRESS, Live

pytestmark = pytest.mark.slow

SOFTWARE = "from tests.protocols.tcp.tcp_sums import Sums\nsoftware = Sums()"
SHORT, LONG = 1_000_000, 100_000_000
LONG_SECONDS = 3600.0


@pytest.mark.parametrize("size", [SHORT, pytest.param(LONG, marks=pytest.mark.sweep)])
def test_sums_of_both_ends_are_the_same(start: Callable[..., Live], size: int) -> None:
    live = start(DESIGN, assertions=True, software=SOFTWARE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for direction in ("send", "receive"):
        command = [
            sys.executable,
            "-m",
            "tests.protocols.tcp.tcp_sums",
            direction,
            ADDRESS,
            str(size),
        ]
        assert live.run(command, env=environment, timeout=LONG_SECONDS) == "same\n"
    live.stop()
