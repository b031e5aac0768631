# SPDX-License-Identifier: Apache-2.0
"""The network interface with groups of replicas, and a model of the choices among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

from bombus.design.dispatch import crc
from tests.platform.routers.noc_traffic import (
    FLITS,
    GROUP,
    HERE,
    IN_BYTES,
    MESH_OUT,
    OUT_BYTES,
    OUT_END,
    TABLE,
    check_constant_route,
    initial_entry,
    random_length,
    xy_dir,
)
from tests.support.harness import (
    Bench,
    Benches,
    Message,
    get_meta,
    pack_meta,
)

FLOW_HASH, DST_PORT, ROUND_ROBIN, LEAST_LOADED = range(24, 28)
FIRST_SLOT = {FLOW_HASH: 0, DST_PORT: 64, ROUND_ROBIN: 72, LEAST_LOADED: 76}
NUM_SLOTS = 128
SLOT_BASE = 256  # index of slot 0 behind the next-hop table
Entry = tuple[int, int, int]


def initial_slot(slot: int) -> Entry | None:
    x, y, port = slot % 4, slot // 4 % 4, slot // 16 % 4
    return None if (x, y) == HERE else (x, y, port)


def groups_bench(benches: Benches, seed: int = 1) -> Bench:
    return benches("network_interface", seed=seed, HasGroups=1)


def set_pace(bench: Bench, **pace: float) -> None:
    bench.pace(**pace)
    for stream in (IN_BYTES, OUT_BYTES):
        bench.stall(stream, 0.0)


def flow_message(random: Random, mark: int, hop: int) -> Message:
    """A message of a random flow; the mark is in fields that nothing looks at."""
    meta = pack_meta(
        ip=random.getrandbits(32),
        l4__ports__src_port=random.getrandbits(16),
        l4__ports__dst_port=random.getrandbits(16),
        length=mark,
    )
    return Message(random.randbytes(random_length(random)), meta, {"next": hop})


class Choices:
    """Which route each message takes, in the order in which they set out."""

    def __init__(self) -> None:
        self.slots = [initial_slot(slot) for slot in range(NUM_SLOTS)]
        self.turns: Counter[int] = Counter()

    def slot(self, message: Message) -> int:
        hop = message.side["next"]
        if hop == FLOW_HASH:
            # Address and ports are next to each other, in this order.
            ports = [get_meta(message.meta, f"l4.ports.{end}_port") for end in ("src", "dst")]
            return crc(message["ip"] << 32 | ports[0] << 16 | ports[1], 64, 6)
        if hop == DST_PORT:
            return 64 + (int.from_bytes(message.payload[2:4], "big") & 7)
        turn = self.turns[hop] % 3
        self.turns[hop] += 1
        return FIRST_SLOT[hop] + turn

    def entry(self, message: Message) -> Entry | None:
        hop = message.side["next"]
        return self.slots[self.slot(message)] if hop in FIRST_SLOT else initial_entry(hop)


def routed(message: Message, entry: Entry) -> Message:
    x, y, port = entry
    return replace(message, side={"x": x, "y": y, "port": port, "dir": xy_dir(HERE, (x, y))})


def check_source(bench: Bench, sent: list[Message], choices: Choices) -> None:
    """Messages of a source go where the model says, the rest is counted."""
    items = bench.items(MESH_OUT)
    check_constant_route(items)
    entries = [choices.entry(message) for message in sent]
    expected = [routed(m, entry) for m, entry in zip(sent, entries, strict=True) if entry]
    assert FLITS.messages(items) == expected
    assert bench.events[0] == entries.count(None)
    assert bench.events[OUT_END] == len(sent)


def write_table(
    bench: Bench,
    index: int,
    entry: Entry | None,
    group: int | None = None,
    choice: int = 0,
) -> None:
    x, y, port = entry or (0, 0, 0)
    word = {"x": x, "y": y, "port": port, "valid": int(entry is not None)}
    if group is not None:
        word = {"x": group, "y": choice, "port": GROUP, "valid": 1}
    bench.control(TABLE.pack(index=index, write=1, **word))
