# SPDX-License-Identifier: Apache-2.0
"""Kinds of messages: declared by layers, checked along the hops, numbered, as wide as needed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from bombus.base.text import camel_case
from bombus.design import resolve, rtl
from bombus.design.facts import Facts
from bombus.design.next_hops import hop_names
from bombus.design.resolved import Design
from bombus.design.rtl.messages import MessageField, MessageKind
from bombus.generation import generate
from bombus.generation.manifest import manifest
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited, Problems

EXAMPLES = ROOT / "docs" / "examples"
HOPS = EXAMPLES / "hops"
PACKAGE = """package probe_pkg;
  typedef struct packed {
    logic [BITS-1:0] value;
    bombus_pkg::packet_meta_t packet;
  } probe_meta_t;
endpackage
"""
# An application that sends a kind of its own, and one that turns it into packets.
LAYER = """
module NAME
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    PARAMETER
    localparam int unsigned Unused = 0
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
  localparam string Entry = "NAME";
  typedef enum logic [0:0] {NextHOP} next_e;
  DECLARED
  // body
  assign in_ready_o = out_ready_i;
  assign out_valid_o = in_valid_i;
endmodule
"""
ASSIGNED = "  always_comb begin\n    out_o = in_i;\n    CHANGE\n  end"
# Values computed from a packet's metadata, and from the metadata of its own kind.
ASKS = (
    "out_o.kind = $bits(out_o.kind)'(KindProbe);"
    " out_o.meta = $bits(out_o.meta)'(packet_meta_t'(in_i.meta));"
)
STORES = "out_o.kind = $bits(out_o.kind)'(KindPacket);"


def layer(name: str, hop: str, parameter: str, declared: str, change: str) -> str:
    text = LAYER.replace("NAME", name).replace("HOP", hop).replace("DECLARED", declared)
    return text.replace("PARAMETER", parameter).replace(
        "// body", ASSIGNED.replace("CHANGE", change)
    )


ASKER = layer(
    *(
        "asker",
        "Store",
        "parameter int unsigned UdpPort = 9, parameter int unsigned KindProbe = 5,",
    ),
    'localparam string Sends = "probe";',
    ASKS,
)
STORE = layer("store", "UdpTx", "", 'localparam string Takes = "probe packet";', STORES)
TILES = "  - {name: asker, kind: asker, at: [3, 0]}\n  - {name: store, kind: store, at: [3, 1]}\n"
BESIDE = "  # Beside the path\n"
IN_ONE_TILE = "  - {name: both, layers: [asker, store], at: [3, 1]}\n"


@pytest.fixture
def design_file(tmp_path: Path, edited: Edited) -> Edited:
    """udp_echo with the two layers; texts of theirs replaced, in the tiles too."""

    def write(*edits: tuple[str, str], bits: int = 60) -> Path:
        texts = {"pkg": PACKAGE.replace("BITS", str(bits)), "asker": ASKER, "store": STORE}
        texts["tiles"] = TILES
        for old, new in edits:
            assert any(old in text for text in texts.values()), old
            texts = {name: text.replace(old, new) for name, text in texts.items()}
        names = {"pkg": "probe_pkg.sv", "asker": "asker.sv", "store": "store.sv"}
        for name, file in names.items():
            (tmp_path / file).write_text(texts[name])
        sources = f"sources: [{', '.join(names.values())}]\n"
        return edited(("tiles:\n", f"{sources}tiles:\n"), (BESIDE, texts["tiles"]))

    return write


def resolved(file: Path) -> Facts:
    facts, _ = check.check(file)
    return facts


def metadata_bits(design: Design) -> int:
    """Bits of a beat beside its data."""
    messages = Facts(design).messages
    return messages.on(design.networks[0]).bits + 14 + messages.kind_bits


@pytest.mark.parametrize("name", ["udp_echo", "udp_echo_fused", "scale_28", "rs"])
def test_the_metadata_of_the_shipped_designs_stays_narrow(name: str) -> None:
    design, _ = resolve.load(DESIGNS / f"{name}.yaml")
    assert metadata_bits(design) <= 125
    assert list(Facts(design).messages.refused()) == []
    assert set(Facts(design).messages.numbers) == {
        *("packet", "arp", "arp_update", "arp_question", "unreachable")
    }


def test_the_metadata_of_a_mesh_is_as_wide_as_its_kinds(design_file: Edited) -> None:
    for bits in (1, 60):
        facts = resolved(design_file(bits=bits))
        assert facts.messages.on(facts.design.networks[0]).bits == 108 + bits
    # A kind that crosses no link costs the mesh nothing; only the two layers know it.
    facts = resolved(design_file((TILES, IN_ONE_TILE)))
    assert metadata_bits(facts.design) == 125
    wide = [
        la.name for la in facts.design.layers() if facts.messages.of(la, rtl.BEAT).name == "probe"
    ]
    assert wide == ["asker", "store"]


@pytest.mark.parametrize("tiles", [TILES, IN_ONE_TILE])
def test_the_design_fills_in_numbers_and_types(design_file: Edited, tiles: str) -> None:
    texts = generate.texts(resolved(design_file((TILES, tiles))))
    package = texts["udp_echo_pkg.sv"]
    names = ["packet", "arp", "arp_question", "arp_update", "probe", "unreachable"]
    found = re.findall(
        r"localparam logic \[31:0\] KindId(\w+) = 32'h[0-9a-f]{8};  // (\d)\n", package
    )
    assert found == [(camel_case(name), str(n)) for n, name in enumerate(names)]
    alone = tiles == IN_ONE_TILE
    struct = "bombus_pkg::packet_meta_t" if alone else "probe_pkg::probe_meta_t"
    assert f"BOMBUS_BEAT_T(beat_t, 512, {struct}, 3)" in package
    tile = texts[f"tiles/udp_echo_tile_{'both' if alone else 'asker'}.sv"]
    assert ".KindProbe(4)" in tile
    assert (".beat_t(beat_of_probe_t)" in tile) == alone
    # The others have the metadata that they need, whatever the mesh's are.
    assert (".beat_t(beat_of_packet_t)" in texts["tiles/udp_echo_tile_udp_tx.sv"]) != alone


def identities(facts: Facts) -> dict[str, tuple[int, int]]:
    """The number and the identity of each kind, as the manifest has them."""
    kinds = manifest(facts)["message_kinds"]
    return {kind["name"]: (kind["number"], kind["id"]) for kind in kinds}


def test_a_kind_has_the_same_identity_in_all_designs(design_file: Edited) -> None:
    usual, _ = check.check(DESIGNS / "udp_echo.yaml")
    probing = resolved(design_file())
    found, other = identities(usual), identities(probing)
    assert found["unreachable"][0] != other["unreachable"][0], "the designs number it differently"
    for name, (_, identity) in found.items():
        assert other[name][1] == identity
        assert (
            f"KindId{camel_case(name)} = 32'h{identity:08x};"
            in generate.texts(usual)["udp_echo_pkg.sv"]
        )
    assert len({identity for _, identity in other.values()}) == len(other)


def test_an_identity_is_a_hash_of_name_and_layout() -> None:
    text = "probe 12\nflag 11 1\nvalue 0 11\n"
    fields = MessageField("flag", 11, 1), MessageField("value", 0, 11)
    kind = MessageKind("probe", "probe_pkg::probe_meta_t", 12, fields=fields)
    assert kind.identity == int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
    # Only the name and the layout count.
    same = MessageKind("probe", "other_pkg::probe_meta_t", 12, has_payload=False, fields=fields)
    assert same.identity == kind.identity
    assert replace(kind, name="other").identity != kind.identity


@pytest.mark.parametrize(
    "edit",
    [
        ("[BITS-1:0] value", "[BITS:0] value"),
        ("value;", "number;"),
        (
            "logic [BITS-1:0] value;\n    bombus_pkg::packet_meta_t packet;",
            "bombus_pkg::packet_meta_t packet;\n    logic [BITS-1:0] value;",
        ),
    ],
)
def test_another_field_is_another_kind(design_file: Edited, edit: tuple[str, str]) -> None:
    usual = identities(resolved(design_file()))
    file = design_file()
    package = file.parent / "probe_pkg.sv"
    old, new = (text.replace("BITS", "60") for text in edit)
    assert old in package.read_text()
    package.write_text(package.read_text().replace(old, new))
    changed = identities(resolved(file))
    assert {name for name in usual if usual[name] != changed[name]} == {"probe"}


def test_kinds_with_one_identity_are_refused(
    monkeypatch: pytest.MonkeyPatch, problems: Problems
) -> None:
    monkeypatch.setattr(MessageKind, "identity", property(lambda kind: ord(kind.name[0])))
    found = problems(check.check, DESIGNS / "udp_echo.yaml")
    said = "message kinds arp and arp_question have the same identity 0x00000061: rename one of th"
    assert [said in each for each in found] == [True, False], found  # and arp_update


def test_what_a_layer_passes_on_is_what_comes_to_it() -> None:
    """A rewritten next hop cannot bring `udp_tx` what its targets, wired or not, do not take."""
    design, _ = resolve.load(EXAMPLES / "hops" / "hop_count.yaml")
    masks = {each.layer.name: Facts(design).messages.taken_mask(each) for each in design.inputs()}
    numbers = Facts(design).messages.numbers
    assert masks["ipv4_tx"] == 1 << numbers["packet"] | 1 << numbers["routed_packet"]
    assert masks["hops_tx"] == 1 << numbers["hops"]


def test_what_does_not_come_to_a_layer_that_passes_it_on_is_not_taken(tmp_path: Path) -> None:
    """Another layer sends `routed_packet`, which `udp_tx` could take and would pass on."""
    text = (HOPS / "hop_count.yaml").read_text()
    sources = "[hops_pkg.sv, hops_rx.sv, hops_tx.sv]"
    assert sources in text
    file = tmp_path / "hop_count.yaml"
    file.write_text(
        text.replace(sources, str(sorted(map(str, HOPS.glob("*.sv"))))).rstrip()
        + "\n  - {name: udp, layers: [udp_rx, udp_echo, udp_tx], at: [2, 1]}\n"
    )
    design, _ = resolve.load(file)
    assert "routed_packet" in Facts(design).messages.numbers
    masks = {each.layer.name: Facts(design).messages.taken_mask(each) for each in design.inputs()}
    assert masks["udp_tx"] == 1


def test_a_kind_that_the_beats_have_no_room_for_is_not_taken(tmp_path: Path) -> None:
    """One `ipv4_tx` gets packets alone: a rewritten next hop must not cut a `routed_packet`."""
    tiles = """\
