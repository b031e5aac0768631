# SPDX-License-Identifier: Apache-2.0
"""Style and cleanliness of everything: `python tools/lint.py [--fix] [step...]`.

Steps: licence (the first line of every source file), python (ruff on all files and on Python in
Markdown; mypy), format (verible on all SystemVerilog), comments (words
and long lines of rtl/, formal/ and sim/), docs (long paragraphs, cells and lines of the pages, and
their words in all: docs_figures.py), designs (every design of designs/, one of
each other fabric, one with two networks, one with a host of packet processors and the templates of
`bombus new` generated and read by Verilator with all warnings, and the smallest one with each set
of modules read by Yosys, and by Verilator with all signals public, as cocotb needs them). The step
sample, which only runs where it is named, has a few designs that together have each module, without
the content of tiles whose layers others have. The cache remembers by content what was clean.
`--fix` lets ruff and verible put right what they can.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import comments
import docs_figures
import licence

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import UserError
from bombus.base.paths import PROJECTS
from bombus.generation.generate import Generated, generate

ROOT = Path(__file__).resolve().parents[1]
SYSTEMVERILOG = ("rtl", "sim", "formal", "tests", "docs", "benchmarks", "templates")
# The only place that defines how SystemVerilog is formatted.
VERIBLE_FLAGS = ("--column_limit=100",)
WAIVERS = ROOT / "tools" / "verilator.vlt"
VERILATOR_FLAGS = ("--lint-only", "-Wall", "--quiet-exit")
# Public signals are kept whole: a vector that depends on itself, if only by different bits, is
# reported as a loop (UNOPTFLAT), and simulates slowly.
PUBLIC_FLAGS = (
    *("--cc", "--vpi", "--public-flat-rw", "--quiet-exit"),
    *("-Wno-lint", "-Wno-style", "-Wwarn-UNOPTFLAT", "-Wwarn-SYMRSVDWORD"),
)

# Features that no design of designs/ covers.
TWO_NETWORKS = ROOT / "docs" / "examples" / "lookup" / "two_networks.yaml"
HOST = ROOT / "docs" / "examples" / "middlebox" / "host_memory.yaml"
# The benchmarks' own application of TCP is in no design of designs/.
TCP_LOAD = ROOT / "benchmarks" / "tcp_bypass.yaml"
FABRICS = {
    "virtual_channels": "{kind: virtual_channels, virtual_channels: 2}",
    "crosspoint": "{kind: crosspoint}",
    "crosspoint_adaptive": "{kind: crosspoint, algorithm: adaptive}",
    "crosspoint_dropping": "{kind: crosspoint, algorithm: o1turn, lossless: false}",
}


# Small designs, by folder and name, that together have each module of all; the step designs checks
# that.
SAMPLE = {
    *("designs_tcp_echo", "tcp_my_layer", "designs_tcp_echo_bypass", "designs_two_ports"),
    *("designs_udp_echo_cmac", "designs_udp_echo_memory", "designs_udp_echo_replicas"),
    *("designs_rs", "designs_engines", "designs_middlebox_8", "middlebox_host_memory"),
    *("designs_board_collect", "designs_board_load", "fabrics_virtual_channels"),
}


def _program(name: str) -> str:
    """A program from this Python's environment, or from the system."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise UserError(f"{name} is missing; `make venv` installs it")
    return found


def _passes(command: Sequence[str], cwd: Path = ROOT) -> bool:
    result = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        name = Path(command[0]).name
        sys.stdout.write(f"--- {name}\n{result.stdout.decode(errors='replace')}")
    return result.returncode == 0


def lint_python(*, fix: bool) -> bool:
    ruff = _program("ruff")
    check = [ruff, "check", "--quiet", *(["--fix"] if fix else [])]
    style = [ruff, "format", "--quiet", *([] if fix else ["--check"])]
    results = [_passes(check), _passes(style), _passes([_program("mypy")])]
    return all(results)


