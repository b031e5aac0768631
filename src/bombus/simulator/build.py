# SPDX-License-Identifier: Apache-2.0
"""From a design file to a simulator: generate, verilate, compile, all cached by content.

A simulator is a directory in the cache with a shared library (the C interface of
`sim/bombus_sim.h`) and the manifest that `bombus.generation.generate` wrote.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rich.console import Console

from bombus.base.cache import cache_directory, cached_directory, content_key, writing_cache
from bombus.base.errors import UserError
from bombus.base.macros import CHECKS
from bombus.base.output import replace
from bombus.base.paths import PACKAGE, RTL, SIM
from bombus.base.sources import source_files
from bombus.board.config import Board
from bombus.board.config import board as find_board
from bombus.simulator import verilator
from bombus.simulator.compiling import (
    CHECKING_OPTIMISATION,
    OPTIMISATION,
    BuildError,
    Driver,
    compile_model,
    output_groups,
    run_logged,
)
from bombus.simulator.verilator import verilator_environment

__all__ = ["BuildError", "Library", "build", "build_library", "verilator_environment"]

MODEL = "Vtop"
VERILATOR_FLAGS = (
    *("--cc", "--prefix", MODEL, "-O3", "-Wall"),
    # Unused signals and outputs, and the names of files, are for lint to judge, not for a build.
    *("-Wno-UNUSED", "-Wno-PINCONNECTEMPTY", "-Wno-DECLFILENAME"),
    "-Wno-USERWARN",  # a layer's $warning, which `bombus check` has reported
    # Registers without reset start at random: a missing reset shows.
    *("--x-initial", "unique", "--x-assign", "unique"),
    *("--timescale-override", "1ps/1ps"),
)
MODEL_CFLAGS = (
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
)


# With the program that loads it built so, too. Our classes have hidden type information, which
# the check of vptr cannot compare.
SANITIZERS = (
    "-fsanitize=address,undefined",
    "-fno-sanitize=vptr",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g",
)


@dataclass(frozen=True)
class Library:
    """A simulator that is ready to be opened."""

    path: Path

    @property
    def manifest_path(self) -> Path:
        return self.path.parent / "manifest.json"

    @property
    def manifest(self) -> dict[str, Any]:
        """What `bombus.generation.generate` says of the design."""
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
    """The simulator of a design file; built if the cache does not have it.

    `trace`: can write waveforms. `assertions`: checks the assertions of the RTL.
    Both cost speed. `board`: with the Ethernet MACs of this board, and gigabit links behind them.
    `console`: where progress is shown; default: standard error.
    """
    design = Path(design).absolute()
    if not design.is_file():
        raise UserError(f"cannot read the design file {design}: no such file")
    sources = source_files(design)
    found = find_board(board) if board else None
    # Generating takes seconds, so what was generated from the same is remembered.
    key = content_key(
        [design.name, verilator.version(), found.model_dump_json() if found else ""],
        [
            *_named(design.parent, [design, *sources]),
            *(file for folder in (RTL, PACKAGE) for file in _tree(folder)),
            *_runtime(),
        ],
    )
    variant = f"{key}{'-trace' if trace else ''}{'-assertions' if assertions else ''}"
    remembered = cache_directory() / "designs" / variant
    if remembered.is_file():
        library = Library(Path(remembered.read_text()))
        if library.path.is_file():
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
        replace(remembered, str(library.path).encode())
    return library


def _generate(design: Path, board: Board | None, folder: Path) -> None:
    # Slow to import, and seldom needed
    from bombus.board import shell
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
    console: Console | None = None,
) -> Library:
    """The simulator of a directory as `bombus.generation.generate` writes it.

    `sanitize`: with AddressSanitizer and UndefinedBehaviorSanitizer.

    It holds all that the design needs: `<name>.json` (the manifest), the file list that the
    manifest names under `simulation`, and the files in it, relative to itself.
    """
    manifests = list(generated.glob("*.json"))
    if len(manifests) != 1:
        raise UserError(f"{generated}: expected one manifest, found {len(manifests)}")
    manifest = json.loads(manifests[0].read_text())
    name = manifest["name"]
    file_list = generated / manifest["simulation"]["file_list"]
    options = [*_model_options(trace, assertions), *output_groups(len(manifest["tiles"]))]
    optimisation = CHECKING_OPTIMISATION if trace or assertions else OPTIMISATION
    sanitizers = SANITIZERS if sanitize else ()
    header = _design_header(manifest, trace, assertions)
    key = content_key(
        [verilator.version(), *options, *MODEL_CFLAGS, *sanitizers, optimisation, header],
        [*_tree(generated), *_runtime()],
    )

    def make(directory: Path) -> None:
        with (directory / "build.log").open("w") as log:
            started = time.monotonic()
            work = directory / "work"
            work.mkdir()
            with step(console, f"Verilating {name}"):
                _verilate(work, manifest, file_list, [*options, *_cflags(sanitizers)], log)
            (work / "bombus_design.h").write_text(header)
            with step(console, f"Compiling {name}"):
                compile_model(
                    work,
                    directory / f"lib{name}.so",
                    _driver(sanitizers, "--trace-fst" in options),
                    optimisation=optimisation,
                    log=log,
                    environment=_environment(),
                    what=f"compiling the simulator of {name} failed",
                )
            print(f"built in {time.monotonic() - started:.1f} s", file=log)
        shutil.rmtree(work)
        shutil.copyfile(manifests[0], directory / "manifest.json")

    directory = cached_directory(f"simulators/{name}-{key}", make)
    return Library(directory / f"lib{name}.so")


def _model_options(trace: bool, assertions: bool) -> list[str]:
    checks = ["--assert", f"+define+{CHECKS}"] if assertions else ["--no-assert"]
    options = [*VERILATOR_FLAGS, *checks]
    if trace:
        options += ["--trace-fst" if wave_format() == "fst" else "--trace-vcd", "--trace-structs"]
    return options


@lru_cache(maxsize=1)
def wave_format() -> str:
    """FST where the libraries that compress it can be had, else VCD."""
    result = subprocess.run(
        ["g++", "-E", "-x", "c++", "-"],
        input="#include <zlib.h>\n#include <lz4.h>\n",
        text=True,
        capture_output=True,
        check=False,
    )
    return "fst" if result.returncode == 0 else "vcd"


def _design_header(manifest: dict[str, Any], trace: bool, assertions: bool) -> str:
    """What `sim/design.h` needs to know of the design."""
    top = f"TOP.{manifest['simulation']['instance']}"
    return "".join(
        f"#define {name} {value}\n"
        for name, value in {
            "BOMBUS_DESIGN_NAME": json.dumps(manifest["name"]),
            "BOMBUS_CLOCK_HZ": f"{round(manifest['clock_mhz'] * 1e6)}ull",
            "BOMBUS_DATA_BYTES": manifest["data_width"] // 8,
            "BOMBUS_MAX_FRAME_BYTES": manifest["max_frame_bytes"],
            "BOMBUS_REGISTER_BYTES": manifest["registers"]["size"],
            "BOMBUS_MAC_PORTS(X)": " ".join(
                f"X({port})" for port in range(len(manifest["mac_ports"]))
            ),
            "BOMBUS_RAISED_PORTS(X)": " ".join(
                f"X({pin['name']}, {pin['bits']}, {int(pin['output'])})"
                for pin in manifest.get("pins", ())
            ),
            "BOMBUS_MAC_CLOCKS(X)": " ".join(
                f"X({port}, {round(given['clock_mhz'] * 1e6)}ull)"
                for port, given in enumerate(manifest["mac_ports"])
                if given.get("clock_mhz")
            ),
            "BOMBUS_WAVE_FORMAT": json.dumps(wave_format() if trace else ""),
            "BOMBUS_ASSERTIONS": int(assertions),
            "BOMBUS_WATCH(X)": " ".join(
                f'X("{top}.{point["scope"]}", "{point["valid"]}", '
                f'"{point["moves"]}", {point["bit"]})'
                for point in manifest.get("watch", ())
            ),
        }.items()
    )


def _watched_signals(manifest: dict[str, Any]) -> str:
    """Tells Verilator to keep the signals that the watchdog looks at."""
    kept = dict.fromkeys(
        (point["module"], point[signal])
        for point in manifest.get("watch", ())
        for signal in ("valid", "moves")
    )
    lines = [f'public_flat_rd -module "{module}" -var "{name}"' for module, name in kept]
    return "\n".join(["`verilator_config", *lines, ""])


def _environment() -> dict[str, str]:
    return {**verilator_environment(), "CXXFLAGS": ""}


def _cflags(sanitizers: Sequence[str]) -> list[str]:
    return [word for flag in (*MODEL_CFLAGS, *sanitizers) for word in ("-CFLAGS", flag)]


def _verilate(
    work: Path, manifest: dict[str, Any], file_list: Path, options: Sequence[str], log: Any
) -> None:
    environment = _environment()
    watched = work / "watched.vlt"
    watched.write_text(_watched_signals(manifest))
    run_logged(
        [
            str(Path(environment["VERILATOR_ROOT"]) / "bin" / "verilator"),
            *(*options, "--top-module", manifest["simulation"]["top"], "--Mdir", str(work)),
            *(str(SIM / "model.vlt"), str(watched), "-F", str(file_list)),
        ],
        log=log,
        cwd=file_list.parent,
        environment=environment,
        what=f"Verilator rejects {manifest['name']}",
    )


def _driver(sanitizers: Sequence[str], compresses: bool) -> Driver:
    return Driver(
        sources=sorted(SIM.glob("*.cpp")),
        # Only the documented interface is visible, and nothing is shared between the libraries
        # of two designs in one process.
        flags=[*MODEL_CFLAGS, *sanitizers, f"-I{SIM}"],
        link_flags=["-shared", "-Wl,-Bsymbolic", *sanitizers],
        libraries=["-lz", "-llz4"] if compresses else [],
    )


def step(console: Console | None, text: str) -> AbstractContextManager[Any]:
    """Shows what is being done (default: on standard error)."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        console.print(text, highlight=False)
        return nullcontext()
    return console.status(text)


def _with_places(message: str, generated: Path, sources: Iterable[Path]) -> str:
    """The message with the design's own files where it names their copies in the cache."""
    message = message.replace(f"{generated}/sources/", "sources/")
    for source in sources:
        place = str(source).replace("\\", r"\\")
        message = re.sub(rf"(?<![\w/])sources/{re.escape(source.name)}", place, message)
    return message


def _named(base: Path, files: Iterable[Path]) -> list[tuple[str, Path]]:
    """Names for a key: relative where that is possible, so that places do not matter."""
    return [
        (str(file.relative_to(base)) if file.is_relative_to(base) else file.name, file)
        for file in files
    ]


def _runtime() -> list[tuple[str, Path]]:
    """The simulator's own files; its folders hold other programs."""
    models = (SIM / "models").iterdir()
    return _named(SIM, (file for file in (*SIM.iterdir(), *models) if file.is_file()))


def _tree(directory: Path) -> list[tuple[str, Path]]:
    files = (path for path in directory.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return _named(directory, files)
