// SPDX-License-Identifier: Apache-2.0
// Words that packet processors broadcast: each processor has a copy of 32 words, and a write
// updates all copies.
//
//   word 0-31, offset 0x80  write: sends the word to all copies, including its own; read: its own
//   offset 0x20             read: 0x8000_0000 + index of the first message, or 0
//   offset 0x24             read: the word of the first message, which is removed; write: a report
//                           to software (report_o)
//
// A message from software, for this processor alone, enters the same queue, with an index below 16.
//
// A word with an index of 16 or more is also a message: it enters a queue of 32, which raises the
// interrupt while it is not empty. If the queue is full, the message is lost (lost_o), but not its
// word: a processor that does not read its queue never stalls the others.
//
// A message from software yields to broadcast messages for at most 64 cycles, so that processors
// that broadcast in every cycle do not block the register access. Then, or once there is room after
// 32 cycles, it replaces a message entering this queue, which is lost, but not its word. Two
// messages lost in one cycle count as one.
//
// Latency: a word is offered 1 cycle after its write, and visible 1 cycle after it is given.
`include "bombus_assert.svh"

module rpu_mailbox
  import rpu_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic core_reset_i,

    // The core: a request is held until done.
    input logic request_i,
    input logic write_i,
    input logic [7:2] addr_i,
    input word_t data_i,
    output logic done_o,
    output word_t data_o,
    output logic interrupt_o,
    output logic lost_o,
    output logic busy_o,

    // Software: a message (index and word), held until done.
    input logic message_request_i,
    input logic message_write_i,
    input logic [35:0] message_i,
    output logic message_done_o,
    output word_t report_o,

    output logic share_offer_o,
    output logic [36:0] share_word_o,
    input logic share_wait_i,
    input logic share_given_i,
    input logic [36:0] share_got_i
);

  wire is_copy = addr_i[7];
  wire sends = request_i & write_i & is_copy;
  assign done_o = ~(write_i & is_copy) | ~share_offer_o;
  always_ff @(posedge clk_i) begin
    if (sends & ~share_offer_o) begin
      share_offer_o <= 1'b1;
      share_word_o  <= {addr_i[6:2], data_i};
    end else if (~share_wait_i) share_offer_o <= 1'b0;
    if (rst_i) share_offer_o <= 1'b0;
  end

  logic given_q;
  logic [36:0] got_q;
  always_ff @(posedge clk_i) begin
    given_q <= share_given_i & ~rst_i;
    got_q   <= share_got_i;
  end

  (* ram_style = "distributed" *) word_t copy[32];
  always_ff @(posedge clk_i) if (given_q) copy[got_q[36:32]] <= got_q[31:0];

  logic has_message, has_room, unused_head;
  logic [36:0] message;
  wire is_shared = given_q & got_q[36];
  logic [5:0] waited_q;
  wire message_first = waited_q[5] & has_room | &waited_q;
  wire serves_message = message_request_i & ~message_done_o &
      (~is_shared | message_first | ~message_write_i);
  wire from_software = serves_message & message_write_i;
  wire is_message = is_shared | from_software;
  always_ff @(posedge clk_i) begin
    waited_q <= message_request_i & ~serves_message & ~rst_i ? waited_q + 6'd1 : '0;
    message_done_o <= serves_message & ~rst_i;
    if (request_i & write_i & ~is_copy & addr_i[2]) report_o <= data_i;
    if (rst_i) report_o <= '0;
  end
  head_fifo #(
      .head_t(logic),
      .body_t(logic [36:0]),
      .Depth (32)
  ) u_messages (
      .clk_i,
      .rst_i(rst_i | core_reset_i),
      .in_head_i(1'b0),
      .in_body_i(from_software ? {1'b0, message_i} : got_q),
      .in_valid_i(is_message),
      .in_ready_o(has_room),
      .out_head_o(unused_head),
      .out_body_o(message),
      .out_valid_o(has_message),
      .out_ready_i(request_i & ~write_i & ~is_copy & addr_i[2])
  );
  // One cycle before the message is in the queue: the core needs longer to read it.
  assign interrupt_o = has_message | is_message;
  assign lost_o = (is_message & ~has_room | is_shared & from_software) & ~core_reset_i;
  assign busy_o = share_offer_o | share_given_i | given_q | message_request_i | has_message;

  always_comb begin
    if (is_copy) data_o = copy[addr_i[6:2]];
    else if (addr_i[2]) data_o = message[31:0];
    else data_o = has_message ? {1'b1, 26'd0, message[36:32]} : '0;
  end

  `BOMBUS_ASSERT(WaitEnds, !(&waited_q && message_request_i) || serves_message)

endmodule