def formatted(file: Path) -> str:
    """What verible makes of a file of SystemVerilog.

    Raises UserError where it cannot parse the file, which it would otherwise leave as it is, with
    success; `--verify` hides that even with `--failsafe_success=false`.
    """
    command = [_program("verible-verilog-format"), *VERIBLE_FLAGS, "--failsafe_success=false"]
    result = subprocess.run([*command, str(file)], capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        raise UserError(f"{file}: verible cannot parse it:\n{result.stderr.strip()}")
    return result.stdout


def lint_format(*, fix: bool) -> bool:
    good = True
    files = (file for folder in SYSTEMVERILOG for file in (ROOT / folder).rglob("*.sv"))
    for file in sorted(files):
        name = file.relative_to(ROOT)
        try:
            new = formatted(name)
        except UserError as error:
            print(error)
            good = False
            continue
        if new == file.read_text(encoding="utf-8"):
            continue
        if fix:
            file.write_text(new, encoding="utf-8")
        else:
            print(f"{name}: needs formatting (`make format`)")
            good = False
    return good


class UncleanError(Exception):
    """A tool has reported something about a design."""


def _passes_once(command: Sequence[str], generated: Generated, tool: str) -> bool:
    """Whether a command on a generated design succeeds; asked again only if something has changed.

    `tool`: the Python package of what it runs.
    """
    files = [path for path in generated.folder.rglob("*") if path.is_file()]
    names = [str(path.relative_to(generated.folder)) for path in files]
    key = content_key(
        [tool, version(tool), *command[1:]],
        zip(names, files, strict=True),
    )

    def check(_: Path) -> None:
        if not _passes(command, generated.folder):
            raise UncleanError

    try:
        cached_directory(f"clean/{generated.top}-{key}", check)
    except UncleanError:
        return False
    return True


def lint_verilator(generated: Generated) -> bool:
    """Whether Verilator reports nothing about a generated design."""
    (generated.folder / WAIVERS.name).write_bytes(WAIVERS.read_bytes())
    command = [_program("verilator-cli"), *VERILATOR_FLAGS, WAIVERS.name]
    command += ["-F", generated.file_list.name, "--top-module", generated.top]
    return _passes_once(command, generated, "verilator")


def lint_public(generated: Generated) -> bool:
    """Whether Verilator finds no combinational loop if all signals of a design are public."""
    written = generated.folder / "obj_dir"
    command = [_program("verilator-cli"), *PUBLIC_FLAGS, "--Mdir", written.name]
    command += ["-F", generated.file_list.name, "--top-module", generated.top]
    good = _passes_once(command, generated, "verilator")
    shutil.rmtree(written, ignore_errors=True)
    return good


def lint_slang(generated: Generated, blackboxes: Iterable[str] = ()) -> bool:
    """Whether Yosys, by way of slang, reads a generated design but for the modules `blackboxes`."""
    script = (
        "import sys; from pyosys import libyosys as y; d = y.Design(); "
        "y.run_pass('read_slang -F ' + ' '.join(sys.argv[1:]), d)"
    )
    command = [sys.executable, "-c", script, generated.file_list.name, "--top", generated.top]
    for name in sorted(blackboxes):
        command += ["--blackboxed-module", name]
    return _passes_once(command, generated, "pyosys")


def _designs(folder: Path) -> Iterator[Path]:
    """The designs that are linted."""
    yield from sorted((ROOT / "designs").glob("*.yaml"))
    yield from (TWO_NETWORKS, HOST, TCP_LOAD)
    yield from sorted(PROJECTS.glob("*/*.yaml"))
    narrow = (ROOT / "designs" / "udp_echo_10g.yaml").read_text(encoding="utf-8")
    narrow = narrow.replace("tables: fixed\n", "")  # writable ones have more logic
    (folder / "fabrics").mkdir()
    for name, fabric in FABRICS.items():
        file = folder / "fabrics" / f"{name}.yaml"
        file.write_text(f"{narrow}fabric: {fabric}\n", encoding="utf-8")
        yield file


def _generated(folder: Path, only: Collection[str] = ()) -> list[Generated]:
    """The designs that are linted, or only some of them, generated in folders of their names."""
    named = {f"{design.parent.name}_{design.stem}": design for design in _designs(folder)}
    return [generate(named[name], folder / name) for name in only or named]


def lint_designs(*, fix: bool) -> bool:
    del fix  # nothing here can be fixed automatically
    good = True
    with tempfile.TemporaryDirectory() as folder:
        found = _generated(Path(folder))
        smallest: dict[frozenset[str], Generated] = {}
        for generated in found:
            good &= lint_verilator(generated)
            modules = _modules(generated)
            known = smallest.setdefault(modules, generated)
            smallest[modules] = min(known, generated, key=_tiles)
        for generated in smallest.values():
            good &= lint_public(generated)
        for generated in found:
            is_known = generated not in smallest.values()
            known_tiles = [file.stem for file in _tile_files(generated)] if is_known else ()
            good &= lint_slang(generated, known_tiles)
        sampled = [each for each in found if each.folder.name in SAMPLE]
        missing = _all_modules(found) - _all_modules(sampled)
        if missing:
            print(f"in no design of SAMPLE: {', '.join(sorted(missing))}")
    return good and not missing


def lint_sample(*, fix: bool) -> bool:
    del fix
    good = True
    with tempfile.TemporaryDirectory() as folder:
        chosen = _generated(Path(folder), sorted(SAMPLE))
        known: frozenset[str] = frozenset()
        for generated in chosen:
            for tile in _tile_files(generated):
                if _below(generated, tile) <= known:
                    _empty(tile)
            good &= lint_verilator(generated)
            good &= lint_slang(generated)
            known |= _modules(generated)
        good &= lint_public(max(chosen, key=lambda each: len(_modules(each)) / _tiles(each)))
    return good


def _modules(generated: Generated) -> frozenset[str]:
    return frozenset(file.name for file in (generated.folder / "rtl").rglob("*.sv"))


def _all_modules(designs: Iterable[Generated]) -> frozenset[str]:
    return frozenset[str]().union(*map(_modules, designs))


def _tile_files(generated: Generated) -> list[Path]:
    """The modules of tiles, without those of their registers."""
    files = sorted((generated.folder / "tiles").glob("*_tile_*.sv"))
    return [file for file in files if not file.stem.endswith("_registers")]


def _below(generated: Generated, tile: Path) -> set[str]:
    """The modules of a design, as `_modules`, that a tile names, and that these name, and so on."""
    files = {file.stem: file for file in (generated.folder / "rtl").rglob("*.sv")}
    found: set[str] = set()
    texts = [*tile.parent.glob(f"{tile.stem}*.sv")]  # with its registers
    while texts:
        code = re.sub(r"//.*", "", texts.pop().read_text(encoding="utf-8"))
        words = set(re.findall(r"\w+", code))
        new = (files.keys() & words) - found
        found |= new
        texts += [files[name] for name in new]
    return {files[name].name for name in found}


def _empty(tile: Path) -> None:
    """Leaves only the ports of a tile."""
    ports, _, _ = tile.read_text(encoding="utf-8").partition("\n);\n")
    off = "".join(f"// verilator lint_off {rule}\n" for rule in ("UNUSED", "UNDRIVEN"))
    tile.write_text(f"{off}{ports}\n);\nendmodule\n", encoding="utf-8")


def _tiles(generated: Generated) -> int:
    return len(list((generated.folder / "tiles").iterdir()))


STEPS: dict[str, Callable[..., bool]] = {
    "licence": licence.lint,
    "python": lint_python,
    "format": lint_format,
    "comments": comments.lint,
    "docs": docs_figures.lint,
    "designs": lint_designs,
}
# Not among the steps of `make lint`, which has all designs.
SAMPLES: dict[str, Callable[..., bool]] = {"sample": lint_sample}


def main() -> None:
    parser = argparse.ArgumentParser(description="Lint Bombus.")
    parser.add_argument("--fix", action="store_true", help="fix what the tools can fix")
    parser.add_argument("steps", nargs="*", help=f"of {', '.join(STEPS)}; default: all")
    arguments = parser.parse_args()
    known = STEPS | SAMPLES
    unknown = set(arguments.steps) - set(known)
    if unknown:
        parser.error(f"no such step: {', '.join(sorted(unknown))}")
    failed = []
    for name in arguments.steps or STEPS:
        try:
            good = known[name](fix=arguments.fix)
        except UserError as error:
            print(f"--- {name}\n{error}")
            good = False
        print(f"{name}: {'clean' if good else 'NOT CLEAN'}")
        if not good:
            failed.append(name)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
