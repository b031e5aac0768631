# SPDX-License-Identifier: Apache-2.0
"""Scripts of every state of a connection with every kind of segment (RFC 9293, 3.10.7).

A state is reached by a preamble, the segment comes, the answer is checked, and then where the
connection is: a segment before the window is answered by an acknowledgement while there is a
connection, and by a reset when there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.protocols.tcp.conformance.matrix_bare import ALL, OUTSIDE, Case, gone, requested
from tests.protocols.tcp.conformance.script import Script, read

SUBJECT = "every state"

# A peer that has sent 200 bytes, so that there are sequence numbers before the window; then the
# application ends its side, by a command of 4 bytes.
OPEN = """
+0 open {options}
+0 send ACK bytes 200
+0 expect ACK bytes 200
+0 send ACK
"""
OWN_END = """
+0 send ACK text "#end"
+0 end bytes 4
"""


@dataclass(frozen=True)
class State:
    """How the state is reached, and the resulting sequence numbers: the peer's next one, the
    engine's first unacknowledged one, and its next one.
    """

    preamble: str
    next: int = 0
    una: int = 0
    nxt: int = 0

    @property
    def synchronized(self) -> bool:
        return bool(self.next)


REQUESTED = "+0 connect\n+0 expect SYN,ECE,CWR ts\n"
BOTH_OPEN = "SYN-RECEIVED (both opened)"  # RFC 9293, 3.5: simultaneous open

STATES = {
    "CLOSED": State(""),
    "LISTEN": State(""),
    "SYN-SENT": State(REQUESTED, una=0, nxt=1),
    "SYN-RECEIVED": State("+0 send SYN {options}\n+0 expect SYN,ACK ack 1", next=1, una=0, nxt=1),
    BOTH_OPEN: State(
        REQUESTED + "+0 send SYN seq 0 {options}\n+0 expect SYN,ACK ack 1", next=1, una=0, nxt=1
    ),
    "ESTABLISHED": State(OPEN, next=201, una=201, nxt=201),
    "FIN-WAIT-1": State(OPEN + OWN_END, next=205, una=201, nxt=206),
    "FIN-WAIT-2": State(OPEN + OWN_END + "+0 send ACK", next=205, una=206, nxt=206),
    # The peer's window is closed: its FIN arrives before the echo is sent.
    "CLOSE-WAIT": State(
        OPEN
        + """
