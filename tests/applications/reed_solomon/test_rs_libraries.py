# SPDX-License-Identifier: Apache-2.0
"""Parity that goes through a whole design is what ISA-L and klauspost/reedsolomon say.

A library that is missing on this machine skips its tests, by name.
"""

from __future__ import annotations

from math import comb
from pathlib import Path
from random import Random

import pytest

from bombus.applications.reed_solomon.erasure_libraries import (
    NAMES,
    ErasureLibrary,
    MissingLibraryError,
    open_library,
)
from bombus.applications.reed_solomon.model import MATRICES, Code
from bombus.measure.bench import load
from bombus.protocols.frames import ETHERNET_BYTES, IPV4_BYTES, UDP_BYTES, udp_frame
from bombus.simulator.simulation import Simulation
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support import message_sums
from tests.support.bench import PEER, Bench

pytestmark = pytest.mark.slow

DESIGNS = (ROOT / "designs" / "rs.yaml", TEST_DESIGNS / "rs_64.yaml")
HEADERS = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES
BLOCKS = 40
# Matrices that a library can make.
MADE_BY = {"isal": MATRICES, "go": ("vandermonde", "cauchy")}


def library(name: str) -> ErasureLibrary:
    try:
        return open_library(name)
    except MissingLibraryError as error:
        pytest.skip(str(error))


def through_design(design: Path, seed: int) -> tuple[Code, int, list[bytes], list[bytes]]:
    """The code of a design, the bytes of a shard, blocks and the parity that came back."""
    random = Random(seed)
    paces = {"rx_bubble": 0.1, "tx_stall": 0.1}
    with Bench(design, stations=(PEER,), seed=seed, assertions=True, **paces) as bench:
        service = load("rs").Service.of(bench.simulation.manifest)
        blocks = [random.randbytes(service.block_bytes) for _ in range(BLOCKS)]
        frames = [udp_frame(PEER, bench.host, block, port=service.port) for block in blocks]
        came = bench.simulation.exchange(frames, expected=BLOCKS, limit_cycles=1_000_000)
        assert not came.timed_out
    return service.code, service.shard_bytes, blocks, [f.data[HEADERS:] for f in came.received]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", NAMES)
def test_parity_of_a_design(name: str, design: Path) -> None:
    """Byte for byte, and the library recovers every loss from the design's shards."""
    code, shard_bytes, blocks, parity = through_design(design, seed=NAMES.index(name))
    with_library = library(name)
    assert with_library.encode(code, shard_bytes, b"".join(blocks)) == b"".join(parity)
    stripes = b"".join(map(bytes.__add__, blocks, parity))
    done = with_library.recover(code, shard_bytes, stripes)
    assert (done.recovered, done.wrong) == (BLOCKS * comb(10, 2), 0)
    # A check that cannot fail is none.
    spoilt = stripes[:-1] + bytes([stripes[-1] ^ 1])
    assert with_library.recover(code, shard_bytes, spoilt).wrong > 0


@pytest.mark.parametrize(
    ("name", "matrix"), [(name, matrix) for name in NAMES for matrix in MADE_BY[name]]
)
def test_the_model_agrees(name: str, matrix: str) -> None:
    """Of codes that the encoder alone is tested with, by this model."""
    with_library = library(name)
    random = Random(1)
    for shards in ((8, 2), (4, 2), (10, 4), (16, 4), (16, 1), (17, 3), (1, 1), (2, 5), (1, 3)):
        code = Code(*shards, matrix)
        block = random.randbytes(code.data_shards * 96)
        assert with_library.encode(code, 96, block) == code.encode(block), code
        done = with_library.recover(code, 96, block + code.encode(block))
        assert (done.recovered, done.wrong) == (comb(code.shards, code.parity_shards), 0), code


@pytest.mark.parametrize("design", DESIGNS, ids=lambda path: path.stem)
def test_wrong_sizes_are_dropped_and_counted(design: Path) -> None:
    random = Random(3)
    with Simulation(design, seed=3, assertions=True) as simulation:
        benchmark = load("rs")
        service = benchmark.Service.of(simulation.manifest)
        host = benchmark.Host.from_manifest(simulation.manifest)
        benchmark.introduce(simulation, PEER)
        right = service.block_bytes
        wrong = [0, 1, 18, service.shard_bytes, right - 1, right + 1, 2 * right, right // 2]
        frames = []
        for size in [*wrong, *wrong]:
            for length in (size, right):
                frames.append(udp_frame(PEER, host, random.randbytes(length), port=service.port))
        frames.append(udp_frame(PEER, host, bytes(right), source_port=0, port=service.port))
        came = simulation.exchange(frames, limit_cycles=1_000_000).received
        expected = [service.code.encode(frame[HEADERS:]) for frame in frames[1:-1:2]]
        assert [frame.data[HEADERS:] for frame in came] == expected
        assert message_sums.check(simulation) == 0
        counters = simulation.tile_counters("rs")
        assert counters["drop.rs_encode.wrong_size"] == 2 * len(wrong)
        assert counters["drop.rs_encode.no_reply_port"] == 1
        assert counters["event.rs_encode.encoded"] == 2 * len(wrong)
        simulation.check()
