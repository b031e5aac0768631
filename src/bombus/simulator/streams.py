# SPDX-License-Identifier: Apache-2.0
"""AXI-Streams that a design raises to the top: messages between the design and a program."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bombus.base.raised_streams import KIND_BITS, LENGTH_BITS
from bombus.base.text import near_matches
from bombus.simulator.native import Native, SimulationError

LONGEST_MESSAGE = 262144


@dataclass(frozen=True)
class Message:
    """A message of a stream. `kind` and `fields`: if the layer declares the kinds of its
    messages.
    """

    data: bytes = b""
    user: int = 0  # tuser of the first beat
    kind: str = ""
    fields: Mapping[str, int] = field(default_factory=dict)


class Stream:
    """A stream among the raised ports of a design, such as `app_in`."""

    def __init__(self, native: Native, described: Mapping[str, Any]) -> None:
        self._native = native
        self.name: str = described["name"]
        self.tile: str = described["tile"]
        self.is_output: bool = described["output"]
        self.data_bytes: int = described["data_bytes"]  # data bytes of a beat
        self.user_bits: int = described["user_bits"]
        self._kinds: dict[str, dict[str, Any]] = {
            kind["name"]: kind["fields"] for kind in described["kinds"]
        }

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of messages that it carries, if its layer declares them."""
        return tuple(self._kinds)

    def values(self, kind: str, field: str) -> dict[str, int]:
        """The values of a field that is an enum, by name."""
        found: dict[str, int] = self._kinds[kind][field]["values"]
        return found

    def pace(self, pause: float) -> None:
        """Sets the probability of an idle cycle before each beat into the design, or of `tready`
        low; 1: nothing moves. At first it is `rx_bubble` or `tx_stall` of the simulation.
        """
        self._native.call("set_stream_pace", self.name.encode(), pause)

    # ---- Into the design ----

    def send(self, data: bytes = b"", *, user: int = 0) -> None:
        """Queues a message; it is sent as time advances."""
        size = -(-self.user_bits // 8)
        if not 0 <= user < 1 << 8 * size:
            raise SimulationError(f"{user} does not fit into tuser of {self.name}")
        given = user.to_bytes(size, "little")
        name = self.name.encode()
        self._native.call("send_message", name, data, len(data), given, len(given))

    def send_kind(self, kind: str, data: bytes = b"", **fields: int | str) -> None:
        """Queues a message of a kind, given the fields of its metadata; others are 0.

        A field that is an enum also takes the name of a value.
        """
        if kind not in self._kinds:
            raise SimulationError(
                f"{self.name} carries no {kind}; {near_matches(kind, self._kinds)}"
            )
        metadata = 0
        layout = self._kinds[kind]
        for name, value in fields.items():
            if name not in layout:
                raise SimulationError(f"{kind} has no field {name!r}; {near_matches(name, layout)}")
            known = layout[name]["values"]
            if isinstance(value, str):
                if value not in known:
                    raise SimulationError(f"{name} has no {value!r}; {near_matches(value, known)}")
                value = known[value]
            if not 0 <= value < 1 << layout[name]["width"]:
                raise SimulationError(f"{value} does not fit into {kind}.{name}")
            metadata |= value << layout[name]["offset"]
        number = list(self._kinds).index(kind)
        user = metadata << KIND_BITS + LENGTH_BITS | len(data) << KIND_BITS | number
        self.send(data, user=user)

    # ---- Out of the design ----

    def receive(self, timeout_us: int = 0) -> Message | None:
        """The next message received; virtual time passes until then, at most `timeout_us`.

        None if there is none. While nothing is in flight, time passes in few cycles, as in
        `Simulation.elapse`.
        """
        new, name = self._native.new, self.name.encode()
        allowed = errno.ETIMEDOUT
        if self._native.call("await_message", name, timeout_us, allowed=allowed) < 0:
            return None
        length = new("size_t *")
        user = new("uint8_t[]", max(1, -(-self.user_bits // 8)))
        capacity = 0
        while True:  # at most twice
            data = new("uint8_t[]", max(1, capacity))
            arguments = (name, data, capacity, user, len(user), length)
            if self._native.call("receive_message", *arguments, allowed=errno.ENOSPC) == 0:
                break
            capacity = int(length[0])
        return self._message(
            bytes(self._native.ffi.buffer(data, length[0])), int.from_bytes(bytes(user), "little")
        )

    def _message(self, data: bytes, user: int) -> Message:
        if not self._kinds:
            return Message(data, user)
        kind = list(self._kinds)[user & (1 << KIND_BITS) - 1]
        metadata = user >> KIND_BITS + LENGTH_BITS
        fields = {
            name: metadata >> place["offset"] & (1 << place["width"]) - 1
            for name, place in self._kinds[kind].items()
        }
        return Message(data, user, kind, fields)
