# SPDX-License-Identifier: Apache-2.0
"""Files that commands write: none is lost, and what cannot be written is named."""

from __future__ import annotations

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bombus.base.cache import cached_directory, writing_cache
from bombus.base.errors import UserError
from bombus.base.output import (
    STDOUT,
    WriteError,
    check_different,
    check_writable,
    write,
    write_json,
)
from bombus.cli import app
from bombus.generation import folder as output_folder
from bombus.measure import bench
from bombus.pictures import mesh
from tests.support.helpers import DESIGNS, Edited

FULL = Path("/dev/full")


@contextmanager
def full_disk(largest: int) -> Iterator[None]:
    """No file may grow beyond this many bytes, which is close to a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def refusal(*arguments: object) -> str:
    """The message of a command that is refused."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert isinstance(result.exception, UserError), result
    return str(result.exception)


@pytest.mark.parametrize(
    "command",
    [
        ("check", "{}", "--json", "{}"),
        ("check", "{}", "--json", "{}/../link.yaml"),
        ("check", "{}", "-o", "x.svg", "--json", "x.svg"),
        ("place", "{}", "--json", "{}"),
        ("place", "{}", "--json", "{}", "--dry-run"),
        ("place", "{}", "-o", "x.yaml", "--json", "x.yaml"),
        ("area", "{}", "--json", "{}"),
        ("timing", "{}", "--json", "{}"),
        ("timing", "{}", "-o", "x.svg", "--json", "x.svg"),
        ("bench", "udp-echo", "--design", "{}", "--json", "{}"),
    ],
    ids=" ".join,
)
def test_a_design_is_never_the_output(edited: Edited, command: tuple[str, ...]) -> None:
    design = edited()
    before = design.read_bytes()
    (design.parent / "link.yaml").symlink_to(design)
    command = tuple(
        word.replace("{}/..", str(design.parent)).replace("{}", str(design)) for word in command
    )
    assert "is given twice: as " in refusal(*command)
    assert design.read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        ("check", "{}", "--json", "{}/../mine.sv"),
        ("check", "{}", "--json", "{}/../mine.rdl"),
        ("place", "{}", "--json", "{}/../mine.sv"),
        ("show", "{}", "-o", "{}/../mine.svg"),
        ("run", "{}", "--report", "{}/../mine.sv"),
    ],
    ids=" ".join,
)
def test_a_source_of_the_design_is_never_the_output(
    edited: Edited, command: tuple[str, ...]
) -> None:
    design = edited(("host:", "sources: [mine.sv, mine.svg, mine.sv]\nhost:"))
    mine = [design.with_name(f"mine.{suffix}") for suffix in ("sv", "rdl", "svg")]
    for file in mine:
        file.write_text("// mine\n")
    command = tuple(
        word.replace("{}/..", str(design.parent)).replace("{}", str(design)) for word in command
    )
    assert "is given twice: as source and as " in refusal(*command)
    assert {file.read_text() for file in mine} == {"// mine\n"}


def test_one_file_is_not_two_captures(tmp_path: Path) -> None:
    """Of the same use as well, whether it exists or not."""
    file = tmp_path / "frames.pcap"
    for exists in (False, True):
        if exists:
            file.touch()
        with pytest.raises(UserError, match=r"given twice: as pcap-out and as pcap-out"):
            check_different([("pcap-out", file), ("pcap-out", file)])


def test_a_sweep_is_never_the_output(tmp_path: Path) -> None:
    grid = tmp_path / "grid.yaml"
    grid.write_text((DESIGNS.parent / "sweeps" / "fabrics.yaml").read_text())
    before = grid.read_bytes()
    assert "is given twice: as sweep and as json" in refusal("sweep", grid, "--json", grid)
    assert grid.read_bytes() == before


def test_place_may_name_the_design_as_its_output(edited: Edited) -> None:
    design = edited()
    result = CliRunner().invoke(app, ["place", str(design), "-o", str(design), "--effort", "0.1"])
    assert result.exit_code == 0, result


@pytest.mark.parametrize("json", ["/dev/full", "/absent/x.json", "/"])
def test_json_that_cannot_be_written_is_refused_before_the_work(json: str) -> None:
    for command in ("check", "place", "area", "timing"):
        message = refusal(command, DESIGNS / "udp_echo.yaml", "--json", json)
        assert message.startswith(f"cannot write {json}: ")
    with pytest.raises(WriteError, match=f"cannot write {json}"):
        bench.run("udp-echo", None, Path(json))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    write_json({"a": 1}, file)
    file.chmod(0o640)
    with full_disk(1000), pytest.raises(WriteError, match=r"x.json: File too large"):
        write_json("much" * 1000, file)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ('{\n  "a": 1\n}\n', 0o640)
    assert list(tmp_path.iterdir()) == [file]
    link = tmp_path / "link"
    link.symlink_to(file)
    write(link, "new")
    assert (link.is_symlink(), file.read_text()) == (True, "new")
    with pytest.raises(WriteError, match="cannot write /dev/full: No space left on device"):
        write(FULL, "text")
    assert FULL.is_char_device()


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "design.yaml"
    file.write_text("old")
    file.chmod(0o640)
    write(file, "new")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    check_writable(STDOUT)
    write_json([1], STDOUT)
    assert capsys.readouterr().out == "[\n  1\n]\n"
    assert not Path("-").exists()


def test_a_folder_that_is_not_finished_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    texts = {"a.sv": "a", "much.sv": "much" * 1000, "z.sv": "z"}
    with full_disk(1000), pytest.raises(UserError) as caught:
        output_folder.write(folder, texts)
    named = f"cannot write {folder}/much.sv: File too large; {folder} is incomplete"
    assert str(caught.value) == named
    output_folder.write(folder, texts)  # knows its own files
    assert (folder / "much.sv").read_text() == texts["much.sv"]


def test_a_picture_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    from bombus.analysis import check

    facts, _ = check.check(DESIGNS / "udp_echo.yaml")
    picture = tmp_path / "x.svg"
    picture.write_text("before")
    with full_disk(1000), pytest.raises(WriteError, match=r"x.svg: File too large"):
        mesh.draw(facts.design, picture)
    assert picture.read_text() == "before"
    with pytest.raises(UserError, match=r"should end in \.svg, \.png or \.pdf"):
        mesh.draw(facts.design, tmp_path / "x.gif")


def test_a_full_cache_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOMBUS_CACHE", str(tmp_path))

    def make(folder: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(folder / "x"))

    with pytest.raises(UserError, match=rf"directory {tmp_path}: No space.*set BOMBUS_CACHE"):
        cached_directory("x", make)
    with pytest.raises(UserError, match="BOMBUS_CACHE"), writing_cache() as cache:
        raise WriteError(cache / "x", "No space left on device")
    with pytest.raises(FileNotFoundError), writing_cache():
        Path("/absent").read_text()
    monkeypatch.setenv("BOMBUS_CACHE", "/dev/null/x")
    with pytest.raises(UserError, match=r"/dev/null/x: Not a directory.*BOMBUS_CACHE"):
        cached_directory("x", make)


def test_generate_writes_no_folder_called_minus() -> None:
    assert "generate writes a folder" in refusal(
        "generate", DESIGNS / "udp_echo.yaml", "-o", STDOUT
    )
