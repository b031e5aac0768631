# SPDX-License-Identifier: Apache-2.0
"""Designs of strangers: which files they have read, and code that they have run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis.check import check
from bombus.base.errors import DesignError, Problem
from bombus.base.trust import ALLOWED
from tests import ROOT

ECHO = (ROOT / "rtl" / "applications" / "echo" / "udp_echo.sv").read_text()
SECRET = "a secret that messages must not quote"
RDL = """addrmap my_echo {
  reg { default sw=rw; default hw=r; field {} limit[8] = 0; } limit @ 0x0;
};
"""


def design(folder: Path, layer: str = "", *, source: str = "mine.sv", rdl: str = "") -> Path:
    """UDP echo by a layer of its own, in `folder`, beside a file that is none of its business."""
    (folder / "secret").write_text(f"{SECRET}\n")
    own = folder / "design"
    own.mkdir()
    text = ECHO.replace("module udp_echo", "module my_echo")
    (own / "mine.sv").write_text(text.replace("endmodule", f"{layer}\nendmodule"))
    if rdl:
        (own / "mine.rdl").write_text(rdl)
    file = own / "design.yaml"
    text = (
        (ROOT / "designs" / "udp_echo.yaml").read_text().replace("kind: udp_echo", "kind: my_echo")
    )
    file.write_text(text.replace("tiles:", f"sources: [{source!r}]\ntiles:", 1))
    return file


def errors(file: Path) -> str:
    with pytest.raises(DesignError) as caught:
        check(file)
    assert SECRET not in str(caught.value)
    return str(caught.value)


def warnings(file: Path) -> list[Problem]:
    return [each for each in check(file)[1] if each.file.name == "mine.sv"]


def test_a_design_of_ones_own_passes_without_a_warning(tmp_path: Path) -> None:
    assert warnings(design(tmp_path)) == []


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "link.sv"])
def test_sources_are_in_the_folder_of_the_design(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = design(tmp_path, source=name)
    (file.parent / "link.sv").symlink_to(tmp_path / "secret")
    assert "is outside of the folder of the design; add its folder to the environment" in errors(
        file
    )
    monkeypatch.setenv(ALLOWED, f"/no/such:{tmp_path}:/etc")
    assert "outside" not in errors(file)  # slang finds that it is no SystemVerilog


@pytest.mark.parametrize("name", ["-Wno-lint.sv", "a b.sv", "$(id).sv", "a;id.sv", "ä.sv"])
def test_names_of_sources_reach_make_and_compilers(tmp_path: Path, name: str) -> None:
    file = design(tmp_path, source=name)
    (file.parent / name).write_text("module a; endmodule")
    assert "should have only letters, digits" in errors(file)


@pytest.mark.parametrize(
    "line",
    [
        '`include "../secret"',
        "`include </etc/passwd>",
        '`include "/dev/zero"',
        '`include "inner/header.svh"',
        '`define SECRET "../secret"\n`include `SECRET',
        'localparam string A = """ " /* """;\n`include "../secret"\nlocalparam string B = "*/";',
        'localparam string A = "/*";\n`include "../secret"\nlocalparam string B = "*/";',
    ],
)
def test_sources_include_only_what_is_in_the_folder(tmp_path: Path, line: str) -> None:
    file = design(tmp_path, line)
    (file.parent / "inner").mkdir()
    (file.parent / "inner" / "header.svh").write_text('`include "../../secret"\n')
    assert "outside of" in (said := errors(file)) or "in quotes" in said


def test_a_header_in_the_folder_and_one_of_bombus_are_included(tmp_path: Path) -> None:
    file = design(tmp_path, '`include "bombus_assert.svh"\n`include "inner/header.svh"\n')
    (file.parent / "inner").mkdir()
    (file.parent / "inner" / "header.svh").write_text('// `include "../../secret"\n')
    assert warnings(file) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("<% print `id`; %>", "Perl (`<% ... %>`) in SystemRDL is refused"),
        ('`include "../secret"', "it includes ../secret, which is outside of"),
        ('`include "/dev/zero"', "it includes /dev/zero, which is outside of"),
    ],
)
def test_register_descriptions_run_and_read_nothing(
    tmp_path: Path, line: str, message: str
) -> None:
    assert message in errors(design(tmp_path, rdl=f"{line}\n{RDL}"))


def test_a_register_description_is_no_link_elsewhere(tmp_path: Path) -> None:
    file = design(tmp_path)
    (file.parent / "mine.rdl").symlink_to(tmp_path / "secret")
    assert "it is a link to a file outside of its folder" in errors(file)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('initial $system("id");', "runs other programs or C++ by $system"),
        ('initial $c("abort();");', "runs other programs or C++ by $c"),
        ('initial $c1("abort();");', "runs other programs or C++ by $c1"),
        ('`define DO(x) $system(x)\ninitial `DO("id");', "runs other programs or C++ by $system"),
        (
            '`ifdef VERILATOR\ninitial $system("id");\n`endif',
            "runs other programs or C++ by $system",
        ),
        (
            "`ifdef VERILATOR\n`systemc_header\n`endif",
            "runs other programs or C++ by `systemc_header",
        ),
        (
            '`define D(a, b) $``a``b\ninitial `D(sys, tem)("touch x");',
            "runs other programs or C++ by $system",
        ),
        (
            '`define D(a) $sys``a\ninitial `D(tem)("touch x");',
            "runs other programs or C++ by $system",
        ),
        (
            '`ifdef verilator3\n`define D(a) $``a\ninitial `D(c)("abort();");\n`endif',
            "runs other programs or C++ by $c",
        ),
        (
            '`ifndef BOMBUS_CHECKS\n`define D(a) $``a\ninitial `D(c)("abort();");\n`endif',
            "runs other programs or C++ by $c",
        ),
        (
            '`define Q "DPI-C"\nimport `Q function int system(input string s);',
            "calls C functions by DPI",
        ),
        ("initial $dumpvars;", "reads or writes files by $dumpvars"),
        ("initial $fflush;", "reads or writes files by $fflush"),
        ('import "DPI-C" function int system(string s);', "calls C functions by DPI"),
        ('int f; initial f = $fopen("/etc/passwd");', "reads or writes files by $fopen"),
    ],
)
def test_code_that_acts_outside_of_the_simulation_is_a_warning(
    tmp_path: Path, line: str, message: str
) -> None:
    (found,) = warnings(design(tmp_path, line))
    assert found.message == f"in simulation this {message}" and not found.is_error


def test_a_macro_of_an_earlier_source_hides_nothing(tmp_path: Path) -> None:
    file = design(tmp_path, '`ifdef DO\ninitial `DO(tem)("id");\n`endif')
    (file.parent / "first.sv").write_text("`define DO(a) $sys``a\nmodule first; endmodule\n")
    file.write_text(file.read_text().replace("['mine.sv']", "['first.sv', 'mine.sv']"))
    (found,) = warnings(file)
    assert "runs other programs or C++ by $system" in found.message


def test_an_include_is_reported_once(tmp_path: Path) -> None:
    file = design(tmp_path, '`include "/dev/zero"')
    with pytest.raises(DesignError) as caught:
        check(file)
    assert len(caught.value.problems) == 1
