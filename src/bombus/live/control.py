# SPDX-License-Identifier: Apache-2.0
"""Control of the packet processors of a live run, by another process through a Unix socket.

A request is a line of JSON, `{"call": "evict", "arguments": [3]}`; its reply is a line, too:
`{"result": ...}` or `{"error": "..."}`. `CALLS` has the calls. The run serves requests about ten
times a second.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bombus.base.errors import UserError

if TYPE_CHECKING:
    from bombus.simulator.processors import Processor
    from bombus.simulator.simulation import Simulation

_LONGEST = 1 << 16  # bytes of a request
_MOST_CLIENTS = 16
_TIMEOUT_S = 60.0  # of a client: an eviction may take long in a slow simulation


def _processor(simulation: Simulation, number: int) -> Processor:
    count = len(simulation.rpus)
    if not 0 <= number < count:
        raise UserError(f"there is no packet processor {number}; the design has {count}")
    return simulation.rpus[number]


def _status(simulation: Simulation) -> list[dict[str, Any]]:
    found = []
    for number, processor in enumerate(simulation.rpus):
        status = asdict(processor.status)
        del status["counters"]
        found.append({"number": number, "name": processor.name, **status})
    return found


def _policy(simulation: Simulation, name: str) -> None:
    simulation.lb.policy = name


def _of(method: str) -> Callable[..., Any]:
    """A call of a processor's method."""

    def call(simulation: Simulation, number: int, *arguments: Any) -> Any:
        return getattr(_processor(simulation, number), method)(*arguments)

    return call


CALLS: Mapping[str, Callable[..., Any]] = {
    "status": _status,
    **{name: _of(name) for name in ("load", "boot", "stop", "poke", "evict", "reload")},
    "send": _of("debug_send"),
    "report": lambda simulation, number: _processor(simulation, number).debug_word,
    "read": lambda simulation, number, address, count: (
        _processor(simulation, number).memory.read(address, count).hex()
    ),
    "enable": lambda simulation, number: simulation.lb.enable(number),
    "disable": lambda simulation, number: simulation.lb.disable(number),
    "policy": _policy,
}


class Control:
    """The socket of a run; call it with the simulation to serve what has come.

    `path`: of the socket, which only this user may open; UserError if there is a file already that
    is not the socket of a run that has ended. It is removed at the end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._clients: dict[socket.socket, bytearray] = {}
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.setblocking(False)
        _remove_stale(path)
        old = os.umask(0o177)
        try:
            self._server.bind(str(path))
        except OSError as error:
            self._server.close()
            raise UserError(f"cannot make the socket {path}: {error.strerror or error}") from None
        finally:
            os.umask(old)
        self._server.listen()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for client in (*self._clients, self._server):
            client.close()
        self.path.unlink(missing_ok=True)

    def __call__(self, simulation: Simulation) -> None:
        with suppress(BlockingIOError):
            while len(self._clients) < _MOST_CLIENTS:
                client, _ = self._server.accept()
                client.setblocking(False)
                self._clients[client] = bytearray()
        for client, buffer in list(self._clients.items()):
            try:
                self._serve(simulation, client, buffer)
            except BlockingIOError:
                continue  # more is to come
            except OSError:
                self._drop(client)

    def _serve(self, simulation: Simulation, client: socket.socket, buffer: bytearray) -> None:
        while b"\n" not in buffer:
            part = client.recv(_LONGEST)
            buffer += part
            if not part or len(buffer) > _LONGEST:
                self._drop(client)
                return
        line, _, rest = bytes(buffer).partition(b"\n")
        buffer[:] = rest
        try:
            client.sendall(json.dumps(_reply(simulation, line)).encode() + b"\n")
        except BlockingIOError:  # it does not read
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        del self._clients[client]
        client.close()


def _reply(simulation: Simulation, line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
        call, arguments = CALLS[request["call"]], request.get("arguments", [])
        return {"result": call(simulation, *arguments)}
    except UserError as error:
        return {"error": str(error)}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return {"error": f"this is not a request: {error}"}


def _remove_stale(path: Path) -> None:
    """The socket of a run that was killed: nobody answers."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:
            return


def request(path: Path, call: str, arguments: Sequence[Any] = ()) -> Any:
    """Sends a request to a run and returns the result; UserError if it fails, or nobody answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_TIMEOUT_S)
        try:
            connection.connect(str(path))
            connection.sendall(
                json.dumps({"call": call, "arguments": list(arguments)}).encode() + b"\n"
            )
            with connection.makefile("rb") as stream:
                line = stream.readline()
        except OSError as error:
            raise UserError(
                f"no run answers at {path}: {error.strerror or error}; start it with "
                f"`bombus run --control {path}`"
            ) from None
    if not line:
        raise UserError(f"the run at {path} has ended")
    reply = json.loads(line)
    if "error" in reply:
        raise UserError(reply["error"])
    return reply["result"]