+0 send ACK window 0
+0 send ACK bytes 100 window 0
+1 expect ACK
+0 send FIN,ACK window 0
+0 expect ACK
""",
        *(302, 201, 201),
    ),
    "CLOSING": State(
        OPEN + OWN_END + "+0 send FIN,ACK ack 201\n+0 expect ACK", next=206, una=201, nxt=206
    ),
    "LAST-ACK": State(OPEN + "+0 send FIN,ACK\n+0 end", next=202, una=201, nxt=202),
    "TIME-WAIT": State(
        OPEN + OWN_END + "+0 send FIN,ACK\n+0 expect ACK", next=206, una=206, nxt=206
    ),
}
OPENING = ("SYN-RECEIVED", BOTH_OPEN)
# From the end of a connection to the first number of the one that a SYN in TIME-WAIT opens
NEXT_CONNECTION = 65_537
ENDED = ("CLOSE-WAIT", "CLOSING", "LAST-ACK", "TIME-WAIT")  # the peer has closed

KINDS = (
    *("SYN in the window", "SYN outside", "SYN once more", "SYN,ACK in the window"),
    *("SYN,ACK outside", "SYN,FIN in the window", "ACK that says nothing new", "ACK of all"),
    *("ACK that is old", "ACK that is too old", "ACK of what was not sent"),
    *("data in order", "data behind a gap", "data outside", "data once more"),
    *("data partly once more", "data without ACK", "data, ACK of what was not sent"),
    *("data with URG", "FIN in order", "FIN with data", "FIN behind a gap", "FIN outside"),
    *("FIN once more", "FIN without ACK", "RST exact", "RST,ACK exact", "RST in the window"),
    *("RST outside", "RST before the window", "RST with data, exact"),
    *("no flags", "no flags outside", "all flags exact", "all flags in the window"),
    *("all flags outside", "keepalive", "keepalive with a byte", "ECE and CWR with ACK"),
)

ACCEPTABILITY = "RFC 9293, 3.10.7.4, first"
RESET = "RFC 9293, 3.10.7.4, second"
SYN_CHECK = "RFC 9293, 3.10.7.4, fourth; RFC 5961, 4.2"
REOPENING = "RFC 9293, 3.6.1: MAY-2; RFC 6191, 2"
ACK_CHECK = "RFC 9293, 3.10.7.4, fifth"
TEXT = "RFC 9293, 3.10.7.4, seventh"
FIN_CHECK = "RFC 9293, 3.10.7.4, eighth"


def synchronized(kind: str, name: str) -> Case:
    """With a connection: RFC 9293, 3.10.7.4."""
    state = STATES[name]
    nxt, una = state.nxt, state.una
    here = state.next
    opening = name in OPENING
    ended = name in ENDED
    shut = name == "CLOSE-WAIT"
    # The peer's segments acknowledge only what keeps the state unchanged.
    ack = 1 if opening else una
    numbers = f"ack {ack}"
    acked = f"+0 expect ACK seq {nxt} ack {here}"
    silent = "+4 silence"
    inside, outside = here + 10, here + OUTSIDE
    window = "window 0" if shut else ""
    tail = f"{numbers} {window}"

    # An unacceptable segment is answered with the engine's current position.
    refused = acked
    # The effect of a reset, a SYN or a wrong acknowledgement on a connection opened by the peer.
    closed_now = "over"
    # An acceptable empty segment.
    nothing = silent

    if name == "TIME-WAIT" and kind in (
        "SYN in the window",
        "SYN outside",
        "SYN,FIN in the window",
    ):
        at = outside if kind == "SYN outside" else inside
        answer = f"+0 expect SYN,ACK seq {nxt + NEXT_CONNECTION} ack {at + 1}"
        return Case(f"{kind.split()[0]} seq {at}", REOPENING, answer, "")
    if kind in ("SYN in the window", "SYN,FIN in the window", "SYN,ACK in the window"):
        flags = kind.split()[0]
        if opening and name != BOTH_OPEN:  # back to LISTEN
            by = "RFC 9293, 3.10.7.4, fourth: a passive open returns to LISTEN"
            return Case(f"{flags} seq {inside} {numbers}", by, silent, closed_now)
        return Case(f"{flags} seq {inside} {tail}", SYN_CHECK, acked, "lives")
    if kind in ("SYN outside", "SYN,ACK outside"):
        flags = kind.split()[0]
        answer = "+0 expect SYN,ACK|ACK" if opening else acked
        return Case(f"{flags} seq {outside} {tail}", SYN_CHECK, answer, "lives")
    if kind == "SYN once more":
        answer = acked
        if opening:
            answer = "+0 expect SYN,ACK|ACK"
        return Case("SYN seq 0 nostamp", ACCEPTABILITY, answer, "lives")
    if kind == "ACK that says nothing new":
        if opening:
            by = "RFC 9293, 3.10.7.4, fifth: an ACK that is not acceptable, RST"
            return Case(f"ACK seq {here} ack 0", by, "+0 expect RST seq 0", "lives")
        return Case(f"ACK seq {here} {tail}", ACK_CHECK, nothing, "lives")
    if kind == "ACK of all":
        after = {"LAST-ACK": "over"}.get(name, "lives")
        if name == "CLOSE-WAIT":
            tail = f"ack {nxt} window 0"
            return Case(f"ACK seq {here} {tail}", ACK_CHECK, silent, after)
        return Case(f"ACK seq {here} ack {nxt}", ACK_CHECK, silent, after)
    if kind == "ACK that is old":
        if opening:
            by = "RFC 9293, 3.10.7.4, fifth: an ACK that is not acceptable, RST"
            return Case(f"ACK seq {here} ack -5", by, "+0 expect RST seq -5", "lives")
        return Case(f"ACK seq {here} ack {una - 5} {window}", ACK_CHECK, silent, "lives")
    if kind == "ACK that is too old":
        if opening:
            by = "RFC 9293, 3.10.7.4, fifth: an ACK that is not acceptable, RST"
            return Case(f"ACK seq {here} ack -100000", by, "+0 expect RST seq -100000", "lives")
        by = "RFC 9293, 3.10.7.4, fifth; RFC 5961, 5.2"
        return Case(f"ACK seq {here} ack {una - 100_000} {window}", by, acked, "lives")
    if kind in ("ACK of what was not sent", "data, ACK of what was not sent"):
        count = "bytes 10" if kind.startswith("data") else ""
        if opening:
            by = "RFC 9293, 3.10.7.4, fifth: an ACK that is not acceptable, RST"
            return Case(
                f"ACK seq {here} ack {nxt + 7} {count}", by, f"+0 expect RST seq {nxt + 7}", "lives"
            )
        # TIME-WAIT only handles the peer's FIN; another answer does no harm.
        answer = acked.replace("+0 expect", "+4 maybe") if name == "TIME-WAIT" else acked
        return Case(f"ACK seq {here} ack {nxt + 7} {count} {window}", ACK_CHECK, answer, "lives")
    if kind in ("data in order", "data with URG"):
        flags = "ACK,URG" if kind.endswith("URG") else "ACK"
        send = f"{flags} seq {here} {tail} bytes 10"
        if kind.endswith("URG"):
            send += " urgent 5"
        if ended:
            return Case(send, TEXT, acked.replace("+0 expect", "+4 maybe"), "lives")
        new = f"+1 expect ACK seq {nxt} ack {here + 10}"
        if name in (*OPENING, "ESTABLISHED"):
            new += " bytes 10"
        return Case(send, TEXT, new, "")
    if kind == "data behind a gap":
        by = f"{TEXT}; RFC 5681, 4.2"
        answer = acked.replace("+0 expect", "+4 maybe") if ended else acked
        return Case(f"ACK seq {here + 100} {tail} bytes 10", by, answer, "lives")
    if kind == "data outside":
        return Case(f"ACK seq {outside} {tail} bytes 10", ACCEPTABILITY, refused, "lives")
    if kind == "data once more":
        if opening:  # no data received yet: a byte at the position of the SYN
            return Case(f"ACK seq 0 {tail} bytes 1", ACCEPTABILITY, refused, "lives")
        return Case(f"ACK seq 101 {tail} bytes 50", ACCEPTABILITY, refused, "lives")
    if kind == "data partly once more":
        if opening:
            new = "+1 forget\n+0 send ACK seq 10 bytes 1\n+0 expect ACK seq 11 ack 11"
            return Case(f"ACK seq 0 {tail} bytes 11", f"{TEXT}; {ACCEPTABILITY}", new, "")
        send = f"ACK seq {here - 50} {tail} bytes 60"
        if ended:
            return Case(send, TEXT, acked.replace("+0 expect", "+4 maybe"), "lives")
        new = f"+1 expect ACK seq {nxt} ack {here + 10}"
        if name == "ESTABLISHED":
            new = f"+1 forget\n+0 send ACK seq {here + 9} bytes 1\n"
            new += f"+0 expect ACK seq {nxt + 10} ack {here + 10}"
        return Case(send, f"{TEXT}; 3.10.7.4, first: trimmed to the window", new, "")
    if kind == "data without ACK":
        return Case(f"PSH seq {here} {window} bytes 10", ACK_CHECK, silent, "lives")
    if kind == "FIN in order":
        send = f"FIN,ACK seq {here} {tail}"
        if ended:
            return Case(send, FIN_CHECK, acked.replace("+0 expect", "+4 maybe"), "lives")
        return Case(send, FIN_CHECK, taken(name, nxt, here + 1), "")
    if kind == "FIN with data":
        send = f"FIN,ACK seq {here} {tail} bytes 10"
        if ended:
            return Case(send, FIN_CHECK, acked.replace("+0 expect", "+4 maybe"), "lives")
        return Case(send, FIN_CHECK, taken(name, nxt, here + 11, 10), "")
    if kind == "FIN behind a gap":
        answer = acked.replace("+0 expect", "+4 maybe") if ended else acked
        by = f"{FIN_CHECK}; RFC 5681, 4.2"
        return Case(f"FIN,ACK seq {here + 100} {tail}", by, answer, "lives")
    if kind == "FIN outside":
        return Case(f"FIN,ACK seq {outside} {tail}", ACCEPTABILITY, refused, "lives")
    if kind == "FIN once more":
        # If there was no FIN before: a FIN at the position of data or of the SYN.
        return Case(f"FIN,ACK seq {here - 1} {tail}", ACCEPTABILITY, refused, "lives")
    if kind == "FIN without ACK":
        return Case(f"FIN seq {here} {window}", ACK_CHECK, silent, "lives")
    if kind in ("RST exact", "RST,ACK exact", "RST with data, exact"):
        flags = "RST,ACK" if "," in kind.split()[0] else "RST"
        count = "bytes 10" if "data" in kind else ""
        return Case(f"{flags} seq {here} {numbers} {count}", RESET, silent, "over")
    if kind == "RST in the window":
        by = f"{RESET}; RFC 5961, 3.2"
        return Case(f"RST seq {inside}", by, acked, "lives")
    if kind == "RST outside":
        return Case(f"RST seq {outside}", ACCEPTABILITY, silent, "lives")
    if kind == "RST before the window":
        return Case(f"RST seq {here - 1}", ACCEPTABILITY, silent, "lives")
    if kind == "no flags":
        return Case(f"none seq {here} {window}", ACK_CHECK, silent, "lives")
    if kind == "no flags outside":
        return Case(f"none seq {outside} {window}", ACCEPTABILITY, refused, "lives")
    if kind == "all flags exact":
        return Case(f"{ALL} seq {here} {tail}", RESET, silent, "over")
    if kind == "all flags in the window":
        return Case(f"{ALL} seq {inside} {tail}", f"{RESET}; RFC 5961, 3.2", acked, "lives")
    if kind == "all flags outside":
        return Case(f"{ALL} seq {outside} {tail}", ACCEPTABILITY, silent, "lives")
    if kind == "keepalive":
        by = f"{ACCEPTABILITY}; 3.8.4"
        return Case(f"ACK seq {here - 1} {tail}", by, refused, "lives")
    if kind == "keepalive with a byte":
        by = f"{ACCEPTABILITY}; 3.8.4"
        return Case(f"ACK seq {here - 1} {tail} bytes 1", by, refused, "lives")
    assert kind == "ECE and CWR with ACK"
    by = "RFC 3168, 6.1.1: meaningless where it was not agreed on"
    if opening:
        return Case(f"ACK,ECE,CWR seq {here} ack 1", by, silent, "lives")
    return Case(f"ACK,ECE,CWR seq {here} {tail}", by, nothing, "lives")


def taken(name: str, seq: int, ack: int, count: int = 0) -> str:
    """The answer to a FIN: an immediate acknowledgement, then the echo and the engine's own FIN."""
    if name in (*OPENING, "ESTABLISHED"):
        return f"+0 end bytes {count}"
    return f"+0 expect ACK seq {seq} ack {ack}"


