# SPDX-License-Identifier: Apache-2.0
"""The option `--cpu-minutes`: CPU time by folder of tests, of the workers and of what they start.

User and system time from `getrusage`, so it hardly depends on what else the machine does.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OPTION = "--cpu-minutes"
_START = "start and collection"


def used() -> float:
    """CPU seconds of this process and of its children that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def folder(path: Path, root: Path) -> str:
    """The row of a test file: its part and folder, such as `protocols/tcp`."""
    return "/".join(path.relative_to(root).parent.parts[1:3]) or "tests"


class CpuTime:
    """Adds up CPU seconds by folder in each process and prints those of all processes."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before = used()
        if not self.seconds:
            self.seconds[_START] = before
        try:
            return (yield)
        finally:
            self.seconds[folder(item.path, item.config.rootpath)] += used() - before

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["cpu_seconds"] = dict(self.seconds)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist has ended."""
        self.seconds.update(getattr(node, "workeroutput", {}).get("cpu_seconds", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("CPU minutes by folder")
        for name, seconds in self.seconds.most_common():
            terminalreporter.write_line(f"{seconds / 60:6.1f}  {name}")
        terminalreporter.write_line(f"{sum(self.seconds.values()) / 60:6.1f}  in all")
