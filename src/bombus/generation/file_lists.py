# SPDX-License-Identifier: Apache-2.0
"""Lists of the files that a generated design consists of, for tools that read SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

LICENCE = "// SPDX-License-Identifier: Apache-2.0"


def file_list(lines: Iterable[str]) -> str:
    """A file list, as `-f` and `-F` of simulators read it."""
    return "\n".join([LICENCE, *lines]) + "\n"


def fusesoc_core(name: str, headers: list[str], sources: list[str]) -> str:
    """A FuseSoC core description (CAPI2)."""
    # FuseSoC wants CAPI=2 in the first line.
    lines = [
        "CAPI=2:",
        "# SPDX-License-Identifier: Apache-2.0",
        f"name: bombus::{name}:0",
        "filesets:",
        "  rtl:",
        "    files:",
    ]
    lines += [
        f"      - {file}: {{is_include_file: true, include_path: {Path(file).parent.as_posix()}}}"
        for file in headers
    ]
    lines += [f"      - {file}" for file in sources]
    lines += ["    file_type: systemVerilogSource"]
    lines += ["targets:", "  default:", "    filesets: [rtl]", f"    toplevel: {name}_top"]
    return "\n".join(lines) + "\n"
