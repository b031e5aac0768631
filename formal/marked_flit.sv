// SPDX-License-Identifier: Apache-2.0
// One flit of a proof is marked, and none after it. It is stored as it was when it entered, and
// followed through its queue.
module marked_flit #(
    parameter type flit_t = logic,
    parameter int unsigned Width = 3
) (
    input logic clk_i,
    input logic rst_i,
    input logic marking_i,  // it enters in this cycle
    input flit_t flit_i,
    input logic is_queued_i,  // into a queue
    input logic [Width-1:0] level_i,  // flits in the queue now
    input logic leave_i,  // the oldest one leaves
    output logic used_o,  // it has entered
    output flit_t flit_o,
    output logic inside_o,  // it is in the queue
    output logic [Width-1:0] ahead_o  // flits there ahead of it
);

  always_ff @(posedge clk_i) begin
    if (marking_i) flit_o <= flit_i;
    if (rst_i) used_o <= 1'b0;
    else if (marking_i) used_o <= 1'b1;
  end

  queue_position #(
      .Width(Width)
  ) u_position (
      .clk_i,
      .rst_i,
      .enter_i(marking_i & is_queued_i),
      .level_i,
      .leave_i,
      .inside_o,
      .ahead_o
  );

endmodule
