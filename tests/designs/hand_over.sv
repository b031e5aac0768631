// SPDX-License-Identifier: Apache-2.0
// UDP echo in two layers of a tile: `taker` has what comes from the mesh, and hands it by an
// AXI-Stream to `giver`, which sends it back. The taker thus waits for the giver's output.
//
// Latency: 1 cycle each. Throughput: one beat per cycle.
module taker #(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 64,  // filled in by Bombus
    parameter int unsigned UdpPort = 7,
    localparam int unsigned UserWidth = 14 + $bits(bombus_pkg::packet_meta_t)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output logic [DataWidth-1:0] over_tdata_o,
    output logic [DataWidth/8-1:0] over_tkeep_o,
    output logic over_tvalid_o,
    input logic over_tready_i,
    output logic over_tlast_o,
    output logic [UserWidth-1:0] over_tuser_o,
    output logic busy_o
);

  localparam string Entry = "taker";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam int unsigned MaxBusyCycles = 0;  // it waits as long as the giver does

  to_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth(UserWidth)
  ) u_over (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .user_i  ({in_i.length, bombus_pkg::packet_meta_t'(in_i.meta)}),
      .tdata_o (over_tdata_o),
      .tkeep_o (over_tkeep_o),
      .tvalid_o(over_tvalid_o),
      .tready_i(over_tready_i),
      .tlast_o (over_tlast_o),
      .tuser_o (over_tuser_o)
  );
  assign busy_o = over_tvalid_o;

endmodule

module giver #(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 64,  // filled in by Bombus
    localparam int unsigned UserWidth = 14 + $bits(bombus_pkg::packet_meta_t)
) (
    input logic clk_i,
    input logic rst_i,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    input logic [DataWidth-1:0] over_tdata_i,
    input logic [DataWidth/8-1:0] over_tkeep_i,
    input logic over_tvalid_i,
    output logic over_tready_o,
    input logic over_tlast_i,
    input logic [UserWidth-1:0] over_tuser_i,
    output logic busy_o
);

  localparam string Entry = "";
  typedef enum logic [0:0] {NextUdpTx} next_e;

  beat_t beat;
  bombus_pkg::packet_meta_t from, meta;
  assign from = over_tuser_i[$bits(from)-1:0];
  always_comb begin
    meta = from;
    meta.l4.ports.src_port = from.l4.ports.dst_port;
    meta.l4.ports.dst_port = from.l4.ports.src_port;
    beat = '0;
    beat.data = over_tdata_i;
    beat.bytes = $bits(beat.bytes)'($countones(over_tkeep_i));
    beat.last = over_tlast_i;
    beat.length = over_tuser_i[UserWidth-1-:14];
    beat.meta = $bits(beat.meta)'(meta);
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(beat),
      .in_valid_i(over_tvalid_i),
      .in_ready_o(over_tready_o),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );
  assign busy_o = out_valid_o;

endmodule
