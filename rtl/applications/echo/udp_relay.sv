// SPDX-License-Identifier: Apache-2.0
// UDP relay: forwards every datagram for UdpPort to port ToPort of ToIp, from port UdpPort of this
// host. The result is a new message, without a VLAN tag. It leaves by the MAC port of its route
// (mac_route), regardless of the port at which the datagram arrived.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module udp_relay
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned UdpPort = 9000,
    parameter logic [31:0] ToIp = 32'h0A_4D_00_01,
    parameter int unsigned ToPort = 9000
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [0:0] out_next_o,
    output logic busy_o
);

  localparam string Entry = "udp_relay";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("udp_relay: udp_port must be from 1 to 65535");
  end
  if (ToPort < 1 || ToPort > 65535) begin : gen_bad_to_port
    $error("to_port must be from 1 to 65535");
  end

  beat_t sent;
  always_comb begin
    sent = in_i;
    sent.meta.mac_port = RoutedPort;
    sent.meta.vlan = '0;
    sent.meta.csum = '0;
    sent.meta.ip = ToIp;
    sent.meta.l4.ports = '{src_port: 16'(UdpPort), dst_port: 16'(ToPort)};
  end

  output_stage #(
      .beat_t(beat_t),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sent),
      .in_next_i(NextUdpTx),
      .*
  );

  assign busy_o = out_valid_o;

endmodule
