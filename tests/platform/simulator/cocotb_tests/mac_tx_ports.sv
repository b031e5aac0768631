// SPDX-License-Identifier: Apache-2.0
// mac_tx with the fields of a beat as ports, for cocotb.
`include "bombus_types.svh"

module mac_tx_ports #(
    localparam int unsigned DataWidth = 64
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] data_i,
    input logic [$clog2(DataWidth/8):0] bytes_i,
    input logic last_i,
    input logic [13:0] length_i,
    input logic [15:0] csum_i,
    input bombus_pkg::csum_pos_t csum_pos_i,
    input logic valid_i,
    output logic ready_o,

    output logic [DataWidth-1:0] mac_tx_tdata,
    output logic [DataWidth/8-1:0] mac_tx_tkeep,
    output logic mac_tx_tvalid,
    input logic mac_tx_tready,
    output logic mac_tx_tlast
);

  `BOMBUS_BEAT_T(beat_t, DataWidth)

  beat_t beat;
  always_comb begin
    beat = '0;
    beat.data = data_i;
    beat.bytes = bytes_i;
    beat.last = last_i;
    beat.length = length_i;
    beat.meta.csum = csum_i;
    beat.meta.l4.ip_tx.csum_pos = csum_pos_i;
  end

  logic [1:0] unused_drop;
  logic unused_message, unused_busy;
  logic [13:0] unused_bytes;
  mac_tx #(
      .beat_t(beat_t),
      .DataWidth(DataWidth)
  ) u_mac (
      .clk_i,
      .rst_i,
      .in_i(beat),
      .in_valid_i(valid_i),
      .in_ready_o(ready_o),
      .mac_tx_tdata_o(mac_tx_tdata),
      .mac_tx_tkeep_o(mac_tx_tkeep),
      .mac_tx_tvalid_o(mac_tx_tvalid),
      .mac_tx_tready_i(mac_tx_tready),
      .mac_tx_tlast_o(mac_tx_tlast),
      .drop_o(unused_drop),
      .drop_message_o(),
      .mac_message_o(unused_message),
      .mac_bytes_o(unused_bytes),
      .busy_o(unused_busy),
      .waits_o()
  );

endmodule
