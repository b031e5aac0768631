# SPDX-License-Identifier: Apache-2.0
"""Copies of protocols and applications with one mistake each, and the proof that must fail."""

from __future__ import annotations

from tests.platform.formal.proofs import (
    ARRIVAL,
    BYPASS,
    CORE,
    CSRS,
    DELIVER,
    DEPARTURE,
    DIVIDE,
    EXPIRY,
    FEW_SESSIONS,
    MULDIV,
    MULTIPLY,
    PAYLOAD,
    PROGRAM,
    RANGES,
    RING,
    SESSION_REQUESTS,
    SESSIONS,
    SORTED,
    TCP_CORE,
    WIDE_PAYLOAD,
    WITNESS,
)
from tests.support.rtl_files import Mutation

CORE_FILE = "rpu_core"
FETCH_FILE = "rpu_fetch"
CSR_FILE = "rpu_csr"
MULTIPLY_FILE = "rpu_multiply"
DIVIDE_FILE = "rpu_divide"
SESSION_MATCH = "tcp_session_match"
SESSION_TABLE = "tcp_session_table"
RANGES_FILE = "tcp_ranges"
ARRIVAL_FILE = "tcp_arrival"
DEPARTURE_FILE = "tcp_departure"
TCP_CORE_FILE = "tcp_core"
SCHEDULER_FILE = "tcp_scheduler"
DELIVER_FILE = "tcp_deliver"
BYPASS_FILE = "tcp_bypass"
PAYLOAD_FILE = "tcp_payload"
EXPIRY_FILE = "tcp_expiry"
REQUESTS_FILE = "tcp_session_requests"
RING_FILE = "ring_write"

