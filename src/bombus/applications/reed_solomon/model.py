# SPDX-License-Identifier: Apache-2.0
"""Reed-Solomon codes over GF(2^8) as used by storage software, in plain numpy.

    code = Code(8, 2)
    parity = code.encode(data)              # 8 shards, one after another -> 2 shards
    shards = code.reconstruct([*seven, None, *two])

Shares nothing with the hardware in RTL: matrices are inverted here, where the
hardware uses closed formulas. The documentation says which library makes which
matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bombus.applications.reed_solomon.galois_field import (
    Bytes,
    inverse,
    invert,
    matrix_product,
    power,
)
from bombus.base.errors import UserError

# In the order of the numbers that the parameter `matrix` of the layer takes.
MATRICES = ("vandermonde", "cauchy", "power")
MAX_SHARDS = 256


def _generator(matrix: str, data_shards: int, parity_shards: int) -> Bytes:
    """Data shards to all shards: an identity, and below it the parity rows."""
    rows, columns = range(data_shards + parity_shards), range(data_shards)
    if matrix == "vandermonde":
        whole = np.array([[power(r, c) for c in columns] for r in rows], np.uint8)
        return matrix_product(whole, invert(whole[:data_shards]))
    if matrix == "cauchy":
        parity = [[inverse(r ^ c) for c in columns] for r in rows[data_shards:]]
    else:
        parity = [[power(power(2, r), c) for c in columns] for r in range(parity_shards)]
    return np.concatenate([np.eye(data_shards, dtype=np.uint8), np.array(parity, np.uint8)])


@dataclass(frozen=True)
class Code:
    """A systematic code: data shards are unchanged, parity shards follow them."""

    data_shards: int
    parity_shards: int
    matrix: str = MATRICES[0]

    def __post_init__(self) -> None:
        if min(self.data_shards, self.parity_shards) < 1 or self.shards > MAX_SHARDS:
            raise UserError(
                f"a code of {self.data_shards} data and {self.parity_shards} parity shards: at "
                f"least one of each, and at most {MAX_SHARDS} in total"
            )
        if self.matrix not in MATRICES:
            raise UserError(f"matrix {self.matrix!r}: should be one of {', '.join(MATRICES)}")

    @property
    def shards(self) -> int:
        return self.data_shards + self.parity_shards

    @cached_property
    def generator(self) -> Bytes:
        return _generator(self.matrix, self.data_shards, self.parity_shards)

    def encode(self, data: bytes) -> bytes:
        """The parity shards of the data shards, both one after another."""
        if not data or len(data) % self.data_shards:
            raise UserError(f"{len(data)} bytes cannot be split into {self.data_shards} shards")
        shards = np.frombuffer(data, np.uint8).reshape(self.data_shards, -1)
        return matrix_product(self.generator[self.data_shards :], shards).tobytes()

    def reconstruct(self, shards: Sequence[bytes | None]) -> list[bytes]:
        """All shards, from at least as many as there are data shards; None: lost."""
        if len(shards) != self.shards:
            raise UserError(
                f"{len(shards)} shards; expected {self.shards}, with None for lost ones"
            )
        left = [number for number, shard in enumerate(shards) if shard is not None]
        if len(left) < self.data_shards:
            raise UserError(
                f"only {len(left)} shards are left, but recovery needs {self.data_shards}"
            )
        used = left[: self.data_shards]
        values: list[Any] = [np.frombuffer(shards[number] or b"", np.uint8) for number in used]
        if len({len(value) for value in values}) > 1:
            raise UserError("shards should have the same length")
        data = matrix_product(invert(self.generator[used]), np.stack(values))
        return [shard.tobytes() for shard in matrix_product(self.generator, data)]
