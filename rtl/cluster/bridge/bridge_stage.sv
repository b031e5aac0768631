// SPDX-License-Identifier: Apache-2.0
// A layer's place in the chain of endpoints ("A Transport-Layer Network for Distributed FPGA
// Platforms", section III): packets of its channel leave the chain here, others go on to the next
// stage; its own packets and those from below take turns on the way up.
//
// A packet for a channel that no stage below has (next_there_i is 0) is dropped.
//
// Latency: 1 cycle in each direction. Throughput: one beat per cycle.
module bridge_stage
  import cluster_pkg::*;
#(
    parameter type packet_t = logic,  // CLUSTER_BEAT_T
    parameter channel_t Channel = '0
) (
    input logic clk_i,
    input logic rst_i,

    input packet_t node_i,
    input logic node_valid_i,
    output logic node_ready_o,
    output packet_t node_o,
    output logic node_valid_o,
    input logic node_ready_i,

    output packet_t next_o,
    output logic next_valid_o,
    input logic next_ready_i,
    input packet_t next_i,
    input logic next_valid_i,
    output logic next_ready_o,
    input logic next_there_i,

    input packet_t send_i,
    input logic send_valid_i,
    output logic send_ready_o,
    output packet_t receive_o,
    output logic receive_valid_o,
    input logic receive_ready_i,

    output logic drop_o
);

  // ---- Up ----

  packet_t merged;
  logic merged_valid, merged_ready;
  logic [1:0] unused_selected;
  stream_merge #(
      .beat_t(packet_t),
      .NumInputs(2)
  ) u_merge (
      .clk_i,
      .rst_i,
      .in_i({next_i, send_i}),
      .in_valid_i({next_valid_i, send_valid_i}),
      .in_ready_o({next_ready_o, send_ready_o}),
      .out_o(merged),
      .out_valid_o(merged_valid),
      .out_ready_i({2{merged_ready}}),
      .selected_o(unused_selected)
  );
  stream_register #(
      .data_t(packet_t)
  ) u_up (
      .clk_i,
      .rst_i,
      .in_i(merged),
      .in_valid_i(merged_valid),
      .in_ready_o(merged_ready),
      .out_o(node_o),
      .out_valid_o(node_valid_o),
      .out_ready_i(node_ready_i)
  );

  // ---- Down ----

  packet_t taken;
  logic taken_valid, first;
  wire is_own = taken.header.channel == Channel;
  wire is_lost = ~is_own & ~next_there_i;
  wire taken_ready = is_own ? receive_ready_i : next_ready_i | is_lost;
  stream_register #(
      .data_t(packet_t)
  ) u_down (
      .clk_i,
      .rst_i,
      .in_i(node_i),
      .in_valid_i(node_valid_i),
      .in_ready_o(node_ready_o),
      .out_o(taken),
      .out_valid_o(taken_valid),
      .out_ready_i(taken_ready)
  );
  assign receive_o = taken;
  assign receive_valid_o = taken_valid & is_own;
  assign next_o = taken;
  assign next_valid_o = taken_valid & ~is_own & next_there_i;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken_valid & taken_ready),
      .last_i (taken.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) drop_o <= taken_valid & is_lost & first & ~rst_i;

endmodule
