# SPDX-License-Identifier: Apache-2.0
"""Network impairment of frames, and its notation on the command line."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bombus.base.errors import UserError
from bombus.base.text import near_matches

_PROBABILITIES = ("loss", "duplicate", "corrupt", "bad_fcs", "reorder")
_TIMES = ("reorder_hold_us", "delay_us", "jitter_us")
_LONGEST_US = 1e9


@dataclass(frozen=True)
class Impairment:
    """Impairment of one direction of a MAC port; seeded and repeatable.

    Probabilities are from 0 to 1, per frame. Each uses its own stream of random numbers, so that
    changing one does not affect the choices of the others.
    """

    loss: float = 0.0
    duplicate: float = 0.0
    corrupt: float = 0.0  # one bit flips, FCS still good
    bad_fcs: float = 0.0
    reorder: float = 0.0  # held back until `reorder_distance` later frames have passed
    reorder_distance: int = 1
    reorder_hold_us: float = 1000.0  # held back no longer than this
    delay_us: float = 0.0
    jitter_us: float = 0.0  # adds a uniform choice from 0 to this; may reorder
    seed: int = 0

    def __post_init__(self) -> None:
        for name in _PROBABILITIES:
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(
                    f"impairment: {name} is a probability; should be from 0 to 1, or from 0% to "
                    f"100%, not {getattr(self, name):g}"
                )
        for name in _TIMES:
            if not 0 <= getattr(self, name) <= _LONGEST_US:
                raise UserError(
                    f"impairment: {name} should be from 0 to {_LONGEST_US:,.0f} microseconds, "
                    f"not {getattr(self, name):g}"
                )
        if not 1 <= self.reorder_distance < 1 << 32:
            raise UserError(
                f"impairment: reorder_distance should be at least 1, not {self.reorder_distance}"
            )
        if not 0 <= self.seed < 1 << 64:
            raise UserError(f"impairment: seed should be from 0 to 2**64 - 1, not {self.seed}")

    @classmethod
    def parse(cls, text: str, option: str = "") -> Impairment:
        """Reads `loss=0.01,delay_us=500,seed=7`; probabilities may be percentages (`loss=1%`).

        `option`: option of the command line, for error messages.
        """
        try:
            return cls._parse(text)
        except UserError as error:
            raise UserError(f"{option} {text}: {error}" if option else str(error)) from None

    @classmethod
    def _parse(cls, text: str) -> Impairment:
        kinds = {field.name: type(field.default) for field in fields(cls)}
        values: dict[str, float | int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            name = name.strip().replace("-", "_")
            if name not in kinds:
                raise UserError(f"unknown impairment {name!r}; {near_matches(name, kinds)}")
            if not equals:
                raise UserError(f"impairment: {part!r} should be name=value, such as loss=1%")
            if name in values:
                raise UserError(f"impairment: {name} is given twice")
            values[name] = _number(name, value.strip(), kinds[name])
        if not values:
            raise UserError(f"names no impairment; known: {', '.join(kinds)}")
        return cls(**values)  # type: ignore[arg-type]


def _number(name: str, text: str, kind: type) -> float | int:
    try:
        if kind is int:
            return int(text)
        if name in _PROBABILITIES and text.endswith("%"):
            return float(text.removesuffix("%")) / 100
        return float(text)
    except ValueError:
        sort = "a whole number" if kind is int else "a number"
        raise UserError(f"impairment: {text!r} of {name} is not {sort}") from None
