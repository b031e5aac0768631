// SPDX-License-Identifier: Apache-2.0
// A MAC and the core, clock 1 and clock 0. Streams: from the MAC, from the core;
// to the core, to the MAC. Events: a drop of the one and the other way.
`include "bench.svh"

module bench #(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned MaxBytes = 9600,
    parameter int unsigned Depth = 2048,
    parameter int unsigned TxStartBeats = 0,
    localparam int unsigned ItemBits = DataWidth + DataWidth / 8 + 2
) (
    `BENCH_PORTS_OF_CLOCKS(2, 2, ItemBits, 2, ItemBits, 1, 1)
);

  `BENCH_SHAPE_OF_CLOCKS(2'b01, 2'b10, 2'b00)

  typedef struct packed {
    logic user;
    logic last;
    logic [DataWidth/8-1:0] keep;
    logic [DataWidth-1:0] data;
  } item_t;
  item_t mac_in, core_in, core_out, mac_out;
  assign mac_in   = ItemBits'(in_i[0]);
  assign core_in  = ItemBits'(in_i[1]);
  assign out_o[0] = ($bits(out_o[0]))'(core_out);
  assign out_o[1] = ($bits(out_o[1]))'(mac_out);

  mac_clock_crossing #(
      .DataWidth(DataWidth),
      .MaxBytes(MaxBytes),
      .Depth(Depth),
      .TxStartBeats(TxStartBeats)
  ) u_crossing (
      .mac_clk_i(clk_i[1]),
      .mac_rst_i(rst_i[1]),
      .mac_rx_tdata_i(mac_in.data),
      .mac_rx_tkeep_i(mac_in.keep),
      .mac_rx_tvalid_i(in_valid_i[0]),
      .mac_rx_tready_o(in_ready_o[0]),
      .mac_rx_tlast_i(mac_in.last),
      .mac_rx_tuser_i(mac_in.user),
      .rx_drop_o(event_o[0]),
      .mac_tx_tdata_o(mac_out.data),
      .mac_tx_tkeep_o(mac_out.keep),
      .mac_tx_tvalid_o(out_valid_o[1]),
      .mac_tx_tready_i(out_ready_i[1]),
      .mac_tx_tlast_o(mac_out.last),
      .mac_tx_tuser_o(mac_out.user),
      .clk_i(clk_i[0]),
      .rst_i(rst_i[0]),
      .rx_tdata_o(core_out.data),
      .rx_tkeep_o(core_out.keep),
      .rx_tvalid_o(out_valid_o[0]),
      .rx_tready_i(out_ready_i[0]),
      .rx_tlast_o(core_out.last),
      .rx_tuser_o(core_out.user),
      .tx_tdata_i(core_in.data),
      .tx_tkeep_i(core_in.keep),
      .tx_tvalid_i(in_valid_i[1]),
      .tx_tready_o(in_ready_o[1]),
      .tx_tlast_i(core_in.last),
      .tx_tuser_i(core_in.user),
      .tx_drop_o(event_o[1])
  );

  assign event_o[63:2] = '0;
  assign status_o = control_i;

endmodule
