// SPDX-License-Identifier: Apache-2.0
// Collects a received ICMP error (RFC 792) and converts it to a message of kind icmp_error.
//
// The outputs are valid from the cycle after the error's last beat to the first beat of the next
// error.
`include "bombus_assert.svh"

module icmp_received_error
  import bombus_pkg::*;
  import icmp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type quote_t = logic,  // ICMP header, quoted IP header and the 8 bytes after it
    parameter int unsigned NumMacPorts = 1,
    // Protocols with a layer that handles errors, and the next hop of each
    parameter int unsigned NumBound = 1,
    parameter int unsigned HopWidth = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    parameter int unsigned KindIcmpError = 5
) (
    input logic clk_i,
    input logic rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    input beat_t in_i,
    input logic  taken_i,  // a beat of an error is taken
    input logic  first_i,  // it is the first one

    output logic                 inside_o,  // the next beat continues the error
    output beat_t                report_o,
    output logic                 good_o,    // the error concerns a layer of this host
    output logic  [HopWidth-1:0] hop_o      // that layer
);

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned QuoteBeats = ($bits(quote_t) / 8 + DataBytes - 1) / DataBytes;
  logic [QuoteBeats-1:0][DataBytes*8-1:0] quote_q;
  logic [$clog2(QuoteBeats+1)-1:0] quoted_q;  // beats received
  mac_port_t port_q;
  always_ff @(posedge clk_i) begin
    if (taken_i) begin
      if (first_i) port_q <= in_i.meta.mac_port;
      for (int unsigned b = 0; b < QuoteBeats; b++) begin
        if (quoted_q == $bits(quoted_q)'(b)) quote_q[b] <= in_i.data;
      end
    end
    if (rst_i) begin
      quoted_q <= '0;
      inside_o <= 1'b0;
    end else if (taken_i) begin
      if (in_i.last) quoted_q <= '0;
      else if (32'(quoted_q) != QuoteBeats) quoted_q <= quoted_q + 1'b1;
      inside_o <= ~in_i.last;
    end
  end
  `BOMBUS_ASSERT(QuoteBounded, 32'(quoted_q) <= QuoteBeats)
  `BOMBUS_ASSERT(FirstOutside, !(taken_i && first_i && inside_o))

  quote_t quote;
  wire [QuoteBeats*DataBytes*8-1:0] quote_bits = quote_q;
  assign quote = quote_bits[$bits(quote_t)-1:0];

  // The error quotes the start of a packet of this host without options.
  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(port_q),
      .one_o (host)
  );
  logic is_bound;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (HopWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  ({8'b0, quote.ip.protocol}),
      .found_o(is_bound),
      .hop_o
  );
  wire is_first_fragment = (swap16(quote.ip.fragment) & 16'h1FFF) == '0;
  assign good_o = is_bound & (quote.ip.version == ipv4_pkg::Version) &
      (quote.ip.ihl == ipv4_pkg::HeaderWords) & (swap32(
      quote.ip.src
  ) == host.ip) & is_first_fragment;

  icmp_error_meta_t meta;
  always_comb begin
    meta = '{
        mac_port: port_q,
        kind: quote.icmp.kind,
        code: quote.icmp.code,
        mtu: swap16(quote.icmp.rest[31:16]),
        ip: swap32(quote.ip.dst),
        peer_port: swap16(quote.payload[31:16]),
        own_port: swap16(quote.payload[15:0])
    };
    report_o = '0;
    report_o.meta = $bits(report_o.meta)'(meta);
    report_o.kind = $bits(report_o.kind)'(KindIcmpError);
    report_o.length = 14'd4;
    report_o.last = 1'b1;
    report_o.bytes = $bits(report_o.bytes)'(4);
    report_o.data = (DataBytes * 8)'(quote.payload[63:32]);
  end

endmodule
