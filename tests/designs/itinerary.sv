// SPDX-License-Identifier: Apache-2.0
// Sends each datagram to stations (station.sv), and back to its sender in the end. Its first two
// bytes say where: 3 bits for each step, the first one lowest.
module itinerary
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 7000,
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [NextWidth-1:0] out_next_o,
    output logic busy_o
);

  localparam string Entry = "itinerary";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam string Binds = "station";
  localparam int unsigned BindsWidth = 3;
  typedef enum logic [0:0] {
    NextUdpTx,
    NextBound
  } next_e;

  logic first_q, found;
  logic [NextWidth-1:0] hop, next, next_q;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (16'(in_i.data[2:0])),
      .found_o(found),
      .hop_o  (hop)
  );
  assign next = ~first_q ? next_q : found ? hop + NextWidth'(NextBound) : NextWidth'(NextUdpTx);

  // The steps that are left take the place of the own port, which is not needed any more.
  beat_t sent;
  logic [15:0] steps_q;
  wire [15:0] steps = first_q ? in_i.data[15:0] >> 3 : steps_q;
  always_comb begin
    sent = in_i;
    sent.meta.l4.ports.dst_port = in_i.meta.l4.ports.src_port;
    sent.meta.l4.ports.src_port = steps;
  end
  always_ff @(posedge clk_i) begin
    if (in_valid_i) begin
      next_q  <= next;
      steps_q <= steps;
    end
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i,
      .in_ready_o,
      .in_next_i(next),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o
  );

  assign busy_o = out_valid_o | ~first_q;

endmodule
