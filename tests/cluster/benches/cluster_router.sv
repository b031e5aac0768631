// SPDX-License-Identifier: Apache-2.0
// A router with two links, and its table after reset: destination modulo 2.
//
// Streams in and out: beats of link 0, of link 1, of the local side. control: the board's ID.
// Events: packets without a route, by input.
`include "cluster_types.svh"
`include "bench.svh"

module bench
  import cluster_pkg::*;
#(
    parameter  int unsigned NumBoards = 4,
    parameter  int unsigned DataWidth = 64,
    localparam int unsigned NumPorts  = 3,
    localparam int unsigned ItemBits  = DataWidth + 32,
    localparam int unsigned IndexBits = 1 + $clog2(NumBoards)
) (
    `BENCH_PORTS(NumPorts, ItemBits, NumPorts, ItemBits, 8, 1)
);

  `BENCH_SHAPE
  `CLUSTER_BEAT_T(beat_t, DataWidth)

  function automatic logic [2**IndexBits-1:0][2:0] routes();
    for (int unsigned e = 0; e < 2 ** IndexBits; e++) routes[e] = 3'(e % 2);
  endfunction

  beat_t [NumPorts-1:0] in, out;
  logic [NumPorts-1:0] no_route, unused_closed, unused_packet;
  logic [2:0] unused_route;
  logic unused_done;
  cluster_router #(
      .beat_t(beat_t),
      .NumLinks(2),
      .NumBoards(NumBoards),
      .Routes(routes())
  ) u_router (
      .clk_i,
      .rst_i,
      .board_i(control_i[7:0]),
      .in_i(in),
      .in_valid_i,
      .in_ready_o,
      .out_o(out),
      .out_valid_o,
      .out_ready_i,
      .out_open_i('1),
      .out_gone_i('0),
      .route_request_i(1'b0),
      .route_write_i(1'b0),
      .route_index_i('0),
      .route_wdata_i('0),
      .route_rdata_o(unused_route),
      .route_done_o(unused_done),
      .no_route_o(no_route),
      .closed_o(unused_closed),
      .packet_o(unused_packet),
      .holds_o(status_o[0])
  );
  for (genvar p = 0; p < NumPorts; p++) begin : gen_port
    assign in[p] = beat_t'(in_i[p][ItemBits-1:0]);
    assign out_o[p] = $bits(out_o[p])'(out[p]);
  end
  assign event_o = 64'(no_route);

endmodule
