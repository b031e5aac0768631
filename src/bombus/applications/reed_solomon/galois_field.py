# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in GF(2^8), and matrices over it, in plain numpy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bombus.base.errors import UserError

Bytes = npt.NDArray[np.uint8]
POLYNOMIAL = 0x11D


def _tables() -> tuple[list[int], list[int]]:
    """Powers of the generator 2, and logarithms."""
    powers, logarithms, value = [], [0] * 256, 1
    for exponent in range(255):
        powers.append(value)
        logarithms[value] = exponent
        value = value << 1 ^ (POLYNOMIAL if value & 0x80 else 0)
    return powers, logarithms


_POWERS, _LOGARITHMS = _tables()


def multiply(a: int, b: int) -> int:
    return _POWERS[(_LOGARITHMS[a] + _LOGARITHMS[b]) % 255] if a and b else 0


def inverse(a: int) -> int:
    """1 / a; ZeroDivisionError for 0."""
    if a == 0:
        raise ZeroDivisionError("0 has no inverse")
    return _POWERS[-_LOGARITHMS[a] % 255]


def power(a: int, exponent: int) -> int:
    if a == 0:
        return int(exponent == 0)
    return _POWERS[_LOGARITHMS[a] * exponent % 255]


_PRODUCTS: Bytes = np.array([[multiply(a, b) for b in range(256)] for a in range(256)], np.uint8)


def matrix_product(left: Bytes, right: Bytes) -> Bytes:
    """Product of matrices; the columns of `right` may be long."""
    result = np.zeros((left.shape[0], right.shape[1]), np.uint8)
    for row, coefficients in zip(result, left, strict=True):
        for coefficient, values in zip(coefficients, right, strict=True):
            row ^= _PRODUCTS[coefficient][values]
    return result


def invert(matrix: Bytes) -> Bytes:
    """By Gauss-Jordan; UserError if there is no inverse."""
    size = len(matrix)
    work = np.concatenate([matrix, np.eye(size, dtype=np.uint8)], axis=1)
    for column in range(size):
        pivots = np.nonzero(work[column:, column])[0]
        if not len(pivots):
            raise UserError("these shards do not determine the data: the matrix is singular")
        pivot = column + int(pivots[0])
        work[[column, pivot]] = work[[pivot, column]]
        work[column] = _PRODUCTS[inverse(int(work[column, column]))][work[column]]
        for row in range(size):
            if row != column and work[row, column]:
                work[row] ^= _PRODUCTS[work[row, column]][work[column]]
    return work[:, size:]
