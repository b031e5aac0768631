// SPDX-License-Identifier: Apache-2.0
// Extracts a byte, halfword or word from a loaded word, and extends it; 0 if there is no load.
// Combinational. The word is late; the selection (rpu_pkg::load_t) is driven by flip-flops.
module rpu_load
  import rpu_pkg::*;
(
    input  word_t word_i,
    input  load_t how_i,
    output word_t value_o
);

  wire sign = word_i[{how_i.sign_place, 3'd7}] & how_i.is_signed;
  wire [7:0] low = 8'(word_i >> {how_i.place, 3'b000});
  assign value_o[7:0] = low & {8{how_i.loads}};
  assign value_o[15:8]  = word_i[15:8] & {8{how_i.lower}} | word_i[31:24] & {8{how_i.upper}} |
      {8{sign & how_i.is_byte}};
  assign value_o[31:16] = word_i[31:16] & {16{how_i.is_word}} | {16{sign}};

endmodule
