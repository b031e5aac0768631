# SPDX-License-Identifier: Apache-2.0
"""The cache holds libraries that are loaded: who may have made them, and damage."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bombus.base.cache import cached_directory
from bombus.base.errors import UserError
from bombus.simulator.build import Library, build, build_library
from tests import LOOPBACK, ROOT

NOBODY = 65534


def fill(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("whole")


def content() -> str:
    return (cached_directory("thing", fill) / "inner" / "file").read_text()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("BOMBUS_CACHE", str(path))
    return path


@pytest.mark.parametrize("mode", [None, 0o777, 0o755])
def test_only_the_owner_has_access(cache: Path, mode: int | None) -> None:
    if mode:
        cache.mkdir()
        cache.chmod(mode)
    assert content() == "whole"
    assert cache.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_what_another_user_has_made_is_not_taken(cache: Path) -> None:
    assert content() == "whole"
    (cache / "thing" / "inner" / "file").write_text("plant")  # as long as the original
    os.chown(cache / "thing", NOBODY, NOBODY)
    assert content() == "whole"
    os.chown(cache, NOBODY, NOBODY)
    with pytest.raises(UserError, match="belongs to another user"):
        content()


@pytest.mark.parametrize("damage", ["shorter", "missing", "all", "sizes", "garbage", "list"])
def test_a_damaged_entry_is_made_again(cache: Path, damage: str) -> None:
    assert content() == "whole"
    file, sizes = cache / "thing" / "inner" / "file", cache / "thing" / ".sizes"
    if damage == "shorter":
        file.write_text("")
    elif damage == "missing":
        file.unlink()
    elif damage == "all":
        (cache / "thing").rename(cache / "elsewhere")
        (cache / "thing").mkdir()
    elif damage == "sizes":
        sizes.unlink()
    else:
        sizes.write_bytes(b"\xff{" if damage == "garbage" else b"[1]")
    assert content() == "whole"


def test_a_library_that_was_cut_short_is_built_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled(_: Path, target: Path, *__: object, **___: object) -> None:
        target.write_text("library")

    monkeypatch.setattr("bombus.simulator.build.verilate", lambda *_: None)
    monkeypatch.setattr("bombus.simulator.build.compile_model", compiled)
    library = build_library(LOOPBACK)
    with library.path.open("r+b") as file:
        file.truncate(3)
    assert build_library(LOOPBACK).path.read_text() == "library"


@pytest.mark.slow
def test_the_remembered_name_leads_nowhere_else(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(*_: Any, **__: Any) -> Library:
        entry = cached_directory("simulators/it-key", lambda folder: (folder / "libit.so").touch())
        return Library(entry / "libit.so")

    monkeypatch.setattr("bombus.simulator.build.build_library", built)
    design = ROOT / "designs" / "udp_echo_1g.yaml"
    library = build(design)
    (remembered,) = (cache / "designs").iterdir()
    assert remembered.read_text() == "it-key"
    planted = tmp_path / "planted" / "libit.so"
    planted.parent.mkdir()
    planted.write_text("no library")
    for text in (str(planted), "../../planted", "planted-1", "", ".", "..", "simulators", "it-key"):
        remembered.write_text(text)
        assert build(design) == library
