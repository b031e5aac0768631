# SPDX-License-Identifier: Apache-2.0
"""Mistakes with replicas in a design file: each is found and reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from bombus.generation import generate
from bombus.generation.manifest import manifest
from tests.platform.replicas.replicas import ECHO, REPLICAS, SOUND, small
from tests.support.helpers import DESIGNS, Edited, Problems


def test_layers_with_state_want_their_flows_whole(tmp_path: Path) -> None:
    source = (DESIGNS.parent / "rtl" / "applications" / "echo" / "udp_echo.sv").read_text()
    source = source.replace("module udp_echo", "module my_echo")
    (tmp_path / "mine.sv").write_text(
        source.replace(
            "  typedef enum logic [0:0] {NextUdpTx",
            "  localparam bit KeepsFlowState = 1;\n  typedef enum logic [0:0] {NextUdpTx",
        )
    )
    for policy, is_good in (
        ("round_robin", False),
        ("flow_hash", True),
        ("least_loaded", False),
        ("dst_port", True),
    ):
        tile = REPLICAS.replace("udp_echo", "my_echo").replace("}", f", dispatch: {policy}}}")
        file = small(tmp_path, tile)
        file.write_text(file.read_text().replace("tiles:", "sources: [mine.sv]\ntiles:"))
        _, warnings = check.check(file)
        if is_good:
            assert warnings == []
        else:
            (warning,) = warnings
            assert warning.line == len(file.read_text().splitlines())
            assert f"my_echo keeps state per flow, but {policy}" in warning.message


def test_least_loaded_wants_a_fabric_without_loss(tmp_path: Path) -> None:
    file = small(tmp_path, REPLICAS.replace("}", ", dispatch: least_loaded}"))
    lossy = "{kind: crosspoint, lossless: false, columns: 3,"
    file.write_text(file.read_text().replace("{columns: 3,", lossy))
    _, warnings = check.check(file)
    assert any("can drop messages, which least_loaded" in each.message for each in warnings)


LAST = SOUND.count("\n") + 1  # line of the first tile given


@pytest.mark.parametrize(
    ("tiles", "line", "message"),
    [
        ([REPLICAS.replace("3", "0")], LAST, "tile 'echo': replicas: should be at least 1, not 0"),
        ([REPLICAS.replace("3", "65")], LAST, "replicas: should be at most 64, not 65"),
        ([REPLICAS.replace("3", "two")], LAST, "replicas: should be a whole number, not 'two'"),
        ([REPLICAS.replace("replicas: 3", "dispatch: flow_hash")], LAST, "needs `replicas`"),
        (
            [REPLICAS.replace("}", ", dispatch: random}")],
            LAST,
            "dispatch: should be 'round_robin', ",
        ),
        ([REPLICAS.replace("}", ", at: [1, 1]}")], LAST, "`at` has one position for 3 replicas"),
        ([REPLICAS.replace("}", ", at: [[1, 1], [2, 1]]}")], LAST, "`at` has 2 positions for"),
        (
            [REPLICAS.replace("}", ", at: []}")],
            LAST,
            "at: should be a longer list, such as [2, 1], not []",
        ),
        ([REPLICAS.replace("replicas: 3", "at: [[1, 1]]")], LAST, "which needs `replicas`"),
        (
            [REPLICAS.replace("}", ", at: [[1, 1], [1, 1], [2, 2]]}")],
            LAST,
            "which tile 'echo_0' already occupies",
        ),
        ([REPLICAS.replace("}", ", at: [[1, 1], [1, 3], [2, 2]]}")], LAST, "outside the mesh"),
        (
            [REPLICAS.replace("3", "7")],
            4,
            "a mesh of 3 x 3 is too small for 10 tiles",
        ),
        (
            ["{name: echo_1, kind: udp_echo, udp_port: 9}", REPLICAS],
            LAST + 1,
            "tile 'echo_1' is a duplicate",
        ),
        ([REPLICAS, "{name: b, kind: scheduler}"], LAST + 1, "name it: `before: <tile>`"),
        ([REPLICAS, "{name: b, kind: scheduler, before: ecko}"], LAST + 1, "did you mean 'echo'"),
        ([REPLICAS, "{name: b, kind: scheduler, before: udp_rx}"], LAST + 1, "'receive.udp_rx'?"),
        ([REPLICAS, "{name: b, kind: scheduler, before: receive}"], LAST + 1, "`receive.udp_rx`"),
        (
            [REPLICAS] + [f"{{name: {n}, kind: scheduler, before: echo}}" for n in "ab"],
            *(LAST + 2, "a already precedes 'echo'"),
        ),
        (
            [
                "{name: a, kind: scheduler, before: b}",
                "{name: b, kind: scheduler, before: echo}",
                REPLICAS,
            ],
            *(LAST, "'b' itself precedes a tile"),
        ),
        (
            [REPLICAS.replace("7", "65534").replace("}", ", dispatch: dst_port}")],
            LAST,
            "echo_2 has udp_port 65536; it should be 1 to 65535",
        ),
        (
            [
                REPLICAS.replace("}", ", dispatch: dst_port}"),
                "{name: e, kind: udp_echo, udp_port: 8}",
            ],
            *(LAST + 1, "e has udp_port 8, which echo_0 already has"),
        ),
    ],
)
def test_mistakes_are_found(
    tmp_path: Path, problems: Problems, tiles: list[str], line: int, message: str
) -> None:
    found = problems(check.check, small(tmp_path, *tiles))
    assert any(words.startswith(f"{line}: ") and message in words for words in found), found


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("[mac_rx, eth_rx], ", "[mac_rx, eth_rx], replicas: 2, ", "eth_rx", "has a MAC port"),
        ("kind: arp, ", "kind: arp, replicas: 2, ", "arp", "arp must be unique"),
        ("kind: ipv4_rx, ", "kind: ipv4_rx, replicas: 2, ", "ipv4_rx", "ipv4_rx carry no flow"),
        (
            *("kind: ipv4_rx, ", "kind: ipv4_rx, replicas: 2, dispatch: dst_port, "),
            *("ipv4_rx", "ipv4_rx have no port"),
        ),
    ],
)
def test_what_cannot_be_shared_out(
    edited: Edited, problems: Problems, old: str, new: str, place: str, message: str
) -> None:
    file = edited((old, new))
    text = file.read_text()
    for part in text.splitlines():
        if f"name: {place}," in part:
            text = text.replace(
                part,
                part.rpartition(", at:")[0] + part[part.index("]}") + 1 :],
            )
    file.write_text(text)
    line = next(n for n, part in enumerate(text.splitlines(), 1) if f"name: {place}," in part)
    found = problems(check.check, file)
    assert any(words.startswith(f"{line}: ") and message in words for words in found), found


@pytest.mark.parametrize(("receive", "echo"), [((0, 0), (2, 2)), ((2, 2), (0, 0))])
def test_all_messages_to_replicas_must_fit_their_policy(
    tmp_path: Path, problems: Problems, receive: tuple[int, int], echo: tuple[int, int]
) -> None:
    """Those of `receive` for ipv4_tx have no port, those of `echo` for udp_tx have one."""
    text = SOUND.replace("[udp_tx, ipv4_tx, eth_tx, mac_tx]", "[eth_tx, mac_tx]")
    file = tmp_path / "design.yaml"
    file.write_text(
        text.replace("at: [0, 0]", f"at: {list(receive)}")
        + f"  - {ECHO.replace('[2, 1]', str(list(echo)))}\n"
        + "  - {name: send, layers: [udp_tx, ipv4_tx], replicas: 2, dispatch: dst_port}\n"
    )
    found = problems(check.check, file)
    assert any("messages for send.ipv4_tx have no port" in words for words in found), found
    assert not any("send.udp_tx have" in words for words in found)


def test_too_many_slots_for_a_tile(tmp_path: Path, problems: Problems) -> None:
    names = ("a", "b", "c", "d", "e")
    tiles = [
        REPLICAS.replace("echo,", f"{name},", 1).replace("7", str(n + 10)).replace("s: 3", "s: 2")
        for n, name in enumerate(names)
    ]
    file = small(tmp_path, *tiles)
    file.write_text(file.read_text().replace("columns: 3", "columns: 5"))
    found = problems(check.check, file)
    assert any("would need 512 slots" in words and "maximum is 256" in words for words in found)


def lookup(folder: Path, policy: str) -> Path:
    """The example of two networks with replicas of the service that asks the store."""
    given = DESIGNS.parent / "docs" / "examples" / "lookup"
    text = (given / "two_networks.yaml").read_text()
    for old, new in (
        ("kind: udp_lookup\n    at: [0, 1]", f"kind: udp_lookup\n    replicas: 3\n    {policy}"),
        ("kind: store\n    at: [1, 1]", "kind: store"),
        ("[udp_lookup.sv, store.sv]", f"[{given / 'udp_lookup.sv'}, {given / 'store.sv'}]"),
    ):
        assert old in text
        text = text.replace(old, new)
    file = folder / "design.yaml"
    file.write_text(text)
    return file


def test_what_is_wrong_with_all_replicas_is_said_once(tmp_path: Path) -> None:
    """Answers to replicas of the client, which may reach a replica other than the one that
    asked.
    """
    with pytest.raises(DesignError, match="under round_robin, an answer may reach") as caught:
        check.check(lookup(tmp_path, "dispatch: round_robin"))
    assert len(caught.value.problems) == 1


def test_least_loaded_counts_one_input(tmp_path: Path) -> None:
    with pytest.raises(
        DesignError, match=r"dispatched to lookup and lookup\.answer, .* use another policy"
    ):
        check.check(lookup(tmp_path, "dispatch: least_loaded"))


def test_policies_to_select_from(tmp_path: Path) -> None:
    for policies, problem in (
        ("[flow_hash, flow_hash]", "has a policy twice"),
        ("[flow_hash, dst_port]", "a port of its own"),
        ("[least_loaded, dst_port]", "a port of its own"),
        ("[]", "dispatch"),
        ("[any]", "dispatch"),
    ):
        file = small(tmp_path, REPLICAS.replace("}", f", dispatch: {policies}}}"))
        with pytest.raises(DesignError, match=problem):
            check.check(file)


@pytest.mark.parametrize(
    ("policies", "slots", "choice"),
    [
        ("least_loaded", "least_loaded", 0),
        ("[flow_hash, least_loaded]", "flow_hash", 0),
        ("[least_loaded, flow_hash]", "flow_hash", 2),
        ("[least_loaded, round_robin]", "round_robin", 2),
        ("[round_robin, flow_hash]", "flow_hash", 1),
    ],
)
def test_several_senders_tell_each_other(
    tmp_path: Path, policies: str, slots: str, choice: int
) -> None:
    applications = [
        f"{{name: echo_{n}, kind: udp_echo, udp_port: {n}, at: [{n}, 0]}}" for n in (1, 2)
    ]
    group = f"{{name: stage, kind: udp_tx, replicas: 2, dispatch: {policies}}}"
    file = small(tmp_path, *applications, group)
    file.write_text(file.read_text().replace("[udp_tx, ipv4_tx,", "[ipv4_tx,"))
    facts, _ = check.check(file)
    texts = generate.texts(facts)
    told = [each for each in manifest(facts)["dispatch"] if each["group"] == "stage"]
    assert len(told) > 1 and {each["slot_policy"] for each in told} == {slots}
    for sender in (each["tile"] for each in told):
        text = texts[f"tiles/small_tile_{sender}.sv"]
        assert f"group({told[0]['number']}, {choice})" in text
        others = {each["tile"] for each in told} - {sender}
        counts = "least_loaded" in policies
        assert ("dispatched_stage_o" in text) == counts
        assert all((f"dispatched_stage_by_{other}_i" in text) == counts for other in others)
