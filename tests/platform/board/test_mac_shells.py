# SPDX-License-Identifier: Apache-2.0
"""Designs with AMD's MACs around them: read by Verilator with the MACs as black boxes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from bombus.analysis import check
from bombus.cli import app
from bombus.design.resolved import Design
from bombus.generation.generate import generate
from bombus.generation.mac_shells import why_none
from tests import ROOT

CMAC = ROOT / "designs" / "udp_echo_cmac.yaml"
XXV = ROOT / "designs" / "udp_echo_xxv.yaml"
WAIVERS = ROOT / "tools" / "verilator.vlt"


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
@pytest.mark.parametrize(("target", "design"), [("cmac", CMAC), ("xxv_10g", XXV)])
def test_shell_is_clean(target: str, design: Path, tmp_path: Path) -> None:
    generated = generate(design, tmp_path / "out")
    top = f"{design.stem}_{target}"
    shell = generated.folder / "shell" / f"{top}.sv"
    box = tmp_path / "box.sv"
    box.write_text(black_box(shell.read_text(), f"{top}0"))
    box_waiver = tmp_path / "box.vlt"
    box_waiver.write_text('`verilator_config\nlint_off -file "*/box.sv"\n')
    verilator = Path(sys.executable).parent / "verilator-cli"
    flags = ["--lint-only", "-Wall", "--quiet-exit", str(WAIVERS), str(box_waiver)]
    bridge = generated.folder / "rtl" / "platform" / "registers" / "axi_lite_registers.sv"
    files = ["-F", str(generated.file_list), str(bridge), str(box), str(shell)]
    run = subprocess.run(
        [verilator, *flags, "--top-module", top, *files], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("target", "design", "khz", "period", "shortest"),
    [("cmac", CMAC, 281_250, "3.556", "3.103"), ("xxv_10g", XXV, 200_000, "5.000", "5.000")],
)
def test_core_names_what_it_builds(
    target: str, design: Path, khz: int, period: str, shortest: str, tmp_path: Path
) -> None:
    name = design.stem
    generated = generate(design, tmp_path / "out")
    first, _, text = (generated.folder / f"{name}.core").read_text().partition("\n")
    assert first == "CAPI=2:"
    core = YAML(typ="safe").load(text)
    built = core["targets"][target]
    assert built["toplevel"] == f"{name}_{target}"
    assert built["filesets"] == ["rtl", target]
    files = [next(iter(each)) for each in core["filesets"][target]["files"]]
    assert [Path(file).suffix for file in files] == [".sv", ".tcl", ".xdc", ".sv"]
    assert all((generated.folder / file).is_file() for file in files)
    # The core's clock, and the shorter of both periods for crossings between them.
    source, _, constraints, bridge = ((generated.folder / file).read_text() for file in files)
    assert f"ClockKhz = {khz};" in source
    assert "module axi_lite_registers" in bridge and "axi_lite_registers #(" in source
    assert f"-name clk -period {period} " in constraints
    assert re.findall(r"set_max_delay .* ([\d.]+)$", constraints, re.MULTILINE) == [shortest] * 2


CMAC_NEEDS = "clock_mhz of MAC port 0 is {}; the CMAC needs 322.265625"
XXV_NEEDS = "clock_mhz of MAC port 0 is {}; the 10G/25G Ethernet subsystem needs 156.25"
WIDTHS = "data_width is 256; a MAC has 512 (CMAC) or 64 (10G/25G Ethernet subsystem)"


@pytest.mark.parametrize(
    ("width", "mhz", "why"),
    [
        (512, 156.25, CMAC_NEEDS.format(156.25)),
        (64, 161.1328125, XXV_NEEDS.format(161.1328125)),
        (256, 322.265625, WIDTHS),
    ],
)
def test_no_shell_for_another_clock_or_width(
    width: int, mhz: float, why: str, tmp_path: Path
) -> None:
    text = CMAC.read_text().replace("data_width: 512", f"data_width: {width}")
    design = tmp_path / CMAC.name
    design.write_text(text.replace("clock_mhz: 322.265625", f"clock_mhz: {mhz}"))
    generated = generate(design, tmp_path / "out")
    assert not (generated.folder / "shell").exists()
    assert "vivado" not in (generated.folder / "udp_echo_cmac.core").read_text()
    assert why_none(generated.facts.design) == why


@pytest.mark.parametrize("design", [CMAC, XXV])
def test_generate_says_which_shell_there_is(design: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["generate", str(design), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert why_none(check.check(design)[0].design) == ""
    (line,) = [line for line in result.stdout.splitlines() if "MACs" in line]
    path, _, meaning = line.strip().partition("  ")
    assert (tmp_path / "out" / path).is_file()
    assert meaning.strip().startswith("top module with MACs (")


def test_no_shell_for_raised_ports() -> None:
    layer = SimpleNamespace(raised={"hold_i": "hold"})
    port = SimpleNamespace(clock_mhz=322.265625)
    design = SimpleNamespace(
        networks=[SimpleNamespace(data_width=512)],
        config=SimpleNamespace(name="raised", ports=[port]),
        layers=lambda: [layer],
    )
    assert why_none(cast("Design", design)) == "it would not connect the raised port hold"
