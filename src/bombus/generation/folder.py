# SPDX-License-Identifier: Apache-2.0
"""Output folders: replace and remove only files that Bombus wrote.

`bombus.sha256` lists every file with its hash, as `sha256sum --check` reads it. A later
run replaces and removes what the list names, as long as nobody has changed it since.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from bombus.base.errors import UserError
from bombus.base.output import WriteError, replace, writing
from bombus.base.text import counted, listing

LIST = "bombus.sha256"
_HEADER = (
    "# Files that `bombus generate` wrote here; it replaces them as long as they are unchanged."
)
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_MAX_NAMED = 5

Hashes = dict[str, set[str]]  # by path; two while a run is replacing the file


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _listed(folder: Path) -> Hashes:
    """The files named in the folder's list; UserError if Bombus did not write the folder."""
    file = folder / LIST
    if not file.is_file():
        if folder.exists() and not folder.is_dir():
            raise UserError(f"{folder} is a file, not a folder")
        if folder.exists() and any(folder.iterdir()):
            raise UserError(
                f"{folder} contains files that Bombus did not write; choose another folder"
            )
        return {}
    found: Hashes = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("#"):
            continue
        entry = _LINE.fullmatch(line)
        path = PurePosixPath(entry[2]) if entry else PurePosixPath("/")
        if entry is None or path.is_absolute() or ".." in path.parts:
            raise UserError(f"{file} is damaged: {line[:80]!r}; choose another folder")
        found.setdefault(entry[2], set()).add(entry[1])
    return found


def _conflict(folder: Path, path: str, hashes: set[str]) -> str:
    """Why a file of the folder must not be replaced or removed; "" if it may be."""
    file = folder / path
    if any(
        parent.is_symlink() for parent in (file, *file.parents) if parent.is_relative_to(folder)
    ):
        return "is a symbolic link"
    if not os.path.lexists(file):
        above = next(parent for parent in file.parents if parent.exists())
        return "" if above.is_dir() else f"needs a folder where {above.name} is a file"
    if not file.is_file():
        return "is not a file"
    if not hashes:
        return "is not one that Bombus wrote"
    return "" if _hash(file.read_bytes()) in hashes else "was changed after Bombus wrote it"


def _refuse_conflicts(folder: Path, paths: Iterable[str], listed: Hashes) -> None:
    reasons = {path: _conflict(folder, path, listed.get(path, set())) for path in sorted(paths)}
    found = [f"{path} {reason}" for path, reason in reasons.items() if reason]
    if found:
        more = len(found) - _MAX_NAMED
        named = found[:_MAX_NAMED] + ([f"{counted(more, 'more file')}"] if more > 0 else [])
        raise UserError(
            f"nothing written to {folder}: {listing(named)}; move what you want to keep, delete "
            "the rest, or choose another folder"
        )


def _replace(file: Path, content: bytes) -> None:
    """Writes a file atomically."""
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    replace(file, content, mode=0o644)


def _write_list(folder: Path, hashes: Hashes) -> None:
    lines = [f"{value}  {path}" for path in sorted(hashes) for value in sorted(hashes[path])]
    _replace(folder / LIST, "\n".join([_HEADER, *lines, ""]).encode())


def _remove(folder: Path, path: str) -> None:
    """Removes a file, and folders above it that become empty."""
    file = folder / path
    file.unlink(missing_ok=True)
    for parent in file.parents:
        if parent == folder or not parent.is_dir() or any(parent.iterdir()):
            return
        parent.rmdir()


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes texts by path into a fresh folder, or in place of those of the last run.

    UserError, before anything is touched, if that would lose a file that Bombus did not
    write or that was changed since; WriteError if the folder cannot be written.
    """
    folder = folder.resolve()
    old = _listed(folder)
    contents = {path: text.encode() for path, text in texts.items()}
    new: Hashes = {path: {_hash(content)} for path, content in contents.items()}
    _refuse_conflicts(folder, old.keys() | new.keys(), old)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    # If the run is interrupted, the next one knows the files of both.
    both = {path: old.get(path, set()) | new.get(path, set()) for path in old.keys() | new.keys()}
    try:
        _write_list(folder, both)
        for path in old.keys() - new.keys():
            _remove(folder, path)
        for path, content in contents.items():
            _replace(folder / path, content)
        _write_list(folder, new)
    except WriteError as error:
        raise WriteError(error.path, f"{error.reason}; {folder} is incomplete") from None
