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
  logic added[NumSessions];
  logic removed[NumSessions];
  index_t clear_q;
  logic clearing_q;

  wire index_t in = first_valid_i ? first_i : second_i;
  wire in_valid = (first_valid_i | second_valid_i) & ~clearing_q;
  assign second_ready_o = ~first_valid_i & ~clearing_q;

  // Both bits are written a cycle later: whether a session is taken is known late.
  index_t in_q, out_q;
  logic add_q, taken_q, added_q, removed_q;
  wire in_added = add_q & (in == in_q) ? added_q : added[in];
  wire in_removed = taken_q & (in == out_q) ? removed_q : removed[in];
  wire out_added = add_q & (out_o == in_q) ? added_q : added[out_o];
  // A request added while the session leaves is too late for this turn.
  wire leaves = out_valid_o & (in == out_o);
  wire taken = out_valid_o & out_ready_i;
  wire add = in_valid & ((in_added == in_removed) | (leaves & out_ready_i));

  always_ff @(posedge clk_i) begin
    in_q <= in;
    added_q <= ~in_added;
    add_q <= add & ~rst_i;
    out_q <= out_o;
    removed_q <= out_added;
    taken_q <= taken & ~rst_i;
    if (clearing_q) added[clear_q] <= 1'b0;
    else if (add_q) added[in_q] <= added_q;
    if (clearing_q) removed[clear_q] <= 1'b0;
    else if (taken_q) removed[out_q] <= removed_q;
    if (rst_i) begin
      clear_q <= '0;
      clearing_q <= 1'b1;
    end else begin
      clear_q <= clear_q + 1'b1;
      if (&clear_q) clearing_q <= 1'b0;
    end
  end

  // Both have room for all sessions, and for one that is added while it leaves.
  if (NumSessions > 32) begin : gen_block
    block_fifo #(
        .data_t(index_t),
        .Depth (NumSessions)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .data_i (in),
        .write_i(add),
        .data_o (out_o),
        .valid_o(out_valid_o),
        .ready_i(out_ready_i)
    );
  end else begin : gen_distributed
    logic unused_body, room;
    head_fifo #(
        .head_t(index_t),
        .body_t(logic),
        .Depth (2 * NumSessions)
    ) u_fifo (
        .clk_i,
        .rst_i,
        .in_head_i (in),
        .in_body_i (1'b0),
        .in_valid_i(add),
        .in_ready_o(room),
        .out_head_o(out_o),
        .out_body_o(unused_body),
        .out_valid_o,
        .out_ready_i
    );
`ifndef SYNTHESIS
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (!(add && !room))
        else $error("tcp_transmit_queue: no room for a session");
      end
    end
`else
    wire unused = room;
`endif
  end

endmodule
