# SPDX-License-Identifier: Apache-2.0
"""An independent TCP endpoint (RFC 9293) without input and output of its own: segments, calls
and times go in, segments come out. It is the peer in tests of the engine.

One connection; receives out of order, acknowledges every segment that carries something,
sends again by a timer, and by SACK (RFC 2018) what three acknowledgements have left out.
Sequence numbers are taken modulo 2**32, times are in us.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from bombus.protocols.tcp.segment import WORD, Segment, distance

DEFAULT_MSS = 536


class State(Enum):
    """RFC 9293, 3.3.2."""

    CLOSED = auto()
    LISTEN = auto()
    SYN_SENT = auto()
    SYN_RECEIVED = auto()
    ESTABLISHED = auto()
    FIN_WAIT_1 = auto()
    FIN_WAIT_2 = auto()
    CLOSE_WAIT = auto()
    CLOSING = auto()
    LAST_ACK = auto()
    TIME_WAIT = auto()


_SENDS = {State.ESTABLISHED, State.CLOSE_WAIT, State.FIN_WAIT_1, State.CLOSING, State.LAST_ACK}
_TAKES = {State.ESTABLISHED, State.FIN_WAIT_1, State.FIN_WAIT_2}
_DONE = {State.CLOSING, State.LAST_ACK, State.TIME_WAIT}  # a reset is no longer a failure


@dataclass
class Endpoint:
    """One end of a connection."""

    iss: int
    mss: int = 1460
    scale: int | None = 7
    timestamps: bool = True
    sack_permitted: bool = True
    buffer: int = 1 << 20  # receive buffer in bytes
    timeout_us: int = 200_000
    now: int = 0  # us

    state: State = State.CLOSED
    received: bytearray = field(default_factory=bytearray)  # not read yet
    failed: bool = False
    sent_segments: int = 0

    def __post_init__(self) -> None:
        self._una = self._nxt = self.iss
        self._to_send = bytearray()  # from _una on, without SYN and FIN
        self._closing = False
        self._rcv_nxt = 0
        self._ahead: dict[int, bytes] = {}
        self._fin_at: int | None = None
        self._wnd = 0
        self._peer_mss = DEFAULT_MSS
        self._peer_scale = 0
        self._scaled = self._stamps = self._sack = False
        self._latest: list[int] = []  # segments of _ahead, most recent first
        self._sacked: set[int] = set()  # positions that the peer has, from _una on
        self._sack_acks = 0  # acknowledgements with new SACK information at this _una
        self._resent = 0  # positions below are not retransmitted, from _una on
        self.sacks_heard = 0
        self.resent_bytes = 0
        self._recent = 0
        self._deadline: int | None = None
        self._out: list[Segment] = []

    # ---- Calls ----

    def connect(self) -> None:
        self.state = State.SYN_SENT
        self._send_syn()

    def listen(self) -> None:
        self.state = State.LISTEN

    def send(self, data: bytes) -> None:
        assert not self._closing
        self._to_send += data
        self._send_what_fits()

    def read(self, count: int | None = None) -> bytes:
        """Reads bytes; sends a window update if the window was closed."""
        before = self._window()
        data = bytes(self.received[:count])
        del self.received[: len(data)]
        if before < self._peer_mss <= self._window() and self.state in _TAKES:
            self._emit(self._bare())
        return data

    def close(self) -> None:
        self._closing = True
        self._send_what_fits()

    def abort(self) -> None:
        self._emit(self._bare(), flags={"rst", "ack"})
        self._end(failed=True)

    def take(self) -> list[Segment]:
        """Segments to be sent."""
        out, self._out = self._out, []
        self.sent_segments += len(out)
        return out

    @property
    def deadline(self) -> int | None:
        """When `tick` is due, in us."""
        return self._deadline

    @property
    def unacknowledged(self) -> int:
        return len(self._to_send)

    def tick(self, now: int) -> None:
        """Time passes: retransmits data that is not acknowledged."""
        self.now = now
        if self._deadline is None or now < self._deadline:
            return
        self._deadline = None
        if self.state is State.TIME_WAIT:
            self._end()
        elif self.state in (State.SYN_SENT, State.SYN_RECEIVED):
            self._send_syn()
        else:
            self._nxt = self._una
            self._sacked.clear()  # RFC 2018, 8
            self._sack_acks = 0
            self._send_what_fits(probe=True)

    # ---- Receive ----

    def receive(self, segment: Segment) -> None:
        if self.state is State.LISTEN:
            if "syn" in segment.flags:
                self._learn(segment)
                self.state = State.SYN_RECEIVED
                self._send_syn()
            return
        if self.state is State.SYN_SENT:
            self._receive_syn_sent(segment)
            return
        if self.state is State.CLOSED:
            return
        if self._stamps and segment.timestamps:
            value = segment.timestamps[0]
            if distance(value, self._recent) < 0 and "rst" not in segment.flags:
                self._emit(self._bare())
                return
            if distance(segment.seq, self._rcv_nxt) <= 0:
                self._recent = value
        if not self._acceptable(segment):
            if "rst" not in segment.flags:
                self._emit(self._bare())
            return
        if "rst" in segment.flags:
            if segment.seq == self._rcv_nxt:
                self._end(failed=self.state not in _DONE)
            return
        if "syn" in segment.flags or "ack" not in segment.flags:
            self._emit(self._bare())
            return
        if self._receive_ack(segment):
            self._receive_payload(segment)

    def _receive_syn_sent(self, segment: Segment) -> None:
        acked = "ack" in segment.flags
        if acked and segment.ack != (self.iss + 1) % WORD:
            return
        if "rst" in segment.flags:
            if acked:
                self._end(failed=True)
            return
        if "syn" not in segment.flags:
            return
        self._learn(segment)
        if acked:
            self._una = segment.ack
            self._deadline = None
            self.state = State.ESTABLISHED
            self._emit(self._bare())
            self._send_what_fits()
        else:
            self.state = State.SYN_RECEIVED
            self._send_syn()

    def _learn(self, segment: Segment) -> None:
        self._rcv_nxt = (segment.seq + 1) % WORD
        self._peer_mss = segment.mss or DEFAULT_MSS
        self._scaled = segment.scale is not None and self.scale is not None
        self._peer_scale = segment.scale or 0
        self._stamps = segment.timestamps is not None and self.timestamps
        self._sack = segment.sack_permitted and self.sack_permitted
        if segment.timestamps:
            self._recent = segment.timestamps[0]
        self._wnd = segment.window

    def _acceptable(self, segment: Segment) -> bool:
        """RFC 9293, 3.10.7.4, table 6; a pure acknowledgement is acceptable even if the window is
        closed.
        """
        window = self._window()
        start = distance(segment.seq, self._rcv_nxt)
        if not len(segment):
            return start == 0 or 0 < start < window
        end = start + len(segment) - 1
        return start == 0 or 0 <= start < window or (0 <= end < window)

    def _receive_ack(self, segment: Segment) -> bool:
        """Processes the acknowledgement; returns whether the rest of the segment is processed."""
        if distance(segment.ack, self._highest()) > 0:
            self._emit(self._bare())
            return False
        new = distance(segment.ack, self._una)
        if self.state is State.SYN_RECEIVED:
            if new <= 0:
                return False
            self.state = State.ESTABLISHED
            self._una = (self._una + 1) % WORD
            new -= 1
        if new > 0:
            count = min(new, len(self._to_send))
            del self._to_send[:count]
            self._una = segment.ack
            if distance(self._nxt, self._una) < 0:
                self._nxt = self._una
            self._deadline = None
            if new > count:  # the FIN too
                self._fin_acknowledged()
        if new >= 0:
            scale = self._peer_scale if self._scaled else 0
            self._wnd = segment.window << scale
        if new >= 0 and self.state in _SENDS:
            self._learn_sacks(segment, new)
        if self.state is not State.CLOSED:
            self._send_what_fits()
        return True

    def _learn_sacks(self, segment: Segment, new: int) -> None:
        """Learns which bytes the peer has beyond gaps, and retransmits the gaps once."""
        self._sacked = {place - new for place in self._sacked if place >= new}
        self._resent = max(self._resent - new, 0)
        if new and not self._resent:
            self._sack_acks = 0
        before = len(self._sacked)
        for left, right in segment.sacks:
            self.sacks_heard += 1
            start, end = distance(left, self._una), distance(right, self._una)
            assert start < end, "an empty block"
            assert end <= len(self._to_send), "a block of bytes that were never sent"
            if start > 0:
                self._sacked |= set(range(start, end))
        self._sack_acks += len(self._sacked) > before
        if self._sack_acks < 3 or not self._sacked:
            return
        missing = sorted(set(range(self._resent, max(self._sacked))) - self._sacked)
        size = self._peer_mss - 12
        while missing:
            start = missing[0]
            count = next(n for n in range(1, size + 2) if n > size or start + n not in missing)
            count = min(count, size)
            part = bytes(self._to_send[start : start + count])
            self._emit((self._una + start) % WORD, part, {"ack", "psh"})
            self.resent_bytes += count
            missing = missing[count:]
        self._resent = max(self._sacked)

    def _fin_acknowledged(self) -> None:
        if self.state is State.FIN_WAIT_1:
            self.state = State.FIN_WAIT_2
        elif self.state is State.CLOSING:
            self._wait()
        elif self.state is State.LAST_ACK:
            self._end()

    def _receive_payload(self, segment: Segment) -> None:
        if self.state not in _TAKES or not len(segment):
            return
        if segment.payload:
            old = self._ahead.get(segment.seq, b"")
            self._ahead[segment.seq] = max(old, segment.payload, key=len)
            self._latest = [segment.seq, *(seq for seq in self._latest if seq != segment.seq)]
        if "fin" in segment.flags:
            self._fin_at = (segment.seq + len(segment.payload)) % WORD
        moved = True
        while moved:
            moved = False
            for seq in list(self._ahead):
                skip = -distance(seq, self._rcv_nxt)
                if skip < 0:
                    continue
                new = self._ahead.pop(seq)[skip:]
                new = new[: self.buffer - len(self.received)]
                if new:
                    self.received += new
                    self._rcv_nxt = (self._rcv_nxt + len(new)) % WORD
                    moved = True
        if self._fin_at == self._rcv_nxt:
            self._rcv_nxt = (self._rcv_nxt + 1) % WORD
            self._fin_at = None
            if self.state is State.ESTABLISHED:
                self.state = State.CLOSE_WAIT
            elif self.state is State.FIN_WAIT_1:
                self.state = State.CLOSING
            else:
                self._wait()
        self._emit(self._bare())

    def _sacks(self) -> tuple[tuple[int, int], ...]:
        """Ranges received beyond gaps, most recent first (RFC 2018, 4)."""
        runs: list[tuple[int, int]] = []
        for seq in sorted(self._ahead, key=lambda seq: distance(seq, self._rcv_nxt)):
            start = distance(seq, self._rcv_nxt)
            end = start + len(self._ahead[seq])
            if runs and start <= runs[-1][1]:
                runs[-1] = runs[-1][0], max(runs[-1][1], end)
            else:
                runs.append((start, end))
        self._latest = [seq for seq in self._latest if seq in self._ahead]
        told: list[tuple[int, int]] = []
        for seq in self._latest:
            place = distance(seq, self._rcv_nxt)
            run = next(run for run in runs if run[0] <= place < run[1])
            if run not in told:
                told.append(run)
        most = 3 if self._stamps else 4
        return tuple(
            ((self._rcv_nxt + left) % WORD, (self._rcv_nxt + right) % WORD)
            for left, right in told[:most]
        )

    # ---- Send ----

    def _window(self) -> int:
        return self.buffer - len(self.received)

    def _bare(self) -> int:
        """Sequence number of a segment without bytes. A peer whose window is zero takes nothing but
        its next byte (RFC 9293, 3.10.7.4), so what has probed the window does not count.
        """
        handshake = self.state in (State.SYN_SENT, State.SYN_RECEIVED)
        return self._nxt if self._wnd or handshake else self._una

    def _highest(self) -> int:
        """The position after everything that may have been sent."""
        end = self._una + len(self._to_send)
        if self.state in (State.FIN_WAIT_1, State.CLOSING, State.LAST_ACK):
            end += 1
        if self.state is State.SYN_RECEIVED:
            end += 1
        return end % WORD

    def _send_syn(self) -> None:
        flags = {"syn"}
        if self.state is State.SYN_RECEIVED:
            flags.add("ack")
        self._nxt = (self.iss + 1) % WORD
        self._emit(self.iss, flags=flags)
        self._deadline = self.now + self.timeout_us

    def _send_what_fits(self, probe: bool = False) -> None:
        if self.state not in _SENDS:
            return
        fin_sent = self.state in (State.FIN_WAIT_1, State.CLOSING, State.LAST_ACK)
        while True:
            offset = distance(self._nxt, self._una)
            room = max(self._wnd - offset, 1 if probe else 0)
            probe = False
            stamps = 12 if self._stamps else 0
            count = min(len(self._to_send) - offset, room, self._peer_mss - stamps)
            count = max(count, 0)
            ends = offset + count == len(self._to_send)
            fin = self._closing and ends and (room > count or count == 0)
            if fin and fin_sent and offset > len(self._to_send):
                fin = False
            if not count and not fin:
                break
            flags = {"ack", "psh"} if count else {"ack"}
            if fin:
                flags.add("fin")
            self._emit(self._nxt, bytes(self._to_send[offset : offset + count]), flags)
            self._nxt = (self._nxt + count + fin) % WORD
            if fin and not fin_sent:
                fin_sent = True
                closed = self.state is State.CLOSE_WAIT
                self.state = State.LAST_ACK if closed else State.FIN_WAIT_1
            if fin:
                break
        if self._deadline is None and (self._to_send or self._una != self._nxt):
            self._deadline = self.now + self.timeout_us

    def _emit(self, seq: int, payload: bytes = b"", flags: set[str] | None = None) -> None:
        flags = flags if flags is not None else {"ack"}
        syn = "syn" in flags
        scale = self.scale if self._scaled and not syn and self.scale else 0
        stamped = self.timestamps if self.state is State.SYN_SENT else self._stamps
        scales = self.state is State.SYN_SENT or self._scaled
        self._out.append(
            Segment(
                seq=seq,
                ack=self._rcv_nxt if "ack" in flags else 0,
                flags=frozenset(flags),
                window=min(self._window() >> scale, 0xFFFF),
                payload=payload,
                mss=self.mss if syn else None,
                scale=self.scale if syn and scales else None,
                sack_permitted=syn and self.sack_permitted,
                timestamps=(self.now // 1024 % WORD, self._recent) if stamped else None,
                sacks=self._sacks() if self._sack and not syn and "ack" in flags else (),
            )
        )

    def _wait(self) -> None:
        self.state = State.TIME_WAIT
        self._deadline = self.now + 1_000_000

    def _end(self, failed: bool = False) -> None:
        self.state = State.CLOSED
        self.failed = failed
        self._deadline = None

    def segments(self) -> Iterator[Segment]:
        """Yields the segments to be sent, until there are no more."""
        while out := self.take():
            yield from out
