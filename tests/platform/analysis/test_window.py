# SPDX-License-Identifier: Apache-2.0
"""How many flits may be under way so that no ring of waiting messages closes."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Literal

import pytest

from bombus.analysis import check
from bombus.analysis.placement import placer
from bombus.base.errors import DesignError, UserError
from bombus.design import edit, resolve, rtl
from bombus.design.facts import Facts
from bombus.design.window import full_flits, safe_window
from bombus.fabric.config import Fabric
from bombus.fabric.routing import LOCAL, Channel, eject, inject
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support.helpers import Problems, layer_text

ALGORITHMS: tuple[Literal["xy", "o1turn", "adaptive"], ...] = ("xy", "o1turn", "adaptive")
LATE = rtl.constant("noc_pkg::CrosspointLate")


def crosspoint(algorithm: Literal["xy", "o1turn", "adaptive"] = "xy", depth: int = 64) -> Fabric:
    return Fabric(kind="crosspoint", algorithm=algorithm, buffer_depth=depth, max_packet_flits=4)


def test_a_queue_is_full_when_no_message_may_start() -> None:
    fabric = crosspoint()
    assert full_flits(fabric, Channel((1, 1), "west", "east"), 4) == 64 - 4 - LATE + 1
    assert (
        full_flits(fabric, Channel((1, 1), "north", "south", "westbound"), 4) == 32 - 4 - LATE + 1
    )
    # A tile's message starts with one place more than it needs.
    assert full_flits(fabric, Channel((1, 1), LOCAL, "south"), 4) == 64 - 4
    assert full_flits(fabric, inject((1, 1)), 4) == 0
    assert full_flits(fabric, eject((1, 1)), 4) == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_window_grows_with_the_queues(algorithm: Literal["xy", "o1turn", "adaptive"]) -> None:
    windows = [safe_window(crosspoint(algorithm, depth), 3, 3, 4) for depth in (16, 32, 64)]
    assert 0 < windows[0] < windows[1] < windows[2]
    # A message that needs more room finds a queue full earlier.
    assert safe_window(crosspoint(algorithm), 3, 3, 8) < windows[2]


def test_smallest_ring_under_xy() -> None:
    """Two tiles side by side send to each other: of each leg a local queue and the one
    out of the next router fill."""
    fabric = crosspoint()
    ring = 2 * (full_flits(fabric, Channel((0, 0), LOCAL, "east"), 4))
    ring += 2 * full_flits(fabric, Channel((1, 0), "west", LOCAL), 4)
    assert safe_window(fabric, 3, 3, 4) == ring - 1


@pytest.mark.parametrize(
    "fabric",
    [Fabric(), Fabric(kind="crosspoint", lossless=False)],
    ids=["wormhole", "dropping"],
)
def test_no_window_for_other_fabrics(fabric: Fabric) -> None:
    with pytest.raises(UserError, match="lossless crosspoint"):
        safe_window(fabric, 3, 3, 4)


def test_the_first_tile_closes_no_ring() -> None:
    """It sends and takes back; between two tiles nothing else waits."""
    with pytest.raises(UserError, match="no cycle"):
        safe_window(crosspoint(), 2, 1, 4)


# ---- In designs ----

ANY_ORDER = TEST_DESIGNS / "any_order.yaml"
FABRIC = "fabric: {kind: crosspoint, window: auto}"
FLITS = 9600 * 8 // 256  # of the longest frame
RING = 2 * (512 - FLITS) + 2 * (512 - FLITS - LATE + 1)


def changed(folder: Path, *edits: tuple[str, str]) -> Path:
    """The design with texts replaced, beside copies of its layers."""
    text = ANY_ORDER.read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    for file in ANY_ORDER.parent.glob("*.sv"):
        (folder / file.name).write_text(file.read_text())
    design = folder / "any_order.yaml"
    design.write_text(text)
    return design


def test_a_window_makes_chains_in_any_order_safe() -> None:
    facts, warnings = check.check(ANY_ORDER)
    assert warnings == []
    (flight,) = facts.flights.values()
    assert flight.safe == flight.flits == flight.share == RING - 1
    assert list(map(str, facts.flights.values())) == [
        f"window of {RING - 1} flits: a cycle of waiting holds at least {RING}"
    ]
    assert [str(each) for each in flight.sources] == ["receive.itinerary"]
    assert [str(each) for each in flight.passing] == ["one", "two", "three"]
    assert {str(each) for each in flight.inputs} == {"one", "two", "three", "transmit.udp_tx"}
    assert {str(each) for each in flight.passed} == {"one", "two", "three"}
    assert [str(each) for each in flight.between] == ["one", "two", "three"]
    tiles = {tile.name: flight.in_tile(tile) for tile in facts.design.tiles}
    assert tiles["arp"] is None
    assert [name for name, each in tiles.items() if each and each.gates] == ["receive"]
    assert [name for name, each in tiles.items() if each and each.leaves] == ["transmit"]
    passing = [name for name, each in tiles.items() if each and each.passes]
    assert passing == ["one", "two", "three"]


def test_without_a_window_they_are_refused(tmp_path: Path) -> None:
    file = changed(tmp_path, (", window: auto", ""))
    with pytest.raises(check.DeadlockError, match="possible deadlock"):
        check.check(file)


@pytest.mark.parametrize("algorithm", ["o1turn", "adaptive"])
def test_with_other_routings(tmp_path: Path, algorithm: str) -> None:
    facts, _ = check.check(
        changed(tmp_path, ("window: auto", f"window: auto, algorithm: {algorithm}"))
    )
    assert [flight.flits for flight in facts.flights.values()] == [
        safe_window(facts.design.networks[0].fabric, 3, 3, FLITS)
    ]


@pytest.mark.slow
def test_a_number_of_flits(tmp_path: Path, problems: Problems) -> None:
    facts, _ = check.check(changed(tmp_path, ("auto", "400")))
    assert [flight.flits for flight in facts.flights.values()] == [400]
    file = changed(tmp_path, ("auto", str(RING)))
    (problem,) = problems(check.check, file)
    assert f"at most {RING - 1}" in problem
    _, warnings = check.check(file, allow_deadlock=True)
    assert [each.is_error for each in warnings] == [False, False]  # the window and the cycle
    assert check.check(changed(tmp_path, ("auto", str(FLITS))))[1] == []
    (problem,) = problems(check.check, changed(tmp_path, ("auto", str(FLITS - 1))))
    assert f"too few for the longest frame of {FLITS}" in problem
    assert "a larger window would do" in problem


def test_tables_that_software_could_write(tmp_path: Path, problems: Problems) -> None:
    """Its credits would be lost with a message redirected to where it is not counted."""
    (problem,) = problems(check.check, changed(tmp_path, ("tables: fixed\n", "")))
    assert problem.startswith("9: ") and problem.endswith("add `tables: fixed`")


def test_several_sources_share_the_window(tmp_path: Path, problems: Problems) -> None:
    second = (
        "udp_rx, itinerary]",
        "udp_rx, {itinerary: {udp_port: 7000}}, {itinerary: {udp_port: 7001}}]",
    )
    facts, _ = check.check(changed(tmp_path, second))
    (flight,) = facts.flights.values()
    assert len(flight.sources) == 2
    assert flight.share == (RING - 1) // 2
    assert f", {flight.share} for each of 2 sources: " in str(flight)
    (problem,) = problems(check.check, changed(tmp_path, second, ("auto", "599")))
    assert "299 for each of 2 sources" in problem


def test_chains_that_need_none(tmp_path: Path) -> None:
    file = changed(tmp_path)
    file.write_text((ROOT / "designs" / "udp_echo.yaml").read_text() + FABRIC)
    facts, (warning,) = check.check(file)
    assert "needs no window" in warning.message
    assert facts.flights == {}


@pytest.mark.parametrize(
    ("fabric", "words"),
    [
        ("{kind: wormhole, window: auto}", "applies to `kind: crosspoint` only"),
        ("{kind: virtual_channels, window: 500}", "applies to `kind: crosspoint` only"),
        ("{kind: crosspoint, lossless: false, window: auto}", "applies to a lossless fabric only"),
        ("{kind: crosspoint, window: 0}", "window"),
        ("{kind: crosspoint, window: car}", "window"),
        (
            "{kind: crosspoint, max_packet_flits: 24, window: auto}",
            f"max_packet_flits should be at least {FLITS}",
        ),
    ],
)
def test_fabrics_without_room_for_whole_messages(tmp_path: Path, fabric: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        check.check(changed(tmp_path, (FABRIC, f"fabric: {fabric}")))


def test_layers_that_pass_on_say_so(tmp_path: Path, problems: Problems) -> None:
    file = changed(tmp_path)
    station = tmp_path / "station.sv"
    text = station.read_text()
    station.write_text(text.replace("bit Forwards = 1", "bit Forwards = 0"))
    assert [each.split(":")[0] for each in problems(check.check, file)] == ["16", "17", "18"]
    assert "does not declare `Forwards`" in problems(check.check, file)[0]


def test_a_tile_that_sends_its_own_messages_among_those_that_it_passes_on(
    tmp_path: Path, problems: Problems
) -> None:
    file = changed(
        tmp_path,
        ("udp_rx, itinerary]", "udp_rx, itinerary, {gateway: {station: 1}}]"),
        ("  - {name: one, kind: station, station: 1, next: {station_1: drop}, at: [1, 0]}\n", ""),
        ("[itinerary.sv,", "[gateway.sv, itinerary.sv,"),
    )
    text = (tmp_path / "station.sv").read_text().replace("module station", "module gateway")
    text = text.replace('localparam string Binds = "station";', "")
    text = text.replace("localparam int unsigned BindsWidth = 3;", "")
    (tmp_path / "gateway.sv").write_text(text.replace("NextUdpTx,\n    NextBound", "NextUdpTx"))
    (problem,) = problems(check.check, file)
    assert problem.startswith("13: receive.gateway passes on messages that the window counts, and ")
    assert "from receive.mac_rx; move the origin of these into a tile of its own" in problem


def test_messages_on_their_way_to_the_source_that_hold_what_the_window_needs(
    tmp_path: Path, problems: Problems
) -> None:
    """Datagrams for the itinerary use the port that the station's messages need, so they enter the
    window before it.
    """
    file = changed(
        tmp_path,
        ("kind: station, station: 1,", "layers: [itinerary, {station: {station: 1}}],"),
        ("udp_rx, itinerary]", "udp_rx]"),
    )
    (problem,) = problems(check.check, file)
    assert problem.startswith("16: one.itinerary passes on messages that the window counts, but ")
    itinerary = tmp_path / "itinerary.sv"
    entry = 'localparam string Entry = "itinerary";'
    text = itinerary.read_text()
    itinerary.write_text(text.replace(entry, f"localparam bit Forwards = 1;\n{entry}"))
    facts, _ = check.check(file)
    (flight,) = facts.flights.values()
    assert [str(each) for each in flight.sources] == ["receive.udp_rx"]


def test_a_join_that_waits_for_what_the_window_keeps_back(
    tmp_path: Path, problems: Problems
) -> None:
    """Messages of the stations wait for a message of the itinerary, which waits for the window."""
    file = changed(
        tmp_path,
        ("[udp_tx, ipv4_tx", "[joiner, udp_tx, ipv4_tx"),
        ("[itinerary.sv,", "[joiner.sv, itinerary.sv,"),
    )
    station, itinerary = tmp_path / "station.sv", tmp_path / "itinerary.sv"
    waits = 'localparam string OtherEntry = "begun"; localparam bit InWaitsForOther = 1;'
    joiner = layer_text("joiner", "NextUdpTx", waits)
    other = "input beat_t other_i, input logic other_valid_i, output logic other_ready_o,"
    joiner = joiner.replace("output beat_t out_o", f"{other} output beat_t out_o")
    (tmp_path / "joiner.sv").write_text(joiner)
    station.write_text(station.read_text().replace("NextUdpTx", "NextJoiner"))
    itinerary.write_text(itinerary.read_text().replace("NextUdpTx", "NextBegun"))
    found = problems(check.check, file)
    assert any("receive.itinerary waits for the window, and messages" in each for each in found)
    assert (
        "19: transmit.joiner waits for a message on transmit.joiner.other, which the window may "
        "hold back while it counts those that wait"
    ) in found


def unplaced(folder: Path, *edits: tuple[str, str]) -> Path:
    """The design with positions for the tiles with the MAC only."""
    file = changed(folder, *edits)
    text = re.sub(r"^(  - {.*), at: \[\d, \d\]}$", r"\1}", file.read_text(), flags=re.MULTILINE)
    file.write_text(text.replace("mac_tx]}", "mac_tx], at: [2, 1]}"))
    assert file.read_text().count("at: [") == 2
    return file


def test_place_finds_positions_that_the_window_makes_safe(tmp_path: Path) -> None:
    file = unplaced(tmp_path)
    design, _ = resolve.load(file)
    found = placer.solve(Facts(design), placer.given(design), effort=1)
    file.write_text(edit.with_positions(design.file, found.positions))
    assert check.check(file)[1] == []
    assert found.is_best


def test_place_keeps_positions_that_the_window_makes_safe() -> None:
    facts, _ = check.check(ANY_ORDER)
    given = placer.given(facts.design)
    assert placer.solve(facts, given, effort=1).positions == given


# With room for longer messages than there are, a ring of two neighbours has too few places for a
# frame; one of two tiles with another between them has enough.
TIGHT = ("window: auto", "window: auto, columns: 4, rows: 3, max_packet_flits: 440")


@pytest.mark.slow
def test_place_keeps_tiles_apart_where_the_window_needs_it(
    tmp_path: Path, problems: Problems
) -> None:
    (found,) = problems(check.check, changed(tmp_path, TIGHT))
    assert "too few for the longest frame" in found
    file = unplaced(tmp_path, TIGHT)
    design, _ = resolve.load(file)
    positions = placer.solve(Facts(design), placer.given(design), effort=1).positions
    file.write_text(edit.with_positions(design.file, positions))
    assert check.check(file)[1] == []
    stations = [positions[name] for name in ("one", "two", "three")]
    apart = [abs(a - c) + abs(b - d) for (a, b), (c, d) in combinations(stations, 2)]
    assert min(apart) > 1


@pytest.mark.slow
def test_place_says_why_the_window_refuses_what_it_found(
    tmp_path: Path, problems: Problems
) -> None:
    file = unplaced(tmp_path, ("window: auto", "window: 299"))
    design, _ = resolve.load(file)
    (found,) = problems(
        lambda _: placer.solve(Facts(design), placer.given(design), effort=0.1), file
    )
    assert "no placement found with this effort" in found
    assert "a window of 299 flits has 299, too few for the longest frame" in found


def test_place_says_so_of_whatever_it_does_not_find(tmp_path: Path, problems: Problems) -> None:
    """Here the load is too high whatever the window allows."""
    text = (ROOT / "docs" / "examples" / "deadlock" / "figure_5a.yaml").read_text()
    file = tmp_path / "figure_5a.yaml"
    file.write_text(f"{text}{FABRIC}\ntables: fixed\n")
    facts, _ = check.check(file)
    (found,) = problems(lambda _: placer.solve(facts, placer.given(facts.design), effort=1), file)
    assert "no placement on a mesh of 4 x 2 fits" in found
