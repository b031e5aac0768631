# SPDX-License-Identifier: Apache-2.0
"""tools/rename.py follows a name into instances, proofs and mutations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ROOT

FILES = {
    "rtl/lane.sv": "module lane (input logic push_i);\n"
    "  wire full = push_i;  // push_i\nendmodule\n",
    "rtl/pushes.sv": "module pushes (input logic push_i);\n"
    "  lane #(.Depth(4)) u_lane (.push_i);\n  lane u_other (.push_i(f(push_i)), .pushed(1));\n"
    "  other u_third (.push_i);\nendmodule\n",
    "formal/lane_state.sv": "bind lane lane_state u_state (.push_i);\n",
    "formal/other_state.sv": "bind other other_state u_state (.push_i);\n",
    "tests/broken.py": 'LANE = "lane"\nA = Mutation(LANE, "push_i & f(x)", "push_i")\n'
    'B = Mutation("other", "push_i", "0")\nC = Mutation("lane", "wire full = push_i", "")\n',
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(ROOT / "tools")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_port_is_renamed_wherever_it_is_used(root: Path) -> None:
    from rename import rename

    assert len(rename("lane", "push_i", "write_i", root)) == 4
    assert "push_i" not in (root / "rtl/lane.sv").read_text()
    assert (root / "rtl/pushes.sv").read_text() == (
        "module pushes (input logic push_i);\n"
        "  lane #(.Depth(4)) u_lane (.write_i(push_i));\n"
        "  lane u_other (.write_i(f(push_i)), .pushed(1));\n"
        "  other u_third (.push_i);\nendmodule\n"
    )
    assert (root / "formal/lane_state.sv").read_text() == FILES["formal/lane_state.sv"].replace(
        "push_i", "write_i"
    )
    assert (root / "formal/other_state.sv").read_text() == FILES["formal/other_state.sv"]
    assert (root / "tests/broken.py").read_text() == (
        'LANE = "lane"\nA = Mutation(LANE, "write_i & f(x)", "write_i")\n'
        'B = Mutation("other", "push_i", "0")\nC = Mutation("lane", "wire full = write_i", "")\n'
    )


@pytest.mark.parametrize(
    "names", [("none", "a", "b"), ("lane", "a", "b"), ("lane", "push_i", "full")]
)
def test_what_cannot_be_renamed_is_refused(root: Path, names: tuple[str, str, str]) -> None:
    from rename import rename

    with pytest.raises(ValueError, match=r"there is no|has no|has full already"):
        rename(*names, root)
    assert all((root / name).read_text() == text for name, text in FILES.items())
