// SPDX-License-Identifier: Apache-2.0
// The bytes of a message from any position on: two beats, and a shifter.
//
// begin_i takes the first beat of a message; first_i, in the next cycle, makes it the present one.
// The others are taken while ready_o is high. consume_i
// moves the position by count_i bytes. extract_i puts the next 64 bytes on line_o; keep_o marks the
// first count_i of them. Both need has_o: the next beat has arrived, or the message has ended.
//
// The shifter moves the 128 bytes of both beats by multiples of 16, 4 and 1 bytes; each step is a
// 4:1 multiplexer of no more bytes than the next one needs.
//
// Latency of an extraction: 3 cycles. Throughput: one per cycle.
module vr_window
  import vr_pkg::*;
#(
    parameter type tag_t = logic  // accompanies an extraction
) (
    input logic clk_i,
    input logic rst_i,

    input  line_t in_i,
    input  logic  in_valid_i,
    input  logic  in_last_i,
    input  logic  begin_i,     // takes the beat, the first one of a message
    input  logic  first_i,     // the cycle after begin_i
    input  logic  discard_i,   // takes beats although there is no room
    output logic  ready_o,     // takes the beat, another one
    output logic  ended_o,     // the last beat of the message has been taken
    output line_t next_o,      // the second beat
    output logic  has_next_o,

    input  logic [6:0] count_i,    // bytes, up to 127
    input  logic       consume_i,
    input  logic       extract_i,
    output logic       has_o,

    input tag_t tag_i,
    output line_t line_o,
    output logic [LineBytes-1:0] keep_o,
    output tag_t tag_o,
    output logic valid_o
);

  line_t current_q, next_q;
  logic has_next_q, ended_q;
  logic [5:0] offset_q;

  wire [7:0] after = {2'b0, offset_q} + {1'b0, count_i};
  wire shift = first_i | (consume_i & (after >= 8'd64));
  assign has_o = has_next_q | ended_q;
  assign ready_o = ~ended_q & (~has_next_q | shift | discard_i);
  assign ended_o = ended_q;
  assign next_o = next_q;
  assign has_next_o = has_next_q;

  wire taken = in_valid_i & ready_o;
  always_ff @(posedge clk_i) begin
    if (shift) current_q <= next_q;
    if (begin_i | taken) next_q <= in_i;
    if (begin_i) begin
      offset_q <= '0;
      has_next_q <= 1'b1;
      ended_q <= in_last_i;
    end else begin
      if (consume_i) offset_q <= after[5:0];
      if (taken) has_next_q <= 1'b1;
      else if (shift) has_next_q <= 1'b0;
      if (taken & in_last_i) ended_q <= 1'b1;
    end
    if (rst_i) ended_q <= 1'b1;
  end

  typedef logic [78:0][7:0] by_16_t;  // bytes after a shift by a multiple of 16
  typedef logic [66:0][7:0] by_4_t;
  by_16_t by_16_q;
  by_4_t by_4_q;
  logic [3:0] offset_16_q;
  logic [1:0] offset_4_q;
  wire [2*LineBytes-1:0][7:0] both = {next_q, current_q};
  by_16_t by_16;
  by_4_t by_4;
  line_t by_1;
  // The four choices of each byte.
  always_comb begin
    for (int unsigned n = 0; n < 79; n++) begin
      logic [3:0][7:0] choices;
      for (int unsigned t = 0; t < 4; t++) choices[t] = both[n+16*t];
      by_16[n] = choices[offset_q[5:4]];
    end
  end
  always_comb begin
    for (int unsigned n = 0; n < 67; n++) begin
      logic [3:0][7:0] choices;
      for (int unsigned t = 0; t < 4; t++) choices[t] = by_16_q[n+4*t];
      by_4[n] = choices[offset_16_q[3:2]];
    end
  end
  always_comb begin
    for (int unsigned n = 0; n < LineBytes; n++) begin
      logic [3:0][7:0] choices;
      for (int unsigned t = 0; t < 4; t++) choices[t] = by_4_q[n+t];
      by_1[8*n+:8] = choices[offset_4_q];
    end
  end
  always_ff @(posedge clk_i) begin
    by_16_q <= by_16;
    offset_16_q <= offset_q[3:0];
    by_4_q <= by_4;
    offset_4_q <= offset_16_q[1:0];
    line_o <= by_1;
  end

  logic [1:0][6:0] count_q;
  tag_t [2:0] tag_q;
  logic [2:0] valid_q;
  always_ff @(posedge clk_i) begin
    count_q <= {count_q[0], count_i};
    for (int unsigned b = 0; b < LineBytes; b++) keep_o[b] <= 7'(b) < count_q[1];
    tag_q   <= {tag_q[1:0], tag_i};
    valid_q <= {valid_q[1:0], extract_i};
    if (rst_i) valid_q <= '0;
  end
  assign tag_o   = tag_q[2];
  assign valid_o = valid_q[2];

endmodule
