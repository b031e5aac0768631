# SPDX-License-Identifier: Apache-2.0
"""Board files: device, clock, PHYs and transceivers of a board, with their pins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, model_validator

from bombus.base import paths, yaml_file
from bombus.base.errors import UserError
from bombus.base.text import near_matches
from bombus.base.values import Name
from bombus.generation.board.device import Device, device


def _known_device(name: str) -> str:
    try:
        device(name)
    except UserError as error:
        raise ValueError(str(error)) from None
    return name


Pin = Annotated[StrictStr, Field(pattern=r"[A-Z]{1,2}[0-9]{1,2}")]
Standard = Annotated[StrictStr, Field(pattern=r"[A-Z][A-Z0-9_]*")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OnePin(_Model):
    """A pin and its I/O standard."""

    pin: Pin
    standard: Standard


class Clock(OnePin):
    """The oscillator from which all clocks except those of the PHYs are derived."""

    mhz: float = Field(ge=8, le=400)  # frequency of the PLL's input


class Phy(_Model):
    """A gigabit PHY with RGMII that adds the clock delays internally."""

    standard: Standard
    reset_n: Pin | None = None
    rx_clk: Pin
    rx_ctl: Pin
    rx_data: list[Pin] = Field(min_length=4, max_length=4)  # bit 0 first
    tx_clk: Pin
    tx_ctl: Pin
    tx_data: list[Pin] = Field(min_length=4, max_length=4)

    def pins(self) -> Iterator[tuple[str, str]]:
        """Signals, as in `rx_data[2]`, and their pins."""
        for name in ("reset_n", "rx_clk", "rx_ctl", "rx_data", "tx_clk", "tx_ctl", "tx_data"):
            value = getattr(self, name)
            if isinstance(value, list):
                yield from ((f"{name}[{bit}]", pin) for bit, pin in enumerate(value))
            elif value:
                yield name, value


class Pair(_Model):
    """The pins of a differential signal of a transceiver."""

    p: Pin
    n: Pin

    def pins(self, name: str) -> Iterator[tuple[str, str]]:
        yield f"{name}_p", self.p
        yield f"{name}_n", self.n


class Serdes(_Model):
    """A channel of a DCU with its own reference clock; one channel of each DCU can be used."""

    dcu: Literal[0, 1]
    channel: Literal[0, 1]
    refclk_mhz: float = Field(ge=25, le=312.5)
    gbps: float = Field(ge=0.27, le=5)
    refclk: Pair
    rx: Pair
    tx: Pair

    @property
    def symbol_mhz(self) -> float:
        """The clocks of the symbols of 20 bits, in both directions."""
        return self.gbps * 1000 / 20

    def pins(self) -> Iterator[tuple[str, str]]:
        """Signals, as in `rx_p`, and their pins."""
        for name in ("refclk", "rx", "tx"):
            yield from getattr(self, name).pins(name)


class Board(_Model):
    """A board file."""

    name: Name
    device: Annotated[StrictStr, AfterValidator(_known_device)]
    package: StrictStr
    clock: Clock
    reset_n: OnePin | None = None  # from a button or a supervisor
    phys: list[Phy] = Field(min_length=1)
    serdes: list[Serdes] = []  # for raised ports of links, in their order
    high: list[OnePin] = []  # pins that are always 1, such as the enable of an oscillator

    @model_validator(mode="after")
    def _one_channel_each(self) -> Self:
        if len({each.dcu for each in self.serdes}) < len(self.serdes):
            raise ValueError("serdes: two channels of one DCU")
        return self

    @property
    def fpga(self) -> Device:
        return device(self.device, self.package)


def board(name: str) -> Board:
    """A board given by its name in boards/ or by the path of a board file."""
    files = {file.stem: file for file in sorted(paths.BOARDS.glob("*.yaml"))}
    file = Path(name) if name.endswith((".yaml", ".yml")) else files.get(name)
    if file is None:
        raise UserError(f"there is no board {name!r}; {near_matches(name, files)}")
    return yaml_file.load(file, "board file", Board)
