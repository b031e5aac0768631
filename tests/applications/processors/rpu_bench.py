# SPDX-License-Identifier: Apache-2.0
"""A packet processor with a program in C: what its tests share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from bombus.applications.processors import image
from bombus.applications.processors.build import build
from tests.support.harness import Beats, Bench, Benches, Layout, Message, pack_meta

ECHO = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = rpu_receive();
        volatile struct rpu_window *window = rpu_window(packet);
        uint32_t ports = window->meta[0];
        window->meta[0] = ports << 16 | ports >> 16;
        rpu_send(packet);
    }
}
"""
FORWARD = """
#include "rpu.h"
int main(void) { for (;;) rpu_send(rpu_receive()); }
"""
# Descriptors as words of memory; asks whether there is one first.
FORWARD_BY_MEMORY = """
#include "rpu.h"
int main(void) {
    for (;;) {
        rpu_packet packet = RPU_RECEIVE_WORD;
        if (packet) RPU_SEND_WORD = packet;
    }
}
"""
# Hang after the first packet.
LOOPS = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    for (;;) {}
}
"""
HOLDS = """
#include "rpu.h"
int main(void) {
    rpu_send(rpu_receive());
    for (;;) rpu_receive();
}
"""

PERIOD = 4096  # cycles of the watchdog
CONTROL = Layout(
    *(("run", 1), ("discard", 1), ("limit", 6), ("send", 1), ("place", 4), ("word", 32)),
)
STATUS = Layout(
    *(("busy", 1), ("next", 1), ("timer", 1), ("stuck", 1), ("exception", 1), ("slots", 7)),
    *(("cause", 4), ("pc", 16), ("report", 32)),
)


def program(body: str) -> str:
    """C whose `main` has this body."""
    return f'#include "rpu.h"\nint main(void) {{ {body} }}\n'


class Processor:
    """The layer with a program in it."""

    def __init__(
        self,
        benches: Benches,
        program: str,
        tmp_path: Path,
        seed: int = 1,
        width: int = 512,
        **p: int,
    ) -> None:
        self.bench: Bench = benches("rpu", seed=seed, DataWidth=width, **p)
        self.beats = Beats(width)
        self.folder = tmp_path
        self.load(program)

    def load(self, program: str) -> None:
        source, elf = self.folder / "program.c", self.folder / "program.elf"
        source.write_text(program)
        build([source], elf)
        found = image.read(elf)
        self.bench.control(0)
        words = [a // 4 << 32 | word for a, word in found.code.items()]
        words += [1 << 63 | a // 4 << 32 | word for a, word in found.data.items()]
        self.bench.push(words, 1)
        while self.bench.waiting(1):
            self.bench.run(10)
        self.bench.forget()
        self.bench.control(1)
        self.bench.run(60)

    def push(self, messages: Sequence[Message], random: Random | None = None) -> None:
        self.bench.push(self.beats.stream(messages, random))

    def sent(self) -> list[Message]:
        return self.beats.messages(self.bench.items(), lengths=True)

    @property
    def counts(self) -> tuple[int, ...]:
        """Too long, dropped by firmware, bad descriptors."""
        too_long, by_firmware, no_port, _, bad = self.bench.events[:5]
        assert no_port == 0
        return too_long, by_firmware, bad

    @property
    def status(self) -> dict[str, int]:
        return STATUS.unpack(self.bench.status)


def message(random: Random, length: int) -> Message:
    ports = {"l4__ports__src_port": random.getrandbits(16), "l4__ports__dst_port": 7}
    meta = pack_meta(ip=random.getrandbits(32), length=length, tos=random.getrandbits(8), **ports)
    return Message(random.randbytes(length), meta)
