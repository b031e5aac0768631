// SPDX-License-Identifier: Apache-2.0
// Buffer of an endpoint for at least Depth beats. Up to 64 beats are in LUTRAM, more in block RAM,
// with a queue in LUTRAM before it for what exceeds a power of two.
//
// Latency: 1 or 2 cycles. Throughput: one beat per cycle. in_ready_o is registered.
module cluster_receive_buffer #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 64
) (
    input logic clk_i,
    input logic rst_i,

    input  data_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output data_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  holds_o
);

  localparam int unsigned Below = 2 ** ($clog2(Depth + 1) - 1);  // power of two, at most Depth
  localparam int unsigned Rest = Depth - Below;
  localparam bit Splits = Depth > 64 && Rest > 0 && Rest <= 60;
  localparam int unsigned Main = Splits ? Below : Depth < 4 ? 4 : 2 ** $clog2(Depth);
  // A few more: beats wait there until the block RAM has counted those before them.
  localparam int unsigned Front = !Splits ? 0 : Rest <= 12 ? 16 : Rest <= 28 ? 32 : 64;

  data_t front;
  logic front_valid, front_ready, front_holds, main_holds;
  stream_queue #(
      .data_t(data_t),
      .Depth (Front)
  ) u_front (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o(front),
      .out_valid_o(front_valid),
      .out_ready_i(front_ready),
      .holds_o(front_holds)
  );
  stream_queue #(
      .data_t(data_t),
      .Depth (Main)
  ) u_main (
      .clk_i,
      .rst_i,
      .in_i(front),
      .in_valid_i(front_valid),
      .in_ready_o(front_ready),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .holds_o(main_holds)
  );
  assign holds_o = front_holds | main_holds;

endmodule
