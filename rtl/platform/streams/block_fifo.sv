// SPDX-License-Identifier: Apache-2.0
// FIFO in block RAM, for depths that are too large for LUTRAM.
//
// The first two entries are in registers, which an entry reaches directly when no other entry is
// before it. The capacity is therefore Depth + 2. The output is registered.
//
// Latency: 1 cycle. Throughput: one entry per cycle. Depth: a power of two. The writer must ensure
// that there is room.
`include "bombus_assert.svh"

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
  data_t read_data_q, direct_q;  // the second entry, from the memory or directly
  pointer_t write_q, read_q;
  logic from_ram_q, second_q;  // second_q: the second entry is valid

  wire advance = ~valid_o | ready_i;
  wire second_advance = ~second_q | ready_i;  // meaningful only if there is a first entry
  // The same for the memory, whose enable has a long set-up time: a separate net without other
  // loads.
  (* keep *)wire fetch = ~second_q | ready_i;
  wire stored = write_q != read_q;  // implies second_q
  wire queued = write_i & (second_q | ~advance);
  wire store = queued & (stored | ~second_advance);

  always_ff @(posedge clk_i) begin
    // Written unconditionally: late signals only move the pointer, and the memory is free at the
    // pointer.
    if (write_i) ram[write_q[AddrWidth-1:0]] <= data_i;
    if (fetch) read_data_q <= ram[read_q[AddrWidth-1:0]];
    if (second_advance) direct_q <= data_i;
    if (second_advance) from_ram_q <= stored;
    if (advance) data_o <= ~second_q ? data_i : from_ram_q ? read_data_q : direct_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      write_q  <= '0;
      read_q   <= '0;
      second_q <= 1'b0;
      valid_o  <= 1'b0;
    end else begin
      if (store) write_q <= write_q + 1'b1;
      if (second_advance & stored) read_q <= read_q + 1'b1;
      if (second_advance) second_q <= stored | queued;
      if (advance) valid_o <= second_q | write_i;
    end
  end

  `BOMBUS_ASSERT(NoOverflow,
                 !(write_i && !second_advance && (write_q ^ read_q) == pointer_t'(Depth)))

endmodule
