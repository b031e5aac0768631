// SPDX-License-Identifier: Apache-2.0
// cluster_link, serial_lane and a transceiver between shift registers, for place and route.
`include "cluster_types.svh"

module serial_link_top
  import cluster_link_pkg::*;
#(
    localparam int unsigned DataWidth = 64
) (
    input  logic clk_i,
    input  logic rst_i,
    input  logic scan_i,
    output logic scan_o,
    input  logic refclk_p_i,
    input  logic refclk_n_i,
    input  logic rx_p_i,
    input  logic rx_n_i,
    output logic tx_p_o,
    output logic tx_n_o
);

  `CLUSTER_BEAT_T(beat_t, DataWidth)

  beat_t in_q, out;
  logic [$bits(beat_t)-1:0] fold_q;
  logic in_valid_q, in_ready, out_valid, out_ready_q;
  logic [DataWidth-1:0] tx_data, rx_data;
  logic tx_valid, tx_ready, rx_valid, up;
  (* keep *) logic lane_tx_clk, lane_rx_clk;
  logic lane_tx_ready, lane_rx_ready, lane_tx_reset, lane_rx_reset;
  serial_pkg::symbol_t lane_tx, lane_rx;
  link_control_t control_q;
  link_state_t state;
  logic [NumEvents-1:0] events;

  always_ff @(posedge clk_i) begin
    {control_q, out_ready_q, in_valid_q, in_q} <= {
      control_q[$bits(control_q)-2:0], out_ready_q, in_valid_q, in_q, scan_i ^ in_ready
    };
    fold_q <= (fold_q << 1) ^ (out & {$bits(beat_t) {out_valid}}) ^ $bits(beat_t)'({state, events});
    scan_o <= ^{fold_q[$bits(beat_t)-1], up};
  end

  cluster_link #(
      .beat_t(beat_t),
      .DataWidth(DataWidth)
  ) u_link (
      .clk_i,
      .rst_i,
      .in_i(in_q),
      .in_valid_i(in_valid_q),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready_q),
      .phy_tx_data_o(tx_data),
      .phy_tx_valid_o(tx_valid),
      .phy_tx_ready_i(tx_ready),
      .phy_rx_data_i(rx_data),
      .phy_rx_valid_i(rx_valid),
      .phy_up_i(up),
      .control_i(control_q),
      .up_o(),
      .state_o(state),
      .event_o(events)
  );

  serial_lane #(
      .DataWidth(DataWidth)
  ) u_lane (
      .clk_i,
      .rst_i,
      .phy_tx_data_i(tx_data),
      .phy_tx_valid_i(tx_valid),
      .phy_tx_ready_o(tx_ready),
      .phy_rx_data_o(rx_data),
      .phy_rx_valid_o(rx_valid),
      .phy_up_o(up),
      .lane_tx_clk_i(lane_tx_clk),
      .lane_tx_rst_i(lane_tx_reset),
      .lane_tx_o(lane_tx),
      .lane_rx_clk_i(lane_rx_clk),
      .lane_rx_rst_i(lane_rx_reset),
      .lane_rx_i(lane_rx)
  );

  async_reset u_tx_reset (
      .clk_i(lane_tx_clk),
      .rst_i(~lane_tx_ready),
      .rst_o(lane_tx_reset)
  );
  async_reset u_rx_reset (
      .clk_i(lane_rx_clk),
      .rst_i(~lane_rx_ready),
      .rst_o(lane_rx_reset)
  );

  liteiclink_serdes_0 u_serdes (
      .sys_clk(clk_i),
      .sys_rst(rst_i),
      .refclk_p(refclk_p_i),
      .refclk_n(refclk_n_i),
      .rx_p(rx_p_i),
      .rx_n(rx_n_i),
      .tx_p(tx_p_o),
      .tx_n(tx_n_o),
      .tx_clk(lane_tx_clk),
      .tx_k(lane_tx.k),
      .tx_data(lane_tx.bytes),
      .tx_ready(lane_tx_ready),
      .rx_clk(lane_rx_clk),
      .rx_k(lane_rx.k),
      .rx_data(lane_rx.bytes),
      .rx_ready(lane_rx_ready)
  );

endmodule
