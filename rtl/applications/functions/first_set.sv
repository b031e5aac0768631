// SPDX-License-Identifier: Apache-2.0
// The lowest bit that is set in a vector: a tree in which each node chooses among four.
//
// A wide vector is divided among two cycles: each bit of bits_i is then the any_o of a part of the
// vector, and below_i has the BelowWidth bits of that part's index_o.
//
// Latency: 0 cycles, Levels + 2 LUTs.
module first_set #(
    parameter int unsigned NumBits = 64,
    parameter int unsigned BelowWidth = 0,
    localparam int unsigned Width = NumBits > 1 ? $clog2(NumBits) : 1,
    localparam type below_t = logic [(BelowWidth > 0 ? BelowWidth : 1)-1:0]
) (
    input  logic   [         NumBits-1:0] bits_i,
    input  below_t [         NumBits-1:0] below_i,  // without BelowWidth not used
    output logic                          any_o,
    output logic   [Width+BelowWidth-1:0] index_o   // with any_o
);

  if (NumBits < 2) begin : gen_bad_bits
    $error("first_set: NumBits must be at least 2");
  end

  localparam int unsigned Levels = (Width + 1) / 2;
  if (BelowWidth > 0) begin : gen_parts
    wire below_t [4**Levels-1:0] parts = ($bits(below_t) * 4 ** Levels)'(below_i);
  end else begin : gen_no_parts
    wire unused = ^below_i;
  end
  for (genvar l = 0; l < Levels; l++) begin : gen_level
    localparam int unsigned Nodes = 4 ** (Levels - 1 - l);
    logic [4*Nodes-1:0] any;  // of the nodes below
    logic [Nodes-1:0][BelowWidth+2*l+1:0] index;
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      wire [3:0] below = any[4*n+:4];
      wire [1:0] choice = {~|below[1:0], ~below[0] & (below[1] | ~below[2])};
      if (l == 0 && BelowWidth == 0) begin : gen_leaf
        assign index[n] = choice;
      end else if (l == 0) begin : gen_part
        assign index[n] = {choice, gen_parts.parts[4*n+32'(choice)]};
      end else begin : gen_node
        assign index[n] = {choice, gen_level[l-1].index[4*n+32'(choice)]};
      end
    end
    if (l == 0) begin : gen_bits
      assign any = (4 * Nodes)'(bits_i);
    end else begin : gen_below
      for (genvar n = 0; n < 4 * Nodes; n++) begin : gen_any
        assign any[n] = |gen_level[l-1].any[4*n+:4];
      end
    end
  end
  assign any_o   = |gen_level[Levels-1].any;
  assign index_o = (Width + BelowWidth)'(gen_level[Levels-1].index[0]);

endmodule
