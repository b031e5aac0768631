# SPDX-License-Identifier: Apache-2.0
"""Copies of RTL with one mistake each, and the proof that must fail for it."""

from __future__ import annotations

from tests.platform.formal.broken_layers import BROKEN_LAYERS
from tests.platform.formal.proofs import (
    ASYNC,
    CHOICE,
    CLUSTER_ROUTER,
    CRC_WORDS,
    CROSSPOINT,
    DROPPING,
    EARLY,
    ENTRY,
    FIFO,
    FLOW_CONTROL,
    FRAMES,
    FRAMES_FROM_MAC,
    HUB,
    LANES,
    LINK,
    LINK_CREDIT,
    LINK_RETRY,
    LINK_RING,
    LOCAL_OUTPUT,
    MERGE,
    MESSAGE_REGISTER,
    OCCUPANCY,
    OUTPUT,
    OUTPUT_STAGE,
    POOL,
    QUEUE,
    RESETS,
    RETURNS,
    ROUTER,
    ROUTER_IN_CORNER,
    SKID_BUFFER,
    STAGE_FIFO,
    STAGE_REGISTER,
    STAGE_SKID,
    STREAM_REGISTER,
    TWO_LANES,
    VC_INPUT,
    VC_OUTPUT,
    VC_ROUTER,
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
STREAM_REGISTER_FILE = "stream_register"
SKID_BUFFER_FILE = "skid_buffer"
MESSAGE_FILE = "message_register"
STAGE_FILE = "stream_stage"
OUTPUT_STAGE_FILE = "output_stage"
DROP_FILE = "drop_register"
SENDER = "cluster_link_transmit"
RETRY = "cluster_link_retry"
RECEIVER = "cluster_link_receive"
RING = "cluster_link_ring"

BROKEN_PLATFORM = (
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
    (HUB, Mutation(HUB_FILE, "reserved_q ? last_q : next;", "next;")),
    (HUB, Mutation(HUB_FILE, "request_q & (~open_q | responds)", "request_q")),
    (HUB, Mutation(HUB_FILE, " | (read_q & ~finished);", ";")),
    (
        HUB,
        Mutation(HUB_FILE, "assign accepts = has_room & ~reading_q", "assign accepts = has_room"),
    ),
    (HUB, Mutation(HUB_FILE, "if (~read_q) response_o", "response_o")),
    (HUB, Mutation(HUB_FILE, "last_q <= grant", "last_q <= '0")),
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
    (ROUTER, Mutation(ROUTER_FILE, "request_of(in_i[i].dir)", "request_of(in_i[1].dir)")),
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
    (
        CLUSTER_ROUTER,
        Mutation("cluster_router", "locked_q <= ~named[sel].last;", "locked_q <= 1'b0;"),
    ),
    (
        CLUSTER_ROUTER,
        Mutation(
            "cluster_router", "wire moves = ~out_valid_o[o] | out_ready_i[o];", "wire moves = 1'b1;"
        ),
    ),
    (
        CLUSTER_ROUTER,
        Mutation("cluster_router", "ports[i] = inside_q[i] ? ports_q :", "ports[i] ="),
    ),
    (
        CLUSTER_ROUTER,
        Mutation("cluster_router", "ports_q <= drops[i] ? '0 : ports[i];", "ports_q <= ports[i];"),
    ),
    (CLUSTER_ROUTER, Mutation("cluster_router", "waits_q <= first_q;", "waits_q <= 1'b1;")),
    (
        FLOW_CONTROL,
        Mutation(
            "cluster_flow_control", "returned = total_t'(granted) + total_t'(leaving_amount);", ""
        ),
    ),
    (FLOW_CONTROL, Mutation("cluster_flow_control", "32'(free_q) >= FlowStride", "1'b1")),
    (FLOW_CONTROL, Mutation("cluster_flow_control", "~is_queued & ~(is_next & ~commits)", "1'b1")),
    (FLOW_CONTROL, Mutation("cluster_flow_control", "& theirs.credit != ours.sent;", ";")),
    (
        FLOW_CONTROL,
        Mutation("cluster_flow_control", "32'(control.amount) <= 32'(granted)", "1'b1"),
    ),
    (FLOW_CONTROL, Mutation("cluster_flow_control", "& ~commits & ~replaces", "")),
    (
        FLOW_CONTROL,
        Mutation(
            "cluster_flow_control", "is_closed) scan_returns_q <= 1'b0", "is_closed) begin end"
        ),
    ),
    (
        LINK_RING,
        Mutation(RING, "number_t'(write_q - read_q) >= number_t'(BufferBeats)", "1'b0"),
    ),
    (LINK_RING, Mutation(RECEIVER, "~checked_q.overflow & ~adopting", "~adopting")),
    (LINK_RING, Mutation(RECEIVER, "arrived_valid_q & ~kill_q;", "arrived_valid_q;")),
    (LINK_RING, Mutation(RECEIVER, "ended == '0 & ~decides", "ended == '0")),
    (LINK_RING, Mutation(RECEIVER, "(listens_i | early_q)", "listens_i")),
    (LINK_RING, Mutation(RING, "over ? commit_q : fetch_q", "fetch_q")),
    (LINK_RING, Mutation(RING, "gives & (inside_q | good) :", "gives :")),
    (LINK_RING, Mutation(RING, "taken_q <= accepted_q;", "")),
    (LINK_CREDIT, Mutation(SENDER, "Margin = count_t'(3)", "Margin = count_t'(1)")),
    (LINK_CREDIT, Mutation(SENDER, "steps[1] ? two : steps[0] ? one : none", "none")),
    (LINK_CREDIT, Mutation(RETRY, "~credit_i[11] & (credit_i", "(credit_i")),
    (LINK_CREDIT, Mutation(RETRY, "count_t'(length) >> WordShift", "'0")),
    (LINK_RETRY, Mutation(RECEIVER, "packet_ends & end_good &", "packet_ends &")),
    (LINK_RETRY, Mutation(RECEIVER, "expected: expected_q", "expected: seq_q")),
    (LINK_RETRY, Mutation(RETRY, "? write_q : write_q + 1'b1", "? write_q : write_q")),
    (LINK_RETRY, Mutation(RETRY, "starts[seek_q]", "free_q")),
    (OUTPUT_STAGE, Mutation(OUTPUT_STAGE_FILE, "last: in_i.last", "last: 1'b1")),
    (OUTPUT_STAGE, Mutation(OUTPUT_STAGE_FILE, "out_next_o = head.next", "out_next_o = '0")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "dropping_q <= drop;", "dropping_q <= 1'b0;")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "(in_valid_i & ~drop)", "(in_valid_i & ~dropping_q)")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "in_first_i ? in_next_i : next_q", "in_next_i")),
    (OUTPUT_STAGE, Mutation(DROP_FILE, "(taken & in_first_i) ? in_drop_i", "taken ? in_drop_i")),
    (CRC_WORDS, Mutation("crc_words", "column = advance(column)", "column = retreat(column)")),
    (CRC_WORDS, Mutation("cluster_crc_pkg", "n > bits", "n >= bits")),
)

BROKEN = (*BROKEN_PLATFORM, *BROKEN_LAYERS)
