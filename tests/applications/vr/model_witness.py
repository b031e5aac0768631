# SPDX-License-Identifier: Apache-2.0
"""Witnesses by the model of the hardware, for clients/vr/sim/external.go."""

from __future__ import annotations

import sys

from bombus.applications.vr.model import Address, Limits, Sent, Witness

# Small enough that the log is full at times.
LIMITS = Limits(log_lines=128, log_ops=100, buffer_lines=2048)
witnesses: dict[int, Witness] = {}


def address(index: int) -> Address:
    """Of a member, or (-1) of the controller."""
    return Address(index + 1, 7000 + index)


def reset(index: int, time_us: int) -> list[Sent]:
    witnesses[index] = Witness(LIMITS)
    return witnesses[index].elapse(time_us)


def arrive(index: int, sender: int, time_us: int, data: bytes) -> list[Sent]:
    witness = witnesses[index]
    return witness.elapse(time_us) + witness.handle(data, address(sender))


def execute(words: list[str]) -> list[Sent]:
    index = int(words[1])
    if words[0] == "reset":
        return reset(index, int(words[2]))
    if words[0] == "message":
        return arrive(index, int(words[2]), int(words[3]), bytes.fromhex(words[4]))
    return witnesses[index].elapse(int(words[2]))


def main() -> None:
    for line in sys.stdin:
        words = line.split()
        sent = execute(words)
        witness = witnesses[int(words[1])]
        numbers = (witness.state, witness.view, witness.last, witness.committed)
        text = " ".join(str(int(number)) for number in numbers)
        for item in sent:
            text += f" {item.to.port - 7000}:{item.data.hex()}"
        print(text, flush=True)


if __name__ == "__main__":
    main()
