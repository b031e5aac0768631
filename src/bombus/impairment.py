"""What a network may do to frames, and the words for it on the command line."""

from __future__ import annotations

from dataclasses import dataclass, fields

from bombus.errors import UserError


@dataclass(frozen=True)
class Impairment:
    """Impairment of one direction of a MAC port; seeded and repeatable.

    Probabilities are from 0 to 1, per frame. Each draws from a stream of random
    numbers of its own, so that changing one leaves the choices of the others alone.
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
        for name in ("loss", "duplicate", "corrupt", "bad_fcs", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"impairment: {name} is a probability, from 0 to 1")
        for name in ("reorder_hold_us", "delay_us", "jitter_us"):
            if getattr(self, name) < 0:
                raise UserError(f"impairment: {name} cannot be negative")

    @classmethod
    def parse(cls, text: str) -> Impairment:
        """Reads `loss=0.01,delay_us=500,seed=7`; a percent sign is understood."""
        kinds = {field.name: type(field.default) for field in fields(cls)}
        values: dict[str, float | int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            name = name.strip().replace("-", "_")
            if name not in kinds or not equals:
                raise UserError(
                    f"impairment: {part!r} should be name=value, with a name of {', '.join(kinds)}"
                )
            try:
                number = float(value.rstrip("%")) / (100 if value.endswith("%") else 1)
            except ValueError:
                raise UserError(f"impairment: {value!r} of {name} is not a number") from None
            values[name] = int(number) if kinds[name] is int else number
        return cls(**values)  # type: ignore[arg-type]
