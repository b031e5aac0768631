// SPDX-License-Identifier: Apache-2.0
// Ascon-AEAD128 (NIST SP 800-232, section 4): authenticated encryption and its inverse, in blocks
// of 16 bytes, one round per cycle.
//
// start_i begins, or begins anew. Then the associated data are taken if there are any (has_ad_i),
// and the text: each as blocks, the last of which has 0 to 16 bytes, all others 16. The text is
// never without a block. out_o is the other text, in the cycle in which a block of the text is
// taken; its bytes beyond bytes_i are zero. done_o is high from the cycle in which tag_o is valid
// to the next start. The first byte is the lowest everywhere.
//
// Latency: 14 cycles from start_i to the first block; 10 to the next block, or to the text after
// the last block of associated data (19 if that block is full); from the last block of the text to
// done_o 14 (23 if it is full).
`include "bombus_assert.svh"

module ascon_aead (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,
    input logic decrypts_i,  // constant from start_i to done_o, as are key_i and has_ad_i
    input logic has_ad_i,
    input logic [127:0] key_i,
    input logic [127:0] nonce_i,

    input  logic [127:0] block_i,
    input  logic [  4:0] bytes_i,        // 0 to 16
    input  logic         last_i,
    input  logic         block_valid_i,
    output logic         block_ready_o,
    output logic         block_is_ad_o,  // the next block belongs to the associated data
    output logic [127:0] out_o,

    output logic done_o,
    output logic [127:0] tag_o
);

  typedef logic [63:0] word_t;
  localparam word_t Iv = 64'h00001000_808C0001;
  localparam logic [3:0] FirstOf12 = 4'd0, FirstOf8 = 4'd4, LastRound = 4'd11;

  typedef enum logic [2:0] {
    Idle,
    KeyIn,     // the key is added after the first permutation
    Ad,        // a block of associated data is taken
    AdPad,     // the padding after a full last block
    Separate,  // the bit between associated data and text
    Text,
    TextPad,
    Tag
  } state_e;
  state_e state_q;
  logic rounding_q;  // rounds precede the step of the state
  logic [3:0] round_q;
  word_t [4:0] s_q;

  // ---- A round (section 3) ----

  word_t [4:0] x, y, permuted;
  function automatic word_t diffused(word_t v, int unsigned first, int unsigned second);
    return v ^ (v >> first | v << (64 - first)) ^ (v >> second | v << (64 - second));
  endfunction
  always_comb begin
    x = s_q;
    x[2] ^= word_t'({~round_q, round_q});
    x[0] ^= s_q[4];
    x[4] ^= s_q[3];
    x[2] ^= s_q[1];
    for (int unsigned n = 0; n < 5; n++) y[n] = x[n] ^ (~x[(n+1)%5] & x[(n+2)%5]);
    y[1] ^= y[0];
    y[0] ^= y[4];
    y[3] ^= y[2];
    y[2] = ~y[2];
    permuted = {
      diffused(y[4], 7, 41),
      diffused(y[3], 10, 17),
      diffused(y[2], 1, 6),
      diffused(y[1], 61, 39),
      diffused(y[0], 19, 28)
    };
  end

  // ---- Steps between rounds: a value is added to the state ----

  wire steps = ~rounding_q;
  wire takes = block_valid_i & block_ready_o;
  wire full = bytes_i[4];
  wire ends_text = steps & ((state_q == TextPad) | (takes & (state_q == Text) & last_i & ~full));
  assign block_ready_o = steps & ((state_q == Ad) | (state_q == Text));
  assign block_is_ad_o = state_q == Ad;

  logic [127:0] mask, pad, absorbed;
  always_comb begin
    for (int unsigned n = 0; n < 16; n++) begin
      mask[8*n+:8] = {8{5'(n) < bytes_i}};
      pad[8*n+:8]  = 8'(5'(n) == bytes_i);
    end
    out_o = (block_i ^ s_q[1:0]) & mask;
    // The plaintext, which is the output of decryption
    absorbed = ((decrypts_i & (state_q == Text)) ? out_o : block_i & mask) | pad;
  end

  word_t [4:0] added;
  always_comb begin
    added = '0;
    if (takes) added[1:0] = absorbed;
    if (steps & ((state_q == AdPad) | (state_q == TextPad))) added[0] = 64'd1;
    if (steps & (state_q == KeyIn)) added[4:3] = key_i;
    if (steps & (state_q == Separate)) added[4] = 64'h80000000_00000000;
    if (ends_text) added[3:2] = key_i;
  end

  assign done_o = steps & (state_q == Tag);
  assign tag_o  = s_q[4:3] ^ key_i;

  always_ff @(posedge clk_i) begin
    if (start_i) s_q <= {nonce_i, key_i, Iv};
    else if (rounding_q) s_q <= permuted;
    else s_q <= s_q ^ added;

    round_q <= round_q + 4'd1;
    if (rounding_q) begin
      if (round_q == LastRound) rounding_q <= 1'b0;
    end else begin
      unique case (state_q)
        KeyIn: state_q <= has_ad_i ? Ad : Separate;
        Ad: begin
          if (takes & last_i) state_q <= full ? AdPad : Separate;
          rounding_q <= takes;
          round_q <= FirstOf8;
        end
        AdPad: begin
          state_q <= Separate;
          rounding_q <= 1'b1;
          round_q <= FirstOf8;
        end
        Separate: state_q <= Text;
        Text: begin
          if (takes & last_i) state_q <= full ? TextPad : Tag;
          rounding_q <= takes;
          round_q <= ends_text ? FirstOf12 : FirstOf8;
        end
        TextPad: begin
          state_q <= Tag;
          rounding_q <= 1'b1;
          round_q <= FirstOf12;
        end
        default: ;
      endcase
    end
    if (start_i) begin
      state_q <= KeyIn;
      rounding_q <= 1'b1;
      round_q <= FirstOf12;
    end
    if (rst_i) begin
      state_q <= Idle;
      rounding_q <= 1'b0;
    end
  end

  `BOMBUS_ASSERT(OnlyTheLastBlockIsShort, !block_valid_i || last_i || bytes_i == 5'd16)

endmodule
