// SPDX-License-Identifier: Apache-2.0
// Simulation only: checks what a layer promises about waiting (docs/architecture.md,
// "Waiting"), and names the layer that breaks its word.
//
// - An input may stop a message for longer than MaxBusyCycles only while an output
//   that it may wait for is stopped, or a message is missing on an input that it
//   waits for.
// - No more requests are outstanding on an output than it has credits.
module layer_checker #(
    parameter int unsigned NumInputs = 1,
    parameter int unsigned NumOutputs = 1,
    parameter logic [NumInputs-1:0][NumOutputs-1:0] WaitsForOutputs = '1,
    parameter logic [NumInputs-1:0][NumInputs-1:0] WaitsForInputs = '0,
    parameter logic [NumOutputs-1:0][31:0] Credits = '0,  // 0: no bound
    // The input that brings the answers to an output's requests
    parameter logic [NumOutputs-1:0][NumInputs-1:0] AnsweredBy = '0,
    parameter int unsigned MaxBusyCycles = 4096  // 0: no bound
) (
    input logic clk_i,
    input logic rst_i,

    input logic [ NumInputs-1:0] in_valid_i,
    input logic [ NumInputs-1:0] in_ready_i,
    input logic [ NumInputs-1:0] in_last_i,
    input logic [NumOutputs-1:0] out_valid_i,
    input logic [NumOutputs-1:0] out_ready_i,
    input logic [NumOutputs-1:0] out_last_i
);

  // Without credits nobody asks where messages end.
  wire unused_last = ^{in_last_i, out_last_i};

  for (genvar i = 0; i < NumInputs; i++) begin : gen_input
    int unsigned stopped_q;
    wire excused = |(WaitsForOutputs[i] & out_valid_i & ~out_ready_i) |
        |(WaitsForInputs[i] & ~in_valid_i);
    wire stopped = in_valid_i[i] & ~in_ready_i[i] & ~excused;
    always_ff @(posedge clk_i) begin
      if (rst_i | ~stopped) stopped_q <= 0;
      else stopped_q <= stopped_q + 1;
      if (!rst_i) begin
        assert (MaxBusyCycles == 0 || !stopped || stopped_q != MaxBusyCycles)
        else $error("input %0d waits for what it promised not to wait for", i);
      end
    end
  end

  for (genvar o = 0; o < NumOutputs; o++) begin : gen_output
    if (Credits[o] != '0) begin : gen_credits
      // A request counts from its first beat, since its answer may come before its last
      // one, until the last beat of the answer.
      logic first_q;
      int unsigned outstanding_q;
      wire taken = out_valid_i[o] & out_ready_i[o];
      wire asked = taken & first_q;
      wire [31:0] answered = $countones(AnsweredBy[o] & in_valid_i & in_ready_i & in_last_i);
      always_ff @(posedge clk_i) begin
        if (rst_i) begin
          first_q <= 1'b1;
          outstanding_q <= 0;
        end else begin
          if (taken) first_q <= out_last_i[o];
          outstanding_q <= outstanding_q + 32'(asked) -
              (answered < outstanding_q ? answered : outstanding_q);
          assert (!asked || outstanding_q < Credits[o] + answered)
          else $error("output %0d has more requests outstanding than credits", o);
          assert (answered <= outstanding_q)
          else $error("an answer came to output %0d, which has asked nothing", o);
        end
      end
    end
  end

endmodule
