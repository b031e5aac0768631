# SPDX-License-Identifier: Apache-2.0
"""The package of TCP says of a header what scapy says."""

from __future__ import annotations

from random import Random

import pytest
from scapy.all import TCP, raw

from bombus.design import rtl

# Of the struct: the field of scapy's TCP.
FIELDS = {
    "src_port": "sport",
    "dst_port": "dport",
    "seq": "seq",
    "ack": "ack",
    "window": "window",
    "csum": "chksum",
    "urgent": "urgptr",
}


def constant(name: str) -> int:
    value = rtl.constant(f"tcp_pkg::{name}")
    assert isinstance(value, int)
    return value


@pytest.mark.parametrize("seed", range(8))
def test_header(seed: int) -> None:
    random = Random(seed)
    layout = rtl.struct_layout("header_t", "tcp_pkg")
    flags = rtl.struct_layout("flags_t", "tcp_pkg")
    sent = {name: random.getrandbits(8 * (layout[name].width // 8)) for name in FIELDS}
    names = [name for name in flags if random.random() < 0.5]
    words = random.randrange(5, 16)
    letters = "".join({"ece": "E", "cwr": "C"}.get(name, name[0].upper()) for name in names)
    header = raw(TCP(dataofs=words, flags=letters, **{FIELDS[name]: sent[name] for name in sent}))
    assert len(header) == constant("HeaderBytes")
    number = int.from_bytes(header, "little")

    def field(name: str) -> int:
        """Of the struct that these bytes are, as a number."""
        place = layout[name]
        wire = number >> place.offset & ((1 << place.width) - 1)
        return int.from_bytes(wire.to_bytes(place.width // 8, "little"), "big")

    assert {name: field(name) for name in sent} == sent
    assert field("offset") >> 4 == words
    assert field("flags") == sum(1 << flags[name].offset for name in names)
    place = 16 * constant("CsumWord")
    assert layout["csum"].offset == place


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("OptionEnd", ("EOL", None)),
        ("OptionNop", ("NOP", None)),
        ("OptionMss", ("MSS", 1460)),
        ("OptionScale", ("WScale", 7)),
        ("OptionSackPermitted", ("SAckOK", b"")),
        ("OptionSack", ("SAck", (1, 2))),
        ("OptionTimestamps", ("Timestamp", (1, 2))),
    ],
)
def test_kinds_of_options(name: str, option: tuple[str, object]) -> None:
    header = raw(TCP(options=[option]))
    assert header[constant("HeaderBytes")] == constant(name)
