# SPDX-License-Identifier: Apache-2.0
"""Compile C for packet processors, with clang from the package ziglang or with a GCC."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bombus.applications.processors import MEMORY_BYTES
from bombus.base.errors import UserError
from bombus.base.output import replace
from bombus.design.rtl import constant

FILES = Path(__file__).parent / "files"
GCC_NAMES = ("riscv32-unknown-elf-gcc", "riscv64-unknown-elf-gcc")
# -g: with symbols, by which a loader knows where the stack starts.
_FLAGS = (
    *("-Os", "-g", "-std=c11", "-Wall", "-Wextra", "-ffreestanding", "-nostdlib", "-static"),
    *("-mabi=ilp32", "-fno-builtin", "-ffunction-sections", "-fdata-sections"),
    *("-fno-stack-protector", "-Wl,--gc-sections", "-Wl,--build-id=none"),
)


def compiler() -> list[str]:
    """The command of a compiler for RV32IM, with its specific options."""
    if find_spec("ziglang"):
        target = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m-a-c-d-f")
        return [sys.executable, "-P", "-m", "ziglang", "cc", *target, "-fno-sanitize=all"]
    for name in GCC_NAMES:
        if found := shutil.which(name):
            return [found, "-march=rv32im_zicsr", "-nostartfiles"]
    raise UserError(
        "firmware needs a compiler: `pip install bombus[firmware]`, or one of "
        f"{', '.join(GCC_NAMES)} in the path"
    )


def build(
    sources: Sequence[Path],
    output: Path,
    *,
    code_bytes: int = MEMORY_BYTES,
    data_bytes: int = MEMORY_BYTES,
) -> None:
    """Compiles and links `sources` to an ELF file; raises UserError with the compiler's words.

    The stack starts at the end of the data memory.
    """
    if code_bytes < 4 or code_bytes % 4:
        raise UserError(f"a code memory of {code_bytes} bytes: it must be a positive multiple of 4")
    least = constant("rpu_tile_pkg::LeastDataBytes")
    if data_bytes < least or data_bytes & data_bytes - 1:
        raise UserError(
            f"a data memory of {data_bytes} bytes: it must be a power of two, at least {least}"
        )
    for source in sources:
        if not source.is_file():
            raise UserError(f"there is no file {source}")
    with TemporaryDirectory() as folder:
        # Not every linker takes --defsym.
        script = (FILES / "link.ld").read_text(encoding="utf-8")
        script = script.replace("CODE_BYTES", str(code_bytes))
        linker, made = Path(folder) / "link.ld", Path(folder) / "program.elf"
        linker.write_text(script.replace("DATA_BYTES", str(data_bytes)), encoding="utf-8")
        command = [
            *compiler(),
            *_FLAGS,
            *(f"-I{FILES}", f"-Wl,-T,{linker}"),
            *map(str, (FILES / "start.S", FILES / "library.c", *sources)),
            *("-o", str(made)),
        ]
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if result.returncode != 0:
            raise UserError(f"the compiler does not accept this firmware:\n{result.stdout.strip()}")
        replace(output.resolve(), made.read_bytes())
    if result.stdout:
        sys.stderr.write(result.stdout)
