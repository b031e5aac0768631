# SPDX-License-Identifier: Apache-2.0
"""Lattice ECP5 devices, by the names of their family's data sheet."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bombus.base.errors import UserError

_NAME = re.compile(r"lfe5(u|um|um5g)-(12|25|45|85)f(?:-([678]))?")
_FASTEST = 8
PACKAGE = "CABGA381"  # available for every device of the family


@dataclass(frozen=True)
class Device:
    """A device: family member, size in thousands of LUTs, speed grade."""

    family: str  # u, um (SERDES), um5g (faster SERDES)
    size: int
    speed: int
    package: str = PACKAGE

    @property
    def name(self) -> str:
        return f"lfe5{self.family}-{self.size}f-{self.speed}"

    @property
    def flags(self) -> list[str]:
        """Options of nextpnr-ecp5 for the device."""
        family = "" if self.family == "u" else f"{self.family}-"
        speed = ["--speed", str(self.speed)]
        return [f"--{family}{self.size}k", "--package", self.package, *speed]


def device(name: str, package: str = PACKAGE) -> Device:
    """A device by name, such as `lfe5um5g-85f` or `lfe5u-25f-6`; the fastest grade unless given."""
    match = _NAME.fullmatch(name.lower())
    if not match:
        raise UserError(
            f"{name!r} is not a device that Bombus knows; expected lfe5u, lfe5um or lfe5um5g, "
            "a size (12f, 25f, 45f or 85f) and optionally a speed grade (6 to 8), such as "
            "lfe5um5g-85f-8"
        )
    family, size, speed = match[1], int(match[2]), int(match[3] or _FASTEST)
    if size == 12 and family != "u":
        raise UserError(f"{name}: devices with SERDES begin at 25f")
    if family == "um5g" and speed != _FASTEST:
        raise UserError(f"{name}: lfe5um5g devices come in speed grade {_FASTEST} only")
    return Device(family, size, speed, package)
