// SPDX-License-Identifier: Apache-2.0
// Where packets leave the engines: it sends them to their MAC port as frames, and drops those
// that an engine has refused, or whose sequence names an engine that does not exist.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module engine_exit
  import bombus_pkg::*;
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    // MAC ports, filled in by Bombus, and the bound next hop that each leads to
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic [2:0] drop_o,
    output logic       busy_o
);

  localparam string Entry = "engine_exit";
  localparam string Takes = "engine_packet";
  localparam string Binds = "mac_port";
  localparam int unsigned BindsWidth = $bits(mac_port_t);
  localparam bit BindsZero = 1'b1;
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    DropRefused,
    DropNoEngine,
    DropNoMacPort,
    NumDrops
  } drop_e;

  engine_packet_meta_t meta;
  assign meta = engine_packet_meta_t'(in_i.meta);

  packet_meta_t left;
  always_comb begin
    left = '0;
    left.mac_port = meta.mac_port;
    left.vlan = meta.vlan;
  end
  beat_t frame;
  always_comb begin
    frame = in_i;
    frame.kind = $bits(in_i.kind)'(KindPacket);
    frame.meta = $bits(in_i.meta)'(left);
  end

  logic bound;
  logic [NextWidth-1:0] next;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .ZeroKey  (1'b1),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (16'(meta.mac_port)),
      .found_o(bound),
      .hop_o  (next)
  );

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (meta.discard) reasons[DropRefused] = 1'b1;
    else if (meta.lost) reasons[DropNoEngine] = 1'b1;
    else if (~bound) reasons[DropNoMacPort] = 1'b1;
  end

  logic first_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(frame),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first_q),
      .in_next_i(next),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  assign busy_o = out_valid_o;

endmodule
