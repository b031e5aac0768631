# SPDX-License-Identifier: Apache-2.0
"""Modules by which protocols and applications extend the platform, which does not import them.

A package in `bombus.protocols` or `bombus.applications`, and `bombus.cluster`, may have the modules

- `commands`: groups of commands (`COMMANDS`) and options of `bombus run` (`RUN`):
  `bombus.cli.extensions`,
- `live`: software of each live run (`bombus.live.software`).
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

_PARENTS = ("bombus.protocols", "bombus.applications")
_PACKAGES = ("bombus.cluster",)


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
