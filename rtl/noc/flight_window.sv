// SPDX-License-Identifier: Apache-2.0
// Bounds the flits that a source has under way: a message may start when it fits
// into the window together with all that has not come back or left (end-to-end
// credits, one per flit, whose sum no set of queues can hold more than).
//
// With a window below the capacity of every ring of queues that messages could
// wait in, no ring can fill, whatever way the messages take through the tiles
// (docs/fabrics.md). Combinational; the count follows a cycle later.
module flight_window #(
    parameter int unsigned CountWidth = 16
) (
    input logic clk_i,
    input logic rst_i,

    input logic [CountWidth-1:0] window_i,  // flits; may change while nothing is under way
    input logic [CountWidth-1:0] length_i,  // of the message that wants to start, flits
    input logic valid_i,  // it wants to
    input logic taken_i,  // a flit of it goes
    input logic last_i,  // the last one
    input logic left_i,  // a flit has left, its credit comes back

    output logic may_send_o
);

  if (CountWidth < 2) begin : gen_bad_width
    $error("flight_window: CountWidth must be at least 2");
  end

  logic [CountWidth-1:0] flight_q;  // flits under way or promised
  logic inside_q;  // the message has been let go
  wire fits = {1'b0, flight_q} + {1'b0, length_i} <= {1'b0, window_i};
  wire start = valid_i & ~inside_q & fits & taken_i;
  assign may_send_o = inside_q | fits;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      flight_q <= '0;
      inside_q <= 1'b0;
    end else begin
      flight_q <= flight_q + (start ? length_i : '0) - CountWidth'(left_i);
      if (taken_i) inside_q <= ~last_i;
    end
  end

endmodule
