# SPDX-License-Identifier: Apache-2.0
"""Soundness of a design: what does not fit together is found, in its line."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from bombus.design.next_hops import hop_names
from bombus.design.resolved import Design
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited, Problems, layer_text

ECHO = "  - {name: echo, kind: udp_echo, udp_port: 7, at: [2, 1]}\n"
ARP = "  - {name: arp, kind: arp, at: [2, 2]}\n"
ICMP = "  - {name: icmp, kind: icmp_echo, at: [1, 2]}\n"


def line_of(file: Path, tile: str) -> int:
    """Line of a tile's name, or of the list of tiles."""
    word = "tiles:" if tile == "tiles" else f"name: {tile},"
    lines = file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if word in line)


def hops(design: Design) -> set[tuple[str, str, str | None]]:
    return {
        (
            str(hop.source),
            hop.name,
            str(hop.target) if hop.target else None,
        )
        for hop in design.hops
    }


@pytest.mark.parametrize("file", sorted(DESIGNS.glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_designs_are_sound_without_warnings(file: Path) -> None:
    _, warnings = check.check(file)
    assert warnings == []


def test_a_layer_is_not_bound_to_itself() -> None:
    """Engines bind engines; none sends to itself, which would be a loop of wires."""
    facts, _ = check.check(DESIGNS / "engines.yaml")
    found = hops(facts.design)
    assert ("checksum", "engine_1", None) in found
    assert ("checksum", "engine_2", "encrypt") in found
    assert ("encrypt", "engine_1", "checksum") in found


def test_hops_of_udp_echo(edited: Edited) -> None:
    facts, _ = check.check(edited())
    assert hops(facts.design) >= {
        ("eth_rx.mac_rx", "eth_rx", "eth_rx.eth_rx"),
        ("eth_rx.eth_rx", "ipv4_rx", "ipv4_rx"),
        ("eth_rx.eth_rx", "arp", "arp"),
        ("ipv4_rx", "icmp", "icmp"),
        ("udp_rx", "udp_port_7", "echo"),
        ("udp_rx", "icmp", "icmp"),
        ("echo", "udp_tx", "udp_tx"),
        ("eth_tx.eth_tx", "arp", "arp"),
        ("eth_tx.eth_tx", "mac_port_0", "eth_tx.mac_tx"),
    }
    assert {name for source, name, _ in hops(facts.design) if source == "udp_rx"} == {
        "icmp",
        "udp_port_7",
    }


def test_udp_path_takes_one_link_a_hop(edited: Edited) -> None:
    facts, _ = check.check(edited())
    path = ["eth_rx", "ipv4_rx", "udp_rx", "echo", "udp_tx", "ipv4_tx", "eth_tx"]
    tiles = {tile.name: tile for tile in facts.design.tiles}
    for source, target in pairwise(path):
        assert len(facts.design.networks[0].links(tiles[source].at, tiles[target].at)) == 1


def test_route_goes_along_x_first(edited: Edited) -> None:
    facts, _ = check.check(edited())
    assert facts.design.networks[0].links((0, 0), (2, 1)) == [
        ((0, 0), (1, 0)),
        ((1, 0), (2, 0)),
        ((2, 0), (2, 1)),
    ]


def test_clocked_layer_without_busy_is_a_warning() -> None:
    _, warnings = check.check(ROOT / "tests" / "designs" / "promises.yaml")
    found = [warning for warning in warnings if "no port busy_o" in warning.message]
    assert [(each.line, each.message.split()[0]) for each in found] == [(15, "rogue"), (16, "tray")]


def test_hop_without_layer_is_a_warning(edited: Edited) -> None:
    file = edited((ICMP, ""))
    _, warnings = check.check(file)
    assert [(warning.line, warning.message.partition(":")[0]) for warning in warnings] == [
        (line_of(file, name), f"no layer answers to next hop 'icmp' of {name} (icmp_echo would)")
        for name in ("ipv4_rx", "udp_rx")
    ]


def test_no_application(tmp_path: Path) -> None:
    """The receive buffer has nobody to send bytes to."""
    lines = (DESIGNS / "tcp_echo.yaml").read_text().splitlines(keepends=True)
    file = tmp_path / "tcp_echo.yaml"
    file.write_text("".join(line for line in lines if "kind: tcp_echo" not in line))
    with pytest.raises(DesignError, match=r"from receive_buffer .*: no layer has a tcp_port"):
        check.check(file)


def test_slow_datapath_is_a_warning(edited: Edited) -> None:
    _, (warning,) = check.check(edited(("clock_mhz: 250", "clock_mhz: 100")))
    assert "512 bits at 100 MHz carry 51.2 Gbit/s" in warning.message


SECOND_ECHO = ECHO.replace("echo, k", "echo2, k").replace("2, 1", "3, 0")
SECOND_ICMP = ICMP.replace("icmp,", "icmp2,").replace("1, 2", "3, 0")


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("kind: udp_tx", "kind: udp_xt", "udp_tx", "no layer kind 'udp_xt'; did you mean 'udp_tx'"),
        ("udp_port", "udp_prt", "echo", "no parameter 'udp_prt'; did you mean 'udp_port'?"),
        ("7, at:", "7, naem: 1, at:", "echo", "no parameter 'naem'; did you mean 'name'?"),
        ("udp_port: 7", "udp_port: -1", "echo", "parameter udp_port of udp_echo should be between"),
        ("udp_port: 7", "udp_port: seven", "echo", "should be a whole number, an IPv4"),
        ("udp_port: 7", "udp_port: true", "echo", "should be a whole number, not true"),
        ("kind: udp_rx", "kind: udp_rx, num_apps: 2", "udp_rx", "no parameter 'num_apps'"),
        (
            ECHO,
            ECHO + SECOND_ECHO,
            "udp_rx",
            "next hop 'udp_port_7' of udp_rx may lead to echo.udp_echo and echo2.udp_echo, which "
            "have the same udp_port: give one of them another, or choose one with `next: {udp_p",
        ),
        ("at: [2, 2]", "at: [1, 2]", "icmp", "tile 'icmp' is at (1, 2), which tile 'arp'"),
        ("host:", "fabric: {columns: 2}\nhost:", "udp_rx", "at (2, 0), outside the mesh of 2 x"),
        (
            "kind: udp_rx,",
            "kind: udp_rx, next: {icmp: echo},",
            "udp_rx",
            "'echo' does not answer to next hop 'icmp'",
        ),
        (
            "kind: udp_rx,",
            "kind: udp_rx, next: {icmp: ecko},",
            "udp_rx",
            "not a tile; did you mean 'echo'?",
        ),
        (
            "kind: udp_rx,",
            "kind: udp_rx, next: {icpm: drop},",
            "udp_rx",
            "has a next hop 'icpm'; did you mean 'icmp'",
        ),
        (
            "kind: udp_rx,",
            "kind: udp_rx, next: {icmp: icmp.x},",
            "udp_rx",
            "tile 'icmp' has no layer 'x'",
        ),
        (
            "layers: [eth_tx, mac_tx]",
            "waits: [mac_tx], layers: [eth_tx, mac_tx]",
            "eth_tx",
            "no layer 'mac_tx' of tile 'eth_tx' takes messages from the mesh; known: eth_tx",
        ),
        ("[mac_rx, eth_rx]", "[eth_rx]", "tiles", "MAC port 0 has no layer frame_rx or mac_rx"),
        ("[eth_tx, mac_tx]", "[eth_tx]", "tiles", "MAC port 0 has no layer mac_tx"),
        (
            ", mac_tx]",
            ", mac_tx, mac_tx]",
            "eth_tx",
            "MAC port 0 (tx), which eth_tx.mac_tx already",
        ),
        (ICMP, ICMP + SECOND_ICMP, "ipv4_rx", "next hop 'icmp' of ipv4_rx may lead to icmp.icmp"),
        (
            "kind: ipv4_rx,",
            "kind: ipv4_rx, next: {udp_rx: drop},",
            "udp_rx",
            "udp_rx is unreachable",
        ),
    ],
)
def test_mistakes_are_found(
    edited: Edited, problems: Problems, old: str, new: str, place: str, message: str
) -> None:
    file = edited((old, new))
    line = line_of(file, place)
    found = problems(check.check, file)
    assert any(words.startswith(f"{line}: ") and message in words for words in found), found


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("512", "512\nfabric: {columns: 2, rows: 2}"), "a mesh of 2 x 2 is too small"),
        (("kind: udp_rx", "kind: udp_rxx"), "there is no layer kind 'udp_rxx'"),
        (("[mac_rx, eth_rx]", "[mac_rxx, eth_rx]"), "there is no layer kind 'mac_rxx'"),
        (("kind: arp", "kind: app"), "there is no layer kind 'app'"),
        (
            ("kind: udp_rx,", "kind: udp_rx, next: {icpm: drop},"),
            "no layer of tile 'udp_rx' has a next hop 'icpm'",
        ),
        (("at: [2, 2]", "at: [0, 0]"), "tile 'arp' is at (0, 0), which tile 'eth_rx'"),
        (("udp_port: 7", "udp_port: 70000"), "echo has udp_port 70000; it should be 1 to 65535"),
        (
            ("udp_port: 7, at: [2, 1]", "udp_port: 65535, replicas: 2, dispatch: dst_port"),
            "echo_1 has udp_port 65536; it should be 1 to 65535",
        ),
    ],
)
def test_what_follows_from_a_mistake_is_not_said(
    edited: Edited, problems: Problems, edit: tuple[str, str], message: str
) -> None:
    (found,) = problems(check.check, edited(edit), errors_only=False)
    assert message in found


