// SPDX-License-Identifier: Apache-2.0
// Raw beats, such as those of cluster_link, over one lane of a transceiver with 8b/10b symbols of
// two bytes, such as the SerDes of the ECP5. A lane of 2.5 Gbit/s has clocks of 125 MHz and carries
// 2 Gbit/s.
//
// Bit errors pass unnoticed, so the beats need a check of their own. A beat with a wrong K byte is
// lost. phy_up_o is 1 while the receiver sees idle symbols. clk_i must be fast enough for the
// lane: DataWidth / 16 cycles of lane_rx_clk_i take at least one cycle of clk_i.
//
// Latency, one way: 4 lane cycles and DataWidth / 16 for the beat, the transceivers, and about
// 3 cycles of the destination's clock at both crossings.
module serial_lane
  import serial_pkg::*;
#(
    parameter int unsigned DataWidth  = 64,   // bits of a raw beat
    parameter int unsigned IdleCycles = 4096  // of the lane, a power of two: serial_lane_transmit
) (
    input logic clk_i,  // of the link
    input logic rst_i,
    input logic [DataWidth-1:0] phy_tx_data_i,
    input logic phy_tx_valid_i,
    output logic phy_tx_ready_o,
    output logic [DataWidth-1:0] phy_rx_data_o,
    output logic phy_rx_valid_o,
    output logic phy_up_o,

    input logic lane_tx_clk_i,
    input logic lane_tx_rst_i,
    output symbol_t lane_tx_o,
    input logic lane_rx_clk_i,
    input logic lane_rx_rst_i,
    input symbol_t lane_rx_i
);

  if (DataWidth < 32 || DataWidth % 16 != 0) begin : gen_bad_width
    $error("serial_lane: DataWidth must be a multiple of 16, at least 32");
  end
  if (IdleCycles < 16 || IdleCycles != 2 ** $clog2(IdleCycles)) begin : gen_bad_idle
    $error("serial_lane: IdleCycles must be a power of two, at least 16");
  end

  logic [DataWidth-1:0] tx_data, rx_data;
  logic tx_valid, tx_ready, rx_valid, aligned, unused_rx_ready;

  serial_crossing #(
      .DataWidth(DataWidth)
  ) u_tx_crossing (
      .in_clk_i(clk_i),
      .in_rst_i(rst_i),
      .in_i(phy_tx_data_i),
      .in_valid_i(phy_tx_valid_i),
      .in_ready_o(phy_tx_ready_o),
      .out_clk_i(lane_tx_clk_i),
      .out_rst_i(lane_tx_rst_i),
      .out_o(tx_data),
      .out_valid_o(tx_valid),
      .out_ready_i(tx_ready)
  );

  serial_lane_transmit #(
      .DataWidth (DataWidth),
      .IdleCycles(IdleCycles)
  ) u_transmit (
      .clk_i(lane_tx_clk_i),
      .rst_i(lane_tx_rst_i),
      .in_i(tx_data),
      .in_valid_i(tx_valid),
      .in_ready_o(tx_ready),
      .symbol_o(lane_tx_o)
  );

  serial_lane_receive #(
      .DataWidth (DataWidth),
      .IdleCycles(IdleCycles)
  ) u_receive (
      .clk_i(lane_rx_clk_i),
      .rst_i(lane_rx_rst_i),
      .symbol_i(lane_rx_i),
      .out_o(rx_data),
      .out_valid_o(rx_valid),
      .aligned_o(aligned)
  );

  serial_crossing #(
      .DataWidth(DataWidth)
  ) u_rx_crossing (
      .in_clk_i(lane_rx_clk_i),
      .in_rst_i(lane_rx_rst_i),
      .in_i(rx_data),
      .in_valid_i(rx_valid),
      .in_ready_o(unused_rx_ready),
      .out_clk_i(clk_i),
      .out_rst_i(rst_i),
      .out_o(phy_rx_data_o),
      .out_valid_o(phy_rx_valid_o),
      .out_ready_i(1'b1)
  );

  synchroniser u_up (
      .src_clk_i(lane_rx_clk_i),
      .src_i(aligned & ~lane_rx_rst_i),
      .dst_clk_i(clk_i),
      .dst_rst_i(rst_i),
      .dst_o(phy_up_o)
  );

endmodule
