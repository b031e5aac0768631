# SPDX-License-Identifier: Apache-2.0
"""Files listed under `sources` in a design file, read without checking the design."""

from __future__ import annotations

from pathlib import Path

from bombus.base import yaml_file


def source_files(design: Path) -> list[Path]:
    """The existing sources, each once, with the register descriptions next to them.

    Raises DesignError or UserError if the design file cannot be read.
    """
    listed = yaml_file.read(design, "design file").get("sources")
    found = [design.parent / str(each) for each in listed] if isinstance(listed, list) else []
    found += [path.with_suffix(".rdl") for path in found if path.suffix == ".sv"]
    return [path for path in dict.fromkeys(found) if path.is_file()]
