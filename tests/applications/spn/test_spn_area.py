# SPDX-License-Identifier: Apache-2.0
"""Resources as the compiler states them, against those after synthesis."""

from __future__ import annotations

import pytest

from bombus.applications import spn
from bombus.applications.spn.resources import TOLERANCE, estimate
from bombus.applications.spn.systemverilog import sources
from bombus.base.paths import EXAMPLES, RTL
from bombus.measure.area.cells import count
from bombus.measure.area.flow import mapped
from bombus.measure.area.sources import Part, Sources
from tests.applications.spn.networks import published

pytestmark = [pytest.mark.slow, pytest.mark.sweep]

MODULES = ("spn_leaf_table", "spn_class_table", "spn_product", "spn_sum", "spn_delay")
DELAY_PS = 4000


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("machine", None),
        ("machine", 1e-3),  # tables in halves of block RAMs
        ("NIPS10", None),
        ("NIPS80", None),
    ],
)
def test_resources(name: str, error: float | None) -> None:
    file = EXAMPLES / "spn" / "machine.spn" if name == "machine" else published(f"{name}.spn")
    found = spn.pipeline(spn.read(file), error=error)
    texts = sources(found, "model")
    files = {part: texts[part] for part in ("model_model_pkg.sv", "model_pipeline.sv")}
    for module in MODULES:
        files[f"{module}.sv"] = (RTL / "applications" / "spn" / f"{module}.sv").read_text()
    result = mapped(Sources(Part("model_pipeline", files)))
    area, stated = count(result.cells), estimate(found)
    print(name, area, result.delay_ps, stated)
    assert area.lut_total == pytest.approx(stated.luts, rel=TOLERANCE)
    assert (area.dsp, area.bram36) == (stated.dsps, stated.bram36)
    assert result.delay_ps is not None and result.delay_ps <= DELAY_PS
