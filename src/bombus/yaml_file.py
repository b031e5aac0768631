"""YAML files with the line of every value, checked by pydantic models.

What is wrong with a file's form is reported all at once, each with its line, in
the words of somebody who writes such a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from bombus.errors import DesignError, Problem, UserError
from bombus.text import near_matches

Model = TypeVar("Model", bound=BaseModel)
Loc = tuple[str | int, ...]  # path into the YAML document, such as ("tiles", 2, "at")


def read(path: Path, what: str) -> CommentedMap:
    """The document of a file, which is a mapping. `what` it is: `design file`.

    Raises DesignError with the line where it is not YAML, or UserError if there
    is no such file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(f"cannot read the {what} {path}: {reason}") from None
    try:
        document = YAML(typ="rt").load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise DesignError([Problem(path, mark.line + 1 if mark else 1, words)]) from None
    except YAMLError as error:
        raise DesignError([Problem(path, 1, str(error).splitlines()[0])]) from None
    if not isinstance(document, CommentedMap):
        message = f"a {what} is a YAML mapping that starts with `name: ...`"
        raise DesignError([Problem(path, 1, message)])
    return document


def line(document: Any, loc: Loc) -> int | None:
    """Line, from 1, of what `loc` leads to, or of the nearest thing above it."""
    node, found = document, None
    for step in loc:
        if isinstance(node, CommentedMap) and step in node:
            found = node.lc.key(step)[0] + 1
        elif isinstance(node, CommentedSeq) and isinstance(step, int) and step < len(node):
            found = node.lc.item(step)[0] + 1
        else:
            continue  # a step that is not in the text: a missing key or the form of a value
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
    """The steps of a pydantic location that are in the text; forms of a value are not."""
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


def words(error: ErrorDetails, at: str, known_keys: Iterable[str]) -> str:
    """A pydantic error; `at`: the place, as text; `known_keys`: those there are there."""
    prefix = f"{at}: " if at else ""
    key = error["loc"][-1] if error["loc"] else ""
    if error["type"] == "missing":
        return f"{prefix}{key!r} is missing"
    if error["type"] == "extra_forbidden":
        return f"{prefix}unknown key; {near_matches(str(key), known_keys)}"
    message: str = error["msg"]
    for start in ("Value error, ", "Input "):
        message = message.removeprefix(start)
    value = error["input"]
    if error["type"] != "value_error" and isinstance(value, str | int | float):
        message += f", not {value!r}"
    return prefix + message


def load(path: Path, what: str, model: type[Model], parts: dict[str, type[BaseModel]]) -> Model:
    """Reads a file of a model without special words; `parts`: models under its keys.

    Raises DesignError with every problem, UserError if there is no such file.
    """
    document = read(path, what)
    try:
        return model.model_validate(plain(document))
    except ValidationError as error:
        problems = []
        for item in error.errors():
            loc = in_document(tuple(item["loc"]), document)
            known = parts.get(str(loc[0]), model) if len(loc) > 1 else model
            message = words(item, place(loc), known.model_fields)
            problems.append(Problem(path, line(document, loc) or 1, message))
        raise DesignError(sorted(problems, key=lambda problem: problem.line or 0)) from None
