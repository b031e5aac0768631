// SPDX-License-Identifier: Apache-2.0
// Opens the request in the memory: looks up its key and its sender, and passes header and body
// through the cipher, whose text it writes to the batch. A request that must be ignored changes
// nothing but words beyond the end of the batch.
//
// start_i begins. Then one of malformed_o, unknown_key_o and not_allowed_o is high for a cycle, or
// opened_o, and in the next cycle bad_tag_o says whether the tag is wrong.
//
// Latency: 17 cycles, and those of the cipher.
module control_open
  import control_pkg::*;
#(
    parameter type keys_t = logic,
    parameter type allowed_t = logic,
    parameter int unsigned AddressBits = 12,  // of the memory
    parameter int unsigned TextBits = 13,  // of the batch's memory
    parameter int unsigned LengthBits = 15,
    parameter bit Sealed = 1,
    parameter logic [127:0] Key = '0,
    parameter int unsigned NumKeys = 4,
    localparam int unsigned KeyBits = $clog2(NumKeys)
) (
    input logic clk_i,
    input logic rst_i,

    input logic start_i,
    input logic [LengthBits-1:0] length_i,  // bytes; constant until the end, as are the following
    input logic [31:0] peer_ip_i,
    input logic [TextBits-1:0] text_i,  // where the body is written
    output logic malformed_o,
    output logic unknown_key_o,
    output logic not_allowed_o,
    output logic opened_o,
    output logic bad_tag_o,

    // Of the request, from opened_o on
    output request_header_t header_o,
    output logic [127:0] key_o,
    output rights_t rights_o,

    output logic     [KeyBits-1:0] keys_index_o,
    input  keys_t                  keys_i,
    output logic     [        1:0] allowed_index_o,
    input  allowed_t               allowed_i,

    output logic [AddressBits-1:0] read_address_o,
    input logic [31:0] rdata_i,
    output logic write_o,
    output logic [TextBits-1:0] write_address_o,

    output cipher_input_t cipher_o,
    input logic cipher_ready_i,
    input logic cipher_out_valid_i,
    input logic cipher_done_i,
    input logic [127:0] tag_i
);

  if (AddressBits < 12 || AddressBits > 16 || TextBits < 12 || LengthBits < 15 || NumKeys < 2
      ) begin : gen_bad
    $error("control_open: AddressBits must be 12 to 16, TextBits 12, LengthBits 15, NumKeys 2");
  end

  typedef logic [AddressBits-1:0] index_t;
  typedef enum logic [2:0] {
    Idle,
    Header,
    FindKey,
    Allow,    // the sender is looked up
    Open,     // the cipher is started
    Words,    // header and body pass the cipher
    End,
    Tag
  } state_e;
  state_e state_q;
  logic [3:0] step_q;  // within a state

  index_t fetch_q, left_q;
  logic fetched_q;  // rdata_i is the word before fetch_q
  assign read_address_o = fetch_q;

  // ---- Header, key and sender ----

  logic [HeaderWords-1:0][31:0] header_q;
  assign header_o = header_q;
  wire [7:0] key_number = header_o.word0.key;
  wire [15:0] length = header_o.word1.length;
  wire header_ok = header_o.word0.magic == Magic && header_o.word0.version == Version
      && header_o.word1.reserved == '0 && length[1:0] == '0
      && 32'(length) <= 4 * MaxBodyWords
      && 32'(length_i) == 32'(length) + 4 * (HeaderWords + (Sealed ? TagWords : 0));
  wire index_t body_words = index_t'(length[15:2]);

  wire is_design_key = key_number == DesignKey;
  wire key_exists = is_design_key | 32'(key_number) < NumKeys;
  assign keys_index_o = key_number[KeyBits-1:0];
  logic [127:0] key;
  rights_t rights;
  always_comb begin
    key = is_design_key ? Key : keys_i.key;
    rights = '{
        may_write: keys_i.may_write,
        may_read: keys_i.may_read,
        first_page: keys_i.first_page,
        last_page: keys_i.last_page
    };
    if (is_design_key | ~Sealed) rights = '{default: '1, first_page: '0};
  end
  // Long before they are used: the number of the key is in the first word of a message. Constant
  // from there on, so that an entry that is rewritten never lends its rights to the old key.
  always_ff @(posedge clk_i) begin
    if (state_q == Header) begin
      key_o <= key;
      rights_o <= rights;
    end
  end
  wire key_usable = ~Sealed | (key_exists & key_o != '0);

  assign allowed_index_o = step_q[1:0];
  logic listed_q, some_listed_q;
  wire is_listed = ((peer_ip_i ^ allowed_i.network) & allowed_i.netmask) == '0;

  assign malformed_o   = state_q == FindKey & ~header_ok;
  assign unknown_key_o = state_q == FindKey & header_ok & step_q[0] & ~key_usable;
  assign not_allowed_o = state_q == Allow & step_q == 4'd5 & some_listed_q & ~listed_q;

  // ---- Cipher ----

  logic start_q;
  wire [63:0] number = header_o.number;
  assign cipher_o = '{
          start: start_q,
          nonce: {RequestNonce, number[61:0], header_o.client},
          empty: body_words == '0,
          word: rdata_i,
          last: 32'(step_q) == HeaderWords - 1 || left_q == index_t'(1),
          valid: state_q == Words & fetched_q
      };
  wire taken = cipher_o.valid & cipher_ready_i;
  assign write_o = cipher_out_valid_i & (state_q == Words | state_q == End);

  // ---- Tag ----

  logic [31:0] rdata_q;
  wire  [ 1:0] compared = step_q[1:0] - 2'd1;  // word of the tag
  assign opened_o = (state_q == Tag & step_q == 4'd4) | (~Sealed & state_q == End & cipher_done_i);

  always_ff @(posedge clk_i) begin
    rdata_q <= rdata_i;
    step_q  <= step_q + 4'd1;
    start_q <= state_q == Open & ~rst_i;
    if (write_o) write_address_o <= write_address_o + 1'b1;
    unique case (state_q)
      Idle: begin
        step_q <= '0;
        if (start_i) begin
          state_q <= Header;
          fetch_q <= fetch_q + index_t'(1);
        end
      end
      Header: begin
        header_q[step_q[2:0]] <= rdata_i;
        fetch_q <= fetch_q + index_t'(1);
        if (32'(step_q) == HeaderWords - 1) begin
          state_q <= FindKey;
          step_q  <= '0;
        end
      end
      FindKey: begin
        if (step_q[0]) begin
          state_q <= Allow;
          step_q  <= '0;
        end
        if (malformed_o | unknown_key_o) state_q <= Idle;
      end
      Allow: begin
        listed_q <= (step_q != '0) & (listed_q | (allowed_i.valid & is_listed));
        some_listed_q <= (step_q != '0) & (some_listed_q | allowed_i.valid);
        if (step_q == 4'd5) state_q <= not_allowed_o ? Idle : Open;
      end
      Open: begin
        state_q <= Words;
        step_q <= '0;
        write_address_o <= text_i;
      end
      Words: begin
        step_q <= step_q;
        if (taken) begin
          if (32'(step_q) != HeaderWords) step_q <= step_q + 4'd1;
          if (left_q == index_t'(1)) state_q <= End;
        end
      end
      End: begin
        step_q <= '0;
        bad_tag_o <= 1'b0;
        if (cipher_done_i) begin
          state_q <= Sealed ? Tag : Idle;
          fetch_q <= fetch_q + index_t'(1);
        end
      end
      Tag: begin
        fetch_q <= fetch_q + index_t'(1);
        if (step_q != '0) bad_tag_o <= bad_tag_o | rdata_q != tag_i[32*compared+:32];
        if (step_q == 4'd4) state_q <= Idle;
      end
      default: state_q <= Idle;
    endcase
    if (state_q == Open) begin
      fetch_q   <= '0;
      fetched_q <= 1'b0;
      left_q    <= index_t'(HeaderWords) + body_words;
    end else if (taken) begin
      fetch_q   <= fetch_q + index_t'(1);
      fetched_q <= 1'b0;
      left_q    <= left_q - index_t'(1);
    end else begin
      fetched_q <= state_q == Words;
    end
    if (rst_i) state_q <= Idle;
    if (rst_i | (state_q == Idle & ~start_i)) fetch_q <= '0;
  end

endmodule
