# SPDX-License-Identifier: Apache-2.0
"""Parses SystemVerilog with slang: an unchanged file once in a process, not once per design."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

import pyslang
from pyslang import parsing, syntax

from bombus.base import paths
from bombus.base.errors import UserError
from bombus.base.macros import CHECKS, MAC_PORTS

_TEXTS = "<text>"  # folder of texts in the source manager, which takes each path once
_MAX_TEXTS = 200  # then the source manager, which keeps them, is replaced


_Stamp = tuple[int, int]  # time of the last change in ns, size


def _stamp(file: Path) -> _Stamp | None:
    """None if there is no such file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


class Parser:
    """Syntax trees of one source manager, for designs with so many MAC ports."""

    def __init__(self, num_mac_ports: int, folders: Sequence[Path]) -> None:
        self.folders = folders
        self.manager = pyslang.SourceManager()
        for folder in folders:
            self.manager.addUserDirectories(str(folder))
        self.defines = parsing.PreprocessorOptions()
        self.defines.predefines = [CHECKS]
        if num_mac_ports > 1:  # slang ignores the define in generated files
            self.defines.predefines += [f"{MAC_PORTS}={num_mac_ports}"]
        self._bag = pyslang.Bag([self.defines])
        self._trees: dict[Path, syntax.SyntaxTree] = {}
        self._stamps: dict[Path, _Stamp] = {}  # of all files read, headers included
        self._num_buffers = 0
        self._paths: dict[pyslang.BufferID, Path] = {}
        self._num_texts = 0
        self._has_errors = False

    def path(self, buffer: pyslang.BufferID) -> Path:
        """The file, or the name of the text."""
        if buffer not in self._paths:
            path = Path(self.manager.getFullPath(buffer))
            self._paths[buffer] = Path(*path.parts[2:]) if path.parts[:1] == (_TEXTS,) else path
        return self._paths[buffer]

    def file(self, file: Path) -> syntax.SyntaxTree:
        """UserError if there is no such file."""
        if file not in self._trees:
            stamp = _stamp(file)
            if stamp is None:
                raise UserError(f"there is no SystemVerilog file {file}")
            self._stamps[file] = stamp
            self._trees[file] = self._checked(
                syntax.SyntaxTree.fromFile(str(file), self.manager, self._bag)
            )
        return self._trees[file]

    def text(self, name: str, text: str) -> syntax.SyntaxTree:
        """`name`: the path that problems of the text are reported for."""
        path = f"{_TEXTS}/{self._num_texts}/{name}"
        self._num_texts += 1
        return self._checked(syntax.SyntaxTree.fromText(text, self.manager, name, path, self._bag))

    def _checked(self, tree: syntax.SyntaxTree) -> syntax.SyntaxTree:
        self._has_errors |= any(each.isError() for each in tree.diagnostics)
        return tree

    def note_headers(self) -> None:
        """Notes what parsed files include: to be called after parsing."""
        buffers = self.manager.getAllBuffers()
        for buffer in buffers[self._num_buffers :]:
            path = self.path(buffer)
            if path.is_absolute() and (stamp := _stamp(path)):
                self._stamps.setdefault(path, stamp)
        self._num_buffers = len(buffers)

    def is_usable(self) -> bool:
        """False if a file has changed, or may change because it is not correct."""
        return (
            not self._has_errors
            and self._num_texts < _MAX_TEXTS
            and all(_stamp(path) == stamp for path, stamp in self._stamps.items())
        )


def include_dirs() -> list[Path]:
    return sorted({file.parent for file in paths.RTL.rglob("*.svh")})


_parsers: dict[int, Parser] = {}  # by number of MAC ports


def parser(num_mac_ports: int) -> Parser:
    """The parser of such designs; a new one after any file has changed."""
    folders = include_dirs()
    found = _parsers.get(num_mac_ports)
    if found is None or found.folders != folders or not found.is_usable():
        found = _parsers[num_mac_ports] = Parser(num_mac_ports, folders)
    return found
