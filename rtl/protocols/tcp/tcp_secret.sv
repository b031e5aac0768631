// SPDX-License-Identifier: Apache-2.0
// Keys of the hashes over addresses and ports that peers choose (RFC 6528, 3; RFC 6056, 3.3.3).
//
// They are those of the register `secret` once its last word is not 0, and before that those of
// Seed, if its last word is not 0; otherwise there are none yet. From the first use on they are
// fixed until reset: sessions could not be found under others.
//
// Latency: 1 cycle.
module tcp_secret
  import tcp_pkg::*;
#(
    parameter logic [255:0] Seed = '0
) (
    input logic clk_i,
    input logic rst_i,
    input keys_t secret_i,
    input logic use_i,  // the keys are used
    output keys_t keys_o,
    output logic valid_o
);

  if (Seed != '0 && Seed[255:224] == '0) begin : gen_bad_seed
    $error("tcp_secret: Seed must be 0 or have a highest word of 32 bits other than 0");
  end

  keys_t keys_q;
  logic used_q, valid_q;
  wire written = secret_i.peers != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      keys_q  <= Seed;
      valid_q <= Seed[255:224] != '0;
      used_q  <= 1'b0;
    end else begin
      if (written & ~used_q) keys_q <= secret_i;
      valid_q <= valid_q | written;
      used_q  <= used_q | use_i;
    end
  end
  assign keys_o  = keys_q;
  assign valid_o = valid_q;

endmodule
