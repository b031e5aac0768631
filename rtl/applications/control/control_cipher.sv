// SPDX-License-Identifier: Apache-2.0
// Seals or opens a message word by word: the associated data, which are never empty, then the text.
// out_* are the words of the other text. done_o is high from the cycle in which tag_o is valid to
// the next start. Without Sealed the text is passed on as it is, and the tag is zero.
//
// Throughput: a block of four words in 9 cycles.
`include "bombus_assert.svh"

module control_cipher #(
    parameter bit Sealed = 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,
    input logic decrypts_i,  // constant from start_i to done_o, as are key_i and empty_i
    input logic empty_i,  // the text has no words
    input logic [127:0] key_i,
    input logic [127:0] nonce_i,

    input  logic [31:0] word_i,
    input  logic        last_i,   // of the associated data, or of the text
    input  logic        valid_i,
    output logic        ready_o,

    output logic [31:0] out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,

    output logic         done_o,
    output logic [127:0] tag_o
);

  wire taken = valid_i & ready_o;

  if (Sealed) begin : gen_sealed
    logic [3:0][31:0] block_q;
    logic [2:0] count_q;  // words in the block
    logic last_q;
    logic [3:0][31:0] out_q;
    logic [2:0] left_q;  // words in out_q
    logic block_ready, is_ad, sealed;
    logic [127:0] out;

    wire complete = count_q[2] | last_q | (empty_i & ~is_ad);
    wire block_valid = complete & (is_ad | left_q == '0);
    wire block_taken = block_valid & block_ready;
    assign ready_o = ~count_q[2] & ~last_q & ~start_i;

    ascon_aead u_ascon (
        .clk_i,
        .rst_i,
        .start_i,
        .decrypts_i,
        .has_ad_i(1'b1),
        .key_i,
        .nonce_i,
        .block_i(block_q),
        .bytes_i({count_q, 2'b00}),
        .last_i(last_q | (empty_i & ~is_ad)),
        .block_valid_i(block_valid),
        .block_ready_o(block_ready),
        .block_is_ad_o(is_ad),
        .out_o(out),
        .done_o(sealed),
        .tag_o
    );

    always_ff @(posedge clk_i) begin
      if (taken) block_q[count_q[1:0]] <= word_i;
      if (block_taken & ~is_ad) out_q <= out;
      else if (out_valid_o & out_ready_i) out_q <= {32'b0, out_q[3:1]};
      if (rst_i | start_i) begin
        count_q <= '0;
        last_q  <= 1'b0;
        left_q  <= '0;
      end else begin
        if (block_taken) begin
          count_q <= '0;
          last_q  <= 1'b0;
        end else if (taken) begin
          count_q <= count_q + 3'd1;
          last_q  <= last_i;
        end
        if (block_taken & ~is_ad) left_q <= count_q;
        else if (out_valid_o & out_ready_i) left_q <= left_q - 3'd1;
      end
    end
    assign out_o = out_q[0];
    assign out_valid_o = left_q != '0;
    assign done_o = sealed & (left_q == '0);

    `BOMBUS_ASSERT(CountsInBlock, count_q <= 3'd4 && left_q <= 3'd4)
  end else begin : gen_plain
    logic text_q, done_q;
    assign ready_o = (~text_q | out_ready_i) & ~start_i;
    assign out_o = word_i;
    assign out_valid_o = valid_i & text_q & ~done_q;
    assign done_o = done_q | (text_q & empty_i);
    assign tag_o = '0;
    always_ff @(posedge clk_i) begin
      if (start_i) begin
        text_q <= 1'b0;
        done_q <= 1'b0;
      end else if (taken & last_i) begin
        text_q <= 1'b1;
        done_q <= text_q;
      end
    end
    wire unused = ^{rst_i, decrypts_i, key_i, nonce_i};
  end

endmodule
