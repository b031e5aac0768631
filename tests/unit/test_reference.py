"""The generated page of the documentation is up to date, and its example is sound."""

from __future__ import annotations

import re
from pathlib import Path

from unit_helpers import ROOT

from bombus import check, reference


def test_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "design-file.md").read_text()
    assert page == reference.reference(), "run `make docs`"


def test_example_is_sound(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", reference.reference(), re.DOTALL)
    file = tmp_path / "design.yaml"
    file.write_text(example)
    _, warnings = check.check(file)
    assert warnings == []