BROKEN_LAYERS = (
    (
        CORE,
        Mutation(CORE_FILE, "wire is_alive = x_valid_q & ~redirect;", "wire is_alive = x_valid_q;"),
    ),
    (CORE, Mutation(CORE_FILE, "else if (by_m) rest = m_result_q;", "else if (0) rest = '0;")),
    (CORE, Mutation(CORE_FILE, "registers[m_rd_q] <= m_value", "registers[m_rd_q] <= '0")),
    (CORE, Mutation(CORE_FILE, "advance_x & ~waits_load &", "advance_x &")),
    (CORE, Mutation(CORE_FILE, "& in_data & ~misaligned", "& ~misaligned")),
    (CORE, Mutation(CORE_FILE, "x_q.is_jalr | wanted_carry !=", "wanted_carry !=")),
    (CORE, Mutation(CORE_FILE, "carries ? in_last : in_same", "in_same")),
    (MULDIV, Mutation(CORE_FILE, "slow_q <= product_low;", "slow_q <= product_high;")),
    (MULDIV, Mutation(CORE_FILE, "divided : slow_step_q[1]", "divided : slow_step_q[0]")),
    (MULDIV, Mutation(CORE_FILE, "special = quotient;", "special = slow_q;")),
    (MULDIV, Mutation(CORE_FILE, "wire is_slow = x_q.multiplies |", "wire is_slow =")),
    (
        PROGRAM,
        Mutation(FETCH_FILE, "code_enable_o = advance_i | redirect_i", "code_enable_o = advance_i"),
    ),
    (PROGRAM, Mutation(FETCH_FILE, "code_addr_o = following[", "code_addr_o = next_o[")),
    (PROGRAM, Mutation(CORE_FILE, "leaves & (returns | |guess_x_q)", "leaves & returns")),
    (PROGRAM, Mutation(CORE_FILE, "x_valid_q <= advance_d & ~redirect", "x_valid_q <= advance_d")),
    (PROGRAM, Mutation(CORE_FILE, "x_q.is_jalr | wanted_carry !=", "wanted_carry !=")),
    (PROGRAM, Mutation(CORE_FILE, "m_other_q <= trap ? trap_target", "m_other_q <= trap ? '0")),
    (PROGRAM, Mutation(CORE_FILE, "|pc_d[31:CodeAddrWidth];", "pc_d[31];")),
    (PROGRAM, Mutation(CORE_FILE, "slow_done_q, writes_csr_q} <= '0", "slow_done_q} <= '0")),
    (MULTIPLY, Mutation(MULTIPLY_FILE, "first_i[Width-1] & op_i != 2'b11", "first_i[Width-1]")),
    (MULTIPLY, Mutation(MULTIPLY_FILE, "cross_q + other_cross_q", "cross_q")),
    (DIVIDE, Mutation(DIVIDE_FILE, "load_q & ~op_i[1] & ~has_divisor", "1'b0")),
    (DIVIDE, Mutation(DIVIDE_FILE, "flip_first ^ (~op_i[1] & negative)", "flip_first")),
    (DIVIDE, Mutation(DIVIDE_FILE, "fits ? difference[Width-1:0]", "1 ? difference[Width-1:0]")),
    (
        CSRS,
        Mutation(CSR_FILE, "{mpie_q, mie_q} <= {1'b1, mpie_q}", "{mpie_q, mie_q} <= {1'b1, mie_q}"),
    ),
    (CSRS, Mutation(CSR_FILE, "external ? 4'd11 : software", "software ? 4'd11 : external")),
    (CSRS, Mutation(CSR_FILE, "trap_i | write_i & at_mtval_q", "write_i & at_mtval_q")),
    (CSRS, Mutation(CSR_FILE, "12'h305, 12'h340,", "12'h305,")),
    (SESSIONS, Mutation(SESSION_TABLE, "inserts(step2_q) & available", "inserts(step2_q)")),
    (
        FEW_SESSIONS,
        Mutation(SESSION_MATCH, "~(step2_q.valid & (step2_q.op != SessionFind))", "1'b1"),
    ),
    (FEW_SESSIONS, Mutation(SESSION_MATCH, "step2_q.op == SessionRemove ?", "1'b0 ?")),
    (FEW_SESSIONS, Mutation(SESSION_MATCH, "(step3_q.op == SessionInsert) & ~hit", "~hit")),
    (FEW_SESSIONS, Mutation(SESSION_MATCH, "if (add) key_ram[free]", "key_ram[free]")),
    (RANGES, Mutation(RANGES_FILE, "distance_t'(to_2_q[r]) < add_from_q;", "1'b0;")),
    (RANGES, Mutation(RANGES_FILE, "(distance_t'(from_2_q[r]) > 0)", "(from_2_q[r] != '0)")),
    (RANGES, Mutation(RANGES_FILE, "{add_i | remove_i}", "{add_i}")),
    (
        RANGES,
        Mutation(RANGES_FILE, "current_q & ~({", "current_q & {NumRanges{add_from_q != '0}} & ~({"),
    ),
    (SORTED, Mutation(RANGES_FILE, "added = added << 1;", "added = added;")),
    (
        ARRIVAL,
        Mutation(ARRIVAL_FILE, "found_q.last <= found_q.room", "found_q.last < found_q.room"),
    ),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "~found_q.last[31] & (", "(")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (m.ahead_of_nxt) block_o.nxt", "block_o.nxt")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "ack_sent & (found_q.unacked != '0)", "ack_sent")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "flags.urg & (block_2_i.state == SynSent)", "flags.urg")),
    (RING, Mutation(RING_FILE, "> RingBytes +", ">= RingBytes +")),
    (RING, Mutation(RING_FILE, "skip - 14'(DataBytes) : '0", "skip - 14'd1 : '0")),
    (RING, Mutation(RING_FILE, "write_position_o + PositionWidth'(DataBytes)", "'0")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "meaning.reset = is_next;", "meaning.reset = 1'b1;")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (m.timed | m.opened) block_o.backoff", "block_o.backoff")),
    (
        ARRIVAL,
        Mutation(ARRIVAL_FILE, "(~occupies & ~(one_before & ack_sent & ~ack_old))", "~occupies"),
    ),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "& ~report & ~repeated_syn;", "& ~report;")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "[31] & ~found_q.ts_old)", "[31])")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (m.past_mark)", "if (0)")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (segment_2_i.sack_only & ~flags.syn)", "if (0)")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "found_q.seq[31]) & found_q.freed &", "found_q.seq[31]) &")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "(fresh | ~found_q.ack_same)", "fresh")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "found_q.seq[31] & found_q.seq >= -", "found_q.seq >= -")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "near & ~stale_block;", "near;")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "m.in_order & m.new_bytes", "m.in_order & m.bytes & ~m.fin")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (reaches_i & ~m.fin)", "if (reaches_i)")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "block_o.write_served = ~block_3_i.write_served;", "")),
    (
        ARRIVAL,
        Mutation(
            ARRIVAL_FILE, "m.recovered & (block_3_i.timer == TimerRetransmit);", "m.recovered;"
        ),
    ),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (~m.new_ack) begin", "begin")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "(found_q.all_written & ~fin_in_window)", "1'b0")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "& by_bytes & fin_in_window;", "& by_bytes;")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "fin_due & (open_window | block_2_i.probe);", "fin_due;")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "(has_bytes | fin_due) & idle;", "has_bytes & idle;")),
    (
        DEPARTURE,
        Mutation(DEPARTURE_FILE, "(~m.probe & (block_3_i.timer == TimerPersist))", "1'b0"),
    ),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "'0 : block_3_i.rcv_nxt;", "'0 : block_3_i.adv_edge;")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "!(state inside {Closed, Ended, SynSent})", "1'b1")),
    (
        DEPARTURE,
        Mutation(DEPARTURE_FILE, "bytes_in_window = unsent <= window", "bytes_in_window = 1'b1"),
    ),
    (
        DEPARTURE,
        Mutation(DEPARTURE_FILE, "& (requests_i.close_position == requests_i.send_end)", ""),
    ),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "sent < mss;", "1'b1;")),
    (
        DEPARTURE,
        Mutation(DEPARTURE_FILE, "m.closed ? block_3_i.una : block_3_i.max", "block_3_i.max"),
    ),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "m.keeps ? m.kept_window : m.window", "m.window")),
    (
        DEPARTURE,
        Mutation(
            DEPARTURE_FILE,
            "(block_3_i.state inside {Closed, Ended, SynSent}",
            "(block_3_i.state inside {SynSent}",
        ),
    ),
    (
        DEPARTURE,
        Mutation(
            DEPARTURE_FILE, "block_3_i.ack_now | (m.update & ~unchanged)", "m.update & ~unchanged"
        ),
    ),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "block_o.write_served = requests_3_i.write_toggle;", "")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "hole_length_2_i > block_2_i.mss :", "1'b1 :")),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "if (edge_ < 0) return '0;", "")),
    (
        DEPARTURE,
        Mutation(
            DEPARTURE_FILE,
            "opened: requests_i.release_edge - block_i.adv_edge",
            "opened: distance_t'(receive_t'(requests_i.release_edge - block_i.adv_edge))",
        ),
    ),
    (DEPARTURE, Mutation(DEPARTURE_FILE, "(peer_closed & (&found_q", "((&found_q")),
    (EXPIRY, Mutation(EXPIRY_FILE, "block_o.fin_waits = block_i.fin_waits & ~fin_due;", "")),
    (EXPIRY, Mutation(EXPIRY_FILE, "= block_i.fin_waits & fin_due_i", "= fin_due_i")),
    (EXPIRY, Mutation(EXPIRY_FILE, "block_o.rcv_nxt = block_i.rcv_nxt + 32'd1;", "")),
    (EXPIRY, Mutation(EXPIRY_FILE, "block_o.recover = block_i.max;", "block_o.max = block_i.una;")),
    (SESSION_REQUESTS, Mutation(REQUESTS_FILE, ".data_i(~open_i),", ".data_i(1'b1),")),
    (TCP_CORE, Mutation(SCHEDULER_FILE, "(kind_2_o != ActionNone & same(index, index_2_o)) |", "")),
    (TCP_CORE, Mutation(SCHEDULER_FILE, "(renews_4_i & same(index, index_4_o))", "1'b0")),
    (TCP_CORE, Mutation(SCHEDULER_FILE, "(orders_4_i | renews_4_i)", "orders_4_i")),
    (
        TCP_CORE,
        Mutation(SCHEDULER_FILE, "(kind_1_o != ActionNone & index_1_o == next_index) |", ""),
    ),
    (TCP_CORE, Mutation(TCP_CORE_FILE, "clearing_q ? clear_q : index_3_q", "clear_q")),
    (
        TCP_CORE,
        Mutation(
            TCP_CORE_FILE,
            "departure_o.session <= session_t'(index_3_q);",
            "departure_o.session <= session_t'(index_4_q);",
        ),
    ),
    (
        TCP_CORE,
        Mutation(
            TCP_CORE_FILE,
            "opened.rcv_nxt = arrival_3_q.segment.seq + 32'd1;",
            "opened.rcv_nxt = arrival_3_q.segment.seq;",
        ),
    ),
    (TCP_CORE, Mutation(TCP_CORE_FILE, "arrives & new_ack ? ack_end_q : una_end_q", "ack_end_q")),
    (TCP_CORE, Mutation(TCP_CORE_FILE, "& ~reports & ~arrival_3_q.segment.sack_only &", "&")),
    (
        TCP_CORE,
        Mutation(TCP_CORE_FILE, "start: arrival_3_q.segment.seq", "start: block_3_q.rcv_nxt"),
    ),
    (TCP_CORE, Mutation(TCP_CORE_FILE, "keep: arrives & keep", "keep: keep")),
    (
        TCP_CORE,
        Mutation(SCHEDULER_FILE, "is_free(arrival_i) & report_room_i", "is_free(arrival_i)"),
    ),
    (DELIVER, Mutation(DELIVER_FILE, "wire keeps = passes & first.keep;", "wire keeps = passes;")),
    (DELIVER, Mutation(DELIVER_FILE, "loses | (passes & (~keeps | ready))", "loses | passes")),
    (DELIVER, Mutation(DELIVER_FILE, "loses = order_valid_i & ~order_i", "loses = ~order_i")),
    (
        DELIVER,
        Mutation(DELIVER_FILE, "& first.arrival & ~event_pending_q &", "& ~event_pending_q &"),
    ),
    (DELIVER, Mutation(DELIVER_FILE, "(~opens | opened_q);", "1'b1;")),
    (DELIVER, Mutation(DELIVER_FILE, "ends & order_i & (opens", "ends & (opens")),
    (DELIVER, Mutation(DELIVER_FILE, "wire ends = taken & payload_i.last;", "wire ends = taken;")),
    (
        DELIVER,
        Mutation(DELIVER_FILE, "first.has_event & (event_pending_q |", "first.has_event & (1'b1 |"),
    ),
    (
        DELIVER,
        Mutation(DELIVER_FILE, "outcome.verdict.start - 32'(", "outcome.verdict.start + 32'("),
    ),
    (DELIVER, Mutation(DELIVER_FILE, "outcome.verdict.skip + 14'(payload_header_i)", "'0")),
    (
        DELIVER,
        Mutation(DELIVER_FILE, "session: outcome.verdict.session", "session: '0"),
    ),
    (DELIVER, Mutation(DELIVER_FILE, "keep: verdict_i.keep,", "keep: verdict_valid_i,")),
    (
        DELIVER,
        Mutation(
            DELIVER_FILE,
            "has_event: report_valid_i,",
            "has_event: report_valid_i & ~verdict_valid_i,",
        ),
    ),
    (
        DELIVER,
        Mutation(DELIVER_FILE, "report: report_i, tuple: tuple_i", "report: report_i, tuple: '0"),
    ),
    (DELIVER, Mutation(DELIVER_FILE, "waiting_q < 6'd20", "waiting_q < 6'd30")),
    (DELIVER, Mutation(DELIVER_FILE, "missed_valid_i & ~has_outcome", "missed_valid_i")),
    (DELIVER, Mutation(DELIVER_FILE, "outcome_valid & ~missed_first_q", "outcome_valid")),
    (BYPASS, Mutation(BYPASS_FILE, "first ? ~found : ~found_q", "~found")),
    (BYPASS, Mutation(BYPASS_FILE, "first ? next : next_q", "next")),
    (BYPASS, Mutation(BYPASS_FILE, "in_valid_i & ~drop", "in_valid_i")),
    (
        BYPASS,
        Mutation(BYPASS_FILE, "wire taken = in_valid_i & in_ready_o", "wire taken = in_valid_i"),
    ),
    (BYPASS, Mutation(BYPASS_FILE, "? data_meta.port : event_meta.port", "? event_meta.port : '0")),
    (BYPASS, Mutation(BYPASS_FILE, ".last_i (in_i.last)", ".last_i (1'b1)")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "<= &used[RowWidth-1:3];", "<= &used[RowWidth-1:2];")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "used = write_q - kept_q", "used = write_q - sent_q")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "if (~late_q & ~late_i) kept_q", "kept_q")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "fetch & fetch_last & head_late", "fetch & head_late")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "= late_q | crowded_q;", "= crowded_q;")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "& (row != write_q) &", "&")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "begun_q ? row_q : head.row", "head.row")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "in_i.bytes > count_t'", "in_i.bytes >= count_t'")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "two ? after_q + row_t'(1) : after_q", "after_q")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "joins_q & ~upper ? after_q", "joins_q & upper ? after_q")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "+ 32'(w) >= 32'(Words)", "+ 32'(w) > 32'(Words)")),
    (PAYLOAD, Mutation(PAYLOAD_FILE, "offset[1:0] == '0 ? from : from", "from")),
    (
        PAYLOAD,
        Mutation(PAYLOAD_FILE, "read_ready = ~out_valid_o | out_ready_i", "read_ready = 1'b1"),
    ),
    (WIDE_PAYLOAD, Mutation(PAYLOAD_FILE, "rotated(fine_q, 4 * s)", "rotated(fine_q, 3 * s)")),
    (SESSION_REQUESTS, Mutation(REQUESTS_FILE, "begins ? open_session_i : session_i", "session_i")),
    (
        SESSION_REQUESTS,
        Mutation(REQUESTS_FILE, "(begins ? open_receive_i : position_i)", "position_i"),
    ),
    (
        SESSION_REQUESTS,
        Mutation(
            REQUESTS_FILE, "open_i | request_i == RequestWritable", "request_i == RequestWritable"
        ),
    ),
    (WITNESS, Mutation("vr_control", "if (~active | header_i.earlier)", "if (~active)")),
    (WITNESS, Mutation("vr_control", "if (~is_normal | header_i.later)", "if (header_i.later)")),
    (
        WITNESS,
        Mutation(
            "vr_control",
            "(group_off | header_i.earlier | ~facts_i.from",
            "(group_off | ~facts_i.from",
        ),
    ),
    (WITNESS, Mutation("vr_replica", "& (word_i[1] == nonce_i)", "")),
    (WITNESS, Mutation("vr_replica", "(num_votes > {1'b0, quorum}) & reached_q", "reached_q")),
    (
        WITNESS,
        Mutation(
            "vr_control", "last_request) begin if (facts_i.no_room)", "last_request) begin if (0)"
        ),
    ),
    (
        WITNESS,
        Mutation("vr_replica", "clean_o = header_i.clean_is_later ? committed_q : ", "clean_o = "),
    ),
    (WITNESS, Mutation("vr_header", "op <= last_i", "op <= last_i + 1")),
    (WITNESS, Mutation("vr_header", "count_t'(held_from_start) + 1'b1", "'0")),
)
