# SPDX-License-Identifier: Apache-2.0
"""Directions of the mesh: what Python takes for granted is what noc_pkg says."""

from __future__ import annotations

import pytest

from bombus.design.rtl.elaboration import elaborate, rtl_files
from bombus.design.rtl.packages import enum_names
from bombus.fabric.routing import DIRECTIONS, HORIZONTAL, OPPOSITE, STEPS, step

AT = (7, 3)


def evaluated(**texts: str) -> dict[str, int]:
    """Constant expressions of noc_pkg, by name."""
    body = " ".join(f"localparam int {name} = int'({text});" for name, text in texts.items())
    packages = [file for file in rtl_files() if file.stem.endswith("_pkg")]
    text = f"module probe import noc_pkg::*; (); {body} endmodule"
    probe = elaborate(packages, {"probe": text}, top="probe").instance("probe").body
    return {name: int(probe.find(name).value.value) for name in texts}


def test_directions_are_numbered_as_in_the_package() -> None:
    names = {number: f"dir_{name}" for number, name in enumerate(DIRECTIONS)}
    assert enum_names("noc_pkg", "dir_e") == names


@pytest.mark.parametrize("direction", STEPS)
def test_a_step_leads_where_the_package_says(direction: str) -> None:
    number = DIRECTIONS.index(direction)
    x, y = AT
    found = evaluated(
        next_x=f"next_x({number}, {x})",
        next_y=f"next_y({number}, {y})",
        back=f"opposite({number})",
        horizontal=f"is_horizontal({number})",
    )
    assert (found["next_x"], found["next_y"]) == step(AT, direction)
    assert DIRECTIONS[found["back"]] == OPPOSITE[direction]
    assert found["horizontal"] == (direction in HORIZONTAL)
