// SPDX-License-Identifier: Apache-2.0
// Checks the rules of each fragment found: ports, protocol, size, position, and the bytes around
// it.
//
// A rule that matches is a hit, with its sid. It is not checked again for this packet; neither is
// one that fails for a reason that holds at all later positions: protocol, size, ports, or a
// position too late. A fragment of which this is true for all rules is left out by ids_find.
//
// The verdict follows the end of the packet. Bit 0: there is a hit; 1: a hit of an exact rule; 2:
// the packet was not examined; 3: there are more hits than HitsOfPacket; 4: bytes of its stream are
// missing; 5: its flow is blocked; 6: bit 12 or 13 is set; 11:8: number of kept hits; 12: the
// packet is unchecked: rules were left out; 13: it has urgent data; 31:16: row of the rule of the
// first hit. Of more hits than HitsOfPacket, exact ones replace others, except for the first. A
// packet that was ahead gets another verdict later (again_o).
//
// The match of a rule of streams may begin before the payload, but must end in it.
//
// Latency: 4 cycles for a rule whose protocol, size or position does not match, 3 for one that is
// not checked again; otherwise 1 more for each pair of port ranges up to the first that matches, 6
// for the first step, 7 for each further step, 1 for a hit. Throughput: one rule at a time; a
// packet without fragments takes 2 cycles. Bound for a packet: no rule begins after CheckCycles
// cycles in rules; if one would have, the packet is unchecked. The last rule takes at most 180
// cycles, and the end of the packet one for each rule and fragment settled, at most 1,024. After
// reset the tables of settled rules and fragments are cleared, one row per cycle.
`include "bombus_assert.svh"

module ids_check
  import rule_pkg::*;
#(
    parameter int unsigned Rows = 256,
    parameter int unsigned WordWidth = 11,  // of an index into the store, in units of 16 bytes
    parameter int unsigned HitsOfPacket = 8,  // that are kept
    parameter int unsigned CheckCycles = 8192,
    localparam int unsigned RowWidth = $clog2(Rows),
    localparam int unsigned HitWidth = $clog2(HitsOfPacket)
) (
    input logic clk_i,
    input logic rst_i,

    input  match_t match_i,
    input  logic   match_valid_i,
    output logic   match_ready_o,

    input  packet_t packet_i,
    output logic    packet_ready_o,

    // The store; read data arrive three cycles after the request.
    output logic read_o,
    output logic [WordWidth-1:0] word_o,
    input logic [255:0] data_i,

    output settled_t settled_o,
    output logic finished_o,  // with a packet

    output logic hit_o,
    output logic hit_kept_o,
    output logic [HitWidth-1:0] hit_number_o,  // of those that are kept
    output logic [31:0] hit_sid_o,
    output logic hit_exact_o,
    output row_t hit_row_o,

    output logic judged_o,
    output logic again_o,
    output logic unchecked_o,  // with either
    output logic [7:0] judged_slot_o,
    output logic [31:0] verdict_o,

    input logic write_i,
    input logic [RowWidth-1:0] write_row_i,
    input logic [4:0] write_column_i,
    input logic [31:0] write_data_i
);

  if (Rows < MinRows || Rows > MaxRows || Rows != 2 ** RowWidth) begin : gen_bad_rows
    $error("ids_check: Rows must be a power of two, 256 to 65536");
  end
  if (WordWidth < 4 || WordWidth > 16) begin : gen_bad_words
    $error("ids_check: WordWidth must be 4 to 16");
  end
  if (HitsOfPacket < 2 || HitsOfPacket > 8 || HitsOfPacket != 2 ** HitWidth) begin : gen_bad_hits
    $error("ids_check: HitsOfPacket must be 2, 4 or 8");
  end
  if (CheckCycles < 256 || CheckCycles > 2 ** 20) begin : gen_bad_cycles
    $error("ids_check: CheckCycles must be 256 to 2^20");
  end

  typedef enum logic [3:0] {
    Clear,
    Idle,
    ReadRule,
    HaveRule,
    Compared,
    Ports,
    FetchStep,
    HaveStep,
    AskBytes,
    Wait1,
    Wait2,
    HaveBytes,
    CompareBytes,
    Holds,
    NextRule,
    Finish
  } state_e;
  state_e state_q;

  // ---- Tables ----

  logic [RowWidth-1:0] row_q, step_q;
  logic [4:0][31:0] rule_q;
  logic [2:0][31:0] step_word_q;
  for (genvar n = 0; n < 5; n++) begin : gen_rule
    (* ram_style = "block" *) logic [31:0] memory[Rows];
    always_ff @(posedge clk_i) begin
      if (write_i & write_column_i == 5'(ColumnRule + n)) memory[write_row_i] <= write_data_i;
      rule_q[n] <= memory[row_q];
    end
  end
  for (genvar n = 0; n < 3; n++) begin : gen_step
    (* ram_style = "block" *) logic [31:0] memory[Rows];
    always_ff @(posedge clk_i) begin
      if (write_i & write_column_i == 5'(ColumnStep + n)) memory[write_row_i] <= write_data_i;
      step_word_q[n] <= memory[step_q];
    end
  end
  wire is_exact = rule_q[1][28];
  wire is_last_rule = rule_q[1][29];
  wire [3:0] num_steps = rule_q[2][31:28];

  localparam int unsigned PortRows = port_rows(Rows);
  localparam int unsigned PortRowWidth = $clog2(PortRows);
  logic [PortRowWidth-1:0] next_ports_q;
  wire [PortRowWidth-1:0] ports_row = state_q == HaveRule ?
      rule_q[4][16+:PortRowWidth] : next_ports_q;
  logic [1:0][31:0] range_q;  // of the source, of the destination
  wire writes_ports = write_i & 32'(write_row_i) < PortRows;
  always_ff @(posedge clk_i) next_ports_q <= ports_row + 1'b1;
  for (genvar n = 0; n < 2; n++) begin : gen_ports
    (* ram_style = "block" *) logic [31:0] memory[PortRows];
    always_ff @(posedge clk_i) begin
      if (writes_ports & write_column_i == 5'(ColumnPorts + n))
        memory[write_row_i[PortRowWidth-1:0]] <= write_data_i;
      range_q[n] <= memory[ports_row];
    end
  end

  // ---- A rule's header ----

  offset_t
      frame_offset_q,
      payload_offset_q,
      scan_offset_q;  // in the frame, in the payload, in the scanned bytes
  logic is_before_q;  // the match starts before the payload
  wire has_ports = |packet_i.protocol[1:0];
  wire source_is_in = packet_i.source_port >= range_q[0][15:0] &
      packet_i.source_port <= range_q[0][31:16];
  wire destination_is_in = packet_i.destination_port >= range_q[1][15:0] &
      packet_i.destination_port <= range_q[1][31:16];
  wire in_streams = rule_q[1][30];
  wire is_late = ~in_streams & ~is_before_q & payload_offset_q > rule_q[0][27:14];
  wire offset_is_in = in_streams ? scan_offset_q >= rule_q[0][13:0] :
      ~is_before_q & payload_offset_q >= rule_q[0][13:0] & ~is_late;
  wire size_is_in = packet_i.size >= rule_q[1][13:0] & packet_i.size <= rule_q[1][27:14];
  wire [14:0] end_offset = 15'(frame_offset_q) + 15'(rule_q[2][13:0]);
  wire is_beyond = end_offset > 15'(packet_i.stop);
  wire end_is_in = ~is_beyond & end_offset > 15'(packet_i.start);
  wire protocol_is_in = |(packet_i.protocol & rule_q[0][31:28]);
  logic ports_q, fits_q, never_fits_q;
  logic [5:0] pairs_left_q;  // pairs of port ranges not compared yet

  // ---- A step compares eight bytes ----

  logic [3:0] left_q;  // steps left
  logic [WordWidth+3:0] base_q, byte_q;  // byte address of the fragment, of the step
  logic [63:0] bytes_q;
  logic [ 7:0] wrong;
  wire  [ 7:0] care = step_word_q[2][23:16];
  wire  [ 7:0] folded = step_word_q[2][31:24];
  wire  [63:0] pattern = {step_word_q[1], step_word_q[0]};
  always_comb
    for (int b = 0; b < 8; b++)
      wrong[b] = care[b] & (bytes_q[8*b+:8] | {2'b00, folded[b], 5'd0}) != pattern[8*b+:8];

  wire [WordWidth+3:0] frame_start = (WordWidth + 4)'({packet_i.beat, 6'd0});
  assign read_o = state_q == AskBytes;
  assign word_o = byte_q[WordWidth+3:4];

  // ---- Hits of this packet ----

  logic [HitWidth:0] count_q;
  logic more_q, exact_q;
  row_t first_row_q;
  logic [HitsOfPacket-1:0] exacts_q, other;  // of those that are kept
  logic [HitWidth-1:0] other_number;  // the last one that is not exact, but for the first
  wire is_full = count_q == (HitWidth + 1)'(HitsOfPacket);
  assign other = ~(exacts_q | HitsOfPacket'(1));
  always_comb begin
    other_number = '0;
    for (int unsigned n = 1; n < HitsOfPacket; n++) if (other[n]) other_number = HitWidth'(n);
  end
  assign hit_o = state_q == Holds;
  assign hit_kept_o = hit_o & (~is_full | is_exact & |other);
  assign hit_number_o = is_full ? other_number : count_q[HitWidth-1:0];
  assign hit_sid_o = rule_q[3];
  assign hit_exact_o = is_exact;
  assign hit_row_o = row_t'(row_q);

  // ---- Rules and fragments that are settled for this packet, and the list of these ----

  localparam int unsigned MostSettled = 1024;
  localparam int unsigned ListWidth = $clog2(MostSettled);
  typedef struct packed {
    logic is_fragment;
    place_t place;  // of a rule: its row
  } entry_t;
  logic ends_q;  // no other match follows in this packet
  logic is_settled_q, all_settled_q, fails;
  logic [RowWidth-1:0] clear_q;
  place_t place_q, done_q;  // of this fragment; of the one that was settled last
  logic done_valid_q;
  logic [ListWidth:0] listed_q;
  entry_t entry, last_q;
  (* ram_style = "block" *) logic settled[Rows];
  (* ram_style = "block" *) entry_t list[MostSettled];
  // Failures may fill one half of the list only; hits need the other.
  wire has_half = ~|listed_q[ListWidth:ListWidth-1];
  wire has_room = ~listed_q[ListWidth];
  assign fails = state_q == Compared & never_fits_q |
      state_q == Ports & ~ports_q & pairs_left_q == 6'd1;
  wire lists_rule = ~ends_q & (fails & has_half | hit_o & has_room);
  wire lists_fragment = ~ends_q & state_q == NextRule & is_last_rule & is_settled_q & all_settled_q
      & has_half;
  wire lists = lists_rule | lists_fragment;
  wire unlists = state_q == Finish & listed_q != '0;
  wire [ListWidth-1:0] last_at =
      listed_q[ListWidth-1:0] - (unlists ? ListWidth'(2) : ListWidth'(1));
  assign entry = lists_fragment ?
      '{is_fragment: 1'b1, place: place_q} :
      '{is_fragment: 1'b0, place: '{is_second: 1'b0, row: row_t'(row_q)}};
  wire writes_rule = state_q == Clear | lists_rule | unlists & ~last_q.is_fragment;
  wire [RowWidth-1:0] written_rule = state_q == Clear ? clear_q :
      unlists ? last_q.place.row[RowWidth-1:0] : row_q;
  logic was_settled_q;  // the rule in rule_q
  always_ff @(posedge clk_i) begin
    if (writes_rule) settled[written_rule] <= lists_rule;
    was_settled_q <= settled[row_q];
    if (lists) list[listed_q[ListWidth-1:0]] <= entry;
    last_q   <= list[last_at];
    listed_q <= listed_q + (ListWidth + 1)'(lists) - (ListWidth + 1)'(unlists);
    if (rst_i) listed_q <= '0;
  end
  always_comb begin
    settled_o.valid = state_q == Clear | lists_fragment | unlists & last_q.is_fragment;
    settled_o.is_done = lists_fragment;
    settled_o.both = state_q == Clear;
    settled_o.place = unlists ? last_q.place : place_q;
    if (state_q == Clear) settled_o.place.row = row_t'(clear_q);
  end

  // ---- The bound ----

  localparam int unsigned SpentWidth = $clog2(CheckCycles + 1);
  logic [SpentWidth-1:0] spent_q;
  logic exhausted_q, unchecked_q;
  wire is_done = done_valid_q & match_i.place == done_q;
  wire checks = match_i.is_match & ~is_done;
  assign finished_o = state_q == Finish & listed_q[ListWidth:1] == '0;

  // ---- States ----

  assign match_ready_o = state_q == Idle;
  assign packet_ready_o = finished_o;
  wire signed [15:0] relative = step_word_q[2][15:0];
  always_ff @(posedge clk_i) begin
    ports_q <= (source_is_in & destination_is_in) | ~has_ports;
    fits_q <= offset_is_in & size_is_in & end_is_in & protocol_is_in;
    never_fits_q <= ~size_is_in | ~protocol_is_in | is_late | is_beyond;
    bytes_q <= 64'(data_i >> {byte_q[3:0], 3'd0});
    base_q <= frame_start + (WordWidth + 4)'(frame_offset_q);
    byte_q <= base_q + (WordWidth + 4)'(relative);
    unique case (state_q)
      Clear: begin
        clear_q <= clear_q + 1'b1;
        if (&clear_q) state_q <= Idle;
      end
      Idle: begin
        frame_offset_q <= match_i.offset;
        payload_offset_q <= match_i.offset - packet_i.start;
        scan_offset_q <= match_i.offset - packet_i.from;
        is_before_q <= match_i.offset < packet_i.start;
        row_q <= RowWidth'(match_i.row);
        place_q <= match_i.place;
        ends_q <= match_i.ends;
        all_settled_q <= 1'b1;
        if (match_valid_i) begin
          if (checks & ~exhausted_q) state_q <= ReadRule;
          else if (match_i.ends) state_q <= Finish;
          unchecked_q <= unchecked_q | checks & exhausted_q;
        end
      end
      ReadRule: state_q <= HaveRule;
      HaveRule: begin
        is_settled_q <= was_settled_q;
        step_q <= rule_q[4][RowWidth-1:0];
        left_q <= num_steps;
        pairs_left_q <= rule_q[2][19:14];
        state_q <= was_settled_q ? NextRule : Compared;
      end
      Compared: state_q <= fits_q ? Ports : NextRule;  // the first step is being read
      Ports: begin
        pairs_left_q <= pairs_left_q - 1'b1;
        if (ports_q) state_q <= left_q == '0 ? Holds : HaveStep;
        else if (pairs_left_q == 6'd1) state_q <= NextRule;
      end
      FetchStep: state_q <= HaveStep;
      HaveStep: state_q <= AskBytes;
      AskBytes: state_q <= Wait1;
      Wait1: state_q <= Wait2;
      Wait2: state_q <= HaveBytes;
      HaveBytes: state_q <= CompareBytes;
      CompareBytes: begin
        step_q <= step_q + 1'b1;
        left_q <= left_q - 1'b1;
        if (|wrong) state_q <= NextRule;
        else state_q <= left_q == 4'd1 ? Holds : FetchStep;
      end
      Holds: begin
        if (hit_kept_o) exacts_q[hit_number_o] <= is_exact;
        if (count_q == '0) first_row_q <= row_t'(row_q);
        if (~is_full) count_q <= count_q + 1'b1;
        more_q  <= more_q | is_full;
        exact_q <= exact_q | is_exact;
        state_q <= NextRule;
      end
      NextRule: begin
        row_q <= row_q + 1'b1;
        all_settled_q <= all_settled_q & is_settled_q;
        if (~is_last_rule & ~exhausted_q) state_q <= ReadRule;
        else state_q <= ends_q ? Finish : Idle;
        unchecked_q <= unchecked_q | ~is_last_rule & exhausted_q;
        if (lists_fragment) begin
          done_q <= place_q;
          done_valid_q <= 1'b1;
        end
      end
      Finish: if (finished_o) state_q <= Idle;
      default: state_q <= Clear;
    endcase
    if (fails | hit_o) is_settled_q <= 1'b1;
    // A hit that is not on the list could be found again.
    exhausted_q <= exhausted_q | spent_q == SpentWidth'(CheckCycles) | hit_o & ~ends_q & ~has_room;
    if (~(state_q inside {Clear, Idle, Finish}) & ~exhausted_q) spent_q <= spent_q + 1'b1;
    if (finished_o | rst_i) begin
      count_q <= '0;
      more_q <= 1'b0;
      exact_q <= 1'b0;
      exacts_q <= '0;
      done_valid_q <= 1'b0;
      spent_q <= '0;
      exhausted_q <= 1'b0;
      unchecked_q <= 1'b0;
    end
    if (rst_i) begin
      state_q <= Clear;
      clear_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    judged_o <= packet_ready_o & ~packet_i.is_again & ~rst_i;
    again_o <= packet_ready_o & packet_i.is_again & ~rst_i;
    unchecked_o <= packet_ready_o & unchecked_q & ~rst_i;
    judged_slot_o <= packet_i.slot;
    verdict_o <= {
      16'(count_q == '0 ? '0 : first_row_q),
      2'd0,
      packet_i.is_urgent,
      unchecked_q,
      4'(count_q),
      1'b0,
      packet_i.is_urgent | unchecked_q,
      packet_i.is_blocked,
      packet_i.is_ahead,
      more_q,
      ~packet_i.is_examined,
      exact_q,
      count_q != '0
    };
  end

  `BOMBUS_ASSERT(LegalState, state_q inside {[Clear : Finish]})
  `BOMBUS_ASSERT(HitsBounded, 32'(count_q) <= HitsOfPacket)
  `BOMBUS_ASSERT(ListBounded, 32'(listed_q) <= MostSettled)

endmodule
