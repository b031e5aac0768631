# SPDX-License-Identifier: Apache-2.0
"""Commands of applications, and their options of `bombus run`.

The module `commands` of an application has

- `COMMANDS`: by name, commands (functions) and groups of commands (a `typer.Typer` each),
- `RUN`: `RunOptions` (`bombus.live.options`), if it has options of `bombus run`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.extensions import modules
from bombus.base.text import near_matches

if TYPE_CHECKING:
    import typer

    from bombus.design.config import DesignFile
    from bombus.design.resolved import Design
    from bombus.live.options import RunOptions
    from bombus.live.software import Software


def commands() -> dict[str, typer.Typer | Callable[..., None]]:
    """Commands and groups of commands of all applications, by name."""
    return {name: each for module in modules("commands") for name, each in module.COMMANDS.items()}


def run_options() -> list[RunOptions]:
    """Options of `bombus run` of all applications."""
    found = (getattr(module, "RUN", None) for module in modules("commands"))
    return [each for each in found if each is not None]


def with_run_options(before: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds the applications' options to a command, before its parameter of this name.

    Their values are passed by name as its argument `given`.
    """
    added = {
        name: annotation for each in run_options() for name, annotation in each.options.items()
    }

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def extended(**values: Any) -> None:
            given = {name: values.pop(name) for name in added}
            command(**values, given=given)

        signature = inspect.signature(command, eval_str=True)
        parameters = []
        for parameter in signature.parameters.values():
            if parameter.name == before:
                parameters += [
                    inspect.Parameter(name, parameter.kind, default=None, annotation=annotation)
                    for name, annotation in added.items()
                ]
            if parameter.name != "given":
                parameters.append(parameter)
        extended.__name__, extended.__doc__ = command.__name__, command.__doc__
        extended.__annotations__ = {each.name: each.annotation for each in parameters}
        extended.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=parameters
        )
        return extended

    return decorate


def written_files(given: Mapping[str, Any]) -> list[tuple[str, Path | None]]:
    """Options that name a file that the run makes, with their values."""
    return [(name, given[name]) for each in run_options() for name in each.written]


def file_problems(design: Design) -> list[Problem]:
    """Problems of the files that a design file names for options: a warning for each that does not
    exist, an error for each that the option refuses for this design.
    """
    found: list[Problem] = []
    files = _files_of(design.file)
    for name, path in files.items():
        if not path.exists():
            message = f"run: {name}: there is no {path}"
            found.append(design.file.problem(("run", name), message, is_error=False))
    for each in run_options():
        for name in each.options:
            if name in files and files[name].exists():
                values = {**dict.fromkeys(each.options), name: files[name]}
                try:
                    with ExitStack() as stack:
                        each.software(design, values, stack)
                except UserError as error:
                    found.append(design.file.problem(("run", name), f"run: {name}: {error}"))
    return found


def _files_of(file: DesignFile) -> dict[str, Path]:
    """Files that a design file names for options; DesignError for unknown options."""
    known = {
        name
        for each in run_options()
        for name, annotation in each.options.items()
        if Path in get_args(get_args(annotation)[0]) and name not in each.written
    }
    if problems := [
        file.problem(
            ("run", name),
            f"`bombus run` has no option --{name} for a file that applications read; "
            f"{near_matches(name, known)}",
        )
        for name in file.config.run
        if name not in known
    ]:
        raise DesignError(problems)
    return {name: file.folder / value for name, value in file.config.run.items()}


def software(design: Path, given: Mapping[str, Any], stack: ExitStack) -> list[Software]:
    """Software for a run with these values of the applications' options.

    It is checked before the build, which takes minutes.
    """
    from bombus.analysis.check import check
    from bombus.design import config

    of_design = _files_of(config.load(design))
    given = {name: of_design.get(name) if value is None else value for name, value in given.items()}
    if all(value is None for value in given.values()):
        return []
    facts, _ = check(design)
    parts: list[Software] = []
    for each in run_options():
        values = {name: given[name] for name in each.options}
        if any(value is not None for value in values.values()):
            parts += each.software(facts.design, values, stack)
    return parts
