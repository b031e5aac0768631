// SPDX-License-Identifier: Apache-2.0
// Bounds the flits that a source has in flight: a message may start when the credits suffice for it
// and for all flits whose credits have not been returned (end-to-end credits, one per flit; no set
// of queues can hold more flits than the sum of the credits).
//
// If the credits are below the capacity of every ring of queues in which messages could wait, no
// ring can fill, for any path of the messages through the tiles (docs/fabrics.md). The count is
// updated one cycle later.
//
// may_send_o is combinational or, with Longest, registered: a message then waits for one cycle
// while fewer than Longest credits are free.
`include "bombus_assert.svh"

module credit_limit #(
    parameter int unsigned CountWidth = 16,
    parameter int unsigned Longest = 0  // longest message in flits; 0: unknown
) (
    input logic clk_i,
    input logic rst_i,

    input logic [CountWidth-1:0] credits_i,  // in flits; may change only while no flit is in flight
    input logic [CountWidth-1:0] length_i,  // in flits, of the message that requests to start
    input logic valid_i,  // a message requests to start
    input logic taken_i,  // one of its flits is sent
    input logic last_i,  // its last flit
    input logic return_i,  // a flit has left, its credit returns

    output logic may_send_o
);

  if (CountWidth < 2) begin : gen_bad_width
    $error("credit_limit: CountWidth must be at least 2");
  end
  if ($clog2(Longest + 1) > CountWidth) begin : gen_bad_longest
    $error("credit_limit: CountWidth bits must count the longest message");
  end

  logic [CountWidth-1:0] in_flight_q;  // flits in flight or admitted
  logic inside_q;  // the message has been admitted
  wire [CountWidth:0] with_it = {1'b0, in_flight_q} + {1'b0, length_i};
  wire fits = with_it <= {1'b0, credits_i};
  wire start = valid_i & ~inside_q & taken_i;

  if (Longest == 0) begin : gen_exact
    assign may_send_o = inside_q | fits;
  end else begin : gen_early
    // Credits left by the longest message, negative if they do not suffice; independent of
    // length_i, which is late.
    wire signed [CountWidth+1:0] spare = $signed(
        {2'b0, credits_i}
    ) - $signed(
        (CountWidth + 2)'(Longest)
    ) - $signed(
        {2'b0, in_flight_q}
    );
    logic ample_q;  // any message fits
    logic fits_q;  // the waiting message fits
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        ample_q <= 1'b0;
        fits_q  <= 1'b0;
      end else begin
        ample_q <= start ? $signed({2'b0, length_i}) <= spare : ~spare[CountWidth+1];
        fits_q  <= valid_i & ~taken_i & fits;
      end
    end
    assign may_send_o = inside_q | ample_q | fits_q;
  end

  // The sums are computed in parallel with the decision to start.
  wire [CountWidth-1:0] rest = in_flight_q - CountWidth'(return_i);
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      in_flight_q <= '0;
      inside_q <= 1'b0;
    end else begin
      in_flight_q <= start ? rest + length_i : rest;
      if (taken_i) inside_q <= ~last_i;
    end
  end

  `BOMBUS_ASSERT(NoUnderflow, !(return_i && in_flight_q == '0))

endmodule
