# SPDX-License-Identifier: Apache-2.0
"""Two TCP engines at a link that dies in mid-transfer: both ends see the failure in time, what has
come until then is right, and all sessions are free again."""

from __future__ import annotations

import errno
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from bombus.simulator.build import Library, build
from bombus.simulator.impairment import Impairment
from tests.protocols.tcp.tcp_pair import HOST, Pair

# The scripts keepalive.txt and timeout.txt of conformance/ are samples.
pytestmark = [pytest.mark.slow, pytest.mark.sweep]

DEAD = Impairment(loss=1.0)
LEAST_TIMEOUT_S = 0.01
# Which ends no longer hear.
CUTS = {"both": ("near", "far"), "server deaf": ("far",), "client deaf": ("near",)}
BYTES = 200_000
SEEDS = 100
STEP_US = 10_000

# The parameters that end a connection, and the seconds within which they end one with bytes in
# flight: at the least, at the most. The last timeout is as long as all before it together.
USER_TIMEOUT_S, KEEPALIVE_S, PROBE_S, PROBES, BACKOFF = 1, 1, 1, 8, 4
LIMITS = {
    f"user_timeout_s: {USER_TIMEOUT_S}, keepalive_s: {KEEPALIVE_S}, keepalive_probe_s: {PROBE_S}": (
        0.9 * USER_TIMEOUT_S,
        2 * USER_TIMEOUT_S + 0.5,
    ),
    f"max_backoff: {BACKOFF}": (
        LEAST_TIMEOUT_S * 2**BACKOFF,
        LEAST_TIMEOUT_S * 2 ** (BACKOFF + 1) * 2,
    ),
}
USER_TIMEOUT, MAX_BACKOFF = LIMITS
IDLE_LIMIT_S = KEEPALIVE_S + PROBES * PROBE_S + 0.5  # of an end that has nothing to send


def variant(folder: Path, parameters: str) -> Library:
    text = HOST.read_text("utf-8").replace("name: tcp_host\n", "name: tcp_dead_links\n")
    assert text.count("kind: tcp,") == 1
    given = f"least_timeout_us: {round(LEAST_TIMEOUT_S * 1e6)}, {parameters}"
    design = folder / "tcp_dead_links.yaml"
    design.write_text(text.replace("kind: tcp,", f"kind: tcp, {given},"))
    return build(design, assertions=True)


def cut(library: Library, parameters: str, ends: str, seed: int, *, echoes: bool = True) -> None:
    """A link that dies after some bytes. `echoes`: both ends send, else only the client."""
    random = Random(f"{seed} {ends} {parameters}")
    least_s, most_s = LIMITS[parameters]
    with ExitStack() as stack:
        pair = Pair(stack, library, near=library, seed=seed, coarse=True)
        near, far = pair.connected()
        sent = {far: random.randbytes(BYTES), near: random.randbytes(BYTES if echoes else 0)}
        near.write(sent[far])
        far.write(sent[near])
        came = {near: bytearray(), far: bytearray()}

        def some() -> bool:
            for end, data in came.items():
                data += end.read()
            return len(came[far]) >= some_bytes

        some_bytes = random.randrange(1, BYTES // 2)
        pair.link.wait(some, 10, "no bytes")
        start = pair.near.time_us
        for name in CUTS[ends]:
            getattr(pair, name).impair(rx=DEAD)
        ended: dict[str, float] = {}
        limit_s = most_s if echoes else IDLE_LIMIT_S
        while len(ended) < 2:
            pair.link.run(STEP_US)
            some()
            passed_s = (pair.near.time_us - start) / 1e6
            for name, end in (("near", near), ("far", far)):
                if end.is_reset:
                    ended.setdefault(name, passed_s)
            assert passed_s <= limit_s, f"ended after {ended} s, at {passed_s} s"
        assert min(ended.values()) >= least_s, ended
        assert echoes or ended["near"] <= most_s, ended
        for end, data in came.items():
            assert end.error in (errno.ETIMEDOUT, errno.ECONNRESET)
            assert end.error == errno.ETIMEDOUT or ends != "both"
            assert sent[end].startswith(data)
            assert len(data) < BYTES
            end.close()
        pair.settle()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return variant(tmp_path_factory.mktemp("design"), USER_TIMEOUT)


@pytest.mark.parametrize("ends", CUTS)
def test_both_ends_see_a_dead_link(library: Library, ends: str) -> None:
    cut(library, USER_TIMEOUT, ends, 0)


@pytest.mark.parametrize("ends", CUTS)
def test_an_end_that_only_receives_sees_it_by_keepalive(library: Library, ends: str) -> None:
    cut(library, USER_TIMEOUT, ends, 0, echoes=False)


@pytest.mark.parametrize("parameters", LIMITS)
@pytest.mark.parametrize("ends", CUTS)
def test_both_ends_see_dead_links_of_many_seeds(tmp_path: Path, parameters: str, ends: str) -> None:
    library = variant(tmp_path, parameters)
    for seed in range(SEEDS):
        cut(library, parameters, ends, seed)
