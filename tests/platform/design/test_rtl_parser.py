# SPDX-License-Identifier: Apache-2.0
"""Files are parsed once, and again after a change of any file that was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.design.rtl import elaborate, modules
from bombus.design.rtl.elaboration import Elaboration
from bombus.design.rtl.parser import parser


def written(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


def width(elaboration: Elaboration, name: str) -> int:
    return int(elaboration.instance("top").body.find(name).value.value)


def test_an_unchanged_file_is_parsed_once(tmp_path: Path) -> None:
    file = written(tmp_path / "one.sv", "module one; endmodule\n")
    first, second = elaborate([file]), elaborate([file], {"other": "module other; endmodule\n"})
    assert first.trees[file] is second.trees[file]
    # With other defines, it may be another text.
    assert elaborate([file], num_mac_ports=2).trees[file] is not first.trees[file]


def test_a_changed_file_is_parsed_again(tmp_path: Path) -> None:
    file = written(tmp_path / "one.sv", "module one; endmodule\n")
    assert set(modules([file])) == {"one"}
    written(file, "module another; endmodule\n")
    assert set(modules([file])) == {"another"}
    file.unlink()
    with pytest.raises(UserError, match=r"there is no SystemVerilog file .*one\.sv"):
        modules([file])


def test_a_changed_header_is_read_again(tmp_path: Path) -> None:
    header = written(tmp_path / "width.svh", "localparam int Width = 8;\n")
    file = written(tmp_path / "top.sv", 'module top;\n  `include "width.svh"\nendmodule\n')
    assert width(elaborate([file], top="top"), "Width") == 8
    written(header, "localparam int Width = 16;\n")
    assert width(elaborate([file], top="top"), "Width") == 16


def test_a_file_with_errors_is_parsed_again(tmp_path: Path) -> None:
    """What is wrong may be a header that is missing, and which no file read so far shows."""
    file = written(tmp_path / "top.sv", 'module top;\n  `include "width.svh"\nendmodule\n')
    (problem,) = elaborate([file]).problems()
    assert problem.file == file and problem.line == 2
    written(tmp_path / "width.svh", "localparam int Width = 16;\n")
    assert width(elaborate([file], top="top"), "Width") == 16


def test_problems_of_texts_name_the_text() -> None:
    """Also of the same name in one process."""
    for wrong in ("wire [7:0 bus;", "wire 5bus;"):
        text = f"module probe;\n  {wrong}\nendmodule\n"
        problems = elaborate([], {"sources/probe.sv": text}).problems()
        assert {problem.file for problem in problems} == {Path("sources/probe.sv")}
        assert problems[0].line == 2


def test_texts_do_not_pile_up(tmp_path: Path) -> None:
    file = written(tmp_path / "one.sv", "module one; endmodule\n")
    first = elaborate([file])
    for n in range(250):
        elaborate([file], {f"text_{n}": f"module text_{n}; endmodule\n"})
    assert parser(1) is not first.parser
    assert set(modules([file])) == {"one"}
