# SPDX-License-Identifier: Apache-2.0
"""A simulator in the cache: a shared library, with the manifest of its design beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Library:
    """A simulator that is ready to be opened."""

    path: Path

    @property
    def manifest_path(self) -> Path:
        return self.path.parent / "manifest.json"

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest written by `bombus.generation.generate`."""
        manifest: dict[str, Any] = json.loads(self.manifest_path.read_text())
        return manifest

    @property
    def log(self) -> Path:
        """Output of the build, with the warnings."""
        return self.path.parent / "build.log"

    def __fspath__(self) -> str:
        return str(self.path)
