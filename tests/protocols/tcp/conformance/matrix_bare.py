# SPDX-License-Identifier: Apache-2.0
"""What each kind of segment does in the states without sequence numbers of the peer: CLOSED, LISTEN
and SYN-SENT.
"""

from __future__ import annotations

from dataclasses import dataclass

OUTSIDE = 70_000
ALL = "FIN,SYN,RST,PSH,ACK,URG"


@dataclass(frozen=True)
class Case:
    """The segment, the section, the answer, and the state afterwards: `lives`, `over` or not
    checked.
    """

    send: str
    by: str
    answer: str
    after: str


# Flags, sequence number, distance from the number to be acknowledged (None: nothing is), and
# bytes.
BARE: dict[str, tuple[str, int, int | None, int]] = {
    "SYN in the window": ("SYN", 10, None, 0),
    "SYN outside": ("SYN", OUTSIDE, None, 0),
    "SYN once more": ("SYN", 0, None, 0),
    "SYN,ACK in the window": ("SYN,ACK", 10, 0, 0),
    "SYN,ACK outside": ("SYN,ACK", OUTSIDE, 0, 0),
    "SYN,FIN in the window": ("SYN,FIN", 10, None, 0),
    "ACK that says nothing new": ("ACK", 0, -1, 0),
    "ACK of all": ("ACK", 0, 0, 0),
    "ACK that is old": ("ACK", 0, -5, 0),
    "ACK that is too old": ("ACK", 0, -100_000, 0),
    "ACK of what was not sent": ("ACK", 0, 7, 0),
    "data in order": ("ACK", 0, 0, 10),
    "data behind a gap": ("ACK", 100, 0, 10),
    "data outside": ("ACK", OUTSIDE, 0, 10),
    "data once more": ("ACK", -50, 0, 50),
    "data partly once more": ("ACK", -50, 0, 60),
    "data without ACK": ("PSH", 0, None, 10),
    "data, ACK of what was not sent": ("ACK", 0, 7, 10),
    "data with URG": ("ACK,URG", 0, 0, 10),
    "FIN in order": ("FIN,ACK", 0, 0, 0),
    "FIN with data": ("FIN,ACK", 0, 0, 10),
    "FIN behind a gap": ("FIN,ACK", 100, 0, 0),
    "FIN outside": ("FIN,ACK", OUTSIDE, 0, 0),
    "FIN once more": ("FIN,ACK", -1, 0, 0),
    "FIN without ACK": ("FIN", 0, None, 0),
    "RST exact": ("RST", 0, None, 0),
    "RST,ACK exact": ("RST,ACK", 0, 0, 0),
    "RST in the window": ("RST", 10, None, 0),
    "RST outside": ("RST", OUTSIDE, None, 0),
    "RST before the window": ("RST", -1, None, 0),
    "RST with data, exact": ("RST", 0, None, 10),
    "no flags": ("none", 0, None, 0),
    "no flags outside": ("none", OUTSIDE, None, 0),
    "all flags exact": (ALL, 0, 0, 0),
    "all flags in the window": (ALL, 10, 0, 0),
    "all flags outside": (ALL, OUTSIDE, 7, 0),
    "keepalive": ("ACK", -1, 0, 0),
    "keepalive with a byte": ("ACK", -1, 0, 1),
    "ECE and CWR with ACK": ("ACK,ECE,CWR", 0, 0, 0),
}


def bare(kind: str, expected: int) -> tuple[str, set[str], int, int | None, int]:
    """Text, flags, sequence number, acknowledgement and length of a segment of a kind.

    `expected`: the number that it acknowledges if it is a right one.
    """
    names, seq, distance, count = BARE[kind]
    ack = None if distance is None else expected + distance
    words = [names, f"seq {seq}"]
    if ack is not None:
        words.append(f"ack {ack}")
    if count:
        words.append(f"bytes {count}")
    flags = set(names.split(","))
    return " ".join(words), flags, seq, ack, count + len(flags & {"SYN", "FIN"})


def gone(kind: str, listens: bool) -> Case:
    """Without a connection: RFC 9293, 3.10.7.1 and 3.10.7.2."""
    by = "RFC 9293, 3.10.7.2" if listens else "RFC 9293, 3.10.7.1"
    send, flags, seq, ack, length = bare(kind, 500)
    if "RST" in flags:
        answer = "+2 silence"
    elif ack is not None:
        answer = f"+0 expect RST seq {ack}"
    elif not listens:
        answer = f"+0 expect RST,ACK seq 0 ack {seq + length}"
    elif "SYN" in flags:
        answer = f"+0 expect SYN,ACK ack {seq + 1}"
    else:
        answer = "+2 silence"
    return Case(send if listens else f"{send} to 8", by, answer, "")


def requested(kind: str) -> Case:
    """In SYN-SENT, where only the own SYN can be acknowledged: RFC 9293, 3.10.7.3."""
    by = "RFC 9293, 3.10.7.3"
    send, flags, seq, ack, _ = bare(kind, 1)
    silent = "+4 silence"
    if ack not in (None, 1):
        answer = silent if "RST" in flags else f"+0 expect RST seq {ack}"
        return Case(send, f"{by}, first", answer, "lives")
    if "RST" in flags:
        return Case(send, f"{by}, second", silent, "lives" if ack is None else "over")
    if "SYN" in flags:
        answer = "SYN,ACK" if ack is None else "ACK seq 1"
        return Case(send, f"{by}, fourth", f"+0 expect {answer} ack {seq + 1}", "")
    return Case(send, f"{by}, fifth", silent, "lives")
