# SPDX-License-Identifier: Apache-2.0
"""Names of the declarations of a layer about a stream or a next hop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bombus.base.text import camel_case, snake_case

# The streams of a layer that has one input or one output.
MAIN_INPUT, MAIN_OUTPUT = "in", "out"
# The member of a next-hop enum that the bound next hops start from.
BOUND = "bound"


def prefix_of(stream: str) -> str:
    """Prefix of declarations about a stream."""
    return "" if stream in (MAIN_INPUT, MAIN_OUTPUT) else camel_case(stream)


def hop_names(output: str, enums: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Names of an output's next hops by number; the last one may be `BOUND`."""
    alias = "next_e" if output == MAIN_OUTPUT else f"{output}_next_e"
    prefix = f"{prefix_of(output)}Next"
    return tuple(snake_case(name.removeprefix(prefix)) for name in enums.get(alias, ()))


def hop_sends_name(output: str, hop: str) -> str:
    """The localparam with the kinds of messages that take a next hop of an output."""
    return f"{prefix_of(output)}Next{camel_case(hop)}Sends"
