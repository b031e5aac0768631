# SPDX-License-Identifier: Apache-2.0
"""Makes docs/conformance.md, which says what passes: `python -m conformance.report`."""

from __future__ import annotations

from pathlib import Path

from conformance import matrix
from conformance.script import Script, read_folder, run_scripts

from bombus.simulator.build import build

HERE = Path(__file__).parent
DESIGN = HERE / "tcp_conformance.yaml"
PAGE = HERE.parents[1] / "docs" / "conformance.md"


def scripts() -> list[Script]:
    """All that there are."""
    return read_folder(HERE / "scripts") + matrix.scripts()


def page() -> str:
    library = build(DESIGN, assertions=True)
    counts: dict[str, list[int]] = {}
    failures = []
    for result in run_scripts(library, scripts()):
        state = result.script.title.split(",")[0]
        row = result.script.subject
        row += f": {state}" if row == matrix.SUBJECT else ""
        passed = counts.setdefault(row, [0, 0])
        passed[bool(result.problem)] += 1
        if result.problem:
            script = result.script
            failures.append(f"| {script.title} | {script.by} | {script.fails or 'not known'} |")
    rows = [f"| {name} | {good} | {bad} |" for name, (good, bad) in counts.items()]
    table = ["| script | expected by | what happens |", "|---|---|---|", *failures]
    return "\n".join(
        [
            "# Conformance of TCP",
            "",
            "Scripts of `tests/conformance` send segments to the engine in virtual time and check",
            "what comes back; each names the section by which it expects it. `make conformance`",
            "makes this page.",
            "",
            "| subject | pass | fail |",
            "|---|---|---|",
            *rows,
            "",
            "## Failures",
            "",
            *(table if failures else ["None."]),
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
