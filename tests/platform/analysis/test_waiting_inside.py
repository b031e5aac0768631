# SPDX-License-Identifier: Apache-2.0
"""Messages that wait for others inside a tile: for the load of a replica, or beyond a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from tests.support.helpers import layer_text

# udp_rx, which dispatches, and udp_tx, which sends the answers, share an injection port.
DESIGN = """name: loaded
data_width: 64
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}
sources: [taker.sv]
tiles:
  - {name: eth_rx, layers: [mac_rx, eth_rx], at: [0, 0]}
  - {name: ipv4_rx, kind: ipv4_rx, at: [1, 0], next: {icmp: drop}}
  - {name: udp, layers: [udp_rx, udp_tx], at: [2, 0], next: {icmp: drop}}
  - name: app
    kind: taker
    replicas: 2
    dispatch: DISPATCH
    at: [[3, 0], [3, 1]]
  - {name: ipv4_tx, kind: ipv4_tx, at: [2, 1]}
  - {name: eth_tx, layers: [eth_tx, mac_tx], at: [1, 1]}
  - {name: arp, kind: arp, at: [0, 1]}
"""
TAKES = "localparam logic [15:0] UdpPort = 7; localparam bit AlwaysTakes = 1'b1;"


def written(folder: Path, body: str, dispatch: str = "least_loaded", text: str = DESIGN) -> Path:
    (folder / "taker.sv").write_text(layer_text("taker", "NextUdpTx", body))
    file = folder / "loaded.yaml"
    file.write_text(text.replace("DISPATCH", dispatch))
    return file


@pytest.mark.parametrize("dispatch", ["least_loaded", "[round_robin, least_loaded]"])
def test_a_message_that_waits_for_a_load_holds_the_injection_port(
    tmp_path: Path, dispatch: str
) -> None:
    """Even if the replicas always take: they finish a message only by sending it."""
    file = written(tmp_path, f"{TAKES} localparam int unsigned MaxInside = 4;", dispatch)
    with pytest.raises(check.DeadlockError) as caught:
        check.check(file)
    assert "holds injection port of router (2, 0)" in str(caught.value)
    assert {tile.name for cycle in caught.value.cycles for tile in cycle.tiles} >= {"udp", "app_0"}


@pytest.mark.parametrize(
    ("body", "dispatch"),
    [
        (TAKES, "least_loaded"),  # no limit, so that no message waits
        (f"{TAKES} localparam int unsigned MaxInside = 4;", "round_robin"),
    ],
)
def test_without_a_limit_none_waits(tmp_path: Path, body: str, dispatch: str) -> None:
    check.check(written(tmp_path, body, dispatch))


def test_with_tiles_of_their_own_the_limit_closes_no_ring(tmp_path: Path) -> None:
    apart = DESIGN.replace("[udp_rx, udp_tx], at: [2, 0]", "[udp_rx], at: [2, 0]").replace(
        "  - {name: ipv4_tx, kind",
        "  - {name: udp_tx, kind: udp_tx, at: [3, 2]}\n  - {name: ipv4_tx, kind",
    )
    body = f"{TAKES} localparam int unsigned MaxInside = 4;"
    check.check(written(tmp_path, body, text=apart))


@pytest.mark.parametrize(("batch", "inside"), [(3, 2), (5, 4)])
def test_a_replica_gets_a_whole_batch(tmp_path: Path, batch: int, inside: int) -> None:
    body = (
        "localparam logic [15:0] UdpPort = 7; "
        f"localparam int unsigned MaxInside = {inside}; localparam int unsigned Batch = {batch};"
    )
    with pytest.raises(DesignError) as caught:
        check.check(written(tmp_path, body))
    words = (
        f"takes {inside} messages, but 1 tile sends to it, which need {batch} under least_loaded"
    )
    assert f"{words}; it finishes {batch} at a time" in str(caught.value)


# Two layers of a tile, and a kernel between them by a handshake that is no AXI-Stream.
JOINED = DESIGN.replace(
    "    kind: taker\n    replicas: 2\n    dispatch: DISPATCH\n    at: [[3, 0], [3, 1]]\n",
    "    layers: [taker, middle, giver]\n    at: [3, 0]\n",
).replace("sources: [taker.sv]", "sources: [taker.sv, middle.sv, giver.sv]")
HANDSHAKE = """
module taker #(parameter type beat_t = logic) (
    input logic clk_i, input logic rst_i,
    input beat_t in_i, input logic in_valid_i, output logic in_ready_o,
    output logic [7:0] word_bits_o, output logic word_offered_o, input logic word_taken_i
);
  localparam string Entry = "taker";
  localparam logic [15:0] UdpPort = 7;
  STATUS
  assign in_ready_o = word_taken_i;
  assign word_bits_o = 8'(in_i), word_offered_o = in_valid_i;
endmodule
"""
MIDDLE = """
module middle (
    input logic clk_i, input logic rst_i,
    input logic [7:0] word_bits_i, input logic word_offered_i, output logic word_taken_o,
    output logic [7:0] byte_bits_o, output logic byte_offered_o, input logic byte_taken_i
);
  localparam string Entry = "";
  STATUS
  assign byte_bits_o = word_bits_i, byte_offered_o = word_offered_i, word_taken_o = byte_taken_i;
endmodule
"""
GIVER = """
module giver #(parameter type beat_t = logic) (
    input logic clk_i, input logic rst_i,
    input logic [7:0] byte_bits_i, input logic byte_offered_i, output logic byte_taken_o,
    output beat_t out_o, output logic out_valid_o, input logic out_ready_i
);
  localparam string Entry = "";
  STATUS
  typedef enum logic [0:0] {NextUdpTx} next_e;
  assign out_o = beat_t'(byte_bits_i), out_valid_o = byte_offered_i, byte_taken_o = out_ready_i;
endmodule
"""


def joined(folder: Path, status: str) -> Path:
    file = written(folder, "", text=JOINED)
    for name, text in (("taker", HANDSHAKE), ("middle", MIDDLE), ("giver", GIVER)):
        (folder / f"{name}.sv").write_text(text.replace("STATUS", status))
    return file


def test_a_handshake_through_a_kernel_waits_like_a_stream(tmp_path: Path) -> None:
    with pytest.raises(check.DeadlockError) as caught:
        check.check(joined(tmp_path, ""))
    assert "taker" in str(caught.value) and "giver" in str(caught.value)


def test_ports_that_are_only_looked_at_wait_for_nothing(tmp_path: Path) -> None:
    check.check(joined(tmp_path, 'localparam string Status = "word byte";'))
