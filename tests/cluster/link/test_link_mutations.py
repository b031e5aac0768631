# SPDX-License-Identifier: Apache-2.0
"""The tests of the link can fail: each of these mistakes in it makes one of them do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.cluster.link import (
    test_link,
    test_link_direct,
    test_link_forged,
    test_link_format,
    test_link_rates,
)
from tests.support.harness import Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

Test = Callable[[Benches], None]

ALL: Test = partial(test_link.test_all_lengths, width=64)
PACE: Test = partial(test_link.test_any_pace, width=128)
FAULTS: Test = partial(test_link.test_faults, width=128, ber=1e-4, loss=0.002, burst=20)
RESET: Test = partial(test_link.test_reset_of_a_board, width=128, seed=1)
SHORT: Test = test_link.test_buffer_full_of_short_packets
BREAK: Test = partial(test_link.test_repetitions_of_a_lost_beat, latency=75, retry=512, naks=1)
FAR: Test = partial(test_link.test_repetitions_of_a_lost_beat, latency=450, retry=1024, naks=1)
AGAIN: Test = partial(test_link.test_repetitions_of_a_lost_beat, latency=450, retry=512, naks=2)
REST: Test = test_link_rates.test_the_rest_of_a_buffer_is_given_back
LATENCY: Test = partial(test_link_rates.test_added_latency, width=128)
DRAIN: Test = partial(test_link.test_drain, width=128, seed=2)
FORMAT: Test = partial(test_link_format.test_format, width=128)

CUT: Test = partial(test_link_direct.test_outages_in_long_packets, width=64)
OUTAGES: Test = partial(test_link_direct.test_outages, width=128)

STATE: Test = partial(test_link_forged.test_state, width=64, knows=False)
STATE_KNOWN: Test = partial(test_link_forged.test_state, width=64, knows=True)
PACKET: Test = partial(test_link_forged.test_packet, width=64, knows=False, check=1)
BLIND: Test = partial(test_link_forged.test_packet, width=64, knows=False, check=0)
TRAINING: Test = partial(test_link_forged.test_training, width=512, check=1)
TRAINING_DIRECT: Test = partial(test_link_forged.test_training, width=128, check=0)

SENDER = "cluster_link_transmit"
SESSION = "cluster_link_session"
RETRY = "cluster_link_retry"
PACK = "cluster_link_pack"
CONTROL = "cluster_link_control"
RECEIVER = "cluster_link_receive"
RING = "cluster_link_ring"
DIRECT = "cluster_link_direct_receive"
PLAIN = "[63:32] == of_half"
ANY_KEY = "difference_q == '0 | difference_q == times(Keys[0], crc_t'(key_i))"

MUTATIONS: tuple[tuple[str, str, str, Test], ...] = (
    (RETRY, "~credit_i[11] & (credit_i", "(credit_i", PACE),
    (RETRY, "fetch_q == write_q & writes;", "writes;", PACE),
    (RETRY, "direct & ~(passes & out_taken_i)", "direct", PACE),
    (RETRY, "writes & ~(|is_short)", "writes", PACE),
    (RETRY, "out_valid_q | passes;", "out_valid_q;", LATENCY),
    (RETRY, "(~ring_valid_q | loads) & fetch_q", "fetch_q", PACE),
    (RETRY, "if (renumber_i) seq_o <= seek_seq_i;", "", DRAIN),
    (PACK, "out_free & ~full & ~beat_conflicts", "out_free & ~beat_conflicts", PACE),
    (PACK, "(rest_starts_q | alone)", "rest_starts_q", PACE),
    (PACK, "(rst_i | breaks_i | (sums", "(rst_i | (sums", BREAK),
    (PACK, "rest_q <= emits ? '0 : rest;", "if (emits) rest_q <= '0;", PACE),
    (PACK, "late_q <= beat_taken_o & sum_late_i", "late_q <= sum_late_i", PACE),
    (CONTROL, "& ~tail_due_q & ~valid_o;", "& ~valid_o;", ALL),
    (CONTROL, "32'(state_timer_q) >= AgedCycles &", "1'b0 &", REST),
    # Words and packets are believed without the session key, too.
    (RECEIVER, "taken_control.kind == WordTrain ?", f"control_q{PLAIN}(control_q[31:0]) ?", STATE),
    (SENDER, "fresh_due_q <= orders_i.fresh |", "fresh_due_q <=", RESET),
    (SENDER, "<= seq_t'(write_seq - acked_q))", "<= sent_packets)", DRAIN),
    (RECEIVER, "is_next = checked_q.seq == expected_q", "is_next = 1'b1", AGAIN),
    (RECEIVER, "if (tail_good & tail_fits & adopts_q) shift = word_q.tail_shift;", "", FAULTS),
    (RING, "2 ** $clog2(BufferBeats + 3)", "2 ** $clog2(BufferBeats)", SHORT),
    (RING, "current_addr_q <= commit_q - 1'b1;", "", FAULTS),
    (RING, "~(discard_i & waits)", "1'b1", FAULTS),
    (RECEIVER, "fresh_q | ~ahead[15]", "1'b1", AGAIN),
    (RECEIVER, "ended == '0 & ~decides", "~decides", FAULTS),
    (RECEIVER, "early | (commits & ~early_q)", "commits", LATENCY),
    (RING, "next_valid_q | continues_i", "next_valid_q", LATENCY),
    (RECEIVER, "end_good = difference_q == '0", f"end_good = {ANY_KEY}", PACKET),
    ("cluster_link_direct_transmit", "if (in_valid_i & cut_q) sent_q <= sent_q + 1'b1;", "", CUT),
    (DIRECT, "sum_bad | completes;", "sum_bad;", OUTAGES),
    (DIRECT, "seq_t'(abandons)", "seq_t'(1'b0)", OUTAGES),
    (SESSION, "heard_i.valid & heard_i.alone &", "heard_i.valid &", TRAINING),
    (SESSION, "heard_i.valid & heard_i.alone &", "heard_i.valid &", TRAINING_DIRECT),
    (SESSION, "changes | forgets_i |", "changes |", STATE_KNOWN),
    (SENDER, "lookup.forgets = nak_strange;", "", STATE_KNOWN),
    ("cluster_link", "sender: orders.word.own,", "sender: '0,", FORMAT),
    (DIRECT, "~is_packet & control.kind == WordTrain ?", f"word_q{PLAIN}(word_q[31:0]) ?", BLIND),
    (CONTROL, "[$clog2(NakCycles)-1:0] nak_timer_q", "[8:0] nak_timer_q", FAR),
    ("cluster_crc_pkg", "32'h82F63B78", "32'hEDB88320", FORMAT),
)


@pytest.mark.parametrize(
    ("mutation", "test"),
    [
        pytest.param(mutation := Mutation(file, old, new), test, id=str(mutation), marks=sampled(n))
        for n, (file, old, new, test) in enumerate(MUTATIONS)
    ],
)
def test_mistake_is_noticed(mutation: Mutation, test: Test, tmp_path: Path) -> None:
    broken = Benches(mutation.copy(tmp_path))
    with pytest.raises(AssertionError):
        test(broken)


def test_every_mistake_can_be_made() -> None:
    for file, old, new, _ in MUTATIONS:
        assert Mutation(file, old, new).text()