def test_errors_come_before_warnings(edited: Edited, problems: Problems) -> None:
    found = problems(
        check.check,
        edited((ICMP, ""), ("udp_port: 7", "udp_port: 70000")),
        errors_only=False,
    )
    are_warnings = ["no layer answers" in each for each in found]
    assert "it should be 1 to 65535" in found[0]
    assert any(are_warnings) and are_warnings == sorted(are_warnings)


@pytest.mark.parametrize(
    ("keys", "key", "message"),
    [
        (
            "traffic: {udp_port_7: 0.7, icmp: 0.4}",
            "traffic",
            "icmp 0.4 + udp_port_7 0.7 = 1.1; the maximum",
        ),
        (
            "traffic: {udp_port_8: 0.1}",
            "traffic",
            "has a next hop 'udp_port_8'; did you mean 'udp_",
        ),
        ("next: {udp_port_8: drop}", "next", "has a next hop 'udp_port_8'"),
        ("next: {icmp: drop}, traffic: {icmp: 0.1}", "traffic", "'icmp' of tile 'udp_rx' has no"),
    ],
)
def test_traffic_and_next_hops_that_cannot_be(
    edited: Edited, problems: Problems, keys: str, key: str, message: str
) -> None:
    on_lines = keys.replace(", traffic", ",\n     traffic")
    file = edited(("kind: udp_rx,", f"kind: udp_rx,\n     {on_lines},"))
    (found,) = problems(check.check, file)
    lines = file.read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.strip().startswith(f"{key}:"))
    assert found.startswith(f"{number}: ")
    assert message in found


