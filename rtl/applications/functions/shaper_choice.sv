// SPDX-License-Identifier: Apache-2.0
// Chooses the class that sends next: by strict priority, or by deficit round robin.
//
// Strict priority takes the first class that is ready, in each cycle. In a round robin, the class
// whose turn it is sends while its deficit has the bytes of its next message; then the turn passes,
// in one cycle without a choice, to the next class that is ready, whose quantum is added to its
// deficit. A class that is not ready at its turn loses its deficit.
//
// Latency: 0 cycles. Source: Shreedhar and Varghese, 1996.
module shaper_choice
  import bombus_pkg::*;
#(
    parameter int unsigned NumClasses = 4,
    localparam type class_t = logic [$clog2(NumClasses)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                           round_robin_i,
    input  logic    [NumClasses-1:0]       ready_i,        // has a message and may send it
    input  length_t [NumClasses-1:0]       bytes_i,        // of that message
    input  logic    [NumClasses-1:0][15:0] quantum_i,
    input  logic                           take_i,         // the chosen class sends
    output logic                           valid_o,
    output class_t                         chosen_o
);

  if (NumClasses < 2 || NumClasses > 8) begin : gen_bad_classes
    $error("shaper: NumClasses must be 2 to 8");
  end

  localparam int unsigned DeficitBits = 17;
  class_t turn_q;
  logic [NumClasses-1:0][DeficitBits-1:0] deficit_q;

  class_t first, next;
  always_comb begin
    first = '0;
    for (int unsigned c = NumClasses; c > 0; c--) if (ready_i[c-1]) first = class_t'(c - 1);
    // The first one after the turn, or the same again.
    next = turn_q;
    for (int unsigned n = NumClasses; n > 0; n--) begin
      automatic int unsigned c = (32'(turn_q) + n) % NumClasses;
      if (ready_i[c]) next = class_t'(c);
    end
  end
  wire has_turn = ready_i[turn_q] & deficit_q[turn_q] >= DeficitBits'(bytes_i[turn_q]);
  assign valid_o  = round_robin_i ? has_turn : |ready_i;
  assign chosen_o = round_robin_i ? turn_q : first;

  always_ff @(posedge clk_i) begin
    if (rst_i | ~round_robin_i) begin
      turn_q <= '0;
      deficit_q <= '0;
    end else if (has_turn) begin
      if (take_i) deficit_q[turn_q] <= deficit_q[turn_q] - DeficitBits'(bytes_i[turn_q]);
    end else if (|ready_i) begin
      turn_q <= next;
      if (~ready_i[turn_q]) deficit_q[turn_q] <= '0;
      // A deficit is below the length of a message when the turn passes, so it does not overflow.
      deficit_q[next] <= deficit_q[next] + DeficitBits'(quantum_i[next]);
    end
  end

endmodule
