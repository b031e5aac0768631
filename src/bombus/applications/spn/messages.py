# SPDX-License-Identifier: Apache-2.0
"""Requests and replies of a kernel for sum-product networks (docs/applications/spn/kernel.md)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bombus.base.errors import UserError

HEADER = struct.Struct("<2sBBHHH")  # magic, form, fraction, length, count, batch
MAGIC = b"SP"
RESULT_BYTES = 4
REQUEST, RESULTS, BAD_HEADER, BAD_LENGTH, TOO_MANY = range(5)
REASONS = {
    BAD_HEADER: "wrong header",
    BAD_LENGTH: "partial samples, or another number of them than the header says",
    TOO_MANY: "too many samples for one reply",
}


def request(samples: npt.ArrayLike, batch: int = 0, value_bits: int = 8) -> bytes:
    """The message of a batch: a row a sample, NaN where a value is missing.

    Values must be integers from 0 to 2^value_bits - 2; `batch`, 0 to 65535, returns in the reply.
    """
    data = np.asarray(samples, dtype=np.float64)
    missing = (1 << value_bits) - 1
    whole = np.where(np.isnan(data), missing, data)
    if data.ndim != 2 or len(data) > 0xFFFF:
        raise UserError("a batch has up to 65535 rows of samples")
    is_known = ~np.isnan(data)
    if np.any(is_known & ((whole < 0) | (whole >= missing) | (whole != np.floor(whole)))):
        raise UserError(f"values must be integers from 0 to {missing - 1}")
    values = whole.astype("<u1" if value_bits <= 8 else "<u2").tobytes()
    if len(values) > 0xFFFF:
        raise UserError("the samples of a batch have at most 65535 bytes")
    return HEADER.pack(MAGIC, REQUEST, 0, len(values), len(data), batch) + values


def length(header: bytes) -> int:
    """Bytes after a header."""
    if len(header) < HEADER.size:
        raise UserError("a reply is shorter than its header")
    return int(HEADER.unpack(header)[3])


@dataclass(frozen=True)
class Reply:
    """`log_likelihoods`: in nats, in the order of the samples."""

    batch: int
    log_likelihoods: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.int32] | None  # in fixed point, if they are


def reply(message: bytes) -> Reply:
    """The results of a reply; raises UserError if it has none."""
    if len(message) < HEADER.size:
        raise UserError("a reply is shorter than its header")
    magic, form, fraction, length, count, batch = HEADER.unpack_from(message)
    if form in REASONS and magic == MAGIC:
        raise UserError(f"batch {batch} was refused: {REASONS[form]}")
    body = message[HEADER.size : HEADER.size + length]  # frames may be padded
    if magic != MAGIC or form != RESULTS or len(body) != count * RESULT_BYTES:
        raise UserError("a message is no reply of a kernel for sum-product networks")
    if fraction == 0:
        return Reply(batch, np.frombuffer(body, "<f4").astype(np.float64) * math.log(2), None)
    numbers = np.frombuffer(body, "<i4")
    return Reply(batch, numbers.astype(np.float64) * (math.log(2) / (1 << fraction)), numbers)
