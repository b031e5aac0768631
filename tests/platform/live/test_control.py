# SPDX-License-Identifier: Apache-2.0
"""The control socket of a live run: requests, bad ones, and clients that misbehave."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bombus.applications.processors.control import Control, request
from bombus.base.errors import UserError
from tests.support.serving import served_at


class Processor:
    def __init__(self) -> None:
        self.log: list[Any] = []

    def evict(self, limit_cycles: int = 1) -> None:
        self.log.append(("evict", limit_cycles))

    def load(self, file: str) -> None:
        raise UserError(f"{file}: there is no such file")

    def debug_send(self, word: int, place: int) -> None:
        self.log.append((word, place))


@pytest.fixture
def simulation() -> Any:
    found = [Processor(), Processor()]
    return SimpleNamespace(rpus=found, extension=lambda _: found)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "socket"


@pytest.fixture
def served(simulation: Any, path: Path) -> Iterator[Control]:
    with served_at(path, simulation) as control:
        yield control


def raw(path: Path, data: bytes) -> bytes:
    """The reply to these bytes; none if the run hangs up."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(path))
        client.sendall(data)
        with client.makefile("rb") as stream:
            return stream.readline()


def test_requests(served: Control, simulation: Any, path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    assert request(path, "evict", [1]) is None
    assert request(path, "send", [0, 7, 3]) is None
    assert simulation.rpus[1].log == [("evict", 1)] and simulation.rpus[0].log == [(7, 3)]
    for call, arguments, reason in (
        ("load", [0, "a.elf"], "a.elf: there is no such file"),
        ("boot", [2], "there is no packet processor 2; the design has 2"),
        ("evict", [0, 10**12], "this is not a request"),
        ("evict", ["one"], "this is not a request"),
        ("shutdown", [], "this is not a request: 'shutdown'"),
    ):
        with pytest.raises(UserError, match=reason):
            request(path, call, arguments)
    assert simulation.rpus[1].log == [("evict", 1)]


@pytest.mark.parametrize("line", [b"[" * 60_000, b"[1]", b"1e999", b"\xff", b"", b'{"call": []}'])
def test_lines_that_are_no_requests(served: Control, path: Path, line: bytes) -> None:
    assert "this is not a request" in json.loads(raw(path, line + b"\n"))["error"]
    request(path, "evict", [0])


def test_a_line_without_end(served: Control, path: Path) -> None:
    assert raw(path, b"x" * ((1 << 20) + 1)) == b""
    request(path, "evict", [0])


def test_registers(path: Path) -> None:
    """Accesses are checked before the first one; a long reply waits for its reader."""
    words = {4: 7}
    run: Any = SimpleNamespace(
        manifest={"text": "x" * 2_000_000},
        read_register=lambda address: words.get(address, 0),
        write_register=words.__setitem__,
        table_writes=lambda: words,
    )
    with Control(path) as control:
        control(run)
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                control(run)
                time.sleep(0.001)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            assert request(path, "manifest") == run.manifest
            given = [["write", 8, [1, 2]], ["masked", 4, 0xF0, 0x55], ["read", 4, 3]]
            assert request(path, "access", [given]) == [0x57, 1, 2]
            for bad in (
                *(["read", 5, 1], ["read", 4, -1], ["write", 4, [1 << 32]], ["jump", 4, 1]),
                *(["read"], ["write", 4, ["a"]], ["masked", 4, 1], "read", 5, ["read", 4, 1, 1]),
            ):
                with pytest.raises(UserError, match="not a request"):
                    request(path, "access", [[["write", 8, [99]], bad]])
            assert words == {4: 0x57, 8: 1, 12: 2}
        finally:
            ended.set()
            thread.join()


def test_nothing_is_done_for_a_client_that_has_left(simulation: Any, path: Path) -> None:
    with Control(path) as control:
        control(simulation)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(b'{"call": "evict", "arguments": [0]}\n')
        for _ in range(3):
            control(simulation)
        assert simulation.rpus[0].log == []


def test_silent_clients_do_not_keep_others_out(served: Control, path: Path) -> None:
    silent = [socket.socket(socket.AF_UNIX) for _ in range(40)]
    for client in silent:
        client.connect(str(path))
    request(path, "evict", [0])
    for client in silent:
        client.close()


def test_files_that_are_there(simulation: Any, path: Path, tmp_path: Path) -> None:
    """Only the socket of a run that was killed is replaced, and nothing of others is removed."""
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match="the file exists; remove it"):
        Control(tmp_path / "file")
    with pytest.raises(UserError, match="there is no folder"):
        Control(tmp_path / "none" / "socket")
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    with Control(path) as control:
        control(simulation)
        with pytest.raises(UserError, match="another run uses this socket"):
            Control(path)
        path.unlink()
        path.write_text("mine")
    assert path.read_text() == "mine" and (tmp_path / "file").read_text() == "mine"


def test_nobody_answers(path: Path) -> None:
    with pytest.raises(UserError, match=r"no run answers at .*No such file"):
        request(path, "status")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()

        def answer() -> None:
            client, _ = other.accept()
            client.recv(100)
            client.sendall(b"hello\n")
            client.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(UserError, match=r"is not the socket of a run"):
            request(path, "status")
        thread.join()
