# SPDX-License-Identifier: Apache-2.0
"""Errors and warnings about user input, each with file and line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """An error or warning, and its location."""

    file: Path
    line: int | None  # counted from 1; None: the file as a whole
    message: str
    is_error: bool = True

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file)
        return f"{where}: {'' if self.is_error else 'warning: '}{self.message}"


class UserError(Exception):
    """An error that the user can fix; shown without a traceback."""


class UsageError(UserError):
    """An error of the command line: exit status 2, as of options that the parser checks."""


class DesignError(UserError):
    """An invalid design; carries every problem found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
