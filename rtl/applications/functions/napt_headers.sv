// SPDX-License-Identifier: Apache-2.0
// Reads the headers of a packet for napt: whether it is translated, and the replaced fields.
//
// A packet whose headers are bad is left to the stack (is_served), which drops and counts it. So
// are packets to the host, and from outside all but those to a port of napt.
//
// The first cycle selects the fields, the second one judges them. Throughput: a packet per cycle.
module napt_headers
  import bombus_pkg::*;
  import napt_pkg::*;
#(
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InsidePort  = 0,
    parameter int unsigned OutsidePort = 1
) (
    input logic clk_i,

    input host_t     [ NumMacPorts-1:0] host_i,
    input logic      [ErrorBytes*8-1:0] view_i,     // bytes after the last one have any value
    input length_t                      length_i,
    input mac_port_t                    mac_port_i,

    // In the same cycle
    output logic             from_inside_o,
    output endpoint_t [ 1:0] insides_o,       // of a packet from inside: its own, the quoted one
    output logic             quotes_o,        // the quoted one counts
    output logic      [15:0] outside_port_o,  // to be replaced in a packet from outside
    output logic      [15:0] l4_inside_o,     // early: both ports of TCP and UDP
    output logic      [15:0] l4_outside_o,

    // In the next cycle
    input  logic    is_owned_i,  // the outside port is napt's
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
  wire from_inside = mac_port_i == mac_port_t'(InsidePort);
  wire from_outside = mac_port_i == mac_port_t'(OutsidePort);

  wire protocol_e outer = protocol_of(byte_at(9));
  wire protocol_e quoted = protocol_of(byte_at(Quote + 9));

  // An ICMP error quotes a packet. These bits are enough to tell it from an echo; is_error of the
  // fields is exact.
  wire quotes = outer == ProtocolEcho & (kind[0] | kind[2]);

  // The header with the ports: the packet's or the quoted one, which went the other way.
  function automatic endpoint_t endpoint_at(int unsigned position, int unsigned ip, int unsigned l4,
                                            int unsigned port);
    endpoint_t endpoint;
    endpoint.protocol = protocol_of(byte_at(position));
    endpoint.ip = ip_at(ip);
    endpoint.port = endpoint.protocol == ProtocolEcho ? word_at(l4 + 4) : word_at(port);
    return endpoint;
  endfunction
  endpoint_t inner;
  assign insides_o = {
    endpoint_at(Quote + 9, Quote + 16, QuotedL4, QuotedL4 + 2), endpoint_at(9, 12, L4, L4)
  };
  assign quotes_o = quotes;
  assign inner = insides_o[quotes];
  assign from_inside_o = from_inside;
  wire [7:0] l4_protocol = quotes ? byte_at(Quote + 9) : byte_at(9);
  wire [7:0] l4_kind = quotes ? byte_at(QuotedL4) : kind;
  wire protocol_e protocol = inner.protocol;
  wire [15:0] identifier = quotes ? word_at(QuotedL4 + 4) : word_at(L4 + 4);
  wire [15:0] outside_port = quotes ? word_at(QuotedL4) : word_at(L4 + 2);
  assign outside_port_o = protocol == ProtocolEcho ? identifier : outside_port;
  assign l4_inside_o = quotes ? word_at(QuotedL4 + 2) : word_at(L4);
  assign l4_outside_o = outside_port;

  function automatic logic [15:0] csum_of(protocol_e of, logic [15:0] icmp, logic [15:0] udp,
                                          logic [15:0] tcp);
    return of == ProtocolEcho ? icmp : of == napt_pkg::ProtocolUdp ? udp : tcp;
  endfunction
  wire [15:0] csum = csum_of(outer, word_at(L4 + 2), word_at(L4 + 6), word_at(L4 + 16));
  wire [15:0] quoted_csum = csum_of(quoted, word_at(QuotedL4 + 2), word_at(QuotedL4 + 6), '1);

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

  typedef struct packed {
    logic from_inside;
    logic from_outside;
    logic quotes;
    protocol_e protocol;
    logic [31:0] ip;
    logic [15:0] port;
    logic is_error;
    logic is_tcp;
    logic is_udp;
    logic is_request;  // of ICMP echo
    logic is_reply;
    ones_pkg::saved_t sum;  // of the header
    logic has_plain_start;
    logic is_fragment;
    logic quote_is_plain;
    logic has_l4;  // long enough for UDP and ICMP
    logic has_tcp;  // for TCP
    logic has_quote;  // for the quotation
    logic has_csum;
    logic has_quoted_csum;
    logic is_expired;
    logic special_source;
    logic special_destination;
    logic inside_source;
    logic inside_destination;
    logic own_source;
    logic to_outside_host;
    logic quotes_outside_host;
    flags_t flags;
    logic [15:0] csum;
    logic [15:0] quote_csum;
    logic [15:0] quoted_csum;
  } fields_t;
  fields_t fields_q;
  // A valid header sums to ones, in any byte order.
  wire [159:0] header = view_i[159:0];
  always_ff @(posedge clk_i) begin
    fields_q <= '{
        from_inside: from_inside,
        from_outside: from_outside,
        quotes: quotes,
        protocol: protocol,
        ip: from_inside ? inner.ip : outside_host.ip,
        port: from_inside ? inner.port : outside_port_o,
        is_error:
        byte_at
        (
            9
        ) ==
        bombus_pkg::ProtocolIcmp
        & (
        kind
        inside {
        icmp_pkg::TypeUnreachable
        ,
        icmp_pkg::TypeTimeExceeded
        ,
        icmp_pkg::TypeParameterProblem
        }
        ),
        is_tcp: l4_protocol == bombus_pkg::ProtocolTcp,
        is_udp: l4_protocol == bombus_pkg::ProtocolUdp,
        is_request: l4_protocol == bombus_pkg::ProtocolIcmp & l4_kind == icmp_pkg::TypeEchoRequest,
        is_reply: l4_protocol == bombus_pkg::ProtocolIcmp & l4_kind == icmp_pkg::TypeEchoReply,
        sum:
        ones_pkg::save
        (
            {ones_pkg::save(header[159:64]), ones_pkg::save({header[63:0], 32'b0})}
        ),
        has_plain_start: byte_at(0) == PlainHeader && word_at(2) == {2'b0, length_i},
        is_fragment: (word_at(6) & 16'h3FFF) != '0,
        quote_is_plain: byte_at(Quote) == PlainHeader && (word_at(Quote + 6) & 16'h1FFF) == '0,
        has_l4: at_least(length_i, 14'(L4 + 8)),
        has_tcp: at_least(length_i, 14'(L4 + 20)),
        has_quote: at_least(length_i, 14'(ErrorBytes)),
        has_csum: outer != napt_pkg::ProtocolUdp || word_at(L4 + 6) != '0,
        has_quoted_csum:
        protocol
        ==
        napt_pkg::ProtocolTcp
        ?
        at_least(length_i, 14'(QuotedL4 + 20))
        :
        protocol
        !=
        napt_pkg::ProtocolUdp
        ||
        word_at
        (
            QuotedL4 + 6
        ) != '0,
        is_expired: byte_at(8) <= 8'd1,
        special_source: is_special(source),
        special_destination: is_special(destination),
        inside_source: is_inside(source),
        inside_destination: is_inside(destination),
        own_source: source == inside_host.ip || source == outside_host.ip,
        to_outside_host: destination == outside_host.ip,
        quotes_outside_host: ip_at(Quote + 12) == outside_host.ip,
        flags : '{
            syn: view_i[8*(L4+13)+1],
            ack: view_i[8*(L4+13)+4],
            fin: view_i[8*(L4+13)+0],
            rst: view_i[8*(L4+13)+2]
        },
        csum: csum,
        quote_csum: word_at(Quote + 10),
        quoted_csum: quoted_csum
    };
  end

  // ---- Verdict, one cycle later ----

  wire is_plain = fields_q.has_plain_start & ones_pkg::is_ones(fields_q.sum);
  wire is_error = fields_q.is_error;
  wire is_l4 = (fields_q.is_tcp & (is_error | fields_q.has_tcp)) | fields_q.is_udp |
      (fields_q.from_inside ^ is_error ? fields_q.is_request : fields_q.is_reply);
  wire is_supported = is_l4 & fields_q.has_l4 &
      (~fields_q.quotes | (is_error & fields_q.quote_is_plain & fields_q.has_quote));

  // From inside, packets to other networks are translated.
  wire goes_out = fields_q.from_inside & ~fields_q.special_destination &
      ~fields_q.inside_destination & ~fields_q.to_outside_host;
  // From outside, those to a port that is napt's; an error quotes a packet from there.
  wire goes_in = fields_q.from_outside & fields_q.to_outside_host &
      (~is_error | fields_q.quotes_outside_host) & ~fields_q.is_fragment &
      is_supported & is_owned_i;
  assign is_served_o = ~is_plain | ~(goes_out | goes_in);

  assign packet_o = '{
          from_inside: fields_q.from_inside,
          is_error: is_error,
          has_csum: fields_q.has_csum,
          has_quoted_csum: fields_q.has_quoted_csum,
          is_fragment: fields_q.is_fragment,
          is_unsupported: ~is_supported,
          is_expired: fields_q.is_expired,
          has_bad_source:
          fields_q.special_source
          |
          fields_q.own_source
          | (
          ~fields_q.from_inside & fields_q.inside_source
          ),
          protocol: fields_q.protocol,
          ip: fields_q.ip,
          port: fields_q.port,
          flags: fields_q.flags,
          csum: fields_q.csum,
          quote_csum: fields_q.quote_csum,
          quoted_csum: fields_q.quoted_csum
      };

endmodule
