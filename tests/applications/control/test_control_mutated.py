# SPDX-License-Identifier: Apache-2.0
"""Mutated requests to a controller: what the format says happens, and nothing else.

Sealed, no mutation changes anything. Without sealing, every mutation is compared with a reference
of docs/applications/control/format.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from bombus.applications.control.messages import (
    HEADER_BYTES,
    MAX_BODY_WORDS,
    MAX_RESULT_WORDS,
    Key,
    Status,
    answer,
    masked_write,
    read,
    request,
    words,
    write,
    write_block,
)
from tests.applications.control.controller_bench import (
    ADDRESS,
    BAD_TAG,
    BUSY,
    ENTRIES,
    KEY,
    LONG,
    MALFORMED,
    NO_KEYS,
    TABLE,
    Driver,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

NO_KEY = Key(None)
OWN_WINDOW = 6
STAGED_WORDS = 4096
HELLO = (MAX_BODY_WORDS, STAGED_WORDS, MAX_RESULT_WORDS, 12)
AT_ONCE = 500  # messages before a look at the table
CLIENTS = (0x1_0000_0001, 0x2)


@dataclass
class Reference:
    """A controller without sealing, by the format."""

    boot: int
    table: list[int] = field(default_factory=lambda: [0] * ENTRIES)
    staged: list[int] = field(default_factory=list)
    staged_client: int = 0
    last: tuple[int, int, int] = (0, 0, 0)  # number, status and item
    sent: int = 1  # answers, with the first hello

    def __call__(self, message: bytes) -> bytes | None:
        """The answer; None: the message is malformed."""
        header = message[:HEADER_BYTES]
        length = int.from_bytes(header[4:6], "little")
        if (
            len(message) != HEADER_BYTES + length
            or header[:3] != b"BC\1"
            or length % 4
            or length > 4 * MAX_BODY_WORDS
            or header[6] & 0xFC
            or header[7]
        ):
            return None
        body = [
            int.from_bytes(message[n : n + 4], "little")
            for n in range(HEADER_BYTES, len(message), 4)
        ]
        status, result = self._answer(header, body)
        answer_header = b"BC\x81" + header[3:4] + (4 * len(result)).to_bytes(2, "little")
        answer_header += bytes((0, status)) + self.boot.to_bytes(8, "little")
        answer_header += self.sent.to_bytes(8, "little") + header[24:32]
        self.sent += 1
        return answer_header + words(*result)

    def _answer(self, header: bytes, body: list[int]) -> tuple[int, list[int]]:
        boot, client, number = (int.from_bytes(header[n : n + 8], "little") for n in (8, 16, 24))
        if not number and not body:
            return Status.OK, [self.last[0] & 0xFFFFFFFF, self.last[0] >> 32, *HELLO]
        if boot != self.boot:
            return Status.OTHER_BOOT, [0]
        if number <= self.last[0] or number >> 62:
            return Status.REPEATED, list(self.last[1:])
        status, item, result = self._batch(header[6], client & 0xFFFFFFFF, body)
        self.last = (number, status, item)
        return status, result if status == Status.OK else [item]

    def _batch(self, flags: int, client: int, body: list[int]) -> tuple[int, int, list[int]]:
        more, continues = flags & 1, flags & 2
        if continues and (not self.staged or self.staged_client != client):
            return Status.CUT, 0, []
        if not continues:
            self.staged = []
        if len(self.staged) + len(body) > STAGED_WORDS:
            self.staged = []
            return Status.TOO_LONG, 0, []
        self.staged += body
        self.staged_client = client
        if more:
            return Status.OK, 0, []
        batch, self.staged = self.staged, []
        items = list[tuple[int, int, list[int]]]()
        at = results = 0
        while at < len(batch):
            operation, address = batch[at] & 3, batch[at] & ~3
            second = batch[at + 1] if at + 1 < len(batch) else 0
            count = second if operation in (0, 3) else 1
            end = at + {0: 2, 1: 2, 2: 3, 3: 2 + count}[operation]
            if end > len(batch) or not 1 <= count <= MAX_RESULT_WORDS:
                return Status.MALFORMED, len(items), []
            for each in (address, address + 4 * (count - 1)):
                if each >> 28 or each >> 12 == OWN_WINDOW:
                    return Status.NO_RIGHT, len(items), []
            results += count if operation == 0 else 0
            if results > MAX_RESULT_WORDS:
                return Status.TOO_LONG, len(items), []
            items.append((operation, address, batch[at + 1 : end]))
            at = end
        return Status.OK, 0, [word for item in items for word in self._access(*item)]

    def _access(self, operation: int, address: int, data: list[int]) -> list[int]:
        if operation == 0:
            return [self._read(address + 4 * n) for n in range(data[0])]
        if operation == 1:
            self._write(address, data[0])
        elif operation == 2:
            self._write(address, self._read(address) & ~data[0] | data[1] & data[0])
        else:
            for n, value in enumerate(data[1:]):
                self._write(address + 4 * n, value)
        return []

    def _read(self, address: int) -> int:
        entry = (address - TABLE) // 4
        return self.table[entry] if 0 <= entry < ENTRIES else 0

    def _write(self, address: int, value: int) -> None:
        entry = (address - TABLE) // 4
        if 0 <= entry < ENTRIES:
            self.table[entry] = value


def batch(random: Random) -> bytes:
    """A few valid items."""
    body = b""
    for _ in range(random.randrange(1, 5)):
        entry = random.randrange(ENTRIES)
        count = random.randrange(1, ENTRIES - entry + 1)
        address, value = TABLE + 4 * entry, random.getrandbits(32)
        body += random.choice(
            (
                read(address, count),
                write(address, value),
                masked_write(address, random.getrandbits(32), value),
                write_block(address, [random.getrandbits(32) for _ in range(min(count, 4))]),
            )
        )
    return body


def mutated(random: Random, message: bytes) -> bytes:
    """Another message: bits changed, cut, longer, or its end random."""
    data = bytearray(message)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        kind = random.randrange(8)
        if kind < 4 or not data:
            if data:
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        elif kind == 4:
            del data[random.randrange(len(data)) :]
        elif kind == 5:
            data += random.randbytes(random.randrange(1, 100))
        elif kind == 6:
            start = random.randrange(len(data))
            data[start:] = random.randbytes(len(data) - start)
        else:  # words, and a length that fits
            at = HEADER_BYTES + 4 * random.randrange(1 + max(0, len(data) - HEADER_BYTES) // 4)
            word = words(random.choice((random.getrandbits(32), random.randrange(2048))))
            data[at : at + random.choice((0, 4, 8))] = word
            if len(data) >= HEADER_BYTES:
                data[4:6] = (len(data) - HEADER_BYTES & 0xFFFC).to_bytes(2, "little")
    return bytes(data) if data else b"\0"


COUNTS = (1500, pytest.param(500_000, marks=pytest.mark.sweep))


@pytest.mark.parametrize("count", COUNTS)
def test_sealed_requests(benches: Benches, count: int) -> None:
    """None has an answer or an effect, and each is counted."""
    random = Random(39)
    driver = Driver(benches("controller", Sealed=1))
    boot = driver.hello(KEY)
    good = [
        request(KEY, 1000 + n, batch(random), boot=boot, client=random.choice(CLIENTS))
        for n in range(64)
    ]
    first = write_block(TABLE, list(range(100, 100 + ENTRIES)))
    (done,) = driver.exchange([request(KEY, 1, first, boot=boot, client=1)])
    assert answer(KEY, done).status == Status.OK
    before = driver.table
    driver.events.clear()
    for start in range(0, count, AT_ONCE):
        number = min(AT_ONCE, count - start)
        sent = []
        while len(sent) < number:
            message = mutated(random, random.choice(good))
            if message not in good:
                sent.append(message)
        assert driver.exchange(sent) == [] and driver.table == before
    ignored = {kind: driver.events[kind] for kind in (MALFORMED, NO_KEYS, BAD_TAG)}
    assert all(ignored.values())
    assert sum(ignored.values()) == driver.events.total() == count
    for message in good:  # and all of them are still valid
        (done,) = driver.exchange([message])
        assert answer(KEY, done).status == Status.OK


@pytest.mark.parametrize("count", COUNTS)
def test_requests_without_sealing(benches: Benches, count: int) -> None:
    """Answers, tables and counters are those of the reference."""
    random = Random(93)
    driver = Driver(benches("controller", Sealed=0))
    done, seen = 0, set[int]()
    while done < count:
        driver.reset()
        reference = Reference(driver.hello(NO_KEY))
        number, malformed = 1, 0
        while done < count and reference.last[0] < 1 << 40:
            sent, expected = [], []
            for _ in range(min(AT_ONCE, count - done)):
                flags = {"more": random.random() < 0.2, "continues": random.random() < 0.2}
                client, body = random.choice(CLIENTS), batch(random)
                if random.random() < 0.02:
                    body = read(TABLE, MAX_RESULT_WORDS - 1)
                    body += read(TABLE, random.randrange(1, 4))
                if random.random() < 0.1:
                    body = body[: 4 * random.randrange(len(body) // 4)]
                message = request(NO_KEY, number, body, boot=reference.boot, client=client, **flags)
                if random.random() < 0.7:
                    message = mutated(random, message)
                found = reference(message)
                malformed += found is None
                expected += [found] if found is not None else []
                sent.append(message)
                number = max(number, reference.last[0]) + 1
            done += len(sent)
            assert driver.exchange(sent) == expected and driver.table == reference.table
            seen |= {each[7] for each in expected}
        assert driver.events[MALFORMED] == malformed
        assert not any(driver.events[each] for each in (BUSY, LONG, ADDRESS, NO_KEYS, BAD_TAG))
    assert seen >= {*Status} - {Status.BUSY}
