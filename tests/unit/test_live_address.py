"""Which addresses `bombus run` gives this machine; the rest of it is in tests/sim/test_live.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bombus.build import Library
from bombus.errors import UserError
from bombus.live import run


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("10.77.0.2/24", r"10\.77\.0\.2 is the design's own; .*, such as 10\.77\.0\.1/24"),
        ("10.77.0.1", r"with prefix, such as 10\.77\.0\.1/24"),
        ("10.77.0.300/24", r"with prefix, such as 10\.77\.0\.1/24"),
    ],
    ids=["the design's", "no prefix", "none"],
)
def test_addresses_that_cannot_work_are_refused(
    tmp_path: Path, address: str, complaint: str
) -> None:
    """Before there is a simulation or an interface."""
    host = {"ip": "10.77.0.2", "prefix": 24, "gateway": None}
    (tmp_path / "manifest.json").write_text(json.dumps({"host": host}))
    with pytest.raises(UserError, match=complaint):
        run(Library(tmp_path / "library.so"), address=address)
