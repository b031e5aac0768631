// SPDX-License-Identifier: Apache-2.0
// Wires in place of vxlan_encapsulate, to measure its latency: an inner frame is the payload of an
// IP packet of protocol UDP to Remote, in place of a UDP header.
//
// Latency: none. Throughput: one beat per cycle.
module frame_into_ip
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned InnerPort = 1,  // of the inner frames
    parameter int unsigned OuterPort = 0,  // of the packets
    parameter logic [31:0] Remote = 32'h0A4D0001  // the other end
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

  localparam string Entry = "frame_into_ip";
  localparam int unsigned MacPort = InnerPort;  // the key that eth_tx binds
  typedef enum logic [0:0] {NextIpv4Tx} next_e;

  // The seed less the words that the outer sum also covers.
  packet_meta_t meta, inner_meta;
  assign inner_meta = packet_meta_t'(in_i.meta);
  always_comb begin
    meta = '0;
    meta.mac_port = mac_port_t'(OuterPort);
    meta.ip = Remote;
    meta.l4.ip_tx.protocol = ProtocolUdp;
    if (inner_meta.l4.ip_tx.csum_pos != '0) begin
      meta.l4.ip_tx.csum_pos = inner_meta.l4.ip_tx.csum_pos;
      meta.csum = inner_frame_pkg::without_header(inner_meta.csum,
                                                  in_i.data[ethernet_pkg::HeaderBytes*8-1:0]);
    end
    out_o = in_i;
    out_o.meta = $bits(out_o.meta)'(meta);
  end
  assign out_valid_o = in_valid_i;
  assign in_ready_o = out_ready_i;
  assign out_next_o = NextIpv4Tx;
  assign busy_o = 1'b0;

  wire unused = ^{clk_i, rst_i};

endmodule
