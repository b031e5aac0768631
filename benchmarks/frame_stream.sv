// SPDX-License-Identifier: Apache-2.0
// Frames between MAC port 0 and raised AXI-Streams, for kernels on plain Ethernet. A frame into the
// design has its length in bytes as tuser; frames are from the destination address on, without FCS.
//
// Latency: 1 cycle each way. Throughput: one beat per cycle. IEEE 802.3, 3.2.
module frame_stream
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [0:0] out_next_o,

    output logic [DataWidth-1:0] app_out_tdata_o,
    output logic [DataBytes-1:0] app_out_tkeep_o,
    output logic app_out_tvalid_o,
    input logic app_out_tready_i,
    output logic app_out_tlast_o,
    output logic [15:0] app_out_tuser_o,
    input logic [DataWidth-1:0] app_in_tdata_i,
    input logic [DataBytes-1:0] app_in_tkeep_i,
    input logic app_in_tvalid_i,
    output logic app_in_tready_o,
    input logic app_in_tlast_i,
    input logic [15:0] app_in_tuser_i,

    output logic busy_o
);

  localparam string Entry = "rpu";  // takes frames of frame_rx, as a packet processor does
  localparam bit InWaitsForOut = 1'b0;
  typedef enum logic [0:0] {NextMacTx} next_e;

  to_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth(16)
  ) u_to_app (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .user_i  (16'(in_i.length)),
      .tdata_o (app_out_tdata_o),
      .tkeep_o (app_out_tkeep_o),
      .tvalid_o(app_out_tvalid_o),
      .tready_i(app_out_tready_i),
      .tlast_o (app_out_tlast_o),
      .tuser_o (app_out_tuser_o)
  );
  from_axi_stream #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .MetaWidth($bits(packet_meta_t)),
      .Kind(KindPacket)
  ) u_from_app (
      .clk_i,
      .rst_i,
      .tdata_i (app_in_tdata_i),
      .tkeep_i (app_in_tkeep_i),
      .tvalid_i(app_in_tvalid_i),
      .tready_o(app_in_tready_o),
      .tlast_i (app_in_tlast_i),
      .meta_i  ('0),
      .length_i(app_in_tuser_i[13:0]),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );
  assign out_next_o = NextMacTx;

  logic inside_q;  // a frame of the program has begun
  always_ff @(posedge clk_i) begin
    if (rst_i) inside_q <= 1'b0;
    else if (app_in_tvalid_i & app_in_tready_o) inside_q <= ~app_in_tlast_i;
  end
  assign busy_o = app_out_tvalid_o | out_valid_o | inside_q;
  wire unused = ^app_in_tuser_i[15:14];

endmodule
