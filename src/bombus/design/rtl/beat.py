# SPDX-License-Identifier: Apache-2.0
"""The beat of a network: streams joined by wires must agree on it."""

from __future__ import annotations

from typing import NamedTuple

# The type of every stream of a layer that has no type of its own, `<stream>_beat_t`.
BEAT = "beat_t"
OWN_BEAT = "_beat_t"


class Beat(NamedTuple):
    """The beats of a network."""

    data_width: int  # bits
    metadata: str = "bombus_pkg::packet_meta_t"  # the type of the widest kind of message
    kind_bits: int = 3  # width of a kind's number

    def typedef(self, name: str) -> str:
        """Its declaration with this name, for files that include bombus_types.svh."""
        return f"`BOMBUS_BEAT_T({name}, {self.data_width}, {self.metadata}, {self.kind_bits})"
