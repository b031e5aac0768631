// SPDX-License-Identifier: Apache-2.0
// Replaces tcp_receive_buffer: sends payload and events of an engine with Bypass to the application
// that is bound to their port. Nothing is stored: applications must accept bytes as they arrive.
//
// Latency: 1 cycle. Throughput: one beat per cycle, no gap between messages.
module tcp_bypass
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned KindTcpData = 1,  // filled in by Bombus
    // Ports of applications, and the bound next hop of each; filled in by Bombus
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
    output logic  [          0:0] drop_o,
    output logic                  busy_o
);

  localparam string Entry = "tcp_receive_buffer_data";
  localparam string Takes = "tcp_data tcp_event";
  localparam string Sends = "tcp_data tcp_event";
  localparam string Binds = "tcp_port";
  localparam bit BindsZero = 1'b1;  // port 0: an application that receives all other ports
  localparam bit Replicable = 1'b0;
  localparam string Agrees = "1=tcp.bypass";
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    DropBadPort,
    NumDrops
  } drop_e;

  tcp_data_meta_t  data_meta;
  tcp_event_meta_t event_meta;
  assign data_meta  = tcp_data_meta_t'(in_i.meta);
  assign event_meta = tcp_event_meta_t'(in_i.meta);

  logic first, found, found_q;
  logic [NextWidth-1:0] next, next_q;
  bound_hop #(
      .NumBound(NumBound),
      .HopWidth(NextWidth),
      .ZeroTakesRest(1'b1),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (32'(in_i.kind) == KindTcpData ? data_meta.port : event_meta.port),
      .found_o(found),
      .hop_o  (next)
  );
  wire drop = first ? ~found : ~found_q;
  wire taken = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (taken & first) begin
      found_q <= found;
      next_q  <= next;
    end
    drop_o[DropBadPort] <= taken & first & ~found & ~rst_i;
  end

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .in_valid_i(in_valid_i & ~drop),
      .in_next_i (first ? next : next_q),
      .*
  );

  assign busy_o = out_valid_o;

endmodule
