# SPDX-License-Identifier: Apache-2.0
"""Client of a kernel for sum-product networks: log-likelihoods of the rows of a CSV file.

    python -m bombus.applications.spn.client samples.csv 10.77.0.2 > likelihoods.csv

A row a sample, with a column for each variable in the order of the model; an empty field is
missing. Over UDP, batches are datagrams; one without a reply is sent again. With `--tcp`, they are
messages of one connection, sent while replies arrive.
"""

from __future__ import annotations

import argparse
import csv
import math
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bombus.applications.spn import messages
from bombus.base.errors import UserError

DEFAULT_PORT = 1043
PAYLOAD_BYTES = 1472
ATTEMPTS = 10
TIMEOUT_SECONDS = 1.0
TCP_BATCH_BYTES = 4096
TCP_TIMEOUT_SECONDS = 60.0  # without progress


def per_batch(variables: int, value_bits: int, payload_bytes: int = PAYLOAD_BYTES) -> int:
    """Samples of which request and reply fit into a datagram each."""
    sample = variables * (1 if value_bits <= 8 else 2)
    return (payload_bytes - messages.HEADER.size) // max(sample, messages.RESULT_BYTES)


def log_likelihoods(
    address: tuple[str, int], samples: npt.ArrayLike, value_bits: int = 8, *, tcp: bool = False
) -> npt.NDArray[np.float64]:
    """Of each row of `samples`, in nats; raises UserError if there are no replies."""
    data = np.asarray(samples, dtype=np.float64)
    size = per_batch(data.shape[1], value_bits, TCP_BATCH_BYTES if tcp else PAYLOAD_BYTES)
    if size < 1:
        raise UserError(f"a sample of {data.shape[1]} variables does not fit into a message")
    requests = [
        messages.request(data[start : start + size], number & 0xFFFF, value_bits)
        for number, start in enumerate(range(0, len(data), size))
    ]
    exchanges = _over_tcp if tcp else _over_udp
    found = list(exchanges(address, requests))
    return np.concatenate(found) if found else np.empty(0)


def _over_udp(address: tuple[str, int], requests: list[bytes]) -> Iterator[npt.NDArray[np.float64]]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        try:
            connection.connect(address)
        except OSError as error:
            raise UserError(f"{address[0]}, UDP port {address[1]}: {error}") from None
        for number, message in enumerate(requests):
            yield _exchange(connection, message, number & 0xFFFF)


def _over_tcp(address: tuple[str, int], requests: list[bytes]) -> Iterator[npt.NDArray[np.float64]]:
    """Sends in a thread, so that replies never fill the buffers of both ends."""
    try:
        connection = socket.create_connection(address, TCP_TIMEOUT_SECONDS)
    except OSError as error:
        raise UserError(f"{address[0]}, TCP port {address[1]}: {error}") from None
    with connection, ThreadPoolExecutor(1) as pool, connection.makefile("rb") as replies:
        sending = pool.submit(connection.sendall, b"".join(requests))
        try:
            for number, _ in enumerate(requests):
                header = replies.read(messages.HEADER.size)
                body = replies.read(messages.length(header)) if header else b""
                got = messages.reply(header + body)
                if got.batch != number & 0xFFFF:
                    raise UserError(f"a reply to batch {got.batch} instead of {number & 0xFFFF}")
                yield got.log_likelihoods
            sending.result()
        except OSError as error:
            raise UserError(f"the connection failed: {error}") from None
        finally:
            connection.close()


def _exchange(connection: socket.socket, message: bytes, batch: int) -> npt.NDArray[np.float64]:
    for _ in range(ATTEMPTS):
        connection.send(message)
        try:
            while True:
                got = messages.reply(connection.recv(1 << 16))
                if got.batch == batch:  # not a late one of an earlier batch
                    return got.log_likelihoods
        except TimeoutError:
            continue
        except ConnectionRefusedError:
            raise UserError("the port is closed") from None
    raise UserError(f"no reply to batch {batch} after {ATTEMPTS} attempts")


def read(file: Path) -> npt.NDArray[np.float64]:
    """Samples of a CSV file, NaN for empty fields; empty lines are skipped."""
    try:
        rows = list(csv.reader(file.read_text().splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{file}: {error}") from None
    samples: list[list[float]] = []
    for line, row in enumerate(rows, 1):
        if not any(map(str.strip, row)) and len(row) < 2:
            continue
        try:
            samples.append([float(field) if field.strip() else math.nan for field in row])
        except ValueError as error:
            raise UserError(f"{file}:{line}: {error}") from None
        if len(row) != len(samples[0]):
            raise UserError(f"{file}:{line}: {len(row)} values, not {len(samples[0])}")
    if not samples:
        raise UserError(f"{file}: there are no samples")
    return np.array(samples)


def main() -> None:
    parser = argparse.ArgumentParser(description="Log-likelihoods of samples, in nats.")
    parser.add_argument("csv", type=Path)
    parser.add_argument("address")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--value-bits", type=int, default=8)
    parser.add_argument("--tcp", action="store_true")
    given = parser.parse_args()
    if not 0 < given.port < 65536:
        parser.error(f"--port: a port is from 1 to 65535, not {given.port}")
    if not 1 <= given.value_bits <= 16:
        parser.error(f"--value-bits: values have 1 to 16 bits, not {given.value_bits}")
    try:
        address = given.address, given.port
        found = log_likelihoods(address, read(given.csv), given.value_bits, tcp=given.tcp)
    except UserError as error:
        sys.exit(str(error))
    np.savetxt(sys.stdout, found, fmt="%.6f")


if __name__ == "__main__":
    main()
