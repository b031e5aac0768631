# SPDX-License-Identifier: Apache-2.0
"""The live page beside a run: its process, its key, and the socket that connects them."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self

from bombus.applications.control.sockets import reason
from bombus.applications.control.web.calls import CALLS
from bombus.applications.processors.control import Control
from bombus.base.errors import UserError
from bombus.base.extras import require

DEFAULT_ADDRESS = "127.0.0.1:8080"
_KEY_BYTES = 16
_END_S = 5.0


def require_page(option: str) -> None:
    """UserError if the library of the page is missing; `option` names what needs it."""
    require("nicegui", option, "NiceGUI", "web")


def new_key() -> str:
    """A random key for changes."""
    return secrets.token_hex(_KEY_BYTES)


def listener_at(text: str, option: str) -> socket.socket:
    """A socket that listens at ADDRESS:PORT; port 0: a free one. UserError."""
    host, colon, port = text.rpartition(":")
    try:
        address = ip_address(host.strip("[]"))
        number = int(port)
        if not colon or not 0 <= number < 1 << 16:
            raise ValueError
    except ValueError:
        raise UserError(
            f"{option} {text}: should be ADDRESS:PORT, such as {DEFAULT_ADDRESS}"
        ) from None
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((str(address), number))
        listener.listen()
    except OSError as error:
        listener.close()
        raise UserError(
            f"cannot serve the page at {text}: {reason(error, str(address))}; {option} chooses "
            "another address"
        ) from None
    return listener


def url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class Page:
    """Software of a live run: starts the page's process at the first call, serves it at each.

    `design`: the design file, without which next hops cannot be changed.
    """

    server = "bombus.applications.control.web.server"
    calls: Mapping[str, Callable[..., Any]] = CALLS

    def __init__(self, address: str, design: Path | None = None) -> None:
        require_page("--web")
        self._stack = ExitStack()
        self._listener = self._stack.enter_context(listener_at(address, "--web-address"))
        self._design = design
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Control | None = None
        self._has_ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, simulation: Any) -> None:
        if self._control is None:
            self._start(simulation)
        assert self._control is not None
        assert self._process is not None
        self._control(simulation)
        if self._process.poll() is not None and not self._has_ended:
            self._has_ended = True
            sys.stderr.write("warning: the live page has ended; the run continues\n")

    def _start(self, simulation: Any) -> None:
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="bombus-web-")))
        path = folder / "run.sock"
        self._control = self._stack.enter_context(Control(path, calls=self.calls))
        self._control(simulation)  # from now on the socket is there
        key = new_key()
        number = self._listener.fileno()
        self._process = subprocess.Popen(
            [sys.executable, "-m", self.server, path, str(number), *filter(None, [self._design])],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[number],
            start_new_session=True,  # Ctrl-C is for the run, which then ends it
        )
        self._stack.callback(_end, self._process)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{key}\n".encode())
        self._process.stdin.flush()
        sys.stderr.write(f"{self.told(key)}\n")

    def told(self, key: str) -> str:
        """What is printed when the page is there."""
        return f"page: {url(self._listener)}   key for changes: {key}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()
