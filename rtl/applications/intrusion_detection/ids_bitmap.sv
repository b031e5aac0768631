// SPDX-License-Identifier: Apache-2.0
// Bitmap with 16 look-ups per cycle: eight copies with two ports each.
//
// While a word is written, one port of each copy is not available for a look-up.
//
// Latency: 2 cycles. Throughput: 16 look-ups per cycle.
module ids_bitmap #(
    parameter int unsigned Words = 512,  // 32-bit words
    localparam int unsigned WordWidth = $clog2(Words)
) (
    input logic clk_i,

    input  logic [15:0][WordWidth+4:0] bit_i,
    output logic [15:0]                found_o,

    input logic write_i,
    input logic [WordWidth-1:0] write_word_i,
    input logic [31:0] data_i
);

  if (Words < 4 || Words != 2 ** WordWidth) begin : gen_bad_words
    $error("ids_bitmap: Words must be a power of two, at least 4");
  end

  for (genvar c = 0; c < 8; c++) begin : gen_copy
    (* ram_style = "block" *) logic [31:0] memory[Words];
    logic [31:0] even_q, odd_q;
    logic [4:0] even_bit_q, odd_bit_q;
    wire [WordWidth-1:0] even = write_i ? write_word_i : bit_i[2*c][WordWidth+4:5];
    always_ff @(posedge clk_i) begin
      if (write_i) memory[even] <= data_i;
      even_q <= memory[even];
    end
    always_ff @(posedge clk_i) begin
      odd_q <= memory[bit_i[2*c+1][WordWidth+4:5]];
      even_bit_q <= bit_i[2*c][4:0];
      odd_bit_q <= bit_i[2*c+1][4:0];
      found_o[2*c] <= even_q[even_bit_q];
      found_o[2*c+1] <= odd_q[odd_bit_q];
    end
  end

endmodule
