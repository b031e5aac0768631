# SPDX-License-Identifier: Apache-2.0
"""Copies of RTL with one mistake each, and the proof that must fail for it."""

from __future__ import annotations

from tests.platform.formal.proofs import (
    ARRIVAL,
    ASYNC,
    BYPASS,
    CHOICE,
    CORE,
    CROSSPOINT,
    CSRS,
    DELIVER,
    DEPARTURE,
    DIVIDE,
    DROPPING,
    EARLY,
    ENTRY,
    EXPIRY,
    FEW_SESSIONS,
    FIFO,
    FRAMES,
    FRAMES_FROM_MAC,
    HUB,
    LANES,
    LINK,
    LOCAL_OUTPUT,
    MERGE,
    MESSAGE_REGISTER,
    MULDIV,
    MULTIPLY,
    OCCUPANCY,
    OUTPUT,
    OUTPUT_STAGE,
    PAYLOAD,
    POOL,
    PROGRAM,
    QUEUE,
    RANGES,
    RESETS,
    RETURNS,
    RING,
    ROUTER,
    ROUTER_IN_CORNER,
    SESSION_REQUESTS,
    SESSIONS,
    SKID_BUFFER,
    SORTED,
    STAGE_FIFO,
    STAGE_REGISTER,
    STAGE_SKID,
    STREAM_REGISTER,
    TCP_CORE,
    TWO_LANES,
    VC_INPUT,
    VC_OUTPUT,
    VC_ROUTER,
    WIDE_PAYLOAD,
    WINDOW,
)
from tests.support.rtl_files import Mutation

HEAD_FIFO = "head_fifo"
STREAM_MERGE = "stream_merge"
ROUND_ROBIN = "round_robin"
HUB_FILE = "register_hub"
ROUTER_FILE = "router_wormhole"
NOC_PKG = "noc_pkg"
CROSSPOINT_FILE = "router_crosspoint"
LANE_FILE = "queue_lane"
QUEUE_FILE = "laned_queue"
INPUT_FILE = "crosspoint_input"
OUTPUT_FILE = "crosspoint_output"
SERVICE_ORDER = "service_order"
VC_ROUTER_FILE = "router_virtual_channels"
CORE_FILE = "rpu_core"
FETCH_FILE = "rpu_fetch"
CSR_FILE = "rpu_csr"
MULTIPLY_FILE = "rpu_multiply"
DIVIDE_FILE = "rpu_divide"
VC_INPUT_FILE = "vc_input"
VC_CHOICE_FILE = "vc_choice"
VC_OUTPUT_FILE = "vc_output"
WINDOW_FILE = "credit_limit"
RETURNS_FILE = "credit_returns"
POOL_FILE = "credit_pool"
ASYNC_FIFO = "async_fifo"
COUNT_CROSSING = "count_crossing"
HANDSHAKE = "reset_handshake"
CROSSING = "frame_crossing"
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
STREAM_REGISTER_FILE = "stream_register"
SKID_BUFFER_FILE = "skid_buffer"
MESSAGE_FILE = "message_register"
STAGE_FILE = "stream_stage"
OUTPUT_STAGE_FILE = "output_stage"
DROP_FILE = "drop_register"