def test_all_of_a_layers_messages_may_be_shared_out(edited: Edited) -> None:
    check.check(edited(("kind: udp_rx,", "kind: udp_rx, traffic: {udp_port_7: 0.9, icmp: 0.1},")))


# Sends its input through ipv4_rx once more.
AGAIN = layer_text("again", "NextIpv4Rx", "localparam logic [7:0] IpProtocol = 4;")


@pytest.mark.parametrize(("protocol", "is_sound"), [(255, True), (256, False)])
def test_a_key_fits_into_the_messages(
    edited: Edited, problems: Problems, tmp_path: Path, protocol: int, *, is_sound: bool
) -> None:
    """As wide as the layer that binds it says, although the table of keys is wider."""
    source = (ROOT / "rtl" / "applications" / "echo" / "udp_echo.sv").read_text()
    own = source.replace("module udp_echo", "module mine").replace("UdpPort", "IpProtocol")
    (tmp_path / "mine.sv").write_text(own.replace('Entry = "udp_echo"', 'Entry = "mine"'))
    tile = f"  - {{name: mine, kind: mine, ip_protocol: {protocol}, at: [3, 0]}}\n"
    file = edited((ICMP, ICMP + tile), ("tiles:\n", "sources: [mine.sv]\ntiles:\n"))
    if is_sound:
        check.check(file)
        return
    (found,) = problems(check.check, file)
    assert found == f"{line_of(file, 'mine')}: mine has ip_protocol 256; it should be 1 to 255"


