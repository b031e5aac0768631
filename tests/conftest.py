# SPDX-License-Identifier: Apache-2.0
"""What all tests share: message sums of simulations, which tests are slow, the closing line."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support import message_sums

TESTS = Path(__file__).parent
# Background jobs ignore Ctrl-C, nohup jobs also a hang-up, and so would programs that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
message_sums.watch()  # every simulation that a test opens
# Folders whose tests build large simulators, run proofs or synthesis; other slow tests are marked.
SLOW = ("bench", "conformance", "formal", "fuzz", "package", "rtl", "sim", "sweep", "system")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line: `N passed, N failed`. Errors outside a test's body count as failures."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    passed = len(reporter.getreports("passed"))
    failed = len(reporter.getreports("failed")) + len(reporter.getreports("error"))
    reporter.ensure_newline()
    reporter.write_line(f"{passed} passed, {failed} failed")
