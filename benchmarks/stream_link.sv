// SPDX-License-Identifier: Apache-2.0
// A point-to-point link without packets, as Aurora's streaming interface: beats of a raised
// AXI-Stream cross the link, full and without ends. In IdleCycles of PeriodCycles the sender is
// idle, for the compensation of the clocks. With Echo, received beats return instead of leaving by
// the stream. A beat that finds the FIFO of the echo full is lost; there is no backpressure.
//
// Latency: 1 cycle each way, 2 more for the echo. Throughput: one beat per cycle but for the idle
// ones.
module stream_link #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned PeriodCycles = 5000,
    parameter int unsigned IdleCycles = 8,
    parameter bit Echo = 1'b0,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] app_in_tdata_i,
    input logic [DataBytes-1:0] app_in_tkeep_i,
    input logic app_in_tvalid_i,
    output logic app_in_tready_o,
    input logic app_in_tlast_i,
    output logic [DataWidth-1:0] app_out_tdata_o,
    output logic [DataBytes-1:0] app_out_tkeep_o,
    output logic app_out_tvalid_o,
    input logic app_out_tready_i,
    output logic app_out_tlast_o,

    output logic [DataWidth-1:0] link_tx_data_o,
    output logic link_tx_valid_o,
    input logic link_tx_ready_i,
    input logic [DataWidth-1:0] link_rx_data_i,
    input logic link_rx_valid_i,
    input logic link_up_i
);

  localparam string Entry = "";  // not reachable from the mesh

  if (IdleCycles >= PeriodCycles) begin : gen_bad_idle
    $error("stream_link: IdleCycles must be below PeriodCycles");
  end

  logic [$clog2(PeriodCycles)-1:0] phase_q;
  wire is_idle = 32'(phase_q) < IdleCycles;
  always_ff @(posedge clk_i) begin
    if (rst_i | 32'(phase_q) == PeriodCycles - 1) phase_q <= '0;
    else phase_q <= phase_q + 1'b1;
  end

  logic [DataWidth-1:0] echoed;
  logic echoed_valid, echoed_ready, unused_ready, unused_holds;
  stream_queue #(
      .data_t(logic [DataWidth-1:0]),
      .Depth (32)
  ) u_echo (
      .clk_i,
      .rst_i,
      .in_i(link_rx_data_i),
      .in_valid_i(link_rx_valid_i & Echo),
      .in_ready_o(unused_ready),
      .out_o(echoed),
      .out_valid_o(echoed_valid),
      .out_ready_i(echoed_ready),
      .holds_o(unused_holds)
  );

  wire valid = Echo ? echoed_valid : app_in_tvalid_i;
  wire takes = (~link_tx_valid_o | link_tx_ready_i) & ~is_idle & link_up_i;
  assign app_in_tready_o = takes & ~Echo;
  assign echoed_ready = takes & Echo;
  always_ff @(posedge clk_i) begin
    if (valid & takes) link_tx_data_o <= Echo ? echoed : app_in_tdata_i;
    app_out_tdata_o <= link_rx_data_i;
    if (rst_i) begin
      link_tx_valid_o  <= 1'b0;
      app_out_tvalid_o <= 1'b0;
    end else begin
      link_tx_valid_o  <= (valid & takes) | (link_tx_valid_o & ~link_tx_ready_i);
      app_out_tvalid_o <= link_rx_valid_i & ~Echo;
    end
  end
  assign app_out_tkeep_o = '1;
  assign app_out_tlast_o = 1'b1;

  wire unused = ^{app_in_tkeep_i, app_in_tlast_i, app_out_tready_i};

endmodule
