# SPDX-License-Identifier: Apache-2.0
"""Write what a step has chosen, such as positions, into a design file, preserving everything else.

Comments, blank lines, quotes and the order of keys are people's work: only the
values of one key of the tiles are replaced or put in.
"""

from __future__ import annotations

from collections.abc import Mapping

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from bombus.base.errors import UserError
from bombus.base.yaml_text import BOM
from bombus.design.config import DesignFile
from bombus.fabric.routing import Position


def with_positions(file: DesignFile, positions: Mapping[str, Position]) -> str:
    """The text of a design file with these positions of its tiles, by name."""
    return with_values(file, "at", _values(file, positions))


def with_values(file: DesignFile, key: str, values: Mapping[int, str]) -> str:
    """The text of a design file with values (YAML) of a key of its tiles, by number there."""
    with file.path.open(encoding="utf-8", newline="") as lines:
        written = lines.read()
    text = written.removeprefix(BOM).replace("\r\n", "\n")
    root = YAML(typ="rt").compose(text)
    tiles = _value(root, "tiles")
    if not isinstance(tiles, SequenceNode):
        raise UserError(f"{file.path}: `tiles` is not a list")
    # From the end to the start, so that earlier positions in the text stay valid.
    for i in reversed(range(len(tiles.value))):
        if i in values:
            text = _with_value(text, tiles.value[i], key, values[i])
    if "\r\n" in written:
        text = text.replace("\n", "\r\n")
    return f"{BOM}{text}" if written.startswith(BOM) else text


def _values(file: DesignFile, positions: Mapping[str, Position]) -> dict[int, str]:
    """`at` of each tile of the file, by its number there, as YAML."""
    found: dict[int, str] = {}
    for i, tile in enumerate(file.config.tiles):
        own = [each for each in file.config.instances if each.loc == ("tiles", i)]
        if all(each.name in positions for each in own):
            texts = ["[{}, {}]".format(*positions[each.name]) for each in own]
            found[i] = texts[0] if tile.replicas is None else f"[{', '.join(texts)}]"
    return found


def _value(node: Node, key: str) -> Node | None:
    pairs = node.value if isinstance(node, MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


def _with_value(text: str, tile: MappingNode, key: str, value: str) -> str:
    old = _value(tile, key)
    if old is not None:
        end = old.end_mark.index
        if isinstance(old, SequenceNode) and not old.flow_style:
            # The end mark of a block is at the next element.
            end = old.start_mark.index + len(text[old.start_mark.index : end].rstrip())
        return text[: old.start_mark.index] + value + text[end:]
    if tile.flow_style:
        end = tile.end_mark.index - 1  # before the brace
        start = len(text[:end].rstrip().rstrip(","))
        return f"{text[:start]}, {key}: {value}{text[start:]}"
    # A line of its own after the first key, which is one line long; a comment there stays.
    first, first_value = tile.value[0]
    if first_value.start_mark.line != first_value.end_mark.line:
        start = first.start_mark.index
        return f"{text[:start]}{key}: {value}\n{' ' * first.start_mark.column}{text[start:]}"
    end = text.find("\n", first_value.end_mark.index)
    end = len(text) if end < 0 else end
    return f"{text[:end]}\n{' ' * first.start_mark.column}{key}: {value}{text[end:]}"
