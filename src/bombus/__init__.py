# SPDX-License-Identifier: Apache-2.0
"""Bombus: hardware network stacks from a design file.

The pipeline, one module per step, each usable alone:
config -> check (with place) -> generate -> build -> simulation. A simulation knows no protocol and
no application; `sockets`, `processors`, `elements` and `access_lists` take one and return what they
add to it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bombus.applications import spn
    from bombus.applications.control.controller import Controller
    from bombus.applications.functions.acl_load import access_lists
    from bombus.applications.pe.elements import elements
    from bombus.applications.processors.processors import processors
    from bombus.protocols.tcp.sockets import sockets
    from bombus.simulator.simulation import Simulation

__all__ = [
    "Controller",
    "Simulation",
    "access_lists",
    "elements",
    "processors",
    "sockets",
    "spn",
]

_MODULES = {
    "Controller": "bombus.applications.control.controller",
    "Simulation": "bombus.simulator.simulation",
    "access_lists": "bombus.applications.functions.acl_load",
    "elements": "bombus.applications.pe.elements",
    "processors": "bombus.applications.processors.processors",
    "sockets": "bombus.protocols.tcp.sockets",
}
_PACKAGES = {"spn": "bombus.applications.spn"}


def __getattr__(name: str) -> Any:
    """Loads a binding of the simulator, or the package of an application, on its first use."""
    if name in _PACKAGES:
        return import_module(_PACKAGES[name])
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'bombus' has no attribute {name!r}")
