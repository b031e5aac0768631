# SPDX-License-Identifier: Apache-2.0
"""Which files a design may have read: those in its folder, and in folders that the user allows.

A design may come from a stranger, and messages about a file quote it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pyslang
from pyslang import parsing, syntax

from bombus.base.comments import without_comments
from bombus.base.errors import Problem

ALLOWED = "BOMBUS_SOURCES"  # environment variable: further folders, separated as in PATH
HINT = f"add its folder to the environment variable {ALLOWED} to allow it"

_INCLUDE = re.compile(r'`include\b\s*(?:"([^"\r\n]+)"|<([^>\r\n]+)>)?')
_PERL = re.compile(r"<%")
# SystemRDL's compiler finds comments in strings, too.
_RDL_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FILE_TASKS = """
    fopen fclose fflush fgetc ungetc fgets fscanf fread ftell fseek rewind feof ferror
    fdisplay fdisplayb fdisplayh fdisplayo fwrite fwriteb fwriteh fwriteo
    fstrobe fstrobeb fstrobeh fstrobeo fmonitor fmonitorb fmonitorh fmonitoro
    readmemb readmemh sreadmemb sreadmemh writememb writememh sdf_annotate
    dumpfile dumpvars dumpon dumpoff dumpall dumplimit dumpflush
    dumpports dumpportson dumpportsoff dumpportsall dumpportslimit dumpportsflush
    save incsave restart log nolog key nokey input
    coverage_save coverage_merge load_coverage_db set_coverage_db_name
