// SPDX-License-Identifier: Apache-2.0
// rule_matcher. In: beats of frames, with length, first and last above the data; words of the
// tables, each with its index above; requests of the host for a hit; firmware requests about the
// flow of a slot that is free again, with the operation above the slot, bit 16: written. Out: the
// hits of each frame, read over the bus, then its verdict, with bit 64; the hits of the host; the
// answers. Control: it is enabled; the core is stopped; the key of flows; the time, in units of
// 2^22 us. A slot is free again when its verdict is out.
`include "bench.svh"

module bench #(
    parameter int unsigned Rows = 256,
    parameter int unsigned NumSlots = 8,
    parameter int unsigned SlotBytes = 2048,
    parameter int unsigned Flows = 64,
    parameter int unsigned Waiting = 3,
    parameter int unsigned WaitCycles = 5000,
    parameter int unsigned CheckCycles = 8192,
    parameter int unsigned MaxIdleS = 10
) (
    `BENCH_PORTS(4, 528, 3, 72, 44, 1)
);

  `BENCH_SHAPE

  localparam int unsigned SlotWidth = $clog2(NumSlots);
  typedef struct packed {
    struct packed {logic enable;} control;
    struct packed {logic [95:0] key;} secret;
  } regs_t;
  typedef struct packed {logic [31:0] bits;} word_t;

  typedef struct packed {
    logic valid;
    logic lost;
    logic exact;
    logic unchecked;
    logic [5:0] slot;
    logic [15:0] row;
  } hit_t;

  regs_t regs;
  assign regs.control.enable = control_i[0];
  assign regs.secret.key = {3{control_i[2+:32]}};
  typedef struct packed {
    logic [7:0]  slot;
    logic [31:0] verdict;
  } judged_t;
  judged_t front;
  logic [SlotWidth-1:0] free_slot, first_slot_q;
  logic [SlotWidth:0] num_free;
  logic judged, give, filled;
  logic [7:0] judged_slot;
  logic [31:0] verdict;
  wire first = in_i[0][526];
  wire last = in_i[0][527];
  assign in_ready_o[0] = ~first | filled & num_free != '0;
  wire takes = in_valid_i[0] & in_ready_o[0];
  wire [SlotWidth-1:0] slot = first ? free_slot : first_slot_q;
  always_ff @(posedge clk_i) if (takes & first) first_slot_q <= free_slot;
  free_list #(
      .NumNumbers(NumSlots)
  ) u_free (
      .clk_i,
      .rst_i,
      .ready_o (filled),
      .count_o (num_free),
      .number_o(free_slot),
      .take_i  (takes & first),
      .give_i  (give),
      .given_i (front.slot[SlotWidth-1:0])
  );

  logic front_valid, unused_ready, unused_body;
  head_fifo #(
      .head_t(judged_t),
      .body_t(logic),
      .Depth (NumSlots)
  ) u_judged (
      .clk_i,
      .rst_i,
      .in_head_i  ('{slot: judged_slot, verdict: verdict}),
      .in_body_i  (1'b0),
      .in_valid_i (judged),
      .in_ready_o (unused_ready),
      .out_head_o (front),
      .out_body_o (unused_body),
      .out_valid_o(front_valid),
      .out_ready_i(give)
  );

  // Two words per hit, then the verdict.
  logic [4:0] place_q;
  logic [31:0] sid_q, rdata;
  logic waits, error;
  wire is_verdict = place_q[4:1] == front.verdict[11:8];
  logic has_hit_q;
  logic [31:0] row_q;
  logic asks_q;  // waiting for an answer
  wire asks = in_valid_i[3] & (asks_q | ~front_valid);
  always_ff @(posedge clk_i) asks_q <= asks & waits & ~rst_i;
  assign in_ready_o[3] = asks & ~waits;
  // The sink of the answers is always ready.
  assign out_valid_o[2] = in_ready_o[3];
  assign out_o[2] = 72'(rdata);
  wire reads = front_valid & ~is_verdict & ~has_hit_q & ~asks_q;
  assign out_valid_o[0] = has_hit_q | (front_valid & is_verdict);
  always_ff @(posedge clk_i) begin
    if (has_hit_q & out_ready_i[0]) has_hit_q <= 1'b0;
    if (reads & ~waits) begin
      place_q   <= place_q + 1'b1;
      has_hit_q <= place_q[0];
      if (place_q[0]) row_q <= rdata;
      else sid_q <= rdata;
    end
    if (rst_i | give) place_q <= '0;
    if (rst_i) has_hit_q <= 1'b0;
  end
  assign give = front_valid & is_verdict & ~has_hit_q & out_ready_i[0];
  assign out_o[0] = has_hit_q ? {8'd0, row_q, sid_q} : {8'd1, 32'd0, front.verdict};
  logic [3:0] events;  // of the counters
  assign event_o = 64'({events, error & (reads | asks)});

  // The sink of the host's hits is always ready.
  hit_t host_hit;
  assign out_valid_o[1] = in_valid_i[2] & in_ready_o[2];
  assign out_o[1] = 72'({
    host_hit.valid,
    host_hit.lost,
    host_hit.exact,
    host_hit.unchecked,
    6'd0,
    host_hit.slot,
    host_hit.row
  });

  assign in_ready_o[1] = 1'b1;
  rpu_pkg::accel_packet_t packet;
  assign packet = '{
          valid: takes,
          first: first,
          last: last,
          slot: 8'(slot),
          length: in_i[0][525:512],
          meta: '0
      };
  rpu_pkg::accel_verdict_t matched;
  assign status_o[0] = matched.judges;
  assign judged = matched.valid;
  assign judged_slot = matched.slot;
  assign verdict = matched.verdict;
  wire [15:0] addr = asks ? {5'b0100_0, in_i[3][10:8], in_i[3][5:0], 2'd0} :
      16'({front.slot, place_q[3:1], place_q[0], 2'd0});
  rpu_pkg::accel_bus_request_t bus_request;
  assign bus_request = '{
          valid: reads | asks,
          write: asks & in_i[3][16],
          addr: addr,
          bytes: '1,
          data: '0
      };
  rpu_pkg::accel_bus_response_t bus_response;
  assign waits = bus_response.stall;
  assign error = bus_response.error;
  assign rdata = bus_response.data;

  rule_matcher #(
      .regs_t(regs_t),
      .word_t(word_t),
      .hit_t(hit_t),
      .NumSlots(NumSlots),
      .SlotBytes(SlotBytes),
      .Rows(Rows),
      .Flows(Flows),
      .Waiting(Waiting),
      .WaitCycles(WaitCycles),
      .CheckCycles(CheckCycles),
      .MaxIdleS(MaxIdleS)
  ) u_matcher (
      .clk_i,
      .rst_i,
      .time_us_i({control_i[34+:10], 22'd0}),
      .accel_packet_i(packet),
      .accel_packet_data_i(in_i[0][511:0]),
      .accel_verdict_o(matched),
      .event_o(events),
      .accel_stopped_i(control_i[1]),
      .accel_bus_request_i(bus_request),
      .accel_bus_response_o(bus_response),
      .regs_i(regs),
      .word_request_i(in_valid_i[1]),
      .word_index_i(in_i[1][32+:$clog2(32*Rows)]),
      .word_write_i(1'b1),
      .word_wdata_i(in_i[1][31:0]),
      .hit_request_i(in_valid_i[2]),
      .hit_rdata_o(host_hit),
      .hit_done_o(in_ready_o[2])
  );

endmodule
