# SPDX-License-Identifier: Apache-2.0
"""Client of a design of engines: writes rules, tables and keys through registers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bombus.applications.engines.model import Engines, Flow, NextHop, Rule
from bombus.registers.access import open_map
from bombus.registers.items import Port


class Card:
    """A design of engines, kept in step with its model.

    All parsers get the same rules, all forwarding engines the same table, all ciphers the same key.
    """

    def __init__(self, manifest: Mapping[str, Any], port: Port) -> None:
        self.model = Engines.of(manifest)
        tiles = open_map(manifest, port).tiles
        self._layers: dict[str, list[Any]] = {}
        self._by_number: dict[int, Any] = {}
        for tile in manifest["tiles"]:
            for layer in tile["layers"]:
                kind = layer["kind"]
                if kind not in _WITH_REGISTERS:
                    continue
                registers = tiles[tile["name"]][layer["name"]]
                self._layers.setdefault(kind, []).append(registers)
                if "engine" in layer["params"]:
                    self._by_number[layer["params"]["engine"]] = registers

    def set_rule(self, index: int, rule: Rule | None) -> None:
        """Sets a rule; None: the rule matches nothing."""
        for parser in self._layers["engine_parser"]:
            if rule:
                parser.rules[index].rule.write(**rule.registers())
            else:
                parser.rules[index].rule.valid = 0
        self.model.rules.pop(index, None)
        if rule:
            self.model.rules[index] = rule

    def set_next_hop(self, entry: int, hop: NextHop | None) -> None:
        """Sets an entry; None: no entry."""
        for number, kind in self.model.kinds.items():
            if kind != "engine_forward":
                continue
            table = self._by_number[number].next_hops
            if hop:
                table[entry].write(**hop.registers())
                self.model.next_hops[number, entry] = hop
            else:
                table[entry].valid = 0
                self.model.next_hops.pop((number, entry), None)

    def set_spread(self, bits: int) -> None:
        """Sets the hash bits that select among entries."""
        for forward in self._layers.get("engine_forward", []):
            forward.spread.bits = bits
        self.model.spread = bits

    def set_key(self, key: bytes, salt: bytes) -> None:
        """Sets key and salt of all ciphers and of the model."""
        for cipher in self._layers.get("engine_encrypt", []):
            cipher.key.bits = int.from_bytes(key, "little")
            cipher.salt.bits = int.from_bytes(salt, "little")
        self.model.key, self.model.salt = key, salt

    def flow(self, engine: int, number: int) -> Flow:
        """The counters of a flow in a counting engine."""
        return Flow(**self._by_number[engine].flows[number].read())


_WITH_REGISTERS = ("engine_parser", "engine_forward", "engine_encrypt", "engine_count")