BROKEN = (
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
    (ARRIVAL, Mutation(ARRIVAL_FILE, "if (segment_2_i.sack_only)", "if (0)")),
    (ARRIVAL, Mutation(ARRIVAL_FILE, "(fresh | found_q.acked != '0)", "fresh")),
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
    (EXPIRY, Mutation(EXPIRY_FILE, "block_o.fin_waits = 1'b0;", "")),
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
    (FIFO, Mutation(HEAD_FIFO, "(next_addr(write_q) == read_q)", "(write_q == read_q)")),
    (FIFO, Mutation(HEAD_FIFO, "push | (valid_q & (more | ~pop))", "push | (valid_q & more)")),
    (FIFO, Mutation(HEAD_FIFO, "(valid_q & more) ?", "valid_q ?")),
    (FIFO, Mutation(HEAD_FIFO, "ready_q <= 1'b1; write_q", "write_q")),
    (MERGE, Mutation(STREAM_MERGE, "(out_ready_i[sel] & out_o.last)", "1'b1")),
    (MERGE, Mutation(STREAM_MERGE, "~(out_ready_i[sel] & out_o.last)", "~out_o.last")),
    (MERGE, Mutation(ROUND_ROBIN, "k = NumInputs; k > 0; k--", "k = 1; k <= NumInputs; k++")),
    (MERGE, Mutation(ROUND_ROBIN, "n < NumInputs; n++", "n < NumInputs - 1; n++")),
    (MERGE, Mutation(STREAM_MERGE, "locked_q ? sel_q == sel_t'(n) : wins[n]", "wins[n]")),
    (HUB, Mutation(HUB_FILE, "if (~reading_q) reader_q", "reader_q")),
    (HUB, Mutation(HUB_FILE, "request_q & (~open_q | responds)", "request_q")),
    (HUB, Mutation(HUB_FILE, " | (read_q & ~finished);", ";")),
    (
        HUB,
        Mutation(HUB_FILE, "assign accepts = has_room & ~reading_q", "assign accepts = has_room"),
    ),
    (HUB, Mutation(HUB_FILE, "if (~read_q) response_o", "response_o")),
    (HUB, Mutation(HUB_FILE, "else if (takes) last_q <= grant", "else if (takes) last_q <= '0")),
    (ROUTER, Mutation(STREAM_MERGE, "(out_ready_i[sel] & out_o.last)", "out_ready_i[sel]")),
    (
        ROUTER,
        Mutation(
            "noc_pkg",
            "return y_south ? DirSouth : DirNorth",
            "return DirSouth",
        ),
    ),
    (ROUTER, Mutation(STREAM_MERGE, "locked_q ? sel_q == sel_t'(n) : wins[n]", "wins[n]")),
    (ROUTER, Mutation(ROUTER_FILE, "request: in_request[i]", "request: in_request[0]")),
    (ROUTER_IN_CORNER, Mutation(ROUTER_FILE, ".flit.dir = next_dir(o,", ".flit.dir = next_dir(0,")),
    (
        ROUTER_IN_CORNER,
        Mutation(STREAM_MERGE, "in_ready_o[0] = out_ready_i[0]", "in_ready_o[0] = 1'b0"),
    ),
    (
        ROUTER_IN_CORNER,
        Mutation(STREAM_MERGE, "= in_valid_i[0];", "= in_valid_i[0] & out_ready_i[0];"),
    ),
    (QUEUE, Mutation(LANE_FILE, "(valid_q & more) ?", "valid_q ?")),
    (QUEUE, Mutation(LANE_FILE, "if (push_i) write_q", "write_q")),
    (QUEUE, Mutation(LANE_FILE, "level_t'(1);", "'0;")),
    (LANES, Mutation(QUEUE_FILE, "read_addr = AddrWidth'(l * LaneDepth) |", "read_addr =")),
    (
        LANES,
        Mutation(QUEUE_FILE, "'(lane_write_addr[l])", "'(lane_write_addr[0])"),
    ),
    (OUTPUT, Mutation(OUTPUT_FILE, "locked_q <= ~last;", "locked_q <= 1'b0;")),
    (OUTPUT, Mutation(OUTPUT_FILE, "|(next_channels & out_ready_i)", "|next_channels")),
    (OUTPUT, Mutation(OUTPUT_FILE, "~long_q | ~|(next_channels", "1'b1 | ~|(next_channels")),
    (OUTPUT, Mutation(OUTPUT_FILE, "CountWidth'(MaxPacket - 1)", "CountWidth'(MaxPacket)")),
    (OUTPUT, Mutation(SERVICE_ORDER, "before_o[i][j] <= i != j;", "before_o[i][j] <= 1'b0;")),
    (OUTPUT, Mutation(OUTPUT_FILE, ".served_i (step_o & ~locked_q)", ".served_i (1'b0)")),
    (LOCAL_OUTPUT, Mutation(OUTPUT_FILE, "~valid_q | out_ready_i[0] :", "1'b1 :")),
    (ENTRY, Mutation(INPUT_FILE, "32'(room[c]) > MaxPacket", "32'(room[c]) >= MaxPacket")),
    (ENTRY, Mutation(INPUT_FILE, "room[c] > level_t'(1)", "room[c] != '0")),
    (LINK, Mutation(INPUT_FILE, "32'(room[c]) > MaxPacket", "32'(room[c]) > MaxPacket + 1")),
    (ENTRY, Mutation(INPUT_FILE, "first ? choice : choice_q", "choice")),
    (ENTRY, Mutation(INPUT_FILE, "horizontal : vertical", "vertical : horizontal")),
    (CHOICE, Mutation(INPUT_FILE, "|(horizontal & has_room) & (", "1'b1 & (")),
    (TWO_LANES, Mutation(INPUT_FILE, "$clog2(Depth / 4) : 0", "0 : 0")),
    (TWO_LANES, Mutation(INPUT_FILE, "(level_i[h] >> Coarse) <=", "level_i[h] <")),
    (TWO_LANES, Mutation(INPUT_FILE, "(is_shorter | ~|(vertical & has_room))", "is_shorter")),
    (DROPPING, Mutation(INPUT_FILE, "first ? ~fits : refused_q", "~fits")),
    (DROPPING, Mutation(INPUT_FILE, "in_valid_i & first & refused", "in_valid_i & refused")),
    (DROPPING, Mutation(INPUT_FILE, "LengthWidth'(FlitBytes - 1)", "LengthWidth'(0)")),
    (LINK, Mutation(NOC_PKG, "CrosspointLate = 2", "CrosspointLate = 1")),
    (LINK, Mutation(OUTPUT_FILE, "~long_q | ~|(next_channels", "1'b1 | ~|(next_channels")),
    (
        LINK,
        Mutation(OUTPUT_FILE, "~|(next_channels & ~out_ready_i)", "|(next_channels & out_ready_i)"),
    ),
    (WINDOW, Mutation(WINDOW_FILE, "if (taken_i) inside_q <= ~last_i", "inside_q <= 1'b0")),
    (WINDOW, Mutation(WINDOW_FILE, "{1'b0, credits_i};", "{1'b0, credits_i} + 1'b1;")),
    (EARLY, Mutation(WINDOW_FILE, "start ? $signed({2'b0, length_i}) <= spare :", "")),
    (WINDOW, Mutation(WINDOW_FILE, "start ? rest + length_i : rest", "rest")),
    (EARLY, Mutation(WINDOW_FILE, "valid_i & ~taken_i & fits", "valid_i & fits")),
    (OCCUPANCY, Mutation("occupancy", "enter_q & ~leave_q", "enter_q")),
    (
        OCCUPANCY,
        Mutation("occupancy", "level_o != '0 | enter_q", "level_o != '0"),
    ),
    (RETURNS, Mutation(RETURNS_FILE, "held = (idle_q ? '0 : inside_q)", "held = inside_q")),
    (RETURNS, Mutation(RETURNS_FILE, " - count_t'(sent_q)", "")),
    (RETURNS, Mutation(RETURNS_FILE, "left & ~exited_q & ~lost_q", "1'b0")),
    (RETURNS, Mutation(RETURNS_FILE, "pending_q + stale_q + change", "pending_q + change")),
    (POOL, Mutation(POOL_FILE, "free_q >= count_t'(2 * NumSources)", "free_q != '0")),
    (POOL, Mutation(POOL_FILE, " - count_t'(grant[s])", "")),
    (POOL, Mutation(POOL_FILE, "granted[0] = free_q != '0", "granted[0] = 1'b1")),
    (CROSSPOINT, Mutation(CROSSPOINT_FILE, "($clog2(NumInputs))'(n)", "'0")),
    (CROSSPOINT, Mutation(INPUT_FILE, "assign open_o = open", "assign open_o = has_room")),
    (CROSSPOINT, Mutation(CROSSPOINT_FILE, "valid & {NumLanes{step[o]}}", "valid")),
    (VC_INPUT, Mutation(VC_INPUT_FILE, "level_t'(Depth - 1)", "level_t'(Depth)")),
    (
        VC_INPUT,
        Mutation(VC_INPUT_FILE, "request_channel_o |= channel_q[l]", "request_channel_o = '1"),
    ),
    (VC_INPUT, Mutation(VC_INPUT_FILE, "if (pop[l] & ~inside_q[l])", "if (pop[l])")),
    (VC_INPUT, Mutation(VC_INPUT_FILE, "channel_q[l] & room_i[o]", "channel_q[l]")),
    (VC_INPUT, Mutation(VC_INPUT_FILE, "request_channel_o & room_i[o]", "request_channel_o")),
    (VC_INPUT, Mutation(VC_INPUT_FILE, "granted_i ? choice : '0", "choice")),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "urgent[a] != urgent[b]", "1'b0")),
    (
        VC_INPUT,
        Mutation(VC_CHOICE_FILE, "if (continues & ~|(can_i & urgent & ~chosen_q))", "if (0)"),
    ),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "continues & ~|(can_i & urgent & ~chosen_q)", "continues")),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "can_i & ~chosen_q;", "can_i;")),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "arriving = arrives_i & ~valid_i", "arriving = '0")),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "waiting  = valid_i & ~chosen_q", "waiting = '0")),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "waits[a] != waits[b]", "1'b0")),
    (VC_INPUT, Mutation(VC_CHOICE_FILE, "|(choice_o & keep_q)", "|keep_q")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "room_i & ~held_q", "room_i")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "held[c] = 1'b0", "held = '0")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "(open & ~(channels_t'('1) << c)) == '0", "1'b1")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "claim_i ? ~free : '0", "'0")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "continues_i[a] | (order", "1'b0 | (order")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "& ~continues_i[b]", "")),
    (VC_OUTPUT, Mutation(VC_OUTPUT_FILE, "grant_o & first_i", "grant_o & last_i")),
    (VC_ROUTER, Mutation(VC_ROUTER_FILE, "free_entries_q[0];", "1'b1;")),
    (VC_ROUTER, Mutation(VC_OUTPUT_FILE, "grant_o & first_i", "'0")),
    (VC_ROUTER, Mutation(VC_CHOICE_FILE, "urgent[a] != urgent[b]", "1'b0")),
    (VC_ROUTER, Mutation(VC_OUTPUT_FILE, "claim_i ? ~free : '0", "'0")),
    (VC_ROUTER, Mutation(VC_ROUTER_FILE, "(candidate[select].beat.last)", "(1'b0)")),
    (ASYNC, Mutation(COUNT_CROSSING, "binary ^ (binary >> 1)", "binary")),
    (ASYNC, Mutation(COUNT_CROSSING, "src_count_o + Width'(src_step_i)", "src_count_o + 1'b1")),
    (ASYNC, Mutation(ASYNC_FIFO, "is_full = push ?", "is_full = 1'b0 ?")),
    (ASYNC, Mutation(ASYNC_FIFO, "write + 1'b1", "write - 1'b1")),
    (ASYNC, Mutation(ASYNC_FIFO, "{2'b11,", "{2'b10,")),
    (ASYNC, Mutation(ASYNC_FIFO, "& (~out_valid_o | out_ready_i)", "")),
    (ASYNC, Mutation(ASYNC_FIFO, "if (out_ready_i) out_valid_o <= 1'b0", "out_valid_o <= 1'b0")),
    (
        ASYNC,
        Mutation(
            ASYNC_FIFO, "if (out_ready_i) out_valid_o <= 1'b0", "if (1'b0) out_valid_o <= 1'b0"
        ),
    ),
    (ASYNC, Mutation(ASYNC_FIFO, "in_valid_i & in_ready_o", "in_valid_i")),
    (ASYNC, Mutation(ASYNC_FIFO, ".src_step_i (fetch)", ".src_step_i (out_ready_i)")),
    (
        RESETS,
        Mutation(HANDSHAKE, "if (held_seen & ~src_rst_i) state_q <= Clear", "state_q <= Clear"),
    ),
    (RESETS, Mutation(HANDSHAKE, "if (~held_seen) state_q <= reset", "state_q <= reset")),
    (RESETS, Mutation(HANDSHAKE, "stop_seen & (held_q", "(held_q")),
    (RESETS, Mutation(HANDSHAKE, "reset ? Stop : Run", "Run")),
    (RESETS, Mutation(HANDSHAKE, ".src_i({request_q, held_q})", ".src_i({held_q, request_q})")),
    (FRAMES, Mutation(CROSSING, "& stored.last)", ")")),
    (FRAMES, Mutation(CROSSING, "(out_tready_i & (out_inside_q | start))", "out_tready_i")),
    (FRAMES_FROM_MAC, Mutation(CROSSING, "last: in_tlast_i | too_long", "last: in_tlast_i")),
    (FRAMES_FROM_MAC, Mutation(CROSSING, "dropping | cut", "dropping")),
    (FRAMES_FROM_MAC, Mutation(CROSSING, "(in_tlast_i & in_tuser_i) | too_long", "in_tuser_i")),
    (FRAMES_FROM_MAC, Mutation(CROSSING, "Depth - LongestBeats - 2", "Depth - 1")),
    (STREAM_REGISTER, Mutation(STREAM_REGISTER_FILE, "= ~out_valid_o | out_ready_i;", "= 1'b1;")),
    (
        STREAM_REGISTER,
        Mutation(STREAM_REGISTER_FILE, "= ~out_valid_o | out_ready_i;", "= ~out_valid_o;"),
    ),
    (STREAM_REGISTER, Mutation(STREAM_REGISTER_FILE, "if (in_ready_o) out_o", "out_o")),
    (SKID_BUFFER, Mutation(SKID_BUFFER_FILE, "in_ready_o ? in_i : spare_q", "in_i")),
    (SKID_BUFFER, Mutation(SKID_BUFFER_FILE, "if (in_ready_o) spare_q", "spare_q")),
    (SKID_BUFFER, Mutation(SKID_BUFFER_FILE, "moves | (in_ready_o & ~in_valid_i)", "moves")),
    (SKID_BUFFER, Mutation(SKID_BUFFER_FILE, "in_valid_i | ~in_ready_o;", "in_valid_i;")),
    (MESSAGE_REGISTER, Mutation(MESSAGE_FILE, "beat.last = 1'b1;", "")),
    (MESSAGE_REGISTER, Mutation(MESSAGE_FILE, "'(Kind);", "'(1);")),
    (
        STAGE_REGISTER,
        Mutation(STAGE_FILE, "out_head_o = out.head", "out_head_o = '0"),
    ),
    (STAGE_SKID, Mutation(STAGE_FILE, "body: in_body_i}", "body: '0}")),
    (STAGE_FIFO, Mutation(HEAD_FIFO, "(next_addr(write_q) == read_q)", "1'b1")),
    (OUTPUT_STAGE, Mutation(OUTPUT_STAGE_FILE, "last: in_i.last", "last: 1'b1")),
    (OUTPUT_STAGE, Mutation(OUTPUT_STAGE_FILE, "out_next_o = head.next", "out_next_o = '0")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "dropping_q <= drop;", "dropping_q <= 1'b0;")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "(in_valid_i & ~drop)", "(in_valid_i & ~dropping_q)")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "in_first_i ? in_next_i : next_q", "in_next_i")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "(taken & in_first_i) ? in_drop_i", "taken ? in_drop_i")),
)
