# SPDX-License-Identifier: Apache-2.0
"""`bombus check` on the order of the layers of a processing element."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bombus.analysis import check
from tests import ROOT
from tests.support.helpers import Problems

EXAMPLES = ROOT / "docs" / "examples" / "pe"


@pytest.mark.parametrize(
    ("design", "old", "new", "messages"),
    [
        (
            "stream",
            "[pe: {num_arguments: 2}, udp_add: {udp_port: 9}]",
            "[udp_add: {udp_port: 9}, pe: {num_arguments: 2}]",
            ["add_quietly.udp_add is joined to add_quietly.pe by kernel_* and should follow it"],
        ),
        (
            "memory",
            "[pe: {num_arguments: 3}, pe_memory, fill_words]",
            "[fill_words, pe: {num_arguments: 3}, pe_memory]",
            [
                "fill.fill_words is joined to fill.pe by kernel_* and should follow it",
                "fill.fill_words is joined to fill.pe_memory by memory_* and should follow it",
            ],
        ),
    ],
)
def test_order(
    problems: Problems, tmp_path: Path, design: str, old: str, new: str, messages: list[str]
) -> None:
    """Software takes the layers from `pe` on as an element."""
    for file in EXAMPLES.glob("*.sv"):
        shutil.copy(file, tmp_path)
    text = (EXAMPLES / f"{design}.yaml").read_text()
    assert text.count(old) == 1
    file = tmp_path / "design.yaml"
    file.write_text(text.replace(old, new))
    line = 1 + next(n for n, said in enumerate(text.splitlines()) if old in said)
    wanted = [f"{line}: {message}: change the order of these layers" for message in messages]
    assert problems(check.check, file) == wanted
    file.write_text(text)
    check.check(file)
