# SPDX-License-Identifier: Apache-2.0
"""What a simulation of many boards needs to know: from `cluster.json`, a design file with
boards, or the design file of one board that all have.
"""

from __future__ import annotations

import json
from pathlib import Path

from bombus.base.cache import cached_directory, content_key
from bombus.base.errors import DesignError, Problem, UserError
from bombus.base.sources import source_files
from bombus.cluster import routing
from bombus.cluster.description import (
    DEFAULT_LATENCY_CYCLES,
    BoardDescription,
    Description,
    LinkDescription,
    RegisterWrite,
    parsed,
)
from bombus.cluster.files import DESCRIPTION
from bombus.cluster.generate import generate_cluster
from bombus.cluster.links import CLASSES, Links
from bombus.cluster.split import BRIDGE, NODE
from bombus.cluster.topology import Topology


def read(path: Path | str) -> Description:
    """Reads `cluster.json`, or a design file with boards, which is generated first.

    UserError if it cannot be read or is no description, DesignError if the design is invalid.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"cannot read {path}: no such file")
    if path.suffix != ".json":
        path = _generated(path)
    try:
        return parsed(json.loads(path.read_text()), path.parent)
    except json.JSONDecodeError as error:
        raise DesignError([Problem(path, error.lineno, f"invalid JSON: {error.msg}")]) from None
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    except KeyError as error:
        message = f"this is no description of a cluster: {error} is missing"
        raise UserError(f"{path}: {message}") from None
    except (ValueError, TypeError, IndexError) as error:
        raise UserError(f"{path}: this is no description of a cluster: {error}") from None


def _generated(design: Path) -> Path:
    """The `cluster.json` of a design file, in the cache."""

    def make(folder: Path) -> None:
        generate_cluster(design, folder)

    files = [design, *source_files(design)]
    key = content_key([design.name], [(file.name, file) for file in files])
    return cached_directory(f"clusters/{key}", make) / DESCRIPTION


def alike(
    design: Path,
    topology: Topology,
    *,
    latency_cycles: int = DEFAULT_LATENCY_CYCLES,
    tile: str = BRIDGE,
) -> Description:
    """Boards that all have the design of one board, with the routes of a topology.

    design: its file. Its tile `tile` has a `cluster_node`, whose links are raised as link0, link1
    and so on. latency_cycles: of each link.
    """
    found = Links(topology, routing.tables(topology, CLASSES))
    boards = [
        BoardDescription(
            board,
            name,
            design,
            tuple(
                RegisterWrite(tile, register, value, NODE, index)
                for register, index, value in found.registers(board)
            ),
        )
        for board, name in enumerate(topology.names)
    ]
    links = [LinkDescription(*link.ends, latency_cycles) for link in topology.links]
    return Description(design.stem, tuple(boards), tuple(links))
