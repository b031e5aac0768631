# SPDX-License-Identifier: Apache-2.0
"""Random messages to a witness: of a group that works, late, repeated, and malformed ones."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from random import Random

from bombus.applications.vr.joiner import LONGEST
from bombus.applications.vr.messages import (
    FRAGMENT_MAGIC,
    Commit,
    Entry,
    Mode,
    Prepare,
    Recovery,
    RecoveryResponse,
    Request,
    RequestStateTransfer,
    SetUp,
    StartView,
    StartViewChange,
    State,
    StateTransfer,
    ValidateRead,
    encode_entries,
    fragments,
)
from bombus.applications.vr.model import Address, Witness

OP_SIZES = (0, 1, 13, 63, 64, 65, 140, 300)
REQUESTS = (1, 1, 1, 1, 2, 3, 7)  # of a Prepare


def address(slot: int) -> Address:
    return Address(0x0A4D000A + slot, 9000 + slot)


def set_ups(index: int, count: int, nonce: int) -> list[bytes]:
    """Messages that set the addresses up and begin recovery."""
    slots = [
        SetUp(mode=Mode.ADDRESS, slot=slot, ip=address(slot).ip, port=address(slot).port)
        for slot in range(8)
    ]
    return [
        *(each.encode() for each in slots),
        SetUp(mode=Mode.RECOVER, index=index, count=count, nonce=nonce).encode(),
    ]


def responses(
    witness: Witness, view: int = 0, last: int = 0, committed: int = 0, cleaned: int = 0
) -> list[bytes]:
    """Of all replicas to a witness that recovers."""
    return [
        RecoveryResponse(1, replica, witness._nonce, view, last, committed, cleaned).encode()
        for replica in range(0, witness.count, 2)
    ]


class Cases:
    """Makes messages that fit the present state of a model, more or less.

    `requests`: numbers of requests of a Prepare; those above 7 have empty operations.
    """

    def __init__(
        self, random: Random, witness: Witness, requests: Sequence[int] = REQUESTS
    ) -> None:
        self.requests = requests
        self.random = random
        self.witness = witness
        self.sent: list[bytes] = []
        self.source = address(0)  # of the message
        self.fragments: list[tuple[bytes, Address]] = []  # with their sources
        self.fragment_id = 0

    def message(self) -> bytes:
        """The next message; of some, another one that was sent before, or a malformed one."""
        random = self.random
        if self.fragments and random.random() < 0.9:
            data, self.source = self.fragments.pop(0)
            return data
        self.source = address(random.randrange(8))
        if self.sent and random.random() < 0.06:
            return random.choice(self.sent[-30:])
        data = self._valid()
        self.sent.append(data)
        del self.sent[:-40]
        if random.random() < 0.1:
            return self._malformed(data)[:LONGEST]
        if random.random() < 0.06:
            self._cut(data)
        return data

    def _cut(self, data: bytes) -> None:
        """The message in fragments; in half of the cases one is wrong, missing or overlaps."""
        random = self.random
        source, size = address(random.randrange(8)), random.choice((1, 7, 36, 64, 100, 256, 1400))
        size = max(size, len(data) // 12)
        self.fragment_id += random.choice((0, 1, 1, 1))
        parts = fragments(data, self.fragment_id, size)
        place = random.randrange(len(parts))
        part, choice = parts[place], random.randrange(16)
        if choice == 0:  # missing
            del parts[place]
        elif choice == 1:  # repeated
            parts.insert(place, part)
        elif choice == 2:  # late
            parts.append(parts.pop(place))
        elif choice == 3:  # its start overlaps, or leaves a gap
            start = place * size + random.choice((-size, -1, 1, 1 << 14, 1 << 63))
            parts[place] = part[:12] + struct.pack("<Q", start % (1 << 64)) + part[20:]
        elif choice == 4:  # its data overlap those of the next one
            parts[place] += data[(place + 1) * size :][: random.randrange(1, 70)] or b"end"
        elif choice == 5:  # another id or length, in one or in all
            field = random.choice((4, 20))
            number = random.choice((0, len(data) - 1, len(data) + 1, 1 << 14, 1 << 63))
            changed = struct.pack("<Q", number)
            chosen = random.choice((parts[place : place + 1], parts))
            parts = [
                each[:field] + changed + each[field + 8 :] if each in chosen else each
                for each in parts
            ]
        elif choice == 6:  # cut off, in its header or its data
            parts[place] = part[: random.randrange(4, len(part) + 1)]
        sources = [source] * len(parts)
        if choice == 7:
            sources[place % len(parts)] = Address(source.ip, source.port + 1)
        self.fragments += zip(parts, sources, strict=True)

    def _valid(self) -> bytes:
        random = self.random
        is_off = self.witness.state in (State.OFF, State.RECOVERING, State.FETCHING)
        if is_off and random.random() < 0.8:
            return self._recovery()
        return random.choices(
            (
                self._prepare,
                self._commit,
                self._read,
                self._request,
                self._transfer,
                self._start_view,
                self._change,
                self._set_up,
                self._foreign,
                self._recovery,
            ),
            (40, 14, 8, 6, 8, 7, 6, 4, 1, 1),
        )[0]()

    # ---- Parts ----

    def _view(self) -> int:
        """Mostly the present one."""
        random, view = self.random, self.witness.view
        return max(0, view + random.choices((0, -1, 1, 2, 3), (80, 5, 6, 5, 4))[0])

    def _operation(self) -> bytes:
        return self.random.randbytes(self.random.choice(OP_SIZES))

    def _one_request(self) -> Request:
        random = self.random
        return Request(random.getrandbits(64), random.getrandbits(64), self._operation())

    def _near(self, number: int) -> int:
        step = self.random.choices((0, -1, -3, 1, 2), (60, 15, 10, 10, 5))[0]
        return max(0, number + step)

    def _entries(self, view: int, first: int) -> list[Entry]:
        random = self.random
        count = random.choice((0, 1, 1, 2, 3, 5, 8, 14))
        views = sorted(random.randint(max(0, view - 2), view) for _ in range(count))
        if random.random() < 0.08:  # not in order
            random.shuffle(views)
        return [
            Entry(each, first + n, self._one_request(), random.choice((0, 1, 1)))
            for n, each in enumerate(views)
        ]

    # ---- Messages ----

    def _prepare(self) -> bytes:
        random, witness = self.random, self.witness
        start = max(1, self._near(witness.last + 1))
        count = random.choice(self.requests)
        clean = self._near(random.choice((0, witness.committed, witness.committed - 2)))
        requests = [self._one_request() for _ in range(count)]
        if count > 7:
            requests = [Request(each.client, each.number, b"") for each in requests]
        return Prepare.of(self._view(), start, requests, clean).encode()

    def _commit(self) -> bytes:
        return Commit(self._view(), self._near(self.witness.last)).encode()

    def _read(self) -> bytes:
        random = self.random
        return ValidateRead(self._view(), random.getrandbits(64), random.getrandbits(64)).encode()

    def _request(self) -> bytes:
        low, high = self.witness.cleaned, self.witness.last
        number = self._near(self.random.randint(low, high))
        return RequestStateTransfer(self._view(), number).encode()

    def _transfer(self) -> bytes:
        witness, view = self.witness, self._view()
        near = witness.last if view == witness.view else witness.committed
        first = max(1, self._near(near + 1))
        entries = self._entries(view, first)
        committed = self._near(self.random.choice((witness.committed, first + len(entries) - 1)))
        return StateTransfer(view, committed, encode_entries(entries)).encode()

    def _start_view(self) -> bytes:
        witness, view = self.witness, self._view()
        first = max(1, self._near(witness.committed + 1))
        entries = self._entries(view, first)
        last = first + len(entries) - 1
        committed = self._near(self.random.choice((witness.committed, last)))
        return StartView(view, last, committed, encode_entries(entries)).encode()

    def _change(self) -> bytes:
        random, witness = self.random, self.witness
        replica = random.randrange(8 if random.random() < 0.1 else max(1, witness.count))
        view = witness.view + random.choice((0, 0, 0, 1, 2, 3))
        return StartViewChange(view, replica, self._near(witness.committed)).encode()

    def _set_up(self) -> bytes:
        random = self.random
        mode = random.choice((0, 1, 1, 2, 2, 2, 3))
        slot, port = random.randrange(9), random.choice((9000, 70000))
        index, count = random.randrange(4), random.choice((3, 3, 5, 7, 4))
        ip = random.getrandbits(32)
        nonce = max(0, self.witness._nonce + random.choice((-1, 0, 1, 1 << 16)))
        return SetUp(1, mode, index, count, slot, ip, port, nonce).encode()

    def _foreign(self) -> bytes:
        return Recovery(1, self.random.randrange(3), self.random.getrandbits(64)).encode()

    def _recovery(self) -> bytes:
        random, witness = self.random, self.witness
        if witness.state == State.OFF:
            return random.choice(set_ups(1, random.choice((3, 3, 5)), random.getrandbits(63)))
        if witness.state == State.FETCHING and random.random() < 0.8:
            entries = self._entries(witness.view, self._near(witness.last + 1) or 1)
            committed = self._near(witness.last)
            return StateTransfer(witness.view, committed, encode_entries(entries)).encode()
        view = random.choice((0, 2, witness._highest, witness._highest, witness._highest))
        base = random.randrange(5)
        last = base + random.choice((0, 0, 1, 3))
        message = RecoveryResponse(
            1,
            random.choice((0, 2, 2, 4, random.randrange(8))),
            witness._nonce + random.choice((0, 0, 0, 0, 0, 1)) & (1 << 64) - 1,
            view,
            last,
            random.choice((base, last)),
            base if random.random() < 0.95 else last + 1,
        )
        return message.encode()

    # ---- Malformed ----

    def _malformed(self, data: bytes) -> bytes:
        """The message with an error; a chance remains that it is valid."""
        random = self.random
        choice = random.randrange(7)
        if choice == 0:  # cut, with the size as it was or corrected
            data = data[: random.randrange(len(data))]
            return data if random.random() < 0.5 else self._sized(data)
        if choice == 1:
            return self._sized(data + random.randbytes(random.randrange(1, 70)))
        if choice == 2:
            return random.randbytes(4) + data[4:]
        if choice == 3:
            return data[:4] + bytes((random.choice((0, 3, 6, 15, 127, 132, 255)),)) + data[5:]
        if choice == 4:  # a field of the header, or of the first entry
            place = random.choice(range(5, 53, 8)) if len(data) > 60 else 5
            number = random.choice((0, 1, 24, 1 << 47, 1 << 48, (1 << 64) - 64, (1 << 64) - 1))
            return data[:place] + struct.pack(">Q", number) + data[place + 8 :]
        if choice == 5:  # a length inside
            place = random.randrange(13, len(data) + 1)
            place -= (place - 13) % 8
            if place + 8 > len(data):
                return data[:-1]
            number = random.choice((0, 1, 63, 64, 65, 128, 16384, 1 << 48, 1 << 63))
            return data[:place] + struct.pack(">Q", number) + data[place + 8 :]
        return FRAGMENT_MAGIC + struct.pack("<QQQ", 1, 0, len(data)) + data  # all in one

    def _sized(self, data: bytes) -> bytes:
        return data[:5] + struct.pack(">Q", max(0, len(data) - 13)) + data[13:]


__all__ = ["REQUESTS", "Cases", "address", "responses", "set_ups"]
