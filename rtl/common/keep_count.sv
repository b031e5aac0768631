// SPDX-License-Identifier: Apache-2.0
// Bytes of a beat of an AXI-Stream, whose tkeep has no holes. Combinational.
module keep_count #(
    parameter int unsigned NumBytes = 64
) (
    input  logic [      NumBytes-1:0] keep_i,
    output logic [$clog2(NumBytes):0] bytes_o
);

  if (NumBytes < 1) begin : gen_bad
    $error("keep_count: NumBytes must be at least 1");
  end

  always_comb begin
    bytes_o = '0;
    for (int unsigned n = 0; n < NumBytes; n++) begin
      if (keep_i[n]) bytes_o = ($clog2(NumBytes) + 1)'(n + 1);
    end
  end

endmodule
