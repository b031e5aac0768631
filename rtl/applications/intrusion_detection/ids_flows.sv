// SPDX-License-Identifier: Apache-2.0
// State of TCP flows: for each direction the next sequence number and the last 32 bytes.
//
// The last bytes of the stream are written before the payload of the next segment in the store,
// over its headers, so that a fragment across the boundary of segments is found. If a segment
// begins with bytes that have been seen before, the first copy of them is kept. A few segments that
// are ahead wait here until the gap before them is filled, for a limited time (ids_waiting).
// Further ones are not scanned: the verdict reports this, and the firmware keeps them in their
// slots and requests another verdict (AskAgain), or skips the missing bytes (AskSkip). An old
// segment, and one more than 1 MiB ahead, is scanned by itself, as are segments with RST, without
// ACK, or with a wrong checksum. The payload of a SYN is not in the stream, and is scanned by
// itself. A keyed hash selects a set of four flows; the least recently seen one is replaced. With a
// new key, flows begin anew. Other packets pass unchanged. The table is cleared after reset.
//
// An unknown flow begins with its first segment, or with a SYN. A later SYN does not change an open
// flow: its receiver only sends a challenge ACK (RFC 5961, section 4). It starts the flow again
//  - after an RST whose number is the next one, in either direction, or a FIN in order,
//  - before the first byte of data and the SYN,ACK, and after MaxIdleS seconds without a segment,
//  - when the other direction answers it by a SYN,ACK, whose acknowledgement is the next number.
//
// Latency: 3 cycles from packet to scan, 14 for a segment, 26 for a SYN,ACK; then up to 9 more
// until the next packet, 14 after an RST. Throughput: a segment in 24 cycles, a SYN,ACK or RST in
// 28, another packet in 4; of two segments in reverse order, one in 29. RFC 9293, sections 3.4 and
// 3.10.7.
`include "bombus_assert.svh"

module ids_flows
  import rule_pkg::*;
#(
    parameter int unsigned Flows = 4096,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned Waiting = 3,  // segments ahead of a gap that wait here
    parameter int unsigned WaitCycles = 75000,  // at most
    parameter int unsigned MaxIdleS = 7440,
    parameter int unsigned WordWidth = 11  // of an index into the store, in units of 16 bytes
) (
    input logic clk_i,
    input logic rst_i,
    input logic stopped_i,  // the firmware does not run: no segment waits
    input logic is_enabled_i,  // packets are examined
    input logic [95:0] secret_i,  // key of the hash
    input logic [31:0] time_us_i,

    input packet_t packet_i,
    input flow_t   flow_i,
    input logic    packet_valid_i,
    input logic    is_sum_good_i,   // of a TCP segment, a cycle after packet_valid_i

    input logic ask_i,  // AskAgain, AskSkip or AskBlock, held until ask_done_o
    input logic ask_begins_i,  // done as soon as it has begun; the result is read later
    input ask_e ask_op_i,
    input logic [7:0] ask_slot_i,
    input logic again_i,  // a repeated verdict is ready
    output logic ask_done_o,
    output logic pending_o,  // the result is not known yet
    output logic answered_o,  // with again_i; without it, a packet asked about is still ahead
    // of ask_slot_i, one cycle later: sequence numbers, or row of the flow; 0xffff: none
    output logic [31:0] property_o,

    // The store; read data arrive three cycles after the request.
    output logic replace_o,
    input logic replace_ready_i,
    output logic [WordWidth-1:0] replace_word_o,
    output logic [15:0] replace_bytes_o,
    output logic [127:0] replace_data_o,
    output logic read_o,
    input logic wait_i,
    output logic [WordWidth-1:0] word_o,
    input logic [255:0] data_i,

    output packet_t packet_o,
    output logic    packet_valid_o,
    input  logic    packet_ready_i,

    // A flow is replaced, one of the last 4 * Flows segments is its (about: in units of 16).
    output logic evicted_o,
    output logic bad_sum_o   // a TCP segment has a wrong checksum
);

  localparam int unsigned RowWidth = $clog2(Flows);
  localparam int unsigned SetWidth = RowWidth - 2;
  localparam int unsigned SlotWidth = $clog2(NumSlots);
  localparam int unsigned FarWidth = 20;  // a gap of 1 MiB
  localparam int unsigned PeriodShift = 22;  // of the time that states have: 4.2 s
  localparam int unsigned PeriodBits = 21;  // so that it wraps after 101 days
  localparam longint unsigned MaxIdle = 64'd1000000 * 64'(MaxIdleS) >> PeriodShift;
  typedef logic [PeriodBits-1:0] period_t;

  if (Flows < 64 || Flows > 32768 || Flows != 2 ** RowWidth) begin : gen_bad_flows
    $error("ids_flows: Flows must be a power of two, 64 to 32768");
  end
  if (NumSlots < 4 || NumSlots > 64 || NumSlots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("ids_flows: NumSlots must be a power of two, 4 to 64");
  end
  if (WordWidth < 4 || WordWidth > 16) begin : gen_bad_words
    $error("ids_flows: WordWidth must be 4 to 16");
  end
  if (MaxIdleS < 5 || MaxIdleS > 1000000) begin : gen_bad_idle
    $error("ids_flows: MaxIdleS must be 5 to 1000000");
  end

  typedef struct packed {
    logic valid;
    logic blocked;
    logic ended;  // by RST or FIN
    logic begun;  // its next number is known to be its receiver's: a SYN does not start it again
    logic asks;  // a SYN,ACK of the other direction has not answered its last SYN
    logic [15:0] stamp;
    period_t period;  // of its last segment
    logic [5:0] count;  // number of valid bytes in last
    logic [31:0] next;
    logic [95:0] key;
    logic [8*JointBytes-1:0] last;
  } state_t;
  typedef struct packed {
    packet_t packet;
    flow_t flow;
  } info_t;
  typedef logic [RowWidth-1:0] index_t;

  typedef enum logic [3:0] {
    Clear,
    Idle,
    Load,
    Hash,
    Look,
    Compare,
    Locate,
    Join,
    Put,
    Emit,
    Take,
    Save,
    Turn
  } step_e;
  step_e step_q;

  // ---- Waiting packets, stored by slot ----

  (* ram_style = "distributed" *)info_t infos  [NumSlots];
  logic [SlotWidth-1:0] next_slot, slot_q;
  logic waiting, unused_ready, unused_body;
  logic pending_q, awaited_q;  // a repeated verdict is in progress; the firmware still waits for it
  // A waiting segment precedes new packets: these may follow it in the stream.
  logic [SlotWidth-1:0] retry_slot;
  logic retry_skips, may_retry, settled, is_full;
  wire takes_ask = step_q == Idle & ask_i & ~pending_q;
  wire retries = step_q == Idle & ~takes_ask & may_retry;
  wire takes = step_q == Idle & ~takes_ask & ~may_retry & settled & waiting;
  // Twice the number of slots: requests of the firmware for slots that it does not hold can enter a
  // slot twice.
  localparam int unsigned Depth = NumSlots == 64 ? 64 : 2 * NumSlots;
  head_fifo #(
      .head_t(logic [SlotWidth-1:0]),
      .body_t(logic),
      .Depth (Depth)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_head_i  (packet_i.slot[SlotWidth-1:0]),
      .in_body_i  (1'b0),
      .in_valid_i (packet_valid_i),
      .in_ready_o (unused_ready),
      .out_head_o (next_slot),
      .out_body_o (unused_body),
      .out_valid_o(waiting),
      .out_ready_i(takes)
  );
  info_t info_q;
  wire packet_t packet = info_q.packet;
  wire flow_t flow = info_q.flow;
  ask_e op_q;
  logic is_asked_q, is_retry_q, retry_skips_q;
  always_ff @(posedge clk_i) begin
    if (packet_valid_i) infos[packet_i.slot[SlotWidth-1:0]] <= '{packet: packet_i, flow : flow_i};
    if (step_q == Idle) begin
      slot_q <= takes_ask ? ask_slot_i[SlotWidth-1:0] : may_retry ? retry_slot : next_slot;
      is_asked_q <= takes_ask;
      is_retry_q <= retries;
      retry_skips_q <= retries & retry_skips;
      op_q <= ask_op_i;
    end
    if (step_q == Load) info_q <= infos[slot_q];
    if (step_q == Turn)
      info_q.flow.key <= {flow.key[64+:16], flow.key[80+:16], flow.key[0+:32], flow.key[32+:32]};
  end

  // Known a cycle after the packet.
  logic [NumSlots-1:0] bad_q;
  logic is_bad_q, arrived_q, is_tcp_q;
  logic [SlotWidth-1:0] arrived_slot_q;
  always_ff @(posedge clk_i) begin
    arrived_q <= packet_valid_i & ~rst_i;
    is_tcp_q <= flow_i.in_stream | flow_i.rst;
    arrived_slot_q <= packet_i.slot[SlotWidth-1:0];
    if (arrived_q) bad_q[arrived_slot_q] <= ~is_sum_good_i;
    bad_sum_o <= arrived_q & is_tcp_q & ~is_sum_good_i & ~rst_i;
    if (step_q == Load) is_bad_q <= bad_q[slot_q];
  end
  wire offset_t size = flow.syn ? '0 : packet.size;  // in the stream
  wire skips = is_asked_q & op_q == AskSkip | retry_skips_q;
  wire blocks = is_asked_q & op_q == AskBlock;
  wire has_flow = ~is_bad_q &
      (flow.in_stream & (packet.size != '0 | flow.syn | flow.fin) | flow.rst & ~blocks);
  wire is_syn = flow.syn & ~flow.rst;
  // A SYN,ACK concerns both directions: first the other one, then its own. An RST that ends its own
  // flow then ends the other one.
  wire is_answer = is_syn & flow.ack & ~blocks;
  logic is_other_q, turned_q;  // info_q has the other direction's key; it had or has
  logic answers_q;  // a SYN of the other direction

  // ---- The table ----

  logic [SetWidth-1:0] set_q;
  logic [2:0] number_q;  // counter within a step: ways, words
  logic [1:0] way_q, victim_q;
  index_t clear_q;
  state_t state_q, read_q, row_q;
  localparam int unsigned KeyParts = 12;
  logic [KeyParts-1:0] same_q;  // equal parts of row_q's key and the flow's key
  (* ram_style = "ultra" *) state_t states[Flows];
  logic [SetWidth-1:0] hash;
  keyed_hash #(
      .DataWidth(96),
      .HashWidth(SetWidth)
  ) u_hash (
      .data_i(flow.key),
      .seed_i(secret_i),
      .hash_o(hash)
  );
  wire saves = step_q == Save | step_q == Clear;
  wire index_t address = step_q == Clear ? clear_q :
      {set_q, step_q == Save ? way_q : number_q[1:0]};
  always_ff @(posedge clk_i) begin
    if (saves) states[address] <= step_q == Clear ? '0 : state_q;
    else read_q <= states[address];
    row_q <= read_q;
    for (int unsigned n = 0; n < KeyParts; n++) same_q[n] <= read_q.key[8*n+:8] == flow.key[8*n+:8];
  end

  // ---- Find the flow ----

  logic [15:0] now_q;
  logic [3:0] part_q;  // fraction of a time unit
  logic found_q;
  logic [16:0] oldest_q, age_q;
  wire [1:0] seen_way = number_q[1:0] - 2'd2;  // the way in row_q
  wire has_row = step_q == Look & number_q >= 3'd2;
  wire is_it = row_q.valid & (&same_q);
  always_ff @(posedge clk_i) age_q <= read_q.valid ? {1'b0, now_q - read_q.stamp} : '1;

  // Periods since reset; the time may jump.
  localparam int unsigned TimeBits = 32 - PeriodShift;
  period_t period_q, idle_q;
  logic [TimeBits-1:0] time_q, passed_q;
  logic is_idle_q;  // the flow in state_q
  always_ff @(posedge clk_i) begin
    time_q   <= time_us_i[31:PeriodShift];
    passed_q <= rst_i ? '0 : time_us_i[31:PeriodShift] - time_q;
    period_q <= rst_i ? '0 : period_q + period_t'(passed_q);
    idle_q   <= period_q - read_q.period;
  end

  // ---- Position in the stream ----

  logic signed [31:0] seen_q;  // bytes of the segment already seen in the stream
  logic [31:0] end_q;  // sequence number after the segment
  // not after the next sequence number: the segment has no new byte unless it is ahead
  logic is_past_q;
  // The segment begins, or ends, with the next sequence number.
  logic begins_next_q, ends_next_q;
  logic is_known_q, is_ahead_q, is_next_q, is_small_q;
  logic saves_q;  // the state changes, but not by bytes
  logic is_member_q;  // the firmware has it as a segment of the flow
  offset_t skip_q, begins_q, fresh_q, put_q, from_q;
  logic [5:0] count_q;
  // If the missing bytes have arrived since the firmware requested to skip them, no byte is
  // skipped.
  wire has_state = is_known_q & ~is_syn & ~(skips & seen_q[31]);
  wire restarts = answers_q | state_q.ended | ~state_q.begun | is_idle_q;
  wire challenges = is_syn & is_known_q & ~restarts;  // a SYN in an open flow
  wire answered = is_other_q & is_answer & is_known_q & (state_q.asks | state_q.ended);
  wire resets = flow.rst & is_known_q & (begins_next_q | is_other_q);
  wire finishes = flow.fin & has_state & ends_next_q & is_past_q;  // without new bytes
  wire is_stray = flow.fin & ~is_known_q & size == '0;
  // Beyond any window: the receiver will not accept it, so it does not advance the stream.
  wire is_far = seen_q[31] & ~(&seen_q[30:FarWidth]);
  wire is_near = has_state & ~flow.rst & ~is_other_q & seen_q[31] & ~is_far;
  wire still_ahead = step_q == Locate & is_asked_q & is_near;
  wire waits = step_q == Locate & ~is_asked_q & is_near & (is_retry_q | ~is_full);
  wire is_old = has_state & (seen_q[31] ? is_far : is_past_q);
  wire offset_t skip = has_state ? offset_t'(seen_q) : '0;
  wire [14:0] total = 15'(count_q) + 15'(fresh_q);
  wire index_t row = {set_q, way_q};
  ids_waiting #(
      .Entries(Waiting),
      .SlotWidth(SlotWidth),
      .RowWidth(RowWidth),
      .WaitCycles(WaitCycles)
  ) u_ahead (
      .clk_i,
      .rst_i,
      .stopped_i,
      .ahead_i(waits),
      .is_again_i(is_retry_q),
      .slot_i(slot_q),
      .row_i(row),
      .gap_i(&seen_q[31:16] ? ~seen_q[15:0] : '1),
      .is_full_o(is_full),
      .leaves_i(step_q == Locate & is_retry_q & ~waits),
      .changes_i(step_q == Join | step_q == Locate & answered),
      .slot_o(retry_slot),
      .skips_o(retry_skips),
      .valid_o(may_retry),
      .settled_o(settled),
      .ready_i(retries)
  );

  // ---- Bytes of the stream before the payload, written over the headers ----

  logic [1:0][127:0] halves;
  logic [JointBytes-1:0] is_last_q;  // marks the valid bytes
  logic [255:0] pair;
  logic [31:0] pair_bytes;
  wire half = number_q[0];
  wire other = ~half;
  always_comb begin
    halves = state_q.last;
    pair = {halves[half], halves[other]};
    pair_bytes = {is_last_q[16*half+:16], is_last_q[16*other+:16]};
    if (number_q[1:0] == 2'd0) pair_bytes[15:0] = '0;
    if (number_q[1:0] == 2'd2) pair_bytes[31:16] = '0;
  end
  logic [4:0] by_q;  // 16 less the index of the first byte in its word
  always_ff @(posedge clk_i) begin
    by_q <= 5'd16 - 5'(begins_q[3:0]);
    for (int unsigned n = 0; n < JointBytes; n++) is_last_q[n] <= n + 32'(count_q) >= JointBytes;
  end
  // A word is computed in one cycle and written in a later one.
  logic put_valid_q;
  wire puts = step_q == Put & (~put_valid_q | replace_ready_i);
  wire [WordWidth-1:0] frame_word = WordWidth'({packet.beat, 2'b00});
  assign replace_o = put_valid_q;
  always_ff @(posedge clk_i) begin
    if (~put_valid_q | replace_ready_i) begin
      put_valid_q <= step_q == Put & ~rst_i;
      replace_word_o <= frame_word + WordWidth'(put_q[13:4]) + WordWidth'(number_q);
      replace_bytes_o <= 16'(pair_bytes >> by_q);
      replace_data_o <= 128'(pair >> {by_q, 3'd0});
    end
  end

  // ---- Read the last bytes of the stream ----

  offset_t first_taken_q;
  logic [2:0] coming_q;
  logic half_q;
  assign read_o = step_q == Take & number_q < 3'd2;
  assign word_o = frame_word + WordWidth'(first_taken_q[13:4]) + WordWidth'(number_q);
  wire [127:0] taken = 128'(data_i >> {first_taken_q[3:0], 3'd0});

  // ---- Steps ----

  always_ff @(posedge clk_i) begin
    number_q   <= number_q + 3'd1;
    coming_q   <= {coming_q[1:0], read_o & ~wait_i};
    is_small_q <= 14'(packet.stop - from_q) < 14'd4;
    unique case (step_q)
      Clear: begin
        clear_q <= clear_q + 1'b1;
        if (&clear_q) step_q <= Idle;
      end
      Idle:    if (takes | takes_ask | retries) step_q <= Load;
      Load: begin
        is_known_q <= 1'b0;
        is_ahead_q <= 1'b0;
        is_next_q <= 1'b0;
        saves_q <= 1'b0;
        is_member_q <= 1'b0;
        is_other_q <= 1'b0;
        turned_q <= 1'b0;
        answers_q <= 1'b0;
        step_q <= Hash;
      end
      Turn: begin
        is_other_q <= ~is_other_q;
        turned_q <= 1'b1;
        step_q <= Hash;
      end
      Hash: begin
        set_q <= hash;
        number_q <= '0;
        found_q <= 1'b0;
        oldest_q <= '0;
        count_q <= '0;
        from_q <= packet.start;
        end_q <= flow.sequence_number + 32'(size);
        step_q <= has_flow ? (is_answer & ~turned_q ? Turn : Look) : blocks ? Idle : Emit;
      end
      Look: begin
        if (has_row & is_it) begin
          found_q   <= 1'b1;
          state_q   <= row_q;
          is_idle_q <= 64'(idle_q) > MaxIdle;
          way_q     <= seen_way;
        end
        if (has_row & (seen_way == '0 | age_q > oldest_q)) begin
          oldest_q <= age_q;
          victim_q <= seen_way;
        end
        if (number_q == 3'd5) step_q <= Compare;
      end
      Compare: begin
        is_known_q <= found_q;
        if (~found_q) way_q <= victim_q;
        seen_q <= $signed(state_q.next - flow.sequence_number);
        is_past_q <= ~(1'(32'(state_q.next - end_q) >> 31));
        begins_next_q <= state_q.next == flow.sequence_number;
        ends_next_q <= state_q.next == end_q;
        state_q.stamp <= now_q;
        state_q.period <= period_q;
        if (~found_q) state_q.blocked <= 1'b0;
        step_q <= Locate;
      end
      Locate: begin
        is_ahead_q  <= is_near;
        is_next_q   <= ~is_near & ~is_old & ~blocks & ~challenges & ~flow.rst & ~is_stray;
        saves_q     <= challenges | resets | finishes;
        is_member_q <= ~challenges & ~flow.rst & ~is_stray & (~is_old | finishes | size != '0);
        skip_q      <= skip;
        begins_q    <= packet.start + skip;
        fresh_q     <= size - skip;
        if (has_state) count_q <= state_q.count;
        if (blocks) state_q.blocked <= 1'b1;
        if (challenges & ~flow.ack & ~blocks) state_q.asks <= 1'b1;
        if ((resets | finishes) & ~blocks) state_q.ended <= 1'b1;
        if (answered) begin
          answers_q <= 1'b1;
          state_q.blocked <= 1'b0;
          state_q.ended <= 1'b0;
          state_q.begun <= 1'b1;
          state_q.asks <= 1'b0;
          state_q.next <= flow.acknowledged;
          state_q.count <= '0;
        end
        if (is_other_q) step_q <= resets | answered ? Save : flow.rst ? Idle : Turn;
        else if (blocks) step_q <= is_known_q ? Save : Idle;
        else if (still_ahead | waits) step_q <= Idle;
        else if (is_near | is_old | challenges | flow.rst | is_stray) step_q <= Emit;
        else step_q <= Join;
      end
      Join: begin
        if (is_syn) state_q.blocked <= 1'b0;
        state_q.valid <= 1'b1;
        state_q.ended <= ~is_syn & (is_known_q & state_q.ended | flow.fin);
        state_q.begun <= ~is_syn | answers_q;
        state_q.asks <= is_syn ? ~flow.ack : is_known_q & state_q.asks;
        state_q.key <= flow.key;
        state_q.next <= end_q + 32'(is_syn);
        state_q.count <= total > 15'(JointBytes) ? 6'(JointBytes) : 6'(total);
        put_q <= begins_q - 14'(JointBytes);
        if (14'(count_q) > skip_q) from_q <= begins_q - 14'(count_q);
        number_q <= '0;
        step_q   <= count_q == '0 ? Emit : Put;
      end
      Put: begin
        if (~puts) number_q <= number_q;
        if (puts & number_q == 3'd2) step_q <= Emit;
      end
      Emit: begin
        number_q <= '0;
        first_taken_q <= packet.stop - 14'(JointBytes);
        half_q <= 1'b0;
        if (packet_valid_o & packet_ready_i)
          step_q <= is_next_q & size != '0 ? Take : is_next_q | saves_q ? Save : Idle;
      end
      Take: begin
        if (~read_o | wait_i) number_q <= number_q;
        if (coming_q[2]) begin
          half_q <= 1'b1;
          state_q.last[128*half_q+:128] <= taken;
        end
        if (coming_q[2] & half_q) step_q <= Save;
      end
      Save:    step_q <= ~blocks & flow.rst != is_other_q ? Turn : Idle;
      default: step_q <= Idle;
    endcase
    evicted_o <= step_q == Join & ~is_known_q & ~|oldest_q[16:RowWidth-2] & ~rst_i;
    if (step_q == Compare) {now_q, part_q} <= {now_q, part_q} + 1'b1;
    if (rst_i) begin
      step_q   <= Clear;
      clear_q  <= '0;
      now_q    <= '0;
      part_q   <= '0;
      coming_q <= '0;
    end
  end

  // ---- Output ----

  assign packet_valid_o = step_q == Emit & ~put_valid_q;
  // Enabled at its arrival and now: the tables may have been written in between.
  wire is_enabled = flow.is_enabled & is_enabled_i;
  wire is_scanned = is_enabled & ~is_ahead_q & packet.is_examined;
  always_comb begin
    packet_o = packet;
    packet_o.is_examined = is_enabled & packet.is_examined;
    packet_o.from = from_q;
    if (count_q != '0) packet_o.is_small = is_small_q;
    if (~is_scanned) begin
      packet_o.is_small = 1'b1;
      packet_o.from = packet.start;
      packet_o.stop = packet.start;
    end
    packet_o.is_ahead   = is_ahead_q;
    packet_o.is_blocked = is_known_q & state_q.blocked & flow.in_stream & ~flow.syn;
    packet_o.is_again   = is_asked_q;
  end

  // ---- Responses to the firmware ----

  wire answers = again_i | still_ahead & ~blocks | blocks & (step_q == Save | step_q == Idle);
  (* ram_style = "distributed" *) logic [15:0] rows[NumSlots];
  (* ram_style = "distributed" *) logic [31:0] sequences[NumSlots];
  (* ram_style = "distributed" *) logic [31:0] ends[NumSlots];
  always_ff @(posedge clk_i) begin
    if (step_q == Emit) begin
      rows[slot_q] <= is_member_q ? 16'(row) : '1;
      sequences[slot_q] <= flow.sequence_number;
      ends[slot_q] <= end_q;
    end
    unique case (ask_op_i)
      AskSequence: property_o <= sequences[ask_slot_i[SlotWidth-1:0]];
      AskEnd: property_o <= ends[ask_slot_i[SlotWidth-1:0]];
      default: property_o <= 32'(rows[ask_slot_i[SlotWidth-1:0]]);
    endcase
    if (takes_ask) pending_q <= 1'b1;
    if (answers) pending_q <= 1'b0;
    awaited_q <= takes_ask & ~ask_begins_i | awaited_q & ask_i & ~ask_done_o;
    if (rst_i) begin
      pending_q <= 1'b0;
      awaited_q <= 1'b0;
    end
  end
  assign pending_o  = pending_q;
  assign answered_o = pending_q & (again_i | still_ahead & ~blocks);
  assign ask_done_o = awaited_q & pending_q & answers | takes_ask & ask_begins_i;

  `BOMBUS_ASSERT(LegalStep, step_q inside {[Clear : Turn]})
  `BOMBUS_ASSERT(PacketsHaveRoom, !packet_valid_i || unused_ready)

endmodule
