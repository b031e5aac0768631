// SPDX-License-Identifier: Apache-2.0
// FIFO whose output is the register of its memory (sized_memory): unlike block_fifo it takes no LUT
// per bit, but a cycle more. The writer ensures that there is room.
//
// Latency: 2 cycles. Throughput: one entry per cycle. Depth: the capacity, a power of two.
`include "bombus_assert.svh"

module ram_fifo #(
    parameter type data_t = logic [15:0],
    parameter int unsigned Depth = 512,
    localparam int unsigned IndexWidth = $clog2(Depth)
) (
    input logic clk_i,
    input logic rst_i,

    input data_t data_i,
    input logic  write_i,

    output logic [IndexWidth:0] level_o,  // entries, without that of write_i

    output data_t data_o,
    output logic  valid_o,
    input  logic  ready_i
);

  if (Depth < 2 || Depth != 2 ** IndexWidth) begin : gen_bad_depth
    $error("ram_fifo: Depth must be a power of two, at least 2");
  end

  typedef logic [IndexWidth:0] pointer_t;
  pointer_t write_q, read_q, next_q, read;  // next_q is read_q + 1, since ready_i arrives late
  assign read = valid_o & ready_i ? next_q : read_q;
  assign level_o = write_q - read_q;

  sized_memory #(
      .data_t(data_t),
      .Depth (Depth)
  ) u_memory (
      .clk_i,
      .write_addr_i(write_q[IndexWidth-1:0]),
      .data_i,
      .write_i,
      .read_addr_i (read[IndexWidth-1:0]),
      .data_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q  <= '0;
      next_q  <= pointer_t'(1);
      valid_o <= 1'b0;
    end else begin
      write_q <= write_q + pointer_t'(write_i);
      read_q  <= read;
      if (valid_o & ready_i) next_q <= next_q + 1'b1;
      // An entry can be read from the cycle after its write on.
      valid_o <= read != write_q;
    end
  end

  `BOMBUS_ASSERT(NoOverflow, !write_i || level_o != pointer_t'(Depth))

endmodule
