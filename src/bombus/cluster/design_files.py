# SPDX-License-Identifier: Apache-2.0
"""`bombus check`, `generate`, `show` and `place` of designs on several boards, and what to do
instead of other commands (`bombus.base.extensions`).
"""

from __future__ import annotations

from pathlib import Path

from bombus.base.errors import Problem
from bombus.base.extensions import Placed
from bombus.base.text import counted
from bombus.cluster import files
from bombus.cluster import generate as generating
from bombus.cluster.check import Checked, ClusterDeadlock, resolved
from bombus.cluster.check import check as checking

KEY = "cluster"


def check(path: Path) -> tuple[str, list[Problem]]:
    """What is on the boards, and warnings. DesignError if the design is invalid."""
    checked = checking(path)
    return _size(checked), list(checked.problems)


def draw_deadlock(error: ClusterDeadlock, picture: Path) -> list[Path]:
    """Draws the first cycle, in a picture for the mesh of each board that it visits."""
    from bombus.pictures import mesh

    cycle = error.cycles[0]
    found = []
    for facts in error.boards:
        if set(cycle.tiles) & set(facts.design.tiles):
            name = facts.design.networks[0].name.partition(".")[0]
            found.append(picture.with_stem(f"{picture.stem}_{name}"))
            mesh.draw(facts.design, found[-1], cycle)
    return found


def refused(path: Path) -> str:
    """Of commands for the design of one board."""
    return (
        f"the design is on several boards, this command takes one: `bombus cluster run {path}` "
        f"simulates all, `bombus generate {path}` writes a design file for each"
    )


def _size(checked: Checked) -> str:
    cluster = checked.cluster
    tiles = sum(bool(tile.layers) for facts in checked.boards for tile in facts.design.tiles)
    layers = sum(len(tile.layers) for facts in checked.boards for tile in facts.design.tiles)
    return (
        f"{counted(tiles, 'tile')} with {counted(layers, 'layer')} on "
        f"{counted(len(cluster.boards), 'board')} with {counted(len(cluster.links.ends), 'link')}, "
        f"{counted(len(cluster.channels), 'channel')} between them"
    )


def generate(path: Path, folder: Path | None) -> tuple[list[str], list[Problem]]:
    """Writes all boards; lines that say what was written, and warnings."""
    checked = checking(path)
    cluster = checked.cluster
    folder = folder or Path("build") / cluster.file.config.name
    written = generating.write(checked, folder)
    lines = [f"{folder}: {counted(len(written), 'file')}"]
    lines.append(f"  {files.DESCRIPTION}  links, channels, registers to write after reset")
    for boards in files.different(cluster.boards):
        name = files.design_name(boards)
        lines.append(f"  {name}.yaml, {name}/  {', '.join(board.name for board in boards)}")
    return lines, list(checked.problems)


def show(path: Path, output: Path | None) -> tuple[list[Path], list[Problem]]:
    """Draws the boards with their links, and the mesh of each different board; the pictures, and
    warnings.
    """
    from bombus.cluster import picture
    from bombus.pictures import mesh

    checked = checking(path)
    cluster = checked.cluster
    first = output or Path("build") / f"{cluster.file.config.name}.svg"
    picture.draw(cluster, first)
    found = [first]
    for boards in files.different(cluster.boards):
        file = first.with_stem(f"{first.stem}_{files.design_name(boards)}")
        facts, _ = resolved(cluster, boards[0])
        mesh.draw(facts.design, file)
        found.append(file)
    return found, list(checked.problems)


def place(path: Path, *, move: bool, effort: float) -> Placed:
    """Chooses boards of tiles."""
    from bombus.cluster import placement
    from bombus.design import edit

    placed = placement.place(path, move=move, effort=effort)
    names = placed.file.config.tiles
    values = {
        number: str(placed.boards[tile.name])
        for number, tile in enumerate(names)
        if tile.name in placed.boards
    }
    best = ", optimal" if placed.is_best else ""
    return Placed(
        text=edit.with_values(placed.file, "board", values),
        values={
            "boards": placed.boards,
            "gbps_hops": placed.gbps_hops,
            "is_best": placed.is_best,
            "refused": placed.refused,
        },
        rows=[(tile, f"board {board}") for tile, board in placed.boards.items()],
        summary=f"traffic x hops between boards: {placed.gbps_hops:,.0f} Gbit/s{best}; "
        f"{counted(placed.refused, 'proposal')} refused by the check",
    )
