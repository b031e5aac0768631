# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of `cocotb_tests/`: for trying things by hand, and as an example.

The other tests use `harness.py`, which is a hundred times as fast.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cocotb_tools import config
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from bombus.base import paths
from bombus.base.cache import cached_directory, content_key
from bombus.simulator import verilator
from tests.support.rtl_files import sources

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parent / "cocotb_tests"

# Top, its file, parameters, module with the tests.
CASES = {
    "head_fifo": (
        paths.RTL / "platform" / "streams" / "head_fifo.sv",
        {"Depth": 8},
        "head_fifo_tests",
    ),
    "mac_tx_ports": (TESTS / "mac_tx_ports.sv", {}, "mac_tx_tests"),
}


@pytest.mark.parametrize(
    "top", ["head_fifo", pytest.param("mac_tx_ports", marks=pytest.mark.sweep)]
)
def test_with_cocotb(top: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, parameters, module = CASES[top]
    for name, value in verilator.verilator_environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(TESTS))
    files = sources(file, paths.RTL)

    def build(folder: Path) -> None:
        get_runner("verilator").build(
            sources=files,
            includes=[file.parent for file in paths.RTL.rglob("*.svh")],
            parameters=parameters,
            hdl_toplevel=top,
            build_dir=folder,
            build_args=["-Wno-fatal", "--x-initial", "unique", "--x-assign", "unique"],
            timescale=("1ns", "1ps"),
            log_file=tmp_path / "build.log",
        )

    key = content_key(
        [verilator.version(), str(config.libs_dir), str(parameters)],
        [(source.name, source) for source in (*files, *paths.RTL.rglob("*.svh"), Path(__file__))],
    )
    result = get_runner("verilator").test(
        hdl_toplevel=top,
        hdl_toplevel_lang="verilog",
        test_module=module,
        build_dir=cached_directory(f"cocotb/{top}-{key}", build),
        test_dir=tmp_path,
        seed=1,
        log_file=tmp_path / "test.log",
    )
    passed, failed = get_results(result)
    assert passed and not failed, (tmp_path / "test.log").read_text()
