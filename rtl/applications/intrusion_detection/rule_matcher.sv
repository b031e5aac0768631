// SPDX-License-Identifier: Apache-2.0
// Accelerator of a packet processor: matches frames against intrusion-detection rules. Registers
// write its tables at run time.
//
// A TCP segment is joined to the bytes before it in its stream (ids_flows). A fragment of each rule
// is searched at every position of a payload (ids_scan, ids_find), then the rule is checked
// (ids_check, which defines the verdict). The first hits of the packet in slot n are words on the
// bus, at 64 n + 8 h for hit h: the sid, then the row of the rule, with bit 31 set for an exact
// rule. NumSlots and SlotBytes are those of the rpu in the same tile. The register hit holds all
// hits, and packets that are unchecked, for software: up to 256 unread ones.
//
// From 0x4000 on, at 256 op + 4 n, the firmware sends requests for its slot n (ask_e). A read at
// 0x4000 returns another verdict, for a segment that was ahead; a read at 0x4100 too, skipping the
// missing bytes. A write at these addresses only starts the request, and a read at 0x4400 waits for
// its result. A write at 0x4200 blocks the flow. A read at 0x4300 returns the row of the flow's
// state, all ones if there is none; reads at 0x4500 and 0x4600 return the sequence numbers of the
// segment and after it.
//
// Latency: 25 cycles from the last beat, plus 16 bytes of payload per cycle, plus the time of
// ids_check for rules whose fragment is found. Throughput: 16 bytes of payload per cycle, at most a
// packet in 2 cycles. Bound for any payload and rules: 2 cycles per byte of payload, and
// CheckCycles + 1,204 for the rules.
`include "bombus_assert.svh"

module rule_matcher
  import rule_pkg::*;
#(
    parameter type regs_t = logic,
    parameter type word_t = logic,
    parameter type hit_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned Rows = 2048,
    parameter int unsigned Flows = 4096,  // flows whose state is stored
    parameter int unsigned Waiting = 3,  // TCP segments that wait for a gap to be filled
    parameter int unsigned WaitCycles = 75000,  // limit of that time: 0.3 ms at 250 MHz
    parameter int unsigned CheckCycles = 8192,  // for a packet, in which its rules are checked
    // A SYN restarts a flow without a segment for so long: the least of RFC 5382, section 5
    parameter int unsigned MaxIdleS = 7440,
    localparam int unsigned NumWords = 32 * Rows,
    localparam int unsigned IndexWidth = $clog2(NumWords)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input rpu_pkg::accel_packet_t accel_packet_i,
    input logic [DataWidth-1:0] accel_packet_data_i,
    output rpu_pkg::accel_verdict_t accel_verdict_o,
    input logic accel_stopped_i,
    input rpu_pkg::accel_bus_request_t accel_bus_request_i,
    output rpu_pkg::accel_bus_response_t accel_bus_response_o,

    input  logic                   word_request_i,
    input  logic  [IndexWidth-1:0] word_index_i,
    input  logic                   word_write_i,
    input  word_t                  word_wdata_i,
    input  logic                   hit_request_i,   // held until hit_done_o
    output hit_t                   hit_rdata_o,
    output logic                   hit_done_o,

    input regs_t regs_i,

    output logic [3:0] event_o
);

  localparam string Entry = "";  // receives no messages
  typedef enum int unsigned {
    EventUnchecked,
    EventHitLost,
    EventFlowEvicted,
    EventBadChecksum,
    NumEvents
  } event_e;
  localparam string Agrees = "num_slots>=rpu.num_slots slot_bytes>=rpu.slot_bytes";

  localparam int unsigned HitsOfPacket = 8;
  localparam int unsigned Beats = NumSlots * SlotBytes / (DataWidth / 8);
  localparam int unsigned BeatWidth = $clog2(Beats);
  localparam int unsigned SlotBeatWidth = $clog2(SlotBytes / (DataWidth / 8));
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned SlotWidth = $clog2(NumSlots);

  if (Rows < MinRows || Rows > MaxRows || Rows != 2 ** RowWidth) begin : gen_bad_rows
    $error("rule_matcher: Rows must be a power of two, 256 to 65536");
  end
  if (NumSlots < 4 || NumSlots > 64 || NumSlots != 2 ** $clog2(NumSlots)) begin : gen_bad_slots
    $error("rule_matcher: NumSlots must be a power of two, 4 to 64");
  end
  if (Waiting < 1 || Waiting > 8 || Waiting >= NumSlots) begin : gen_bad_waiting
    $error("rule_matcher: Waiting must be 1 to 8, and less than NumSlots");
  end
  if (SlotBytes < 128 || SlotBytes > 16384 || SlotBytes != 2 ** $clog2(
          SlotBytes
      )) begin : gen_bad_bytes
    $error("rule_matcher: SlotBytes must be a power of two, 128 to 16384");
  end

  // ---- Words of the tables ----

  logic write_q;
  logic [RowWidth-1:0] row_q;
  logic [4:0] column_q;
  logic [31:0] word_q;
  always_ff @(posedge clk_i) begin
    write_q <= word_request_i & word_write_i;
    {row_q, column_q} <= word_index_i;
    word_q <= word_wdata_i.bits;
  end

  // ---- Frames ----

  packet_t packet, located, scanned, checked;
  flow_t flow;
  logic packet_valid, is_sum_good, located_valid, scan_valid, scan_ready, check_ready;
  logic scan_room, check_room, unused_scan_body, unused_check_body, unused_check_valid;
  logic judged;
  logic [7:0] judged_slot;
  logic [31:0] verdict;
  wire [BeatWidth-1:0] beat = BeatWidth'(accel_packet_i.slot) << SlotBeatWidth;
  logic enabled_q;
  always_ff @(posedge clk_i) enabled_q <= regs_i.control.enable;
  ids_headers #(
      .DataWidth(DataWidth)
  ) u_headers (
      .clk_i,
      .rst_i,
      .packet_i(accel_packet_i.valid),
      .first_i(accel_packet_i.first),
      .last_i(accel_packet_i.last),
      .slot_i(accel_packet_i.slot),
      .length_i(accel_packet_i.length),
      .beat_i(16'(beat)),
      .data_i(accel_packet_data_i),
      .is_enabled_i(enabled_q),
      .packet_o(packet),
      .flow_o(flow),
      .packet_valid_o(packet_valid),
      .is_sum_good_o(is_sum_good)
  );

  logic reads;  // the check reads; it has priority
  logic [BeatWidth+1:0] scan_word, check_word;
  logic [255:0] bytes;

  // Firmware requests are accesses to words from 0x4000 on: an operation and a slot.
  logic ask_done, pending, answered, again, replace, replace_ready, flow_reads, answered_q;
  logic [BeatWidth+1:0] replace_word, flow_word;
  logic [ 15:0] replace_bytes;
  logic [127:0] replace_data;
  logic [ 31:0] property_word;
  logic evicted, bad_sum;
  logic [NumSlots-1:0] inside_q;  // slots whose verdict is pending
  wire [7:0] ask_slot = 8'(accel_bus_request_i.addr[7:2]);
  wire ask_e ask_op = ask_e'(accel_bus_request_i.addr[10:8]);
  wire is_property = ask_op inside {AskRow, AskSequence, AskEnd};
  wire begins = accel_bus_request_i.write & ask_op inside {AskAgain, AskSkip};
  wire allowed = accel_bus_request_i.write ? begins | ask_op == AskBlock :
      ask_op inside {AskAgain, AskSkip, AskAwait} | is_property;
  wire may_ask = accel_bus_request_i.addr[15:11] == 5'b0100_0 & 32'(ask_slot) < NumSlots & allowed &
      ~inside_q[ask_slot[SlotWidth-1:0]];
  ids_flows #(
      .Flows(Flows),
      .NumSlots(NumSlots),
      .Waiting(Waiting),
      .WaitCycles(WaitCycles),
      .MaxIdleS(MaxIdleS),
      .WordWidth(BeatWidth + 2)
  ) u_flows (
      .clk_i,
      .rst_i,
      .stopped_i(accel_stopped_i),
      .is_enabled_i(enabled_q),
      .secret_i(regs_i.secret.key),
      .time_us_i,
      .packet_i(packet),
      .flow_i(flow),
      .packet_valid_i(packet_valid),
      .is_sum_good_i(is_sum_good),
      .ask_i(accel_bus_request_i.valid & may_ask & ~answered_q & ~is_property & ask_op != AskAwait),
      .ask_begins_i(begins),
      .ask_op_i(ask_op),
      .ask_slot_i(ask_slot),
      .again_i(again),
      .ask_done_o(ask_done),
      .pending_o(pending),
      .answered_o(answered),
      .property_o(property_word),
      .replace_o(replace),
      .replace_ready_i(replace_ready),
      .replace_word_o(replace_word),
      .replace_bytes_o(replace_bytes),
      .replace_data_o(replace_data),
      .read_o(flow_reads),
      .wait_i(reads),
      .word_o(flow_word),
      .data_i(bytes),
      .packet_o(located),
      .packet_valid_o(located_valid),
      .packet_ready_i(scan_room & check_room),
      .evicted_o(evicted),
      .bad_sum_o(bad_sum)
  );

  head_fifo #(
      .head_t(packet_t),
      .body_t(logic),
      .Depth (NumSlots)
  ) u_scanned (
      .clk_i,
      .rst_i,
      .in_head_i  (located),
      .in_body_i  (1'b0),
      .in_valid_i (located_valid & check_room),
      .in_ready_o (scan_room),
      .out_head_o (scanned),
      .out_body_o (unused_scan_body),
      .out_valid_o(scan_valid),
      .out_ready_i(scan_ready)
  );
  head_fifo #(
      .head_t(packet_t),
      .body_t(logic),
      .Depth (NumSlots)
  ) u_checked (
      .clk_i,
      .rst_i,
      .in_head_i  (located),
      .in_body_i  (1'b0),
      .in_valid_i (located_valid & scan_room),
      .in_ready_o (check_room),
      .out_head_o (checked),
      .out_body_o (unused_check_body),
      .out_valid_o(unused_check_valid),
      .out_ready_i(check_ready)
  );

  ids_store #(
      .DataWidth(DataWidth),
      .Beats(Beats)
  ) u_store (
      .clk_i,
      .rst_i,
      .packet_i(accel_packet_i.valid),
      .first_i(accel_packet_i.first),
      .beat_i(beat),
      .data_i(accel_packet_data_i),
      .replace_i(replace),
      .replace_ready_o(replace_ready),
      .replace_word_i(replace_word),
      .replace_bytes_i(replace_bytes),
      .replace_data_i(replace_data),
      .word_i(reads ? check_word : flow_reads ? flow_word : scan_word),
      .data_o(bytes)
  );

  // ---- Positions, fragments, rules ----

  logic [15:0] longs, shorts;
  logic ends, found_valid, found_ready;
  logic [  9:0] at;
  logic [183:0] found_bytes;
  ids_scan #(
      .Rows(Rows),
      .WordWidth(BeatWidth + 2)
  ) u_scan (
      .clk_i,
      .rst_i,
      .packet_i(scanned),
      .packet_valid_i(scan_valid),
      .packet_ready_o(scan_ready),
      .wait_i(reads | flow_reads),
      .word_o(scan_word),
      .data_i(bytes),
      .long_o(longs),
      .short_o(shorts),
      .ends_o(ends),
      .at_o(at),
      .bytes_o(found_bytes),
      .valid_o(found_valid),
      .ready_i(found_ready),
      .write_i(write_q),
      .write_row_i(row_q),
      .write_column_i(column_q),
      .write_data_i(word_q)
  );

  match_t match;
  logic match_valid, match_ready, finished;
  settled_t settled;
  ids_find #(
      .Rows(Rows)
  ) u_find (
      .clk_i,
      .rst_i,
      .long_i(longs),
      .short_i(shorts),
      .ends_i(ends),
      .at_i(at),
      .bytes_i(found_bytes),
      .valid_i(found_valid),
      .ready_o(found_ready),
      .match_o(match),
      .match_valid_o(match_valid),
      .match_ready_i(match_ready),
      .settled_i(settled),
      .finished_i(finished),
      .write_i(write_q),
      .write_row_i(row_q),
      .write_column_i(column_q),
      .write_data_i(word_q)
  );

  logic hit, hit_kept, hit_exact, unchecked;
  logic [2:0] hit_number;
  logic [31:0] hit_sid;
  row_t hit_row;
  ids_check #(
      .Rows(Rows),
      .WordWidth(BeatWidth + 2),
      .HitsOfPacket(HitsOfPacket),
      .CheckCycles(CheckCycles)
  ) u_check (
      .clk_i,
      .rst_i,
      .match_i(match),
      .match_valid_i(match_valid),
      .match_ready_o(match_ready),
      .packet_i(checked),
      .packet_ready_o(check_ready),
      .read_o(reads),
      .word_o(check_word),
      .data_i(bytes),
      .settled_o(settled),
      .finished_o(finished),
      .hit_o(hit),
      .hit_kept_o(hit_kept),
      .hit_number_o(hit_number),
      .hit_sid_o(hit_sid),
      .hit_exact_o(hit_exact),
      .hit_row_o(hit_row),
      .judged_o(judged),
      .again_o(again),
      .unchecked_o(unchecked),
      .judged_slot_o(judged_slot),
      .verdict_o(verdict),
      .write_i(write_q),
      .write_row_i(row_q),
      .write_column_i(column_q),
      .write_data_i(word_q)
  );
  assign accel_verdict_o = '{judges: 1'b1, valid: judged, slot: judged_slot, verdict: verdict};

  // ---- Hits, for the host ----

  localparam int unsigned HitsAhead = 256;
  hit_t for_host, next_hit;
  logic has_next, lost_q;
  logic [$clog2(HitsAhead):0] ahead_q;
  wire tells = hit | unchecked;  // never both
  wire keeps_hit = tells & ahead_q != ($clog2(HitsAhead) + 1)'(HitsAhead);
  wire reads_hit = hit_request_i & ~hit_done_o;
  wire takes_hit = reads_hit & has_next;
  assign for_host = '{
          valid: 1'b1,
          lost: lost_q,
          exact: hit & hit_exact,
          unchecked: unchecked,
          slot: hit ? checked.slot[5:0] : judged_slot[5:0],
          row: hit ? hit_row : '0
      };
  block_fifo #(
      .data_t(hit_t),
      .Depth (HitsAhead)
  ) u_hits (
      .clk_i,
      .rst_i,
      .data_i (for_host),
      .write_i(keeps_hit),
      .data_o (next_hit),
      .valid_o(has_next),
      .ready_i(takes_hit)
  );
  always_ff @(posedge clk_i) begin
    ahead_q <= ahead_q + ($clog2(HitsAhead) + 1)'(keeps_hit) - ($clog2(HitsAhead) + 1)'(takes_hit);
    // The loss is reported with the next hit that is kept, or by a read without one.
    if (tells) lost_q <= ~keeps_hit;
    else if (reads_hit & ahead_q == '0) lost_q <= 1'b0;
    if (~hit_done_o) begin
      hit_rdata_o <= has_next ? next_hit : '0;
      if (~has_next) hit_rdata_o.lost <= lost_q & ahead_q == '0;
    end
    hit_done_o <= hit_request_i & ~hit_done_o & ~rst_i;
    if (rst_i) begin
      ahead_q <= '0;
      lost_q  <= 1'b0;
    end
  end

  // ---- Hits, for the firmware ----

  localparam int unsigned NumHits = NumSlots * HitsOfPacket;
  localparam int unsigned HitWidth = $clog2(NumHits);
  (* ram_style = "distributed" *) logic [31:0] sids[NumHits];
  (* ram_style = "distributed" *) logic [16:0] hit_rows[NumHits];
  wire [HitWidth-1:0] hit_index = HitWidth'({checked.slot, hit_number});
  logic [31:0] sid_q, answer_q;
  logic [16:0] hit_row_q;
  wire reads_property = may_ask & is_property;
  wire is_request = may_ask & ~is_property;
  wire is_hit = 32'(accel_bus_request_i.addr) < 8 * NumHits;
  always_ff @(posedge clk_i) begin
    if (hit_kept) sids[hit_index] <= hit_sid;
    if (hit_kept) hit_rows[hit_index] <= {hit_exact, hit_row};
    sid_q <= sids[accel_bus_request_i.addr[3+:HitWidth]];
    hit_row_q <= hit_rows[accel_bus_request_i.addr[3+:HitWidth]];
    if (answered) answer_q <= again ? verdict : 32'd1 << VerdictAhead;
    answered_q <= accel_bus_request_i.valid & ~answered_q &
        (~is_request | (ask_op == AskAwait ? ~pending : ask_done)) & ~rst_i;
    if (accel_packet_i.valid & accel_packet_i.first)
      inside_q[accel_packet_i.slot[SlotWidth-1:0]] <= 1'b1;
    if (judged) inside_q[judged_slot[SlotWidth-1:0]] <= 1'b0;
    if (rst_i) inside_q <= '0;
  end
  assign accel_bus_response_o.stall = ~answered_q;
  assign accel_bus_response_o.error = ~may_ask & (accel_bus_request_i.write | ~is_hit);
  assign accel_bus_response_o.data = reads_property ? property_word : is_request ? answer_q :
      accel_bus_request_i.addr[2] ? {hit_row_q[16], 15'd0, hit_row_q[15:0]} : sid_q;

  // ---- Counters ----

  always_ff @(posedge clk_i) begin
    event_o[EventUnchecked] <= unchecked & ~rst_i;
    event_o[EventHitLost] <= tells & ~keeps_hit & ~rst_i;
    event_o[EventFlowEvicted] <= evicted & ~rst_i;
    event_o[EventBadChecksum] <= bad_sum & ~rst_i;
  end

  `BOMBUS_ASSERT(HitsOneAtATime, !(hit && unchecked))
  `BOMBUS_ASSERT(VerdictHasPacket, !check_ready || unused_check_valid)
  `BOMBUS_ASSERT(SlotExists, !judged || 32'(judged_slot) < NumSlots)
  `BOMBUS_ASSERT(HitsBounded, 32'(ahead_q) <= HitsAhead)

endmodule
