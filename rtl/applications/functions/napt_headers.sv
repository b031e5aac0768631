// SPDX-License-Identifier: Apache-2.0
// Reads the headers of a packet for napt: whether it is translated, and the replaced fields.
//
// A packet whose headers are bad is left to the stack (is_served), which drops and counts it. So
// are packets to the host, and from outside all but those to a port of napt.
//
// Combinational.
module napt_headers
  import bombus_pkg::*;
  import napt_pkg::*;
#(
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InsidePort  = 0,
    parameter int unsigned OutsidePort = 1
) (
    input host_t     [ NumMacPorts-1:0] host_i,
    input logic      [ErrorBytes*8-1:0] view_i,      // bytes after the last one have any value
    input length_t                      length_i,
    input mac_port_t                    mac_port_i,
    input logic                         is_owned_i,  // the port that packet_o names is napt's

    output packet_t packet_o,
    output logic    is_served_o
);

  // ---- Fields ----

  function automatic logic [7:0] byte_at(int unsigned position);
    return view_i[8*position+:8];
  endfunction
  function automatic logic [15:0] word_at(int unsigned position);
    return swap16(view_i[8*position+:16]);
  endfunction
  function automatic logic [31:0] ip_at(int unsigned position);
    return swap32(view_i[8*position+:32]);
  endfunction

  localparam int unsigned L4 = ipv4_pkg::HeaderBytes;
  localparam int unsigned Quote = L4 + icmp_pkg::HeaderBytes;
  localparam int unsigned QuotedL4 = Quote + ipv4_pkg::HeaderBytes;
  localparam logic [7:0] PlainHeader = {ipv4_pkg::Version, ipv4_pkg::HeaderWords};

  wire [31:0] source = ip_at(12);
  wire [31:0] destination = ip_at(16);
  wire [7:0] kind = byte_at(L4);
  wire is_icmp = byte_at(9) == bombus_pkg::ProtocolIcmp;
  wire is_error = is_icmp & (kind inside {
      icmp_pkg::TypeUnreachable, icmp_pkg::TypeTimeExceeded, icmp_pkg::TypeParameterProblem});
  wire from_inside = mac_port_i == mac_port_t'(InsidePort);
  wire from_outside = mac_port_i == mac_port_t'(OutsidePort);

  // The header with the ports: the packet's or the quoted one.
  wire [7:0] l4_protocol = is_error ? byte_at(Quote + 9) : byte_at(9);
  wire [7:0] l4_kind = is_error ? byte_at(QuotedL4) : kind;
  wire [15:0] source_port = is_error ? word_at(QuotedL4) : word_at(L4);
  wire [15:0] destination_port = is_error ? word_at(QuotedL4 + 2) : word_at(L4 + 2);
  wire [15:0] identifier = is_error ? word_at(QuotedL4 + 4) : word_at(L4 + 4);
  // A quoted packet went the other way.
  wire is_outward = from_inside ^ is_error;
  wire [7:0] echo_kind = is_outward ? icmp_pkg::TypeEchoRequest : icmp_pkg::TypeEchoReply;

  // ---- Verdict ----

  // A valid header sums to ones, in any byte order.
  wire [159:0] header = view_i[159:0];
  ones_pkg::saved_t sum;
  assign sum = ones_pkg::save(
      {ones_pkg::save(header[159:64]), ones_pkg::save({header[63:0], 32'b0})}
  );
  wire is_plain = byte_at(
      0
  ) == PlainHeader && word_at(
      2
  ) == {2'b0, length_i} && ones_pkg::is_ones(
      sum
  );
  wire is_fragment = (word_at(6) & 16'h3FFF) != '0;
  wire quote_is_plain = byte_at(Quote) == PlainHeader && (word_at(Quote + 6) & 16'h1FFF) == '0;

  protocol_e protocol;
  always_comb begin
    protocol = ProtocolNone;
    if (l4_protocol == bombus_pkg::ProtocolTcp) begin
      if (is_error | at_least(length_i, 14'(L4 + 20))) protocol = napt_pkg::ProtocolTcp;
    end else if (l4_protocol == bombus_pkg::ProtocolUdp) begin
      protocol = napt_pkg::ProtocolUdp;
    end else if (l4_protocol == bombus_pkg::ProtocolIcmp && l4_kind == echo_kind) begin
      protocol = ProtocolEcho;
    end
    if (is_error & ~(quote_is_plain & at_least(length_i, 14'(ErrorBytes)))) protocol = ProtocolNone;
    if (~at_least(length_i, 14'(L4 + 8))) protocol = ProtocolNone;
  end

  // Multicast and reserved, loopback, this network (RFC 1122, 3.2.1.3)
  function automatic logic is_special(logic [31:0] ip);
    return ip[31:29] == 3'b111 || ip[31:24] == 8'd127 || ip[31:24] == 8'd0;
  endfunction
  host_t inside_host, outside_host;
  assign inside_host  = host_i[InsidePort];
  assign outside_host = host_i[OutsidePort];
  function automatic logic is_inside(logic [31:0] ip);
    return ((ip ^ inside_host.ip) & inside_host.netmask) == '0;
  endfunction
  wire is_own_source = source == inside_host.ip || source == outside_host.ip;

  // From inside, packets to other networks are translated.
  wire goes_out = from_inside & ~is_special(
      destination
  ) & ~is_inside(
      destination
  ) & destination != outside_host.ip;
  // From outside, those to a port that is napt's; an error quotes a packet from there.
  wire goes_in = from_outside & destination == outside_host.ip & (~is_error | ip_at(
      Quote + 12
  ) == outside_host.ip) & ~is_fragment & protocol != ProtocolNone & is_owned_i;

  assign is_served_o = ~is_plain | ~(goes_out | goes_in);

  always_comb begin
    packet_o = '{
        from_inside: from_inside,
        is_error: is_error,
        has_quoted_csum: 1'b1,
        is_fragment: is_fragment,
        is_unsupported: protocol == ProtocolNone,
        is_expired: byte_at(8) <= 8'd1,
        has_bad_source: is_special(source) | is_own_source | (~from_inside & is_inside(source)),
        protocol: protocol,
        ip: outside_host.ip,
        port: protocol == ProtocolEcho ? identifier : is_outward ? source_port : destination_port,
        flags : '{
            syn: view_i[8*(L4+13)+1],
            ack: view_i[8*(L4+13)+4],
            fin: view_i[8*(L4+13)+0],
            rst: view_i[8*(L4+13)+2]
        }
    };
    if (from_inside) packet_o.ip = is_error ? ip_at(Quote + 16) : source;
    if (protocol == napt_pkg::ProtocolTcp) begin
      packet_o.has_quoted_csum = at_least(length_i, 14'(QuotedL4 + 20));
    end else if (protocol == napt_pkg::ProtocolUdp) begin
      packet_o.has_quoted_csum = word_at(QuotedL4 + 6) != '0;
    end
  end

endmodule
