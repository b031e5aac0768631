# SPDX-License-Identifier: Apache-2.0
"""The links of a cluster and the route tables of its boards, as its design file has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bombus.base import trust
from bombus.base.errors import DesignError, UserError
from bombus.base.yaml_file import Loc
from bombus.cluster import routing, topology
from bombus.cluster.config import ClusterDesignConfig
from bombus.cluster.topology import Port, Topology
from bombus.design import config

CLASSES = 2  # cluster_node: 2 ** ClassBits; the class of a channel is its lowest bit
_PLACE: Loc = ("cluster", "topology")


@dataclass(frozen=True)
class Links:
    """The links between boards, and the port to each board from each."""

    topology: Topology
    tables: routing.Tables  # by board, class and destination

    @property
    def ends(self) -> Sequence[tuple[Port, Port]]:
        return [link.ends for link in self.topology.links]

    def ports(self, board: int) -> int:
        """Number of a board's links."""
        return self.topology.num_links[board]

    def registers(self, board: int) -> Iterator[tuple[str, int | None, int]]:
        """Writes to a board's cluster_node after reset: register, index and value."""
        yield "board", None, board
        for number, table in enumerate(self.tables[board]):
            first = number << (len(table) - 1).bit_length()
            for target, port in enumerate(table):
                yield "route", first + target, port

    def carrier_registers(self, board: int) -> Iterator[tuple[str, int | None, int]]:
        """The same to a board's cluster_ethernet."""
        yield "board", None, board
        for ends in self.ends:
            for here, there in (ends, ends[::-1]):
                if here[0] == board:
                    yield f"peer{here[1]}", None, there[0] | there[1] << 8 | 1 << 31

    def lead(self, channel: int, source: int, target: int) -> bool:
        """Whether packets of a channel get from one board to another."""
        number = channel % CLASSES
        return source == target or bool(
            routing.path(self.topology, self.tables, number, source, target)
        )


def unknown_board(file: config.DesignFile, name: int | str) -> str:
    """The message about a board that does not exist."""
    assert isinstance(file.config, ClusterDesignConfig)
    names = file.config.cluster.names
    last = len(names) - 1
    if isinstance(name, int):
        return f"there is no board {name}; `cluster` has boards {f'0 to {last}' if last else '0'}"
    return f"there is no board {name!r}; `cluster` has {', '.join(names)}"


def _pairs(
    file: config.DesignFile, given: Sequence[tuple[int | str, int | str]]
) -> Iterator[tuple[int, int]]:
    """The boards of links that the design file lists."""
    assert isinstance(file.config, ClusterDesignConfig)
    for number, pair in enumerate(given):
        ends = [file.config.cluster.number(name) for name in pair]
        for name, end in zip(pair, ends, strict=True):
            if end is None:
                loc = (*_PLACE, "links", number)
                raise DesignError([file.problem(loc, unknown_board(file, name))])
        a, b = ends
        assert a is not None and b is not None
        yield a, b


def links_of(file: config.DesignFile) -> Links:
    """The links of a cluster. DesignError, with file and line, for boards that cannot have them."""
    assert isinstance(file.config, ClusterDesignConfig)
    cluster = file.config.cluster
    shape, names = cluster.shape, cluster.names
    try:
        if shape.file is not None:
            path = (file.path.parent / shape.file).resolve()
            if not trust.may_read(path, file.folder):
                raise UserError(f"{path} is outside of the folder of the design; {trust.HINT}")
            found = topology.read(path, names)
        elif shape.links is not None:
            found = topology.from_pairs("links", names, list(_pairs(file, shape.links)))
        else:
            assert shape.kind is not None
            found = topology.build(shape.kind, names, columns=shape.columns, rings=shape.rings)
    except DesignError:
        raise
    except UserError as error:
        raise DesignError([file.problem(_PLACE, str(error))]) from None
    return Links(found, routing.tables(found, CLASSES))
