// SPDX-License-Identifier: Apache-2.0
// Number of bytes in a beat of an AXI-Stream whose tkeep has no holes. Combinational.
//
// Bit k is set when the last valid byte is in an odd block of 2^k bytes. The last byte of such a
// block is found from pairs of tkeep bits, a few LUTs deep. The result is 0 without a valid byte.
// It is NumBytes whenever the highest byte is valid, even with holes, if NumBytes is a power of
// two.
module keep_count #(
    parameter int unsigned NumBytes = 64
) (
    input  logic [      NumBytes-1:0] keep_i,
    output logic [$clog2(NumBytes):0] bytes_o
);

  if (NumBytes < 1) begin : gen_bad
    $error("keep_count: NumBytes must be at least 1");
  end

  localparam int unsigned Width = $clog2(NumBytes) + 1;
  wire [2*NumBytes-1:0] keep = (2 * NumBytes)'(keep_i);
  always_comb begin
    bytes_o = '0;
    for (int unsigned k = 0; k < Width; k++) begin
      for (int unsigned n = 2 ** k - 1; n < NumBytes; n += 2 ** (k + 1)) begin
        bytes_o[k] |= keep[n] & ~keep[n+2**k];
      end
      if (NumBytes == 2 ** (Width - 1) && k < Width - 1) bytes_o[k] &= ~keep[NumBytes-1];
    end
  end

endmodule
