# SPDX-License-Identifier: Apache-2.0
"""From a design file to a simulator: generate, verilate, compile, all cached by content.

A simulator is a directory in the cache with a shared library (the C interface of
`sim/platform/bombus_sim.h`) and the manifest that `bombus.generation.generate` wrote.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from bombus.base import paths
from bombus.base.cache import (
    cache_directory,
    cached_directory,
    content_key,
    is_whole,
    writing_cache,
)
from bombus.base.errors import UserError
from bombus.base.output import replace
from bombus.base.paths import PACKAGE, SIM
from bombus.base.progress import step
from bombus.base.sources import source_files
from bombus.generation.board.config import Board
from bombus.generation.board.config import board as find_board
from bombus.simulator.compiling import (
    BuildError,
    Driver,
    compile_model,
    is_quick,
    optimisation,
)
from bombus.simulator.design_header import design_header
from bombus.simulator.verilating import (
    MODEL_CFLAGS,
    SANITIZERS,
    build_environment,
    cflags,
    model_options,
    tool,
    verilate,
    wave_format,
)

# Of a generated directory, beside the register map and files of other tools.
_MODEL_FILES = (".sv", ".svh", ".f", ".json")

__all__ = ["BuildError", "Library", "build", "build_library"]


@dataclass(frozen=True)
class Library:
    """A simulator that is ready to be opened."""

    path: Path

    @property
    def manifest_path(self) -> Path:
        return self.path.parent / "manifest.json"

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest written by `bombus.generation.generate`."""
        manifest: dict[str, Any] = json.loads(self.manifest_path.read_text())
        return manifest

    @property
    def log(self) -> Path:
        """Output of the build, with the warnings."""
        return self.path.parent / "build.log"

    def __fspath__(self) -> str:
        return str(self.path)


def build(
    design: Path | str,
    *,
    trace: bool = False,
    assertions: bool = False,
    board: str | None = None,
    console: Console | None = None,
) -> Library:
    """The simulator of a design file; built unless it is in the cache.

    `trace`: can write waveforms. `assertions`: checks the assertions of the RTL.
    Both cost speed. `board`: with the Ethernet MACs of this board, and gigabit links behind them.
    `console`: where progress is shown; default: standard error.
    """
    design = Path(design).absolute()
    if not design.is_file():
        raise UserError(f"cannot read the design file {design}: no such file")
    sources = source_files(design)
    found = find_board(board) if board else None
    # Generating takes seconds, so results for the same input are remembered.
    key = content_key(
        [design.name, tool(), found.model_dump_json() if found else ""],
        [
            *_named(design.parent, [design, *sources]),
            *(file for folder in (paths.RTL, PACKAGE) for file in _tree(folder)),
            *_runtime(),
        ],
    )
    quick = is_quick(is_slow=False)
    options = {"-trace": trace, "-assertions": assertions, "-quick": quick}
    variant = key + "".join(name for name, given in options.items() if given)
    remembered = cache_directory() / "designs" / variant
    if remembered.is_file():
        entry = Path(remembered.read_text()).name
        library = _library(cache_directory() / "simulators" / entry)
        if entry and is_whole(library.path.parent):
            return library

    with step(console, f"Generating {design.name}"):
        generated = cached_directory(
            f"generated/{key}", lambda folder: _generate(design, found, folder)
        )
    try:
        library = build_library(generated, trace=trace, assertions=assertions, console=console)
    except BuildError as error:
        raise BuildError(_with_places(str(error), generated, sources)) from None
    with writing_cache():
        remembered.parent.mkdir(exist_ok=True)
        replace(remembered, library.path.parent.name.encode())
    return library


def _generate(design: Path, board: Board | None, folder: Path) -> None:
    # Slow to import, and rarely needed
    from bombus.generation.board import shell
    from bombus.generation.generate import generate

    if board:
        shell.generate_with_links(design, board, folder)
    else:
        generate(design, folder)


