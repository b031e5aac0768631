# SPDX-License-Identifier: Apache-2.0
"""The AXI4-Lite bridge: accesses, responses and errors against a model, with random handshakes."""

from __future__ import annotations

import ctypes
import subprocess
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from bombus.generation.generate import generate
from bombus.generation.manifest import manifest
from bombus.registers.access import open_map
from tests.support.harness import PACES, SEEDS, Bench, Benches
from tests.support.helpers import DESIGNS

pytestmark = pytest.mark.slow

MAP_BYTES, BUS_BYTES = 768, 4096
ADDRESS, DATA, READ = range(3)  # streams in
WRITTEN, GOT = range(2)  # streams out
OKAY, SLVERR, DECERR = 0, 2, 3
WHOLE = 0xF


def write(bench: Bench, address: int, data: int, strobes: int = WHOLE) -> None:
    bench.push([address], ADDRESS)
    bench.push([strobes << 32 | data], DATA)


def expected(address: int, strobes: int = WHOLE) -> int:
    """The response to an access."""
    if address >= MAP_BYTES:
        return DECERR
    return OKAY if strobes in (0, WHOLE) else SLVERR


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pace", PACES, ids=str)
def test_accesses_against_a_model(benches: Benches, pace: dict[str, float], seed: int) -> None:
    """Phases of writes and reads at once: reads of one half, writes to the other."""
    random = Random(seed)
    bench = benches("axi_lite_registers", seed=seed)
    bench.pace(**pace)
    model = [0] * (MAP_BYTES // 4)
    taken = 0
    for phase in range(12):
        bench.control(random.choice([0, 1, 7]))
        responses, values = [], []
        for _ in range(60):
            ends = (BUS_BYTES, MAP_BYTES, MAP_BYTES, MAP_BYTES, MAP_BYTES)
            address = random.randrange(random.choice(ends))
            if random.random() < 0.1:
                address = MAP_BYTES + random.randrange(-4, 4)  # the last word, and beyond
            if address // 4 % 2 == phase % 2:
                data, chance = random.getrandbits(32), random.random()
                strobes = random.randrange(16) if chance < 0.3 else WHOLE
                write(bench, address, data, strobes)
                responses.append(expected(address, strobes))
                if responses[-1] == OKAY and strobes:
                    model[address // 4] = data
                    taken += 1
            else:
                bench.push([address], READ)
                found = expected(address)
                taken += found == OKAY
                values.append(found << 32 | (model[address // 4] if found == OKAY else 0))
        bench.drain()
        assert bench.items(WRITTEN) == responses
        assert bench.items(GOT) == values
        bench.forget()
    assert bench.status == taken, "accesses of the register port"


def test_a_read_sees_the_write_before_it(benches: Benches) -> None:
    """A master that has the response to its write reads what it wrote."""
    random = Random(5)
    bench = benches("axi_lite_registers")
    bench.control(7)
    for _ in range(50):
        address, data = random.randrange(0, MAP_BYTES, 4), random.getrandbits(32)
        write(bench, address, data)
        while not bench.items(WRITTEN):
            bench.run()
        bench.push([address], READ)
        bench.drain()
        assert bench.items(GOT) == [data]
        bench.forget()


def test_reads_and_writes_take_turns(benches: Benches) -> None:
    bench = benches("axi_lite_registers")
    for n in range(40):
        write(bench, 4 * n, n)
        bench.push([4 * n], READ)
    bench.drain()
    ends = [sorted(item.cycle for item in bench.received(stream)) for stream in (WRITTEN, GOT)]
    assert len(ends[0]) == len(ends[1]) == 40
    assert all(abs(ours - theirs) < 8 for ours, theirs in zip(*ends, strict=True))


def test_address_and_data_of_a_write_come_in_any_order(benches: Benches) -> None:
    bench = benches("axi_lite_registers")
    for n, streams in enumerate(((ADDRESS, DATA), (DATA, ADDRESS))):
        items = {ADDRESS: 4 * n, DATA: WHOLE << 32 | 77 + n}
        for stream in streams:
            assert not bench.items(WRITTEN)
            bench.push([items[stream]], stream)
            bench.run(20)
        assert bench.items(WRITTEN) == [OKAY]
        bench.push([4 * n], READ)
        bench.drain()
        assert bench.items(GOT) == [77 + n]
        bench.forget()


def test_cycles(benches: Benches) -> None:
    """A write in three cycles, from the request to the response."""
    bench = benches("axi_lite_registers")
    for n in range(10):
        write(bench, 4 * n, n)
    bench.drain()
    ends = [item.cycle for item in bench.received(WRITTEN)]
    assert all(later - earlier == 3 for earlier, later in pairwise(ends))
    assert ends[0] - bench.taken(ADDRESS)[0] == 3


class Bridge:
    """The bus as the register port of a program."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def read_register(self, address: int) -> int:
        self._bench.push([address], READ)
        self._bench.drain()
        (item,) = self._bench.items(GOT)
        self._bench.forget()
        assert item >> 32 == OKAY
        return item & 0xFFFF_FFFF

    def write_register(self, address: int, value: int) -> None:
        write(self._bench, address, value)
        self._bench.drain()
        assert self._bench.items(WRITTEN) == [OKAY]
        self._bench.forget()


PROGRAM = """
#include <stddef.h>
#include "udp_echo_registers.h"
#define AT(place) ((uint32_t)offsetof(udp_echo_t, place))
typedef uint32_t (*read_t)(uint32_t address);
typedef void (*write_t)(uint32_t address, uint32_t value);

// Increments the gateway's address, writes the MAC address word by word, and clears a next hop.
uint32_t change(read_t read, write_t write) {
  uint32_t gateway = read(AT(host[0].gateway)) + 1;
  write(AT(host[0].gateway), gateway);
  write(AT(host[0].mac), 0x04050607);
  write(AT(host[0].mac) + 4, 0x0203);
  write(AT(tiles.udp_rx.next_hop[1]), 0);
  return gateway;
}
"""


def test_the_c_header_and_python_over_the_bus(benches: Benches, tmp_path: Path) -> None:
    """Both reach the same registers of a design through the bridge, under the same names."""
    generated = generate(DESIGNS / "udp_echo.yaml", tmp_path / "out")
    size = generated.facts.register_map.root.size
    bits = (size - 1).bit_length()
    bench = benches("axi_lite_registers", AddressBits=bits, RegisterBits=bits, MapBytes=size)
    bench.control(7)
    bridge = Bridge(bench)
    registers = open_map(manifest(generated.facts), bridge)
    registers.host[0].gateway.address = 0x0A4D0001
    hop = registers.tiles.udp_rx.next_hop[1]
    hop.write(valid=1, is_group=0, port=2, x=1, y=3)
    assert bridge.read_register(hop.where()) == 0x8002_0301
    (tmp_path / "use.c").write_text(PROGRAM)
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Iout", "-shared", "-fPIC", "-o", "use.so")
    subprocess.run(["gcc", *flags, "use.c"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "use.so"))
    read = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(bridge.read_register)
    change = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)(bridge.write_register)
    assert library.change(read, change) == 0x0A4D0002
    assert registers.host[0].gateway.address == 0x0A4D0002
    assert registers.host[0].mac.address == 0x0203_0405_0607
    assert bridge.read_register(hop.where()) == 0
