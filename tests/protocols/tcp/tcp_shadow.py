# SPDX-License-Identifier: Apache-2.0
"""A reference model that follows a TCP engine by the frames at its MAC port (RFC 9293).

Where events inside the engine decide whether a segment is taken (PAWS, the number of gaps), the
model keeps bounds: what the engine certainly has, and what it may have. Positions are relative to
the initial sequence number: 0 for the SYN, 1 for the first byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.protocols.tcp.tcp_wire import WORD, Options, Wire, parse

DEFAULT_MSS = 536  # RFC 9293, 3.7.1
Span = tuple[int, int]
Key = tuple[bytes, int, int]  # address and port of the peer, own port


def place(number: int, first: int) -> int:
    """A sequence number relative to the initial one."""
    return (number - first + WORD // 2) % WORD - WORD // 2


def within(spans: Sequence[Span], left: int, right: int) -> bool:
    """Whether one of the ranges holds another."""
    return any(each[0] <= left and right <= each[1] for each in spans)


class Ranges:
    """Bytes of a stream: disjoint ranges, in order, the first one from the SYN on."""

    def __init__(self) -> None:
        self.all: list[Span] = [(0, 1)]

    def add(self, left: int, right: int) -> None:
        if left >= right:
            return
        touched = [each for each in self.all if each[0] <= right and left <= each[1]]
        ends = [end for each in (*touched, (left, right)) for end in each]
        rest = [each for each in self.all if each not in touched]
        self.all = sorted([*rest, (min(ends), max(ends))])

    def touch(self, left: int, right: int) -> bool:
        """Whether bytes overlap a range beyond a gap, or are next to it."""
        return any(each[0] <= right and left <= each[1] for each in self.all[1:])

    @property
    def next(self) -> int:
        """The first position that is missing."""
        return self.all[0][1]


class Connection:
    """One end of one incarnation of a connection; `note_*` raise AssertionError."""

    def __init__(self, key: Key, own: Mapping[str, int]) -> None:
        self.key = key
        self.own = own  # parameters of the engine
        self.iss: int | None = None
        self.fin_at: int | None = None  # position of the peer's FIN, once it has arrived
        self.irs: int | None = None
        self.time_us = 0.0
        self.stream = bytearray()  # first transmissions of bytes
        self.written: bytes | None = None  # by the application, if known
        self.fin: int | None = None
        self.max = self.ack = self.edge = 0  # of sequence numbers; of the advertised window
        self.stamp: int | None = None
        self.echo: int | None = None
        self.offer = Options()  # of the own SYN
        # Received
        self.certain, self.possible = Ranges(), Ranges()
        self.starts: set[int] = set()  # of payloads that may have been taken
        # Payloads that may have been noticed: their starts; bytes that came, and that came twice
        self.came: set[int] = set()
        self.once, self.twice = Ranges(), Ranges()
        self.fin_received = False
        self.una_certain = self.una_possible = self.send_edge = 0
        self.stamps: set[int] = set()
        self.newest_stamp: int | None = None  # that the engine may compare others with
        self.peer = Options()  # of the peer's SYN
        # SACK blocks: all, and the first ones that certainly count, with their acknowledgements
        self.reported = Ranges()
        self.reported_starts: set[int] = set()
        self.last_reported: tuple[int, int, int] | None = None

    def check(self, holds: bool, what: str, wire: Wire | None = None) -> None:
        if holds:
            return
        host, peer_port, own_port = self.key
        text = f"port {own_port} with {'.'.join(map(str, host))} port {peer_port}"
        text += f" at {self.time_us:.3f} us: {what}"
        if wire is not None:
            seq, ack = place(wire.seq, self.iss or 0), place(wire.ack, self.irs or 0)
            text += f": {','.join(sorted(wire.flags))} seq {seq} ack {ack} window {wire.window}"
            text += f", {len(wire.payload)} bytes, {parse(wire.options)}"
        raise AssertionError(text)

    @property
    def is_over(self) -> bool:
        return self.fin is not None and self.fin_received

    @property
    def stamped(self) -> bool:
        return self.offer.timestamps is not None and self.peer.timestamps is not None

    def scale(self, of: Options, wire: Wire) -> int:
        """RFC 7323, 2.2: both ends must offer it, and a SYN is never scaled."""
        both = self.offer.scale is not None and self.peer.scale is not None
        return of.scale or 0 if both and "SYN" not in wire.flags else 0

    # ---- Received ----

    def note_received(self, wire: Wire) -> None:
        """What a segment that the engine is given may change."""
        options = parse(wire.options)
        opening = "SYN" in wire.flags and self.irs is None
        if opening:
            self.irs, self.peer = wire.seq, options
            self.newest_stamp = options.timestamps and options.timestamps[0]
        if self.irs is None or "RST" in wire.flags or (self.stamped and not options.timestamps):
            return
        self._note_twice(wire, options)
        was_open = self.una_certain > 0
        possible, certain = self._acceptable(wire, options)
        if options.timestamps and (possible or opening):
            self._note_stamp(wire, options.timestamps[0])
        if "ACK" in wire.flags and self.iss is not None:
            self._note_acknowledgement(wire, options, certain or opening)
        if possible and "SYN" not in wire.flags:
            self._note_payload(wire, certain, was_open)

    def _note_twice(self, wire: Wire, options: Options) -> None:
        """Remembers what a D-SACK block may be about."""
        assert self.irs is not None
        stale = False
        if options.timestamps and self.echo is not None:
            stale = place(options.timestamps[0], self.echo) < 0  # RFC 7323, 5.3
        if not wire.payload or stale or {"SYN", "ACK"} & wire.flags != {"ACK"}:
            return
        start = place(wire.seq, self.irs)
        end = start + len(wire.payload)
        self.came.add(start)
        for left, right in self.once.all:
            if max(left, start) < min(right, end):
                self.twice.add(max(left, start), min(right, end))
        self.once.add(start, end)

    def _acceptable(self, wire: Wire, options: Options) -> tuple[bool, bool]:
        """Whether a segment may be taken, and whether it certainly is: it lies within the
        window (RFC 9293, 3.10.7.4), is not old (RFC 7323, 5.3), and acknowledges what was sent.
        """
        assert self.irs is not None
        start = place(wire.seq, self.irs)
        end, fin = start + len(wire.payload), "FIN" in wire.flags
        occupies = bool(wire.payload) or fin
        low, high = self.certain.next, self.possible.next
        limit = high + self.own["receive_bytes"]
        possible = low <= start <= limit or (occupies and low < end + fin <= limit + 1)
        certain = high <= start < self.edge or (low == high == start)
        certain |= occupies and high < end + fin and end <= self.edge
        if options.timestamps and self.newest_stamp is not None:
            stamp = options.timestamps[0]
            possible &= self.echo is None or place(stamp, self.echo) >= 0
            certain &= place(stamp, self.newest_stamp) >= 0
        ack = place(wire.ack, self.iss or 0)
        certain &= {"SYN", "ACK"} & wire.flags == {"ACK"}
        certain &= max(1, self.una_possible - self.own["send_bytes"]) <= ack <= self.max
        return possible, possible and certain

    def _note_stamp(self, wire: Wire, stamp: int) -> None:
        assert self.irs is not None
        self.stamps.add(stamp)
        newer = self.newest_stamp is None or place(stamp, self.newest_stamp) > 0
        if newer and place(wire.seq, self.irs) <= self.possible.next:  # RFC 7323, 4.3
            self.newest_stamp = stamp

    def _note_acknowledgement(self, wire: Wire, options: Options, certain: bool) -> None:
        assert self.iss is not None
        ack = place(wire.ack, self.iss)
        if ack > self.max:
            return
        self.una_possible = max(self.una_possible, ack)
        if certain:
            self.una_certain = max(self.una_certain, ack)
        window = wire.window << self.scale(self.peer, wire)
        self.send_edge = max(self.send_edge, ack + window)
        for n, (left, right) in enumerate(options.sacks):
            block = place(left, self.iss), place(right, self.iss)
            if ack < block[0] < block[1] <= self.max:
                self.reported.add(*block)
                self.reported_starts.add(block[0])
                if n == 0 and certain:
                    self.last_reported = ack, *block

    def _note_payload(self, wire: Wire, certain: bool, was_open: bool) -> None:
        """Keeps the payload and a FIN, which may be beyond a gap (RFC 9293, SHLD-31); `was_open`:
        before this segment.
        """
        assert self.irs is not None
        start = place(wire.seq, self.irs)
        end, fin = start + len(wire.payload), "FIN" in wire.flags
        if wire.payload:
            self.starts.add(start)
        ahead = {each for each in self.starts if each > self.certain.next}
        room = len(ahead) <= self.own["num_gaps"] or self.certain.touch(start, end)
        if certain and (start <= self.certain.next or room):
            self.certain.add(start, end)
            if fin and was_open and start <= self.certain.next:
                self.certain.add(end, end + 1)
        self.possible.add(start, end)
        if fin:
            self.fin_at = end
        if self.fin_at is not None and self.fin_at <= self.possible.next:
            self.possible.add(self.fin_at, self.fin_at + 1)
            self.fin_received = True

    # ---- Sent ----

    def note_sent(self, wire: Wire) -> None:
        """Checks a segment that the engine has sent, and remembers it."""
        if "RST" in wire.flags:
            self.check(self.is_over, "a reset of a connection that is not over", wire)
            return
        options = parse(wire.options)
        if "SYN" in wire.flags:
            self.iss, self.offer = wire.seq, options
        self.check(self.iss is not None, "a segment before the SYN", wire)
        self._check_stamps(wire, options)
        if "ACK" in wire.flags:
            self._check_acknowledgement(wire, options)
        else:
            self.check(wire.flags == {"SYN"}, "no acknowledgement", wire)
        self._check_bytes(wire)

    def _check_stamps(self, wire: Wire, options: Options) -> None:
        """Timestamps do not go back, and echo one that has come (RFC 7323, 3.2)."""
        if options.timestamps is None:
            self.check(not self.stamped, "no timestamps", wire)
            return
        stamp, echo = options.timestamps
        self.check(self.stamp is None or place(stamp, self.stamp) >= 0, "TSval goes back", wire)
        self.stamp = stamp
        if "ACK" in wire.flags:
            self.check(echo in self.stamps, "TSecr is no TSval that has come", wire)
            self.check(self.echo is None or place(echo, self.echo) >= 0, "TSecr goes back", wire)
            self.echo = echo

    def _check_acknowledgement(self, wire: Wire, options: Options) -> None:
        """Nothing is acknowledged that has not come in order, and no acknowledgement nor the edge
        of the window goes back (RFC 9293, 3.8.6), but for rounding by the scale (RFC 7323, 2.4).
        """
        self.check(self.irs is not None, "acknowledges without a SYN", wire)
        ack = place(wire.ack, self.irs or 0)
        has = self.possible.next
        self.check(ack >= self.ack, f"acknowledges less than before, {self.ack}", wire)
        self.check(ack <= has, f"acknowledges more than has come, {has}", wire)
        self.ack = ack
        self.certain.add(0, ack)
        scale = self.scale(self.offer, wire)
        window = wire.window << scale
        least = self.edge - (1 << scale) + 1
        self.check(ack + window >= least, f"window ends before {self.edge}", wire)
        self.check(window <= self.own["receive_bytes"], "window exceeds the buffer", wire)
        self.edge = max(self.edge, ack + window)
        blocks = [(place(a, self.irs or 0), place(b, self.irs or 0)) for a, b in options.sacks]
        for n, block in enumerate(blocks):
            self._check_block(wire, ack, block, blocks[1] if n == 0 and len(blocks) > 1 else None)

    def _check_block(
        self, wire: Wire, ack: int, block: tuple[int, int], second: tuple[int, int] | None
    ) -> None:
        """A SACK block is of bytes that have come beyond the acknowledgement (RFC 2018, 3), or the
        first one is a D-SACK block, from the start of a segment on (RFC 2883, 4).
        """
        left, right = block
        self.check(left < right, f"SACK block {block} is empty", wire)
        self.check(
            within(self.possible.all, left, right), f"bytes of SACK block {block} are missing", wire
        )
        inside = second is not None and second[0] <= left and right <= second[1]
        if right <= ack or inside:
            known = left in self.came and within(self.twice.all, left, right)
            self.check(
                known, f"D-SACK block {block} is of no segment, or of one that came once", wire
            )
            return
        self.check(left > ack, f"SACK block {block} begins before the acknowledgement", wire)
        self.certain.add(left, right)

    def _check_bytes(self, wire: Wire) -> None:
        """Bytes follow each other without a gap and never change, nor does the place of the FIN;
        new ones lie within the peer's window, but for a probe of one; all within the own buffer;
        segments are no longer than the peer's MSS (RFC 9293, 3.7.1; RFC 6691).
        """
        start = place(wire.seq, self.iss or 0)
        end = start + len(wire.payload)
        total = place(wire.end, self.iss or 0)
        if start == total:
            ok = start == self.max or start <= self.una_possible  # to a window that is closed
            self.check(ok, f"empty segment, not at {self.max}", wire)
            return
        fin, edge = "FIN" in wire.flags, self.send_edge
        self.check(start <= self.max, f"bytes after a gap from {self.max} on", wire)
        self.check(self.fin is None or end <= self.fin, f"bytes after the FIN at {self.fin}", wire)
        self.check(not fin or self.fin in (None, end), f"FIN was at {self.fin}", wire)
        if fin:
            self.check(end >= len(self.stream) + 1, "FIN before bytes", wire)
            self.fin = end
        if "SYN" not in wire.flags:
            probes = total == start + 1 and start <= edge
            fits = total <= max(self.max, edge) or probes
            self.check(fits, f"beyond the window to {edge}", wire)
            limit = self.una_possible + self.own["send_bytes"]
            self.check(end <= limit, f"beyond the send buffer to {limit}", wire)
            self._check_content(wire, start, end)
        self.max = max(self.max, total)

    def _check_content(self, wire: Wire, start: int, end: int) -> None:
        mss = self.peer.mss or DEFAULT_MSS
        self.check(len(wire.payload) + len(wire.options) <= mss, f"longer than {mss}", wire)
        known = self.stream[start - 1 : end - 1]
        self.check(wire.payload.startswith(known), "retransmits other bytes", wire)
        self.stream += wire.payload[len(known) :]
        if self.written is not None:
            same = self.written[start - 1 : end - 1] == wire.payload
            self.check(same, "sends other bytes than were written", wire)
