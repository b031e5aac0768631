# SPDX-License-Identifier: Apache-2.0
"""The generated page of the documentation is up to date, and its example is sound."""

from __future__ import annotations

import re
from pathlib import Path

from bombus.analysis import check
from bombus.design import reference
from tests import ROOT


def test_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "design-file.md").read_text()
    assert page == reference.reference(), "run `make docs`"


def test_example_is_sound(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", reference.reference(), re.DOTALL)
    file = tmp_path / "design.yaml"
    file.write_text(example)
    _, warnings = check.check(file)
    assert warnings == []


def test_bounds_and_defaults_are_those_of_the_design_file() -> None:
    page = " ".join(reference.reference().split())
    keys = dict(re.findall(r"- `(\w+)` \((.*?)\)(?::| -)", page))
    assert keys["max_packet_flits"] == "integer, 1 to 2048"
    assert keys["prefix"] == "integer, 1 to 32; default `24`"
    assert keys["columns"] == "integer, 1 to 255"
    assert keys["at"] == "list of 2 integers, each 0 to 254 or list of such lists"
    assert keys["lossless"] == "true or false; default `true`"
    assert keys["elsewhere"] == "mapping to mapping to list"
    assert keys["algorithm"] == "`xy | o1turn | adaptive`; default `xy`"
    assert keys["ports"] == "mapping to names in snake_case"
    assert "The key `before`" in page
