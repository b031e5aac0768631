# SPDX-License-Identifier: Apache-2.0
"""A connection of Linux's TCP as data, from which another host continues it.

    end = prepare("10.77.0.12", port)  # in the network namespace of the other host
    with paused(connection):
        state = dump(connection)
        restore(end, state)
        ...  # packets of the peer now go to the other host
        resume(end, state)

The peer sees neither a handshake nor a reset. IPv4 only. Needs CAP_NET_ADMIN in the network
namespaces of both sockets.
See TCP_REPAIR in Linux's include/uapi/linux/tcp.h.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address

from bombus.base.errors import UserError

# linux/tcp.h
TCP_REPAIR = 19
TCP_REPAIR_QUEUE = 20
TCP_QUEUE_SEQ = 21
TCP_REPAIR_OPTIONS = 22
TCP_TIMESTAMP = 24
TCP_REPAIR_WINDOW = 29
_ON, _OFF = 1, 0
_RECEIVE_QUEUE, _SEND_QUEUE = 1, 2
_ESTABLISHED = 1
_HAS_TIMESTAMPS, _HAS_SACK = 1, 2  # tcpi_options
_OPTION_MSS, _OPTION_SCALING, _OPTION_SACK, _OPTION_TIMESTAMPS = 2, 3, 4, 8  # as in headers
# asm-generic/socket.h, linux/sockios.h, linux/filter.h
_SO_ATTACH_FILTER, _SO_DETACH_FILTER = 26, 27
_SO_SNDBUFFORCE, _SO_BUF_LOCK, _SNDBUF_LOCK = 32, 72, 1
_SIOCINQ, _SIOCOUTQ = 0x541B, 0x5411
_RETURN = 0x06  # BPF_RET | BPF_K

_INFO = struct.Struct("BBBBBBB")
_WINDOW = struct.Struct("IIIII")
_WORD = struct.Struct("I")
_OPTION = struct.Struct("II")
_INSTRUCTION = struct.Struct("HBBI")
_PROGRAM = struct.Struct("HP")
_FIRST_SEGMENTS = 10  # that a new connection sends at once (RFC 6928)
STAMP_BYTES = 12  # timestamps in every segment
_RECEIVE_BYTES = 32_768  # written at once; an skb of Linux
_NO_RIGHT = (errno.EPERM, errno.EACCES)


class RepairError(UserError):
    """A connection could not be read or restored; says why."""


@dataclass(frozen=True)
class State:
    """An established connection. Sequence numbers are of the first byte in the queue."""

    port: int  # local
    peer: tuple[str, int]
    receive_sequence: int
    received: bytes  # and not read by the program
    send_sequence: int
    unacknowledged: bytes  # with what has not been sent
    mss: int  # of the peer
    send_scale: int  # bits; 0 also without window scaling
    receive_scale: int
    has_sack: bool
    timestamp: int | None  # None: no timestamps
    window: tuple[int, int, int, int, int]  # snd_wl1, snd_wnd, max_window, rcv_wnd, rcv_wup
    has_no_delay: bool  # TCP_NODELAY


@contextmanager
def paused(connection: socket.socket, *, filters: bool = True) -> Iterator[None]:
    """Stops a connection for `dump`; at the end, closes it without a segment.

    Meanwhile it sends no data, and a socket filter, in place of one that the socket may have,
    discards what arrives: the peer retransmits that. `filters` False: what arrives is taken and
    acknowledged, so the network has to keep the acknowledgements from the peer before `dump`. This
    saves the time in which Linux compiles the filter. An exception inside lets the connection
    continue.
    """
    if filters:
        _attach_filter(connection)
    try:
        _set(connection, TCP_REPAIR, _ON)
        yield
    except BaseException:
        if filters:
            connection.setsockopt(socket.SOL_SOCKET, _SO_DETACH_FILTER, 0)
        _set(connection, TCP_REPAIR, _OFF)
        raise
    connection.close()


def dump(connection: socket.socket) -> State:
    """The state of a paused connection; RepairError if it is not established."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    state, _, _, _, _, options, scales = _INFO.unpack_from(info)
    if state != _ESTABLISHED:
        raise RepairError("only an established connection can be moved")
    receive_next, received = _queue(connection, _RECEIVE_QUEUE, _SIOCINQ)
    send_next, unacknowledged = _queue(connection, _SEND_QUEUE, _SIOCOUTQ)
    return State(
        port=connection.getsockname()[1],
        peer=connection.getpeername(),
        receive_sequence=_before(receive_next, len(received)),
        received=received,
        send_sequence=_before(send_next, len(unacknowledged)),
        unacknowledged=unacknowledged,
        mss=connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG),
        send_scale=scales & 0xF,
        receive_scale=scales >> 4,
        has_sack=bool(options & _HAS_SACK),
        # Linux 6.7 and later: bit 0 tells that the unit is a microsecond, so the value is this one
        # or one less.
        timestamp=_get(connection, TCP_TIMESTAMP) | 1 if options & _HAS_TIMESTAMPS else None,
        window=_WINDOW.unpack(
            connection.getsockopt(socket.IPPROTO_TCP, TCP_REPAIR_WINDOW, _WINDOW.size)
        ),
        has_no_delay=bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)),
    )


