// SPDX-License-Identifier: Apache-2.0
// Table of registers in a dual-port memory: one port for the register port, one for the layer to
// read. An entry is written and read as a whole.
//
// After reset every entry is Reset: the memory is filled, one entry per cycle. In the meantime the
// register port waits and the layer reads Reset.
//
// Layer: entry_o is the entry addressed in the cycle before; an entry that was written in the same
// cycle returns its old value. Throughput: one read per cycle. Register port: a write takes 1
// cycle, a read 2.
`include "bombus_assert.svh"

module register_table #(
    parameter type entry_t = logic,
    parameter int unsigned NumEntries = 2,
    parameter entry_t Reset = '0,
    localparam int unsigned IndexWidth = NumEntries > 1 ? $clog2(NumEntries) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                    request_i,  // held until done_o
    input  logic                    write_i,
    input  logic   [IndexWidth-1:0] index_i,
    input  entry_t                  wdata_i,
    output logic                    done_o,     // one cycle
    output entry_t                  rdata_o,    // with done_o

    input  logic   [IndexWidth-1:0] read_index_i,
    output entry_t                  entry_o
);

  if (NumEntries < 1) begin : gen_bad_entries
    $error("register_table: NumEntries must be at least 1");
  end

  logic filled_q, read_q;
  logic [IndexWidth-1:0] fill_q;
  wire [IndexWidth-1:0] index = filled_q ? index_i : fill_q;
  wire write = ~filled_q | (request_i & write_i);

  entry_t ram[NumEntries];
  always_ff @(posedge clk_i) begin
    if (write) ram[index] <= filled_q ? wdata_i : Reset;
    rdata_o <= ram[index];
  end
  always_ff @(posedge clk_i) begin
    if (filled_q) entry_o <= ram[read_index_i];
    else entry_o <= Reset;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      filled_q <= 1'b0;
      fill_q   <= '0;
      read_q   <= 1'b0;
    end else begin
      if (~filled_q) begin
        fill_q   <= fill_q + 1'b1;
        filled_q <= fill_q == IndexWidth'(NumEntries - 1);
      end
      read_q <= filled_q & request_i & ~write_i & ~done_o;
    end
  end
  assign done_o = filled_q & request_i & (write_i | read_q);

  `BOMBUS_ASSERT(RequestIsHeld, !read_q || (request_i && !write_i))
  `BOMBUS_ASSERT(FillsEachOnce, filled_q || 32'(fill_q) < NumEntries)

endmodule
