# SPDX-License-Identifier: Apache-2.0
"""An established connection as data, and as a JSON document."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address

from bombus.applications.functions.tcp_repair import State
from bombus.base.errors import UserError
from bombus.protocols.tcp.segment import WORD

VERSION = 1


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
        fields = asdict(self)
        for name in ("received", "unacknowledged"):
            fields[name] = base64.b64encode(fields[name]).decode()
        return json.dumps({"version": VERSION, **fields}, indent=2) + "\n"

    @staticmethod
    def from_json(text: str) -> Session:
        """SessionError says what is wrong with a document."""
        try:
            fields = json.loads(text)
        except ValueError as error:
            raise SessionError(f"the session is not JSON: {error}") from None
        if not isinstance(fields, dict) or fields.pop("version", None) != VERSION:
            raise SessionError(f"the session should have version {VERSION}")
        try:
            for name in ("received", "unacknowledged"):
                fields[name] = base64.b64decode(fields[name], validate=True)
            for name in ("own", "peer", "timestamps"):
                if fields[name] is not None:
                    first, second = fields[name]
                    fields[name] = (first, int(second))
            for name in ("own", "peer"):
                IPv4Address(fields[name][0])
            session = Session(**fields)
            session.repair_state()
        except (KeyError, TypeError, ValueError) as error:
            raise SessionError(f"the session is incomplete or has a bad value: {error}") from None
        return session

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
