# SPDX-License-Identifier: Apache-2.0
"""The published tests of the RISC-V instruction set, on the packet processors' core.

The riscv-tests check themselves. The architectural tests of RISC-V International
(riscv-arch-test) leave a signature, which is compared with that of another implementation: QEMU
(unicorn), or the model of the core where QEMU as unicorn has it does not suffice (traps, rev8). The
sources come from the package of another core; `riscv_env` is the environment that they ask for.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import pythondata_cpu_ibex
import unicorn

from bombus.applications.processors import image
from bombus.applications.processors.build import build
from tests.applications.processors.rpu_model import BUS_BASE, DATA_BASE, Model
from tests.applications.processors.rpu_world import BUS, Core
from tests.support.harness import Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

ENVIRONMENT = Path(__file__).parent / "riscv_env"
VENDOR = Path(pythondata_cpu_ibex.data_location) / "vendor"
TESTS = VENDOR / "riscv-tests/isa"
ARCH = VENDOR / "riscv-arch-tests/riscv-test-suite"
SUITE = ARCH / "rv32i_m"

# Tests of branches have up to 300 KB of code.
CODE_BYTES, DATA_BYTES = 1 << 19, 1 << 16
# Words on the bus, as in riscv_env/suite_end.h.
SIGNATURE, END = 0x20000000, 0x20000004
PASSED = 1
LONGEST = 600_000  # cycles

# Extensions of the architectural tests that the core does not have.
LEFT_OUT = {
    "B": "bit manipulation: of these instructions the core has rev8 only",
    "C": "compressed instructions",
    "K": "cryptography",
    "P_unratified": "packed SIMD",
    "Zifencei": "fence.i: stores cannot write code memory",
}
EXTENSIONS = ("I", "M", "privilege")
# Files of extensions that it has.
NOT_RUN = {
    "I/jal-01": "compares labels, which only GNU as can; 2 MiB of code",
    "privilege/misalign-jal-01": "compares labels, which only GNU as can",
}


def arch_tests(extension: str) -> list[str]:
    names = (file.stem for file in (SUITE / extension / "src").glob("*.S"))
    return sorted(f"{extension}/{name}" for name in names if f"{extension}/{name}" not in NOT_RUN)


RISCV_TESTS = sorted(
    f"{family}/{file.stem}"
    for family in ("rv32ui", "rv32um")
    for file in (TESTS / family).glob("*.S")
    if file.stem != "fence_i"  # stores cannot write code memory
)
RUN = [*arch_tests("I"), *arch_tests("M")]
BY_MODEL = [*arch_tests("privilege"), "B/rev8_32-01"]
# What `make test` takes of RUN.
SAMPLE = ("I/add-01", "I/jalr-01", "I/lb-align-01", "I/sh-align-01", "I/bgeu-01", "M/div-01")


def program(folder: Path, source: Path, headers: Path, case: str = "") -> image.Image:
    """Assembles one file in a folder of its own, where its includes are found."""
    folder.mkdir(exist_ok=True)
    for file in (source, *headers.glob("*.h"), *ENVIRONMENT.glob("*.h")):
        shutil.copy(file, folder)  # also in place of a header of the suite's own
    (folder / "case.h").write_text(case)
    elf = folder / "program.elf"
    build([folder / source.name], elf, code_bytes=CODE_BYTES, data_bytes=DATA_BYTES)
    return image.read(elf)


def riscv_program(folder: Path, name: str) -> image.Image:
    """Most files for 32 bits include the one for 64 bits, from the folder beside theirs."""
    family, stem = name.split("/")
    macros = TESTS / "macros" / "scalar"
    wide = family.replace("32", "64")
    (folder / wide).mkdir()
    for file in (TESTS / wide / f"{stem}.S", *macros.glob("*.h"), *ENVIRONMENT.glob("*.h")):
        if file.exists():
            shutil.copy(file, folder / wide)
    return program(folder / family, TESTS / family / f"{stem}.S", macros)


def arch_program(folder: Path, name: str) -> image.Image:
    extension, stem = name.split("/")
    source = SUITE / extension / "src" / f"{stem}.S"
    wanted = sorted(set(re.findall(r"\bdef (\w+) *= *True", source.read_text())))
    case = "".join(f"#define {macro} 1\n" for macro in wanted)
    if extension == "B":
        case += ".option arch, +zbb\n"
    return program(folder, source, ARCH / "env", case)


def on_core(benches: Benches, loaded: image.Image) -> list[int]:
    """The signature that the core leaves, and how the program ended."""
    core = Core(benches, CodeBytes=CODE_BYTES, DataBytes=DATA_BYTES)
    core.load(loaded.code, loaded.data)
    core.set(hold=0)
    stored: list[dict[str, int]] = []
    for _ in range(LONGEST // 5_000):
        core.bench.run(5_000)
        stored = [BUS.unpack(item) for item in core.bench.items(1)]
        if stored and stored[-1]["addr"] == END - BUS_BASE:
            break
    else:
        raise AssertionError(f"no end after {LONGEST} cycles")
    assert all(each["write"] for each in stored)
    assert all(each["addr"] == SIGNATURE - BUS_BASE for each in stored[:-1])
    return [each["data"] for each in stored]


def on_qemu(loaded: image.Image) -> list[int]:
    uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    regions = ((0, CODE_BYTES, loaded.code), (DATA_BASE, DATA_BYTES, loaded.data))
    for base, size, content in regions:
        uc.mem_map(base, size)
        for address, word in content.items():
            uc.mem_write(base + address, word.to_bytes(4, "little"))
    uc.mem_map(BUS_BASE, 4096)
    stored: list[int] = []

    def store(_uc: object, _kind: int, address: int, _size: int, value: int, _data: object) -> None:
        stored.append(value & 0xFFFFFFFF)
        if address == END:
            uc.emu_stop()

    uc.hook_add(unicorn.UC_HOOK_MEM_WRITE, store, begin=BUS_BASE, end=BUS_BASE + 4095)
    uc.emu_start(0, CODE_BYTES, count=LONGEST)
    return stored


def on_model(loaded: image.Image) -> list[int]:
    model = Model(loaded.code, code_bytes=CODE_BYTES, data_bytes=DATA_BYTES)
    for address, word in loaded.data.items():
        for b in range(4):
            model.memory[DATA_BASE + address + b] = word >> 8 * b & 0xFF
    stored: list[int] = []
    for _ in range(LONGEST):
        done = model.step()
        if done.mem_write and done.mem_addr in (SIGNATURE, END):
            stored.append(done.mem_wdata)
            if done.mem_addr == END:
                break
    return stored


def riscv_test(benches: Benches, folder: Path, name: str) -> None:
    ended = on_core(benches, riscv_program(folder, name))
    assert ended == [PASSED], f"check {ended[-1] >> 1}"


def arch_test(
    benches: Benches,
    folder: Path,
    name: str,
    reference: Callable[[image.Image], list[int]] = on_qemu,
) -> None:
    loaded = arch_program(folder, name)
    signature, wanted = on_core(benches, loaded), reference(loaded)
    assert len(wanted) > 3  # two words that mark its ends, and one of the test
    assert wanted[-1] == PASSED
    assert signature == wanted


@pytest.mark.parametrize("name", RISCV_TESTS)
def test_riscv_tests(benches: Benches, tmp_path: Path, name: str) -> None:
    riscv_test(benches, tmp_path, name)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.sweep) for name in RUN],
)
def test_architectural_tests(benches: Benches, tmp_path: Path, name: str) -> None:
    arch_test(benches, tmp_path, name)


@pytest.mark.parametrize("name", BY_MODEL)
def test_architectural_tests_of_traps_and_rev8(benches: Benches, tmp_path: Path, name: str) -> None:
    arch_test(benches, tmp_path, name, on_model)


def test_what_is_left_out() -> None:
    """Every extension and file of the package is run, or named above with the reason."""
    assert {file.parent.parent.name for file in SUITE.glob("*/src/*.S")} == {*EXTENSIONS, *LEFT_OUT}
    for name in (*NOT_RUN, *BY_MODEL):
        extension, stem = name.split("/")
        assert (SUITE / extension / "src" / f"{stem}.S").is_file()


BROKEN = (
    (
        Mutation("rpu_alu", "arithmetic_i & first_i[31]", "1'b0"),
        "rv32ui/sra",
        "I/sra-01",
    ),
    (
        Mutation("rpu_multiply", "first_i[Width-1] & op_i != 2'b11", "1'b0"),
        "rv32um/mulh",
        "M/mulh-01",
    ),
    (
        Mutation("rpu_divide", "load_q & ~op_i[1] & ~has_divisor", "1'b0"),
        "rv32um/div",
        "M/div-01",
    ),
    (
        Mutation("rpu_core", "else if (by_m) rest = m_result_q;", ""),
        "rv32ui/or",
        "I/or-01",
    ),
    (
        Mutation("rpu_load", "& how_i.is_signed", ""),
        "rv32ui/lbu",
        "I/lbu-align-01",
    ),
)


@pytest.mark.parametrize(
    ("mutation", "name", "arch_name"),
    [pytest.param(*broken, marks=sampled(n), id=broken[2]) for n, broken in enumerate(BROKEN)],
)
def test_both_suites_fail_on_a_broken_core(
    tmp_path: Path, mutation: Mutation, name: str, arch_name: str
) -> None:
    benches = Benches(rtl=mutation.copy(tmp_path))
    for run, case in ((riscv_test, name), (arch_test, arch_name)):
        folder = tmp_path / run.__name__
        folder.mkdir()
        with pytest.raises(AssertionError):
            run(benches, folder, case)
