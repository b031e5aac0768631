# SPDX-License-Identifier: Apache-2.0
"""Draw the mesh: tiles with their layers, and every route on every link.

A route leads from a next hop to another tile, first along x, then along y. It is drawn as an arrow
on each link that it takes, in the line style of its next hop. Where too many share a link, one wide
arrow stands for them, with their number. Where there are several networks, each has its kind of
line.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

from matplotlib.figure import Figure

from bombus.base.text import listing
from bombus.design.cycle import Cycle
from bombus.design.elements import Input
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.fabric.routing import Channel, Link
from bombus.pictures.files import save
from bombus.pictures.sheet import INK, Lane, Line, Sheet, line_style, network_line, scale_of

_MAX_LANES = 3  # more next hops than these in one direction become one arrow
_LEGEND_COLUMNS = 4
_TIMES = "\N{MULTIPLICATION SIGN}"


Key = tuple[int, str]  # of a mark: a network's index, a next hop's name


@dataclass(frozen=True)
class Route:
    """Messages with one next hop to one layer."""

    name: str  # of the next hop
    target: Input
    network: Network

    @property
    def key(self) -> Key:
        return self.network.index, self.name


@dataclass(frozen=True)
class Mark:
    """How a next hop is drawn: its colour and line, and the text on its arrows."""

    colour: str
    line: Line
    text: str
    slanted: bool = False


Entry = tuple[str, Mark, float]  # of the legend: text, mark, width of the line


def routes_by_link(design: Design) -> dict[Link, list[Route]]:
    """The routes on each link of the mesh; several senders to one layer count once each."""
    links: dict[Link, list[Route]] = {}
    for hop in design.hops:
        if hop.target is None or hop.in_tile:
            continue
        route = Route(hop.name, hop.target, hop.network)
        for link in hop.network.links(hop.source.tile.at, hop.target.tile.at):
            links.setdefault(link, []).append(route)
    return links


def _key(index: int) -> str:
    """A, B ... Z, A2, B2 ...: keys instead of names on the arrows of large meshes."""
    again, letter = divmod(index, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(again + 1) if again else "")


def _lanes(routes: list[Route], marks: dict[Key, Mark], *, has_keys: bool) -> list[Lane]:
    """The arrows of a link, network by network."""
    networks = sorted({route.network for route in routes}, key=lambda network: network.index)
    return [
        lane
        for network in networks
        for lane in _route_lanes(
            [route for route in routes if route.network is network], marks, has_keys=has_keys
        )
    ]


def _route_lanes(routes: list[Route], marks: dict[Key, Mark], *, has_keys: bool) -> list[Lane]:
    """An arrow for each next hop of a network, wider where several routes share it."""
    numbers = Counter(route.key for route in routes)
    if len(numbers) > _MAX_LANES:
        text = f"{len(routes)}" if has_keys else f"{len(routes)} routes"
        network = routes[0].network.index
        return [Lane(text, INK, 2.6, network_line(network), slanted=network > 0)]
    return [
        Lane(
            marks[key].text if number == 1 else f"{marks[key].text} {_TIMES}{number}",
            marks[key].colour,
            min(2.6, 1.1 + 0.2 * number),
            marks[key].line,
            slanted=key[0] > 0,
        )
        for key, number in numbers.items()
    ]


def _legend(
    design: Design, marks: dict[Key, Mark], links: dict[Link, list[Route]], *, has_keys: bool
) -> list[list[Entry]]:
    """Meaning of each key and line, row by row: the next hops, numbers, the networks."""
    entries: list[Entry] = []
    if has_keys:
        entries = [(f"{mark.text}  {name}", mark, 1.3) for (_, name), mark in marks.items()]
    rows = [
        entries[first : first + _LEGEND_COLUMNS]
        for first in range(0, len(entries), _LEGEND_COLUMNS)
    ]
    numbers = [Counter(route.key for route in routes) for routes in links.values()]
    crowded = [sum(number.values()) for number in numbers if len(number) > _MAX_LANES]
    if has_keys and crowded:
        text = (
            f"{crowded[0]}: number of routes, where more than {_MAX_LANES} next hops share a link"
        )
        rows.append([(text, Mark(INK, "-", ""), 2.6)])
    shared = [count for number in numbers for count in number.values() if count > 1]
    if shared:
        count = min(shared)
        text = f"{_TIMES}{count}: {count} routes with the same next hop share the link"
        rows.append([(text, Mark(INK, "-", ""), 1.5)])
    for network in design.networks if len(design.networks) > 1 else []:
        area = network.area
        text = f"{network.name}: {network.data_width} bits, {network.fabric.kind}, "
        text += f"{area.columns} {_TIMES} {area.rows} routers"
        rows.append([(text, Mark(INK, network_line(network.index), "", network.index > 0), 1.3)])
    return rows


def _draw_legend(sheet: Sheet, rows: list[list[Entry]]) -> None:
    """The legend, in columns below the mesh."""
    scale = sheet.scale
    step = (sheet.right - sheet.left) / _LEGEND_COLUMNS
    for row, entries in enumerate(rows):
        for column, (text, mark, width) in enumerate(entries):
            x, y = sheet.left + column * step, sheet.bottom - scale.legend_line * (row + 0.5)
            sheet.arrow((x, y), (x + 0.8, y), mark.colour, width, mark.line)
            style = {"fontsize": scale.legend_font, "color": mark.colour, "va": "center"}
            style["style"] = "italic" if mark.slanted else "normal"
            sheet.text(x + 0.9, y, text, **style)


def figure(design: Design) -> Figure:
    """The picture of a design's mesh."""
    config = design.config
    widths = [f"{network.data_width}" for network in design.networks]
    heading = (
        f"{design.columns} x {design.rows} tiles, {listing(widths)} bits, "
        f"{config.clock_mhz:g} MHz, {config.line_rate_gbps:g} Gbit/s"
    )
    links = routes_by_link(design)
    keys = list(dict.fromkeys(route.key for routes in links.values() for route in routes))
    wide = scale_of(design).has_keys
    marks = {}
    for i, (network, name) in enumerate(keys):
        colour, line = line_style(i)
        line = network_line(network) if len(design.networks) > 1 else line
        marks[network, name] = Mark(colour, line, _key(i) if wide else name, network > 0)
    legend = _legend(design, marks, links, has_keys=wide)
    lanes = {link: _lanes(routes, marks, has_keys=wide) for link, routes in links.items()}
    sheet = Sheet(design, config.name, heading, len(legend), lanes)
    for tile in design.tiles:
        sheet.tile(tile)
        sheet.mac_ports(tile)
    _draw_legend(sheet, legend)
    return sheet.figure


