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
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, get_type_hints

from rich.table import Table

from bombus.base import paths
from bombus.base.console import new_console
from bombus.base.errors import UsageError, UserError
from bombus.base.output import STDOUT, check_json, write_json
from bombus.base.tables import print_table
from bombus.base.text import counted, near_matches

_Number = TypeVar("_Number", int, float)


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

    def value(self, text: str | None) -> Any:
        """The value that a text means; None: the option was given without one. Raises UsageError
        if it means none: numbers are at least 1, or 0 if that is the default or a seed.
        """
        flag = _dashed(self.name)
        if isinstance(self.default, bool):
            if text is not None:
                raise UsageError(f"{flag} takes no value, but has {text!r}")
            return True
        if text is None:
            raise UsageError(f"{flag} needs a value")
        if isinstance(self.default, int):
            least = 0 if self.default == 0 or self.name == "seed" else 1
            number = _number(int, text)
            if number is None or not least <= number < 1 << 63:
                raise UsageError(f"{flag} {text}: should be a whole number, {least} or more")
            return number
        if isinstance(self.default, float):
            real = _number(float, text)
            if real is None or not 0 < real < math.inf:
                raise UsageError(f"{flag} {text}: should be a number above 0")
            return real
        return text


def _number(kind: type[_Number], text: str) -> _Number | None:
    try:
        return kind(text)
    except ValueError:
        return None


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


def run(name: str, design: Path | None, json: Path | None, **texts: str | None) -> None:
    """Runs a benchmark by name, with the texts of its options, None for those without a value.

    Raises UsageError, before anything is built, if the benchmark has no such option or the text is
    no value of it.
    """
    module = load(name)
    known = {option.name: option for option in _options(module.main)}
    for option in texts:
        if option not in known:
            flags = map(_dashed, known)
            near = near_matches(_dashed(option), flags)
            raise UsageError(f"{name} has no option {_dashed(option)}; {near}")
    values = {option: known[option].value(text) for option, text in texts.items()}
    check_json(json, design)
    module.main(design=design, json=json, **values)
