// SPDX-License-Identifier: Apache-2.0
// Mailboxes of packet processors around a broadcast. In: writes of each core, index and word; then
// messages of the host to each. Out: messages of each, index and word, as read by its core while control
// bit n is set. Event n: member n loses a message. Status: it offers a word.
`include "bench.svh"

module bench #(
    parameter int unsigned NumMembers = 16
) (
    `BENCH_PORTS(2 * NumMembers, 37, NumMembers, 37, NumMembers, NumMembers)
);

  `BENCH_SHAPE

  logic [NumMembers-1:0] offer, waits, lost;
  logic [NumMembers-1:0][36:0] word;
  logic given;
  logic [36:0] got;
  broadcast #(
      .NumMembers(NumMembers),
      .Width(37)
  ) u_broadcast (
      .clk_i,
      .rst_i,
      .offer_i(offer),
      .word_i (word),
      .wait_o (waits),
      .given_o(given),
      .got_o  (got)
  );
  for (genvar n = 0; n < NumMembers; n++) begin : gen_member
    // A write, or else the index of the first message, then its word. The interrupt is a cycle earlier
    // than the message.
    logic has_place_q, done, interrupt;
    logic [4:0] place_q;
    logic [31:0] data;
    wire reads = interrupt & control_i[n] & ~in_valid_i[n] & (~has_place_q | out_ready_i[n]);
    rpu_mailbox u_mailbox (
        .clk_i,
        .rst_i,
        .core_reset_i(1'b0),
        .request_i(in_valid_i[n] | reads),
        .write_i(in_valid_i[n]),
        .addr_i(in_valid_i[n] ? {1'b1, in_i[n][36:32]} : {5'b00100, has_place_q}),
        .data_i(in_i[n][31:0]),
        .done_o(done),
        .data_o(data),
        .interrupt_o(interrupt),
        .lost_o(lost[n]),
        .busy_o(),
        .message_request_i(in_valid_i[NumMembers+n]),
        .message_write_i(1'b1),
        .message_i(in_i[NumMembers+n][35:0]),
        .message_done_o(in_ready_o[NumMembers+n]),
        .report_o(),
        .share_offer_o(offer[n]),
        .share_word_o(word[n]),
        .share_wait_i(waits[n]),
        .share_given_i(given),
        .share_got_i(got)
    );
    assign in_ready_o[n] = done;
    assign out_valid_o[n] = has_place_q & interrupt & control_i[n] & ~in_valid_i[n];
    assign out_o[n] = {place_q, data};
    always_ff @(posedge clk_i) begin
      if (reads) has_place_q <= ~has_place_q & data[31];
      if (reads & ~has_place_q) place_q <= data[4:0];
      if (rst_i) has_place_q <= 1'b0;
    end
    assign status_o[n] = offer[n];
    assign event_o[n]  = lost[n];
  end
  if (NumMembers < 64) begin : gen_rest
    assign event_o[63:NumMembers] = '0;
  end

endmodule