def cycle_figure(design: Design, cycle: Cycle) -> Figure:
    """A cycle of channels on the mesh: what each leg holds, and what it waits for.

    Of a cycle through several designs, the legs in this one are drawn.
    """
    heading = "solid: held; dashed: waited for; thin: rest of the route"
    lanes: dict[Link, list[Lane]] = {}
    legend: list[tuple[str, str]] = []  # text and colour
    for i, leg in enumerate(cycle.legs):
        colour, _ = line_style(i)
        source, target = leg.hop.source, leg.hop.target
        if source.tile not in design.tiles:
            continue
        assert target is not None
        needed = cycle.legs[(i + 1) % len(cycle.legs)].resources[0]
        held = {channel.link for channel in leg.channels}
        is_here = isinstance(needed, Channel) and needed.network == leg.hop.network.label
        awaited = needed.link if is_here and isinstance(needed, Channel) else None
        here, there = source.tile.at, target.tile.at
        for link in [] if here == there else leg.hop.network.links(here, there):
            if link in held:
                lane = Lane(f"{i + 1} holds", colour, 2.6)
            elif link == awaited:
                lane = Lane(f"{i + 1} waits", colour, 2.0, "--")
            else:
                lane = Lane(f"{i + 1}", colour, 0.8)
            lanes.setdefault(link, []).append(lane)
        text = f"{i + 1}  {source} \N{RIGHTWARDS ARROW} {target}"
        if leg.hop.network.label and not leg.hop.in_tile:
            text += f" ({leg.hop.network.label})"
        legend.append((text, colour))
    sheet = Sheet(design, f"{design.config.name}: deadlock", heading, len(legend), lanes)
    for i, (text, colour) in enumerate(legend):
        y = sheet.bottom - sheet.scale.legend_line * (i + 0.5)
        style = {"fontsize": sheet.scale.legend_font, "color": colour, "va": "center"}
        sheet.text(sheet.left, y, text, **style)
    for tile in design.tiles:
        sheet.tile(tile, highlight=tile in cycle.tiles)
        sheet.mac_ports(tile)
    return sheet.figure


def draw(design: Design, file: Path, cycle: Cycle | None = None) -> None:
    """Writes the picture, of a cycle if one is given, as SVG, PNG or PDF by the suffix."""
    save(lambda: cycle_figure(design, cycle) if cycle else figure(design), file, design.config.name)
