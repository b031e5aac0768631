// SPDX-License-Identifier: Apache-2.0
// An inner IP packet in an Ethernet frame, in a UDP datagram (as VXLAN, RFC 7348, without its
// header's 8 bytes), through ipv4_tx and mac_tx, at two data widths. The checksum to be completed
// is the inner one: it starts after three headers.
//
// An item in: beat, an IP packet. Out: tlast, tkeep, tdata.
`include "bombus_types.svh"
`include "bench.svh"

// The operation of a layer that prepends headers: adds their length and subtracts their sum.
module encapsulate
  import bombus_pkg::*;
#(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  typedef struct packed {
    ethernet_pkg::header_t ethernet;
    udp_pkg::header_t udp;
  } outer_t;
  localparam int unsigned OuterBytes = $bits(outer_t) / 8;

  wire [13:0] length = in_i.length + 14'(OuterBytes);
  outer_t outer;
  assign outer = '{
          udp: '{
              src_port: swap16(16'hC000),
              dst_port: swap16(16'd4789),
              length: swap16(16'(length)),
              csum: '0
          },
          ethernet: '{
              dst: swap48(48'h02AABBCCDDEE),
              src: swap48(48'h021122334455),
              ether_type: swap16(EtherTypeIpv4)
          }
      };
  wire [OuterBytes/2-1:0][15:0] words = outer;
  logic [15:0] sum;
  always_comb begin
    sum = '0;
    for (int unsigned w = 0; w < OuterBytes / 2; w++) sum = csum_add(sum, swap16(words[w]));
  end

  beat_t framed;
  logic  unused_first;
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(OuterBytes)
  ) u_prepend (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .header_i(outer),
      .skip_i(1'b0),
      .out_o(framed),
      .out_valid_o,
      .out_ready_i,
      .out_first_o(unused_first)
  );
  always_comb begin
    out_o = framed;
    out_o.length = length;
    out_o.meta.l4.ip_tx.protocol = ProtocolUdp;
    if (in_i.meta.l4.ip_tx.csum_pos != '0) begin
      out_o.meta.l4.ip_tx.csum_pos = in_i.meta.l4.ip_tx.csum_pos + csum_pos_t'(OuterBytes / 2);
      out_o.meta.csum = csum_add(in_i.meta.csum, ~sum);
    end
  end

endmodule

module bench #(
    localparam int unsigned BeatBits = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(2, BeatBits, 2, 512 + 64 + 1, 1, 2)
);

  `BENCH_SHAPE

  import bombus_pkg::*;

  // See layer_cases.py.
  wire host_t host =
  '{mac: 48'h8A1B2C3D4E9F, ip: 32'h0A000001, netmask: 32'hFFFFFF00, gateway: 32'h0A0000FE}
  ;

  for (genvar n = 0; n < 2; n++) begin : gen_width
    localparam int unsigned Width = n == 0 ? 64 : 512;
    `BOMBUS_BEAT_T(beat_t, Width)
    beat_t datagram, packet, bare, framed;
    logic datagram_valid, datagram_ready, packet_valid, packet_ready, bare_valid, bare_ready;
    logic [  Width-1:0] data;
    logic [Width/8-1:0] keep;
    logic last, unused_next, unused_first, unused_busy, unused_drop, unused_message;
    logic [ 1:0] unused_drops;
    logic [13:0] unused_bytes;

    encapsulate #(
        .beat_t(beat_t)
    ) u_encapsulate (
        .clk_i,
        .rst_i,
        .in_i(beat_t'(in_i[n])),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .out_o(datagram),
        .out_valid_o(datagram_valid),
        .out_ready_i(datagram_ready)
    );

    ipv4_tx #(
        .beat_t(beat_t)
    ) u_ipv4 (
        .clk_i,
        .rst_i,
        .host_i(host),
        .route_i('0),
        .in_i(datagram),
        .in_valid_i(datagram_valid),
        .in_ready_o(datagram_ready),
        .out_o(packet),
        .out_valid_o(packet_valid),
        .out_ready_i(packet_ready),
        .out_next_o(unused_next),
        .drop_o(unused_drops),
        .drop_message_o(),
        .busy_o(unused_busy)
    );

    // The Ethernet header, as added by eth_tx for a known neighbour.
    ethernet_pkg::header_t header;
    assign header = '{
            dst: swap48(48'hC2917B55D3AA),
            src: swap48(host.mac),
            ether_type: swap16(EtherTypeIpv4)
        };
    prepend #(
        .beat_t(beat_t),
        .HeaderBytes(ethernet_pkg::HeaderBytes)
    ) u_ethernet (
        .clk_i,
        .rst_i,
        .in_i(packet),
        .in_valid_i(packet_valid),
        .in_ready_o(packet_ready),
        .header_i(header),
        .skip_i(1'b0),
        .out_o(bare),
        .out_valid_o(bare_valid),
        .out_ready_i(bare_ready),
        .out_first_o(unused_first)
    );
    always_comb begin
      framed = bare;
      framed.length = bare.length + 14'(ethernet_pkg::HeaderBytes);
      framed.meta.l4.ip_tx.csum_pos = bare.meta.l4.ip_tx.csum_pos == '0 ? '0 :
          bare.meta.l4.ip_tx.csum_pos + csum_pos_t'(ethernet_pkg::HeaderBytes / 2);
    end

    mac_tx #(
        .beat_t(beat_t),
        .DataWidth(Width)
    ) u_mac (
        .clk_i,
        .rst_i,
        .in_i(framed),
        .in_valid_i(bare_valid),
        .in_ready_o(bare_ready),
        .mac_tx_tdata_o(data),
        .mac_tx_tkeep_o(keep),
        .mac_tx_tvalid_o(out_valid_o[n]),
        .mac_tx_tready_i(out_ready_i[n]),
        .mac_tx_tlast_o(last),
        .drop_o(unused_drop),
        .drop_message_o(),
        .mac_message_o(unused_message),
        .mac_bytes_o(unused_bytes),
        .busy_o(status_o[n]),
        .waits_o()
    );
    assign out_o[n] = {last, keep, data};
  end
  assign event_o = '0;

endmodule
