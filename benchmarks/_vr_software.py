# SPDX-License-Identifier: Apache-2.0
"""A software witness of clients/vr on sockets of this machine, for a ratio of reply times."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bombus.applications.vr.messages import (
    Commit,
    Message,
    MessageError,
    Prepare,
    PrepareOk,
    Recovery,
    RecoveryResponse,
    Request,
    ValidateRead,
    ValidateReadReply,
    decode,
)
from bombus.base.errors import UserError

INDEX = 1  # of the witness among three members
WAIT_SECONDS = 10.0
WARM_UP = 50
COMMIT_EVERY = 100  # Prepares between Commits, so that the log is truncated


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as each:
        each.bind(("127.0.0.1", 0))
        return int(each.getsockname()[1])


class Software:
    """Plays both replicas towards a witness."""

    def __init__(self, replicas: list[socket.socket], port: int) -> None:
        self._replicas = replicas
        self._witness = ("127.0.0.1", port)

    def recover(self) -> None:
        """Answers the witness until both replicas have; the group is new, its view is 0."""
        waiting = {0, 2}
        end = time.monotonic() + WAIT_SECONDS
        while waiting:
            for index, replica in zip((0, 2), self._replicas, strict=True):
                question = self._receive(replica, 0.05)
                if isinstance(question, Recovery):
                    answer = RecoveryResponse(1, index, question.nonce, 0, 0, 0, 0)
                    replica.sendto(answer.encode(), self._witness)
                    waiting.discard(index)
            if time.monotonic() > end:
                raise UserError("the software witness does not recover")
        while self._receive(self._replicas[0], 0.2) is not None:
            pass  # an acknowledgement of its log, which is empty

    def _receive(self, replica: socket.socket, seconds: float) -> Message | None:
        replica.settimeout(seconds)
        try:
            return decode(replica.recv(1 << 16))
        except (TimeoutError, MessageError):
            return None

    def _exchange(self, data: bytes, expected: Message) -> float:
        """Seconds from the message to its reply; UserError if it is another one."""
        start = time.perf_counter()
        self._replicas[0].sendto(data, self._witness)
        reply = self._receive(self._replicas[0], WAIT_SECONDS)
        seconds = time.perf_counter() - start
        if reply != expected:
            raise UserError(f"the software witness answers {reply}, not {expected}")
        return seconds

    def prepare(self, operation: bytes, count: int) -> float:
        """Median reply time of Prepares with one operation each, in seconds."""
        seconds, committed = [], 0
        for number in range(1, count + WARM_UP + 1):
            message = Prepare.of(0, number, [Request(1, number, operation)], committed)
            expected = PrepareOk(0, number, INDEX, committed)
            seconds.append(self._exchange(message.encode(), expected))
            if number % COMMIT_EVERY == 0:
                committed = number
                self._replicas[0].sendto(Commit(0, committed).encode(), self._witness)
        return statistics.median(seconds[WARM_UP:])

    def read(self, count: int) -> float:
        """Median reply time of ValidateReads, in seconds."""
        seconds = []
        for number in range(count + WARM_UP):
            message = ValidateRead(0, 1, number)
            expected = ValidateReadReply(1, 1, number, INDEX)
            seconds.append(self._exchange(message.encode(), expected))
        return statistics.median(seconds[WARM_UP:])


@contextmanager
def software(program: Path) -> Iterator[Software]:
    """A witness of this program (`go build` in clients/vr), after its recovery."""
    if not program.is_file():
        raise UserError(f"{program} is no program; `go build -o vr .` in clients/vr makes it")
    with ExitStack() as stack:
        replicas = [
            stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2)
        ]
        for each in replicas:
            each.bind(("127.0.0.1", 0))
        first, last = (each.getsockname()[1] for each in replicas)
        port = _free_port()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        config = folder / "group.json"
        addresses = [f"127.0.0.1:{each}" for each in (first, port, last)]
        config.write_text(json.dumps({"shards": [addresses]}), encoding="utf-8")
        command = [str(program.resolve()), "witness", "-config", str(config), "-index", str(INDEX)]
        witness = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        stack.callback(witness.wait)
        stack.callback(witness.terminate)
        found = Software(replicas, port)
        found.recover()
        yield found
