# SPDX-License-Identifier: Apache-2.0
"""Scripts of TCP conformance: what a peer sends, what must come back, and when.

A file holds several scripts. Each begins with `== title`, then `by` and the sections by which its
expectations hold; `fails` and a reason mark what is known to be wrong (it is an error if it does
not fail). Then comes one action a line:

    +0     send    SYN mss 1460 scale 7
    +0     expect  SYN,ACK ack 1 mss 1460
    +0     send    ACK
    +10    send    ACK bytes 100
    +0     expect  ACK bytes 100
    +2000  silence

The time is in ms after the action before; what is expected comes at that time, within a tolerance
that `+200~20` states. Sequence numbers count from each side's first. Those that are not given are
the usual ones: what is sent continues the stream and acknowledges all that has come, and that is
expected of what comes too.

    send      a segment of the peer
    expect    the next segment that comes; flags may have alternatives, `ACK|RST`, and PSH counts
              where it is stated
    maybe     if a segment comes until then, it is this one
    silence   nothing comes until then
    forget    until then anything may come
    collect   data come, `bytes` in all, in any segments; each is acknowledged
    end       `bytes` and a FIN come, in any segments, of which the last acknowledges all
    open      a handshake, with options of the SYN and the final `window`
    connect   the application requests a connection to the peer, whose SYN comes next
    cancel    the application closes that connection before it is open
    report    an ICMP error of the segment at `seq`: its `type` (3: unreachable), `code` and `mtu`

Words of a segment: `seq`, `ack`, `bytes` (how many), `text`, `window`, `mss`, `scale`, `sack`,
`stamp` (a value to be sent, in ms of the peer's clock; `ts` alone: it has timestamps), `echo` (of a
timestamp), `nostamp`, `tos` (of the packet), `raw` (options in hexadecimal digits), `urgent`,
`port` (of the peer), `to`, `checksum` and `offset` (wrong ones), `blocks` (of SACK:
`100-200,300-400`, or `none`), `layout` (of timestamps and blocks, instead of the usual one: items
`n` for NOP, `t` and `s`, as in `n,s,t`). `times` does the line so often. `set isn`, `set window`
and `set step` (us by which virtual time advances while timers run) come before the first action.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

TOLERANCE_MS = 3.0
ACTIONS = (
    "send",
    "expect",
    "maybe",
    "silence",
    "forget",
    "collect",
    "end",
    "open",
    "connect",
    "cancel",
    "report",
)
FLAG_WORDS = ("sack", "ts", "nostamp")
NUMBER_WORDS = (
    *(
        "seq",
        "ack",
        "bytes",
        "window",
        "mss",
        "scale",
        "stamp",
        "echo",
        "urgent",
        "port",
        "to",
        "tos",
    ),
    *("checksum", "offset", "times", "type", "code", "mtu"),
)


class ScriptError(Exception):
    """A script that cannot be read."""


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    delay_ms: float
    tolerance_ms: float
    action: str
    flags: tuple[frozenset[str], ...] = ()  # alternatives
    words: dict[str, int] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)

    def __contains__(self, word: str) -> bool:
        return word in self.words or word in self.texts


@dataclass
class Script:
    subject: str
    title: str
    by: str = ""
    fails: str = ""
    settings: dict[str, int] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.subject}: {self.title}"

    @property
    def duration_ms(self) -> float:
        """Virtual time of its actions."""
        return sum(line.delay_ms * line.words.get("times", 1) for line in self.lines)


def read_line(number: int, text: str) -> Line:
    """An action."""
    time, action, *rest = shlex.split(text, comments=True)
    delay, _, tolerance = time.removeprefix("+").partition("~")
    if action not in ACTIONS:
        raise ScriptError(f"line {number}: unknown action {action!r}")
    flags: tuple[frozenset[str], ...] = ()
    if rest and action in ("send", "expect", "maybe"):
        choices = rest.pop(0).split("|")
        flags = tuple(frozenset(c.split(",")) - {"none"} for c in choices)
    words: dict[str, int] = {}
    texts: dict[str, bytes] = {}
    while rest:
        word = rest.pop(0)
        if word in FLAG_WORDS:
            words[word] = 1
        elif word in NUMBER_WORDS:
            words[word] = int(rest.pop(0), 0)
        elif word in ("text", "layout"):
            texts[word] = rest.pop(0).encode()
        elif word == "blocks":
            texts[word] = rest.pop(0).replace("none", "").encode()
        elif word == "raw":
            texts[word] = bytes.fromhex(rest.pop(0))
        else:
            raise ScriptError(f"line {number}: unknown word {word!r}")
    return Line(
        *(number, text.strip(), float(delay)),
        float(tolerance) if tolerance else TOLERANCE_MS,
        action,
        flags,
        words,
        texts,
    )


def read(subject: str, text: str) -> list[Script]:
    """The scripts of a text."""
    scripts: list[Script] = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        word, _, rest = stripped.partition(" ")
        if word == "==":
            scripts.append(Script(subject, rest.strip()))
        elif word == "by":
            scripts[-1].by = rest.strip()
        elif word == "fails":
            scripts[-1].fails = rest.strip()
        elif word == "set":
            name, value = rest.split()
            scripts[-1].settings[name] = int(value, 0)
        else:
            scripts[-1].lines.append(read_line(number, stripped))
    for script in scripts:
        if not script.by or not script.lines:
            raise ScriptError(f"{script.name}: it needs `by` and actions")
    return scripts


def read_folder(folder: Path) -> list[Script]:
    """All scripts of a folder, by file."""
    files = sorted(folder.glob("*.txt"))
    return [script for file in files for script in read(file.stem, file.read_text("utf-8"))]
