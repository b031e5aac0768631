// SPDX-License-Identifier: Apache-2.0
// Seals an answer, and sends it as beats of an AXI-Stream: its header, its body, and the tag. The
// body is details_i, from its first word on, or successive words of the memory.
//
// Latency: 9 cycles to the first beat of an answer without a body, and those of the cipher.
module control_answer
  import control_pkg::*;
#(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned AddressBits = 13,  // of the memory
    parameter bit Sealed = 1,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,
    input logic [HeaderWords-1:0][31:0] header_i,  // constant until done_o, as are the following
    input logic [127:0] nonce_i,
    input logic [AddressBits-1:0] words_i,  // of the body
    input logic has_details_i,
    input logic [HelloWords-1:0][31:0] details_i,
    input logic [AddressBits-1:0] first_i,  // address of the body in the memory
    output logic done_o,

    output logic [AddressBits-1:0] read_address_o,
    input logic [31:0] rdata_i,

    output cipher_input_t cipher_o,
    input logic cipher_ready_i,
    input logic [31:0] cipher_out_i,
    input logic cipher_out_valid_i,
    output logic cipher_out_ready_o,
    input logic cipher_done_i,
    input logic [127:0] tag_i,

    output logic [DataWidth-1:0] tdata_o,
    output logic [DataBytes-1:0] tkeep_o,
    output logic tvalid_o,
    input logic tready_i,
    output logic tlast_o
);

  if (AddressBits < 11 || DataWidth < 64) begin : gen_bad
    $error("control_answer: AddressBits must be at least 11, DataWidth at least 64");
  end

  typedef logic [AddressBits-1:0] index_t;
  typedef enum logic [2:0] {
    Idle,
    Header,
    Body,
    End,
    Tag
  } state_e;
  state_e state_q;
  logic [2:0] step_q;  // within a state

  index_t fetch_q, left_q;
  index_t out_left_q;  // words of the text that the cipher has not returned
  logic   fetched_q;  // rdata_i is the word of fetch_q
  assign read_address_o = fetch_q;

  logic empty_q, start_q;
  logic tx_valid, tx_ready, tx_last;
  logic [31:0] tx_word;
  control_transmit #(
      .DataWidth(DataWidth)
  ) u_transmit (
      .clk_i,
      .rst_i,
      .word_i (tx_word),
      .last_i (tx_last),
      .valid_i(tx_valid),
      .ready_o(tx_ready),
      .tdata_o,
      .tkeep_o,
      .tvalid_o,
      .tready_i,
      .tlast_o
  );

  wire is_header = state_q == Header;
  wire last_header = 32'(step_q) == HeaderWords - 1;
  wire last_word = left_q == index_t'(1);
  always_comb begin
    cipher_o = '{
        start: start_q,
        nonce: nonce_i,
        empty: empty_q,
        word: has_details_i ? details_i[step_q] : rdata_i,
        last: last_word,
        valid: (state_q == Body) & (has_details_i | fetched_q)
    };
    if (is_header) begin
      cipher_o.word  = header_i[step_q];
      cipher_o.valid = tx_ready;
      cipher_o.last  = last_header;
    end
    tx_word  = cipher_out_i;
    tx_valid = cipher_out_valid_i;
    tx_last  = ~Sealed & (out_left_q == index_t'(1));
    if (is_header) begin
      tx_word  = header_i[step_q];
      tx_valid = cipher_ready_i;
      tx_last  = ~Sealed & empty_q & last_header;
    end else if (state_q == Tag) begin
      tx_word  = tag_i[32*step_q[1:0]+:32];
      tx_valid = 1'b1;
      tx_last  = step_q[1:0] == '1;
    end
  end
  wire taken = cipher_o.valid & cipher_ready_i;
  assign cipher_out_ready_o = tx_ready & ~is_header;
  wire sent_text = state_q == End & cipher_done_i & out_left_q == '0;
  assign done_o = (~Sealed & sent_text) | (state_q == Tag & tx_ready & tx_last);

  always_ff @(posedge clk_i) begin
    start_q   <= (state_q == Idle) & start_i & ~rst_i;
    fetched_q <= state_q == Body & ~taken;
    if (cipher_out_valid_i & cipher_out_ready_o) out_left_q <= out_left_q - index_t'(1);
    if (taken) step_q <= step_q + 3'd1;
    if (taken & (state_q == Body)) begin
      fetch_q <= fetch_q + index_t'(1);
      left_q  <= left_q - index_t'(1);
    end
    unique case (state_q)
      Idle: begin
        step_q <= '0;
        empty_q <= words_i == '0;
        fetch_q <= first_i;
        left_q <= words_i;
        out_left_q <= words_i;
        if (start_i) state_q <= Header;
      end
      Header: if (taken & last_header) state_q <= empty_q ? End : Body;
      Body: if (taken & last_word) state_q <= End;
      End: begin
        step_q <= '0;
        if (sent_text) state_q <= Sealed ? Tag : Idle;
      end
      Tag: begin
        if (tx_ready) step_q <= step_q + 3'd1;
        if (done_o) state_q <= Idle;
      end
      default: state_q <= Idle;
    endcase
    if (rst_i) state_q <= Idle;
  end

endmodule
