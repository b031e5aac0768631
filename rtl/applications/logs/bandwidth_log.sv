// SPDX-License-Identifier: Apache-2.0
// Counts messages and payload bytes of a stream, unchanged and undelayed, in intervals of
// IntervalUs. An interval with messages is an entry (log_pkg::bandwidth_entry_t) of the log_store
// in the same tile. Intervals are longer where time_us_i jumps.
//
// Latency: 0 cycles, by wires. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module bandwidth_log
  import bombus_pkg::*;
  import log_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned IntervalUs = 1000,
    localparam int unsigned EntryBits = $bits(bandwidth_entry_t)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    output logic [EntryBits-1:0] log_entry_o,
    output logic log_write_o,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic busy_o,
    output logic timer_o
);

  localparam string Takes = "any";
  localparam string Sends = "taken";
  localparam string Entry = "";  // the entry of the tile that it precedes
  localparam bit StandsBefore = 1'b1;
  localparam bit Forwards = 1'b1;
  localparam string Status = "log";
  typedef enum logic [0:0] {NextLogged} next_e;

  if (IntervalUs < 1 || IntervalUs > 1000000000) begin : gen_bad_interval
    $error("bandwidth_log: IntervalUs must be 1 to 1000000000");
  end

  assign out_o = in_i;
  assign out_valid_o = in_valid_i;
  assign in_ready_o = out_ready_i;

  stamp_t stamp;
  log_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i,
      .stamp_o(stamp)
  );

  logic first, inside_q, ends_q, taken_q;
  length_t length_q, taken_length_q;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & out_ready_i),
      .last_i (in_i.last),
      .first_o(first)
  );
  logic [39:0] bytes_q;
  logic [31:0] messages_q, start_q, us_q;
  wire [39:0] taken_bytes = taken_q ? 40'(taken_length_q) : '0;
  always_ff @(posedge clk_i) begin
    if (in_valid_i & first) length_q <= in_i.length;
    taken_length_q <= first ? in_i.length : length_q;
    taken_q <= in_valid_i & out_ready_i & in_i.last & ~rst_i;
    inside_q <= ~first & ~rst_i;

    us_q <= time_us_i - start_q;
    ends_q <= (time_us_i - start_q >= 32'(IntervalUs)) & ~ends_q & ~rst_i;
    if (rst_i) start_q <= '0;
    else if (ends_q) start_q <= start_q + us_q;

    if (rst_i | ends_q) begin
      bytes_q <= rst_i ? '0 : taken_bytes;
      messages_q <= rst_i ? '0 : 32'(taken_q);
    end else begin
      bytes_q <= bytes_q + taken_bytes;
      messages_q <= messages_q + 32'(taken_q);
    end
  end

  bandwidth_entry_t entry;
  assign entry = '{bytes: bytes_q, messages: messages_q, us: us_q, stamp: stamp};
  always_ff @(posedge clk_i) begin
    log_entry_o <= entry;
    log_write_o <= ends_q & messages_q != '0 & ~rst_i;
  end
  assign busy_o  = in_valid_i | inside_q | taken_q | log_write_o;
  assign timer_o = messages_q != '0;

  `BOMBUS_ASSERT(BytesOfMessages, messages_q != '0 || bytes_q == '0)

endmodule
