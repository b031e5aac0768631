# SPDX-License-Identifier: Apache-2.0
"""A new project: a layer, a design around it, a test and a README.

Each folder of `templates/` is a project that works as it is, with a layer named `my_layer`; a new
project has the user's name in its place.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pyslang.syntax import SyntaxTree

from bombus.base.errors import UserError
from bombus.base.output import writing
from bombus.base.paths import PROJECTS
from bombus.base.text import near_matches
from bombus.base.values import Name
from bombus.design.rtl.library import library

PLACEHOLDER = "my_layer"
_ANY_WIDTH = 512  # names of modules do not depend on it


def kinds() -> dict[str, str]:
    """Kinds of projects, and what each is: the start of the README's second paragraph."""
    found = {}
    for folder in sorted(PROJECTS.iterdir()):
        readme = folder / "README.md"
        if readme.is_file():
            text = readme.read_text(encoding="utf-8").split("\n\n")[1]
            found[folder.name] = text.partition(":")[0]
    return found


def check_name(name: str) -> None:
    """UserError unless it can be the name of a layer, a design and their files."""
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise UserError(f"the name {name!r} {message}") from None
    if SyntaxTree.fromText(f"module {name}; endmodule").diagnostics:
        raise UserError(f"the name {name!r} is a reserved word of SystemVerilog; choose another")
    if (file := library(_ANY_WIDTH).definitions.get(name)) is not None:
        raise UserError(
            f"the name {name!r} is that of a module of Bombus, {file.name}; choose another"
        )


def create(name: str, kind: str, folder: Path) -> list[str]:
    """Writes a project of that kind into a folder that does not exist; returns its files.

    Raises UserError, and writes nothing, if the name or the kind is bad or the folder exists. All
    files appear at once.
    """
    check_name(name)
    known = kinds()
    if kind not in known:
        raise UserError(f"there is no kind of project {kind!r}; {near_matches(kind, known)}")
    if os.path.lexists(folder):
        raise UserError(f"{folder} exists; a new project needs a new folder")
    written = []
    with writing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{name}-") as temporary:
            made = Path(temporary) / name
            made.mkdir()
            for source in sorted((PROJECTS / kind).iterdir()):
                if not source.is_file():
                    continue
                text = source.read_text(encoding="utf-8").replace(PLACEHOLDER, name)
                file = made / source.name.replace(PLACEHOLDER, name)
                file.write_text(text, encoding="utf-8")
                written.append(file.name)
            made.rename(folder)
    return written
