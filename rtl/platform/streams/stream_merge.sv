// SPDX-License-Identifier: Apache-2.0
// Merges streams round robin, message by message: an input holds the output from its first beat to
// its last.
//
// in_ready_o[n] does not depend on in_valid_i[n].
//
// Latency: 0 cycles. Throughput: one beat per cycle, no gap between messages.
`include "bombus_assert.svh"

module stream_merge #(
    parameter type beat_t = logic,
    parameter int unsigned NumInputs = 2
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t [NumInputs-1:0] in_i,
    input  logic  [NumInputs-1:0] in_valid_i,
    output logic  [NumInputs-1:0] in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic [NumInputs-1:0] out_ready_i,  // by input: taken if its beat is on out_o

    output logic [NumInputs-1:0] selected_o  // input whose beat is on out_o, one-hot
);

  if (NumInputs < 1) begin : gen_bad_inputs
    $error("stream_merge: NumInputs must be at least 1");
  end

  if (NumInputs == 1) begin : gen_wire
    assign out_o = in_i[0];
    assign out_valid_o = in_valid_i[0];
    assign in_ready_o[0] = out_ready_i[0];
    assign selected_o = 1'b1;
    wire unused = clk_i ^ rst_i;
  end else begin : gen_merge
    typedef logic [$clog2(NumInputs)-1:0] sel_t;
    logic locked_q;
    sel_t sel, sel_q, sel_candidate;
    logic [NumInputs-1:0] wins;

    round_robin #(
        .NumInputs(NumInputs)
    ) u_arbiter (
        .last_i(sel_q),
        .request_i(in_valid_i),
        .grant_o(sel_candidate),
        .wins_o(wins)
    );
    assign sel = locked_q ? sel_q : sel_candidate;
    assign out_o = in_i[sel];
    assign out_valid_o = in_valid_i[sel];

    always_comb begin
      selected_o = '0;
      selected_o[sel] = 1'b1;
    end
    always_comb begin
      for (int unsigned n = 0; n < NumInputs; n++) begin
        in_ready_o[n] = out_ready_i[n] & (locked_q ? sel_q == sel_t'(n) : wins[n]);
      end
    end

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        locked_q <= 1'b0;
        sel_q <= '0;
      end else if (out_valid_o) begin
        locked_q <= ~(out_ready_i[sel] & out_o.last);
        sel_q <= sel;
      end
    end
  end

  `BOMBUS_ASSERT(SelectsOneInput, $onehot(selected_o))
  `BOMBUS_ASSERT(TakesOneInput, $onehot0(in_ready_o & in_valid_i))

endmodule
