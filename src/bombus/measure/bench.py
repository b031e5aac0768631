# SPDX-License-Identifier: Apache-2.0
"""Find and run benchmarks; each file of `benchmarks/` is one figure or table.

A benchmark is a module with `main(design: Path | None, json: Path | None,
**options)`, each option `Annotated` with what it means; its docstring's first line
says what it measures. It gives its numbers and tables with `report`.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from rich.table import Table

from bombus.base import paths
from bombus.base.console import new_console
from bombus.base.errors import UserError
from bombus.base.output import STDOUT, check_json, write_json
from bombus.base.tables import print_table
from bombus.base.text import counted, near_matches


def report(values: Any, json: Path | None, tables: Iterable[Table]) -> None:
    """Writes values as JSON, and prints tables of them unless standard output takes the JSON."""
    write_json(values, json)
    if json != STDOUT:
        for table in tables:
            print_table(new_console(), table)


def report_replies(
    rows: Iterable[Any],
    errors: int,
    design: str,
    json: Path | None,
    tables: Iterable[Table],
    **more: Iterable[Any],
) -> None:
    """Reports rows, which are dataclasses, and more of them by name; UserError if replies of the
    design were wrong."""
    named = {"rows": rows, **more}
    values = {name: [asdict(row) for row in each] for name, each in named.items()}
    report({**values, "errors": errors}, json, tables)
    if errors:
        raise UserError(
            f"{design}: {counted(errors, 'error')}: replies that were wrong, missing or "
            "unexpected, or violations of AXI-Stream"
        )


def numbers(option: str, text: str | int) -> list[int]:
    """The value of an option with several numbers, such as `1,64`; UserError if it is not."""
    try:
        return [int(part) for part in str(text).split(",")]
    except ValueError:
        raise UserError(
            f"--{option} {text}: should be whole numbers, separated by commas"
        ) from None


def available() -> dict[str, str]:
    """Names of all benchmarks and what each measures."""
    found = {}
    for file in sorted(paths.BENCHMARKS.glob("*.py")):
        if not file.stem.startswith("_"):
            docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            found[file.stem.replace("_", "-")] = docstring.partition("\n")[0]
    return found


def load(name: str) -> ModuleType:
    """A benchmark's module by name; UserError if there is none of that name."""
    file = paths.BENCHMARKS / f"{name.replace('-', '_')}.py"
    if not file.is_file():
        raise UserError(f"there is no benchmark {name!r}; {near_matches(name, available())}")
    if str(paths.BENCHMARKS) not in sys.path:  # shared code of benchmarks is next to them
        sys.path.append(str(paths.BENCHMARKS))
    spec = importlib.util.spec_from_file_location(f"bombus_benchmark_{file.stem}", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up there
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Option:
    """An option of a benchmark, besides the design and the output file."""

    name: str
    default: Any
    meaning: str

    @property
    def flag(self) -> str:
        """As typed on the command line, with the type of its value."""
        value = {bool: "", int: " INTEGER", float: " NUMBER"}.get(type(self.default), " TEXT")
        return _dashed(self.name) + value


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def options(name: str) -> list[Option]:
    """The options of a benchmark; UserError if there is none of that name."""
    return _options(load(name).main)


def _options(main: Callable[..., None]) -> list[Option]:
    hints = get_type_hints(main, include_extras=True)
    return [
        Option(parameter.name, parameter.default, hints[parameter.name].__metadata__[0])
        for parameter in inspect.signature(main).parameters.values()
        if parameter.name not in ("design", "json")
    ]


def description(name: str) -> str:
    """The description of a benchmark; UserError if there is none of that name."""
    return inspect.getdoc(load(name)) or ""


def run(name: str, design: Path | None, json: Path | None, **values: Any) -> None:
    """Runs a benchmark by name; UserError if it has no such option."""
    module = load(name)
    known = {_dashed(option.name) for option in _options(module.main)}
    for flag in map(_dashed, values):
        if flag not in known:
            raise UserError(f"{name} has no option {flag}; {near_matches(flag, known)}")
    check_json(json, design)
    module.main(design=design, json=json, **values)
