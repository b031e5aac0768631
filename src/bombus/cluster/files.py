# SPDX-License-Identifier: Apache-2.0
"""Files of a cluster: a design file for each different board, and `cluster.json`.

board_0.yaml, board_1_2_3.yaml   the design of these boards
cluster.json                     who is joined to whom, channels, register writes after reset
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from bombus.base.output import writing
from bombus.cluster.split import Board, Cluster

DESCRIPTION = "cluster.json"
_BESIDE = (".rdl", ".svh")  # what a source may need from its folder


def different(boards: Sequence[Board]) -> list[list[Board]]:
    """The boards, those with the same design together."""
    found: list[list[Board]] = []
    for board in boards:
        same = next((each for each in found if each[0].data == board.data), None)
        if same is None:
            found.append([board])
        else:
            same.append(board)
    return found


def design_name(boards: Sequence[Board]) -> str:
    """The name of the design of some boards, without suffix: their numbers."""
    numbers = [board.number for board in boards]
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}" if len(run) == 1 else f"{run[0]}_to_{run[-1]}" for run in runs]
    return f"board_{'_'.join(parts[:8])}" + ("_and_others" if len(parts) > 8 else "")


def _text(data: Mapping[str, Any], boards: Sequence[Board], name: str) -> str:
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = None
    writer.width = 100
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    stream = io.StringIO()
    writer.dump(dict(data), stream)
    of = ", ".join(board.name for board in boards)
    return f"# SPDX-License-Identifier: Apache-2.0\n# Made of {name} for {of}\n{stream.getvalue()}"


def write(cluster: Cluster, folder: Path) -> Path:
    """Writes the files; returns `cluster.json`. UserError if the folder cannot be written."""
    with writing(folder):
        return _written(cluster, folder)


def _written(cluster: Cluster, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    sources = _copied(cluster, folder)
    designs: dict[int, str] = {}
    for boards in different(cluster.boards):
        name = f"{design_name(boards)}.yaml"
        data = {**boards[0].data, **({"sources": sources} if sources else {})}
        (folder / name).write_text(_text(data, boards, cluster.file.path.name), encoding="utf-8")
        designs |= {board.number: name for board in boards}
    file = folder / DESCRIPTION
    file.write_text(json.dumps(description(cluster, designs), indent=2) + "\n", encoding="utf-8")
    return file


def _copied(cluster: Cluster, folder: Path) -> list[str]:
    """Copies the layers that the design brings; their paths from the folder."""
    found = []
    for file in cluster.file.source_files():
        target = folder / "sources"
        target.mkdir(exist_ok=True)
        for each in [file, *(each for each in file.parent.iterdir() if each.suffix in _BESIDE)]:
            shutil.copyfile(each, target / each.name)
        found.append(f"sources/{file.name}")
    return found


def description(cluster: Cluster, designs: Mapping[int, str]) -> dict[str, Any]:
    """What `cluster.json` holds."""
    link = cluster.config.link
    names = cluster.config.names
    return {
        "name": cluster.file.config.name,
        "boards": [
            {
                "board": board.number,
                "name": board.name,
                "design": designs[board.number],
                "top": board.data["name"],
                "registers": list(board.registers(cluster.links)),
                "routes": [list(each) for each in cluster.links.tables[board.number]],
            }
            for board in cluster.boards
        ],
        "links": [
            {
                "a": list(one),
                "b": list(other),
                "width": link.width,
                "latency_cycles": link.latency_cycles,
                "carrier": link.carrier,
                "check": int(link.check),
                "buffer": link.buffer,
            }
            for one, other in cluster.links.ends
        ],
        "channels": [
            {
                "number": channel.number,
                "target": channel.target,
                "from": [names[each] for each in channel.sources],
                "to": [names[each] for each in channel.to],
                "kinds": list(channel.kinds),
                **channel.endpoint.model_dump(exclude={"name"}),
            }
            for channel in cluster.channels
        ],
    }