"""  # IEEE 1800-2023, sections 20 and 21, and annex D
# What a simulation of a source may do outside of itself. In the text it counts wherever it is, as
# different tools define different macros.
_EFFECTS = re.compile(
    rf"""
      (?P<code> \$(?:system|c\d*|cpure)(?![\w$]) | `systemc_\w* )
    | (?P<file> \$(?:{"|".join(_FILE_TASKS.split())})(?![\w$]) )
    | (?P<dpi> \b(?:import|export)\s+"DPI )
    """,
    re.VERBOSE,
)
_WORDS = {
    "code": "runs other programs or C++ by {}",
    "file": "reads or writes files by {}",
    "dpi": "calls C functions by DPI",
}
_DPI = (syntax.SyntaxKind.DPIImport, syntax.SyntaxKind.DPIExport)
_VERILATOR = [f"{name}=1" for name in ("VERILATOR", "verilator", "verilator3", "VERILATOR_TIMING")]


def allow(folder: Path) -> None:
    """Adds a folder to those that designs of this process may have read."""
    os.environ[ALLOWED] = os.pathsep.join(filter(None, (os.environ.get(ALLOWED), str(folder))))


def may_read(file: Path, folder: Path) -> bool:
    """Whether a file is below a folder or one of `$BOMBUS_SOURCES`; links count as their target."""
    found = file.resolve()
    others = filter(None, os.environ.get(ALLOWED, "").split(os.pathsep))
    return any(found.is_relative_to(each.resolve()) for each in (folder, *map(Path, others)))


def _without_rdl_comments(text: str) -> str:
    return _RDL_COMMENT.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def _line(match: re.Match[str]) -> int:
    return match.string.count("\n", 0, match.start()) + 1


def _read(
    file: Path, folder: Path, search: Iterable[Path], without: Callable[[str], str]
) -> tuple[dict[Path, str], list[Problem]]:
    """The texts of a file and of what it includes from `folder`, without comments; a problem for
    each other include. `search`: folders of Bombus in which headers are found, too.
    """
    texts: dict[Path, str] = {}
    problems: list[Problem] = []
    waiting, own = [file], [each.resolve() for each in search]
    while waiting:
        current = waiting.pop()
        if current in texts:
            continue
        texts[current] = without(current.read_text(encoding="utf-8", errors="replace"))
        for match in _INCLUDE.finditer(texts[current]):
            name = match[1] or match[2]
            if name is None:
                message = "an include needs the name of a file in quotes"
                problems.append(Problem(current, _line(match), message))
                continue
            for found in dict.fromkeys((each / name).resolve() for each in (current.parent, *own)):
                if not found.exists() or any(found.is_relative_to(each) for each in own):
                    continue
                if found.is_file() and may_read(found, folder):
                    waiting.append(found)
                else:
                    message = f"it includes {name}, which is outside of {folder}; {HINT}"
                    problems.append(Problem(current, _line(match), message))
    return texts, problems


def _effect(path: Path, line: int, kind: str, name: str) -> Problem:
    return Problem(path, line, f"in simulation this {_WORDS[kind].format(name)}", is_error=False)


def _hidden_effects(
    files: Iterable[Path], search: Iterable[Path], seen: Iterable[Problem], macros: list[str]
) -> list[Problem]:
    """Effects of the tokens that the preprocessor makes, each at the use of its macro, except for
    those that have been `seen` in the definition. Files share their macros, in order.
    """
    manager = pyslang.SourceManager()
    for folder in search:
        manager.addUserDirectories(str(folder))
    options = parsing.PreprocessorOptions()
    options.predefines = [*_VERILATOR, *macros]
    names = [str(file) for file in files]
    tree = syntax.SyntaxTree.fromFiles(names, manager, pyslang.Bag([options]))
    known, found = set(seen), []

    def add(location: pyslang.SourceLocation, kind: str, name: str) -> None:
        def at(place: pyslang.SourceLocation) -> Problem:
            path = Path(manager.getFullPath(place.buffer))
            return _effect(path, manager.getLineNumber(place), kind, name)

        if at(manager.getFullyOriginalLoc(location)) not in known:
            found.append(at(manager.getFullyExpandedLoc(location)))

    def visit(node: object) -> None:
        if isinstance(node, parsing.Token):
            match = _EFFECTS.fullmatch(node.valueText)
            if match and node.kind == parsing.TokenKind.SystemIdentifier:
                add(node.location, match.lastgroup or "", match[0])
        elif isinstance(node, syntax.SyntaxNode) and node.kind in _DPI:
            add(node.getFirstToken().location, "dpi", "")

    tree.root.visit(visit)
    for diagnostic in tree.diagnostics:  # directives of Verilator that contain C++
        if diagnostic.code == pyslang.Diags.UnknownDirective:
            add(diagnostic.location, "code", str(diagnostic.args[0]))
    return [each for each in found if each not in known]


def source_problems(
    files: Iterable[Path], folder: Path, search: Iterable[Path], macros: Iterable[str]
) -> list[Problem]:
    """Includes of SystemVerilog sources, and of what they include, from outside of `folder`; if
    there are none, a warning for each line by which a simulation acts outside of itself.

    files: in the order in which a simulator reads them. search: folders of Bombus' headers.
    macros: those that a simulation may define.
    """
    files, search = list(files), list(search)
    texts: dict[Path, str] = {}
    problems: list[Problem] = []
    for file in files:
        more, said = _read(file, folder, search, without_comments)
        texts |= more
        problems += said
    if problems or not files:
        return list(dict.fromkeys(problems))
    found = [
        _effect(path.resolve(), _line(match), match.lastgroup or "", match[0])
        for path, text in texts.items()
        for match in _EFFECTS.finditer(text)
    ]
    headers = [header for each in search for header in sorted(each.glob("*.svh"))]
    for defined in ([], list(macros)):
        found += _hidden_effects([*headers, *files], search, found, defined)
    return list(dict.fromkeys(found))


def description_problems(file: Path) -> list[Problem]:
    """Perl in a SystemRDL file or in what it includes, which its compiler would run, and includes
    from outside of its folder.
    """
    texts, problems = _read(file, file.parent, (), _without_rdl_comments)
    message = "Perl (`<% ... %>`) in SystemRDL is refused, since it would be run"
    return problems + [
        Problem(path, _line(match), message)
        for path, text in texts.items()
        for match in _PERL.finditer(text)
    ]
