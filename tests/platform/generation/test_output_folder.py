# SPDX-License-Identifier: Apache-2.0
"""`bombus generate -o`: writes its own files, and loses none of anybody else's."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from bombus.base.errors import DesignError, UserError
from bombus.generation import folder as output
from bombus.generation import generate
from tests.support.helpers import DESIGNS, Edited


def contents(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_text() for file in files}


def test_files_of_the_user_survive_beside_a_design(tmp_path: Path) -> None:
    """A folder with a file `udp_echo.json` is not Bombus' for that."""
    mine = {"udp_echo.json": "{}", ".git/HEAD": "ref: main", "udp_echo.yaml": "name: udp_echo"}
    for path, text in mine.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    with pytest.raises(UserError, match="did not write"):
        generate.generate(DESIGNS / "udp_echo.yaml", tmp_path)
    assert contents(tmp_path) == mine


def test_a_second_run_keeps_what_the_user_added(tmp_path: Path) -> None:
    generate.generate(DESIGNS / "udp_echo.yaml", tmp_path)
    before = contents(tmp_path)
    (tmp_path / "notes.txt").write_text("years of work")
    (tmp_path / "tiles" / "board.sv").write_text("module board; endmodule")
    generate.generate(DESIGNS / "udp_echo.yaml", tmp_path)
    added = {"notes.txt": "years of work", "tiles/board.sv": "module board; endmodule"}
    assert contents(tmp_path) == before | added


def test_the_list_names_every_file_as_sha256sum_reads_it(tmp_path: Path) -> None:
    generate.generate(DESIGNS / "udp_echo.yaml", tmp_path)
    command = ["sha256sum", "--check", "--quiet", output.LIST]
    subprocess.run(command, cwd=tmp_path, check=True)
    text = (tmp_path / output.LIST).read_text()
    for path, content in contents(tmp_path).items():
        digest = hashlib.sha256(content.encode()).hexdigest()
        assert path == output.LIST or f"{digest}  {path}\n" in text


def test_failure_leaves_the_old_output(tmp_path: Path, edited: Edited) -> None:
    folder = tmp_path / "out"
    generate.generate(edited(), folder)
    before = contents(folder)
    with pytest.raises(DesignError):
        generate.generate(edited(("kind: udp_tx", "kind: udp_xt")), folder)
    assert contents(folder) == before


def test_what_is_no_longer_generated_goes(tmp_path: Path) -> None:
    output.write(tmp_path, {"a/b/one.sv": "1", "a/two.sv": "2"})
    output.write(tmp_path, {"a/two.sv": "3"})
    assert contents(tmp_path).keys() == {"a/two.sv", output.LIST}
    assert not (tmp_path / "a" / "b").exists()
    assert (tmp_path / "a" / "two.sv").read_text() == "3"


@pytest.mark.parametrize("is_generated_again", [True, False])
def test_a_changed_file_is_named_and_kept(tmp_path: Path, is_generated_again: bool) -> None:
    output.write(tmp_path, {"one.sv": "1", "two.sv": "2"})
    (tmp_path / "one.sv").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(UserError, match=r"one\.sv was changed after Bombus wrote it"):
        output.write(tmp_path, {"two.sv": "3"} | ({"one.sv": "4"} if is_generated_again else {}))
    assert contents(tmp_path) == before


def test_a_file_of_the_same_name_is_named_and_kept(tmp_path: Path) -> None:
    output.write(tmp_path, {"one.sv": "1"})
    (tmp_path / "two.sv").write_text("mine")
    with pytest.raises(UserError, match=r"two\.sv is not one that Bombus wrote"):
        output.write(tmp_path, {"one.sv": "1", "two.sv": "2"})
    assert (tmp_path / "two.sv").read_text() == "mine"


def test_a_file_that_the_user_removed_comes_back(tmp_path: Path) -> None:
    output.write(tmp_path, {"one.sv": "1"})
    (tmp_path / "one.sv").unlink()
    output.write(tmp_path, {"one.sv": "1"})
    assert (tmp_path / "one.sv").read_text() == "1"


@pytest.mark.parametrize("link", ["one.sv", "rtl"])
def test_links_lead_out_of_the_folder_and_are_not_followed(tmp_path: Path, link: str) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "out"
    output.write(folder, {"kept.sv": "1"})
    (outside / "common").mkdir(parents=True)
    (outside / "one.sv").write_text("mine")
    (folder / link).symlink_to(outside / "one.sv" if link == "one.sv" else outside)
    with pytest.raises(UserError, match="is a symbolic link"):
        output.write(folder, {"one.sv": "2", "rtl/common/two.sv": "3"})
    assert contents(outside) == {"one.sv": "mine"}


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    output.write(tmp_path / "out", {"rtl/one.sv": "1"})
    output.write(tmp_path / "out", {"rtl/one.sv": "2"})
    assert (tmp_path / "disk" / "rtl" / "one.sv").read_text() == "2"


def test_five_files_are_named_and_the_others_counted(tmp_path: Path) -> None:
    files = {f"{number}.sv": "mine" for number in range(7)}
    output.write(tmp_path, {"one.sv": "1"})
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as caught:
        output.write(tmp_path, files)
    said = str(caught.value)
    assert [name in said for name in files] == 5 * [True] + 2 * [False]
    assert "and 2 more files;" in said


@pytest.mark.parametrize("line", ["0" * 64 + "  ../precious", "0" * 64 + "  /etc/passwd", "hello"])
def test_a_damaged_list_is_refused(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "precious").write_text("")
    (folder / output.LIST).write_text(line + "\n")
    with pytest.raises(UserError, match="damaged"):
        output.write(folder, {"one.sv": "1"})
    assert (tmp_path / "precious").exists()


def test_a_file_where_a_folder_is_needed_is_named(tmp_path: Path) -> None:
    output.write(tmp_path, {"one.sv": "1"})
    (tmp_path / "rtl").write_text("mine")
    with pytest.raises(UserError, match="where rtl is a file"):
        output.write(tmp_path, {"rtl/two.sv": "2"})
    assert contents(tmp_path).keys() == {"one.sv", "rtl", output.LIST}


def test_a_run_that_was_stopped_does_not_stop_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power fails when half of the files are new."""
    output.write(tmp_path, {"one.sv": "1", "two.sv": "2", "gone.sv": ""})
    replace, left = output._replace, 2

    def fail(file: Path, content: bytes) -> None:
        nonlocal left
        if not left:
            raise OSError("No space left on device")
        left -= 1
        replace(file, content)

    with monkeypatch.context() as patch:
        patch.setattr(output, "_replace", fail)
        with pytest.raises(OSError, match="No space"):
            output.write(tmp_path, {"one.sv": "one", "two.sv": "two"})
    output.write(tmp_path, {"one.sv": "one", "two.sv": "two"})
    assert contents(tmp_path).keys() == {"one.sv", "two.sv", output.LIST}
    assert (tmp_path / "two.sv").read_text() == "two"
