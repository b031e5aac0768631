// SPDX-License-Identifier: Apache-2.0
// Chooses the class that sends next: by strict priority, or by deficit round robin.
//
// Strict priority takes the first class that is ready, in each cycle. In a round robin, the class
// whose turn it is sends while its deficit has the bytes of its next message; then the turn passes,
// in one cycle without a choice, to the next class that is ready, whose quantum is added to its
// deficit. A class that is not ready at its turn loses its deficit.
//
// Whether a deficit has the bytes of the first message is computed a cycle before, in each case.
//
// Latency: 0 cycles. Source: Shreedhar and Varghese, 1996.
module shaper_choice #(
    parameter  int unsigned NumClasses = 4,
    parameter  int unsigned BytesWidth = 15,
    localparam type         class_t    = logic [$clog2(NumClasses)-1:0],
    localparam type         bytes_t    = logic [        BytesWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                          round_robin_i,
    input  logic   [NumClasses-1:0]       ready_i,        // has a message and may send it
    input  bytes_t [NumClasses-1:0]       first_bytes_i,  // of the message
    // Of the first message of the next cycle: without take_i, and with it.
    input  bytes_t [NumClasses-1:0]       kept_bytes_i,   // first_bytes_i if there is a message
    input  bytes_t [NumClasses-1:0]       next_bytes_i,
    input  logic   [NumClasses-1:0][15:0] quantum_i,
    input  logic                          take_i,         // the chosen class sends
    output logic                          valid_o,
    output class_t                        chosen_o
);

  if (NumClasses < 2 || NumClasses > 8) begin : gen_bad_classes
    $error("shaper: NumClasses must be 2 to 8");
  end
  if (BytesWidth < 1 || BytesWidth > 16) begin : gen_bad_width
    $error("shaper_choice: BytesWidth must be 1 to 16");
  end

  // A deficit is below the length of a message when the turn passes, so it does not overflow.
  typedef logic signed [18:0] deficit_t;
  class_t turn_q;
  logic [NumClasses-1:0] covers_q;  // the deficit has the bytes of the first message

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
  wire has_turn = ready_i[turn_q] & covers_q[turn_q];
  wire passes = ~has_turn & |ready_i;
  assign valid_o  = round_robin_i ? has_turn : |ready_i;
  assign chosen_o = round_robin_i ? turn_q : first;
  always_ff @(posedge clk_i) begin
    if (rst_i | ~round_robin_i) turn_q <= '0;
    else if (passes) turn_q <= next;
  end

  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    deficit_t deficit_q;
    wire has_its_turn = turn_q == class_t'(c);
    wire gains = passes & next == class_t'(c);
    wire loses = passes & has_its_turn & ~ready_i[c];
    wire spends = take_i & has_its_turn;
    wire deficit_t kept_bytes = deficit_t'(kept_bytes_i[c]);
    wire deficit_t spent = deficit_q - kept_bytes;
    wire deficit_t spent_again = deficit_q - deficit_t'(first_bytes_i[c]) -
        deficit_t'(next_bytes_i[c]);
    wire deficit_t gained = deficit_q + deficit_t'(quantum_i[c]);
    wire deficit_t gained_spent = deficit_q - kept_bytes + deficit_t'(quantum_i[c]);
    always_ff @(posedge clk_i) begin
      if (rst_i | ~round_robin_i | loses) begin
        deficit_q   <= '0;
        covers_q[c] <= 1'b0;
      end else begin
        deficit_q <= spends ? spent : gains ? gained : deficit_q;
        covers_q[c] <= ~(spends ? spent_again[$bits(
            deficit_t
        )-1] : gains ? gained_spent[$bits(
            deficit_t
        )-1] : spent[$bits(
            deficit_t
        )-1]);
      end
    end
  end

endmodule
