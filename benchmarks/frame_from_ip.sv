// SPDX-License-Identifier: Apache-2.0
// Wires in place of vxlan_decapsulate, to measure its latency: the payload of each datagram is an
// inner frame from its first byte on, in place of the UDP header.
//
// Latency: none. Throughput: one beat per cycle.
module frame_from_ip
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned InnerPort = 1  // of the inner frames
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
    output logic        busy_o
);

  localparam string Entry = "";  // takes the messages of the layer named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam bit PortWithoutMac = 1'b1;
  localparam bit Forwards = 1'b1;
  typedef enum logic [0:0] {
    NextServed,
    NextEthRx
  } next_e;

  // mac_rx gives the sum of a frame from its byte 14 on.
  packet_meta_t meta;
  always_comb begin
    meta = '0;
    meta.mac_port = mac_port_t'(InnerPort);
    meta.csum =
        inner_frame_pkg::without_header(in_i.meta.csum, in_i.data[ethernet_pkg::HeaderBytes*8-1:0]);
    out_o = in_i;
    out_o.meta = $bits(out_o.meta)'(meta);
  end
  assign out_valid_o = in_valid_i;
  assign in_ready_o = out_ready_i;
  assign out_next_o = NextEthRx;
  assign busy_o = 1'b0;

  wire unused = ^{clk_i, rst_i};

endmodule
