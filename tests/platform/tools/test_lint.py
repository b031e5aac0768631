# SPDX-License-Identifier: Apache-2.0
"""Style and cleanliness, as `make lint` checks them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        *("licence", "python", "format", "comments", "docs", "sample"),
        pytest.param("designs", marks=pytest.mark.sweep),
    ],
)
def test_lint_is_clean(step: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / "lint.py"), step]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_file_without_licence_line_is_named_and_given_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import licence

    texts = {
        "src/a.py": "import os\n",
        "rtl/b.sv": "module b;\nendmodule\n",
        ".ci/run": "#!/bin/sh\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(licence, "ROOT", tmp_path)
    monkeypatch.setattr(licence, "FILES", (".ci/run",))
    assert not licence.lint(fix=False)
    said = capsys.readouterr().out
    assert all(f"{name}: does not begin with" in said for name in texts)
    assert licence.lint(fix=True) and licence.lint(fix=False)
    assert (tmp_path / "rtl/b.sv").read_text() == f"// {licence.LINE}\n{texts['rtl/b.sv']}"
    assert (tmp_path / ".ci/run").read_text() == f"#!/bin/sh\n# {licence.LINE}\n"


def test_files_that_need_formatting_or_cannot_be_parsed_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import lint

    texts = {
        "rtl/good.sv": "module good;\nendmodule\n",
        "rtl/long.sv": "module   long;\nendmodule\n",
        "sim/bad.sv": "module   bad;\n  assign = 1;\nendmodule\n",
        # verible-verilog-syntax accepts it, verible-verilog-format does not.
        "tests/list.sv": "module l;\n  wire a = '{\n`ifdef B\n b: 1,\n`endif\n c: 1};\nendmodule\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    assert not lint.lint_format(fix=False)
    said = capsys.readouterr().out
    assert "good.sv" not in said
    assert "rtl/long.sv: needs formatting" in said
    for name in ("sim/bad.sv", "tests/list.sv"):
        assert f"{name}: verible cannot parse it" in said
    assert "sim/bad.sv:2:10" in said
    assert not lint.lint_format(fix=True)
    said = capsys.readouterr().out
    assert "rtl/long.sv" not in said and "sim/bad.sv: verible cannot parse it" in said
    assert (tmp_path / "rtl/long.sv").read_text() == "module long;\nendmodule\n"
    for name in ("rtl/good.sv", "sim/bad.sv", "tests/list.sv"):
        assert (tmp_path / name).read_text() == texts[name]


def test_an_emptied_tile_keeps_its_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import lint

    file = tmp_path / "tile.sv"
    ports = "module tile\n  import a_pkg::*;\n(\n    input logic a_i,\n    output logic b_o\n);\n"
    file.write_text(f"{ports}\n  inverter u_inverter (\n      .*\n  );\nendmodule\n")
    lint._empty(file)
    kept = [line for line in file.read_text().splitlines() if not line.startswith("//")]
    assert kept == [*ports.splitlines(), "endmodule"]


def test_avoided_words_and_long_lines_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import comments

    text = (
        "// SPDX-License-Identifier: Apache-2.0\n"
        '  x = "behind";  // after it\n'
        "  y = 1;  /* what\n comes */  // nobody\n"
        f"// {'x' * 98}\n"
    )
    found = list(comments.problems(Path("a.sv"), text))
    assert [each.split(":")[1] for each in found] == ["5", "3", "4"]
    assert "'comes'" in found[1] and "'nobody'" in found[2]
    assert comments.words(text)["what"] == 1 and comments.words(text)["behind"] == 0
