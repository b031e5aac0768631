// SPDX-License-Identifier: Apache-2.0
// What the first beat of a message says, compared with the state of the witness.
//
// Latency: 1 cycle.
module vr_header
  import bombus_pkg::length_t;
  import vr_pkg::*;
  import vr_header_pkg::*;
(
    input logic clk_i,
    input logic enable_i,

    input line_t   line_i,
    input length_t length_i,     // of the message
    input number_t view_i,
    input number_t last_i,
    input number_t committed_i,
    input number_t cleaned_i,

    output header_t header_o
);

  words_t word;
  assign word = words_of(line_i);
  wire [7:0] kind = line_i[39:32];
  wire [63:0] size = word_at(line_i, 5);
  wire length_t rest = length_i - length_t'(HeaderBytes);
  wire number_t view = number_t'(word[0]);
  wire number_t op = number_t'(word[1]);
  wire number_t start = number_t'(word[2]);
  wire number_t clean = number_t'(word[3]);
  logic [NumWords-1:0] is_number;
  always_comb for (int unsigned w = 0; w < NumWords; w++) is_number[w] = ~|word[w][63:48];
  wire count_t count = count_t'(word[4]);  // of a Prepare
  wire [48:0] after_start = {1'b0, op} - {1'b0, start};
  wire [48:0] held_from_start = {1'b0, last_i} - {1'b0, start};  // operations but one

  function automatic logic has_bytes(length_t length, int unsigned bytes);
    return length == length_t'(bytes);
  endfunction

  wire is_transfer = kind == TypeStateTransfer;
  wire length_t entries = length_i - (is_transfer ? length_t'(37) : length_t'(45));
  wire [63:0] entries_field = is_transfer ? word[2] : word[3];
  wire entries_fit = (entries_field == 64'(entries)) & ~|entries[5:0] &
      (length_i >= (is_transfer ? length_t'(37) : length_t'(45)));

  header_t header;
  always_comb begin
    header = '0;
    header.framed = (line_i[31:0] == Magic) & (length_i >= length_t'(HeaderBytes)) &
        (size == 64'(rest));
    header.later = view > view_i;
    header.earlier = view != view_i && !header.later;
    header.op_held = op <= last_i;
    header.start_follows = ~held_from_start[48] | (&held_from_start);
    header.op_is_later = op > committed_i;
    header.clean_frees = clean > cleaned_i;
    header.clean_is_later = clean > committed_i;
    header.skip = count_t'(held_from_start) + 1'b1;
    header.freed = 16'(clean - cleaned_i);
    header.freed_all = 16'(committed_i - cleaned_i);
    header.lines = count_t'(entries >> 6);
    header.counted = after_start == 49'(count_t'(count - 1'b1));
    unique case (kind)
      TypePrepare: begin
        header.is_prepare = 1'b1;
        header.formed = (length_i >= length_t'(77)) & &is_number[4:0] & (start != '0) &
            (count != '0) & ~|word[4][47:$bits(count_t)];
      end
      TypeCommit: begin
        header.is_commit = 1'b1;
        header.formed = has_bytes(length_i, 29) & &is_number[1:0];
      end
      TypeRequestStateTransfer: begin
        header.is_request = 1'b1;
        header.formed = has_bytes(length_i, 29) & &is_number[1:0];
      end
      TypeStateTransfer: begin
        header.is_transfer = 1'b1;
        header.formed = &is_number[1:0] & entries_fit;
      end
      TypeStartViewChange: begin
        header.is_change = 1'b1;
        header.formed = has_bytes(length_i, 37) & &is_number[2:0] & ~|word[1][47:3];
      end
      TypeStartView: begin
        header.is_start = 1'b1;
        header.formed   = &is_number[2:0] & entries_fit;
      end
      TypeValidateRead: begin
        header.is_read = 1'b1;
        header.formed  = has_bytes(length_i, 37) & is_number[0];
      end
      TypeSetUp: begin
        header.is_set_up = 1'b1;
        header.formed = has_bytes(length_i, 49) & (word[0][63:32] == Version);
      end
      TypeRecoveryResponse: begin
        header.is_response = 1'b1;
        header.formed = has_bytes(length_i, 61) & (word[0][63:32] == Version) & &is_number[5:2] &
            (number_t'(word[5]) <= number_t'(word[4])) & (number_t'(word[4]) <= number_t'(word[3]));
      end
      TypePrepareOk, TypeDoViewChange, TypeValidateReadReply, TypeSetUpReply, TypeRecovery: begin
        header.is_foreign = 1'b1;
        header.formed = 1'b1;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) if (enable_i) header_o <= header;

endmodule
