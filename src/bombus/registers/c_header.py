# SPDX-License-Identifier: Apache-2.0
"""The register map as a C header, by PeakRDL-cheader."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from peakrdl_cheader.exporter import CHeaderExporter

from bombus.registers.rdl import compile_text


def c_header(files: Iterable[Path], text: str, name: str) -> str:
    """A struct of the map `name`, and masks of all fields; for C11 and C++11."""
    with tempfile.TemporaryDirectory() as folder:
        header = Path(folder) / f"{name}_registers.h"
        CHeaderExporter().export(compile_text(files, text, name), str(header))
        return header.read_text()
