# SPDX-License-Identifier: Apache-2.0
"""The site's page on the Python API: signatures and docstrings of what `bombus` exports and the
pages import.

tools/docs_site.py adds it to the site; no file of the repository repeats docstrings.
`python tools/api_reference.py` prints it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import bombus

COLUMNS = 88  # of a signature
DOCS = Path(__file__).resolve().parents[1] / "docs"
_IMPORT = re.compile(r"^from (bombus\.[\w.]+) import ([\w, ]+)$", re.MULTILINE)

# What the exported functions and methods return, by module.
RETURNED = {
    "bombus.simulator.frames": ("Frame", "Sent", "Exchange"),
    "bombus.simulator.impairment": ("Impairment",),
    "bombus.protocols.tcp.sockets": ("Sockets", "Listener", "Opening"),
    "bombus.protocols.tcp.connection": ("Connection",),
}

_HEAD = """\
# Python API

Names that the package `bombus` exports, the classes that they return, and names that pages import.
What may change between releases: [stability](stability.md). How to use them:
[simulator](simulator.md), [sockets](protocols/tcp/applications.md),
[controller](applications/control/ctl.md#from-python).
"""


def _text(item: object) -> str:
    """The docstring; angle brackets would be HTML."""
    text = inspect.getdoc(item) or ""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"<(?=\w)", "&lt;", part) for part in parts[::2]]
    return "".join(parts)


def _signature(name: str, item: Any) -> str:
    """Name and parameters, without the quotes of annotations and without `self`; a parameter a line
    if they do not fit into one."""
    text = re.sub(r"'([^']*)'", r"\1", str(inspect.signature(item)))
    text = re.sub(r"^\((self|cls)(, )?", "(", text)
    inside, end, result = text.rpartition(")")
    if len(name + text) <= COLUMNS or not end:
        return name + text
    parameters = re.sub(r", (?![^\[(]*[\])])", ",\n    ", inside.removeprefix("("))
    return f"{name}(\n    {parameters},\n){result}"


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties, those of base classes of Bombus too, by name."""
    for name, item in inspect.getmembers(kind):
        if name.startswith("_"):
            continue
        owner = next(each for each in kind.__mro__ if name in vars(each))
        if owner.__module__.startswith("bombus.") and (
            inspect.isroutine(item) or _is_property(item)
        ):
            yield name, item


def _is_property(item: object) -> bool:
    return isinstance(item, property) or hasattr(item, "attrname")  # cached_property


def _class(path: str, kind: type) -> Iterator[str]:
    yield f"## {kind.__name__}\n"
    yield f"```python\n{_signature(path, kind)}\n```\n"
    yield f"{_text(kind)}\n"
    for name, item in members(kind):
        yield f"### {kind.__name__}.{name}\n"
        if not _is_property(item):
            yield f"```python\n{_signature(name, item)}\n```\n"
        yield f"{_text(item)}\n"


def shown() -> list[tuple[str, str]]:
    """Module and name of what the pages import, without modules."""
    found = {
        (module, name.strip())
        for page in DOCS.rglob("*.md")
        for module, names in _IMPORT.findall(page.read_text(encoding="utf-8"))
        for name in names.split(",")
    }
    return sorted(each for each in found if not _is_module(*each))


def _is_module(module: str, name: str) -> bool:
    return bool(getattr(import_module(module), "__path__", ())) and (
        find_spec(f"{module}.{name}") is not None
    )


def items() -> Iterator[tuple[str, Any]]:
    """What the page describes, with the path under which it is imported."""
    for name in bombus.__all__:
        item = getattr(bombus, name)
        yield f"bombus.{name}", item
        for each in getattr(item, "__all__", ()) if isinstance(item, ModuleType) else ():
            yield f"bombus.{name}.{each}", getattr(item, each)
    returned = [(module, name) for module, names in RETURNED.items() for name in names]
    done: list[Any] = []  # some are imported from two modules
    for module, name in (*returned, *shown()):
        item = getattr(import_module(module), name)
        if not any(item is each for each in done):
            done.append(item)
            yield f"{module}.{name}", item


def page() -> str:
    """The page as Markdown."""
    lines = [_HEAD]
    for path, item in items():
        if inspect.isclass(item):
            lines += _class(path, item)
            continue
        lines.append(f"## {path.rpartition('.')[2]}\n")
        if not isinstance(item, ModuleType):
            lines.append(f"```python\n{_signature(path, item)}\n```\n")
        lines.append(f"{_text(item)}\n")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
