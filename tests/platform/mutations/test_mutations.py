# SPDX-License-Identifier: Apache-2.0
"""The tests can fail: each of these mistakes in the RTL makes one of them do so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.applications.functions import test_acl, test_acl_flows, test_napt, test_shaper
from tests.applications.reed_solomon import test_reed_solomon
from tests.platform.clocks import test_clocks
from tests.platform.frames import test_headers, test_primitives
from tests.platform.interface import test_broadcast, test_network_interface
from tests.platform.registers import (
    test_axi_lite_registers,
    test_register_mesh,
    test_registers,
)
from tests.platform.replicas import test_dispatch, test_replica_groups, test_replica_tables
from tests.platform.routers import test_crosspoint, test_router
from tests.platform.streams import test_fifos, test_merges
from tests.protocols.arp import test_arp_order, test_arp_tables
from tests.protocols.arp.arp_world import Transmitter
from tests.protocols.ipv4 import test_ipv4_options
from tests.protocols.mac import test_mac_rx, test_mac_tx
from tests.protocols.stack import test_layers
from tests.protocols.tcp import test_tcp_buffers, test_tcp_framer
from tests.protocols.tcp.buffers_world import Buffers, buffers_of
from tests.support.harness import PACES, Benches
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

Test = Callable[[Benches], None]

PLACES: Test = test_fifos.test_queue_takes_what_it_promises_while_its_output_stands
STRIP: Test = partial(test_headers.test_every_length, name="strip", width=64, seed=1)
PREPEND: Test = partial(test_headers.test_every_length, name="prepend", width=64, seed=1)
FIFO: Test = partial(test_fifos.test_fifo_keeps_all_in_order, seed=1)
BUFFER: Test = partial(test_fifos.test_buffer_shows_what_is_committed, seed=1, output_register=0)
REGISTERED: Test = partial(BUFFER, output_register=1)
SUM: Test = partial(test_primitives.test_sum, seed=1, gap=0.0)
DROP: Test = partial(
    test_primitives.test_dropped_messages_are_swallowed_and_counted, seed=1, width=64, cuts_ready=0
)
MERGE: Test = partial(test_merges.test_merge_keeps_messages_whole, seed=1)
COUNT: Test = partial(test_registers.test_no_event_is_lost, seed=1, everything=True)
BRIDGE: Test = partial(
    test_axi_lite_registers.test_accesses_against_a_model,
    pace=PACES[-1],
    seed=1,
)
NODES: Test = partial(test_register_mesh.test_all_tiles_against_a_model, shape=(3, 3, 4), seed=1)
ROUTE: Test = partial(test_router.test_router_with_random_traffic, seed=1, depth=4)
CHANNELS: Test = partial(
    test_router.test_mesh_all_to_all, shape=test_router.TWO_CHANNELS | {"Columns": 2, "Rows": 2}
)
TABLE: Test = partial(
    test_network_interface.test_message_keeps_its_route_while_the_table_changes, seed=1
)
LOST: Test = partial(
    test_network_interface.test_interface_counts_lost_messages_of_both_ways, gap=0.0
)
BEYOND: Test = partial(
    test_network_interface.test_a_next_hop_that_a_source_does_not_have, has_groups=1
)
POLICY: Test = partial(test_replica_groups.test_every_policy, seed=1)
SLOT: Test = partial(test_replica_tables.test_slot_moves_under_traffic, seed=1)
NOWHERE: Test = test_replica_tables.test_nothing_is_sent_where_nothing_is
LEAST: Test = partial(test_dispatch.test_least_load_is_chosen, seed=1, senders=1)
SEVERAL: Test = partial(test_dispatch.test_least_load_is_chosen, seed=1, senders=3)
LIMITED: Test = test_dispatch.test_a_replica_that_is_forgotten_has_room
LIMITED_BOTH: Test = partial(test_dispatch.test_loads_stay_below_their_limit, seed=1, senders=2)
DONE: Test = partial(test_dispatch.test_completions_tell_of_every_message_once, seed=1)
OVERFLOW: Test = partial(test_mac_rx.test_rx_counts_overflow_and_recovers, length=1514)
MAC_RX: Test = partial(test_mac_rx.test_rx_trims_sums_and_drops, seed=1)
MAC_TX: Test = partial(test_mac_tx.test_tx, seed=1, pace={"gap": 0.3, "stall": 0.3})
FILL: Test = partial(test_mac_rx.test_rx_holds_frames_until_the_beats_are_used_up, beats=(1,))
RAM: Test = partial(test_fifos.test_block_fifo_keeps_all_in_order, ram=1)
OPTIONS: Test = partial(test_ipv4_options.test_every_payload_length, words=3)
SAYS: Test = partial(test_ipv4_options.test_what_options_say, seed=1)
LOSES: Test = test_ipv4_options.test_full_buffers_lose_whole_packets_and_count_them
SIDE: Test = partial(
    test_layers.test_packets_with_options_do_not_hold_up_others, size=200, share=0.1
)
TOO_LONG: Test = test_layers.test_ipv4_tx_drops_what_no_frame_can_hold
ENCODE: Test = partial(test_reed_solomon.test_parity, seed=1, encoders=test_reed_solomon.FEW)
CROSSPOINT: Test = partial(
    test_crosspoint.test_crosspoint_with_single_flits_back_to_back,
    router=test_crosspoint.Router(test_crosspoint.XY),
)


def of_buffers(test: Callable[[Buffers], None]) -> Test:
    return lambda benches: test(buffers_of(benches, 64))


STARTS: Test = of_buffers(test_tcp_buffers.test_payload_of_every_start_and_length)
WRITES: Test = of_buffers(test_tcp_buffers.test_writes_of_every_start_and_length)
BESIDE: Test = of_buffers(partial(test_tcp_buffers.test_reads_beside_writes, seed=1))
FITS: Test = of_buffers(test_tcp_buffers.test_messages_that_fit_no_ring)
FRAMES: Test = partial(test_tcp_framer.test_messages, width=64, shape="2 big")
LENGTHS: Test = partial(
    test_tcp_framer.test_lengths_that_are_wrong, shape="1 short", width=512, skips=True
)
MIXED: Test = partial(
    test_crosspoint.test_crosspoint_with_random_traffic,
    router=test_crosspoint.Router(test_crosspoint.ADAPTIVE),
)
LANES: Test = partial(
    test_crosspoint.test_crosspoint_outputs_stall_in_turn,
    router=test_crosspoint.Router(test_crosspoint.O1TURN),
)
DROPPING: Test = partial(
    test_crosspoint.test_crosspoint_outputs_stall_in_turn,
    router=test_crosspoint.Router(test_crosspoint.ADAPTIVE, lossless=False),
)
FULL: Test = partial(
    test_crosspoint.test_crosspoint_fills_and_stops,
    router=test_crosspoint.Router(test_crosspoint.XY),
)
CLOCKS = test_clocks.RATIOS[0]  # the core is slower than the MAC
CROSS: Test = partial(test_clocks.test_crossing_carries_every_length, clocks=CLOCKS, width=64)
NO_ROOM: Test = partial(
    test_clocks.test_crossing_drops_what_does_not_fit, width=64, length=test_clocks.MAX_FRAME
)
ONE_RESET: Test = partial(
    test_clocks.test_crossing_survives_a_reset_of_one_side, clocks=CLOCKS, side=test_clocks.CORE
)
MAC_RESET: Test = partial(ONE_RESET, side=test_clocks.MAC)


def _tables(test: Callable[[test_arp_tables.Tables], None]) -> Test:
    return lambda benches: test(test_arp_tables.Tables(benches("arp_tables")))


def _eth_tx(test: Callable[[Transmitter], None]) -> Test:
    return lambda benches: test(Transmitter(benches))


OLDEST = _tables(test_arp_tables.test_the_oldest_goes_first)
USED: Test = partial(test_arp_tables.test_bindings_in_use_outlive_a_flood, seed=1)
KEPT: Test = partial(
    test_arp_tables.test_random_neighbours_keep_their_bindings, seed=1, number=1500
)
PERMANENT = _tables(test_arp_tables.test_a_permanent_binding_stays)
BYPASS = _tables(test_arp_tables.test_updates_and_lookups_back_to_back)
AGE = _tables(test_arp_tables.test_renewal_is_due_before_the_end)
TURN = _eth_tx(test_arp_order.test_displaced_questions_are_those_of_the_set_by_turns)
WAITING = _eth_tx(test_arp_order.test_one_neighbour_holds_a_few_packets_and_the_latest)
REFRESH = _eth_tx(test_arp_order.test_a_refresh_right_behind_the_packet_that_asks_adds_a_binding)
PIECES = _eth_tx(test_arp_order.test_a_packet_in_pieces_keeps_its_binding)
ORDER: Test = partial(test_arp_order.test_order_at_random, seed=1, cuts=0)

# File, original text, replacement, the test that must fail.
MUTATIONS: tuple[tuple[str, str, str, Test], ...] = (
    ("strip", "~skipped & ~(joins & fits)", "~skipped", STRIP),
    ("strip", "(in_bytes <= shift)", "(in_bytes < shift)", STRIP),
    ("strip", "count_t'(DataBytes) - shift + in_bytes", "in_bytes", STRIP),
    ("strip", "in_header ? '0 : in_i.data", "in_i.data", STRIP),
    ("prepend", "(in_i.bytes > count_t'(", "(in_i.bytes >= count_t'(", PREPEND),
    ("prepend", "flush_q <= ~out_ready_i", "flush_q <= 1'b0", PREPEND),
    ("prepend", "(leading & ~absorb) ?", "leading ?", PREPEND),
    (
        *("head_fifo", "read_next_q <= next_addr('0)", "read_next_q <= '0"),
        FIFO,
    ),
    (
        *(
            "head_fifo",
            "head_ram[read_next_q] : in_head_i",
            "head_ram[read_q] : in_head_i",
        ),
        FIFO,
    ),
    (
        *(
            "round_robin",
            "k = NumInputs; k > 0; k--",
            "k = 1; k <= NumInputs; k++",
        ),
        test_merges.test_arbiter_exhaustively,
    ),
    (
        *("broadcast", "after_q <= after;", "after_q <= '1;"),
        partial(test_broadcast.test_members_take_turns, members=5),
    ),
    ("stream_merge", "~(out_ready_i[sel] & out_o.last)", "1'b0", MERGE),
    (
        *("stream_merge", "        sel_q <= sel;\n", "        sel_q <= '0;\n"),
        test_merges.test_merge_takes_turns_without_a_gap,
    ),
    (
        "ones_pkg",
        "rotated(fours, 2)",
        "fours << 2",
        test_primitives.test_ones_sums,
    ),
    (
        "ones_pkg",
        "propagates[below(i, 2)] & beyond",
        "1'b0",
        test_primitives.test_ones_sums,
    ),
    ("frame_buffer", "abort_i ? commit_q : write_next", "write_next", BUFFER),
    ("frame_buffer", "(write_q ^ read_q)", "(write_q ^ commit_q)", BUFFER),
    (
        "frame_buffer",
        "(read_valid_q | (valid_o",
        "(read_valid_q & (valid_o",
        REGISTERED,
    ),
    ("frame_sum", "bombus_pkg::swap16(seed_i)", "seed_i", SUM),
    ("frame_sum", " && !(second_q && w + NumWords < HeaderWords)", "", SUM),
    ("frame_sum", "if (rst_i | last_q) total_q", "if (rst_i) total_q", SUM),
    (
        *("frame_sum", "if (rst_i | last_q) total_q", "if (last_q) total_q"),
        test_primitives.test_sum_forgets_at_reset,
    ),
    ("ones_pkg", "(propagates[below(i, 2)] & beyond)", "1'b0", SUM),
    ("ones_pkg", "propagates[below(i, 6)] & ones_are_zero", "1'b0", SUM),
    ("drop_register", "      if (taken) dropping_q <= drop;\n", "", DROP),
    ("counter_bank", "'0 : acc_q) + more", "'0 : acc_q + more)", COUNT),
    (
        "counter_bank",
        "      clear_q   <= 1'b1;\n",
        "      clear_q   <= 1'b0;\n",
        COUNT,
    ),
    ("axi_lite_registers", "aw_q & w_q & ~axi_bvalid_o", "aw_q & w_q", BRIDGE),
    ("axi_lite_registers", "ar_q & ~axi_rvalid_o", "ar_q", BRIDGE),
    ("axi_lite_registers", "&wstrb_q | ~writes", "1'b1", BRIDGE),
    ("axi_lite_registers", "(aw_q & ~write_done)", "aw_q & ~done", BRIDGE),
    ("axi_lite_registers", "64'(address) < MapBytes", "64'(address) <= MapBytes", BRIDGE),
    ("register_mesh", "x > from_x ? DirEast : DirWest", "DirEast", NODES),
    ("register_mesh", "response_q | tile_ready_i[Hub]", "response_q", NODES),
    ("register_mesh", "x: XBits'(HubX)", "x: '0", NODES),
    ("noc_pkg", "y_south ? DirSouth : DirNorth", "DirSouth", ROUTE),
    ("stream_merge", "~(out_ready_i[sel] & out_o.last)", "1'b0", ROUTE),
    ("vc_output", "held |= start_o;", "held = held_q;", CHANNELS),
    ("vc_input", "level_t'(Depth - 1)", "level_t'(Depth)", CHANNELS),
    ("crosspoint_output", "locked_q <= ~last;", "locked_q <= 1'b0;", MIXED),
    ("crosspoint_input", "- level_i[c]", "- level_i[c] + 1'b1", FULL),
    (
        "laned_queue",
        "read_addr = AddrWidth'(l * LaneDepth) |",
        "read_addr =",
        LANES,
    ),
    ("noc_pkg", "|horizontal ? horizontal : vertical", "vertical", CROSSPOINT),
    (
        "crosspoint_output",
        "~|(next_channels & ~out_ready_i)",
        "|(next_channels & out_ready_i)",
        MIXED,
    ),
    ("arp_cache", "ages[b]} ? a : b", "ages[b]} ? b : a", OLDEST),
    ("arp_cache", "(life_q[w].used == '0) & ~entry_q", "~entry_q", USED),
    ("arp_cache", "life_q[w].stamp, used: '1", "now_q, used: '1", AGE),
    ("arp_cache", "{~moving_from_q, random_q[0]}", "{moving_from_q, random_q[0]}", KEPT),
    ("arp_cache", "(match[w] & ~entry_q[w].permanent)", "match[w]", PERMANENT),
    ("arp_cache", "& ~fixed_match & same_key", "& same_key", PERMANENT),
    ("arp_cache", "bypass_q <= update_q", "bypass_q <= 1'b0", BYPASS),
    ("arp_cache", "lookup_valid_i & update_i & update_q", "1'b0", BYPASS),
    ("arp_cache", "(age[w] <= age_t'(MaxAge))", "1'b1", AGE),
    ("arp_questions", "victim_q <= victim;", "victim_q <= victim_q;", TURN),
    (
        "arp_questions",
        "(chain.packets == packets_t'(MaxPackets))",
        "1'b0",
        WAITING,
    ),
    ("arp_questions", "opens & same_key_o", "1'b0", WAITING),
    ("arp_questions", "write_chain & same_set & selected_q[w]", "1'b0", WAITING),
    ("arp_resolver", "has_question | (act_waits & question_matches)", "has_question", REFRESH),
    ("arp_resolver", "look_room_i & look_first_i", "look_room_i", PIECES),
    ("eth_tx", "reading ? FromQueue : question_valid", "question_valid", ORDER),
    ("crosspoint_input", "first ? ~fits : refused_q", "~fits", DROPPING),
    ("injection", "inside_q ? route_q : route_i[s]", "route_i[s]", TABLE),
    ("group_injection", ">= num_hops(s)", "> num_hops(s)", BEYOND),
    (
        "network_interface",
        "late_q <= out_lost & in_lost",
        "late_q <= 1'b0",
        LOST,
    ),
    ("replica_choice", ".write_index_i(slot_i)", ".write_index_i('0)", SLOT),
    ("route_table", "& ~word.is_group", "", NOWHERE),
    ("dispatch", "turn_ends ? '0 :", "", POLICY),
    ("least_loaded", "|(least_q & is_choice)", "1'b1", LEAST),
    (
        "least_loaded",
        "done[i] & ~is_full[i]) loads_q",
        "done[i]) loads_q",
        LEAST,
    ),
    ("least_loaded", "waits & (done_i[i] | ~own)", "waits", SEVERAL),
    ("least_loaded", "done_i[i] & ~waits", "done_i[i]", SEVERAL),
    (
        "least_loaded",
        "recount_q ? is_zero[i] : least_q[i]",
        "least_q[i]",
        LEAST,
    ),
    ("least_loaded", "loads_q[i] == three_more_q", "1'b0", LEAST),
    (
        "least_loaded",
        "uncounted[i], Limit - 1)",
        "uncounted[i], Limit)",
        LIMITED,
    ),
    ("least_loaded", "is_choice & ~closed) |", "is_choice) |", LIMITED_BOTH),
    (
        *("group_injection", "(held & (~is_group | has_room))", "held"),
        test_replica_groups.test_what_finds_no_room_waits_for_what_is_done,
    ),
    (
        *("completions", "~hold_i & inside_q", "inside_q"),
        test_dispatch.test_completions_tell_nothing_while_they_are_held,
    ),
    ("completions", "idle_q || finished_q > inside_q", "idle_q", DONE),
    ("frame_store", "lost_q <= ~frame_last_i & lost", "lost_q <= 1'b0", OVERFLOW),
    (
        *("mac_tx", "join_up(info.sum, 1'b1)", "join_up(info.sum, 1'b0)"),
        test_mac_tx.test_tx_sends_no_zero_checksum,
    ),
    ("frame_crossing", "~(run & (fits_q | ~Drops))", "~run", NO_ROOM),
    (
        "frame_crossing",
        "dropping_q <= dropping | cut",
        "dropping_q <= dropping",
        partial(test_clocks.test_crossing_marks_what_is_too_long, width=64),
    ),
    ("frame_crossing", "~out_clear & (is_whole | is_ahead)", "1'b1", CROSS),
    (
        "frame_crossing",
        "quiet_q <= stop & ~beat_valid",
        "quiet_q <= 1'b0",
        MAC_RESET,
    ),
    ("frame_crossing", "beat_valid & ~discard &", "beat_valid &", ONE_RESET),
    ("frame_crossing", "beat.user | is_cut", "beat.user", MAC_RESET),
    ("frame_crossing", "if (inside_q) dropping_q <= dropping;", "", ONE_RESET),
    (
        "async_fifo",
        "write + 1'b1",
        "write - 1'b1",
        partial(test_clocks.test_fifo_swings_between_full_and_empty, clocks=CLOCKS),
    ),
    ("packet_trimmer", "& ({1'b0, last_lane} < beat_q.bytes)", "", MAC_RX),
    ("tag_remover", "absorbed_q <= absorbs", "absorbed_q <= 1'b0", MAC_RX),
    ("mac_tx", "padding_q <= stream_last & short", "padding_q <= 1'b0", MAC_TX),
    (
        "tag_inserter",
        "~last_o & (at_tag_q | after_tag_q)",
        "at_tag_q | after_tag_q",
        MAC_TX,
    ),
    ("tag_inserter", "flush_q  <= spills & ~flush_q", "flush_q <= 1'b0", MAC_TX),
    ("ipv4_options", "{4'b0, excess_q, 2'b0, excess_q, 2'b0}", "16'b0", OPTIONS),
    ("ipv4_options", "22'(sum_q[15:0]) + 22'(sum_q[21:16])", "sum_q", SAYS),
    ("ipv4_options", "lost_q <= lost & ~in_q.last", "lost_q <= 1'b0", LOSES),
    (
        "ipv4_options",
        "word_valid & ~stalled & ~ended_q",
        "word_valid & ~stalled",
        OPTIONS,
    ),
    ("ipv4_options", "raw.last & (index_q ==", "(index_q ==", OPTIONS),
    (
        "ipv4_tx",
        "found.length > max_length",
        "found.length >= max_length",
        TOO_LONG,
    ),
    ("option_parser", "byte_i <= length_q", "byte_i < length_q", SAYS),
    ("option_parser", "byte_i < 8'd2", "byte_i < 8'd3", SAYS),
    (
        "option_parser",
        "(state_q != StateType) &",
        "(state_q == StateMalformed) &",
        SAYS,
    ),
    ("ipv4_rx", "in_valid_i ? taken & has_options : 1'b1", "1'b1", SIDE),
    (
        "block_fifo",
        "queued & (stored | ~second_advance)",
        "queued & stored",
        FILL,
    ),
    (
        *(
            "block_fifo",
            "write_i & (second_q | ~advance)",
            "write_i & second_q",
        ),
        partial(test_fifos.test_block_fifo_keeps_all_in_order, ram=0),
    ),
    ("ram_fifo", "valid_o & ready_i ? next_q", "ready_i ? next_q", RAM),
    ("ram_fifo", "read != write_q", "read_q != write_q", RAM),
    ("block_fifo", "from_ram_q <= stored", "from_ram_q <= 1'b0", FILL),
    ("stream_queue", "32'(level) < Depth", "32'(level) <= Depth", PLACES),
    (
        *("icmp_echo", "refused.payload_length + 16'", "16'"),
        partial(test_layers.test_icmp_errors, pace={"gap": 0.0, "stall": 0.0}),
    ),
    (
        "rs_matrix_pkg",
        "data_shards + row",
        "data_shards + row + 1",
        ENCODE,
    ),
    ("rs_parity_row", "if (~first_i) sum_o", "sum_o", ENCODE),
    ("rs_encode", "(out_free & ~later_q)", "out_free", ENCODE),
    ("rs_encode", "length != 14'", "length < 14'", ENCODE),
    ("ring_memory", "pair += pair_t'(location.from_odd);", "", STARTS),
    ("ring_memory", "{DataBytes{from_odd_q}} ^", "", STARTS),
    (
        "ring_memory",
        "{DataBytes{~first_in_second}} | past_first_q",
        "past_first_q",
        WRITES,
    ),
    (
        "ring_memory",
        "{DataBytes{end_in_second}} | before_end_q",
        "before_end_q",
        WRITES,
    ),
    ("ring_memory", "keep_q <= below(end_limit_q)", "keep_q <= '1", STARTS),
    ("ring_write", "? skip - 14'(DataBytes) : '0", "? '0 : '0", WRITES),
    ("ring_write", "in_i.length) > RingBytes", "in_i.length) >= RingBytes", FITS),
    ("ring_read", "pop | (level_q !=", "1'b1 | (level_q !=", BESIDE),
    ("ring_read", "more_q == beats_t'(1)", "more_q == beats_t'(2)", STARTS),
    (
        "tcp_send_buffer",
        "PositionWidth'(meta.start) - PositionWidth'(shared)",
        "PositionWidth'(meta.start)",
        STARTS,
    ),
    ("tcp_send_buffer", "has_payload & ~stage.whole", "~stage.whole", STARTS),
    ("tcp_send_buffer", "(segment_i.length[1:0] != '0)", "1'b0", FITS),
    ("tcp_framer", "(loaded_q | valid_q)", "valid_q", FRAMES),
    ("tcp_framer", "RingBytes - 2 * KeepWidth)", "RingBytes - KeepWidth)", FRAMES),
    ("tcp_framer", "if (finishes) at.tail = tail;", "", FRAMES),
    (
        "tcp_framer",
        "at.phase == Skip) stored_q <= 1'b0",
        "at.phase == Skip) stored_q <= 1'b1",
        LENGTHS,
    ),
    (
        "tcp_receive_buffer",
        "length = bad ? '0 : meta.length",
        "length = meta.length",
        FITS,
    ),
    ("tcp_receive_buffer", "drop = ~bound", "drop = 1'b0", FITS),
)

LAYER_MUTATIONS = (
    ("icmp_echo", "TypeBit = 11", "TypeBit = 12", "icmp_echo"),
    (
        "udp_rx",
        "reasons[DropBadLength] = 1'b1",
        "reasons[DropBadLength] = 1'b0",
        "udp_rx",
    ),
    (
        "udp_rx",
        "found_q.has_csum &",
        "found_q.has_csum & found_q.open &",
        "udp_rx",
    ),
    ("ipv4_rx", "packet_valid & ~strip_ready", "1'b0", "ipv4_rx"),
    ("udp_echo", "16'(FirstClientPort)", "16'd1023", "udp_echo"),
    ("ipv4_tx", "swap16(csum)", "csum", "ipv4_tx"),
    (
        "eth_rx",
        "reasons[DropNotForUs] = 1'b1",
        "reasons[DropNotForUs] = 1'b0",
        "eth_rx",
    ),
    (
        "eth_tx",
        "EtherTypeArp : EtherTypeIpv4",
        "EtherTypeIpv4 : EtherTypeIpv4",
        "eth_tx",
    ),
)
MUTATIONS += tuple(
    (file, old, new, partial(test_layers.test_layer, layer=layer, seed=1))
    for file, old, new, layer in LAYER_MUTATIONS
)


def _acl(test: Callable[[test_acl.Acl], None]) -> Test:
    return lambda benches: test(test_acl.opened(benches))


def _shaper(test: Callable[[test_shaper.Shaper], None]) -> Test:
    return lambda benches: test(test_shaper.opened(benches))


def _flows(test: Callable[[test_acl_flows.Stateful], None]) -> Test:
    return lambda benches: test(test_acl_flows.opened(benches))


PORT_EDGES = _acl(test_acl.test_edges_of_ports)
FIRST_RULE = _acl(test_acl.test_the_first_rule_decides)
RULES_CHANGE = _acl(test_acl.test_rules_change_under_traffic)
EACH_CYCLE = _acl(test_acl.test_latency_and_rate)
FORGOTTEN = _flows(test_acl_flows.test_flows_are_forgotten)
OF_THE_FLOW = _flows(test_acl_flows.test_only_packets_of_the_flow)
IN_A_ROW = _flows(test_acl_flows.test_reports_in_a_row)
REPORTS: Test = partial(test_acl_flows.test_reports, width=64)
VERDICTS: Test = partial(test_acl.test_verdicts, width=64)
DEPARTURES: Test = partial(test_shaper.test_departures, overhead=0)
NO_BEATS: Test = partial(test_shaper.test_full_queues, drops=1)
SHARES = _shaper(test_shaper.test_round_robin_shares)
PRIORITY = _shaper(test_shaper.test_strict_priority_of_classes_that_wait)
BOTH_WAYS: Test = test_napt.test_both_ways
SESSIONS_END: Test = test_napt.test_timeouts
TCP_STATES: Test = test_napt.test_states_of_tcp
MUTATIONS += (
    ("napt_sessions", "if (writes_it[p]) place", "if (writes_it[p] && p != 0) place", BOTH_WAYS),
    (
        "napt_sessions",
        "now_q - regs_i.timeouts.udp;",
        "now_q - regs_i.timeouts.udp + 1;",
        SESSIONS_END,
    ),
    ("napt_sessions", "session_d.tcp.fin_outside |= chosen_q.flags.fin;", "", TCP_STATES),
    ("napt_edit", "is_udp & verdict_i.has_csum", "is_udp", BOTH_WAYS),
    ("acl_columns", "value <= last[7:0], value", "value < last[7:0], value", PORT_EDGES),
    ("acl_columns", "value > first[15:8]", "value >= first[15:8] - 8'd1", PORT_EDGES),
    ("acl_rules", "ram[{~bank_q, write_q.value}]", "ram[{bank_q, write_q.value}]", RULES_CHANGE),
    ("acl_key", "here_q <= last_i ?", "here_q <= done_q ?", VERDICTS),
    ("acl_counters", "? last_q : read", "? read : read", EACH_CYCLE),
    ("acl_flows", "& ~is_expired(looked[w], now)", "", FORGOTTEN),
    ("acl_flows", "looked[w].flow == compared_q", "1'b1", OF_THE_FLOW),
    ("acl_flows", "wire waits =", "wire waits = 1'b0 &", IN_A_ROW),
    ("acl_sent", "& ~key.state.flags[Rst]", "", REPORTS),
    ("first_set", "{~|below[1:0],", "{~|below[2:0],", FIRST_RULE),
    ("token_bucket", "? spent_again[Sign] :", "? spent[Sign] :", DEPARTURES),
    ("token_bucket", "is_full ? {1'b0, step_i[Fraction-1:0]} :", "", DEPARTURES),
    ("shaper", "has_room = fits[in_class]", "has_room = 1'b1", NO_BEATS),
    ("shaper_choice", "first = class_t'(c - 1)", "first = class_t'(NumClasses - c)", PRIORITY),
    ("shaper_choice", "has_its_turn & ~ready_i[c]", "has_its_turn", SHARES),
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
