// SPDX-License-Identifier: Apache-2.0
// A memory with constant content, in LUTs if it is small and in block RAM otherwise.
//
// Latency: 1 cycle.
module constant_memory #(
    parameter int unsigned Width = 1,
    parameter int unsigned Entries = 2,
    parameter logic [Entries-1:0][Width-1:0] Content = '0,
    localparam int unsigned AddrBits = Entries > 1 ? $clog2(Entries) : 1
) (
    input logic clk_i,
    input logic [AddrBits-1:0] address_i,
    output logic [Width-1:0] data_o
);

  if (Width < 1 || Entries < 1) begin : gen_bad_size
    $error("constant_memory: Width and Entries must be at least 1");
  end

  localparam int unsigned MaxLutBits = 64 * 36;

  if (Entries * Width > MaxLutBits) begin : gen_block
    (* rom_style = "block" *) logic [Width-1:0] memory[Entries];
    initial for (int unsigned n = 0; n < Entries; n++) memory[n] = Content[n];
    always_ff @(posedge clk_i) data_o <= memory[address_i];
  end else begin : gen_small
    logic [Width-1:0] memory[Entries];
    initial for (int unsigned n = 0; n < Entries; n++) memory[n] = Content[n];
    always_ff @(posedge clk_i) data_o <= memory[address_i];
  end

endmodule
