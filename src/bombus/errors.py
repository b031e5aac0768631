"""What can be wrong with something a user gave, in words for the user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong (or doubtful) and where."""

    file: Path
    line: int | None  # counted from 1; None: the file as a whole
    message: str
    is_error: bool = True

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file)
        return f"{where}: {'' if self.is_error else 'warning: '}{self.message}"


class UserError(Exception):
    """Something the user can put right; shown without a traceback."""


class DesignError(UserError):
    """A design that is not sound; carries every problem that was found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
