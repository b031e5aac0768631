# SPDX-License-Identifier: Apache-2.0
"""A Unix socket by which another process calls functions of a run.

A request is a line of JSON, `{"call": "evict", "arguments": [3]}`; its reply is a line, too:
`{"result": ...}` or `{"error": "..."}`. The run serves requests about ten times a second; its
interfaces wait meanwhile.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from bombus.base.errors import UserError

_LONGEST = 1 << 20  # bytes of a request
_MOST_CLIENTS = 16
_PROBE_S = 1.0
_SEND_S = 1.0  # until a client has read its reply
_TIMEOUT_S = 60.0  # of a client: an eviction may take long in a slow simulation


class Control:
    """The socket of a run; call it with the simulation or the cluster to serve what has come.

    `calls`: functions by name, which get the simulation or the cluster, and the arguments of a
    request. `path`: of
    the socket, which only this user may open. It is made at the first call, since a
    build before the run may take minutes; UserError at once if there is a file already that is not
    the socket of a run that was killed. It is removed at the end.
    """

    def __init__(self, path: Path, calls: Mapping[str, Callable[..., Any]]) -> None:
        self.path, self._calls = path, calls
        self._clients: dict[socket.socket, bytearray] = {}  # the oldest first
        self._server: socket.socket | None = None
        self._made = (0, 0)  # device and inode of the socket
        _check_path(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is None:
            return
        for client in (*self._clients, self._server):
            client.close()
        with suppress(OSError):
            if _identity(self.path) == self._made:
                self.path.unlink()

    def __call__(self, simulation: Any) -> None:
        if self._server is None:
            self._server = self._listen()
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                client.setblocking(False)
                if len(self._clients) == _MOST_CLIENTS:
                    self._drop(next(iter(self._clients)))
                self._clients[client] = bytearray()
        for client, buffer in list(self._clients.items()):
            try:
                self._serve(simulation, client, buffer)
            except BlockingIOError:
                continue  # more is to come
            except OSError:
                self._drop(client)

    def _listen(self) -> socket.socket:
        if _is_stale(self.path):
            with suppress(OSError):  # if it stays, bind says why
                self.path.unlink()
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.setblocking(False)
        old = os.umask(0o177)
        try:
            server.bind(str(self.path))
            self._made = _identity(self.path)
        except OSError as error:
            server.close()
            reason = error.strerror or str(error)
            raise UserError(f"cannot make the socket {self.path}: {reason}") from None
        finally:
            os.umask(old)
        server.listen()
        return server

    def _serve(self, simulation: Any, client: socket.socket, buffer: bytearray) -> None:
        while b"\n" not in buffer:
            part = client.recv(_LONGEST)
            buffer += part
            if not part or len(buffer) > _LONGEST:
                self._drop(client)
                return
        line, _, rest = bytes(buffer).partition(b"\n")
        buffer[:] = rest
        if _has_left(client):  # nobody waits for the result, so nothing is done
            self._drop(client)
            return
        try:
            client.settimeout(_SEND_S)
            client.sendall(json.dumps(_reply(simulation, self._calls, line)).encode() + b"\n")
            client.setblocking(False)
        except TimeoutError:  # it does not read
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        del self._clients[client]
        client.close()


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _has_left(client: socket.socket) -> bool:
    try:
        return not client.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False


def _reply(simulation: Any, calls: Mapping[str, Callable[..., Any]], line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
        call, arguments = calls[request["call"]], request.get("arguments", [])
        return {"result": call(simulation, *arguments)}
    except UserError as error:
        return {"error": str(error)}
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        return {"error": f"this is not a request: {error}"}
    except RecursionError:
        return {"error": "this is not a request: too deep"}


def _is_stale(path: Path) -> bool:
    """Whether it is the socket of a run that was killed: nobody answers."""
    if not path.is_socket():
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False


def _check_path(path: Path) -> None:
    if not path.parent.is_dir():
        raise UserError(f"--control {path}: there is no folder {path.parent}")
    if os.path.lexists(path) and not _is_stale(path):
        if path.is_socket():
            raise UserError(f"--control {path}: another run uses this socket; choose another name")
        raise UserError(f"--control {path}: the file exists; remove it or choose another name")


def request(
    path: Path, call: str, arguments: Sequence[Any] = (), *, command: str = "bombus run"
) -> Any:
    """Sends a request to a run and returns the result; UserError if it fails, or nobody answers.

    command: that starts such a run.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_TIMEOUT_S)
        try:
            connection.connect(str(path))
        except OSError as error:
            raise UserError(
                f"no run answers at {path}: {error.strerror or error}; `{command} --control "
                f"{path}` starts one, which answers once its simulator has been built"
            ) from None
        try:
            text = json.dumps({"call": call, "arguments": list(arguments)})
            connection.sendall(text.encode() + b"\n")
            with connection.makefile("rb") as stream:
                line = stream.readline()
        except TimeoutError:
            raise UserError(
                f"the run at {path} has not answered in {_TIMEOUT_S:.0f} seconds; it may still do "
                "what was asked"
            ) from None
        except OSError as error:
            raise UserError(f"the run at {path}: {error.strerror or error}") from None
    if not line:
        raise UserError(f"the run at {path} has ended")
    try:
        reply: dict[str, Any] = json.loads(line)
        if "error" not in reply:
            return reply["result"]
    except (ValueError, TypeError, KeyError):
        raise UserError(f"{path} is not the socket of a run") from None
    raise UserError(reply["error"])
