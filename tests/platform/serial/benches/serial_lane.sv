// SPDX-License-Identifier: Apache-2.0
// Two links over serial lanes. Clock 0 is that of both boards, clocks 1 and 2 those of the lanes
// from A and from B. Each lane may shift its bytes by one, and damages symbols.
//
// Streams in: beats of side A, of side B; out: those that arrive at B, at A.
`include "bench.svh"
`include "cluster_types.svh"

module bench
  import cluster_link_pkg::*;
  import serial_pkg::*;
#(
    parameter  int unsigned DataWidth  = 64,
    parameter  int unsigned IdleCycles = 256,
    localparam int unsigned BeatBits   = DataWidth + 32
) (
    `BENCH_PORTS_OF_CLOCKS(3, 2, BeatBits, 2, BeatBits, 38, 4)
);

  `BENCH_SHAPE_OF_CLOCKS('0, '0, '0)
  `CLUSTER_BEAT_T(beat_t, DataWidth)

  typedef struct packed {
    logic [1:0]  tx_reset;  // of the lane from A, from B, at its sender
    logic [1:0]  rx_reset;  // at its receiver
    logic [1:0]  shift;     // bytes by one
    logic [31:0] errors;    // damaged symbols of 2**32
  } faults_t;
  faults_t faults;
  assign faults = control_i;

  symbol_t [1:0] sent, line;
  logic [1:0] ups, phy_ups;

  for (genvar s = 0; s < 2; s++) begin : gen_side
    logic [DataWidth-1:0] tx_data, rx_data;
    logic tx_valid, tx_ready, rx_valid;
    logic [NumEvents-1:0] events;
    beat_t out;
    link_state_t unused_state;

    cluster_link #(
        .beat_t(beat_t),
        .DataWidth(DataWidth)
    ) u_link (
        .clk_i(clk_i[0]),
        .rst_i(rst_i[0]),
        .in_i(beat_t'(in_i[s][BeatBits-1:0])),
        .in_valid_i(in_valid_i[s]),
        .in_ready_o(in_ready_o[s]),
        .out_o(out),
        .out_valid_o(out_valid_o[1-s]),
        .out_ready_i(out_ready_i[1-s]),
        .phy_tx_data_o(tx_data),
        .phy_tx_valid_o(tx_valid),
        .phy_tx_ready_i(tx_ready),
        .phy_rx_data_i(rx_data),
        .phy_rx_valid_i(rx_valid),
        .phy_up_i(phy_ups[s]),
        .control_i('0),
        .up_o(ups[s]),
        .state_o(unused_state),
        .event_o(events)
    );
    assign out_o[1-s] = $bits(out_o[0])'(out);
    assign event_o[32*s+:32] = 32'(events);

    serial_lane #(
        .DataWidth (DataWidth),
        .IdleCycles(IdleCycles)
    ) u_serial (
        .clk_i(clk_i[0]),
        .rst_i(rst_i[0]),
        .phy_tx_data_i(tx_data),
        .phy_tx_valid_i(tx_valid),
        .phy_tx_ready_o(tx_ready),
        .phy_rx_data_o(rx_data),
        .phy_rx_valid_o(rx_valid),
        .phy_up_o(phy_ups[s]),
        .lane_tx_clk_i(clk_i[1+s]),
        .lane_tx_rst_i(rst_i[1+s] | faults.tx_reset[s]),
        .lane_tx_o(sent[s]),
        .lane_rx_clk_i(clk_i[2-s]),
        .lane_rx_rst_i(rst_i[2-s] | faults.rx_reset[1-s]),
        .lane_rx_i(line[1-s])
    );

    // The lane from this side: whole bytes late, damaged symbols get wrong bits or K flags.
    symbol_t before_q, moved;
    assign moved = faults.shift[s] ?
        '{k: {sent[s].k[0], before_q.k[1]}, bytes: {sent[s].bytes[0], before_q.bytes[1]}}
        : sent[s];
    always_ff @(posedge clk_i[1+s]) begin
      before_q <= sent[s];
      line[s]  <= moved;
      if ($urandom() < faults.errors) begin
        line[s] <= moved ^ $bits(symbol_t)'($urandom());
      end
    end
  end

  assign status_o = {phy_ups, ups};

endmodule