def test_ring_of_wires_is_found(edited: Edited, problems: Problems, tmp_path: Path) -> None:
    (tmp_path / "again.sv").write_text(AGAIN)
    file = edited(
        ("kind: ipv4_rx,", "layers: [ipv4_rx, again],"),
        ("tiles:\n", "sources: [again.sv]\ntiles:\n"),
    )
    (found,) = problems(check.check, file)
    wires = "in tile 'ipv4_rx' the wires between ipv4_rx and again form a loop"
    assert found.startswith(f"{line_of(file, 'ipv4_rx')}: {wires}")


def test_ambiguous_hop_can_be_decided(edited: Edited) -> None:
    second = ICMP.replace("icmp,", "icmp2,").replace("1, 2", "3, 0")
    file = edited(
        (ICMP, ICMP + second),
        ("kind: ipv4_rx,", "kind: ipv4_rx, next: {icmp: icmp},"),
        ("kind: udp_rx,", "kind: udp_rx, next: {icmp: icmp2},"),
    )
    found = hops(check.check(file)[0].design)
    assert ("ipv4_rx", "icmp", "icmp") in found
    assert ("udp_rx", "icmp", "icmp2") in found


def test_layer_in_the_same_tile_goes_first(edited: Edited) -> None:
    # Two layers answer to ipv4_tx; the one beside udp_tx takes its messages.
    file = edited(
        ("kind: udp_tx,", "layers: [udp_tx, ipv4_tx],"),
        ("kind: icmp_echo,", "kind: icmp_echo, next: {ipv4_tx: ipv4_tx},"),
    )
    facts, _ = check.check(file)
    assert ("udp_tx.udp_tx", "ipv4_tx", "udp_tx.ipv4_tx") in hops(facts.design)
    assert ("icmp", "ipv4_tx", "ipv4_tx") in hops(facts.design)


def test_generated_names_do_not_collide(edited: Edited, problems: Problems) -> None:
    found = problems(check.check, edited(("name: udp_echo\n", "name: bombus\n")))
    assert found == [
        "3: the design would generate bombus_pkg, but a module of that name exists; rename it"
    ]


@pytest.mark.parametrize("name", ["host", "route", "counter"])
def test_design_has_no_name_of_a_register_type(
    edited: Edited, problems: Problems, name: str
) -> None:
    found = problems(check.check, edited(("name: udp_echo\n", f"name: {name}\n")))
    assert found == [f"3: registers of the design have a type {name!r}; choose another name"]


def test_applications_are_numbered_in_the_order_of_the_file(edited: Edited) -> None:
    second = ECHO.replace("echo, k", "alpha, k").replace("2, 1", "3, 0").replace("7", "8")
    facts, _ = check.check(edited((ECHO, ECHO + second)))
    (udp_rx,) = [each for each in facts.design.outputs() if each.layer.kind.name == "udp_rx"]
    assert hop_names(udp_rx, facts.design) == ["icmp", "udp_port_7", "udp_port_8"]
    assert ("udp_rx", "udp_port_8", "alpha") in hops(facts.design)


def test_empty_positions_become_tiles(edited: Edited) -> None:
    facts, _ = check.check(edited(("host:", "fabric: {columns: 4}\nhost:")))
    assert [tile.name for tile in facts.design.tiles if not tile.layers] == [
        "empty_3_0",
        "empty_3_1",
        "empty_3_2",
    ]
    assert [tile.index for tile in facts.design.tiles] == list(range(12))
