# SPDX-License-Identifier: Apache-2.0
"""A program's requests to a controller: numbers, repeats, parts, and resets of the design."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

from bombus.applications.control import messages
from bombus.applications.control.ascon import TAG_BYTES
from bombus.applications.control.messages import (
    HEADER_BYTES,
    Answer,
    ControlError,
    Key,
    Status,
    answer,
    request,
)
from bombus.applications.control.transports import Transport
from bombus.registers.items import Item, Read, Write
from bombus.registers.model import WORD_BYTES

_BUSY_SECONDS = 2.0  # until a batch of another program has ended, or has been discarded
_BUSY_WAIT = 0.05
_ORDER = "a key as in the design file begins with 0x, other digits are its bytes in order"
_NO_KEY = "no key was given (--key-file, BOMBUS_KEY_FILE, BOMBUS_KEY)"

REASONS = {
    Status.MALFORMED: "the controller does not understand it",
    Status.TOO_LONG: "the batch is too long for the controller",
    Status.NO_RIGHT: "the key may not access it",
    Status.BUSY: "another program's batch is unfinished",
    Status.CUT: "a part of the batch came too late",
}


class ItemError(ControlError):
    """A batch was refused, and nothing was written. `item`: number of the one that failed."""

    def __init__(self, status: Status, item: int) -> None:
        super().__init__(f"item {item}: {REASONS.get(status, status.name)}")
        self.status, self.item = status, item


class OtherBootError(ControlError):
    """The design was reset since the last request: tables have their initial values again."""


class UnknownOutcomeError(ControlError):
    """It is not known whether a batch was carried out, or its results are lost."""


def encoded(items: Sequence[Item]) -> bytes:
    """The body of a request."""
    parts = []
    for item in items:
        if isinstance(item, Read):
            parts.append(messages.read(item.address, item.count))
        elif not isinstance(item, Write):
            parts.append(messages.masked_write(item.address, item.mask, item.value))
        elif len(item.values) == 1:
            parts.append(messages.write(item.address, item.values[0]))
        else:
            parts.append(messages.write_block(item.address, item.values))
    return b"".join(parts)


class Session:
    """Requests with one key. `timeout`: seconds until a request is repeated; `tries`: how often it
    is sent.
    """

    def __init__(
        self, transport: Transport, key: Key, *, timeout: float = 0.5, tries: int = 6
    ) -> None:
        self.transport, self.key = transport, key
        self.timeout, self.tries = timeout, tries
        self.boot = 0
        self.resets = 0  # of the design, seen so far
        self._client = secrets.randbits(64)
        self._number = 0  # of the last request; never the same twice, since it is in the nonce
        self._last = 0  # that the controller has from this key
        self.max_body_words = self.max_batch_words = self.max_result_words = 0
        overhead = HEADER_BYTES + (0 if key.secret is None else TAG_BYTES)
        fitting = (transport.max_bytes - overhead) // WORD_BYTES
        self.hello()
        self.max_body_words = min(self.max_body_words, fitting)
        self.max_result_words = min(self.max_result_words, fitting)

    def hello(self) -> None:
        """Asks for the identity of the design and the last number."""
        found = self._exchange(
            request(self.key, 0, b"", boot=0, client=self._client), 0, any_boot=True
        )
        low, high, body, batch, results, _ = found.words
        if self.boot not in (0, found.boot):
            self.resets += 1
        self.boot = found.boot
        self._last = high << 32 | low
        self._number = max(self._number, self._last)
        self.max_body_words, self.max_batch_words, self.max_result_words = body, batch, results

    def run(self, items: Sequence[Item]) -> list[int]:
        """Carries out a batch, whole or not at all; returns the words that it read.

        A batch that only reads is sent again where that is needed. Raises ItemError,
        OtherBootError, UnknownOutcomeError, or ControlError if there is no answer.
        """
        body = encoded(items)
        if len(body) > WORD_BYTES * self.max_batch_words:
            raise ItemError(Status.TOO_LONG, 0)
        reads = sum(item.count for item in items if isinstance(item, Read))
        if reads > self.max_result_words:
            raise ControlError(
                f"a batch of {reads} words to read; {self.max_result_words} fit into an answer"
            )
        only_reads = all(isinstance(item, Read) for item in items)
        deadline = time.monotonic() + _BUSY_SECONDS
        resets = self.resets
        while True:
            found = self._send_parts(body, only_reads=only_reads)
            if found is None:  # the reads may be sent again
                if self.resets - resets > self.tries:
                    raise OtherBootError("the design is reset again and again")
                continue
            if found.status in (Status.BUSY, Status.CUT) and time.monotonic() < deadline:
                time.sleep(_BUSY_WAIT)
                continue
            return self._results(found, reads)

    def _send_parts(self, body: bytes, *, only_reads: bool) -> Answer | None:
        """The answer to the last part; None: a batch that only reads has to be sent again."""
        size = WORD_BYTES * self.max_body_words
        parts = [body[n : n + size] for n in range(0, len(body), size)] or [b""]
        for n, part in enumerate(parts):
            more = n < len(parts) - 1
            found = self._once(part, more=more, continues=n > 0, only_reads=only_reads)
            if found is None or (more and found.status != Status.OK):
                return found
        return found

    def _once(self, part: bytes, *, more: bool, continues: bool, only_reads: bool) -> Answer | None:
        self._number += 1
        number = self._number
        data = request(
            self.key,
            number,
            part,
            boot=self.boot,
            client=self._client,
            more=more,
            continues=continues,
        )
        found = self._exchange(data, number)
        if found.status == Status.OTHER_BOOT:
            self.hello()
            if only_reads:
                return None
            raise OtherBootError(
                "the design was reset since the last request; nothing was written, and its tables "
                "have their initial values again"
            )
        if found.status != Status.REPEATED:
            return found
        self.hello()
        if self._last == number:  # the request was carried out, its answer was lost
            status, item = found.words
            if status != Status.OK:
                return Answer(Status(status), number, found.boot, messages.words(item))
            return None if only_reads else Answer(Status.OK, number, found.boot, b"")
        if only_reads:
            return None
        raise UnknownOutcomeError(
            "another program uses the same key; it is not known whether the batch was carried out. "
            "Give each program a key of its own"
        )

    def _results(self, found: Answer, reads: int) -> list[int]:
        if found.status != Status.OK:
            raise ItemError(found.status, found.words[0] if found.words else 0)
        if len(found.words) != reads:
            raise UnknownOutcomeError(
                "the batch was carried out, but the answer with its results was lost"
            )
        return found.words

    def _exchange(self, data: bytes, number: int, *, any_boot: bool = False) -> Answer:
        """The answer to a request, which is repeated until it comes."""
        reason = ""
        for _ in range(self.tries):
            self.transport.send(data)
            deadline = time.monotonic() + self.timeout
            while (left := deadline - time.monotonic()) > 0:
                came = self.transport.receive(left)
                if came is None:
                    break
                try:
                    found = answer(self.key, came)
                except (ControlError, ValueError) as error:
                    reason = f": {error}"
                    continue
                known = any_boot or found.boot == self.boot or found.status == Status.OTHER_BOOT
                if found.number == number and known:
                    return found
        hint = _ORDER if self.key.secret is not None else _NO_KEY
        raise ControlError(
            f"the controller has not answered {self.tries} requests{reason}. A wrong "
            f"key or an address that is not allowed has no answer either; {hint}"
        )

    def close(self) -> None:
        self.transport.close()
