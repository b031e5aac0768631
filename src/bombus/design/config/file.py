# SPDX-License-Identifier: Apache-2.0
"""Loading of design files: YAML to model, with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bombus.base import trust, yaml_file
from bombus.base.errors import DesignError, Problem
from bombus.base.extensions import of_keys
from bombus.base.text import nearest
from bombus.base.yaml_file import Loc
from bombus.design.config.design import DesignConfig
from bombus.design.config.tile import MAX_REPLICAS, TileOfKind

_SOURCE_NAME = re.compile(r"\w[\w.+-]*", re.ASCII)  # it reaches make, compilers and scripts


@dataclass(frozen=True)
class DesignFile:
    """A design with its file, to locate problems in the file."""

    path: Path
    config: DesignConfig
    document: Any

    def line(self, loc: Loc) -> int | None:
        return yaml_file.line(self.document, loc)

    def problem(self, loc: Loc, message: str, *, is_error: bool = True) -> Problem:
        return Problem(self.path, self.line(loc), message, is_error)

    @property
    def folder(self) -> Path:
        return self.path.resolve().parent

    def source_files(self) -> list[Path]:
        return [(self.path.parent / source).resolve() for source in self.config.sources]


def _in_document(loc: Loc, document: Any) -> Loc:
    """The steps of a pydantic location that are in the text; forms of a value are not."""
    if loc[:1] == ("tiles",):
        loc = loc[:2] + loc[3:]  # the third says whether the tile has `layers` or `kind`
    return yaml_file.in_document(loc, document)


def _place(loc: Loc, document: Any) -> str:
    """`tile 'echo': at[0]` for ("tiles", 2, "at", 0)."""
    text = ""
    if loc[:1] == ("tiles",) and len(loc) > 1:
        tile = document["tiles"][loc[1]]
        name = tile.get("name") if isinstance(tile, dict) else None
        text, loc = f"tile {name!r}" if isinstance(name, str) else f"tiles[{loc[1]}]", loc[2:]
        if loc:
            text += ": "
    return text + yaml_file.place(loc)


def _words(error: Any, loc: Loc, document: Any, model: type[DesignConfig]) -> str:
    """A pydantic error in terms of the design file."""
    place = _place(loc, document)
    if error["type"] == "missing" and error["loc"][-1] == "layers":
        forms = ("layers", "kind")
        keys = set(error["input"]) - set(TileOfKind.model_fields)
        misspelt = {key: nearest(key, forms, 1) for key in sorted(keys)}
        hints = [f"; is {key!r} meant to be {near[0]!r}?" for key, near in misspelt.items() if near]
        return f"{place}: needs `layers` or `kind`{''.join(hints[:1])}"
    in_tile = loc[2:] if loc[:1] == ("tiles",) else ()
    if len(in_tile) == 2 and in_tile[0] == "layers" and error["type"] != "value_error":
        return f"{place}: should be a layer kind, or a layer kind with its parameters"
    if len(in_tile) == 3 and in_tile[0] == "layers":
        return f"{place}: should be the layer's parameters, such as {{udp_port: 7}}"
    is_parameter = (len(in_tile) == 4 and in_tile[0] == "layers") or (
        len(in_tile) == 1 and in_tile[0] not in {*TileOfKind.model_fields, "layers"}
    )
    if is_parameter and error["type"] != "extra_forbidden":
        near = get_close_matches(str(in_tile[-1]), TileOfKind.model_fields, 1, 0.75)
        hint = f"; is it meant to be {near[0]!r}?" if near and len(in_tile) == 1 else ""
        return f"{place}: should be a whole number, a text, true or false{hint}"
    return yaml_file.words(error, loc, place, model)


def _shape_problems(
    path: Path, document: Any, error: ValidationError, model: type[DesignConfig]
) -> list[Problem]:
    """One problem per location; those explained by a deeper location are left out."""
    items = [
        (_in_document(tuple(item["loc"]), document), item)
        for item in yaml_file.causes(error.errors())
    ]
    places = {loc for loc, item in items if item["type"] != "missing"}
    formless = {loc for loc, item in items if item["loc"][-1:] == ("layers",)}
    found: dict[str, Problem] = {}
    for loc, item in items:
        if item["type"] == "extra_forbidden" and loc[:-1] in formless:
            continue  # it may be a parameter of the missing kind
        if item["type"] != "missing" and any(
            len(place) > len(loc) > 2 and place[: len(loc)] == loc for place in places
        ):
            continue
        message = _words(item, loc, document, model)
        found.setdefault(message, Problem(path, yaml_file.line(document, loc) or 1, message))
    return list(found.values())


def _duplicates(path: Path, document: Any, tiles: Sequence[Any]) -> Iterator[Problem]:
    first: dict[str, int | None] = {}
    for i, tile in enumerate(tiles):
        name = tile.get("name") if isinstance(tile, dict) else None
        if not isinstance(name, str):
            continue
        names = [name]
        replicas = tile.get("replicas")
        if isinstance(replicas, int) and replicas <= MAX_REPLICAS:
            names += [f"{name}_{n}" for n in range(replicas)]
        line = yaml_file.line(document, ("tiles", i, "name"))
        for each in names:
            if each in first:
                yield Problem(
                    path, line, f"tile {each!r} is a duplicate; first defined at line {first[each]}"
                )
                break
            first[each] = line


def load(path: Path, model: type[DesignConfig] = DesignConfig) -> DesignFile:
    """Reads a design file. `model`: that of a file with further keys.

    Raises DesignError with every problem of the file's form, or UserError if
    there is no such file.
    """
    path = Path(path)
    document = yaml_file.read(path, "design file")
    if "fabrics" in document and "tiles" not in document:
        message = "this is a sweep file, for `bombus sweep`; a design file lists tiles"
        raise DesignError([Problem(path, yaml_file.line(document, ("fabrics",)), message)])
    if model is DesignConfig and (other := of_keys(document)):
        where = yaml_file.line(document, (other.KEY,))
        raise DesignError([Problem(path, where, f"{other.KEY}: {other.refused(path)}")])
    data = yaml_file.plain(document)
    tiles = data.get("tiles")
    problems = list(_duplicates(path, document, tiles if isinstance(tiles, list) else []))
    try:
        design = model.model_validate(data)
    except ValidationError as error:
        problems += _shape_problems(path, document, error, model)
    if problems:
        raise DesignError(sorted(problems, key=lambda problem: problem.line or 0))
    found = DesignFile(path, design, document)
    problems = list(_source_problems(found))
    if problems:
        raise DesignError(problems)
    return found


def _source_problems(design: DesignFile) -> Iterator[Problem]:
    for i, file in enumerate(design.source_files()):
        text = None
        if not file.is_file():
            text = f"there is no file {file}"
        elif not trust.may_read(file, design.folder):
            text = f"{file} is outside of the folder of the design; {trust.HINT}"
        elif not _SOURCE_NAME.fullmatch(file.name):
            text = f"{file.name!r} should have only letters, digits and _ . + - in its name"
        if text:
            yield design.problem(("sources", i), text)
