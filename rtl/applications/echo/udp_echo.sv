// SPDX-License-Identifier: Apache-2.0
// UDP echo (RFC 862): returns every datagram to its sender.
//
// Two services that answer each other never stop, and one datagram with a forged source starts them
// (CVE-2024-2169). Datagrams from ports below FirstClientPort are therefore dropped and counted,
// and this layer's own port must be below it: two such layers cannot answer each other, whatever
// their ports. By default clients have the ports that Linux assigns, from 32768 on; IANA and other
// systems begin at 49152 (RFC 6335, 6). A datagram from port 0 requests no answer (RFC 768).
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module udp_echo
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned UdpPort = 7,  // Bombus reads it and binds the port to this layer
    parameter int unsigned FirstClientPort = 32768  // datagrams from lower ports are dropped
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [0:0] drop_o,
    output message_number_t [0:0] drop_message_o,
    output logic                  busy_o
);

  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("udp_echo: UdpPort must be 1 to 65535");
  end
  if (FirstClientPort <= UdpPort || FirstClientPort > 65535) begin : gen_bad_first
    $error("udp_echo: FirstClientPort must be above UdpPort (%0d), up to 65535", UdpPort);
  end

  localparam string Entry = "udp_echo";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropServicePort,
    NumDrops
  } drop_e;

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );

  wire [15:0] src_port = in_i.meta.l4.ports.src_port;
  wire from_service = src_port < 16'(FirstClientPort);

  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.meta.l4.ports.src_port = in_i.meta.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = src_port;
  end

  drop_output #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(reply),
      .in_first_i(first),
      .in_next_i(NextUdpTx),
      .in_drop_i(from_service),
      .*
  );

  assign busy_o = out_valid_o;

endmodule