def check(name: str, case: Case, stamp: str) -> str:
    """Checks the state of the connection afterwards."""
    state = STATES[name]
    window = "window 0" if name == "CLOSE-WAIT" else ""
    if name == "SYN-SENT" and case.after:
        answer = "RST seq 1" if case.after == "over" else "ACK seq 1 ack 1"
        return f"+0 send SYN,ACK seq 0 ack 1 {stamp}\n+0 expect {answer}\n"
    if case.after == "over":
        return f"+0 send ACK seq {state.next} ack {state.nxt}\n+0 expect RST seq {state.nxt}\n"
    if case.after == "lives":
        # It acknowledges nothing and is not acceptable. The engine answers such segments once per
        # 131 ms (RFC 5961, 7).
        before = state.next - 1
        probe = f"+140 send ACK seq {before} ack {state.una} {window}\n"
        if name in OPENING:
            return f"{probe}+0 expect SYN,ACK|ACK ack {state.next}\n"
        return f"{probe}+0 expect ACK seq {state.nxt} ack {state.next}\n"
    return ""


# Known deviations, by state and kind.
FAILS: dict[tuple[str, str], str] = {}

VARIANTS = {
    "plain": ("", 1000),
    "timestamps": ("ts", 1000),
    "numbers that wrap": ("", (1 << 32) - 3),
}


def cases() -> Iterator[tuple[str, str, Case]]:
    for name in STATES:
        for kind in KINDS:
            if STATES[name].synchronized:
                yield name, kind, synchronized(kind, name)
            elif name == "SYN-SENT":
                yield name, kind, requested(kind)
            else:
                yield name, kind, gone(kind, name == "LISTEN")


def text(variant: str, name: str, kind: str, case: Case) -> str:
    """The script."""
    options, isn = VARIANTS[variant]
    state = STATES[name]
    stamp = " ts" if options and not state.synchronized else ""
    title = f"{name}, {kind}" + (f" ({variant})" if variant != "plain" else "")
    reason = FAILS.get((name, kind))
    fails = f"fails {reason}\n" if reason else ""
    return (
        f"== {title}\nby {case.by}\n{fails}set isn {isn}\n"
        f"{state.preamble.format(options=options)}\n"
        f"+0 send {case.send}{stamp}\n{case.answer}\n{check(name, case, stamp)}"
    )


def scripts() -> list[Script]:
    """All of them."""
    return [
        script
        for variant in VARIANTS
        for name, kind, case in cases()
        for script in read(SUBJECT, text(variant, name, kind, case))
    ]
