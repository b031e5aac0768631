// SPDX-License-Identifier: Apache-2.0
// State of TCP flows: for each direction the next sequence number and the last 32 bytes.
//
// The last bytes of the stream are written before the payload of the next segment in the store,
// over its headers, so that a fragment across the boundary of segments is found. If a segment
// begins with bytes that have been seen before, the first copy of them is kept. A few segments that
// are ahead wait here until the gap before them is filled, for a limited time (ids_waiting).
// Further ones are not scanned: the verdict reports this, and the firmware keeps them in their
// slots and requests another verdict (AskAgain), or skips the missing bytes (AskSkip). An old
// segment, and one more than 1 MiB ahead, is scanned by itself. An unknown flow begins with its
// first segment, or with a SYN. The payload of a SYN is not in the stream, and is scanned by
// itself; so are segments with RST, and those without ACK, which do not concern the flow. A keyed
// hash selects a set of four flows; the least recently seen one is replaced. With a new key, flows
// begin anew. Other packets pass unchanged. The table is cleared after reset.
//
// Latency: 3 cycles from packet to scan, 14 for a segment; then up to 9 more until the next packet.
// Throughput: a segment in 24 cycles, another packet in 4; of two segments in reverse order, one in
// 29. RFC 9293, section 3.4.
`include "bombus_assert.svh"

module ids_flows
  import rule_pkg::*;
#(
    parameter int unsigned Flows = 4096,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned Waiting = 3,  // segments ahead of a gap that wait here
    parameter int unsigned WaitCycles = 75000,  // at most
    parameter int unsigned WordWidth = 11  // of an index into the store, in units of 16 bytes
) (
    input logic clk_i,
    input logic rst_i,
    input logic stopped_i,  // the firmware does not run: no segment waits
    input logic is_enabled_i,  // packets are examined
    input logic [95:0] secret_i,  // key of the hash

    input packet_t packet_i,
    input flow_t   flow_i,
    input logic    packet_valid_i,

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
    output logic evicted_o
);

  localparam int unsigned RowWidth = $clog2(Flows);
  localparam int unsigned SetWidth = RowWidth - 2;
  localparam int unsigned SlotWidth = $clog2(NumSlots);
  localparam int unsigned FarWidth = 20;  // a gap of 1 MiB

  if (Flows < 64 || Flows > 32768 || Flows != 2 ** RowWidth) begin : gen_bad_flows
    $error("ids_flows: Flows must be a power of two, 64 to 32768");
  end
  if (NumSlots < 4 || NumSlots > 64 || NumSlots != 2 ** SlotWidth) begin : gen_bad_slots
    $error("ids_flows: NumSlots must be a power of two, 4 to 64");
  end
  if (WordWidth < 4 || WordWidth > 16) begin : gen_bad_words
    $error("ids_flows: WordWidth must be 4 to 16");
  end

  typedef struct packed {
    logic valid;
    logic blocked;
    logic [15:0] stamp;
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
    Save
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
  end
  wire has_flow = flow.in_stream & (packet.size != '0 | flow.syn);
  wire offset_t size = flow.syn ? '0 : packet.size;  // in the stream
  wire skips = is_asked_q & op_q == AskSkip | retry_skips_q;
  wire blocks = is_asked_q & op_q == AskBlock;

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

  // ---- Position in the stream ----

  logic signed [31:0] seen_q;  // bytes of the segment already seen in the stream
  logic [31:0] end_q;  // sequence number after the segment
  // not after the next sequence number: the segment has no new byte unless it is ahead
  logic is_past_q;
  logic is_known_q, is_ahead_q, is_next_q, is_small_q;
  offset_t skip_q, begins_q, fresh_q, put_q, from_q;
  logic [5:0] count_q;
  // If the missing bytes have arrived since the firmware requested to skip them, no byte is
  // skipped.
  wire has_state = is_known_q & ~flow.syn & ~(skips & seen_q[31]);
  // Beyond any window: the receiver will not accept it, so it does not advance the stream.
  wire is_far = seen_q[31] & ~(&seen_q[30:FarWidth]);
  wire is_near = has_state & seen_q[31] & ~is_far;
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
      .changes_i(step_q == Join),
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
        step_q <= has_flow ? Look : blocks ? Idle : Emit;
      end
      Look: begin
        if (has_row & is_it) begin
          found_q <= 1'b1;
          state_q <= row_q;
          way_q   <= seen_way;
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
        state_q.stamp <= now_q;
        if (~found_q) state_q.blocked <= 1'b0;
        step_q <= Locate;
      end
      Locate: begin
        is_ahead_q <= is_near;
        is_next_q  <= ~is_near & ~is_old & ~blocks;
        skip_q     <= skip;
        begins_q   <= packet.start + skip;
        fresh_q    <= size - skip;
        if (has_state) count_q <= state_q.count;
        if (blocks) state_q.blocked <= 1'b1;
        if (blocks) step_q <= is_known_q ? Save : Idle;
        else if (still_ahead | waits) step_q <= Idle;
        else if (is_near | is_old) step_q <= Emit;
        else step_q <= Join;
      end
      Join: begin
        if (flow.syn) state_q.blocked <= 1'b0;
        state_q.valid <= 1'b1;
        state_q.key <= flow.key;
        state_q.next <= end_q + 32'(flow.syn);
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
        if (packet_valid_o & packet_ready_i) step_q <= ~is_next_q ? Idle : size == '0 ? Save : Take;
      end
      Take: begin
        if (~read_o | wait_i) number_q <= number_q;
        if (coming_q[2]) begin
          half_q <= 1'b1;
          state_q.last[128*half_q+:128] <= taken;
        end
        if (coming_q[2] & half_q) step_q <= Save;
      end
      Save:    step_q <= Idle;
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
    packet_o.is_blocked = is_known_q & state_q.blocked;
    packet_o.is_again   = is_asked_q;
  end

  // ---- Responses to the firmware ----

  wire answers = again_i | still_ahead & ~blocks | blocks & (step_q == Save | step_q == Idle);
  (* ram_style = "distributed" *) logic [15:0] rows[NumSlots];
  (* ram_style = "distributed" *) logic [31:0] sequences[NumSlots];
  (* ram_style = "distributed" *) logic [31:0] ends[NumSlots];
  always_ff @(posedge clk_i) begin
    if (step_q == Emit) begin
      rows[slot_q] <= has_flow ? 16'(row) : '1;
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

  `BOMBUS_ASSERT(LegalStep, step_q inside {[Clear : Save]})
  `BOMBUS_ASSERT(PacketsHaveRoom, !packet_valid_i || unused_ready)

endmodule
