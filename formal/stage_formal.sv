// SPDX-License-Identifier: Apache-2.0
// Every stage of a stream is a queue that adds no bubbles (stage_state): it loses, duplicates and
// reorders no beat. Proved for all time, by induction.
//
// For output_stage, the proof is that it only names the fields of a stream_stage, which is proved
// here; output_stage_formal proves the input of the output_stage in a drop_register.
module stage_formal #(
    parameter int unsigned Kind = 0,  // see below
    parameter int unsigned DataBits = 8,  // of a stream_stage
    parameter bit CutsReady = 0  // of a stream_stage
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] in_i,
    input logic in_valid_i,
    input logic out_ready_i
);

  localparam int unsigned Register = 0, Skid = 1, Message = 2, Stage = 3;
  localparam bit IsFifo = Kind == Stage && CutsReady && DataBits >= 256;
  localparam int unsigned Slots = IsFifo ? 16 : Kind == Skid || Kind == Stage && CutsReady ? 2 : 1;

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) started_q <= 1'b1;

  typedef logic [1:0] data_t;
  data_t out;
  logic in_ready, out_valid;
  data_t [Slots-1:0] held;
  logic  [Slots-1:0] held_valid;

  if (Kind == Register) begin : gen_register
    stream_register #(
        .data_t(data_t)
    ) u_dut (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o (in_ready),
        .out_o      (out),
        .out_valid_o(out_valid),
        .out_ready_i
    );
    assign held = out;
    assign held_valid = out_valid;
  end else if (Kind == Skid) begin : gen_skid
    skid_buffer #(
        .data_t(data_t)
    ) u_dut (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o (in_ready),
        .out_o      (out),
        .out_valid_o(out_valid),
        .out_ready_i
    );
    assign held = {u_dut.spare_q, out};
    assign held_valid = {~in_ready, out_valid};
  end else if (Kind == Message) begin : gen_message
    typedef struct packed {
      logic [2:0] meta;
      logic [1:0] kind;
      logic last;
      logic [7:0] data;
    } beat_t;
    beat_t beat;
    message_register #(
        .beat_t(beat_t),
        .meta_t(data_t),
        .Kind  (2)
    ) u_dut (
        .clk_i,
        .rst_i,
        .meta_i     (in_i),
        .valid_i    (in_valid_i),
        .ready_o    (in_ready),
        .out_o      (beat),
        .out_valid_o(out_valid),
        .out_ready_i
    );
    assign out = beat.meta[1:0];
    assign held = out;
    assign held_valid = out_valid;
    always_comb begin
      if (started_q & out_valid) begin
        assert (beat == {1'b0, out, 2'd2, 1'b1, 8'd0});
      end
    end
  end else begin : gen_stage
    stream_stage #(
        .head_t(logic),
        .body_t(logic),
        .DataBits(DataBits),
        .CutsReady(CutsReady)
    ) u_dut (
        .clk_i,
        .rst_i,
        .in_head_i  (in_i[1]),
        .in_body_i  (in_i[0]),
        .in_valid_i,
        .in_ready_o (in_ready),
        .out_head_o (out[1]),
        .out_body_o (out[0]),
        .out_valid_o(out_valid),
        .out_ready_i
    );
    if (IsFifo) begin : gen_fifo
      logic [4:0] level;
      assign {level, held} = u_dut.gen_fifo.u_fifo.u_state.queue;
      for (genvar i = 0; i < Slots; i++) begin : gen_held
        assign held_valid[i] = i < 32'(level);
      end
    end else if (CutsReady) begin : gen_skid
      assign held = {u_dut.gen_register.gen_skid.u_skid.spare_q, out};
      assign held_valid = {~in_ready, out_valid};
    end else begin : gen_plain
      assign held = out;
      assign held_valid = out_valid;
    end
  end

  stage_state #(
      .Width(2),
      .Slots(Slots)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_i  (in_ready),
      .out_i       (out),
      .out_valid_i (out_valid),
      .out_ready_i,
      .held_valid_i(held_valid),
      .held_i      (held)
  );

  always_comb begin
    if (~started_q) assume (rst_i);
    if (started_q) begin
      cover (&held_valid & ~in_ready);
      cover (held_valid[0] & in_valid_i & in_ready & out_ready_i);
    end
  end

endmodule
