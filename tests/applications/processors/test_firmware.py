# SPDX-License-Identifier: Apache-2.0
"""Firmware is compiled, and says what it takes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from bombus.applications.processors import MEMORY_BYTES, image
from bombus.applications.processors.build import build
from bombus.applications.processors.load import load
from bombus.base.errors import UserError
from bombus.base.paths import RTL
from bombus.cli import app

PROGRAM = """
#include "rpu.h"
static const uint32_t table[] = {1, 2, 3};
uint32_t counter = 0x1234, zero[4];
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        counter += table[packet % 3] + zero[packet % 4]++;
        rpu_send(packet);
    }
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "program.c"
    file.write_text(PROGRAM)
    return file


def test_sizes_are_printed(source: Path, tmp_path: Path) -> None:
    elf = tmp_path / "program.elf"
    result = CliRunner().invoke(app, ["firmware", "build", str(source), "-o", str(elf)])
    assert result.exit_code == 0, result.output
    found = image.read(elf)
    assert 100 < found.code_bytes < 400
    assert found.data_bytes == 12 + 4 + 16
    assert f"{found.code_bytes} of 8192 bytes of code, 32 of 8192 bytes of data" in result.output
    assert list(found.data.values()) == [1, 2, 3, 0x1234]
    assert min(found.code) == 0


def test_a_mistake_is_told(source: Path, tmp_path: Path) -> None:
    source.write_text("int main(void) { return missing; }")
    with pytest.raises(UserError, match="missing"):
        build([source], tmp_path / "program.elf")


def test_what_does_not_fit_is_told(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="code"):
        build([source], tmp_path / "program.elf", code_bytes=64)


def test_memories_are_those_of_the_layer(source: Path, tmp_path: Path) -> None:
    """The defaults of both agree."""
    text = (RTL / "applications" / "processors" / "rpu.sv").read_text()
    assert re.findall(r"(?:Code|Data)Bytes = (\d+)", text) == [str(MEMORY_BYTES)] * 2
    build([source], tmp_path / "program.elf")
    assert image.read(tmp_path / "program.elf").stack_top == MEMORY_BYTES


@pytest.mark.parametrize(("name", "there"), [("code", 32), ("data", 4096)])
def test_what_does_not_fit_is_not_loaded(
    source: Path, tmp_path: Path, name: str, there: int
) -> None:
    """Neither is a program whose stack would start beyond the data memory."""
    elf = tmp_path / "program.elf"
    build([source], elf)
    memories = {"code": [None] * 2048, "data": [None] * 2048, name: [None] * (there // 4)}
    with pytest.raises(
        UserError, match=rf"{name} memory, and the processor has {there:,}: .*bytes"
    ):
        load(SimpleNamespace(**memories), elf)


@pytest.mark.parametrize(
    "sizes",
    [("--code-bytes", "-4"), ("--code-bytes", "6"), ("--data-bytes", "0"), ("--data-bytes", "96")],
)
def test_sizes_that_no_memory_has_are_refused(
    source: Path, tmp_path: Path, sizes: tuple[str, str]
) -> None:
    arguments = ["firmware", "build", str(source), "-o", f"{tmp_path}/program.elf", *sizes]
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, UserError) and f"memory of {sizes[1]} bytes" in str(error)
    assert not (tmp_path / "program.elf").exists()


def test_other_files_are_refused(source: Path) -> None:
    with pytest.raises(UserError, match="not a 32-bit"):
        image.read(source)
    with pytest.raises(UserError, match=r"cannot read .*missing\.elf: No such file"):
        image.read(source.with_name("missing.elf"))
    with pytest.raises(UserError, match="cannot read"):
        image.read(source.parent)


def test_damaged_files_are_refused(source: Path, tmp_path: Path) -> None:
    """Wherever a file is cut off; one with other bytes is refused or read."""
    elf = tmp_path / "program.elf"
    build([source], elf)
    whole = elf.read_bytes()
    for size in {*range(0, len(whole), 41), *range(200), len(whole) - 1}:
        elf.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"program\.elf"):
            image.read(elf)
    random = Random(1)
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(random.choice([1, 4])):
            part = random.choice([52, 200, len(whole)])
            content[random.randrange(16, part)] = random.getrandbits(8)
        elf.write_bytes(content)
        with suppress(UserError):
            image.read(elf)
