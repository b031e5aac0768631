# SPDX-License-Identifier: Apache-2.0
"""The model of the witness, where a rule of the protocol matters; test_vr_witness runs the RTL."""

from __future__ import annotations

import pytest

from bombus.applications.vr.model import Address, Witness
from tests.applications.vr.vr_scenarios import LIMITS, SCENARIOS, Scenario


class Alone:
    """The model without the RTL."""

    def __init__(self) -> None:
        self.model = Witness(LIMITS)

    def send(self, data: bytes) -> None:
        self.model.handle(data, Address(0, 1))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenarios(scenario: Scenario) -> None:
    scenario(Alone())
