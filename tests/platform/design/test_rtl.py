# SPDX-License-Identifier: Apache-2.0
"""What Python reads from the SystemVerilog."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError, UserError
from bombus.base.paths import EXAMPLES, RTL
from bombus.design import resolve, rtl
from bombus.design.config.design import MAX_ROUTES
from bombus.generation.instances import MAX_BUSY_CYCLES

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
    output logic out_next_o,
    output logic [1:0] drop_o,
    output logic  event_o
);
  localparam string Entry = "probe";
  typedef enum logic [0:0] { NextUdpTx, NextIcmp } next_e;
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
    assert kind.inputs["in"].entry == "probe"
    assert kind.outputs["out"].hops == ("udp_tx", "icmp")
    assert kind.drops == ("bad_ipv4_header", "short")
    assert kind.events == ("numbered",)
    assert {key: item.default for key, item in kind.parameters.items()} == {
        "udp_port": 9,
        "step_size": 3,
    }
    assert kind.parameters["step_size"].width == 8
    assert kind.ports["in_i"] == kind.ports["out_o"] > 512


DESIGN = """name: probe
data_width: 64
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
sources: [probe_layer.sv]
tiles: [{name: probe, kind: probe_layer, VALUE}]
"""


@pytest.mark.parametrize(
    ("declared", "low", "high"),
    [
        ("logic [7:0]", 0, 255),
        ("logic signed [7:0]", -128, 127),
        ("int", -(2**31), 2**31 - 1),
        ("int unsigned", 0, 2**32 - 1),
        ("bit", 0, 1),
    ],
)
def test_values_are_in_the_range_of_their_parameter(
    source: Path, declared: str, low: int, high: int
) -> None:
    source.write_text(LAYER.replace("logic [7:0] StepSize = 3", f"{declared} StepSize = 1"))
    file = source.parent / "probe.yaml"

    def found(value: int) -> list[str]:
        file.write_text(DESIGN.replace("VALUE", f"step_size: {value}"))
        _, reported = resolve.load(file)
        return [problem.message for problem in reported if "step_size" in problem.message]

    assert [found(value) for value in (low, high)] == [[], []]
    for value in (low - 1, high + 1):
        (message,) = found(value)
        assert message.endswith(f"should be between {low} and {high}, not {value}")


def test_a_localparam_cannot_be_set(source: Path) -> None:
    """Of the header or of the body, also under a name that Bombus gives."""
    header = "parameter int unsigned UdpPort"
    assert header in LAYER
    text = LAYER.replace(header, f"localparam int unsigned DataWidth = 512,\n    {header}", 1)
    source.write_text(
        text.replace("localparam string", "localparam int Fixed = 3;\n  localparam string", 1)
    )
    file = source.parent / "probe.yaml"
    for key in ("data_width", "fixed"):
        file.write_text(DESIGN.replace("VALUE", f"{key}: 5"))
        _, reported = resolve.load(file)
        (message,) = [problem.message for problem in reported if key in problem.message]
        known = f"layer probe_layer has no parameter {key!r}"
        assert message.startswith(f"{known}: that is a localparam, a constant of the layer; ")


def test_width_follows_the_data_width(source: Path) -> None:
    narrow = rtl.library(64, [source]).kind("probe_layer").ports["in_i"]
    wide = rtl.library(512, [source]).kind("probe_layer").ports["in_i"]
    assert wide - narrow == (512 - 64) + 3  # three more bits count the bytes


def test_modules_that_are_no_layers_are_left_out(source: Path) -> None:
    library = rtl.library(512, [source])
    assert "router_wormhole" not in library.layers
    assert "router_wormhole" in library.definitions


def test_shipped_layers_are_read_once_for_all_designs(source: Path) -> None:
    shipped, library = rtl.library(512), rtl.library(512, [source])
    assert library.layers.keys() - shipped.layers.keys() == {"probe_layer"}
    assert library.definitions == {**shipped.definitions, "probe_layer": source}
    assert library.message_kinds == shipped.message_kinds
    assert all(library.layers[name] is kind for name, kind in shipped.layers.items())


def test_shipped_layers_declare_others_that_exist() -> None:
    layers = rtl.library(512).layers
    entries = {each.entry for kind in layers.values() for each in kind.inputs.values()}
    declared = 0
    for kind in layers.values():
        assert {*kind.precedes} <= entries, kind.name
        for need in (*kind.agreements, *kind.needed):
            declared += 1
            assert need.kind in layers, (kind.name, need)
            assert not need.own or need.other in layers[need.kind].parameters, (kind.name, need)
    assert declared > 10


def test_unknown_kind_names_near_matches() -> None:
    with pytest.raises(UserError, match="did you mean 'udp_echo'"):
        rtl.library(512).kind("udp_ehco")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("DropShort, ", "", "drop_o has 2 bits, but drop_e has 1 names"),
        (
            "    input  logic  out_ready_i,\n",
            "",
            "out_ready_i is missing beside those of stream out",
        ),
        (
            "    output logic  event_o\n",
            "    output logic  event_o,\n    output logic register_request_valid_o\n",
            "port register_request_o is missing, which a master of registers needs",
        ),
        (
            "    output logic  event_o\n",
            "    output logic  event_o,\n    output logic [63:0] register_request_o\n",
            "port register_request_o has 64 bits; it should have 66",
        ),
        (
            "    output logic  event_o\n",
            "    output logic  event_o,\n    output logic [16:0] drop_message_o\n",
            "port drop_message_o has 17 bits; it should have 34",
        ),
        ("} next_e", "} other_e", "stream out has no next hops: declare them in an enum next_e"),
        ("NextUdpTx, NextIcmp", "NextA, NextB, NextC", "3 next hops need 2"),
        (
            "    output logic  event_o\n",
            "    output logic  event_o,\n    input logic debug\n",
            "port debug",
        ),
        ('Entry = "probe"', "Entry = Nowhere", "Nowhere"),
        (
            'Entry = "probe"',
            'Entry = "probe", Begins = "nothing"',
            "Begins names 'nothing', which is not an event",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", ShowsRegisters = "nowhere"',
            "no next hop 'nowhere', whose registers it shows",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", Agrees = "udp_port==other.port"',
            "Agrees has 'udp_port==other.port'; it should be like",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", Agrees = "udp_prt=other.port"',
            "Agrees is about udp_prt, which is not a parameter; did you mean 'udp_port'?",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", Needs = "a.b"',
            "Needs has 'a.b'; it should be like",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", Needs = "udp_prt=other.port"',
            "Needs is about udp_prt, which is not a parameter; did you mean 'udp_port'?",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", Leads = "kernel"',
            "Leads names 'kernel', but it has no ports kernel_* to be joined",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", OtherHosts = "udp_prt"',
            "OtherHosts is about udp_prt, which is not a parameter; did you mean 'udp_port'?",
        ),
        (
            'Entry = "probe"',
            'Entry = "probe", Precedes = "mac_tx"',
            "it has Precedes, but not StandsBefore = 1: it precedes nothing",
        ),
        ("endmodule", "endmodul", "probe_layer.sv:"),
        ("endmodule", "logic twice;\nlogic twice;\nendmodule", "redefinition of 'twice'"),
        ("endmodule", "logic twice;\nlogic [1:0] twice;\nendmodule", "of 'twice'"),
        ("enum int unsigned { DropBadIpv4Header, DropShort, NumDrops }", "logic [1:0]", "0 names"),
        (
            "input  logic  clk_i",
            "input  logic  clk",
            "port clk is none that Bombus connects by itself; did you mean 'clk_i'? Otherwise name",
        ),
        ("input  beat_t in_i", "input logic [63:0] in_i", "port in_i should have the type beat_t"),
        (
            "    parameter type beat_t = logic,\n",
            "    parameter type in_beat_t = logic, out_t = logic [63:0],\n",
            "port in_i should have the type in_beat_t",
        ),
        (
            "output beat_t out_o",
            "output logic [63:0] out_o",
            "port out_o should have the type beat_t, as the data of stream out",
        ),
        (
            "parameter int unsigned UdpPort",
            "parameter int unsigned udp_port",
            "parameter udp_port should be UdpPort: names are in UpperCamelCase, and the design ",
        ),
        ("logic [7:0] StepSize", "logic [7:0] STEP_SIZE", "STEP_SIZE should be StepSize"),
        (
            "event_o\n",
            "event_o,\n    output logic led_o[2]\n",
            "port led_o has the type logic$[0:1]; a port should have a packed type",
        ),
        (
            "event_o\n",
            "event_o,\n    output logic [StepSiez-1:0] led_o\n",
            "port led_o: there is no parameter or type 'StepSiez'; did you mean 'StepSize'?",
        ),
        (
            "output beat_t out_o",
            "output baet_t out_o",
            "port out_o: there is no parameter or type 'baet_t'; did you mean 'beat_t'?",
        ),
        ("    input  logic  in_valid_i", "    output logic in_valid_i", "should be an input"),
        (
            "output logic  out_valid_o",
            "output logic [1:0] out_valid_o",
            "has 2 bits; it should have",
        ),
        (
            "output logic out_next_o",
            "output logic [3:0] out_next_o",
            "out_next_o has 4 bits, but 2 next hops need 1",
        ),
        ("module probe_layer", "module udp_echo", "udp_echo is the name of a module of Bombus; "),
    ],
)
def test_broken_layers_are_reported(source: Path, old: str, new: str, message: str) -> None:
    assert old in LAYER
    source.write_text(LAYER.replace(old, new))
    with pytest.raises(DesignError) as caught:
        rtl.library(512, [source])
    assert message in str(caught.value)
    assert all(problem.line for problem in caught.value.problems)


def test_a_port_is_named_in_its_line(source: Path) -> None:
    source.write_text(LAYER.replace("event_o\n", "event_o,\n    input logic button\n"))
    with pytest.raises(DesignError) as caught:
        rtl.library(512, [source])
    (problem,) = caught.value.problems
    assert "button" in source.read_text().splitlines()[(problem.line or 0) - 1]


def test_two_sources_with_the_same_module_are_named(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sv"
    other.write_text("\n" + LAYER)
    with pytest.raises(DesignError, match=r"other\.sv:3: probe_layer is the name of a module in"):
        rtl.library(512, [source, other])


@pytest.mark.parametrize("kind", ["stray", "round_robin", "bombus_pkg"])
def test_a_module_without_entry_is_no_layer(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "stray.sv"
    file.write_text("module stray (input logic clk_i);\nendmodule\n")
    with pytest.raises(
        UserError, match=rf"{kind} of {kind}\.sv is not a layer: it has no `localparam"
    ):
        rtl.library(512, [file]).kind(kind)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("StepSize = 3", "StepSize", "parameter StepSize has no default value"),
        ("StepSize = 3", "StepSize = 3, parameter type a_t", "parameter a_t has no default value"),
        ('string Entry = "probe"', "int Entry = 5", "Entry should be a `localparam string`"),
        ('string Entry = "probe"', 'Entry = "probe"', "Entry should be a `localparam string`"),
    ],
)
def test_declarations_that_cannot_be_read_are_errors_of_the_layer(
    source: Path, old: str, new: str, message: str
) -> None:
    """And not of the text in which Bombus instantiates it."""
    assert old in LAYER
    source.write_text(LAYER.replace(old, new))
    with pytest.raises(DesignError) as caught:
        rtl.library(512, [source])
    (problem,) = caught.value.problems
    assert str(problem) == f"{source}:2: layer probe_layer: {message}"


NO_NUMBERS = {
    "text": 'parameter string Text = "a"',
    "real": "parameter real Text = 1.5",
    "array": "parameter int Text [2] = '{1, 2}",
}


@pytest.mark.parametrize("declaration", NO_NUMBERS.values(), ids=NO_NUMBERS.keys())
def test_parameters_that_are_no_numbers_cannot_be_set(source: Path, declaration: str) -> None:
    source.write_text(LAYER.replace("StepSize = 3", f"StepSize = 3, {declaration}"))
    file = source.parent / "probe.yaml"
    file.write_text(DESIGN.replace("VALUE", "text: 2"))
    _, reported = resolve.load(file)
    messages = [each.message for each in reported if "text" in each.message]
    message = "parameter text of probe_layer is not a whole number in the layer"
    assert messages == [f"{message}; a design file cannot set it"]


@pytest.mark.parametrize("entries", [0, 1, 3, 512])
def test_a_layer_that_refuses_a_value_is_named_once_at_its_line(
    tmp_path: Path, entries: int
) -> None:
    """Also where ports or registers of that size could not be."""
    for file in ("lookup.yaml", "store.sv", "store.rdl", "udp_lookup.sv"):
        text = (EXAMPLES / "lookup" / file).read_text()
        text = text.replace("udp_lookup, store]", f"udp_lookup, store: {{num_entries: {entries}}}]")
        (tmp_path / file).write_text(text)
    with pytest.raises(DesignError) as caught:
        check.check(tmp_path / "lookup.yaml")
    (problem,) = caught.value.problems
    assert problem.file == tmp_path / "lookup.yaml" and problem.line == 15
    reason = "num_entries must be a power of two from 2 to 256"
    assert problem.message.endswith(f"store rejects its parameters: {reason}")


def test_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.sv"):
        rtl.library(512, [tmp_path / "absent.sv"])


def test_fields_of_meta_fill_it_without_gap_or_overlap() -> None:
    fields = rtl.struct_layout("packet_meta_t")
    outer = sorted((f.offset, f.width) for name, f in fields.items() if "." not in name)
    position = 0
    for offset, width in outer:
        assert offset == position
        position += width
    assert fields["l4.ports.dst_port"].width == 16
    first = fields["mac_port"]
    assert first.offset + first.width == position  # the first field is the highest


def test_what_several_kinds_of_messages_have_stands_in_one_place() -> None:
    packet = rtl.struct_layout("packet_meta_t")
    arp = rtl.struct_layout("neighbour_t", "arp_pkg")
    unreachable = rtl.struct_layout("unreachable_meta_t", "icmp_pkg")
    for name in ("mac_port", "vlan", "ip"):
        assert packet[name] == arp[name] == unreachable[name]


def test_numbers_that_python_states_too() -> None:
    assert rtl.constant("bombus_pkg::MaxRoutes") == MAX_ROUTES
    checker = (RTL / "platform" / "checks" / "layer_checker.sv").read_text()
    assert f"parameter int unsigned MaxBusyCycles = {MAX_BUSY_CYCLES} " in checker
