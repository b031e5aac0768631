// SPDX-License-Identifier: Apache-2.0
// Holds back the messages of one output of a tile until its credits suffice for them
// (credit_limit, docs/fabrics.md).
//
// valid and ready between the output and the network interface must both be gated with may_send_o,
// which is registered and stays high until the message has been sent.
module credit_gate #(
    parameter int unsigned CountWidth = 16,
    parameter int unsigned Credits = 1024,  // credits of this output, in flits
    parameter int unsigned FlitBytes = 64
) (
    input logic clk_i,
    input logic rst_i,

    input bombus_pkg::length_t length_i,  // payload bytes of the message at the front
    input logic last_i,
    input logic valid_i,
    input logic taken_i,  // its beat is taken
    input logic return_i,  // the credit of a flit has returned

    output logic may_send_o,
    output logic sent_o,  // a flit was sent; one cycle later
    output logic waits_o  // a message waits for credits
);

  localparam int unsigned Longest = (bombus_pkg::MaxFrameBytes + FlitBytes - 1) / FlitBytes;
  if (Credits < Longest) begin : gen_bad_credits
    $error("credit_gate: Credits must hold the longest frame");
  end
  if (FlitBytes != 2 ** $clog2(
          FlitBytes
      ) || (CountWidth < 32 && Credits >> CountWidth != 0)) begin : gen_bad_width
    $error("credit_gate: FlitBytes must be a power of two, CountWidth bits must count Credits");
  end

  logic [14:0] length_up;  // rounded up to whole flits; a message has at least one
  assign length_up = length_i == '0 ? 15'(FlitBytes) : 15'(length_i) + 15'(FlitBytes - 1);

  credit_limit #(
      .CountWidth(CountWidth),
      .Longest(Longest)
  ) u_limit (
      .clk_i,
      .rst_i,
      .credits_i(CountWidth'(Credits)),
      .length_i (CountWidth'(length_up >> $clog2(FlitBytes))),
      .valid_i,
      .taken_i,
      .last_i,
      .return_i,
      .may_send_o
  );

  always_ff @(posedge clk_i) begin
    sent_o <= ~rst_i & taken_i;
  end
  assign waits_o = valid_i & ~may_send_o;

endmodule
