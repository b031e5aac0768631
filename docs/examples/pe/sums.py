# SPDX-License-Identifier: Apache-2.0
"""Sums of eight buffers by two processing elements, while a third one fills a buffer."""

from pathlib import Path

import bombus
from bombus.applications.pe.memory import In, Out

with bombus.Simulation(Path(__file__).with_name("memory.yaml")) as simulation:
    elements = bombus.elements(simulation)
    parts = [bytes([number]) * 256 for number in range(8)]
    jobs = [elements.submit("sum_words", In(part), len(part)) for part in parts]
    fill = elements.submit("fill_words", Out(256), 256, 0xB0B05)
    for job in jobs:
        outcome = job.result()
        print(f"{outcome.value} in {outcome.cycles} cycles")
    print(fill.result().outputs[0][:8].hex())
