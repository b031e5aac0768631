# SPDX-License-Identifier: Apache-2.0
"""Several simulators in one process: of one design and of two, in any order, in threads."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bombus.simulator.build import Library, build_library
from bombus.simulator.simulation import Simulation
from tests import LOOPBACK

pytestmark = pytest.mark.slow


# Opens and closes simulators of the given libraries according to a list of steps: "+0" opens one of
# library 0, "-1" closes the second one opened. After each step, every open simulator carries a
# frame.
PROGRAM = """
import sys
from pathlib import Path
from bombus.simulator.build import Library
from bombus.simulator.simulation import Simulation
steps, *libraries = sys.argv[1:]
opened = []
for step in steps.split():
    number = int(step[1:])
    if step[0] == "+":
        opened.append(Simulation(Library(Path(libraries[number]))))
    else:
        opened[number].close()
        opened[number] = None
    for simulation in filter(None, opened):
        simulation.send(bytes(100))
        assert simulation.receive() is not None
print("done")
"""
LIMIT_SECONDS = 60


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> list[Library]:
    """Two designs with signals that the watchdog looks up by name, as generated ones have."""
    libraries = []
    for name in ("one", "other"):
        folder = tmp_path_factory.mktemp(name) / "loopback"
        shutil.copytree(LOOPBACK, folder)
        manifest = folder / "loopback.json"
        port = {"scope": "port0", "module": "loopback_port", "bit": 0, "waits_for": []}
        point = {**port, "name": name, "valid": "tx_tvalid_o", "moves": "tx_tready_i"}
        text = manifest.read_text().replace('"mesh"', f'"watch": [{_json(point)}], "mesh"')
        manifest.write_text(text.replace('"line_rate_gbps": 25', f'"note": "{name}"'))
        libraries.append(build_library(folder))
    assert libraries[0].path != libraries[1].path
    return libraries


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def run(steps: str, libraries: list[Library]) -> None:
    """Runs in a separate process, whose freed memory does not keep its contents."""
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, steps, *(str(library.path) for library in libraries)],
        env={**os.environ, "MALLOC_PERTURB_": "165", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "done\n"


@pytest.mark.parametrize("second", [0, 1])
@pytest.mark.parametrize("order", ["-1 -0", "-0 -1"])
def test_either_is_closed_first(watched: list[Library], second: int, order: str) -> None:
    run(f"+0 +{second} {order}", watched)


def test_many_in_random_order(watched: list[Library]) -> None:
    source = random.Random(1)
    steps, opened = [], []
    for number in range(12):
        steps.append(f"+{source.randrange(2)}")
        opened.append(number)
        while opened and source.random() < 0.4:
            steps.append(f"-{opened.pop(source.randrange(len(opened)))}")
    source.shuffle(opened)
    run(" ".join([*steps, *(f"-{number}" for number in opened)]), watched)


def test_each_thread_has_its_own(watched: list[Library]) -> None:
    """Also if a simulator is closed by a thread other than the one that opened it."""

    def carry(number: int) -> Simulation:
        simulation = Simulation(watched[number % 2], seed=number)
        sent = [bytes([number]) * (60 + n) for n in range(50)]
        received = [frame.data for frame in simulation.exchange(sent).received]
        assert received == sent
        return simulation

    with ThreadPoolExecutor(4) as threads:
        simulations = list(threads.map(carry, range(16)))
        list(threads.map(Simulation.close, simulations))
