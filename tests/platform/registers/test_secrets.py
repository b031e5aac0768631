# SPDX-License-Identifier: Apache-2.0
"""Secrets of layers: the platform fills them at random after every reset."""

from __future__ import annotations

import subprocess
from itertools import count
from pathlib import Path

from bombus.generation.generate import generate
from bombus.registers.secrets import write_secrets
from bombus.simulator.simulation import Simulation
from tests import ROOT

DESIGN = ROOT / "tests" / "designs" / "register_masters.yaml"
TILES = ("arp", "echo")  # each with a layer `register_walker`, which has a secret of 64 bits


def secrets(simulation: Simulation) -> list[int]:
    """As the layers have them."""
    walkers = [simulation.tile(tile).registers.register_walker for tile in TILES]
    return [walker.seen.bits for walker in walkers]


def are_successive(values: list[int]) -> bool:
    """Whether the words of each are successive numbers, and no two values are the same."""
    halves = [divmod(value, 1 << 32) for value in values]
    return all(high == low + 1 for high, low in halves) and len({*halves}) == len(values)


def test_every_reset_draws_new_ones() -> None:
    with Simulation(DESIGN, seed=1, assertions=True) as simulation:
        found = [*secrets(simulation)]
        for reset in (simulation.reset, simulation.reset_core):
            reset()
            found += secrets(simulation)
    words = [half for value in found for half in divmod(value, 1 << 32)]
    assert len({*words, 0}) == len(words) + 1
    with Simulation(DESIGN, seed=1, assertions=True) as simulation:
        assert secrets(simulation) == found[:2]
    with Simulation(DESIGN, seed=2, assertions=True) as simulation:
        assert not {*secrets(simulation)} & {*found}


def test_software_writes_them() -> None:
    with Simulation(DESIGN, assertions=True) as simulation:
        numbers = count(1)
        write_secrets(simulation.manifest, simulation, lambda: next(numbers))
        assert are_successive(secrets(simulation))


def test_a_program_in_c_writes_them(tmp_path: Path) -> None:
    generated = generate(DESIGN, tmp_path / "out")
    (tmp_path / "use.c").write_text("""
#include <stdio.h>
#include "register_masters_registers.h"
static register_masters_t map;
static uint32_t next;
static uint32_t word(void) { return ++next; }
int main(void) {
  register_masters_write_secrets(&map, word);
  printf("%llx %llx\\n", (unsigned long long)map.tiles.arp.register_walker.secret,
         (unsigned long long)map.tiles.echo.register_walker.secret);
}
""")
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{generated.folder}", "-o", "use")
    subprocess.run(["gcc", *flags, "use.c"], cwd=tmp_path, check=True)
    shown = subprocess.run(["./use"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert are_successive([int(each, 16) for each in shown.stdout.split()])
