// SPDX-License-Identifier: Apache-2.0
// Memory with a write port and a read port, in LUTRAM or block RAM depending on its depth.
//
// A block RAM of 36 Kbit has at most 4,096 entries of 9 bits, or more that are narrower. Deeper
// memories, for any LutDepth, are divided into slices of that narrower width, not into banks, so no
// multiplexer of banks follows the memory.
//
// Latency of reading: 1 cycle. A read of an entry that is written in the same cycle returns the old
// value. Throughput: one read and one write per cycle.
module sized_memory #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 16,
    parameter int unsigned LutDepth = 64,  // the most entries in LUTRAM
    localparam type addr_t = logic [$clog2(Depth)-1:0]
) (
    input logic clk_i,

    input addr_t write_addr_i,
    input data_t data_i,
    input logic  write_i,

    input  addr_t read_addr_i,
    output data_t data_o
);

  if (Depth < 2) begin : gen_bad_depth
    $error("sized_memory: Depth must be at least 2");
  end

  localparam int unsigned BlockDepth = 4096;  // of the widest entries
  if (Depth > BlockDepth) begin : gen_slices
    localparam int unsigned SliceBits = Depth < 32768 ? 2 ** (15 - $clog2(Depth)) : 1;
    localparam int unsigned NumSlices = ($bits(data_t) + SliceBits - 1) / SliceBits;
    typedef logic [NumSlices-1:0][SliceBits-1:0] slices_t;
    wire slices_t written = slices_t'(data_i);
    slices_t read;
    for (genvar s = 0; s < NumSlices; s++) begin : gen_slice
      (* ram_style = "block" *) logic [SliceBits-1:0] ram[Depth];
      always_ff @(posedge clk_i) begin
        read[s] <= ram[read_addr_i];
        if (write_i) ram[write_addr_i] <= written[s];
      end
    end
    assign data_o = data_t'(read);
  end else if (Depth > LutDepth) begin : gen_block
    (* ram_style = "block" *) data_t ram[Depth];
    always_ff @(posedge clk_i) begin
      data_o <= ram[read_addr_i];
      if (write_i) ram[write_addr_i] <= data_i;
    end
  end else begin : gen_distributed
    (* ram_style = "distributed" *) data_t ram[Depth];
    always_ff @(posedge clk_i) begin
      data_o <= ram[read_addr_i];
      if (write_i) ram[write_addr_i] <= data_i;
    end
  end

endmodule
