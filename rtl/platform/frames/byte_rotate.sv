// SPDX-License-Identifier: Apache-2.0
// Rotates the bytes of a beat: byte n of the output is byte n + amount of the input, modulo
// NumBytes, or zero where keep_i is low.
//
// Each cycle has a 4:1 multiplexer, in all three LUTs per bit at 64 bytes. Two of them in one cycle
// would be mapped to a 16:1 multiplexer, which is larger. The flip-flops clear the bytes that are
// not kept.
//
// Latency: 3 cycles. Throughput: one beat per cycle; no backpressure.
module byte_rotate #(
    parameter int unsigned NumBytes = 64,  // a power of two, 8 to 64
    localparam int unsigned AmountWidth = $clog2(NumBytes)
) (
    input logic clk_i,

    input  logic [   NumBytes-1:0][7:0] in_i,
    input  logic [AmountWidth-1:0]      amount_i,
    input  logic [   NumBytes-1:0]      keep_i,    // two cycles after in_i: bytes of the output
    output logic [   NumBytes-1:0][7:0] out_o
);

  if (NumBytes < 8 || NumBytes > 64 || NumBytes != 2 ** AmountWidth) begin : gen_bad_bytes
    $error("byte_rotate: NumBytes must be 8, 16, 32 or 64");
  end

  typedef logic [NumBytes-1:0][7:0] bytes_t;

  // Rotates by 0 to 3 steps.
  function automatic bytes_t rotated(bytes_t in, logic [1:0] times, int unsigned step);
    bytes_t [3:0] choices;
    for (int unsigned t = 0; t < 4; t++) begin
      for (int unsigned n = 0; n < NumBytes; n++) begin
        choices[t][n] = in[(n+t*step)%NumBytes];
      end
    end
    return choices[times];
  endfunction

  wire  [5:0] amount = 6'(amount_i);
  logic [3:0] by_four_q;
  logic [1:0] by_sixteen_q;
  bytes_t one_q, four_q, sixteen;
  assign sixteen = rotated(four_q, by_sixteen_q, 16);

  always_ff @(posedge clk_i) begin
    one_q <= rotated(in_i, amount[1:0], 1);
    by_four_q <= amount[5:2];
    four_q <= rotated(one_q, by_four_q[1:0], 4);
    by_sixteen_q <= by_four_q[3:2];
    for (int unsigned n = 0; n < NumBytes; n++) begin
      if (~keep_i[n]) out_o[n] <= '0;
      else out_o[n] <= sixteen[n];
    end
  end

endmodule
