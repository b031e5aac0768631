"""Soundness of a design: what does not fit together is found, in its line."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from unit_helpers import DESIGNS, Edited, Problems

from bombus import check
from bombus.network import Network

ECHO = "  - {name: echo, kind: udp_echo, udp_port: 7, at: [2, 1]}\n"
ARP = "  - {name: arp, kind: arp, at: [1, 2]}\n"
ICMP = "  - {name: icmp, kind: icmp_echo, at: [2, 2]}\n"


def line_of(file: Path, tile: str) -> int:
    """Line of a tile's name, or of the list of tiles."""
    word = "tiles:" if tile == "tiles" else f"name: {tile},"
    lines = file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if word in line)


def hops(network: Network) -> set[tuple[str, str, str | None]]:
    return {
        (
            str(hop.source),
            network.library.next_names[hop.number],
            str(hop.target) if hop.target else None,
        )
        for hop in network.hops
    }


@pytest.mark.parametrize("file", sorted(DESIGNS.glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_designs_are_sound_without_warnings(file: Path) -> None:
    _, warnings = check.check(file)
    assert warnings == []


def test_hops_of_udp_echo(edited: Edited) -> None:
    network, _ = check.check(edited())
    assert hops(network) >= {
        ("eth_rx.mac_rx", "eth_rx", "eth_rx.eth_rx"),
        ("eth_rx.eth_rx", "ipv4_rx", "ipv4_rx"),
        ("eth_rx.eth_rx", "arp", "arp"),
        ("ipv4_rx", "tcp_rx", None),
        ("udp_rx", "app0", "echo"),
        ("udp_rx", "icmp", "icmp"),
        ("echo", "udp_tx", "udp_tx"),
        ("eth_tx.eth_tx", "arp", "arp"),
        ("eth_tx.eth_tx", "mac_tx", "eth_tx.mac_tx"),
    }
    assert not any(name == "app1" for _, name, _ in hops(network))


def test_udp_path_takes_one_link_a_hop(edited: Edited) -> None:
    network, _ = check.check(edited())
    path = ["eth_rx", "ipv4_rx", "udp_rx", "echo", "udp_tx", "ipv4_tx", "eth_tx"]
    tiles = {tile.name: tile for tile in network.tiles}
    for source, target in pairwise(path):
        assert len(network.links(tiles[source], tiles[target])) == 1


def test_route_goes_along_x_first(edited: Edited) -> None:
    network, _ = check.check(edited())
    assert network.links(network.tiles[0], network.tiles[5]) == [
        ((0, 0), (1, 0)),
        ((1, 0), (2, 0)),
        ((2, 0), (2, 1)),
    ]


def test_hop_without_layer_is_a_warning(edited: Edited) -> None:
    file = edited((", next: {tcp_rx: drop}", ""))
    _, (warning,) = check.check(file)
    assert warning.line == line_of(file, "ipv4_rx")
    assert "no layer answers to next hop 'tcp_rx' of ipv4_rx" in warning.message


def test_slow_datapath_is_a_warning(edited: Edited) -> None:
    _, (warning,) = check.check(edited(("clock_mhz: 250", "clock_mhz: 100")))
    assert "512 bits at 100 MHz carry 51.2 Gbit/s" in warning.message


SECOND_ECHO = ECHO.replace("echo, k", "echo2, k").replace("2, 1", "3, 0")
SECOND_ICMP = ICMP.replace("icmp,", "icmp2,").replace("2, 2", "3, 0")


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("kind: udp_tx", "kind: udp_xt", "udp_tx", "no layer kind 'udp_xt'; did you mean 'udp_tx'"),
        ("udp_port", "udp_prt", "echo", "no parameter 'udp_prt'; did you mean 'udp_port'?"),
        ("7, at:", "7, naem: 1, at:", "echo", "no parameter 'naem'; did you mean 'name'?"),
        ("udp_port: 7", "udp_port: -1", "echo", "parameter udp_port of udp_echo should be between"),
        ("udp_port: 7", "udp_port: 70000", "echo", "echo has UDP port 70000; ports are 1 to 65535"),
        ("udp_port: 7", "udp_port: seven", "echo", "should be a number, true, false, an IPv4"),
        ("kind: udp_rx", "kind: udp_rx, num_apps: 2", "udp_rx", "no parameter 'num_apps'"),
        (ECHO, ECHO + SECOND_ECHO, "echo2", "echo2 has UDP port 7, which echo has already"),
        ("at: [2, 2]", "at: [1, 2]", "icmp", "tile 'icmp' is at (1, 2), where tile 'arp' is"),
        ("host:", "fabric: {columns: 2}\nhost:", "udp_rx", "at (2, 0), outside the mesh of 2 x"),
        ("tcp_rx: drop", "tcp_rx: echo", "ipv4_rx", "'echo' does not answer to next hop 'tcp_rx'"),
        ("tcp_rx: drop", "tcp_rx: ecko", "ipv4_rx", "no tile; did you mean 'echo'?"),
        ("tcp_rx: drop", "tcprx: drop", "ipv4_rx", "has a next hop 'tcprx'; did you mean 'tcp_rx'"),
        ("tcp_rx: drop", "udp_rx: udp_rx.x", "ipv4_rx", "tile 'udp_rx' has no layer 'x'"),
        ("[mac_rx, eth_rx]", "[eth_rx]", "tiles", "MAC port 0 has no layer mac_rx"),
        ("[eth_tx, mac_tx]", "[eth_tx]", "tiles", "MAC port 0 has no layer mac_tx"),
        (", mac_tx]", ", mac_tx, mac_tx]", "eth_tx", "MAC port 0 (tx), which eth_tx.mac_tx uses"),
        (ICMP, ICMP + SECOND_ICMP, "ipv4_rx", "next hop 'icmp' of ipv4_rx may lead to icmp.icmp"),
        ("tcp_rx: drop", "udp_rx: drop", "udp_rx", "no message can reach udp_rx"),
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
        (("tcp_rx: drop", "tcprx: drop"), "no layer of tile 'ipv4_rx' has a next hop 'tcprx'"),
        (("at: [2, 2]", "at: [0, 0]"), "tile 'icmp' is at (0, 0), where tile 'eth_rx' is"),
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
        edited((", next: {tcp_rx: drop}", ""), ("udp_port: 7", "udp_port: 70000")),
        errors_only=False,
    )
    assert ["ports are 1 to 65535" in found[0], "no layer answers" in found[1]] == [True, True]


@pytest.mark.parametrize(
    ("keys", "key", "message"),
    [
        ("traffic: {app0: 0.7, icmp: 0.4}", "traffic", "app0 0.7 + icmp 0.4 = 1.1; together they"),
        ("traffic: {app0: 0.7, app1: 0.1}", "traffic", "next hop 'app1': the design has 1 applic"),
        ("next: {app1: drop}", "next", "nothing is ever sent to next hop 'app1'"),
        ("next: {icmp: drop}, traffic: {icmp: 0.1}", "traffic", "'icmp' of tile 'udp_rx' leads no"),
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
    check.check(edited(("kind: udp_rx,", "kind: udp_rx, traffic: {app0: 0.9, icmp: 0.1},")))


def test_ring_of_wires_is_found(edited: Edited, problems: Problems) -> None:
    file = edited((ARP, ""), ("[eth_tx, mac_tx]", "[arp, eth_tx, mac_tx]"))
    (found,) = problems(check.check, file)
    assert found.startswith(
        f"{line_of(file, 'eth_tx')}: in tile 'eth_tx' the wires between arp and eth_tx form a ring"
    )


def test_ambiguous_hop_can_be_decided(edited: Edited) -> None:
    second = ICMP.replace("icmp,", "icmp2,").replace("2, 2", "3, 0")
    file = edited(
        (ICMP, ICMP + second),
        ("tcp_rx: drop", "tcp_rx: drop, icmp: icmp"),
        ("kind: udp_rx,", "kind: udp_rx, next: {icmp: icmp2},"),
    )
    found = hops(check.check(file)[0])
    assert ("ipv4_rx", "icmp", "icmp") in found
    assert ("udp_rx", "icmp", "icmp2") in found


def test_layer_in_the_same_tile_goes_first(edited: Edited) -> None:
    # Two layers answer to ipv4_tx; the one beside udp_tx takes its messages.
    file = edited(
        ("kind: udp_tx,", "layers: [udp_tx, ipv4_tx],"),
        ("kind: icmp_echo,", "kind: icmp_echo, next: {ipv4_tx: ipv4_tx},"),
    )
    network, _ = check.check(file)
    assert ("udp_tx.udp_tx", "ipv4_tx", "udp_tx.ipv4_tx") in hops(network)
    assert ("icmp", "ipv4_tx", "ipv4_tx") in hops(network)


def test_generated_names_do_not_collide(edited: Edited, problems: Problems) -> None:
    found = problems(check.check, edited(("name: udp_echo\n", "name: bombus\n")))
    assert found == ["2: the design would generate bombus_pkg, which is there already; rename it"]


def test_applications_are_numbered_in_the_order_of_the_file(edited: Edited) -> None:
    second = ECHO.replace("echo, k", "alpha, k").replace("2, 1", "3, 0").replace("7", "8")
    network, _ = check.check(edited((ECHO, ECHO + second)))
    assert [(app.tile.name, app.param("udp_port")) for app in network.apps()] == [
        ("echo", 7),
        ("alpha", 8),
    ]
    assert ("udp_rx", "app1", "alpha") in hops(network)


def test_empty_positions_become_tiles(edited: Edited) -> None:
    network, _ = check.check(edited(("host:", "fabric: {columns: 4}\nhost:")))
    assert [tile.name for tile in network.tiles if not tile.layers] == [
        "empty_3_0",
        "empty_3_1",
        "empty_3_2",
    ]
    assert [tile.index for tile in network.tiles] == list(range(12))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shard_bytes: 512", "shard_bytes: 100", "must be a multiple of the bytes in a beat"),
        ("shard_bytes: 512", "shard_bytes: 2048", "do not fit into one frame"),
        ("data_shards: 8", "data_shards: 0", "must be 1 or more"),
        ("parity_shards: 2", "parity_shards: 2\n    matrix: 3", "Matrix must be 0, 1 or 2"),
    ],
)
def test_values_that_a_layer_refuses(
    problems: Problems, tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = (DESIGNS / "rs.yaml").read_text()
    assert text.count(old) == 1
    file = tmp_path / "rs.yaml"
    file.write_text(text.replace(old, new))
    line = 1 + text[: text.index("kind: rs_encode")].count("\n")
    found = problems(check.check, file)
    assert any(said.startswith(f"{line}: ") and message in said for said in found), found
