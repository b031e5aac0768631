# SPDX-License-Identifier: Apache-2.0
"""Modules by which protocols and applications extend the platform, which does not import them.

A package in `bombus.protocols` or `bombus.applications`, and `bombus.cluster`, may have the modules

- `commands`: groups of commands (`COMMANDS`) and options of `bombus run` (`RUN`):
  `bombus.cli.extensions`,
- `live`: software of each live run (`bombus.live.software`),
- `cluster_live`: `page(calls, address)`, the live page of a running cluster, called with it;
  `calls` are those of its control socket,
- `design_files`: design files with a key of the package at the top, `KEY`. Its functions do the
  work of `bombus check`, `generate`, `show` and `place` for them: `check(path)` returns what the
  design consists of and warnings, `generate(path, folder)` lines about what it wrote and warnings,
  `show(path, picture)` the pictures and warnings, `place(path, move=, effort=)` a `Placed`.
  `draw_deadlock(error, picture)` draws the cycle of a `DeadlockError` of `check`, and returns the
  pictures. `refused(path)` says what to do instead of a command that takes no such file.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_PARENTS = ("bombus.protocols", "bombus.applications")
_PACKAGES = ("bombus.cluster",)


@dataclass(frozen=True)
class Placed:
    """What `bombus place` has chosen for a design file."""

    text: str  # of the file with it
    values: Mapping[str, Any]  # for JSON
    rows: Sequence[tuple[str, str]]  # tile and place
    summary: str


def modules(name: str) -> Iterator[ModuleType]:
    """The modules of a name in the packages that have one, in the order of the packages."""
    packages = [
        package.name
        for parent in _PARENTS
        for package in pkgutil.iter_modules(import_module(parent).__path__, f"{parent}.")
        if package.ispkg
    ]
    for package in (*packages, *_PACKAGES):
        if find_spec(f"{package}.{name}"):
            yield import_module(f"{package}.{name}")


def of_design_file(path: Path) -> ModuleType | None:
    """The module for a design file with a key of a package; None: it is an ordinary one."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None  # the reader of design files says why
    keys = {line.partition(":")[0] for line in lines if ":" in line and line[:1].isalpha()}
    return of_keys(keys)


def of_keys(keys: Container[str]) -> ModuleType | None:
    """The module for a design file with these keys at the top; None: it is an ordinary one."""
    return next((each for each in modules("design_files") if each.KEY in keys), None)
