// SPDX-License-Identifier: Apache-2.0
// Asks a store about the first 8 bytes of every frame, and sends the frame on with the
// answer in their place. One frame at a time.
module frame_lookup #(
    parameter type beat_t = logic,
    parameter type query_beat_t = beat_t,
    parameter type answer_beat_t = beat_t
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t in_i,
    input logic in_valid_i,
    output logic in_ready_o,
    input answer_beat_t answer_i,
    input logic answer_valid_i,
    output logic answer_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output query_beat_t query_o,
    output logic query_valid_o,
    input logic query_ready_i,

    output logic busy_o
);

  localparam string Entry = "eth_rx";
  typedef enum logic {NextMacTx} next_e;
  typedef enum logic {QueryNextStore} query_next_e;
  localparam bit InWaitsForAnswer = 1;
  localparam int unsigned QueryCredits = 1;
  localparam string AnswerAnswers = "query";

  typedef enum logic [1:0] {
    Idle,
    Asked,
    Passing
  } state_e;
  state_e state_q;
  beat_t first_q;

  query_beat_t query;
  always_comb begin
    query = '0;
    query.meta = in_i.meta;
    query.length = 14'd8;
    query.last = 1'b1;
    query.bytes = $bits(query.bytes)'(8);
    query.data = $bits(query.data)'(in_i.data[63:0]);
  end

  beat_t answered;
  always_comb begin
    answered = first_q;
    answered.data[63:0] = answer_i.data[63:0];
  end

  wire room = ~out_valid_o | out_ready_i;
  assign in_ready_o = state_q == Idle ? ~out_valid_o : (state_q == Passing) & room;
  assign answer_ready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= Idle;
      out_valid_o <= 1'b0;
      query_valid_o <= 1'b0;
    end else begin
      if (query_ready_i) query_valid_o <= 1'b0;
      if (out_ready_i) out_valid_o <= 1'b0;
      unique case (state_q)
        Idle:
        if (in_valid_i & in_ready_o) begin
          query_valid_o <= 1'b1;
          state_q <= Asked;
        end
        Asked:
        if (answer_valid_i) begin
          out_valid_o <= 1'b1;
          state_q <= first_q.last ? Idle : Passing;
        end
        default:
        if (in_valid_i & in_ready_o) begin
          out_valid_o <= 1'b1;
          if (in_i.last) state_q <= Idle;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      first_q <= in_i;
      query_o <= query;
    end
    if (state_q == Asked) out_o <= answered;
    else if (in_valid_i & in_ready_o) out_o <= in_i;
  end

  wire unused = ^answer_i;
  assign busy_o = (state_q != Idle) | out_valid_o | query_valid_o;

endmodule
