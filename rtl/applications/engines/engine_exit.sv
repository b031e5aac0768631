// SPDX-License-Identifier: Apache-2.0
// Exit of the engines: sends packets as frames to their MAC port. The exit of port 0 also receives,
// and drops, packets refused by an engine and packets whose next engine or MAC port does not exist.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module engine_exit
  import bombus_pkg::*;
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Port = 0,  // the MAC port
    parameter int unsigned Engine = engine_pkg::FirstExit + Port,  // its key as a next hop
    parameter bit CutsReady = 0  // passed to output_stage
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,

    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic                  busy_o
);

  if (Port >= MaxMacPorts) begin : gen_bad_port
    $error("port must be below %0d", MaxMacPorts);
  end
  if (Engine != FirstExit + Port) begin : gen_bad_engine
    $error("engine_exit: engine must not be given");
  end

  localparam string Entry = "engine_exit";
  localparam string Takes = "engine_packet";
  typedef enum logic [0:0] {NextMacTx} next_e;
  typedef enum int unsigned {
    DropRefused,
    DropNoNext,
    NumDrops
  } drop_e;

  engine_packet_meta_t meta;
  assign meta = engine_packet_meta_t'(in_i.meta);

  packet_meta_t left;
  always_comb begin
    left = '0;
    left.mac_port = meta.mac_port;
    left.vlan = meta.vlan;
  end
  beat_t frame;
  always_comb begin
    frame = in_i;
    frame.kind = $bits(in_i.kind)'(KindPacket);
    frame.meta = $bits(in_i.meta)'(left);
  end

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (meta.discard) reasons[DropRefused] = 1'b1;
    else if (meta.lost) reasons[DropNoNext] = 1'b1;
  end

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );

  drop_output #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(frame),
      .in_first_i(first),
      .in_next_i(NextMacTx),
      .in_drop_i(reasons),
      .*
  );

  assign busy_o = out_valid_o;

endmodule
