# SPDX-License-Identifier: Apache-2.0
"""Code in a design's own sources that acts outside of the simulation."""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.design import rtl
from bombus.design.facts import Facts


def side_effects(facts: Facts) -> Iterator[Problem]:
    """A warning for each line: the design may be a stranger's, and `bombus run` runs it."""
    for file in facts.design.file.source_files():
        for line, text in rtl.side_effects(file):
            yield Problem(file, line, f"in simulation this {text}", is_error=False)
