// SPDX-License-Identifier: Apache-2.0
// FIFO in block RAM: for what is too deep for LUTRAM.
//
// The front entry stands in a register of its own, which an entry reaches
// directly when nothing is before it: so Depth + 1 entries fit.
//
// Latency: 1 cycle. Throughput: one entry per cycle. Depth: a power of two. The
// writer must know that there is room.
module block_fifo #(
    parameter type data_t = logic [15:0],
    parameter int unsigned Depth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input data_t data_i,
    input logic  write_i,

    output data_t data_o,
    output logic  valid_o,
    input  logic  ready_i
);

  if (Depth < 2 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("block_fifo: Depth must be a power of two, at least 2");
  end

  localparam int unsigned AddrWidth = $clog2(Depth);
  typedef logic [AddrWidth:0] pointer_t;

  (* ram_style = "block" *) data_t ram[Depth];
  data_t read_data_q, direct_q;
  pointer_t write_q, read_q;
  logic from_ram_q;

  wire  advance = ~valid_o | ready_i;
  wire  stored = write_q != read_q;
  wire  store = write_i & (stored | ~advance);

  assign data_o = from_ram_q ? read_data_q : direct_q;

  always_ff @(posedge clk_i) begin
    if (store) ram[write_q[AddrWidth-1:0]] <= data_i;
    if (advance & stored) read_data_q <= ram[read_q[AddrWidth-1:0]];
    if (advance) direct_q <= data_i;
    if (advance) from_ram_q <= stored;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q <= '0;
      read_q  <= '0;
      valid_o <= 1'b0;
    end else begin
      if (store) write_q <= write_q + 1'b1;
      if (advance & stored) read_q <= read_q + 1'b1;
      if (advance) valid_o <= stored | write_i;
    end
  end

endmodule
