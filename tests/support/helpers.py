# SPDX-License-Identifier: Apache-2.0
"""Names that tests share; the fixtures are in conftest.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bombus.design.rtl import LayerKind
from tests import ROOT

DESIGNS = ROOT / "designs"

Benchmark = Callable[..., Any]
Edited = Callable[..., Path]
Problems = Callable[..., list[str]]


def layer_text(name: str, hop: str, body: str = "") -> str:
    """SystemVerilog of a layer with one stream in and one out, whose messages go to `hop`.

    It has only what Bombus reads of it, and drives nothing."""
    return f"""
module {name} #(
    parameter type beat_t = logic
) (
    input  logic  clk_i,
    input  logic  rst_i,
    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);
  localparam string Entry = "{name}";
  typedef enum logic [0:0] {{{hop}}} next_e;
  {body}
endmodule
"""


def without_promise(kind: LayerKind) -> LayerKind:
    """The layer, were its input to wait for its output."""
    stream = replace(kind.inputs["in"], always_takes=False, waits_for_outputs=("out",))
    return replace(kind, inputs={"in": stream})


class Words:
    """A register port over a memory."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.accesses: list[tuple[int, int | None]] = []

    def read_register(self, address: int) -> int:
        self.accesses.append((address, None))
        return self.words.get(address, 0)

    def write_register(self, address: int, value: int) -> None:
        self.accesses.append((address, value))
        self.words[address] = value