name: two_senders
data_width: 64
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}
sources: SOURCES
tiles:
  - {name: rx, layers: [mac_rx, eth_rx, ipv4_rx, icmp_echo, udp_rx], next: {ipv4_tx: b}, at: [0, 0]}
  - {name: eth, layers: [eth_tx, mac_tx], at: [1, 0]}
  - {name: arp, kind: arp, at: [2, 0]}
  - {name: hops_rx, kind: hops_rx, at: [0, 1]}
  - {name: hops_tx, kind: hops_tx, source_ip: 0x0A4D0063, at: [1, 1], next: {ipv4_tx: a}}
  - {name: echo, layers: [{udp_echo: {udp_port: 7}}, udp_tx], at: [2, 1], next: {ipv4_tx: b}}
  - {name: a, kind: ipv4_tx, at: [0, 2]}
  - {name: b, kind: ipv4_tx, at: [1, 2]}
"""
    file = tmp_path / "two_senders.yaml"
    file.write_text(tiles.replace("SOURCES", str(sorted(map(str, HOPS.glob("*.sv"))))))
    design, _ = resolve.load(file)
    messages = Facts(design).messages
    masks = {each.layer.tile.name: messages.taken_mask(each) for each in design.inputs()}
    packet, routed = (1 << messages.numbers[name] for name in ("packet", "routed_packet"))
    assert masks["a"] == packet | routed
    assert masks["b"] == packet


def test_a_bound_next_hop_is_not_the_one_of_the_same_name() -> None:
    """`ipv4_rx` sends packets of protocol ICMP to `icmp`, and to the same what is to be refused."""
    design, _ = resolve.load(DESIGNS / "udp_echo.yaml")
    (output,) = (each for each in design.outputs() if each.layer.name == "ipv4_rx")
    assert sorted(hop_names(output, design)) == ["icmp", "icmp", "udp_rx"]
    unreachable = 1 << Facts(design).messages.numbers["unreachable"]
    assert Facts(design).messages.sent_masks(output) == [unreachable, 1, 1]


def test_a_kind_that_nobody_sends_costs_nothing(design_file: Edited) -> None:
    head = "(\n    parameter type beat_t = logic,\n"
    file = design_file(
        ('Sends = "probe"', 'Sends = "packet"'),
        (ASKS, ""),
        (", parameter int unsigned KindProbe = 5,", ","),
        (f"{head}    \n", f"{head}    parameter int unsigned KindProbe = 5,\n"),  # of the store
    )
    facts = resolved(file)
    assert "probe" not in facts.messages.numbers
    assert metadata_bits(facts.design) == 125
    texts = generate.texts(facts)
    assert ".KindProbe(bombus_pkg::KindNone)" in texts["tiles/udp_echo_tile_store.sv"]


TAKES = 'Takes = "probe packet";'


@pytest.mark.parametrize(
    ("edits", "tile", "message"),
    [
        (
            [(TAKES, 'Takes = "packet";')],
            *(
                "asker",
                "may send messages of kind probe to store (next hop 'store'), which takes pa",
            ),
        ),
        ([(TAKES, 'Takes = "";')], "asker", "(next hop 'store'), which takes none"),
        (
            [('Sends = "probe"', 'NextStoreSends = "probe arp"')],
            *("asker", "may send messages of kind arp to store"),
        ),
        (
            [(TAKES, 'Takes = "any"; localparam string Sends = "taken";')],
            *(
                "store",
                "may send messages of kind probe to udp_tx (next hop 'udp_tx'), which takes p",
            ),
        ),
        ([(TAKES, 'Takes = "any";')], "", ""),
        (
            [
                (TAKES, 'Takes = "packet"; localparam string Sends = "taken";'),
                ('Sends = "probe"', 'Sends = "packet"'),
                (", parameter int unsigned KindProbe = 5,", ","),
                (ASKS, ""),
            ],
            *("", ""),
        ),
    ],
)
def test_kinds_that_the_target_does_not_take_are_refused(
    design_file: Edited, problems: Problems, edits: list[tuple[str, str]], tile: str, message: str
) -> None:
    file = design_file(*edits)
    if not message:
        check.check(file)
        return
    (found,) = problems(check.check, file)
    lines = file.read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if f"name: {tile}" in text)
    assert found.startswith(f"{line}: {tile} ")
    assert message in found


def test_a_hop_that_the_design_file_moves_is_checked_too(
    design_file: Edited, problems: Problems
) -> None:
    other = ("kind: asker, at", "kind: asker,\n     next: {store: store2}, at")
    more = ("[3, 1]}\n", "[3, 1]}\n  - {name: store2, kind: store2, at: [3, 2]}\n")
    file = design_file(other, more)
    text = STORE.replace("module store", "module store2").replace('"probe packet"', '"packet"')
    (file.parent / "store2.sv").write_text(text)
    file.write_text(file.read_text().replace("store.sv]", "store.sv, store2.sv]"))
    found = problems(check.check, file)
    line = file.read_text()[: file.read_text().index("next: {store")].count("\n") + 1
    said = f"{line}: asker may send messages of kind probe to store2"
    assert any(each.startswith(said) for each in found), found


def test_two_structs_of_one_kind_are_refused(design_file: Edited) -> None:
    file = design_file()
    other = PACKAGE.replace("probe_pkg", "other_pkg")
    (file.parent / "other_pkg.sv").write_text(other.replace("BITS", "59"))
    sources = [file.parent / name for name in ("probe_pkg.sv", "other_pkg.sv")]
    with pytest.raises(DesignError, match="probe, has one; rename this one") as caught:
        rtl.library(512, sources)
    (problem,) = caught.value.problems
    assert {problem.file, next(f for f in sources if str(f) in problem.message)} == set(sources)
    (file.parent / "other_pkg.sv").write_text(other.replace("BITS", "60"))
    rtl.library(512, sources)
    flag = "  parameter bit ProbeHasPayload = 1'b0;\nendpackage"
    (file.parent / "other_pkg.sv").write_text(
        other.replace("BITS", "60").replace("endpackage", flag)
    )
    with pytest.raises(DesignError, match="or has another ProbeHasPayload"):
        rtl.library(512, sources)


def test_kinds_without_payload(design_file: Edited) -> None:
    """Beside those of ARP and TCP, any that a package says so about."""
    flag = "  parameter bit ProbeHasPayload = 1'b0;\nendpackage"
    facts = resolved(design_file(("endpackage", flag)))
    numbers = facts.messages.numbers
    bare = {"arp_update", "probe"}
    assert facts.messages.payload_mask == sum(1 << n for k, n in numbers.items() if k not in bare)
    hops = {str(hop.source): hop for hop in facts.design.hops if hop.source.layer.name == "asker"}
    assert not facts.messages.has_payload(hops["asker"])
    assert ".HasPayload(6'b100111)" in generate.texts(facts)["tiles/udp_echo_tile_asker.sv"]
    usual = resolved(design_file())
    assert usual.messages.payload_mask == facts.messages.payload_mask | 1 << numbers["probe"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            ("probe_meta_t", "probing_meta_t"),
            "message kind 'probe' has no struct: there is no probe_",
        ),
        (
            ("KindProbe = 5", "KindProbing = 5"),
            "KindProbing is the number of a kind of message tha",
        ),
        (
            ('string Sends = "', 'string QuerySends = "'),
            "QuerySends is about a stream that the layer",
        ),
        (
            ('string Sends = "', 'string NextStorSends = "'),
            "NextStorSends is about a stream that the",
        ),
        (
            ('string Takes = "', 'string AnswerTakes = "'),
            "AnswerTakes is about a stream that the lay",
        ),
        (
            ("endpackage", "  parameter bit ProbingHasPayload = 1'b0;\nendpackage"),
            "ProbingHasPayload is about a kind of message that the package does not have",
        ),
    ],
)
def test_declarations_that_cannot_be(
    design_file: Edited, problems: Problems, edit: tuple[str, str], message: str
) -> None:
    edits = [edit, (ASKS, "")] if "Kind" in edit[0] else [edit]
    found = problems(check.check, design_file(*edits))
    assert any(message in each for each in found), found


def test_each_network_is_as_wide_as_its_own_kinds(tmp_path: Path) -> None:
    text = (EXAMPLES / "hops" / "hop_count.yaml").read_text()
    for old, new in (
        ("data_width: 64\n", "networks: {data: {data_width: 64}, reports: {data_width: 64}}\n"),
        ("kind: hops_rx,", "kind: hops_rx, networks: {out: reports},"),
        ("kind: hops_tx,", "kind: hops_tx, networks: {in: reports},"),
        ("[hops_pkg.sv, hops_rx.sv, hops_tx.sv]", str(sorted(map(str, HOPS.glob("*.sv"))))),
    ):
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "hop_count.yaml"
    file.write_text(text)
    facts = resolved(file)
    assert [facts.messages.on(network).name for network in facts.design.networks] == [
        *("routed_packet", "hops")
    ]
    package = generate.texts(facts)["hop_count_pkg.sv"]
    assert "(reports_beat_t, 64, hops_pkg::hops_meta_t, 3)" in package
    assert "(beat_t, 64, ipv4_pkg::routed_packet_meta_t, 3)" in package
