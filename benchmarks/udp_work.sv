// SPDX-License-Identifier: Apache-2.0
// UDP service that works on a datagram for the number of cycles in its first two bytes, then sends
// it back: a load to measure replicas with. Port 0: dropped, as by udp_echo.
//
// Latency: 1 cycle and the work. Throughput: one beat per cycle, and the work of
// each datagram.
module udp_work
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 9999  // Bombus reads it and binds the port to this layer
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic  [0:0] drop_o,
    output logic        busy_o
);

  localparam string Entry = "udp_work";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam int unsigned MaxBusyCycles = 1 << 16;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropNoReplyPort,
    NumDrops
  } drop_e;

  logic first_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  // The first beat waits until the work is done.
  logic [15:0] done_q;
  wire [15:0] work = swap16(in_i.data[15:0]);
  wire is_done = ~first_q | (done_q == work);
  always_ff @(posedge clk_i) begin
    if (rst_i | is_done) done_q <= '0;
    else if (in_valid_i) done_q <= done_q + 1'b1;
  end

  logic taken, is_busy;
  assign in_ready_o = taken & is_done;
  udp_echo #(
      .beat_t(beat_t)
  ) u_echo (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i(in_valid_i & is_done),
      .in_ready_o(taken),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o,
      .drop_message_o(),
      .busy_o(is_busy)
  );

  assign busy_o = is_busy | done_q != '0;

endmodule
