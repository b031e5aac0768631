# SPDX-License-Identifier: Apache-2.0
"""Reads what a simulation of many boards needs to know, from `cluster.json` or a design file."""

from __future__ import annotations

import json
from pathlib import Path

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.sources import source_files
from bombus.cluster.description import Description, parsed
from bombus.cluster.files import DESCRIPTION
from bombus.cluster.generate import generate_cluster


def read(path: Path | str) -> Description:
    """Reads `cluster.json`, or a design file with boards, which is generated first.

    UserError if it cannot be read or is no description, DesignError if the design is invalid.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"cannot read {path}: no such file")
    if path.suffix != ".json":
        path = _generated(path)
    try:
        return parsed(json.loads(path.read_text()), path.parent)
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: this is no description of a cluster: {error!r}") from None


def _generated(design: Path) -> Path:
    """The `cluster.json` of a design file, in the cache."""

    def make(folder: Path) -> None:
        generate_cluster(design, folder)

    files = [design, *source_files(design)]
    key = content_key([design.name], [(file.name, file) for file in files])
    return cached_directory(f"clusters/{key}", make) / DESCRIPTION
