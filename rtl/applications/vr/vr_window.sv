// SPDX-License-Identifier: Apache-2.0
// The bytes of a message from any position on: two beats, and a line that is rotated.
//
// begin_i takes the first beat of a message; first_i, in the next cycle, makes it the present one.
// The others are taken while ready_o is high. consume_i moves the position by count_i bytes.
// extract_i puts the next 64 bytes on line_o; keep_o marks the first count_i of them, in a line
// that is not rotated. Both need has_o: the next beat has arrived, or the message has ended, and no
// line is being rotated.
//
// A line takes each byte from that of the two beats that holds it, in its place in the beat but for
// a rotation by HomeBytes, where the first operation of a Prepare begins. It is left like this,
// rotated by place_o bytes, or with rotates_i rotated in place, by 8 bytes or by 1 in a cycle: one
// 4:1 multiplexer for each bit.
//
// Latency of an extraction: 2 cycles, and up to 14 for the rotation. Throughput: one per cycle;
// with a rotation, one when that ends.
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
    input  logic       rotates_i,  // the line begins at byte 0,
    output logic [5:0] place_o,    // or else at this one
    output logic       has_o,
    output logic       turns_o,    // a line is being rotated

    input tag_t tag_i,
    output line_t line_o,
    output logic [LineBytes-1:0] keep_o,
    output tag_t tag_o,
    output logic valid_o
);

  localparam int unsigned HomeBytes = 77 % LineBytes;  // (docs/applications/vr/wire.md)
  localparam int unsigned TurnBytes = 8;
  typedef logic [LineBytes-1:0][7:0] bytes_t;

  // ---- The beats, and the position in the first of them ----

  bytes_t current_q, next_q;
  logic has_next_q, ended_q;
  logic [5:0] offset_q;

  wire [7:0] after = {2'b0, offset_q} + {1'b0, count_i};
  wire shift = first_i | (consume_i & (after >= 8'd64));
  assign has_o = (has_next_q | ended_q) & ~turns_o;
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

  // ---- The line ----

  logic [5:0] left_q;  // bytes by which the line is still to be rotated
  logic loaded_q;  // it has its place
  wire by_more = |left_q[5:3];
  wire [5:0] left = left_q - (by_more ? 6'(TurnBytes) : 6'd1);
  // From the next beat: the bytes before the position. In a rotation: all bytes, or none of them.
  wire [5:0] bound = turns_o ? {6{by_more}} : offset_q;
  logic [LineBytes-1:0] of_next, of_next_q;
  bytes_t line_q;
  always_comb begin
    for (int unsigned b = 0; b < LineBytes; b++) of_next[b] = 6'(b) < bound;
    of_next[LineBytes-1] = turns_o & by_more;
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < LineBytes; b++) begin
      automatic int unsigned from = (b + HomeBytes) % LineBytes;
      unique case ({
        turns_o, of_next[from]
      })
        2'b00:   line_q[b] <= current_q[from];
        2'b01:   line_q[b] <= next_q[from];
        2'b10:   line_q[b] <= line_q[(b+1)%LineBytes];
        default: line_q[b] <= line_q[(b+TurnBytes)%LineBytes];
      endcase
    end
  end

  logic [6:0] after_q;
  tag_t tag_q;
  assign place_o = offset_q - 6'(HomeBytes);
  wire turns = rotates_i & (place_o != '0);
  always_ff @(posedge clk_i) begin
    if (extract_i) begin
      tag_q <= tag_i;
      left_q <= place_o;
      turns_o <= turns;
      loaded_q <= ~turns;
    end else begin
      if (turns_o) left_q <= left;
      turns_o  <= turns_o & (left != '0);
      loaded_q <= turns_o & (left == '0);
    end
    line_o <= line_q;
    after_q <= after[6:0];
    of_next_q <= of_next;
    for (int unsigned b = 0; b < LineBytes; b++) begin
      automatic int unsigned from = (b + HomeBytes) % LineBytes;
      automatic logic before_end = 6'(from) < after_q[5:0];
      keep_o[b] <= of_next_q[from] ? after_q[6] & before_end : after_q[6] | before_end;
    end
    tag_o   <= tag_q;
    valid_o <= loaded_q;
    if (rst_i) begin
      turns_o  <= 1'b0;
      loaded_q <= 1'b0;
      valid_o  <= 1'b0;
    end
  end

endmodule
