# SPDX-License-Identifier: Apache-2.0
"""The report of a live run on a disk that is full for some time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bombus.base.output import WriteError
from bombus.live.report import Report, Totals

TOTALS = Totals(seconds=1.5, cycles=2, counters={}, ports=[], errors={})


def test_a_full_disk_is_told_once_and_ends_no_run(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    report = Report(folder / "report.json")
    for _ in range(2):
        assert report.update(TOTALS) is None
        assert json.loads(report.path.read_text())["cycles"] == 2
        folder.rename(tmp_path / "away")
        said = report.update(TOTALS)
        assert said is not None and f"cannot write {report.path}" in said
        assert report.update(TOTALS) is None
        (tmp_path / "away").rename(folder)
    folder.rename(tmp_path / "away")
    with pytest.raises(WriteError):  # the final numbers would be lost
        report.finish(TOTALS)
