# SPDX-License-Identifier: Apache-2.0
"""Client of the Reed-Solomon service: encode files into shards, recover them from the remaining
ones.

    python -m bombus.applications.reed_solomon.client encode FILE FOLDER 10.77.0.2
    rm FOLDER/shard.3 FOLDER/shard.8
    python -m bombus.applications.reed_solomon.client decode FOLDER FILE

Encoding uses plain sockets. The file, filled up with zeros, is cut into blocks; each
block is one datagram to the service, its parity the answer. `FOLDER` gets one file for
each shard, `shard.0` and so on, and `code.json`, which says what they are. Decoding
needs as many shards as there are data shards, and no service.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import selectors
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from bombus.applications.reed_solomon.model import MATRICES, Code
from bombus.base.errors import UserError
from bombus.base.text import counted

DEFAULT_PORT = 1082
CODE_FILE = "code.json"
# From Linux's <linux/in.h>: report datagrams that do not fit instead of fragmenting them.
_IP_MTU_DISCOVER, _IP_PMTUDISC_DO = 10, 2
# Separate ports: a late or duplicate reply finds no open port.
_OWN_PORTS = range(20_000, 60_000)
# Every nth block of a file is compared with the model.
_COMPARE_EVERY = 64


@dataclass(frozen=True)
class Description:
    """Description of the shards in a folder."""

    data_shards: int
    parity_shards: int
    shard_bytes: int  # of one block
    matrix: str
    file_bytes: int
    sha256: str

    @property
    def code(self) -> Code:
        return Code(self.data_shards, self.parity_shards, self.matrix)


class Statistics(NamedTuple):
    """Statistics of an encoding."""

    blocks: int
    repeated: int  # requests repeated because no answer came in time


@dataclass
class _Request:
    number: int  # of the block
    block: bytes
    deadline: float
    tries_left: int
    other_answer: int | None = None  # length of an answer that does not have the size of the parity


class ParityService:
    """Requests the parity of blocks from a service, several at a time, and repeats requests until
    they are answered.
    """

    def __init__(
        self,
        address: str,
        port: int = DEFAULT_PORT,
        *,
        window: int = 16,
        timeout: float = 0.5,
        tries: int = 20,
    ) -> None:
        self.address = (address, port)
        self.window = window
        self.timeout = timeout
        self.tries = tries
        self.repeated = 0
        self._own_ports = self._ports()

    @staticmethod
    def _ports() -> Iterator[int]:
        # Concurrent clients start at different ports.
        start = time.monotonic_ns() // 1000 % len(_OWN_PORTS)
        while True:
            yield from (*_OWN_PORTS[start:], *_OWN_PORTS[:start])

    def _socket(self) -> socket.socket:
        client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _IP_PMTUDISC_DO)
        for _ in _OWN_PORTS:
            try:
                client.bind(("", next(self._own_ports)))
                break
            except OSError:  # port in use
                continue
        try:
            client.connect(self.address)
        except (OSError, UnicodeError) as error:  # also for an invalid name
            client.close()
            why = error.strerror if isinstance(error, OSError) else "unknown host name"
            raise UserError(f"{self.address[0]} cannot be reached: {why}") from None
        return client

    def parity(self, blocks: list[bytes], parity_bytes: int) -> list[bytes]:
        """The parity of each block; UserError if the service does not answer or is unreachable."""
        answers: list[bytes] = [b""] * len(blocks)
        waiting = iter(enumerate(blocks))
        with selectors.DefaultSelector() as selector:
            try:
                while True:
                    self._fill(selector, waiting)
                    if not selector.get_map():
                        return answers
                    for key, _ in selector.select(self._until_deadline(selector)):
                        request: _Request = key.data
                        answer = self._receive(key)
                        if answer is None:
                            continue
                        if len(answer) != parity_bytes:
                            request.other_answer = len(answer)
                        else:
                            answers[request.number] = answer
                            selector.unregister(key.fileobj)
                            self._close(key)
                    self._repeat(selector, parity_bytes)
            finally:
                for key in list(selector.get_map().values()):
                    self._close(key)

    def _fill(self, selector: selectors.BaseSelector, waiting: Iterator[tuple[int, bytes]]) -> None:
        while len(selector.get_map()) < self.window:
            following = next(waiting, None)
            if following is None:
                return
            number, block = following
            request = _Request(number, block, time.monotonic() + self.timeout, self.tries - 1)
            key = selector.register(self._socket(), selectors.EVENT_READ, request)
            self._send(key)

    @staticmethod
    def _until_deadline(selector: selectors.BaseSelector) -> float:
        first = min(key.data.deadline for key in selector.get_map().values())
        return float(max(0.0, first - time.monotonic()))

    def _repeat(self, selector: selectors.BaseSelector, parity_bytes: int) -> None:
        now = time.monotonic()
        for key in list(selector.get_map().values()):
            request: _Request = key.data
            if request.deadline > now:
                continue
            if request.tries_left == 0 and request.other_answer is not None:
                raise UserError(
                    f"{self.address[0]} port {self.address[1]} replied with "
                    f"{request.other_answer} bytes instead of {parity_bytes}; check that "
                    f"--parity-shards and --shard-bytes match the design"
                )
            if request.tries_left == 0:
                raise UserError(
                    f"{self.address[0]} port {self.address[1]} does not answer requests of "
                    f"{len(request.block)} bytes; the service drops requests of any size but its "
                    f"own"
                )
            request.tries_left -= 1
            request.deadline = now + self.timeout
            self.repeated += 1
            self._send(key)

    def _send(self, key: selectors.SelectorKey) -> None:
        assert isinstance(key.fileobj, socket.socket)
        try:
            key.fileobj.send(key.data.block)
        except BlockingIOError:
            pass  # treated like a lost request
        except OSError as error:
            raise UserError(
                f"a request of {len(key.data.block)} bytes cannot be sent: {error.strerror}; the "
                f"largest request is the MTU less 28 bytes (`bombus run --mtu 9000`)"
            ) from error

    def _receive(self, key: selectors.SelectorKey) -> bytes | None:
        assert isinstance(key.fileobj, socket.socket)
        try:
            return key.fileobj.recv(65535)
        except BlockingIOError:
            return None  # a damaged datagram that Linux has dropped
        except ConnectionRefusedError:
            raise UserError(
                f"no service at {self.address[0]} port {self.address[1]}: the port is closed"
            ) from None

    @staticmethod
    def _close(key: selectors.SelectorKey) -> None:
        assert isinstance(key.fileobj, socket.socket)
        key.fileobj.close()


def shard_file(folder: Path, number: int) -> Path:
    return folder / f"shard.{number}"


def encode(
    file: Path, folder: Path, service: ParityService, code: Code, shard_bytes: int
) -> Statistics:
    """Writes the shards of a file; their parity comes from the service.

    UserError, and no shards, if the service has another code.
    """
    content = file.read_bytes()
    block_bytes = code.data_shards * shard_bytes
    padded = content + bytes(-len(content) % block_bytes)
    blocks = [padded[i : i + block_bytes] for i in range(0, len(padded), block_bytes)]
    parity_bytes = code.parity_shards * shard_bytes
    if blocks:
        # First a block for which all codes give different parity; blocks of a file may be all
        # zeros.
        probe = Random(0).randbytes(block_bytes)
        _compare(service, code, probe, service.parity([probe], parity_bytes)[0])
    parities = service.parity(blocks, parity_bytes)
    for number in range(0, len(blocks), _COMPARE_EVERY):
        _compare(service, code, blocks[number], parities[number])
    folder.mkdir(parents=True, exist_ok=True)
    stripes = [block + parity for block, parity in zip(blocks, parities, strict=True)]
    for number in range(code.shards):
        place = slice(number * shard_bytes, (number + 1) * shard_bytes)
        shard_file(folder, number).write_bytes(b"".join(stripe[place] for stripe in stripes))
    description = Description(
        code.data_shards,
        code.parity_shards,
        shard_bytes,
        code.matrix,
        len(content),
        hashlib.sha256(content).hexdigest(),
    )
    (folder / CODE_FILE).write_text(json.dumps(asdict(description), indent=2) + "\n")
    return Statistics(len(blocks), service.repeated)


def _compare(service: ParityService, code: Code, block: bytes, parity: bytes) -> None:
    """Raises UserError if the parity differs from that of the model."""
    if parity == code.encode(block):
        return
    host, port = service.address
    raise UserError(
        f"{host} port {port} returned different parity than --matrix {code.matrix} --data-shards "
        f"{code.data_shards} --parity-shards {code.parity_shards} --shard-bytes "
        f"{len(block) // code.data_shards} give; check that they match the design"
    )


def decode(folder: Path, file: Path) -> list[int]:
    """Restores the file from the shards in a folder; returns the numbers of missing ones.

    Raises UserError if there are none or too few, or if some are damaged.
    """
    if not any(folder.glob("shard.*")):
        raise UserError(f"no shards in {folder}: `encode` writes {CODE_FILE}, shard.0 and so on")
    try:
        description = Description(**json.loads((folder / CODE_FILE).read_text()))
    except OSError as error:
        raise UserError(f"{folder / CODE_FILE}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise UserError(f"{folder / CODE_FILE} is not what `encode` wrote: {error}") from None
    code, size = description.code, description.shard_bytes
    files = [shard_file(folder, number) for number in range(code.shards)]
    shards = [file.read_bytes() if file.exists() else None for file in files]
    missing = [number for number, shard in enumerate(shards) if shard is None]
    whole = code.reconstruct(shards)[: code.data_shards]
    content = b"".join(
        shard[start : start + size] for start in range(0, len(whole[0]), size) for shard in whole
    )[: description.file_bytes]
    if hashlib.sha256(content).hexdigest() != description.sha256:
        raise UserError(
            f"{folder}: the shards do not yield the original file; a shard is damaged, or the "
            f"service used another --matrix than {description.matrix}"
        )
    file.write_bytes(content)
    return missing


def main(arguments: list[str] | None = None) -> None:
    summary, _, usage = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m bombus.applications.reed_solomon.client",
        description=summary,
        epilog=usage,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    encoder = commands.add_parser("encode", help="encode a file into shards, using the service")
    encoder.add_argument("file", type=Path, help="file to encode")
    encoder.add_argument("folder", type=Path, help="folder for the shards; created if missing")
    encoder.add_argument("address", help="IPv4 address of the service")
    for flag, kind, default, unit, what in (
        ("--port", int, DEFAULT_PORT, "PORT", "UDP port of the service"),
        ("--data-shards", int, 8, "SHARDS", "number of data shards"),
        ("--parity-shards", int, 2, "SHARDS", "number of parity shards"),
        ("--shard-bytes", int, 512, "BYTES", "bytes per shard and datagram"),
        ("--window", int, 16, "REQUESTS", "requests in flight"),
        ("--timeout", float, 0.5, "SECONDS", "timeout before a request is repeated, in seconds"),
    ):
        encoder.add_argument(
            flag, type=kind, default=default, metavar=unit, help=f"{what} (default: {default})"
        )
    encoder.add_argument(
        "--matrix",
        choices=MATRICES,
        default=MATRICES[0],
        help=f"generator matrix of the service (default: {MATRICES[0]})",
    )
    decoder = commands.add_parser("decode", help="decode the remaining shards into the file")
    decoder.add_argument("folder", type=Path, help="folder with the shards")
    decoder.add_argument("file", type=Path, help="file to write")
    given = parser.parse_args(arguments)
    try:
        if given.command == "encode":
            service = ParityService(
                given.address, given.port, window=given.window, timeout=given.timeout
            )
            code = Code(given.data_shards, given.parity_shards, given.matrix)
            done = encode(given.file, given.folder, service, code, given.shard_bytes)
            print(
                f"{given.file}: {counted(done.blocks, 'block')}, {code.shards} shards in "
                f"{given.folder}; {counted(done.repeated, 'request')} repeated"
            )
        else:
            missing = decode(given.folder, given.file)
            lost = ", ".join(map(str, missing)) or "none"
            print(f"{given.file}: recovered; missing shards: {lost}")
    except OSError as error:
        sys.exit(f"error: cannot read or write {error.filename}: {error.strerror}")
    except UserError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
