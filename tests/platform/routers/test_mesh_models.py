# SPDX-License-Identifier: Apache-2.0
"""Models of meshes in the cache: found by their content."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bombus.fabric.config import Fabric
from bombus.measure import mesh


def test_checkouts_share_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of the sources does not count; their content and the size of the mesh do."""
    asked: list[str] = []

    def cached(name: str, make: Callable[[Path], None]) -> Path:
        asked.append(name)
        return tmp_path

    monkeypatch.setattr(mesh, "cached_directory", cached)

    def build(columns: int = 2) -> None:
        mesh.build(Fabric(), columns, 2)

    build()
    copied = tmp_path / "sim"
    shutil.copytree(mesh.RUNTIME, copied)
    monkeypatch.setattr(mesh, "RUNTIME", copied)
    monkeypatch.setattr(mesh, "MESH", copied / "mesh")
    build()
    assert asked[0] == asked[1]
    build(3)
    with (copied / "mesh" / "layers.h").open("a") as file:
        file.write("// Changed\n")
    build()
    assert len(set(asked)) == 3
