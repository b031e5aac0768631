# SPDX-License-Identifier: Apache-2.0
"""The registers of a design that a move needs."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import Any

from bombus.applications.functions.sessions.document import SessionError
from bombus.protocols.tcp.segment import WORD
from bombus.registers.access import BlockAccess

ESTABLISHED = 3


class Engine:
    """The registers of a design that a move needs."""

    def __init__(self, registers: BlockAccess, manifest: Mapping[str, Any]) -> None:
        self.handovers: dict[bool, BlockAccess] = {}
        self.tcp: BlockAccess | None = None
        for tile in manifest["tiles"]:
            for layer in tile["layers"]:
                there = registers.tiles[tile["name"]]
                if layer["kind"] == "tcp":
                    self.tcp = there[layer["name"]]
                    self.params: Mapping[str, Any] = layer["params"]
                if layer["kind"] == "tcp_handover":
                    received = bool(layer["params"].get("received", 1))
                    self.handovers[received] = there[layer["name"]]
        if self.tcp is None or self.handovers.keys() != {True, False}:
            raise SessionError(
                "the design should have a TCP engine and tcp_handover in both directions"
            )

    @property
    def scale(self) -> int:
        """By which the engine shifts its windows."""
        size = int(self.params["receive_bytes"])
        return size.bit_length() - 16 if size > 65535 else 0

    def state(self, number: int) -> dict[str, int]:
        assert self.tcp is not None
        self.tcp.session.write(index=number)
        found: dict[str, int] = self.tcp.state.read()
        return found

    def unread(self, state: Mapping[str, int]) -> int:
        """Received bytes of a session that its application has not read."""
        free = (state["release_edge"] - state["rcv_nxt"]) % WORD
        return int(self.params["receive_bytes"]) - free

    def writable(self, state: Mapping[str, int]) -> int:
        """Bytes that the application of a session can write."""
        written = (state["send_end"] - state["una"]) % WORD
        return int(self.params["send_bytes"]) - written

    def find(self, own_port: int, peer: tuple[str, int]) -> int | None:
        """The number of a connection's session."""
        numbers = range(int(self.params["num_sessions"]))
        return next((each for each in numbers if self.holds(each, own_port, peer)), None)

    def holds(self, number: int, own_port: int, peer: tuple[str, int]) -> bool:
        """Whether a session is that of a connection."""
        state = self.state(number)
        found = (state["peer_ip"], state["peer_port"], state["own_port"])
        return bool(state["state"]) and found == (int(IPv4Address(peer[0])), peer[1], own_port)

    def has_room(self) -> bool:
        """Whether a session is free; those that were never used come last."""
        numbers = reversed(range(int(self.params["num_sessions"])))
        return any(self.state(number)["state"] == 0 for number in numbers)

    def take(
        self,
        own_port: int,
        peer: tuple[str, int],
        carrier: int,
        directions: tuple[bool, ...] = (True, False),
    ) -> None:
        """From now on, the connection is the carrier's; carrier 0: it is held."""
        fields = {"peer_ip": int(IPv4Address(peer[0])), "peer_port": peer[1]}
        for direction in directions:
            self.handovers[direction].connection.write(
                **fields, own_port=own_port, carrier_ip=carrier, valid=1
            )

    def release(self, *directions: bool) -> None:
        for direction in directions or (False, True):
            self.handovers[direction].connection.write(
                peer_ip=0, carrier_ip=0, peer_port=0, own_port=0, valid=0
            )
