# SPDX-License-Identifier: Apache-2.0
"""Links of beats that a design raises to the top: raw words to a peer, and from it, by cycle."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bombus.base.text import near_matches
from bombus.simulator.native import Native, SimulationError

WORD_BITS = 64


@dataclass(frozen=True)
class Beat:
    """A beat of a link, in the cycle in which it arrives."""

    cycle: int
    data: int


@dataclass(frozen=True)
class BeatLinkStatistics:
    """Of a link since the simulation was opened. Digests are equal if all beats and their cycles
    are.
    """

    sent: int
    received: int
    lost: int  # arrived while the link was down
    flipped_bits: int  # of beats sent
    sent_digest: int
    received_digest: int


class BeatLink:
    """A link among the raised ports of a design, such as `link0`. It is down at the start."""

    def __init__(self, native: Native, number: int, described: Mapping[str, Any]) -> None:
        self._native = native
        self.number = number
        self.name: str = described["name"]
        self.bits: int = described["bits"]

    @property
    def record_words(self) -> int:
        """64-bit words of a beat in `bombus_run_beats`: its cycle and its data."""
        return 1 + -(-self.bits // WORD_BITS)

    def configure(
        self, *, latency: int = 1, rate: float = 1.0, bit_errors: float = 0.0, seed: int = 0
    ) -> None:
        """Sets the properties of the direction out of the design.

        `latency`: cycles from the design to its peer. `rate`: beats per cycle that the link takes.
        `bit_errors`: probability that a bit is wrong; which ones follows from `seed` and the cycle.
        """
        given = {"latency": latency, "rate": rate, "bit_errors": bit_errors, "seed": seed}
        options = self._native.new("bombus_beat_link_options *", given)
        self._native.call("set_beat_link", self.number, options)

    def set_up(self, up: bool, *, cycle: int | None = None) -> None:
        """Brings the link up or down, from a cycle on (default: now)."""
        now = self._native.call("cycle") if cycle is None else cycle
        self._native.call("set_beat_link_up", self.number, up, now)

    def statistics(self) -> BeatLinkStatistics:
        """What has crossed the link so far."""
        found = self._native.new("bombus_beat_link_statistics *")
        self._native.call("get_beat_link", self.number, found)
        return BeatLinkStatistics(**self._native.as_dict(found[0]))


def run_beats(
    native: Native,
    links: Mapping[str, BeatLink],
    cycles: int,
    given: Mapping[str, Iterable[Beat]],
) -> dict[str, list[Beat]]:
    """Runs for so many cycles with these beats for the design; returns those that it has sent.

    Both are by the name of the link. A beat for the design may arrive after the call.
    """
    for name in given:
        if name not in links:
            raise SimulationError(
                f"the design raises no link {name!r}; {near_matches(name, links)}"
            )
    beats_in = native.new("bombus_beats[]", len(links))
    beats_out = native.new("bombus_beats[]", len(links))
    kept = []
    for name, link in links.items():
        words = [word for beat in given.get(name, ()) for word in _record(link, beat)]
        records = native.new("uint64_t[]", words)
        beats_in[link.number].records = records
        beats_in[link.number].count = len(words) // link.record_words
        kept.append(records)
    if native.call("run_beats", cycles, beats_in, beats_out, allowed=errno.ENOSPC) < 0:
        for link in links.values():
            out = beats_out[link.number]
            out.capacity = out.count
            space = native.new("uint64_t[]", int(out.count) * link.record_words)
            out.records = space
            kept.append(space)  # cffi does not keep it
        native.call("run_beats", 0, native.ffi.NULL, beats_out)
    return {
        name: _beats(link, beats_out[link.number].records, int(beats_out[link.number].count))
        for name, link in links.items()
    }


def _record(link: BeatLink, beat: Beat) -> list[int]:
    if not 0 <= beat.data < 1 << link.bits:
        raise SimulationError(f"{beat.data} does not fit into the {link.bits} bits of {link.name}")
    mask = (1 << WORD_BITS) - 1
    data = (beat.data >> WORD_BITS * word & mask for word in range(link.record_words - 1))
    return [beat.cycle, *data]


def _beats(link: BeatLink, words: Sequence[int], count: int) -> list[Beat]:
    size = link.record_words
    return [
        Beat(
            int(words[at]),
            sum(int(words[at + 1 + word]) << WORD_BITS * word for word in range(size - 1)),
        )
        for at in range(0, count * size, size)
    ]
