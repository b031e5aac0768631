// SPDX-License-Identifier: Apache-2.0
// A controller without its tile, before a table of 16 registers at address 0x1000; other addresses
// read as zero. Messages wait for each other.
//
// Stream in: beats {port, last, bytes, data}, with the peer's port. Stream out: the same. Control:
// the entry of every key, and the secret. Status: the table. Events: those of the controller.
`include "bench.svh"

module bench #(
    parameter bit Sealed = 1,
    localparam int unsigned DataWidth = 512,
    localparam int unsigned BytesBits = $clog2(DataWidth / 8) + 1
) (
    `BENCH_PORTS(1, DataWidth + BytesBits + 17, 1, DataWidth + BytesBits + 17, 256, 512)
);

  `BENCH_SHAPE

  typedef struct packed {
    logic [15:0] port;
    logic last;
    logic [BytesBits-1:0] bytes;
    logic [DataWidth/8-1:0][7:0] data;
  } item_t;
  typedef struct packed {
    logic may_write;
    logic may_read;
    logic [15:0] last_page;
    logic [15:0] first_page;
    logic [127:0] key;
  } keys_t;
  typedef struct packed {
    logic valid;
    logic [31:0] netmask;
    logic [31:0] network;
  } allowed_t;
  typedef struct packed {struct packed {logic [63:0] bits;} secret;} regs_t;
  typedef struct packed {
    logic [29:0] unused;  // so that it is whole words
    regs_t regs;
    keys_t keys;
  } control_t;

  wire control_t control = control_i;
  item_t in, out;
  logic [DataWidth/8-1:0] keep, out_keep;
  assign in = $bits(item_t)'(in_i[0]);
  assign out_o[0] = $bits(out_o[0])'(out);
  always_comb begin
    for (int unsigned n = 0; n < DataWidth / 8; n++) keep[n] = n < 32'(in.bytes);
    out.bytes = '0;
    for (int unsigned n = 0; n < DataWidth / 8; n++) out.bytes += BytesBits'(out_keep[n]);
  end

  always_comb begin
    user = '0;
    user.peer_port = in.port;
  end
  assign out.port = out_user.peer_port;

  bombus_pkg::register_request_t request;
  logic request_valid, response_valid_q, response_ready, unused_timer, unused_busy;
  logic [31:0] response_q;
  logic [1:0] unused_key, unused_allowed;
  udp_stream_pkg::datagram_t user, out_user;
  logic [15:0][31:0] table_q;
  wire in_table = request.address[31:6] == 26'(32'h1000 >> 6);
  wire request_ready = ~response_valid_q;
  wire taken = request_valid & request_ready;
  always_ff @(posedge clk_i) begin
    response_q <= in_table ? table_q[request.address[5:2]] : '0;
    response_valid_q <= ~rst_i & ((taken & ~request.write) | (response_valid_q & ~response_ready));
    if (response_valid_q & ~response_ready) response_q <= response_q;
    if (taken & request.write & in_table) table_q[request.address[5:2]] <= request.wdata;
    if (rst_i) table_q <= '0;
  end
  assign status_o = table_q;

  controller #(
      .keys_t(keys_t),
      .allowed_t(allowed_t),
      .regs_t(regs_t),
      .DataWidth(DataWidth),
      .TileIndex(5),
      .RegisterWindowBits(12),
      .Sealed(Sealed),
      .Key(128'h0f0e0d0c0b0a09080706050403020100),
      .Drops(1'b0)
  ) u_controller (
      .clk_i,
      .rst_i,
      .kernel_rx_tdata_i(in.data),
      .kernel_rx_tkeep_i(keep),
      .kernel_rx_tvalid_i(in_valid_i[0]),
      .kernel_rx_tready_o(in_ready_o[0]),
      .kernel_rx_tlast_i(in.last),
      .kernel_rx_tuser_i(user),
      .kernel_tx_tdata_o(out.data),
      .kernel_tx_tkeep_o(out_keep),
      .kernel_tx_tvalid_o(out_valid_o[0]),
      .kernel_tx_tready_i(out_ready_i[0]),
      .kernel_tx_tlast_o(out.last),
      .kernel_tx_tuser_o(out_user),
      .register_request_o(request),
      .register_request_valid_o(request_valid),
      .register_request_ready_i(request_ready),
      .register_response_i(response_q),
      .register_response_valid_i(response_valid_q),
      .register_response_ready_o(response_ready),
      .keys_index_o(unused_key),
      .keys_i(control.keys),
      .allowed_index_o(unused_allowed),
      .allowed_i('0),
      .regs_i(control.regs),
      .time_us_i('0),
      .event_o(event_o[8:0]),
      .timer_o(unused_timer),
      .busy_o(unused_busy)
  );
  assign event_o[63:9] = '0;

endmodule
