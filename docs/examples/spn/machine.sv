// SPDX-License-Identifier: Apache-2.0
// The sum-product network machine as a layer on UDP, compiled by `bombus spn
// compile`: batches of samples in, log2 of their likelihoods out (docs/applications/spn/kernel.md).
//
// Latency: that of spn_udp, with 20 cycles of the pipeline and those of the result's form.
// Throughput: 5 samples per cycle.
module machine
  import bombus_pkg::*;
  import machine_model_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 1043,  // Bombus binds the port to this layer
    parameter int unsigned Copies = 5,  // of the pipeline
    parameter bit Float = 1'b0,  // results; 0: in fixed point
    parameter int unsigned MaxReplyBytes = 1472
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic            [3:0] event_o,
    output logic                  busy_o
);

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("machine: UdpPort must be 1 to 65535");
  end

  localparam string Entry = "machine";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropNoReplyPort,
    DropReply,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventBatch,
    EventBadHeader,
    EventBadLength,
    EventTooMany,
    NumEvents
  } event_e;

  localparam int unsigned ResultCycles = Float ? 3 : 1;

  value_t [Copies-1:0][NumVariables-1:0] samples;
  logic [Copies-1:0][31:0] results;
  spn_udp #(
      .beat_t(beat_t),
      .NumVariables(NumVariables),
      .ValueBits(ValueBits),
      .Copies(Copies),
      .PipelineCycles(Depth + ResultCycles),
      .Fraction(Float ? '0 : 8'(Fraction)),
      .MaxReplyBytes(MaxReplyBytes)
  ) u_kernel (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .drop_o,
      .drop_message_o,
      .event_o,
      .busy_o,
      .samples_o(samples),
      .results_i(results)
  );

  for (genvar c = 0; c < Copies; c++) begin : gen_copy
    number_t number;
    machine_pipeline u_pipeline (
        .clk_i,
        .sample_i(samples[c]),
        .number_o(number)
    );
    spn_result #(
        .Width(Width),
        .Fraction(Fraction),
        .Offset(Offset),
        .Float(Float)
    ) u_result (
        .clk_i,
        .number_i(number),
        .result_o(results[c])
    );
  end

endmodule
