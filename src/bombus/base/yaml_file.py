# SPDX-License-Identifier: Apache-2.0
"""YAML files validated by pydantic models, with a line number for every error.

What is wrong with a file's form is reported all at once, each with its line, in
the words of somebody who writes such a file.
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import ConstructorError, RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from bombus.base.errors import DesignError, Problem
from bombus.base.text import near_matches
from bombus.base.yaml_text import MAX_SHOWN, read_text, refuse_excess

FileModel = TypeVar("FileModel", bound=BaseModel)
Loc = tuple[str | int, ...]  # path into the YAML document, such as ("tiles", 2, "at")


class _Constructor(RoundTripConstructor):
    """Reports the line of a value that looks like a number or a date and is not."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, TypeError, OverflowError, AttributeError, KeyError):
            message = f"found {_shortened(node.value)}, which YAML takes for another sort"
            raise ConstructorError(
                None, None, f"{message} of value; put it in quotes", node.start_mark
            ) from None


def _shortened(value: Any) -> str:
    """A value for a message: texts in quotes, and shortened."""
    text = repr(value) if isinstance(value, str) else in_yaml(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def _reader() -> YAML:
    reader = YAML(typ="rt", pure=True)
    reader.Constructor = _Constructor
    return reader


def read(path: Path, what: str) -> CommentedMap:
    """Reads the document of a file, which must be a mapping. `what`: what to call it, such as
    `design file`.

    Raises DesignError with the line if it is not YAML, or UserError if there is no such file.
    """
    text = read_text(path, what)
    try:
        refuse_excess(path, text)
        document = _reader().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = _not_yaml(error)
        raise DesignError([Problem(path, mark.line + 1 if mark else 1, message)]) from None
    except YAMLError as error:
        message = f"invalid YAML: {str(error).splitlines()[0]}"
        raise DesignError([Problem(path, 1, message)]) from None
    if not isinstance(document, CommentedMap):
        message = f"a {what} is a YAML mapping that starts with `name: ...`"
        raise DesignError([Problem(path, 1, message)])
    if strange := list(_strange_keys(document)):
        raise DesignError([Problem(path, number, message) for number, message in strange])
    return document


def _not_yaml(error: MarkedYAMLError) -> str:
    """The error of the YAML library, reworded where it is meant for experts."""
    said = error.problem or ""
    if twice := re.match(r'found duplicate key "(.*?)" with value', said):
        return f"{twice[1]!r} is a duplicate key"
    if "mapping values are not allowed" in said:
        return "invalid YAML: unexpected key; check for an extra colon or inconsistent indentation"
    if "'\\t'" in said:
        return "invalid YAML: tabs cannot indent a line; use spaces"
    if "end of stream" in said or "'<stream end>'" in said:
        begin, end = error.context_mark, error.problem_mark
        is_apart = begin and end and begin.line < end.line
        start = f" starting at line {begin.line + 1}" if is_apart else ""
        return f"invalid YAML: unexpected end of file in a collection or string{start}"
    return "invalid YAML: " + " ".join(part for part in (error.context, said) if part)


def _strange_keys(node: Any) -> Iterator[tuple[int, str]]:
    """Keys that must be mistakes: line and message of each. `{at:}` is a key `at:` to YAML."""
    if isinstance(node, CommentedMap):
        for key, value in node.items():
            number = _key_line(node, key)
            if not isinstance(key, str) and value is None:
                message = "is not a key; a list is written in brackets, such as [2, 1]"
                yield number, f"{in_yaml(key)} {message}"
            elif not isinstance(key, str):
                yield number, f"{in_yaml(key)}: keys must be strings"
            elif key.endswith(":"):
                yield number, f"`{key}` has no value"
            yield from _strange_keys(value)
    elif isinstance(node, CommentedSeq):
        for item in node:
            yield from _strange_keys(item)


def _key_line(node: CommentedMap, key: Any) -> int:
    """Line, from 1, of a key; if the key was merged into the mapping (`<<: *base`), that of the
    mapping.
    """
    own = node.lc.data or {}
    return int(own[key][0] if key in own else node.lc.line) + 1


def line(document: Any, loc: Loc) -> int | None:
    """Line, from 1, of the value at `loc`, or of the nearest element above it."""
    node, found = document, None
    for step in loc:
        if isinstance(node, CommentedMap) and step in node:
            found = _key_line(node, step)
        elif isinstance(node, CommentedSeq) and isinstance(step, int) and step < len(node):
            found = node.lc.item(step)[0] + 1
        else:
            continue  # a step that is not in the text: a missing key, or the form of a value
        node = node[step]
    return found


def plain(node: Any) -> Any:
    """The same data without the YAML library's own types."""
    if isinstance(node, dict):
        return {plain(key): plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [plain(value) for value in node]
    for kind in (bool, int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return node


def in_document(loc: Loc, document: Any) -> Loc:
    """The steps of a pydantic location that are in the text, without forms of a value."""
    found: list[str | int] = []
    node: Any = document
    for step in loc:
        if isinstance(node, dict) and step in node:
            node = node[step]
            found.append(step)
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            node = node[int(step)]
            found.append(step)
    return tuple(found)


def place(loc: Loc) -> str:
    """`fabrics[2].kind` for ("fabrics", 2, "kind")."""
    text = ""
    for i, step in enumerate(loc):
        text += f"[{step}]" if isinstance(step, int) else ("." if i else "") + step
    return text


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a type, such as those of a list's items."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)


def _is_mapping(annotation: Any) -> bool:
    """Whether a type is a mapping, or one or nothing."""
    return typing.get_origin(annotation) is dict or any(
        map(_is_mapping, typing.get_args(annotation))
    )


def _models_at(model: type[BaseModel], loc: Loc) -> list[type[BaseModel]]:
    """The models for the value at a location: one, several forms, or none."""
    models = [model]
    is_key = False  # the next step is a key of a mapping, not a field
    for step in loc:
        if isinstance(step, str) and not is_key:
            fields = [field for each in models if (field := each.model_fields.get(step))]
            models = [found for field in fields for found in _models(field.annotation)]
            is_key = any(_is_mapping(field.annotation) for field in fields)
        else:
            is_key = False
    return list(dict.fromkeys(models))


def _example(model: type[BaseModel], loc: Loc) -> str:
    """`, such as ...` if the model has an example for this location."""
    depth = next((i for i, step in enumerate(reversed(loc)) if isinstance(step, str)), len(loc))
    owner, indices = loc[: len(loc) - depth], loc[len(loc) - depth :]
    if not owner:
        return ""
    for each in _models_at(model, owner[:-1]):
        field = each.model_fields.get(str(owner[-1]))
        if field and field.examples:
            example = field.examples[0]
            for _ in indices:
                if not isinstance(example, list):
                    return ""
                example = example[0]
            return f", such as {in_yaml(example)}"
    return ""


def in_yaml(value: Any) -> str:
    """A value on one line, as people write it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {in_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(in_yaml(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    is_plain = not isinstance(value, str) or re.fullmatch(r"[\w.-]+", value)
    return str(value) if is_plain else f'"{value}"'


# What was expected, by type of the pydantic error, with the bounds in the error.
_WANTED = {
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "missing": "a longer list",
    "too_long": "a shorter list",
    "too_short": "a list of at least {min_length}",
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "ip_v4_address": "an IPv4 address",
    "ip_v4_network": "an IPv4 network, with zeros after its prefix",
    "greater_than": "above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "below {lt:g}",
    "less_than_equal": "at most {le:g}",
    "literal_error": "{expected}",
}


def causes(errors: Iterable[ErrorDetails]) -> list[ErrorDetails]:
    """Errors that do not follow from another one: a misspelt key is not also missing."""
    found = list(errors)
    unknown = [error["loc"] for error in found if error["type"] == "extra_forbidden"]

    def is_misspelt(loc: tuple[str | int, ...]) -> bool:
        keys = [str(other[-1]) for other in unknown if other[:-1] == loc[:-1]]
        return bool(difflib.get_close_matches(str(loc[-1]), keys))

    return [e for e in found if e["type"] != "missing" or not is_misspelt(e["loc"])]


def words(error: ErrorDetails, loc: Loc, at: str, model: type[BaseModel]) -> str:
    """A pydantic error of a file of this model; `loc`: in the file; `at`: the same, as text."""
    prefix = f"{at}: " if at else ""
    kind, value = error["type"], error["input"]
    key = error["loc"][-1] if error["loc"] else ""
    if kind == "extra_forbidden":
        known = {name for each in _models_at(model, loc[:-1]) for name in each.model_fields}
        return f"{prefix}unknown key; {near_matches(str(key), known)}"
    if kind == "missing" and isinstance(key, str):
        return f"{prefix}{key!r} is missing"
    form = _WANTED.get(kind)
    if form is None:
        return prefix + error["msg"].removeprefix("Value error, ")
    wanted = form.format(**error.get("ctx", {}))
    if "{" not in form or kind == "too_short":  # the bounds say enough
        wanted += _example(model, loc)
    if value is None:
        return f"{prefix}has no value; it should be {wanted}"
    given = ""
    if isinstance(value, str | int | float) or (isinstance(value, list) and len(value) < 5):
        given = f", not {_shortened(value)}"
    return f"{prefix}should be {wanted}{given}"


def load(path: Path, what: str, model: type[FileModel]) -> FileModel:
    """Reads a file of a model without special wording.

    Raises DesignError with every problem, UserError if there is no such file.
    """
    return validated(read(path, what), path, model)


def validated(document: CommentedMap, path: Path, model: type[FileModel]) -> FileModel:
    """Validates a file that has been read. Raises DesignError with every problem."""
    try:
        return model.model_validate(plain(document))
    except ValidationError as error:
        problems = []
        for item in causes(error.errors()):
            loc = in_document(tuple(item["loc"]), document)
            message = words(item, loc, place(loc), model)
            problems.append(Problem(path, line(document, loc) or 1, message))
        problems = list(dict.fromkeys(problems))
        raise DesignError(sorted(problems, key=lambda problem: problem.line or 0)) from None
