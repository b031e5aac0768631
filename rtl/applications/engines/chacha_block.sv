// SPDX-License-Identifier: Apache-2.0
// Block function of ChaCha (RFC 8439, 2.3): one block of key stream per cycle.
//
// RFC 8439 uses 20 rounds. ChaCha8 and ChaCha12 (Bernstein, 2008) have a smaller security margin
// and take 40 and 60% of the area.
//
// Latency: 4 * Rounds + 2 cycles. Throughput: one block per cycle. No backpressure.
module chacha_block #(
    parameter int unsigned Rounds = 20  // even
) (
    input logic clk_i,
    input logic rst_i,

    // Constant while blocks are generated; like all inputs, first byte lowest
    input logic [255:0] key_i,
    input logic [ 95:0] nonce_i,
    input logic [  7:0] block_i,  // block number
    input logic         valid_i,

    output logic [511:0] block_o,
    output logic         valid_o
);

  if (Rounds < 2 || Rounds % 2 != 0) begin : gen_bad_rounds
    $error("chacha_block: Rounds must be even, at least 2");
  end

  typedef logic [31:0] word_t;
  typedef word_t [15:0] state_t;
  localparam logic [127:0] Constants = 128'h6b206574_79622d32_3320646e_61707865;
  localparam int unsigned NumStages = 4 * Rounds;

  function automatic word_t rotated(word_t word, int unsigned places);
    return (word << places) | (word >> (32 - places));
  endfunction

  // One of the four additions of each quarter round, and the XOR and rotation after it.
  function automatic state_t quarter(state_t in, bit diagonal, int unsigned addition);
    int unsigned a, b, c, d;
    state_t out;
    out = in;
    for (int unsigned q = 0; q < 4; q++) begin
      a = q;
      b = 4 + (q + (diagonal ? 1 : 0)) % 4;
      c = 8 + (q + (diagonal ? 2 : 0)) % 4;
      d = 12 + (q + (diagonal ? 3 : 0)) % 4;
      if (addition % 2 == 0) begin
        out[a] = in[a] + in[b];
        out[d] = rotated(in[d] ^ out[a], addition == 0 ? 16 : 8);
      end else begin
        out[c] = in[c] + in[d];
        out[b] = rotated(in[b] ^ out[c], addition == 1 ? 12 : 7);
      end
    end
    return out;
  endfunction

  // ---- Stages; the words to be added at the end are delayed by the same time ----

  typedef struct packed {
    logic [95:0] nonce;
    logic [7:0]  block;
  } start_t;

  state_t state_q[NumStages+1];
  start_t start_q[NumStages+1];
  logic [NumStages:0] valid_q;

  always_ff @(posedge clk_i) begin
    state_q[0] <= {nonce_i, 24'b0, block_i, key_i, Constants};
    start_q[0] <= '{nonce: nonce_i, block: block_i};
    valid_q <= rst_i ? '0 : {valid_q[NumStages-1:0], valid_i};
  end
  for (genvar s = 0; s < NumStages; s++) begin : gen_stage
    always_ff @(posedge clk_i) begin
      state_q[s+1] <= quarter(state_q[s], s % 8 > 3, s % 4);
      start_q[s+1] <= start_q[s];
    end
  end

  state_t start, sum;
  assign start = {start_q[NumStages].nonce, 24'b0, start_q[NumStages].block, key_i, Constants};
  always_comb begin
    for (int unsigned w = 0; w < 16; w++) sum[w] = state_q[NumStages][w] + start[w];
  end
  always_ff @(posedge clk_i) begin
    block_o <= sum;
    valid_o <= valid_q[NumStages] & ~rst_i;
  end

endmodule
