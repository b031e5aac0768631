# SPDX-License-Identifier: Apache-2.0
"""vr_witness with its log in an external memory: as its model, and no vote before a line is stored.

The memory is erratic: answers take 20 to 80 cycles, and reads of lines that are not stored are
errors of the bench.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bombus.applications.vr.messages import (
    HEADER_BYTES,
    LINE,
    MAGIC,
    Commit,
    Prepare,
    Request,
    RequestStateTransfer,
    Type,
    ValidateRead,
)
from bombus.applications.vr.model import Limits
from tests.applications.vr.test_vr_witness import DROPS, EVENTS, World, request, run_random
from tests.applications.vr.vr_scenarios import (
    EMPTY,
    LIMITS,
    SCENARIOS,
    Scenario,
    transfer,
    truncation_makes_room,
    view_change_with_a_full_log,
)
from tests.support.harness import BenchError, Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

HOLD_WRITES, HOLD_READS, FAIL_WRITES, FAIL_READS = 1, 2, 4, 8  # of World.memory
MEMORY_ERROR = len(DROPS) + EVENTS.index("memory_error")
SAMPLE = (truncation_makes_room, view_change_with_a_full_log)
LARGE = Limits(retry_us=LIMITS.retry_us)  # the default sizes
HUGE = replace(LARGE, log_lines=1 << 18, log_ops=1 << 16)  # 16 MiB
OP_BYTES = 9216  # of a Prepare of one frame


def external(benches: Benches, limits: Limits = LIMITS) -> World:
    return World(benches, limits=limits, External=1)


def set_memory(world: World, bits: int) -> None:
    world.memory = bits
    world.control()


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(each, marks=() if each in SAMPLE else pytest.mark.sweep) for each in SCENARIOS],
)
def test_scenarios_with_an_external_log(benches: Benches, scenario: Scenario) -> None:
    world = external(benches)
    scenario(world)
    world.check()


def test_random_messages_with_an_external_log(benches: Benches) -> None:
    run_random(benches, 15, 10, External=1)


@pytest.mark.sweep
@pytest.mark.parametrize(("latency", "jitter"), [(1, 0), (20, 60), (200, 400)])
def test_many_random_messages(benches: Benches, latency: int, jitter: int) -> None:
    further = {"External": 1, "Latency": latency, "Jitter": jitter}
    assert run_random(benches, 100, 100, **further) >= 190_000


def test_votes_wait_for_write_responses(benches: Benches) -> None:
    """While no write is answered, neither a PrepareOK leaves nor a message after it."""
    world = external(benches)
    world.join()
    for size in (0, 1, 64, 140, 600):
        set_memory(world, HOLD_WRITES)
        number = world.model.last + 1
        world.send(Prepare.of(0, number, [request(world.random, size)]).encode())
        world.send(ValidateRead(0, 1, number).encode())
        world.bench.run(600)
        assert not world.bench.received()
        set_memory(world, 0)
        kinds = [sent.data[4] for sent in world.check()]
        assert kinds == [Type.PREPARE_OK, Type.VALIDATE_READ_REPLY]


def test_a_vote_outlasts_many_lines(benches: Benches) -> None:
    """It waits for the output, while messages without an answer write so many lines that their
    16-bit numbers wrap.
    """
    world = external(benches, LARGE)
    world.join()
    world.check()
    world.bench.pace(stall=1.0)
    world.send(Prepare.of(0, 1, [EMPTY]).encode())
    fields = Prepare.of(0, 2, [request(world.random, OP_BYTES)]).encode()[HEADER_BYTES:] + b"x"
    longer = MAGIC + bytes([Type.PREPARE]) + len(fields).to_bytes(8) + fields
    for _ in range((1 << 15) // (OP_BYTES // LINE) + 20):
        world.send(longer)
        world.bench.run(400)
    assert not world.bench.waiting()
    world.bench.pace()
    assert [sent.data[4] for sent in world.check()] == [Type.PREPARE_OK]


def test_a_reset_loses_votes_that_wait(benches: Benches) -> None:
    world = external(benches)
    for size in (0, 140, 600):
        world.join()
        set_memory(world, HOLD_WRITES)
        world.send(Prepare.of(0, 1, [request(world.random, size)]).encode())
        world.bench.run(600)
        assert not world.bench.received()
        world.bench.reset()
        set_memory(world, 0)
        world.bench.run(600)
        assert not world.bench.received()
        world.forget()


def test_writing_waits_for_the_memory(benches: Benches) -> None:
    """Requests and entries that are more lines than it takes at once: none is lost."""
    world = external(benches, LARGE)
    world.join()
    for data in (
        Prepare.of(0, 1, [EMPTY] * 300).encode(),
        Prepare.of(0, 301, [request(world.random, 100 * n) for n in range(10)]).encode(),
        transfer(0, 400, 311, 70),
    ):
        set_memory(world, HOLD_WRITES)
        world.send(data)
        world.bench.run(2000)
        assert not world.bench.received()
        set_memory(world, 0)
        assert len(world.check()) == 1
    set_memory(world, HOLD_READS)
    world.send(RequestStateTransfer(0, 0).encode())
    world.bench.run(2000)
    set_memory(world, 0)
    world.check()
    assert world.model.last == 380


def test_no_vote_after_a_write_error(benches: Benches) -> None:
    """Nor any other message, until a reset: the witness behaves as if it had crashed."""
    world = external(benches)
    world.join()
    set_memory(world, FAIL_WRITES)
    world.send(Prepare.of(0, 1, [request(world.random, 140)]).encode())
    world.bench.drain(quiet=150)
    set_memory(world, 0)
    world.send(Prepare.of(0, 2, [request(world.random, 140)]).encode())
    world.send(RequestStateTransfer(0, 1).encode())
    world.send(ValidateRead(0, 1, 2).encode())
    world.bench.drain(quiet=300)
    assert not world.bench.received()
    assert world.bench.events[MEMORY_ERROR] == 4  # lines of the first Prepare
    world.bench.reset()
    world.forget()
    world.join()
    world.send(Prepare.of(0, 1, [request(world.random, 140)]).encode())
    assert [sent.data[4] for sent in world.check()] == [Type.PREPARE_OK]


@pytest.mark.parametrize("size", [1, 140, 60 * LINE])  # the last one is sent in fragments
def test_no_message_after_a_read_error(benches: Benches, size: int) -> None:
    """Not the one with the line either."""
    world = external(benches)
    world.join()
    world.send(Prepare.of(0, 1, [request(world.random, size)]).encode())
    world.check()
    set_memory(world, FAIL_READS)
    world.send(RequestStateTransfer(0, 0).encode())
    world.send(ValidateRead(0, 1, 2).encode())
    world.bench.drain(quiet=300)
    assert not world.bench.received()
    assert world.bench.events[MEMORY_ERROR] == 1 - -size // LINE
    assert not world.bench.status >> 188 & 1


@pytest.mark.sweep
def test_a_log_of_16_mib(benches: Benches) -> None:
    """It is filled with long operations, sent as a whole, and truncated."""
    world = external(benches, HUGE)
    world.join()
    lines = 1 + OP_BYTES // LINE
    held = HUGE.log_lines // lines
    for number in range(1, held + 1):
        operation = Request(number, number, world.random.randbytes(OP_BYTES))
        world.send(Prepare.of(0, number, [operation]).encode())
    world.bench.run(4 * HUGE.log_lines)
    world.check()
    last = request(world.random, OP_BYTES)
    world.send(Prepare.of(0, held + 1, [last]).encode())
    world.check()
    assert (world.model.last, world.model.counted["full"]) == (held, 1)
    world.send(RequestStateTransfer(0, 0).encode())
    world.bench.run(4 * HUGE.log_lines)
    sent = world.check()
    assert sum(len(each.data) for each in sent) > held * lines * LINE
    world.send(Commit(0, held).encode())
    world.send(Prepare.of(0, held + 1, [last], 3).encode())
    world.send(RequestStateTransfer(0, held - 100).encode())
    world.bench.run(30_000)
    world.check()
    assert (world.model.cleaned, world.model.last) == (3, held + 1)


# Each breaks a rule of the external log.
MUTATIONS = (
    Mutation("vr_vote_queue", "front_valid & is_free & ~discards", "front_valid & ~discards"),
    Mutation("vr_vote_queue", "number_valid & ~ahead", "number_valid | ~ahead"),
    Mutation("vr_vote_queue", "in_ready_o & in_i.last", "in_ready_o"),
    Mutation("vr_vote_queue", "failed_q | error_i : discards_q", "1'b0 : discards_q"),
    Mutation("vr_log", "2'(opens) + 2'(finds | copies)", "2'(finds | copies)"),
    Mutation("vr_log_lines", "(left_q != '0) & (open == '0)", "(left_q != '0)"),
    Mutation("vr_log_lines", "stalls_o <= open > writes_t'(WriteLines - 16);", ""),
    Mutation("vr_log_lines", "& (32'(pending_q) < ReadLines)", ""),
    Mutation("vr_log_lines", "BaseAddress | 64'", "64'"),
    Mutation("vr_log_lines", "{line[SpreadBits-1:0], line[LowBits-1:SpreadBits]}", "'0"),
    Mutation("vr_log_sender", "if (read_valid_i) begin left_q", "begin left_q"),
    Mutation("vr_transfer", "st_i == StCopy && st_next_i != StCopy", "st_i == StCopy"),
)


@pytest.mark.parametrize(
    "mutation",
    [pytest.param(each, marks=sampled(n), id=str(each)) for n, each in enumerate(MUTATIONS)],
)
def test_mutations_are_found(mutation: Mutation, tmp_path: Path) -> None:
    rtl = mutation.copy(tmp_path)
    with pytest.raises((AssertionError, BenchError)):
        test_votes_wait_for_write_responses(Benches(rtl))
        test_no_vote_after_a_write_error(Benches(rtl))
        test_no_message_after_a_read_error(Benches(rtl), 60 * LINE)
        test_writing_waits_for_the_memory(Benches(rtl))
        run_random(Benches(rtl), 20, 10, External=1)
