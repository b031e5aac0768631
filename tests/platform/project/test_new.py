# SPDX-License-Identifier: Apache-2.0
"""`bombus new`: each kind of project is clean and passes its test; nothing is overwritten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bombus import cli
from bombus.analysis import check
from bombus.base.errors import UserError
from bombus.cli.project import PLACEHOLDER, create, kinds
from bombus.generation.generate import generate
from tests import ROOT

sys.path.append(str(ROOT / "tools"))

import lint

KINDS = sorted(kinds())
NAME = "bees"


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr("sys.argv", ["bombus", "new", *map(str, arguments)])
    monkeypatch.setenv("COLUMNS", "200")
    cli.main()


def test_the_kinds_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run_command(monkeypatch)
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == KINDS == ["between", "ethernet", "tcp", "udp"]
    with pytest.raises(SystemExit):
        run_command(monkeypatch, "--help")
    assert f"{', '.join(['udp', 'tcp', 'between', 'ethernet'])}" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_has_its_name_everywhere(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / NAME
    files = create(NAME, kind, folder)
    assert sorted(files) == sorted(path.name for path in folder.iterdir())
    assert {f"{NAME}.sv", f"{NAME}.yaml", f"test_{NAME}.py", "README.md"} <= set(files)
    assert not any(PLACEHOLDER in (folder / file).read_text() for file in files)
    assert len((folder / "README.md").read_text().splitlines()) <= 10
    assert list(folder.parent.iterdir()) == [folder]  # no temporary folder is left


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Bees", "snake_case"),
        ("", "snake_case"),
        ("../bees", "snake_case"),
        ("private", "reserved word of C"),
        ("lambda", "reserved word of Python"),
        ("module", "reserved word of SystemVerilog"),
        ("udp_echo", "module of Bombus"),
        ("noc_pkg", "module of Bombus"),
    ],
)
def test_bad_names_are_refused(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        create(name, "udp", tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'tcp'"):
        create(NAME, "tpc", tmp_path / NAME)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    file, folder, link = (tmp_path / name for name in ("file", "folder", "link"))
    file.write_text("mine")
    folder.mkdir()
    link.symlink_to("nowhere")
    for each in (file, folder, link):
        with pytest.raises(UserError, match="exists"):
            create(NAME, "udp", each)
    with pytest.raises(UserError, match="cannot write"):
        create(NAME, "udp", file / NAME)
    assert file.read_text() == "mine" and not list(folder.iterdir()) and not link.exists()


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        run_command(monkeypatch, NAME, "--kind", "between")
    out = capsys.readouterr().out
    assert f"{NAME}: README.md, {NAME}.rdl, {NAME}.sv, {NAME}.yaml, test_{NAME}.py" in out
    assert f"cd {NAME} && bombus check {NAME}.yaml && pytest" in out
    with pytest.raises(SystemExit) as caught:
        run_command(monkeypatch, NAME)
    assert caught.value.code == 1
    assert f"error: {NAME} exists" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_new_project_is_clean(kind: str, tmp_path: Path) -> None:
    create(NAME, kind, tmp_path / NAME)
    design = tmp_path / NAME / f"{NAME}.yaml"
    _, warnings = check.check(design)
    assert not warnings
    assert lint.lint_verilator(generate(design, tmp_path / "out"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [pytest.param(each, marks=pytest.mark.sweep if each != "udp" else ()) for each in KINDS],
)
def test_a_new_project_passes_its_test(kind: str, tmp_path: Path) -> None:
    create(NAME, kind, tmp_path / NAME)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = subprocess.run(
        command, cwd=tmp_path / NAME, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
