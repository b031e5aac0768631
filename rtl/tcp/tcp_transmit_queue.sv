// SPDX-License-Identifier: Apache-2.0
// Queue of the sessions that may have something to send, each at most once.
//
// Two places add: the first goes before the second, which waits. A session that is added
// while it is in the queue stays where it is. Latency: 1 cycle; one in and one out per cycle.
module tcp_transmit_queue
  import tcp_pkg::*;
#(
    parameter  int unsigned NumSessions = 16,
    localparam int unsigned IndexWidth  = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic rst_i,

    input logic [IndexWidth-1:0] first_i,
    input logic first_valid_i,
    input logic [IndexWidth-1:0] second_i,
    input logic second_valid_i,
    output logic second_ready_o,

    output logic [IndexWidth-1:0] out_o,
    output logic out_valid_o,
    input logic out_ready_i
);

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_transmit_queue: NumSessions must be a power of two, 2 to 16384");
  end

  typedef logic [IndexWidth-1:0] index_t;

  // A session is in the queue while its two bits differ, so each bit has only one writer.
  logic   added  [NumSessions];
  logic   removed[NumSessions];
  index_t entries[NumSessions];
  logic [IndexWidth:0] write_q, read_q;
  index_t clear_q;
  logic clearing_q;

  wire index_t in = first_valid_i ? first_i : second_i;
  wire in_valid = (first_valid_i | second_valid_i) & ~clearing_q;
  assign second_ready_o = ~first_valid_i & ~clearing_q;

  wire some = write_q != read_q;
  wire fetches = ~out_valid_o | out_ready_i;
  wire fetch = some & fetches;
  wire taken = out_valid_o & out_ready_i;
  // A request added while the session leaves is too late for this turn.
  wire leaves = taken & (in == out_o);
  wire add = in_valid & ((added[in] == removed[in]) | leaves);
  wire pass = add & ~some & fetches;  // the queue is empty

  always_ff @(posedge clk_i) begin
    if (clearing_q) added[clear_q] <= 1'b0;
    else if (add) added[in] <= ~added[in];
    if (clearing_q) removed[clear_q] <= 1'b0;
    else if (taken) removed[out_o] <= added[out_o];
    if (add) entries[write_q[IndexWidth-1:0]] <= in;
    if (fetches) out_o <= some ? entries[read_q[IndexWidth-1:0]] : in;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q <= '0;
      out_valid_o <= 1'b0;
      clear_q <= '0;
      clearing_q <= 1'b1;
    end else begin
      clear_q <= clear_q + 1'b1;
      if (&clear_q) clearing_q <= 1'b0;
      if (add & ~pass) write_q <= write_q + 1'b1;
      if (fetch) read_q <= read_q + 1'b1;
      if (fetches) out_valid_o <= some | add;
    end
  end

endmodule