def prepare(address: str, port: int) -> socket.socket:
    """A socket for `restore`, of the network namespace in which the program is."""
    end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        _set(end, TCP_REPAIR, _ON)
        end.bind((str(IPv4Address(address)), port))
    except OSError as error:
        end.close()
        raise RepairError(f"{address}:{port}: {_reason(error)}") from None
    except BaseException:
        end.close()
        raise
    return end


def restore(end: socket.socket, state: State) -> None:
    """Makes a prepared socket the connection. It sends nothing before `resume`.

    Options that are not in `state` stay as they are, and so do sizes of buffers unless the bytes do
    not fit.
    """
    try:
        _set(end, TCP_REPAIR_QUEUE, _SEND_QUEUE)
        _set(end, TCP_QUEUE_SEQ, state.send_sequence)
        _set(end, TCP_REPAIR_QUEUE, _RECEIVE_QUEUE)
        _set(end, TCP_QUEUE_SEQ, state.receive_sequence)
        end.connect(state.peer)
        end.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_OPTIONS, _options(state))
        if state.timestamp is not None:
            # Bit 0 would change the unit. Timestamps must not go back.
            _set(end, TCP_TIMESTAMP, (state.timestamp + 1) & 0xFFFF_FFFE)
        for start in range(0, len(state.received), _RECEIVE_BYTES):
            end.sendall(state.received[start : start + _RECEIVE_BYTES])
        if count := _bytes_sent(state):
            _restore_sent(end, state.unacknowledged[:count])
        end.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_WINDOW, _WINDOW.pack(*state.window))
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, state.has_no_delay)
    except OSError as error:
        raise RepairError(f"the connection is not restored: {_reason(error)}") from None


def resume(end: socket.socket, state: State) -> None:
    """Lets a restored connection send: a window probe, then all bytes that are not acknowledged.

    They are sent as new ones, at once, if a new connection may send them all. Else they have been
    restored as sent bytes, and wait for a retransmission timeout (1 s): the peer may have some of
    them after a gap, and Linux drops acknowledgements of bytes that it has not sent.
    """
    _set(end, TCP_REPAIR, _OFF)
    if rest := state.unacknowledged[_bytes_sent(state) :]:
        end.sendall(rest)


def _bytes_sent(state: State) -> int:
    """How many bytes are restored as sent: all that the peer may have, or none."""
    count = len(state.unacknowledged)
    if count <= _FIRST_SEGMENTS * (state.mss - STAMP_BYTES):
        return 0
    return min(count, state.window[1])


def _restore_sent(end: socket.socket, data: bytes) -> None:
    """A send buffer that is too small would wait for ever. It may be adapted afterwards, as before
    (Linux 5.14).
    """
    if end.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) < 4 * len(data):
        end.setsockopt(socket.SOL_SOCKET, _SO_SNDBUFFORCE, 2 * len(data))
        with suppress(OSError):
            locks = end.getsockopt(socket.SOL_SOCKET, _SO_BUF_LOCK)
            end.setsockopt(socket.SOL_SOCKET, _SO_BUF_LOCK, locks & ~_SNDBUF_LOCK)
    _set(end, TCP_REPAIR_QUEUE, _SEND_QUEUE)
    end.sendall(data)


def _attach_filter(connection: socket.socket) -> None:
    """A socket filter that accepts no segment, so that nothing is acknowledged."""
    instructions = ctypes.create_string_buffer(_INSTRUCTION.pack(_RETURN, 0, 0, 0))
    program = _PROGRAM.pack(1, ctypes.addressof(instructions))
    connection.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _queue(connection: socket.socket, queue: int, request: int) -> tuple[int, bytes]:
    """The sequence number behind a queue, and its bytes."""
    size = _WORD.unpack(fcntl.ioctl(connection, request, bytes(_WORD.size)))[0]
    _set(connection, TCP_REPAIR_QUEUE, queue)
    sequence = _get(connection, TCP_QUEUE_SEQ)
    data = b""
    if size:
        data = connection.recv(size, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    if len(data) != size:
        raise RepairError(f"{len(data)} of {size} bytes of a queue could be read")
    return sequence, data


def _options(state: State) -> bytes:
    """What was agreed on when the connection was opened, for TCP_REPAIR_OPTIONS."""
    # Without the scales, Linux would use those that it offers in a SYN.
    scales = state.send_scale | state.receive_scale << 16
    found = [(_OPTION_MSS, state.mss), (_OPTION_SCALING, scales)]
    if state.has_sack:
        found.append((_OPTION_SACK, 0))
    if state.timestamp is not None:
        found.append((_OPTION_TIMESTAMPS, 0))
    return b"".join(_OPTION.pack(*each) for each in found)


def _before(sequence: int, count: int) -> int:
    return (sequence - count) & 0xFFFF_FFFF


def _get(connection: socket.socket, option: int) -> int:
    value: int = _WORD.unpack(connection.getsockopt(socket.IPPROTO_TCP, option, _WORD.size))[0]
    return value


def _set(connection: socket.socket, option: int, value: int) -> None:
    try:
        connection.setsockopt(socket.IPPROTO_TCP, option, _WORD.pack(value))
    except OSError as error:
        if option == TCP_REPAIR and error.errno in _NO_RIGHT:
            raise RepairError(
                "TCP_REPAIR needs the capability CAP_NET_ADMIN in the socket's network namespace"
            ) from None
        raise


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
