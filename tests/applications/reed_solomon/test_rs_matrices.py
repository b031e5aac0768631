# SPDX-License-Identifier: Apache-2.0
"""Coefficients that the SystemVerilog of the Reed-Solomon layer works out, without simulation."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from bombus.applications.reed_solomon.galois_field import invert, multiply, power
from bombus.applications.reed_solomon.model import MATRICES, Code
from bombus.base import paths
from bombus.base.errors import UserError
from bombus.design import rtl

FOLDER = paths.RTL / "applications" / "reed_solomon"
PACKAGES = [FOLDER / name for name in ("gf256_pkg.sv", "rs_matrix_pkg.sv")]
# The largest of every shape, and what storage uses.
CODES = [(1, 1), (255, 1), (1, 255), (128, 128), (170, 86), (86, 170), (24, 4), (16, 4), (10, 4)]


def value(text: str, name: str) -> int:
    """Of a localparam of a module `probe` that imports both packages."""
    module = f"module probe import gf256_pkg::*, rs_matrix_pkg::*; ();\n{text}\nendmodule\n"
    elaboration = rtl.elaborate(PACKAGES, {"probe": module}, top="probe")
    assert elaboration.problems() == []
    return int(elaboration.instance("probe").body.find(name).value.value)


@pytest.mark.parametrize("matrix", range(len(MATRICES)), ids=MATRICES)
@pytest.mark.parametrize(("data_shards", "parity_shards"), CODES)
def test_every_coefficient_is_the_models(data_shards: int, parity_shards: int, matrix: int) -> None:
    text = f"""
      typedef gf_t [{parity_shards - 1}:0][{data_shards - 1}:0] matrix_t;
      function automatic matrix_t make();
        matrix_t m;
        gf_table_t logarithms, products;
        logarithms = gf_logarithms();
        products = rs_products({data_shards}, {data_shards + parity_shards}, logarithms);
        for (int unsigned r = 0; r < {parity_shards}; r++)
          for (int unsigned s = 0; s < {data_shards}; s++)
            m[r][s] = gf_t'(rs_exponent({matrix}, {data_shards}, r, s, logarithms, products));
        return m;
      endfunction
      localparam matrix_t Made = make();
    """
    code = Code(data_shards, parity_shards, MATRICES[matrix])
    exponents = value(text, "Made").to_bytes(data_shards * parity_shards, "little")
    made = bytes(power(2, exponent) for exponent in exponents)
    assert made == code.generator[data_shards:].tobytes()


def test_every_multiplier_is_the_hankel_matrix_of_its_element() -> None:
    def trace(element: int) -> int:
        total = 0
        for _ in range(8):
            total ^= element
            element = multiply(element, element)
        return total

    text = """
      typedef multiplier_t [254:0] all_t;
      function automatic all_t make();
        all_t m;
        traces_t traces;
        traces = gf_traces();
        for (int unsigned n = 0; n < 255; n++) m[n] = gf_multiplier(n, traces);
        return m;
      endfunction
      localparam all_t Made = make();
      localparam int unsigned Scale = DualScale;
    """
    made, scale = value(text, "Made"), value(text, "Scale")
    for exponent in range(255):
        element, h = multiply(scale, power(2, exponent)), 0
        for n in range(15):
            h |= trace(element) << n
            element = multiply(element, 2)
        low, both, high = (h >> shift & 0x7F for shift in (0, 4, 8))
        expected = (low ^ both) << 14 | both << 7 | (both ^ high)
        assert made >> 21 * exponent & 0x1FFFFF == expected, exponent


@pytest.mark.parametrize("matrix", range(len(MATRICES)), ids=MATRICES)
@pytest.mark.parametrize(
    ("data_width", "shard_bytes", "data_shards", "parity_shards"),
    [(64, 8, 170, 86), (64, 8, 255, 1), (64, 8, 1, 255), (64, 8, 128, 128), (512, 64, 149, 107)],
)
def test_the_layer_elaborates_up_to_its_limits(
    data_width: int, shard_bytes: int, data_shards: int, parity_shards: int, matrix: int
) -> None:
    """Within the steps that slang allows constant functions."""
    parameters = {
        "DataShards": data_shards,
        "ParityShards": parity_shards,
        "ShardBytes": shard_bytes,
        "Matrix": matrix,
    }
    given = ", ".join(f".{name}({number})" for name, number in parameters.items())
    text = f"""`include "bombus_types.svh"
      module probe;
        `BOMBUS_BEAT_T(beat_t, {data_width})
        rs_encode #(.beat_t(beat_t), {given}) u_encode ();
      endmodule
    """
    assert rtl.elaborate(rtl.rtl_files(), {"probe": text}, top="probe").problems() == []


def recovers_every_loss(code: Code) -> bool:
    """Whether each square part of the parity rows has an inverse."""
    parity = code.generator[code.data_shards :]
    for size in range(1, min(parity.shape) + 1):
        parts = product(*(combinations(range(side), size) for side in parity.shape))
        for rows, columns in parts:
            try:
                invert(parity[np.ix_(rows, columns)])
            except UserError:
                return False
    return True


@pytest.mark.parametrize(
    ("data_shards", "parity_shards"),
    [(20, 1), (9, 3), (3, 9), (21, 4), (22, 4), (4, 22), (5, 5), (5, 6), (6, 5), (6, 6)],
)
def test_the_package_knows_which_codes_recover_every_loss(
    data_shards: int, parity_shards: int
) -> None:
    text = f"localparam int Says = 32'(power_recovers({data_shards}, {parity_shards}));"
    code = Code(data_shards, parity_shards, "power")
    assert value(text, "Says") == recovers_every_loss(code)
