# SPDX-License-Identifier: Apache-2.0
"""What Verilator reports when it builds a model."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bombus.base.paths import SIM
from bombus.simulator.verilating import VERILATOR_FLAGS, build_environment

# A layer of a user around another one. `%s`: the ports that it connects
LAYER = """
module layer (
    input logic clk_i,
    input logic rst_i,
    output logic [1:0] drop_o,
    output logic [1:0] drop_message_o
);
  assign drop_o = {2{clk_i & rst_i}};
  assign drop_message_o = drop_o;
endmodule

module user_layer (
    input logic clk_i,
    input logic rst_i,
    output logic [1:0] drop_o
);
  layer u_layer (%s);
endmodule
"""


def reported(folder: Path, ports: str) -> str:
    file = folder / "user_layer.sv"
    file.write_text(LAYER % ports)
    environment = build_environment()
    found = subprocess.run(
        [
            f"{environment['VERILATOR_ROOT']}/bin/verilator",
            *("--lint-only", *VERILATOR_FLAGS, "--top-module", "user_layer"),
            *(str(SIM / "platform" / "model.vlt"), str(file)),
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode == 0) == ("%" not in found.stderr), found.stderr
    return found.stderr


@pytest.mark.parametrize(
    ("ports", "missing"),
    [
        (".clk_i, .rst_i, .drop_o", ""),  # what is for observers may be left out
        (".clk_i, .rst_i, .drop_o, .drop_message_o()", ""),
        (".clk_i, .rst_i, .drop_message_o()", "'drop_o'"),
        (".clk_i, .drop_o", "'rst_i'"),
    ],
)
def test_ports_that_a_wrapper_leaves_out(tmp_path: Path, ports: str, missing: str) -> None:
    found = reported(tmp_path, ports)
    assert ("PINMISSING" in found) == bool(missing) and missing in found
