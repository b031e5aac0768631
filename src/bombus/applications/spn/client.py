# SPDX-License-Identifier: Apache-2.0
"""Client of a kernel for sum-product networks: log-likelihoods of the rows of a CSV file.

    python -m bombus.applications.spn.client samples.csv 10.77.0.2 > likelihoods.csv

A row a sample, with a column for each variable in the order of the model; an empty field is
missing. Batches are datagrams; one without a reply is sent again.
"""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bombus.applications.spn import messages
from bombus.base.errors import UserError

DEFAULT_PORT = 1043
PAYLOAD_BYTES = 1472
ATTEMPTS = 10
TIMEOUT_SECONDS = 1.0


def per_batch(variables: int, value_bits: int, payload_bytes: int = PAYLOAD_BYTES) -> int:
    """Samples of which request and reply fit into a datagram each."""
    sample = variables * (1 if value_bits <= 8 else 2)
    return (payload_bytes - messages.HEADER.size) // max(sample, messages.RESULT_BYTES)


def log_likelihoods(
    address: tuple[str, int], samples: npt.ArrayLike, value_bits: int = 8
) -> npt.NDArray[np.float64]:
    """Of each row of `samples`, in nats; raises UserError if there are no replies."""
    data = np.asarray(samples, dtype=np.float64)
    size = per_batch(data.shape[1], value_bits)
    if size < 1:
        raise UserError(f"a sample of {data.shape[1]} variables does not fit into a datagram")
    found: list[npt.NDArray[np.float64]] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(address)
        for number, start in enumerate(range(0, len(data), size)):
            batch = number & 0xFFFF
            message = messages.request(data[start : start + size], batch, value_bits)
            found.append(_exchange(connection, message, batch))
    return np.concatenate(found) if found else np.empty(0)


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
    """Samples of a CSV file, NaN for empty fields."""
    try:
        return np.genfromtxt(file, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}") from None


def main() -> None:
    parser = argparse.ArgumentParser(description="Log-likelihoods of samples, in nats.")
    parser.add_argument("csv", type=Path)
    parser.add_argument("address")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--value-bits", type=int, default=8)
    given = parser.parse_args()
    try:
        found = log_likelihoods((given.address, given.port), read(given.csv), given.value_bits)
    except UserError as error:
        sys.exit(str(error))
    np.savetxt(sys.stdout, found, fmt="%.6f")


if __name__ == "__main__":
    main()
