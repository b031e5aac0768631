// SPDX-License-Identifier: Apache-2.0
// Finds the next hop of a message by a key: a UDP port, an IP protocol or an EtherType. Bombus sets
// the keys of the layers in the design and the number of the bound next hop of each key
// (docs/architecture.md, A layer).
//
// Key 0 has no next hop, unless ZeroKey makes it an ordinary key, or ZeroTakesRest makes it the
// default: its layer then receives all messages whose key is not bound. Combinational.
module bound_hop #(
    parameter int unsigned NumBound = 1,
    parameter int unsigned HopWidth = 1,
    parameter bit ZeroKey = 1'b0,  // 0 is a valid key; otherwise it means no key
    parameter bit ZeroTakesRest = 1'b0,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0
) (
    input  logic [        15:0] key_i,
    output logic                found_o,
    output logic [HopWidth-1:0] hop_o     // counted from 0; zero if none matches
);

  if (NumBound < 1 || HopWidth < 1 || HopWidth > 8) begin : gen_bad_shape
    $error("bound_hop: NumBound must be at least 1, HopWidth 1 to 8");
  end

  for (genvar b = 0; b < NumBound; b++) begin : gen_bound
    if (32'(BoundHops[b]) >= 2 ** HopWidth) begin : gen_bad_hop
      $error("bound_hop: HopWidth bits must hold all BoundHops");
    end
  end

  always_comb begin
    found_o = 1'b0;
    hop_o   = '0;
    for (int unsigned b = 0; b < NumBound; b++) begin
      if ((ZeroKey | (BoundKeys[b] != '0)) & (key_i == BoundKeys[b])) begin
        found_o = 1'b1;
        hop_o |= HopWidth'(BoundHops[b]);
      end
    end
    if (ZeroTakesRest & ~found_o) begin
      for (int unsigned b = 0; b < NumBound; b++) begin
        if (BoundKeys[b] == '0) begin
          found_o = 1'b1;
          hop_o |= HopWidth'(BoundHops[b]);
        end
      end
    end
  end

endmodule
