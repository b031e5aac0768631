# SPDX-License-Identifier: Apache-2.0
"""The witness as an executable specification: state, and the datagrams that it sends.

After "Viewstamped Replication Revisited" (Liskov, Cowling 2012); docs/applications/vr/witness.md
states where it differs. It shares no code with the RTL, and is compared with it message by message.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from bombus.applications.vr.joiner import Joiner
from bombus.applications.vr.messages import (
    FRAGMENT_MAGIC,
    LINE,
    MAX_REPLICAS,
    VERSION,
    Commit,
    DoViewChange,
    Entry,
    MessageError,
    Mode,
    Prepare,
    PrepareOk,
    Recovery,
    RecoveryResponse,
    RequestStateTransfer,
    SetUp,
    SetUpReply,
    StartView,
    StartViewChange,
    State,
    StateTransfer,
    Type,
    ValidateRead,
    ValidateReadReply,
    decode,
    decode_entries,
    encode_entries,
    fragments,
    type_of,
)

NOT_FOR_WITNESSES = frozenset(
    {
        Type.PREPARE_OK,
        Type.DO_VIEW_CHANGE,
        Type.VALIDATE_READ_REPLY,
        Type.SET_UP_REPLY,
        Type.RECOVERY,
    }
)


class Address(NamedTuple):
    ip: int
    port: int


@dataclass(frozen=True)
class Sent:
    to: Address
    data: bytes


@dataclass(frozen=True)
class Limits:
    """Parameters of the layer."""

    log_lines: int = 2048  # lines of 64 bytes
    log_ops: int = 1024  # one less operation is held
    buffer_lines: int = 256  # entries of a received message
    fragment_lines: int = 22  # of a message that is sent; a longer one is cut
    join_lines: int = 0  # of a message received in fragments; 0: fragments are dropped
    retry_us: int = 1000


@dataclass
class Witness:
    limits: Limits = field(default_factory=Limits)
    locked: bool = False  # set-up by messages is refused
    state: State = State.OFF
    index: int = 0
    count: int = 0
    addresses: dict[int, Address] = field(default_factory=dict)
    view: int = 0
    log_view: int = 0  # the last view in which it was normal
    last: int = 0
    committed: int = 0
    cleaned: int = 0  # the log begins after it
    entries: dict[int, Entry] = field(default_factory=dict)
    time_us: int = 0
    counted: Counter[str] = field(default_factory=Counter)
    _sent: list[Sent] = field(default_factory=list)
    _votes: set[int] = field(default_factory=set)
    _least: int = 0  # the least committed operation in the votes
    _nonce: int = 0
    _answers: set[int] = field(default_factory=set)
    _highest: int = 0  # view among the answers
    _reached: tuple[int, int] | None = None  # last operation and cleanUpTo of its leader
    _target: int = 0
    _retry_at: int | None = None
    _asked_at: int | None = None
    _fragment_id: int = 0
    _joiner: Joiner = field(init=False)

    def __post_init__(self) -> None:
        self._joiner = Joiner(self.limits.join_lines)

    # ---- Entry points ----

    def handle(self, datagram: bytes, source: Address) -> list[Sent]:
        if self.limits.join_lines and datagram.startswith(FRAGMENT_MAGIC):
            try:
                whole = self._joiner.take(datagram, source)
            except MessageError:
                self._drop("fragment")
                return []
            if whole is None:
                self.counted["stored"] += 1
                return []
            datagram = whole
        try:
            self._handle(datagram, source)
        except MessageError:
            self.counted["malformed"] += 1
        return self._take()

    def elapse(self, time_us: int) -> list[Sent]:
        """Sets the time; repeats what has not been answered."""
        self.time_us = time_us
        if self._retry_at is not None and time_us >= self._retry_at:
            if self.state == State.RECOVERING:
                self._send_recovery()
            elif self.state == State.FETCHING:
                self._fetch()
        return self._take()

    def _take(self) -> list[Sent]:
        sent, self._sent = self._sent, []
        return sent

    def _handle(self, datagram: bytes, source: Address) -> None:
        if type_of(datagram) in NOT_FOR_WITNESSES:
            self._drop("ignored")
            return
        message = decode(datagram)
        if isinstance(message, SetUp):
            self._set_up(message, source)
        elif isinstance(message, RecoveryResponse):
            self._recovery_response(message)
        elif isinstance(message, ValidateRead):
            self._validate_read(message, source)
        elif isinstance(message, Prepare):
            self._prepare(message)
        elif isinstance(message, Commit):
            self._commit(message)
        elif isinstance(message, RequestStateTransfer):
            self._transfer(message, source)
        elif isinstance(message, StateTransfer):
            self._install(message.view, message.committed, message.entries, None)
        elif isinstance(message, StartView):
            self._install(message.view, message.committed, message.entries, message.last)
        elif isinstance(message, StartViewChange):
            self._start_view_change(message)

    def _drop(self, reason: str) -> None:
        self.counted[reason] += 1

    # ---- Set-up and recovery ----

    def _set_up(self, message: SetUp, source: Address) -> None:
        done = message.mode == Mode.QUERY
        recovers = False
        if message.mode == Mode.ADDRESS and not self.locked:
            done = message.slot < MAX_REPLICAS and message.port < 1 << 16
            if done:
                self.addresses[message.slot] = Address(message.ip, message.port)
        elif message.mode == Mode.RECOVER and not self.locked:
            done = message.count in (3, 5, 7) and message.index < message.count
            done = done and message.index % 2 == 1
            done = done and all(slot in self.addresses for slot in range(message.count))
            # Another one with this nonce is a repeated message: a nonce is used once.
            is_new = self.state == State.OFF or message.nonce > self._nonce
            recovers = done and is_new
        if recovers:
            self.index, self.count = message.index, message.count
            self._fragment_id = message.nonce  # above those of the time before a reset
            self._begin_recovery(message.nonce)
        reply = SetUpReply(
            VERSION,
            self.state,
            int(not done),
            self.index,
            self.view,
            self.last,
            self.committed,
            self.cleaned,
        )
        self._send(source, reply.encode())
        if recovers:
            self._send_recovery()

    def _begin_recovery(self, nonce: int) -> None:
        self.state = State.RECOVERING
        self.view = self.log_view = self.last = self.committed = self.cleaned = 0
        self.entries.clear()
        self._nonce = nonce % (1 << 64)
        self._answers.clear()
        self._highest = 0
        self._reached = None
        self._asked_at = None

    def _restart(self) -> None:
        """Begins a new attempt, after the view changed in this one."""
        self._begin_recovery(self._nonce + 1)
        self._send_recovery()

    def _send_recovery(self) -> None:
        for replica in range(0, self.count, 2):
            message = Recovery(VERSION, self.index, self._nonce)
            self._send(self.addresses[replica], message.encode())
        self._retry_at = self.time_us + self.limits.retry_us

    def _recovery_response(self, message: RecoveryResponse) -> None:
        if not message.cleaned <= message.committed <= message.last:
            raise MessageError("numbers do not agree")
        awaited = message.replica < self.count and message.replica % 2 == 0
        if self.state != State.RECOVERING or message.nonce != self._nonce or not awaited:
            self._drop("ignored")
            return
        leader = self._leader(message.view)
        self._answers.add(message.replica)
        if message.view > self._highest:
            self._highest, self._reached = message.view, None
        if message.view == self._highest and message.replica == leader:
            self._reached = message.last, message.cleaned
        if len(self._answers) <= self.count // 2 or self._reached is None:
            return
        self.view = self._highest
        self._target, base = self._reached
        self.last = self.committed = self.cleaned = base
        self.state = State.FETCHING
        if self._target == base:
            self._become_normal(self.view)
        else:
            self._fetch()

    def _fetch(self) -> None:
        message = RequestStateTransfer(self.view, self.last)
        self._send(self.addresses[self._leader(self.view)], message.encode())
        self._retry_at = self.time_us + self.limits.retry_us

    def _become_normal(self, view: int) -> None:
        if self.state == State.FETCHING:
            self.counted["recovered"] += 1
        self.state = State.NORMAL
        self.view = self.log_view = view
        self._retry_at = None

    # ---- Normal operation ----

    def _validate_read(self, message: ValidateRead, source: Address) -> None:
        if self.state != State.NORMAL or message.view > self.view:
            self._drop("ignored")
            return
        is_valid = message.view == self.view
        self.counted["valid" if is_valid else "invalid"] += 1
        reply = ValidateReadReply(is_valid, message.client, message.number, self.index)
        self._send(source, reply.encode())

    def _ignores(self, view: int) -> bool:
        """Drops a message of the leader of an earlier view, or one that the state does not take."""
        active = self.state in (State.NORMAL, State.VIEW_CHANGE)
        if not active or view < self.view:
            self._drop("ignored")
            return True
        return False

    def _follows(self, view: int) -> bool:
        """Whether the log is one of this view."""
        return self.state == State.NORMAL and view == self.view

    def _prepare(self, message: Prepare) -> None:
        if self._ignores(message.view):
            return
        if not self._follows(message.view) or message.start > self.last + 1:
            self._ask(message.view)
            self._clean(message.clean_up_to)
            return
        self._clean(message.clean_up_to)
        if message.op_number <= self.last:
            self._acknowledge(message.op_number)
            return
        numbered = enumerate(message.split(), message.start)
        new = [Entry(message.view, number, r) for number, r in numbered if number > self.last]
        if self._fits(new, self.last):
            self._append(new)
            self._acknowledge(message.op_number)
        else:
            self._drop("full")

    def _commit(self, message: Commit) -> None:
        if self._ignores(message.view):
            return
        if self._follows(message.view):  # what it has of the log is committed
            self.committed = max(self.committed, min(message.op_number, self.last))
            if message.op_number <= self.last:
                return
        self._ask(message.view)

    def _acknowledge(self, number: int) -> None:
        self.counted["acknowledged"] += 1
        message = PrepareOk(self.view, number, self.index, self.committed)
        self._send(self.addresses[self._leader(self.view)], message.encode())

    def _clean(self, up_to: int) -> None:
        up_to = min(up_to, self.committed)
        for number in range(self.cleaned + 1, up_to + 1):
            del self.entries[number]
        self.cleaned = max(self.cleaned, up_to)

    def _fits(self, new: list[Entry], keep: int) -> bool:
        kept = [entry for number, entry in self.entries.items() if number <= keep]
        lines = sum(len(entry.encode()) // LINE for entry in kept + new)
        return lines <= self.limits.log_lines and len(kept + new) < self.limits.log_ops

    def _append(self, new: list[Entry]) -> None:
        for entry in new:
            self.last += 1
            assert entry.op_number == self.last
            self.entries[self.last] = entry

    # ---- State transfer ----

    def _ask(self, view: int) -> None:
        """Something of this view is missing."""
        leader = self._leader(view)
        self._drop("gap")
        if self._asked_at is not None and self.time_us - self._asked_at < self.limits.retry_us:
            return
        self._asked_at = self.time_us
        message = RequestStateTransfer(self.log_view, self.committed)
        self._send(self.addresses[leader], message.encode())

    def _transfer(self, message: RequestStateTransfer, source: Address) -> None:
        too_high = message.view > self.view or message.op_number > self.last
        if self.state != State.NORMAL or too_high:
            self._drop("ignored")
            return
        entries = self._after(message.op_number)
        self._send_long(source, StateTransfer(self.view, self.committed, entries).encode())

    def _after(self, number: int) -> bytes:
        first = max(number, self.cleaned) + 1
        return encode_entries([self.entries[n] for n in range(first, self.last + 1)])

    def _install(self, view: int, committed: int, data: bytes, last: int | None) -> None:
        """Entries of a StateTransfer, or (last) of a StartView."""
        is_start = last is not None
        fetches = self.state == State.FETCHING
        if self.state in (State.OFF, State.RECOVERING) or view < self.view:
            self._drop("ignored")
            return
        if is_start and view == self.view and self.state != State.VIEW_CHANGE:
            if fetches:
                self._drop("ignored")
            else:  # the leader has missed the first one
                self._acknowledge(self.last)
            return
        if len(data) // LINE > self.limits.buffer_lines:
            self._drop("long")
            return
        entries = decode_entries(data, view)
        if is_start and entries and entries[-1].op_number != last:
            raise MessageError("the last entry is another")
        leader = self._leader(view)
        if fetches and view > self.view:
            self._restart()
            return
        same = view == self.view and self.state != State.VIEW_CHANGE
        if same:  # although the entries may not fit
            self.committed = max(self.committed, min(committed, self.last))
        keep = self.last if same else self.committed
        without = keep if last is None else last
        before = entries[0].op_number - 1 if entries else without
        jumps = before > keep
        end = max(keep, entries[-1].op_number if entries else before)
        # A log becomes that of another view only as a whole.
        if (jumps and before > committed) or (not same and committed > end):
            self._missing(view, leader, is_start)
            return
        new = [entry for entry in entries if entry.op_number > keep]
        kept = -1 if jumps else keep
        if not self._fits(new, kept):
            self._drop("full")
            return
        if jumps:
            self.entries.clear()
            self.cleaned = self.committed = keep = before
        for number in [number for number in self.entries if number > keep]:
            del self.entries[number]
        self.last = keep
        self._append(new)
        self.committed = max(self.committed, min(committed, self.last))
        self._asked_at = None
        if fetches:
            if self.last >= self._target:
                self._become_normal(view)
            elif new:
                self._fetch()
                return
            else:
                return
        elif not same:
            self._become_normal(view)
        elif not new and not jumps:
            return
        self._acknowledge(self.last)

    def _missing(self, view: int, leader: int, is_start: bool) -> None:
        """The entries leave a gap: a new transfer is needed."""
        if is_start:
            self._ask(view)
        else:
            self._drop("gap")

    # ---- View change ----

    def _start_view_change(self, message: StartViewChange) -> None:
        sender, view = message.replica, message.view
        if sender >= MAX_REPLICAS:
            raise MessageError("no such replica")
        if self.state in (State.OFF, State.RECOVERING) or view < self.view:
            self._drop("ignored")
            return
        if sender >= self.count or sender == self.index:
            self._drop("ignored")
            return
        if view == self.view and self.state != State.VIEW_CHANGE:
            self._drop("ignored")
            return
        leader = self._leader(view)
        if self.state == State.FETCHING:
            self._restart()
            return
        quorum = self.count // 2
        had_quorum, repeated = False, False
        own = StartViewChange(view, self.index, self.committed).encode()
        if view > self.view:
            self.counted["view_change"] += 1
            self.state, self.view = State.VIEW_CHANGE, view
            self._votes, self._least = {sender}, min(self.committed, message.committed)
            self._asked_at = None
            for replica in range(self.count):
                if replica != self.index:
                    self._send(self.addresses[replica], own)
        else:
            had_quorum = len(self._votes) >= quorum
            repeated = sender in self._votes and sender % 2 == 0
            self._votes.add(sender)
            self._least = min(self._least, message.committed)
            if repeated:
                self._send(self.addresses[sender], own)
        if len(self._votes) >= quorum and (repeated or not had_quorum):
            vote = DoViewChange(
                view,
                self.log_view,
                self.last,
                self.committed,
                self.index,
                self._after(self._least),
            )
            self._send_long(self.addresses[leader], vote.encode())

    # ---- Sending ----

    def _leader(self, view: int) -> int:
        leader = view % self.count
        if leader % 2:
            raise MessageError("a witness cannot lead")
        return leader

    def _send(self, to: Address, data: bytes) -> None:
        self._sent.append(Sent(to, data))

    def _send_long(self, to: Address, data: bytes) -> None:
        size = self.limits.fragment_lines * LINE
        if len(data) <= size:
            self._send(to, data)
            return
        for fragment in fragments(data, self._fragment_id, size):
            self._send(to, fragment)
        self._fragment_id = (self._fragment_id + 1) % (1 << 64)
