// SPDX-License-Identifier: Apache-2.0
// Connects a MAC with its own clock to the core's clock: whole frames (AXI-Stream) in both
// directions.
//
// From the MAC: mac_rx_tready_o is always 1, since a MAC cannot wait. Frames that the core does not
// accept in time are dropped whole; each gives a pulse of rx_drop_o. A frame is accepted only if
// there is space for the longest one, so of Depth beats, that many are a reserve.
//
// To the MAC: mac_tx_tvalid_o never falls inside a frame. A frame starts when it is stored whole;
// with TxStartBeats 4, when four beats are stored: safe if the core's clock is not slower and the
// core never pauses inside a frame (mac_tx does not). Frames that arrive while the MAC's side is in
// reset are dropped; each gives a pulse of tx_drop_o.
//
// Either side may be reset alone; frame_crossing describes the effect on frames inside, and the
// latencies.
//
// `bombus area mac_clock_crossing`, 512 bits, 512 beats each way: 304 LUTs, 336 flip-flops, 17
// BRAM36, 3.2 ns.
module mac_clock_crossing #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned MaxBytes = bombus_pkg::MaxFrameBytes,
    // Beats per direction: the next power of two that holds two maximum-length frames.
    parameter int unsigned Depth = 2 ** $clog2(2 * MaxBytes / (DataWidth / 8)),
    parameter int unsigned TxStartBeats = 0,
    parameter int unsigned SyncStages = 2,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic mac_clk_i,
    input logic mac_rst_i,

    input logic [DataWidth-1:0] mac_rx_tdata_i,
    input logic [DataBytes-1:0] mac_rx_tkeep_i,
    input logic mac_rx_tvalid_i,
    output logic mac_rx_tready_o,
    input logic mac_rx_tlast_i,
    input logic mac_rx_tuser_i,

    output logic [DataWidth-1:0] mac_tx_tdata_o,
    output logic [DataBytes-1:0] mac_tx_tkeep_o,
    output logic mac_tx_tvalid_o,
    input logic mac_tx_tready_i,
    output logic mac_tx_tlast_o,
    output logic mac_tx_tuser_o,

    input logic clk_i,
    input logic rst_i,

    output logic [DataWidth-1:0] rx_tdata_o,
    output logic [DataBytes-1:0] rx_tkeep_o,
    output logic rx_tvalid_o,
    input logic rx_tready_i,
    output logic rx_tlast_o,
    output logic rx_tuser_o,
    output logic rx_drop_o,

    input logic [DataWidth-1:0] tx_tdata_i,
    input logic [DataBytes-1:0] tx_tkeep_i,
    input logic tx_tvalid_i,
    output logic tx_tready_o,
    input logic tx_tlast_i,
    input logic tx_tuser_i,
    output logic tx_drop_o
);

  logic unused_rx_drop, unused_tx_drop;
  frame_crossing #(
      .DataWidth(DataWidth),
      .MaxBytes(MaxBytes),
      .Depth(Depth),
      .Drops(1'b1),
      .StartBeats(1),
      .SyncStages(SyncStages)
  ) u_rx (
      .in_clk_i(mac_clk_i),
      .in_rst_i(mac_rst_i),
      .in_tdata_i(mac_rx_tdata_i),
      .in_tkeep_i(mac_rx_tkeep_i),
      .in_tvalid_i(mac_rx_tvalid_i),
      .in_tready_o(mac_rx_tready_o),
      .in_tlast_i(mac_rx_tlast_i),
      .in_tuser_i(mac_rx_tuser_i),
      .in_drop_o(unused_rx_drop),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_tdata_o(rx_tdata_o),
      .out_tkeep_o(rx_tkeep_o),
      .out_tvalid_o(rx_tvalid_o),
      .out_tready_i(rx_tready_i),
      .out_tlast_o(rx_tlast_o),
      .out_tuser_o(rx_tuser_o),
      .out_drop_o(rx_drop_o)
  );

  frame_crossing #(
      .DataWidth(DataWidth),
      .MaxBytes(MaxBytes),
      .Depth(Depth),
      .Drops(1'b0),
      .StartBeats(TxStartBeats),
      .SyncStages(SyncStages)
  ) u_tx (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_tdata_i(tx_tdata_i),
      .in_tkeep_i(tx_tkeep_i),
      .in_tvalid_i(tx_tvalid_i),
      .in_tready_o(tx_tready_o),
      .in_tlast_i(tx_tlast_i),
      .in_tuser_i(tx_tuser_i),
      .in_drop_o(tx_drop_o),
      .out_clk_i(mac_clk_i),
      .out_rst_i(mac_rst_i),
      .out_tdata_o(mac_tx_tdata_o),
      .out_tkeep_o(mac_tx_tkeep_o),
      .out_tvalid_o(mac_tx_tvalid_o),
      .out_tready_i(mac_tx_tready_i),
      .out_tlast_o(mac_tx_tlast_o),
      .out_tuser_o(mac_tx_tuser_o),
      .out_drop_o(unused_tx_drop)
  );

endmodule
