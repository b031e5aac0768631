// SPDX-License-Identifier: Apache-2.0
// Buffer of whole frames in block RAM: data is readable once it is committed, and can be discarded
// until then.
//
// Latency: 2 cycles from the commit, 3 with OutputRegister, where data_o is driven by flip-flops
// instead of the memory. Throughput: one beat per cycle. Depth: a power of two. The writer must not
// write while full_o is high: the data would be lost.
`include "bombus_assert.svh"

module frame_buffer #(
    parameter type data_t = logic [15:0],
    parameter int unsigned Depth = 512,
    parameter bit OutputRegister = 0
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t data_i,
    input  logic  write_i,
    input  logic  commit_i,  // commits everything up to and including this cycle's write
    input  logic  abort_i,   // discards everything since the last commit
    output logic  full_o,

    output data_t data_o,
    output logic  valid_o,
    input  logic  ready_i
);

  if (Depth < 2 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("frame_buffer: Depth must be a power of two, at least 2");
  end

  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth:0] pointer_t;

  (* ram_style = "block" *) data_t ram[Depth];
  pointer_t write_q, commit_q, read_q;

  data_t read_data_q;
  logic read_valid_q;
  logic stuck;  // read data moves only with the output; registered

  // write_i is late: it selects after the adder.
  wire pointer_t write_plus = write_q + pointer_t'(1);
  wire pointer_t write_next = write_i ? write_plus : write_q;
  wire committed = read_q != commit_q;
  wire moves = ~stuck | ready_i;
  wire fetch = committed & moves;

  // read_q is ahead of the reader: those beats have already left the RAM.
  assign full_o = (write_q ^ read_q) == {1'b1, {AddrWidth{1'b0}}};

  always_ff @(posedge clk_i) begin
    if (write_i) ram[write_q[AddrWidth-1:0]] <= data_i;
    // Data read without fetch is not valid. The enable omits fetch, since ready_i already arrives
    // late at the block RAM.
    if (moves) read_data_q <= ram[read_q[AddrWidth-1:0]];
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      commit_q <= '0;
      read_q <= '0;
      read_valid_q <= 1'b0;
    end else begin
      write_q <= abort_i ? commit_q : write_next;
      if (commit_i) commit_q <= write_next;
      if (fetch) read_q <= read_q + pointer_t'(1);
      if (moves) read_valid_q <= committed;
    end
  end

  if (OutputRegister) begin : gen_register
    logic unused_ready;
    logic stuck_q;  // two valid beats
    assign stuck = stuck_q;
    always_ff @(posedge clk_i) begin
      if (rst_i) stuck_q <= 1'b0;
      else stuck_q <= (committed | ~moves) & (read_valid_q | (valid_o & ~ready_i));
    end
    stream_register #(
        .data_t(data_t)
    ) u_out (
        .clk_i,
        .rst_i,
        .in_i(read_data_q),
        .in_valid_i(read_valid_q),
        .in_ready_o(unused_ready),
        .out_o(data_o),
        .out_valid_o(valid_o),
        .out_ready_i(ready_i)
    );
  end else begin : gen_direct
    assign data_o  = read_data_q;
    assign valid_o = read_valid_q;
    assign stuck   = read_valid_q;
  end

  `BOMBUS_ASSERT(NoOverflow, !(write_i && full_o))

endmodule
