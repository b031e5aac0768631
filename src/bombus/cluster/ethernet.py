# SPDX-License-Identifier: Apache-2.0
"""Links by Ethernet in a simulation: addresses of frames, and what a switch does to them.

The format of frames: rtl/cluster/ethernet/cluster_ethernet_pkg.sv.
"""

from __future__ import annotations

from dataclasses import dataclass

from bombus.simulator.beat_links import BeatLinkStatistics

_PREFIX = bytes.fromhex("02b00bcc")  # cluster_ethernet.Prefix
DELAY_CYCLES = 500  # of frames that others overtake, at most


@dataclass(frozen=True)
class SwitchStatistics:
    """Frames of one direction of a link at the switch. Digests are equal if all frames and their
    cycles are.
    """

    sent: int
    received: int
    lost: int
    corrupted: int
    repeated: int
    delayed: int
    digest: int


def address(end: tuple[int, int]) -> bytes:
    """The MAC address of an end of a link: of the board, and the number of the link there."""
    board, link = end
    return _PREFIX + bytes([link, board])


def addresses(source: tuple[int, int], target: tuple[int, int]) -> tuple[int, int]:
    """The first 12 bytes of a frame as numbers: 8 bytes, 4 bytes, the first one lowest."""
    both = address(target) + address(source)
    return int.from_bytes(both[:8], "little"), int.from_bytes(both[8:], "little")


def frame_bytes(bits: int) -> int:
    """Bytes of data in a beat of so many bits: {error, last, keep, data}."""
    return (bits - 2) // 9


def at_ends(
    from_a: SwitchStatistics, from_b: SwitchStatistics
) -> tuple[BeatLinkStatistics, BeatLinkStatistics]:
    """What boards a and b have sent and received, as for other links, but frames. Of a corrupted
    frame one bit is wrong.
    """
    first, second = (
        BeatLinkStatistics(
            sent=out.sent,
            received=into.received,
            lost=into.lost,
            flipped_bits=out.corrupted,
            sent_digest=0,
            received_digest=into.digest,
        )
        for out, into in ((from_a, from_b), (from_b, from_a))
    )
    return first, second
