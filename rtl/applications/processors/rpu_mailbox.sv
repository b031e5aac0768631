// SPDX-License-Identifier: Apache-2.0
// Words that packet processors broadcast: each processor has a copy of 32 words, and a write
// updates all copies.
//
//   word 0-31, offset 0x80  write: sends the word to all copies, also the own; read: the own copy
//   offset 0x20             read: 0x8000_0000 + place of the first message, or 0
//   offset 0x24             read: the word of the first message, which is then gone; write: a word
//                           for the host (report_o)
//
// A message of the host, for this processor alone, stands in the same queue, with a place below 16.
//
// A word at a place from 16 on is a message, too: it stands in a queue of 32, and raises the
// interrupt
// while it does. A message that finds the queue full is lost there (lost_o), while its word is not;
// nobody
// waits for one that does not read.
//
// A message of the host lets others go first, but for 64 cycles at the most, so that members that
// broadcast in
// every cycle do not keep the host from its registers. Then, or once there is room after 32, it
// takes the place of
// one in this queue, which is lost, though its word is not. Two messages that are lost in one cycle
// count as one.
//
// Latency: a word is offered 1 cycle after its write, and seen 1 cycle after it is given.
module rpu_mailbox
  import rpu_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input logic core_reset_i,

    // The core: a request is held until it is done.
    input logic request_i,
    input logic write_i,
    input logic [7:2] addr_i,
    input word_t data_i,
    output logic done_o,
    output word_t data_o,
    output logic interrupt_o,
    output logic lost_o,
    output logic busy_o,

    // The host: a message, place and word, held until it is done.
    input logic host_request_i,
    input logic host_write_i,
    input logic [35:0] host_message_i,
    output logic host_done_o,
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
  wire host_first = waited_q[5] & has_room | &waited_q;
  wire serves_host = host_request_i & ~host_done_o & (~is_shared | host_first | ~host_write_i);
  wire of_host = serves_host & host_write_i;
  wire is_message = is_shared | of_host;
  always_ff @(posedge clk_i) begin
    waited_q <= host_request_i & ~serves_host & ~rst_i ? waited_q + 6'd1 : '0;
    host_done_o <= serves_host & ~rst_i;
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
      .in_body_i(of_host ? {1'b0, host_message_i} : got_q),
      .in_valid_i(is_message),
      .in_ready_o(has_room),
      .out_head_o(unused_head),
      .out_body_o(message),
      .out_valid_o(has_message),
      .out_ready_i(request_i & ~write_i & ~is_copy & addr_i[2])
  );
  // A cycle before the queue has it: the core takes longer to read it.
  assign interrupt_o = has_message | is_message;
  assign lost_o = (is_message & ~has_room | is_shared & of_host) & ~core_reset_i;
  assign busy_o = share_offer_o | share_given_i | given_q | host_request_i | has_message;

  always_comb begin
    if (is_copy) data_o = copy[addr_i[6:2]];
    else if (addr_i[2]) data_o = message[31:0];
    else data_o = has_message ? {1'b1, 26'd0, message[36:32]} : '0;
  end

endmodule
