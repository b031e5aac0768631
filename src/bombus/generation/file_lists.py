# SPDX-License-Identifier: Apache-2.0
"""Lists of the files that a generated design consists of, for tools that read SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bombus.generation.mac_shells import MacShell

LICENCE = "// SPDX-License-Identifier: Apache-2.0"


def file_list(lines: Iterable[str]) -> str:
    """A file list for `-f` and `-F` of simulators."""
    return "\n".join([LICENCE, *lines]) + "\n"


def fusesoc_core(
    name: str, headers: list[str], sources: list[str], shell: MacShell | None = None
) -> str:
    """A FuseSoC core description (CAPI2); `shell`: MACs for which it has a target."""
    # FuseSoC requires CAPI=2 in the first line.
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
    if shell:
        lines += [f"  {shell.target}:", "    files:"]
        lines += [f"      - {path}: {{file_type: {type_}}}" for path, type_ in shell.files.items()]
    lines += ["targets:", "  default:", "    filesets: [rtl]", f"    toplevel: {name}_top"]
    if shell:
        lines += [
            f"  {shell.target}:",
            "    default_tool: vivado",
            f"    filesets: [rtl, {shell.target}]",
            f"    toplevel: {name}_{shell.target}",
            f"    tools: {{vivado: {{part: {shell.part}}}}}",
        ]
    return "\n".join(lines) + "\n"
