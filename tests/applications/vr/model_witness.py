# SPDX-License-Identifier: Apache-2.0
"""Witnesses by the model of the hardware, for clients/vr/sim/external.go."""

from __future__ import annotations

import sys

from bombus.applications.vr.messages import Mode, SetUp
from bombus.applications.vr.model import Address, Limits, Sent, Witness

CONTROLLER = Address(0, 1)
# Small enough that the log is full at times.
LIMITS = Limits(log_lines=128, log_ops=100, buffer_lines=2048)
witnesses: dict[int, Witness] = {}


def address(index: int) -> Address:
    return Address(index + 1, 7000 + index)


def reset(index: int, replicas: int, nonce: int, time_us: int) -> list[Sent]:
    witness = witnesses[index] = Witness(LIMITS)
    witness.elapse(time_us)
    for slot in range(replicas):
        ip, port = address(slot)
        message = SetUp(mode=Mode.ADDRESS, slot=slot, ip=ip, port=port)
        witness.handle(message.encode(), CONTROLLER)
    message = SetUp(mode=Mode.RECOVER, index=index, count=replicas, nonce=nonce)
    return witness.handle(message.encode(), CONTROLLER)


def arrive(index: int, sender: int, time_us: int, data: bytes) -> list[Sent]:
    witness = witnesses[index]
    return witness.elapse(time_us) + witness.handle(data, address(sender))


def execute(words: list[str]) -> list[Sent]:
    index = int(words[1])
    if words[0] == "reset":
        return reset(index, *(int(word) for word in words[2:]))
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
            if item.to != CONTROLLER:
                text += f" {item.to.port - 7000}:{item.data.hex()}"
        print(text, flush=True)


if __name__ == "__main__":
    main()
