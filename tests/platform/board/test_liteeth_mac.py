# SPDX-License-Identifier: Apache-2.0
"""The MAC of a board, simulated by Migen: errors of the PHY, and fragments of frames."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from migen import passive, run_simulation

from bombus.generation.board import liteeth_mac

pytestmark = pytest.mark.slow
WIDTH = 64
GAP = 12
DRAIN = 60  # cycles after the last frame
PREAMBLE = b"\x55" * 7 + b"\xd5"
CLOCKS = {"sys": 20, "eth_rx": 8, "eth_tx": 8}


def frame(size: int, seed: int = 1) -> bytes:
    """A frame with its FCS."""
    body = random.Random(seed).randbytes(size)
    return body + zlib.crc32(body).to_bytes(4, "little")


def received(
    frames: Sequence[tuple[bytes, Sequence[int]]], preamble: bytes = PREAMBLE
) -> list[tuple[bytes, bool]]:
    """What the MAC makes of frames with errors of the PHY at some of their bytes: its frames, and
    whether it marks them as bad. The bytes of the preamble have negative numbers.
    """
    top, ports = liteeth_mac._mac(WIDTH)
    pins = {pin.backtrace[-1][0]: pin for pin in ports}
    found: list[tuple[bytes, bool]] = []

    def drive() -> Iterator[Any]:
        for data, errors in frames:
            for number, byte in enumerate(preamble + data, -len(preamble)):
                yield pins["gmii_rx_dv"].eq(1)
                yield pins["gmii_rx_data"].eq(byte)
                yield pins["gmii_rx_er"].eq(number in errors)
                yield
            yield pins["gmii_rx_dv"].eq(0)
            yield pins["gmii_rx_er"].eq(0)
            for _ in range(GAP):
                yield
        for _ in range(DRAIN):
            yield

    def watch() -> Iterator[Any]:
        data, is_bad = b"", False
        yield pins["rx_ready"].eq(1)
        while True:
            yield
            if (yield pins["rx_valid"]):
                ends = yield pins["rx_last_be"]
                size = ends.bit_length() or WIDTH // 8
                beat = yield pins["rx_data"]
                data += beat.to_bytes(WIDTH // 8, "little")[:size]
                is_bad |= bool((yield pins["rx_error"]))
                if (yield pins["rx_last"]):
                    found.append((data, is_bad))
                    data, is_bad = b"", False

    run_simulation(top, {"eth_rx": [drive()], "sys": [passive(watch)()]}, CLOCKS)
    return found


@pytest.mark.parametrize(
    "places",
    [[-1, 0, 3, 63], pytest.param([-8, 1, 2, 4, 30, 59, 60], marks=pytest.mark.sweep)],
)
def test_an_error_of_the_phy_spoils_the_frame(places: list[int]) -> None:
    """Wherever it is: in the preamble, in the first bytes, which LiteEth does not look at, or
    later. The next frame is good.
    """
    good = frame(60)
    frames = [(good, errors) for at in places for errors in ([at], [])]
    assert received(frames) == [(good[:-4], bool(errors)) for _, errors in frames]


def test_a_fragment_does_not_spoil_the_next_frame() -> None:
    fragments = [bytes([byte]) * size for size in range(5) for byte in (0x00, 0xD5)]
    good = [frame(60 + seed, seed) for seed in range(len(fragments))]
    frames: list[tuple[bytes, list[int]]]
    frames = [(data, []) for pair in zip(fragments, good, strict=True) for data in pair]
    assert received(frames) == [(each[:-4], False) for each in good]


def test_frames_end_where_they_should() -> None:
    """Also with the start of a frame among the last bytes, which is data."""
    frames = [frame(size) for size in (*range(1, 9), 60, 61, 68)]
    for size in (0, 1, 60):
        ends = frame(size)[:-4] + b"\xd5" * 4
        frames.append(ends + zlib.crc32(ends).to_bytes(4, "little"))
    assert received([(each, []) for each in frames]) == [(each[:-4], False) for each in frames]


def test_a_frame_without_a_start_is_dropped() -> None:
    assert received([(bytes(64), []), (bytes(64), [])], preamble=b"\x55" * 8) == []
