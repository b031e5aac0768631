# SPDX-License-Identifier: Apache-2.0
"""Generation: a folder for each different board, and the description of the cluster."""

from __future__ import annotations

from pathlib import Path

from bombus.cluster import files
from bombus.cluster.check import Checked, check
from bombus.generation import generate as step


def generate_cluster(path: Path, folder: Path) -> Path:
    """Checks the design file of a cluster and writes the design files of its boards; returns
    `cluster.json`.

    Raises DesignError if the cluster is invalid.
    """
    return files.write(check(path).cluster, folder)


def write(checked: Checked, folder: Path) -> list[str]:
    """Writes the design files, `cluster.json`, and what `bombus generate` writes for each different
    board into a folder of its name; the paths of all files.
    """
    description = files.write(checked.cluster, folder)
    found = [description.name]
    for boards in files.different(checked.cluster.boards):
        name = files.design_name(boards)
        generated = step.generate(folder / f"{name}.yaml", folder / name)
        found.append(f"{name}.yaml")
        found += [f"{name}/{each.name}" for each in generated.folder.rglob("*") if each.is_file()]
    return found
