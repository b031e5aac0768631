# SPDX-License-Identifier: Apache-2.0
"""Designs with AMD's MACs around them: read by Verilator with the MACs as black boxes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bombus.generation.generate import generate

ROOT = Path(__file__).resolve().parents[2]
DESIGN = ROOT / "designs" / "udp_echo_fused.yaml"
WAIVERS = ROOT / "tools" / "verilator.vlt"


def design(folder: Path, width: int, mhz: float, ports: int = 1) -> Path:
    """UDP echo whose MAC ports have their own clock."""
    text = DESIGN.read_text().replace("data_width: 512", f"data_width: {width}")
    host = next(line for line in text.splitlines() if line.startswith("host: "))
    given = host.removeprefix("host: ").replace("}", f", clock_mhz: {mhz}}}")
    text = text.replace(host, "mac_ports:" + f"\n  - {given}" * ports)
    text = text.replace("udp_echo_fused", "udp_echo_shell")
    file = folder / "udp_echo_shell.yaml"
    file.write_text(text)
    return file


def black_box(shell: str, module: str) -> str:
    """A module with the ports that the shell connects; all are inputs except those that the shell
    reads.
    """
    instance = re.search(rf"{module} u_mac0 \((.*?)\n  \);", shell, re.DOTALL)
    assert instance
    ports = []
    for port, signal in re.findall(r"\.(\w+)\((.*?)\)(?=,?\n|$)", instance[1]):
        is_output = re.match(r"(txp|txn|tx_clk_out|gt_tx|usr_|user_|rx_axis|tx_axis_tready)", port)
        declared = re.search(rf"(\[\d+:0\] )?(?:\w+, )*\b{signal}\b", shell)
        width = declared[1] or "" if declared and re.fullmatch(r"\w+", signal) else ""
        fixed = {"tx_preamblein": 56, "gt_loopback_in": 12, "drp_addr": 10, "drp_di": 16}
        base = port.removesuffix("_0")
        bits = {"gt_loopback_in_0": 3}.get(port, fixed.get(base, 0))
        if "seed" in port:
            bits = 58
        if literal := re.match(r"(\d+)'", signal):
            bits = int(literal[1])
        if bits > 1:
            width = f"[{bits - 1}:0] "
        ports.append(f"{'output' if is_output else 'input'} logic {width}{port}")
    declarations = ", ".join(ports)
    return f"module {module} ({declarations});\nendmodule\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "width", "mhz"), [("cmac", 512, 322.265625), ("xxv_10g", 64, 156.25)]
)
def test_shell_is_clean(target: str, width: int, mhz: float, tmp_path: Path) -> None:
    generated = generate(design(tmp_path, width, mhz), tmp_path / "out")
    top = f"udp_echo_shell_{target}"
    shell = generated.folder / "shell" / f"{top}.sv"
    box = tmp_path / "box.sv"
    box.write_text(black_box(shell.read_text(), f"{top}0"))
    box_waiver = tmp_path / "box.vlt"
    box_waiver.write_text('`verilator_config\nlint_off -file "*/box.sv"\n')
    verilator = Path(sys.executable).parent / "verilator-cli"
    flags = ["--lint-only", "-Wall", "--quiet-exit", str(WAIVERS), str(box_waiver)]
    files = ["-F", str(generated.file_list), str(box), str(shell)]
    run = subprocess.run(
        [verilator, *flags, "--top-module", top, *files], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def test_core_names_what_it_builds(tmp_path: Path) -> None:
    generated = generate(design(tmp_path, 512, 322.265625), tmp_path / "out")
    first, _, text = (generated.folder / "udp_echo_shell.core").read_text().partition("\n")
    assert first == "CAPI=2:"
    core = YAML(typ="safe").load(text)
    target = core["targets"]["cmac"]
    assert target["toplevel"] == "udp_echo_shell_cmac"
    assert target["filesets"] == ["rtl", "cmac"]
    files = [next(iter(each)) for each in core["filesets"]["cmac"]["files"]]
    assert [Path(file).suffix for file in files] == [".sv", ".tcl", ".xdc"]
    assert all((generated.folder / file).is_file() for file in files)
    # The core's clock, and the shorter of both periods for crossings between them.
    source, _, constraints = ((generated.folder / file).read_text() for file in files)
    assert "ClockKhz = 250000;" in source
    assert "-name clk -period 4.000 " in constraints
    assert re.findall(r"set_max_delay .* ([\d.]+)$", constraints, re.MULTILINE) == ["3.103"] * 2


@pytest.mark.parametrize(("width", "mhz"), [(512, 156.25), (64, 322.265625), (256, 322.265625)])
def test_no_shell_for_another_clock_or_width(width: int, mhz: float, tmp_path: Path) -> None:
    generated = generate(design(tmp_path, width, mhz), tmp_path / "out")
    assert not (generated.folder / "shell").exists()
    assert "vivado" not in (generated.folder / "udp_echo_shell.core").read_text()
