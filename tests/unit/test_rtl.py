"""What Python reads from the SystemVerilog."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus import rtl
from bombus.errors import DesignError, UserError

LAYER = """
module probe_layer
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 9,
    parameter logic [7:0] StepSize = 3
) (
    input  logic  clk_i,
    input  logic  rst_i,
    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output next_e out_next_o,
    output logic [1:0] drop_o,
    output logic  event_o
);
  localparam next_e Entry = NextApp0;
  localparam logic [31:0] NextHops = 32'(1) << NextUdpTx | 32'(1) << NextIcmp;
  typedef enum int unsigned { DropBadIpv4Header, DropShort, NumDrops } drop_e;
  typedef enum int unsigned { EventNumbered, NumEvents } event_e;
  assign in_ready_o = out_ready_i;
  assign out_o = in_i;
  assign out_valid_o = in_valid_i;
  assign out_next_o = NextUdpTx;
  assign drop_o = '0;
  assign event_o = 1'b0;
endmodule
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "probe_layer.sv"
    file.write_text(LAYER)
    return file


def test_layer_of_a_source_file_is_read(source: Path) -> None:
    library = rtl.library(512, [source])
    kind = library.kind("probe_layer")
    assert kind.entry == library.next_number("app0") == library.first_app
    names = {library.next_names[n] for n in range(32) if kind.next_hops >> n & 1}
    assert names == {"udp_tx", "icmp"}
    assert kind.drops == ("bad_ipv4_header", "short")
    assert kind.events == ("numbered",)
    assert {key: item.default for key, item in kind.parameters.items()} == {
        "udp_port": 9,
        "step_size": 3,
    }
    assert kind.parameters["step_size"].width == 8
    assert kind.ports["in_i"] == kind.ports["out_o"] > 512


def test_width_follows_the_data_width(source: Path) -> None:
    narrow = rtl.library(64, [source]).kind("probe_layer").ports["in_i"]
    wide = rtl.library(512, [source]).kind("probe_layer").ports["in_i"]
    assert wide - narrow == (512 - 64) + 3  # three more bits count the bytes


def test_modules_that_are_no_layers_are_left_out(source: Path) -> None:
    library = rtl.library(512, [source])
    assert "router_wormhole" not in library.layers
    assert "router_wormhole" in library.definitions


def test_unknown_kind_names_near_matches() -> None:
    with pytest.raises(UserError, match="did you mean 'udp_echo'"):
        rtl.library(512).kind("udp_ehco")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("DropShort, ", "", "drop_o has 2 bits, but drop_e has 1 names"),
        ("    input  logic  out_ready_i,\n", "", "out_ready_i is missing beside out_o"),
        ("32'(1) << NextUdpTx | 32'(1) << NextIcmp", "'0", "NextHops names no next hop"),
        ("Entry = NextApp0", "Entry = NextNowhere", "NextNowhere"),
        ("endmodule", "endmodul", "probe_layer.sv:"),
    ],
)
def test_broken_layers_are_reported(source: Path, old: str, new: str, message: str) -> None:
    assert old in LAYER
    source.write_text(LAYER.replace(old, new))
    with pytest.raises(DesignError) as caught:
        rtl.library(512, [source])
    assert message in str(caught.value)
    assert all(problem.line for problem in caught.value.problems)


def test_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.sv"):
        rtl.library(512, [tmp_path / "absent.sv"])


def test_fields_of_meta_fill_it_without_gap_or_overlap() -> None:
    fields = rtl.struct_layout("meta_t")
    outer = sorted((f.offset, f.width) for name, f in fields.items() if "." not in name)
    position = 0
    for offset, width in outer:
        assert offset == position
        position += width
    assert fields["l4.ports.dst_port"].width == 16
    kind = fields["kind"]
    assert kind.offset + kind.width == position  # the first field is the highest


def test_kinds_of_meta_agree_on_the_fields_they_share() -> None:
    packet, arp = rtl.struct_layout("meta_t"), rtl.struct_layout("meta_arp_t")
    for name in ("kind", "mac_port", "vlan", "length"):
        assert packet[name] == arp[name]
