# SPDX-License-Identifier: Apache-2.0
"""Compiled pipelines in SystemVerilog against their bit-exact models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from bombus.applications import spn
from bombus.applications.spn.lower import Add, LogSum, Table
from bombus.applications.spn.pipeline import Pipeline, pipeline
from bombus.applications.spn.resources import estimate, in_block_ram
from bombus.applications.spn.systemverilog import sources
from tests.applications.spn.networks import RandomNetwork
from tests.support.harness import Bench, Benches

pytestmark = pytest.mark.slow


def shared_nodes() -> Pipeline:
    """Results with several users, weights on edges, a density above 1."""
    text = """S SumNode(0.25*P, 0.75*Q){
        P ProductNode(A, B){
        A SumNode(0.5*C, 0.3*D, 0.2*E){
        C ProductNode(V, W){
        V Histogram(a|[0., 1., 2., 7.];[0.5, 0.3, 0.04])
        W Categorical(b|p=[0.125, 0.0, 0.875])
        }
        D ProductNode(X, Y){
        X Bernoulli(a|p=0.3)
        Y Bernoulli(b|p=0.0001)
        }
        E ProductNode(V, Y)
        }
        B Gaussian(c|mean=3;stdev=0.25)
        }
        Q ProductNode(A, Z){
        Z Gaussian(c|mean=40;stdev=20)
        }
    }
    # a;b;c"""
    found = pipeline(spn.parse(text))
    assert found.lowered.offset < 0 and max(found.schedule.delays) > 1
    return found


def random_wide() -> Pipeline:
    """Values of 10 bits, a table in block RAM, another format."""
    network = spn.parse(str(RandomNetwork(Random(28), 6, 8)))
    found = pipeline(network, error=1e-3, value_bits=10)
    operations = found.lowered.operations
    assert any(isinstance(each, Table) and in_block_ram(each) for each in operations)
    assert sum(isinstance(each, LogSum) for each in operations) > 2
    assert any(isinstance(each, Add) for each in operations)
    return found


MODELS = {"shared_nodes": shared_nodes, "random_wide": random_wide}


def open_bench(benches: Benches, found: Pipeline, folder: Path) -> Bench:
    for name, text in sources(found, "model").items():
        (folder / name).write_text(text)
    return replace(benches, generated=folder)("spn_pipeline")


def packed(rows: npt.NDArray, bits: int) -> list[int]:
    return [sum(int(v) << bits * n for n, v in enumerate(row)) for row in rows]


@pytest.mark.parametrize("name", MODELS)
def test_results(benches: Benches, name: str, tmp_path: Path) -> None:
    found = MODELS[name]()
    bits = found.lowered.value_bits
    random = np.random.default_rng(4)
    shape = 3000, len(found.lowered.network.variables)
    rows = np.where(
        random.random(shape) < 0.7,
        random.integers(0, 14, shape),
        random.integers(0, 1 << bits, shape),
    )
    rows[random.random(shape) < 0.1] = (1 << bits) - 1
    bench = open_bench(benches, found, tmp_path)
    bench.pace(gap=0.3)
    bench.push(packed(rows, bits))
    bench.drain()
    items = bench.items()
    mask = (1 << 32) - 1
    assert [item & mask for item in items] == found.numbers(rows).tolist()
    fixed = np.array([item >> 32 & mask for item in items], dtype=np.uint32).view(np.int32)
    assert fixed.tolist() == found.results(rows).tolist()
    floats = np.array([item >> 64 for item in items], dtype=np.uint32).view(np.float32)
    exact = fixed / (1 << found.fraction)
    assert np.all(np.abs(floats) <= np.abs(exact))
    assert np.all(np.abs(floats - exact) <= np.abs(exact) * 2.0**-23)


def test_depth(benches: Benches, tmp_path: Path) -> None:
    """A sample takes as many cycles as the compiler reports, and 3 more as a float."""
    found = shared_nodes()
    bench = open_bench(benches, found, tmp_path)
    bench.push([0])
    bench.drain()
    (received,) = bench.received()
    assert received.cycle - bench.taken()[0] == estimate(found).depth + 3
