# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with a frame, and the odd but good: one table, every data width.

Each case names the counter that must move, by exactly one. Cases with the same verdict go
through a design together, a ping and a datagram behind each, so that a layer that
stumbles over one is seen to stumble.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from bombus.protocols.frames import arp_request, udp_frame
from bombus.protocols.stack import Stack
from tests.protocols.stack import ip_cases, link_cases
from tests.protocols.stack.frame_cases import ANSWERED, AS_MODEL, HOST, SILENT, Case, good_frames
from tests.support.bench import ALL_DESIGNS, GATEWAY, PEER, TAGGED, Bench

pytestmark = pytest.mark.slow


@lru_cache
def cases_by_verdict() -> dict[str, list[Case]]:
    groups: dict[str, list[Case]] = {}
    for cases in (*link_cases.table, *ip_cases.table):
        for case in cases():
            groups.setdefault(case.verdict, []).append(case)
    return groups


def introduced_model() -> Stack:
    model = Stack(HOST)
    for station in (PEER, GATEWAY, TAGGED):
        model.process(arp_request(station, HOST))
    return model


@pytest.mark.parametrize("verdict", sorted(cases_by_verdict()))
def test_model_agrees_with_the_table(verdict: str) -> None:
    model = introduced_model()
    for case in cases_by_verdict()[verdict]:
        outcome = model.process(case.frame)
        if verdict == ANSWERED:
            found = len(outcome.replies) == 1 and not outcome.drops
        elif verdict == SILENT:
            found = outcome.nothing
        elif verdict == AS_MODEL:
            found = len(outcome.drops) == 1 and not outcome.replies
        else:
            found = list(outcome.drops) == [verdict] and not outcome.replies
        assert found, f"{case.name}: {outcome}"


def run_cases(bench: Bench, cases: list[Case]) -> None:
    frames = []
    for case in cases:
        frames += [case.frame, *bench.probes()]
    # Packets with options go through one 32-bit word a cycle, options a byte a cycle.
    longest = max(len(case.frame) for case in cases)
    bench.run(frames, gap_cycles=80 + longest // 4)
    bench.alive([PEER, TAGGED, GATEWAY])


def batches(cases: list[Case]) -> Iterator[list[Case]]:
    """Frames of like length together, so that long ones do not make all wait."""
    for shortest, longest in ((0, 300), (300, 2000), (2000, 1 << 20)):
        fitting = [case for case in cases if shortest < len(case.frame) <= longest]
        for start in range(0, len(fitting), 256):
            yield fitting[start : start + 256]


def culprits(design: Path, cases: list[Case]) -> list[str]:
    """The cases that fail alone; empty if only their company makes them fail."""
    names = []
    for case in cases[:400]:
        try:
            with Bench(design) as bench:
                run_cases(bench, [case])
        except AssertionError as error:
            names.append(f"{case.name}: {str(error).splitlines()[0]}")
    return names


@pytest.mark.parametrize("design", ALL_DESIGNS)
@pytest.mark.parametrize("verdict", sorted(cases_by_verdict()))
def test_table(design: Path, verdict: str) -> None:
    cases = cases_by_verdict()[verdict]
    with Bench(design, seed=len(cases)) as bench:
        assert bench.host == HOST
        for batch in batches(cases):
            try:
                run_cases(bench, batch)
            except AssertionError as error:
                names = culprits(design, batch)
                pytest.fail(f"{error}\n" + "\n".join(names or ["none of them fails alone"]))


@pytest.mark.parametrize("design", ALL_DESIGNS)
def test_frames_with_a_bad_fcs(design: Path) -> None:
    with Bench(design) as bench:
        for frame in (
            *good_frames().values(),
            arp_request(PEER, HOST),
            udp_frame(PEER, HOST, bytes(9558)),
            b"\0",
            HOST.mac,
        ):
            bench.send_bad(frame)
        # Bad takes precedence over too long.
        bench.send_bad(bytes(9601))
        bench.alive()
