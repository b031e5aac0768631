# SPDX-License-Identifier: Apache-2.0
"""The command: what it prints where, and what it answers to mistakes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from bombus.base.tables import print_table
from bombus.cli.bench import _options
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited


def bombus(
    *arguments: object, cwd: Path = ROOT, columns: int = 80
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "bombus.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


def test_check_of_a_valid_design() -> None:
    result = bombus("check", DESIGNS / "udp_echo.yaml")
    assert result.returncode == 0
    assert "no problems found" in result.stdout
    assert result.stderr == ""


def test_check_names_file_and_line(edited: Edited) -> None:
    file = edited(("512", "500"))
    result = bombus("check", file)
    assert result.returncode == 1
    assert f"{file}:4: data_width: should be" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_lines_are_numbers_in_every_message(edited: Edited) -> None:
    """Rich makes a picture of `:100:`, unless it is told not to."""
    file = edited(("data_width: 512", "\n" * 96 + "data_width: 500"))
    assert f"{file}:100: data_width: should be" in bombus("check", file).stderr


def test_check_prints_only_json_if_asked(edited: Edited) -> None:
    valid = bombus("check", DESIGNS / "udp_echo.yaml", "--json", "-")
    assert json.loads(valid.stdout) == {"valid": True, "problems": [], "blocked": 0}
    result = bombus("check", edited(("512", "500")), "--json", "-")
    assert result.returncode == 1
    (problem,) = json.loads(result.stdout)["problems"]
    assert (problem["line"], problem["severity"]) == (4, "error")


@pytest.mark.slow
def test_check_says_how_large_a_window_is(tmp_path: Path) -> None:
    design = TEST_DESIGNS / "any_order.yaml"
    result = bombus("check", design, columns=300)
    words = r"; window of 84\d flits: a cycle of waiting holds at least 84\d\)"
    assert re.search(words, result.stdout)
    file = tmp_path / design.name
    text = design.read_text().replace(", window: auto", "")
    for source in ("itinerary.sv", "station.sv"):
        text = text.replace(source, f"{design.parent}/{source}")
    file.write_text(text)
    result = bombus("check", file, "-o", tmp_path / "cycle.svg", columns=300)
    assert result.returncode == 1
    assert "Chains in any order are safe under a window: `fabric: {..., window" in result.stderr


def test_place_prints_positions() -> None:
    file = DESIGNS / "udp_echo.yaml"
    before = file.read_text()
    result = bombus("place", file, "--dry-run", "--json", "-")
    assert json.loads(result.stdout)["positions"]["echo"] == [2, 1]
    assert file.read_text() == before


def test_place_says_when_there_is_nothing_to_place(tmp_path: Path) -> None:
    file = tmp_path / "udp_echo.yaml"
    text = (DESIGNS / "udp_echo.yaml").read_text()
    file.write_text(text)
    result = bombus("place", file)
    assert result.returncode == 0, result.stderr
    assert f"nothing to place: every tile of {file} has a position" in result.stdout
    assert "nothing written" in result.stdout
    assert file.read_text() == text
    # The table has the order of the file.
    rows = [line.split()[1] for line in result.stdout.splitlines() if "given" in line]
    assert rows == [part.partition(",")[0] for part in text.split("{name: ")[1:]]


def test_place_leads_to_move_where_given_positions_deadlock() -> None:
    file = "docs/examples/deadlock/figure_5a.yaml"
    result = bombus("place", file)
    assert result.returncode == 1
    assert f"`bombus place {file} --move` also moves tiles" in result.stderr


def test_generate_leads_to_the_picture_of_a_deadlock(tmp_path: Path) -> None:
    file = "docs/examples/deadlock/figure_5a.yaml"
    result = bombus("generate", file, "-o", tmp_path / "out")
    assert result.returncode == 1
    assert f"run `bombus check {file} -o cycle.svg` for a picture" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_check_refuses_a_deadlock_and_place_puts_it_right(tmp_path: Path) -> None:
    file = tmp_path / "figure_5a.yaml"
    file.write_text((ROOT / "docs" / "examples" / "deadlock" / "figure_5a.yaml").read_text())
    picture = tmp_path / "cycle.svg"
    result = bombus("check", file, "-o", picture, "--json", "-")
    assert result.returncode == 1
    assert "possible deadlock" in result.stderr
    assert f"`bombus place {file} --move` writes a placement without deadlock: " in result.stderr
    assert picture.read_text().startswith("<?xml")
    assert json.loads(result.stdout)["picture"] == str(picture)
    result = bombus("place", file, "--move")
    assert result.returncode == 0, result.stderr
    assert bombus("check", file).returncode == 0


def test_generate_writes_to_the_folder(tmp_path: Path) -> None:
    result = bombus("generate", DESIGNS / "udp_echo.yaml", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out" / "udp_echo_top.sv").is_file()
    listed = (tmp_path / "out" / "bombus.sha256").read_text().splitlines()
    first, *lines = result.stdout.splitlines()
    assert first == f"{tmp_path / 'out'}: {len(listed) - 1} files"
    *named, shell = map(str.strip, lines)
    for line in named:
        paths, _, meaning = line.partition("  ")
        assert meaning.strip()
        assert all((tmp_path / "out" / path).is_file() for path in paths.split(", "))
    assert any(line.startswith("udp_echo.json ") for line in named)
    (registers,) = (line for line in named if line.startswith("udp_echo_registers.h"))
    assert registers.endswith(" after reset") and "eth_tx.eth_tx" in registers
    assert shell == (
        "not written: top module with MACs, for boards "
        "(clock_mhz of MAC port 0 is not set; the CMAC needs 322.265625)"
    )


def test_show_writes_a_picture(tmp_path: Path) -> None:
    result = bombus("show", DESIGNS / "udp_echo.yaml", "-o", tmp_path / "mesh.svg")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "mesh.svg").read_text().startswith("<?xml")


def test_show_writes_to_build(tmp_path: Path) -> None:
    result = bombus("show", DESIGNS / "udp_echo.yaml", cwd=tmp_path)
    assert result.stdout == "build/udp_echo.svg\n"
    assert (tmp_path / "build" / "udp_echo.svg").is_file()


def test_tables_are_whole_in_pipes_and_narrow_terminals() -> None:
    file = ROOT / "benchmarks" / "rs.py"
    summary = file.read_text().splitlines()[1].strip('"')
    result = bombus("bench", columns=30)
    assert summary in result.stdout
    names = Table("name", "number")
    names.add_row("a_name_that_is_long_enough", "1,234,567 of all that there are")
    narrow = Console(file=io.StringIO(), force_terminal=True, width=40)
    print_table(narrow, names)
    assert isinstance(narrow.file, io.StringIO)
    printed = narrow.file.getvalue()
    assert "a_name_that_is_long_enough" in printed
    assert all(word in printed for word in ("1,234,567", "of", "all", "that", "there", "are"))


def test_a_benchmarks_help_shows_its_options() -> None:
    result = bombus("bench", "udp-echo", "--help")
    assert result.returncode == 0, result.stderr
    assert "UDP echo in virtual time" in result.stdout
    assert "--packets INTEGER" in result.stdout
    assert "2000" in result.stdout
    assert "Usage" in bombus("bench", "--help").stdout


def test_schema_is_json() -> None:
    assert "properties" in json.loads(bombus("schema").stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "absent.yaml"), "cannot read the design file absent.yaml"),
        (("build", "absent.yaml"), "absent.yaml: no such file"),
        (("area", "router_wormole"), "did you mean 'router_wormhole'"),
        (("area", "router_wormhole", "--param", "Depth"), "expected NAME=NUMBER"),
        (
            ("area", "router_wormhole", "--param", "Depht=0x10"),
            "no parameter 'Depht'; did you mean",
        ),
        (("area", "designs"), "designs is a folder; expected a design file or a module"),
        (("area", "router_wormhole", "--param", "flit_t=1"), "has no parameter 'flit_t'"),
        (("area", "rooter"), "there is no module 'rooter'"),
        (("timing", "designs/udp_echo_1g.yaml", "-o", "a.gif"), "should end in .svg, .png or .pdf"),
        (("timing", "designs/udp_echo_1g.yaml", "--device", "lfe5u-100f"), "12f, 25f, 45f or 85f"),
        (("bench", "absent"), "there is no benchmark 'absent'"),
        (("generate", "designs/udp_echo.yaml", "-o", "Makefile"), "is a file, not a folder"),
    ],
)
def test_mistakes_are_sentences(arguments: tuple[str, ...], message: str) -> None:
    result = bombus(*arguments)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_time_limit_is_positive() -> None:
    result = bombus("timing", "designs/udp_echo_1g.yaml", "--minutes", "-1", columns=300)
    assert result.returncode == 2
    assert "Invalid value for '--minutes'" in result.stderr
    assert "Traceback" not in result.stderr


def test_further_options_go_to_the_benchmark() -> None:
    arguments = ["--packets", "100", "--size=1.5", "--quick", "--name", "x"]
    design, options = _options([*arguments, "a.yaml"])
    assert design == Path("a.yaml")
    assert options == {"packets": "100", "size": "1.5", "quick": None, "name": "x"}
