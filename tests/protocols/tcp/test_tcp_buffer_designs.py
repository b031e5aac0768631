# SPDX-License-Identifier: Apache-2.0
"""Buffers of TCP with two applications: what leads where, and that nothing deadlocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis.checks import requests
from bombus.analysis.deadlock import cycles
from bombus.design.facts import Facts
from bombus.design.messages import messages
from bombus.design.resolved import Design
from tests.platform.analysis import test_waiting_model as model
from tests.platform.analysis.test_waiting_model import module

ENGINE = module(
    "engine",
    [],
    {"out": "tcp_send_buffer_segment", "data": "tcp_receive_buffer_data"},
    """
  localparam string Sends = "tcp_segment";
  localparam string DataSends = "tcp_data";
""",
)
EVENTS = """module events #(
  parameter type beat_t = logic,
  parameter int unsigned NumBound = 1, NumBoundHops = 1,
  localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
  input logic clk_i, input logic rst_i,
  output beat_t out_o, output logic out_valid_o, input logic out_ready_i,
  output logic [NextWidth-1:0] out_next_o
);
  localparam string Entry = "";
  localparam string Binds = "tcp_port";
  typedef enum int unsigned {NextBound} next_e;
endmodule
"""
APP = module(
    "app",
    ["in", "control"],
    {"data": "tcp_send_buffer_data", "read": "tcp_receive_buffer_read"},
    """
  localparam string Takes = "tcp_data tcp_event";
  localparam string DataSends = "tcp_data";
  localparam string ReadSends = "tcp_read";
  localparam bit AlwaysTakes = 1;
  localparam bit ControlAlwaysTakes = 1;
""",
    ", parameter int unsigned TcpPort = 80",
)
TILES = """
  - {name: engine, layers: [engine, events], at: [0, 0]}
  - {name: send, kind: tcp_send_buffer, at: [1, 0], next: {ipv4_tx: drop, tcp_request: drop}}
  - {name: receive, kind: tcp_receive_buffer, at: [2, 0]}
  - {name: web, kind: app, at: [0, 1]}
  - {name: files, kind: app, tcp_port: 445, at: [1, 1]}
"""


def resolved(folder: Path, width: int = 64) -> Design:
    head = model.HEAD.replace("data_width: 64", f"data_width: {width}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "HEAD", head)
        return model.resolved(folder, TILES, ENGINE, EVENTS, APP)


@pytest.mark.parametrize(
    "width", [pytest.param(width, marks=pytest.mark.slow) for width in (64, 128, 256)] + [512]
)
def test_two_applications(tmp_path: Path, width: int) -> None:
    design = resolved(tmp_path, width)
    assert list(requests.problems(Facts(design))) == []
    assert cycles(Facts(design)) == []
    assert list(messages(design).refused()) == []


def test_a_bound_next_hop_leads_to_the_input_that_takes_what_comes(tmp_path: Path) -> None:
    found = {
        (hop.source.layer.name, hop.name): (hop.target.layer.tile.name, hop.target.name)
        for hop in resolved(tmp_path).hops
        if hop.target and hop.name.startswith("tcp_port")
    }
    assert found == {
        ("events", "tcp_port_80"): ("web", "control"),
        ("events", "tcp_port_445"): ("files", "control"),
        ("tcp_receive_buffer", "tcp_port_80"): ("web", "in"),
        ("tcp_receive_buffer", "tcp_port_445"): ("files", "in"),
    }
