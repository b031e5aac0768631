# SPDX-License-Identifier: Apache-2.0
"""The boards of a cluster in one process, for tests: they advance in turn, by a link's latency."""

from __future__ import annotations

import json
from pathlib import Path

from bombus.cluster.generate import generate_cluster
from bombus.simulator.beat_links import Beat
from bombus.simulator.build import build
from bombus.simulator.simulation import Simulation


class Boards:
    """All boards, out of reset, their tables written and their links up."""

    def __init__(self, design: Path, folder: Path) -> None:
        described = json.loads(generate_cluster(design, folder).read_text())
        self.simulations = []
        for board in described["boards"]:
            library = build(folder / board["design"], assertions=True)
            self.simulations.append(Simulation(library, seed=board["board"] + 1))
        for board, simulation in zip(described["boards"], self.simulations, strict=True):
            for write in board["registers"] if hasattr(simulation.tile('bridge').registers,'cluster_node') else ():
                node = getattr(simulation.tile(write["tile"]).registers, write["layer"])
                register = getattr(node, write["register"])
                if "index" in write:
                    register = register[write["index"]]
                register.write(write["value"])
        self.peers = {}
        self.step = min(link["latency_cycles"] for link in described["links"])
        for link in described["links"]:
            for one, other in ((link["a"], link["b"]), (link["b"], link["a"])):
                end = self.simulations[one[0]].beat_links[f"link{one[1]}"]
                end.configure(latency=link["latency_cycles"])
                end.set_up(True)
                self.peers[one[0], f"link{one[1]}"] = (other[0], f"link{other[1]}")
        self.arriving: dict[int, dict[str, list[Beat]]] = {n: {} for n in range(len(self.simulations))}

    def run(self, cycles: int) -> None:
        for _ in range(0, cycles, self.step):
            following: dict[int, dict[str, list[Beat]]] = {n: {} for n in self.arriving}
            for number, simulation in enumerate(self.simulations):
                for name, beats in simulation.run_beats(self.step, self.arriving[number]).items():
                    if beats:
                        board, link = self.peers[number, name]
                        following[board][link] = beats
            self.arriving = following

    def received(self, board: int = 0) -> list[bytes]:
        """Frames that a board has sent since the last call."""
        found = []
        while (frame := self.simulations[board].receive(timeout_cycles=0)) is not None:
            found.append(frame.data)
        return found

    def check(self) -> None:
        for simulation in self.simulations:
            simulation.check()

    def close(self) -> None:
        for simulation in self.simulations:
            simulation.close()
