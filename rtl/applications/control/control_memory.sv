// SPDX-License-Identifier: Apache-2.0
// A message: written by beats, read by words. A read returns the word a cycle later, and the old
// one in the cycle of a write to it.
module control_memory #(
    parameter int unsigned NumLanes = 16,  // words of a beat, a power of two
    parameter int unsigned NumWords = 4096,  // a power of two
    localparam int unsigned AddressBits = $clog2(NumWords),
    localparam int unsigned LaneBits = $clog2(NumLanes)
) (
    input logic clk_i,

    input logic write_i,
    input logic [AddressBits-LaneBits-1:0] row_i,
    input logic [NumLanes-1:0][31:0] wdata_i,

    input  logic [AddressBits-1:0] read_address_i,
    output logic [           31:0] rdata_o
);

  if (NumLanes < 2 || NumLanes != 2 ** LaneBits || NumWords < 2 * NumLanes ||
      NumWords != 2 ** AddressBits) begin : gen_bad_shape
    $error(
        "control_memory: NumLanes and NumWords must be powers of two, 2 lanes and 2 rows at least"
    );
  end

  logic [LaneBits-1:0] lane_q;
  logic [NumLanes-1:0][31:0] rdata;
  for (genvar n = 0; n < NumLanes; n++) begin : gen_lane
    logic [31:0] ram[2**(AddressBits-LaneBits)];
    always_ff @(posedge clk_i) begin
      if (write_i) ram[row_i] <= wdata_i[n];
      rdata[n] <= ram[read_address_i[AddressBits-1:LaneBits]];
    end
  end
  always_ff @(posedge clk_i) lane_q <= read_address_i[LaneBits-1:0];
  assign rdata_o = rdata[lane_q];

endmodule