def build_library(
    generated: Path,
    *,
    trace: bool = False,
    assertions: bool = False,
    sanitize: bool = False,
    sanitize_model: bool = True,
    console: Console | None = None,
) -> Library:
    """The simulator of a directory written by `bombus.generation.generate`.

    `sanitize`: with AddressSanitizer and UndefinedBehaviorSanitizer. `sanitize_model`: the model,
    too, which then takes many times as long to compile. The directory contains everything that the
    design needs: `<name>.json` (the manifest), the file list that the manifest names under
    `simulation`, and the files in it, relative to itself.
    """
    manifests = list(generated.glob("*.json"))
    if len(manifests) != 1:
        raise UserError(f"{generated}: expected one manifest, found {len(manifests)}")
    manifest = json.loads(manifests[0].read_text())
    name = manifest["name"]
    file_list = generated / manifest["simulation"]["file_list"]
    quick = is_quick(is_slow=trace or assertions)
    options = model_options(trace, assertions, quick=quick)
    sanitizers = SANITIZERS if sanitize else ()
    of_model = sanitizers if sanitize_model else ()
    fast = optimisation(quick=quick)
    header = design_header(manifest, wave_format() if trace else "", assertions)
    key = content_key(
        [tool(), *options, *cflags(of_model), *sanitizers, *fast, header],
        [*(file for file in _tree(generated) if file[1].suffix in _MODEL_FILES), *_runtime()],
    )

    def make(directory: Path) -> None:
        with (directory / "build.log").open("w") as log:
            started = time.monotonic()
            work = directory / "work"
            work.mkdir()
            with step(console, f"Verilating {name}"):
                verilate(work, manifest, file_list, [*options, *cflags(of_model)], log)
            (work / "bombus_design.h").write_text(header)
            with step(console, f"Compiling {name}"):
                compile_model(
                    work,
                    directory / f"lib{name}.so",
                    _driver(sanitizers, "--trace-fst" in options),
                    fast=fast,
                    log=log,
                    environment=build_environment(),
                    what=f"compiling the simulator of {name} failed",
                    precompiles=is_quick(is_slow=False) and not (trace or sanitize),
                )
            print(f"built in {time.monotonic() - started:.1f} s", file=log)
        shutil.rmtree(work)
        shutil.copyfile(manifests[0], directory / "manifest.json")

    return _library(cached_directory(f"simulators/{name}-{key}", make))


def _library(entry: Path) -> Library:
    """The library in an entry of the cache, whose name is that of the design and a key."""
    return Library(entry / f"lib{entry.name.rpartition('-')[0]}.so")


def _driver(sanitizers: Sequence[str], compresses: bool) -> Driver:
    of_model, shared = _sources()
    return Driver(
        sources=of_model,
        # Only the documented interface is visible, and nothing is shared between the libraries
        # of two designs in one process.
        flags=[*MODEL_CFLAGS, *sanitizers, f"-I{SIM / 'platform'}"],
        link_flags=["-shared", "-Wl,-Bsymbolic", *sanitizers],
        libraries=["-lz", "-llz4"] if compresses else [],
        shared=shared,
        shared_key=content_key([], _runtime()),
    )


def _sources() -> tuple[list[Path], list[Path]]:
    """The runtime's C++ files that include the constants of a design, and the others."""
    files = [file for _, file in _runtime() if file.suffix == ".cpp"]
    of_model = [file for file in files if '#include "bombus_design.h"' in file.read_text()]
    return of_model, [file for file in files if file not in of_model]


def _with_places(message: str, generated: Path, sources: Iterable[Path]) -> str:
    """The message with copies in the cache replaced by the design's own files."""
    message = message.replace(f"{generated}/sources/", "sources/")
    for source in sources:
        place = str(source).replace("\\", r"\\")
        message = re.sub(rf"(?<![\w/])sources/{re.escape(source.name)}", place, message)
    return message


def _named(base: Path, files: Iterable[Path]) -> list[tuple[str, Path]]:
    """Names for a key: relative if possible, so that locations do not matter."""
    return [
        (str(file.relative_to(base)) if file.is_relative_to(base) else file.name, file)
        for file in files
    ]


def _runtime() -> list[tuple[str, Path]]:
    """The simulator's own files, without other programs and libraries beside them."""
    found = sorted(file for file in SIM.rglob("*") if file.is_file())
    return _named(SIM, (file for file in found if file.parent.name not in ("mesh", "cluster")))


def _tree(directory: Path) -> list[tuple[str, Path]]:
    files = (path for path in directory.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return _named(directory, files)
