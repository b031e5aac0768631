# SPDX-License-Identifier: Apache-2.0
"""Sums of eight buffers, by two processing elements."""

from pathlib import Path

import bombus
from bombus.applications.pe.memory import In

with bombus.Simulation(Path(__file__).with_name("memory.yaml")) as simulation:
    elements = bombus.elements(simulation)
    parts = [bytes([number]) * 256 for number in range(8)]
    jobs = [elements.submit("sum_words", In(part), len(part)) for part in parts]
    for job in jobs:
        outcome = job.result()
        print(f"{outcome.value} in {outcome.cycles} cycles")
