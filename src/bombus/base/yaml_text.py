# SPDX-License-Identifier: Apache-2.0
"""Bounded reading of YAML text: size, nesting, aliases.

Nobody writes a design of a megabyte, of a hundred levels, or of a million values by
aliases. A file that is one takes the parser minutes, the stack or all memory, so it is
refused before: by its size, and by its events, which need neither recursion nor memory.
"""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from bombus.base.errors import DesignError, Problem, UserError

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_VALUES = 50_000  # aliases unfolded
MAX_SCALAR = 1000  # characters of a value
MAX_SHOWN = 60  # characters of a value in a message
BOM = "\ufeff"


def read_text(path: Path, what: str) -> str:
    """The text of a file, with LF line ends and without byte order mark.

    Raises UserError if it cannot be read, is too long or is not text. `what`: what to call it, such
    as `design file`.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"cannot read the {what} {path}: {reason}") from None
    if len(content) > MAX_BYTES:
        raise UserError(f"cannot read the {what} {path}: it is longer than {MAX_BYTES:,} bytes")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = "this is not UTF-8 text; save the file in that encoding"
        raise DesignError([Problem(path, line, message)]) from None
    return text.removeprefix(BOM).replace("\r\n", "\n")


class _Budget:
    """Counts the values that a text unfolds to, from its events."""

    def __init__(self) -> None:
        self.values = 0
        self._open: list[tuple[str | None, int]] = []  # anchor, values before it
        # For each open collection; None: a list, which has no keys
        self._key_is_next: list[bool | None] = []
        self._sizes: dict[str, int] = {}  # number of values behind an anchor
        self._collections: set[str] = set()  # anchors of lists and mappings

    def complaint(self, event: Event) -> str:
        """Complaint about an event that exceeds a limit; "" if there is none."""
        if isinstance(event, NodeEvent) and self._is_key() and self._is_collection(event):
            return "this key is a list or a mapping; put it in quotes if it is meant as text"
        if isinstance(event, CollectionStartEvent):
            self._key_is_next.append(True if isinstance(event, MappingStartEvent) else None)
            self._open.append((event.anchor, self.values))
            self.values += 1
            if len(self._open) > MAX_DEPTH:
                return f"this is nested in more than {MAX_DEPTH} levels"
        elif isinstance(event, CollectionEndEvent):
            self._key_is_next.pop()
            anchor, before = self._open.pop()
            if anchor:
                self._sizes[anchor] = self.values - before
                self._collections.add(anchor)
        elif isinstance(event, AliasEvent):
            if any(anchor == event.anchor for anchor, _ in self._open):
                return f"alias *{event.anchor} contains itself"
            self.values += self._sizes.get(event.anchor, 1)
        elif isinstance(event, ScalarEvent):
            self.values += 1
            if event.anchor:
                self._sizes[event.anchor] = 1
            if len(event.value) > MAX_SCALAR:
                return (
                    f"this value has {len(event.value):,} characters; the maximum is {MAX_SCALAR:,}"
                )
            if not event.value.isprintable():
                return f"{event.value[:MAX_SHOWN]!r} has characters that cannot be printed"
        if isinstance(event, CollectionStartEvent | ScalarEvent) and event.ctag:
            return f"YAML tags are not supported: {event.ctag}; leave it out"
        if isinstance(event, NodeEvent) and self.values > MAX_VALUES:
            return f"there are more than {MAX_VALUES:,} values up to here, aliases unfolded"
        return ""

    def _is_key(self) -> bool:
        """Whether the node that begins here is a key; if so, the next one is its value."""
        if not self._key_is_next or self._key_is_next[-1] is None:
            return False
        is_key = self._key_is_next[-1]
        self._key_is_next[-1] = not is_key
        return is_key

    def _is_collection(self, event: NodeEvent) -> bool:
        if isinstance(event, AliasEvent):
            return event.anchor in self._collections
        return isinstance(event, CollectionStartEvent)


def refuse_excess(path: Path, text: str) -> None:
    """Raises DesignError if the text exceeds the limits, YAMLError if it is not YAML."""
    budget = _Budget()
    for event in YAML(typ="rt", pure=True).parse(text):
        if complaint := budget.complaint(event):
            raise DesignError([Problem(path, event.start_mark.line + 1, complaint)])
