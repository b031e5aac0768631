# SPDX-License-Identifier: Apache-2.0
"""An established connection as data, and as a JSON document."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from dataclasses import fields as fields_of
from ipaddress import IPv4Address
from typing import Any

from bombus.applications.functions.tcp_repair import State
from bombus.base.errors import UserError
from bombus.protocols.tcp.segment import WORD

VERSION = 1
_MAX_SCALE = 14  # RFC 7323, 2.3
_MAX_WINDOW = 0xFFFF << _MAX_SCALE
_MIN_MSS = 64  # as the parameter mss of an engine


class SessionError(UserError):
    """A connection could not be taken out of an engine, or put into one; says why.

    `session`: the connection up to there, of an export that has failed after the engine's bytes
    were acknowledged. It is held then, and does not continue in the engine.
    """

    def __init__(self, reason: str, session: Session | None = None) -> None:
        super().__init__(reason)
        self.session = session


@dataclass(frozen=True)
class Session:
    """An established connection. Sequence numbers are of the first byte of the two strings.

    Scales are shifts of windows in bits, None without window scaling. `timestamps`: of the stack's
    clock and the last one of the peer; None: none are sent. Windows are in bytes.
    """

    own: tuple[str, int]
    peer: tuple[str, int]
    receive_sequence: int
    received: bytes  # acknowledged, and not read by the application
    send_sequence: int
    unacknowledged: bytes  # written by the application
    mss: int  # of the peer
    send_scale: int | None  # of the peer's windows
    receive_scale: int | None
    has_sack: bool
    timestamps: tuple[int, int] | None
    send_window: int
    receive_window: int

    def to_json(self) -> str:
        """The session as a JSON document; bytes in base64."""
        fields = asdict(self)
        for name in ("received", "unacknowledged"):
            fields[name] = base64.b64encode(fields[name]).decode()
        return json.dumps({"version": VERSION, **fields}, indent=2) + "\n"

    @staticmethod
    def from_json(text: str) -> Session:
        """SessionError says what is wrong with a document: it is not JSON, a field is missing,
        unknown or of another type, or a value is out of its range.
        """
        try:
            fields = json.loads(text)
        except ValueError as error:
            raise SessionError(f"the session is not JSON: {error}") from None
        if not isinstance(fields, dict) or fields.pop("version", None) != VERSION:
            raise SessionError(f"the session should have version {VERSION}")
        names = {each.name for each in fields_of(Session)}
        if wrong := sorted(names ^ fields.keys()):
            what = "is missing" if wrong[0] in names else "is unknown"
            raise SessionError(f"the session is incomplete or has a bad value: {wrong[0]} {what}")
        values = {}
        for name, value in fields.items():
            try:
                values[name] = _READERS[name](value)
            except ValueError as error:
                raise SessionError(f"the session has a bad value: {name} {error}") from None
        if (values["send_scale"] is None) != (values["receive_scale"] is None):
            raise SessionError("the session has a bad value: only one of its scales is null")
        return Session(**values)

    def repair_state(self) -> State:
        """The connection for `tcp_repair.restore`, which has no place for `timestamps[1]`."""
        next_byte = (self.receive_sequence + len(self.received)) % WORD
        return State(
            port=self.own[1],
            peer=self.peer,
            receive_sequence=self.receive_sequence,
            received=self.received,
            send_sequence=self.send_sequence,
            unacknowledged=self.unacknowledged,
            mss=self.mss,
            send_scale=self.send_scale or 0,
            receive_scale=self.receive_scale or 0,
            has_sack=self.has_sack,
            timestamp=self.timestamps[0] if self.timestamps else None,
            window=(
                next_byte,
                self.send_window,
                max(self.send_window, 1),
                self.receive_window,
                next_byte,
            ),
            has_no_delay=False,
        )

    @staticmethod
    def of_linux(own: str, state: State, *, peer_timestamp: int = 0) -> Session:
        """A connection that `tcp_repair.dump` has read; Linux does not show the last timestamp of
        the peer. Without window scaling, both scales of `state` are 0.
        """
        has_scales = bool(state.send_scale or state.receive_scale)
        return Session(
            own=(own, state.port),
            peer=state.peer,
            receive_sequence=state.receive_sequence,
            received=state.received,
            send_sequence=state.send_sequence,
            unacknowledged=state.unacknowledged,
            mss=state.mss,
            send_scale=state.send_scale if has_scales else None,
            receive_scale=state.receive_scale if has_scales else None,
            has_sack=state.has_sack,
            timestamps=None if state.timestamp is None else (state.timestamp, peer_timestamp),
            send_window=state.window[1],
            receive_window=state.window[3],
        )


def _number(value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:  # a bool is an int
        raise ValueError(f"is {json.dumps(value)}; it should be a number from {low} to {high}")
    return value


def _pair(value: object) -> tuple[object, object]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"is {json.dumps(value)}; it should be a list of two")
    return value[0], value[1]


def _end(value: object) -> tuple[str, int]:
    """Address and port; ValueError if the address is not that of a host (RFC 1122, 3.2.1.3)."""
    host, port = _pair(value)
    if not isinstance(host, str):
        raise ValueError(f"is {json.dumps(value)}; it should be an address and a port")
    address = IPv4Address(host)  # an AddressValueError is a ValueError
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        raise ValueError(f"has {host}, which is not the address of a host")
    return host, _number(port, 1, 0xFFFF)


def _word(value: object) -> int:
    return _number(value, 0, WORD - 1)


def _window(value: object) -> int:
    return _number(value, 0, _MAX_WINDOW)


def _scale(value: object) -> int | None:
    return None if value is None else _number(value, 0, _MAX_SCALE)


def _mss(value: object) -> int:
    return _number(value, _MIN_MSS, 0xFFFF)


def _bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"is {json.dumps(value)}; it should be true or false")
    return value


def _stamps(value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    own, peer = _pair(value)
    return _word(own), _word(peer)


def _bytes(value: object) -> bytes:
    if not isinstance(value, str):
        raise ValueError("should be bytes in base64")
    try:
        found = base64.b64decode(value, validate=True)
    except ValueError as error:
        raise ValueError(f"should be bytes in base64: {error}") from None
    if len(found) > _MAX_WINDOW:
        raise ValueError(f"has {len(found)} bytes; a window has at most {_MAX_WINDOW}")
    return found


# What reads each field of a document; ValueError says what is wrong with it.
_READERS: dict[str, Callable[[object], Any]] = {
    "own": _end,
    "peer": _end,
    "receive_sequence": _word,
    "received": _bytes,
    "send_sequence": _word,
    "unacknowledged": _bytes,
    "mss": _mss,
    "send_scale": _scale,
    "receive_scale": _scale,
    "has_sack": _bool,
    "timestamps": _stamps,
    "send_window": _window,
    "receive_window": _window,
}
