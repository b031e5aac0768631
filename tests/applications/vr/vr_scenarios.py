# SPDX-License-Identifier: Apache-2.0
"""Sequences of messages in which a rule of the protocol matters; for the model and for the RTL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bombus.applications.vr.messages import (
    Commit,
    Entry,
    Mode,
    Prepare,
    Request,
    SetUp,
    StartView,
    StartViewChange,
    State,
    StateTransfer,
    encode_entries,
    fragments,
)
from bombus.applications.vr.model import Limits, Witness
from tests.applications.vr.vr_cases import responses, set_ups

LIMITS = Limits(
    log_lines=64, log_ops=16, buffer_lines=32, fragment_lines=4, join_lines=16, retry_us=100
)
MOST_OPS = LIMITS.log_ops - 1
REQUEST = Request(1, 2, b"operation")
EMPTY = Request(1, 2, b"")  # takes one line


class Target(Protocol):
    """A witness, with its model, to which messages are sent."""

    model: Witness

    def send(self, data: bytes) -> None: ...


Scenario = Callable[[Target], None]


def begin(target: Target, nonce: int = 1 << 20) -> None:
    for data in set_ups(1, 3, nonce):
        target.send(data)
    assert target.model.state == State.RECOVERING


def join(target: Target) -> None:
    begin(target)
    for data in responses(target.model):
        target.send(data)
    assert target.model.state == State.NORMAL


def repeated_set_up(target: Target) -> None:
    """A witness that has voted does not recover with the same nonce once more."""
    nonce = 1 << 20
    join(target)
    old = responses(target.model)
    target.send(Prepare.of(0, 1, [REQUEST]).encode())
    assert target.model.last == 1
    for number in (nonce, nonce - 1, 0):
        target.send(SetUp(mode=Mode.RECOVER, index=1, count=3, nonce=number).encode())
        for data in old:
            target.send(data)
        assert (target.model.state, target.model.last) == (State.NORMAL, 1)
    begin(target, nonce + 1)
    for data in old:
        target.send(data)
    assert target.model.state == State.RECOVERING


def transfer(
    view: int, committed: int, first: int, count: int, request: Request = REQUEST
) -> bytes:
    entries = [Entry(view, first + n, request) for n in range(count)]
    return StateTransfer(view, committed, encode_entries(entries)).encode()


def set_up_without_addresses(target: Target) -> None:
    """Recovery needs the addresses of the whole group."""
    *addresses, recover = set_ups(1, 5, 9)
    for data in addresses[:5]:
        target.send(recover)
        assert target.model.state == State.OFF
        target.send(data)
    target.send(recover)
    assert target.model.state == State.RECOVERING


def truncation_during_fetch(target: Target) -> None:
    """The leader truncates its log while a witness fetches it: the log begins later."""
    begin(target)
    for data in responses(target.model, last=9, committed=4, cleaned=2):
        target.send(data)
    assert target.model.state == State.FETCHING
    target.send(transfer(0, 4, 6, 4))  # operation 5 is neither sent nor committed
    assert (target.model.state, target.model.last) == (State.FETCHING, 2)
    target.send(transfer(0, 6, 6, 2))
    assert (target.model.state, target.model.last) == (State.FETCHING, 7)
    target.send(transfer(0, 9, 9, 1))
    assert (target.model.state, target.model.last) == (State.NORMAL, 9)
    assert (target.model.cleaned, target.model.committed) == (8, 9)


def incomplete_transfer_of_a_later_view(target: Target) -> None:
    """Entries that end before the committed operation do not make the log one of that view."""
    join(target)
    for data in (
        transfer(2, 100, 1, 3),
        transfer(2, 100, 1, 0),
        StartView(2, 0, 100, b"").encode(),
        StartView(2, 100, 101, b"").encode(),
        transfer(2, 5, 4, 1),
    ):
        target.send(data)
        assert (target.model.view, target.model.last) == (0, 0)
    target.send(transfer(2, 3, 1, 3))
    assert (target.model.view, target.model.last) == (2, 3)
    target.send(transfer(2, 100, 4, 1))  # of the same view: a part
    assert (target.model.last, target.model.committed) == (4, 4)
    target.send(StartView(6, 100, 100, b"").encode())  # all is committed and truncated
    assert (target.model.view, target.model.last) == (6, 100)


def wrap_around_of_numbers(target: Target) -> None:
    """Operation 0 does not follow 2^48 - 1."""
    join(target)
    last = (1 << 48) - 1
    entries = encode_entries([Entry(0, last, REQUEST), Entry(0, 0, REQUEST)])
    target.send(StateTransfer(0, last, entries).encode())
    assert target.model.last == 0
    assert target.model.counted["malformed"] == 1


def last_entry_cut_off(target: Target) -> None:
    """Its length says more than the message has."""
    join(target)
    entries = encode_entries([Entry(0, 1, REQUEST), Entry(0, 2, Request(1, 3, bytes(200)))])
    for lines in (1, 2, 3):
        target.send(StateTransfer(0, 0, entries[: -64 * lines]).encode())
        assert target.model.last == 0
    target.send(StateTransfer(0, 0, entries).encode())
    assert target.model.last == 2


def missing_and_overlapping_fragments(target: Target) -> None:
    """Only all fragments, in order and without overlap, are a message."""
    join(target)
    entries = encode_entries([Entry(2, 1 + n, REQUEST) for n in range(4)])
    message = StartView(2, 4, 1, entries).encode()
    size = 150
    parts = fragments(message, 7, size)
    assert len(parts) == 4
    again = fragments(message, 8, size)
    overlapping = fragments(message, 7, size + 1)
    longer = fragments(message + b"end", 7, size)
    for wrong in (
        parts[:3],  # incomplete; the next one begins again
        parts[1:],
        [parts[0], parts[1], parts[3]],
        [parts[0], parts[2], parts[1], parts[3]],
        [parts[0], parts[1], parts[1], parts[2], parts[3]],
        [parts[0], parts[1], again[2], parts[3]],
        [parts[0], parts[1], longer[2], parts[3]],
        [parts[0], overlapping[0], *parts[1:]],
        [overlapping[0], *parts[1:]],
        [*parts[:3], parts[3] + b"end"],
        [parts[0][:28], *parts[1:]],
    ):
        for part in wrong:
            target.send(part)
        assert (target.model.view, target.model.last) == (0, 0)
    for part in parts:
        target.send(part)
    assert (target.model.view, target.model.last) == (2, 4)


def messages_between_fragments(target: Target) -> None:
    """Other messages do not disturb an incomplete one, and are answered meanwhile."""
    join(target)
    parts = fragments(Prepare.of(0, 3, [REQUEST] * 3).encode(), 1, 29)
    for part, number in zip(parts, range(1, 3), strict=False):
        target.send(part)
        target.send(Prepare.of(0, number, [REQUEST]).encode())
        assert target.model.last == number
    for part in parts[2:]:
        target.send(part)
    assert target.model.last == 5


def fill(target: Target, request: Request = EMPTY, count: int = MOST_OPS) -> None:
    """Normal state with a full log, of which nothing is known to be committed."""
    join(target)
    target.send(Prepare.of(0, 1, [request] * count).encode())
    target.send(Prepare.of(0, count + 1, [request]).encode())
    assert (target.model.last, target.model.counted["full"]) == (count, 1)


def commits_lost_before_the_log_is_full(target: Target) -> None:
    """A Commit beyond the log commits what the log has, which cleanUpTo can then free."""
    fill(target)
    target.send(Commit(0, MOST_OPS + 1).encode())
    assert (target.model.committed, target.model.counted["gap"]) == (MOST_OPS, 1)
    target.send(transfer(0, MOST_OPS + 1, 1, MOST_OPS + 1, EMPTY))
    assert target.model.counted["full"] == 2
    target.send(Prepare.of(0, MOST_OPS + 2, [EMPTY], 3).encode())
    assert target.model.cleaned == 3
    target.send(transfer(0, MOST_OPS + 1, MOST_OPS + 1, 2, EMPTY))
    assert target.model.last == MOST_OPS + 2


def transfer_that_does_not_fit(target: Target) -> None:
    """Of this view: it commits what the log has. Of a later view: it does not."""
    fill(target)
    target.send(transfer(2, MOST_OPS + 1, 1, MOST_OPS + 1, EMPTY))
    assert (target.model.committed, target.model.counted["full"]) == (0, 2)
    target.send(transfer(0, 4, 1, MOST_OPS + 1, EMPTY))
    assert (target.model.committed, target.model.counted["full"]) == (4, 3)
    target.send(transfer(0, 2, 1, MOST_OPS + 1, EMPTY))
    assert target.model.committed == 4
    target.send(transfer(0, MOST_OPS + 1, 1, MOST_OPS + 1, EMPTY))
    assert target.model.committed == MOST_OPS
    target.send(transfer(0, 100, 90, 2, EMPTY))  # the log begins anew
    assert (target.model.cleaned, target.model.last, target.model.committed) == (89, 91, 91)


def transfer_with_a_gap(target: Target) -> None:
    """It commits what the log of this view has."""
    join(target)
    target.send(Prepare.of(0, 1, [EMPTY] * 5).encode())
    target.send(transfer(0, 4, 8, 2, EMPTY))
    assert (target.model.last, target.model.committed) == (5, 4)
    target.send(transfer(0, 6, 8, 2, EMPTY))
    assert (target.model.last, target.model.committed) == (5, 5)
    target.send(transfer(2, 6, 8, 2, EMPTY))
    assert (target.model.view, target.model.last) == (0, 5)


def view_change_with_a_full_log(target: Target) -> None:
    """cleanUpTo of the new view makes room for its log."""
    fill(target)
    target.send(Commit(0, MOST_OPS).encode())
    target.send(StartViewChange(2, 2, MOST_OPS).encode())
    assert target.model.state == State.VIEW_CHANGE
    new = [Entry(2, MOST_OPS + 1, EMPTY)]
    start = StartView(2, MOST_OPS + 1, MOST_OPS, encode_entries(new)).encode()
    target.send(start)
    assert (target.model.state, target.model.counted["full"]) == (State.VIEW_CHANGE, 2)
    target.send(Prepare.of(1, MOST_OPS + 2, [EMPTY], 9).encode())  # of an earlier view
    assert target.model.cleaned == 0
    target.send(Prepare.of(2, MOST_OPS + 2, [EMPTY], 3).encode())
    assert target.model.cleaned == 3
    target.send(Prepare.of(3, MOST_OPS + 2, [EMPTY], 4).encode())  # of a later view
    assert target.model.cleaned == 4
    target.send(Prepare.of(4, MOST_OPS + 2, [EMPTY], 5).encode())  # a witness cannot lead
    assert target.model.cleaned == 4
    target.send(start)
    assert (target.model.state, target.model.last) == (State.NORMAL, MOST_OPS + 1)


def truncation_makes_room(target: Target) -> None:
    """A Prepare fits if what its cleanUpTo frees suffices."""
    lines = 8
    long = Request(1, 2, bytes(64 * (lines - 1)))
    held = LIMITS.log_lines // lines
    for request, count in ((EMPTY, MOST_OPS), (long, held)):
        begin(target, target.model._nonce + (1 << 20))
        for data in responses(target.model):
            target.send(data)
        target.send(Prepare.of(0, 1, [request] * count).encode())
        target.send(Commit(0, count).encode())
        for number in range(1, 2 * count):
            target.send(Prepare.of(0, count + number, [request], number - 1).encode())
            assert target.model.last == count + number - 1
            target.send(Prepare.of(0, count + number, [request], number).encode())
            assert target.model.last == count + number
            target.send(Commit(0, count + number).encode())
        cleaned = target.model.cleaned
        batch = Prepare.of(0, target.model.last - 1, [request] * 5, cleaned + 2).encode()
        target.send(batch)  # two are in the log, three do not fit
        assert (target.model.cleaned, target.model.last) == (cleaned + 2, 3 * count - 1)
        target.send(Prepare.of(0, 3 * count - 2, [request] * 5, cleaned + 3).encode())
        assert target.model.last == 3 * count + 2
    longer = Request(1, 2, bytes(64 * lines))
    target.send(Prepare.of(0, 3 * held + 3, [longer], cleaned + 4).encode())
    assert (target.model.cleaned, target.model.last) == (cleaned + 4, 3 * held + 2)


def batches_of_most_requests(target: Target) -> None:
    """As many as a message may have are sound, but do not fit into this log; more are malformed."""
    join(target)
    for count in (393, 511, 512, 680):
        target.send(Prepare.of(0, 1, [EMPTY] * count).encode())
    assert target.model.counted["full"] == 4
    too_many = Prepare(0, 1 << 10, 1, 0, 1 << 10, EMPTY.encode() * 680)
    target.send(too_many.encode())
    assert target.model.counted["malformed"] == 1
    target.send(Prepare.of(0, 1, [EMPTY] * 10).encode())
    target.send(Prepare.of(0, 1, [EMPTY] * 10).encode())
    assert target.model.last == 10


SCENARIOS: tuple[Scenario, ...] = (
    commits_lost_before_the_log_is_full,
    transfer_that_does_not_fit,
    transfer_with_a_gap,
    view_change_with_a_full_log,
    truncation_makes_room,
    batches_of_most_requests,
    repeated_set_up,
    set_up_without_addresses,
    truncation_during_fetch,
    incomplete_transfer_of_a_later_view,
    wrap_around_of_numbers,
    last_entry_cut_off,
    missing_and_overlapping_fragments,
    messages_between_fragments,
)
