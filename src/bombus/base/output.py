# SPDX-License-Identifier: Apache-2.0
"""Files that commands write: none is lost, and errors name the file."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bombus.base.errors import UserError

STDOUT = Path("-")


class WriteError(UserError):
    """A file that cannot be written; `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path, self.reason = path, reason
        name = "standard output" if path == STDOUT else str(path)
        super().__init__(f"cannot write {name}: {reason}")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns system errors into WriteError."""
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe; the command line ends quietly
        raise
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from None


def check_different(files: Iterable[tuple[str, Path | None]]) -> None:
    """No file may be used for two purposes, since one would overwrite the other; `files`: purpose
    and path of each.
    """
    seen: dict[Path | tuple[int, int], str] = {}
    for use, path in files:
        if path is None or path == STDOUT or _is_special(path):
            continue
        identity = _identity(path)
        there = identity in seen
        other = seen.setdefault(identity, use)
        if there:
            raise UserError(f"{path} is given twice: as {other} and as {use}")


def _identity(path: Path) -> Path | tuple[int, int]:
    """An identity that is equal for all names of a file, including hard links."""
    try:
        status = path.stat()
    except OSError:
        return path.resolve()
    return status.st_dev, status.st_ino


def check_writable(path: Path | None) -> None:
    """Raises WriteError if `write` would fail, as far as this can be checked before there is a
    result.
    """
    if path is None or path == STDOUT:
        return
    with writing(path):
        if path.is_char_device():
            with path.open("wb", buffering=0) as file:
                file.write(b"")  # /dev/full refuses even that
        elif path.is_dir():
            raise WriteError(path, "this is a directory")
        elif not _is_special(path):
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass


def inputs(design: Path | None) -> list[tuple[str, Path | None]]:
    """Purpose and path of the files of a design that a command reads: the design file and its
    sources.
    """
    if design is None or not design.is_file():
        return [("design", design)]
    from bombus.base.sources import source_files  # slow to import

    try:
        sources = source_files(design)
    except UserError:  # reading the design reports it
        sources = []
    return [("design", design), *(("source", path) for path in sources)]


def check_json(json: Path | None, design: Path | None, **others: Path | None) -> None:
    """Checks, before a command starts, that its JSON can be written and that no output replaces an
    input.
    """
    check_different([*inputs(design), *others.items(), ("json", json)])
    check_writable(json)


def write(path: Path, text: str) -> None:
    """Writes a text atomically: to a file, a device, or standard output (`-`)."""
    with writing(path):
        if path == STDOUT:
            sys.stdout.write(text)
            sys.stdout.flush()
        elif path.is_dir():
            raise WriteError(path, "this is a directory")
        elif _is_special(path):
            path.write_text(text, encoding="utf-8")
        else:
            replace(path.resolve(), text.encode())


def write_json(values: Any, path: Path | None) -> None:
    """Writes values as JSON: to a file, to standard output (`-`), or not at all."""
    if path is not None:
        write(path, json.dumps(values, indent=2) + "\n")


def replace(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replaces a file atomically.

    `mode`: its permissions. Default: those of the old file, or else according to the umask.
    """
    with writing(path):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(name).chmod(_mode(path) if mode is None else mode)
            Path(name).rename(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _is_special(path: Path) -> bool:
    """Whether this is a device, pipe or folder, which writing cannot overwrite."""
    return path.exists() and not path.is_file()
