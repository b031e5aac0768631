# SPDX-License-Identifier: Apache-2.0
"""An echo, an HTTP and a Redis server behind the TCP engine, in a live run."""

import sys
from collections.abc import Callable
from pathlib import Path

import bombus
from bombus import Simulation
from bombus.live.run import run
from bombus.protocols.tcp.sockets import Connection, Listener

DESIGN = Path(__file__).parent / "tcp_host.yaml"
kept: dict[bytes, bytes] = {}  # values set by Redis clients


def echo(came: bytearray) -> bytes:
    """RFC 862."""
    answer = bytes(came)
    came.clear()
    return answer


def http(came: bytearray) -> bytes:
    """HTTP/1.1 (RFC 9112), GET only: /N has N bytes, up to 16 MiB."""
    answer = b""
    while (end := came.find(b"\r\n\r\n")) >= 0:
        method, _, rest = bytes(came[:end]).partition(b" ")
        size = rest.split(b" ")[0][1:]
        del came[: end + 4]
        known = method == b"GET" and size.isdigit() and len(size) < 9 and int(size) <= 1 << 24
        body = b"x" * int(size) if known else b"GET /N has N bytes\n"
        status = b"200 OK" if known else b"404 Not Found"
        answer += b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body
    return answer


def redis(came: bytearray) -> bytes:
    """RESP2: PING, ECHO, SET, GET; each command is an array of strings."""
    answer = b""
    while (words := command(came)) is not None:
        match [word.upper() for word in words[:1]] + words[1:]:
            case [b"PING"]:
                answer += b"+PONG\r\n"
            case [b"ECHO", text]:
                answer += b"$%d\r\n%s\r\n" % (len(text), text)
            case [b"SET", key, value]:
                kept[key] = value
                answer += b"+OK\r\n"
            case [b"GET", key] if key in kept:
                answer += b"$%d\r\n%s\r\n" % (len(kept[key]), kept[key])
            case [b"GET", _]:
                answer += b"$-1\r\n"
            case _:
                answer += b"-ERR unknown command\r\n"
    return answer


def command(came: bytearray) -> list[bytes] | None:
    """Takes a whole command off; None if it has not come yet. One that is wrong is empty, and takes
    all that has come.
    """
    words: list[bytes] = []
    head, found, rest = bytes(came).partition(b"\r\n")
    if not found:
        return None
    try:
        for _ in range(length(b"*", head)):
            size, found, rest = rest.partition(b"\r\n")
            if not found or len(rest) < length(b"$", size) + 2:
                return None
            words.append(rest[: length(b"$", size)])
            rest = rest[length(b"$", size) + 2 :]
    except ValueError:
        rest = b""
        words = []
    came[:] = rest
    return words


def length(sign: bytes, line: bytes) -> int:
    """The number behind a sign; ValueError if there is none, or one of more than nine digits."""
    digits = line[1:]
    if line[:1] != sign or not digits.isdigit() or len(digits) > 9:
        raise ValueError(line)
    return int(digits)


SERVICES: dict[int, Callable[[bytearray], bytes]] = {7: echo, 80: http, 6379: redis}


class Servers:
    """What `run` calls: at the start, whenever messages have come, and now and then."""

    def __init__(self) -> None:
        self.listeners: dict[Listener, Callable[[bytearray], bytes]] = {}
        self.open: dict[Connection, tuple[Callable[[bytearray], bytes], bytearray]] = {}

    def __call__(self, simulation: Simulation) -> None:
        if not self.listeners:
            for port, service in SERVICES.items():
                self.listeners[bombus.sockets(simulation).listen(port)] = service
        changed = bombus.sockets(simulation).poll()
        for listener, answers in self.listeners.items():
            while listener.waiting:
                self.open[listener.accept(timeout=0)] = answers, bytearray()
        for connection in changed:
            if connection in self.open:
                self.serve(connection)

    def serve(self, connection: Connection) -> None:
        answers, came = self.open[connection]
        came += connection.read()
        if connection.is_closed or connection.at_end:
            connection.close()
            del self.open[connection]
        elif came and (answer := answers(came)):
            connection.write(answer)


if __name__ == "__main__":
    run(DESIGN, software=Servers(), duration=float(sys.argv[1]) if sys.argv[1:] else None)
