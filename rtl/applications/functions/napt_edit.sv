// SPDX-License-Identifier: Apache-2.0
// Changes ports, addresses and checksums in a message of napt, beat by beat: a packet without its
// IP header. Checksums change incrementally (RFC 1624); that of a quoted packet, too, as far as it
// is quoted (RFC 5508, 4.2 and 4.3).
//
// Combinational.
module napt_edit
  import napt_pkg::*;
#(
    parameter int unsigned DataWidth = 512
) (
    input logic [DataWidth-1:0] data_i,
    input logic [DataWidth-1:0] stripped_i,  // earlier, and as data_i in a translated packet
    input logic [2:0] beat_i,  // number of the beat in its message, saturating
    input verdict_t verdict_i,
    output logic [DataWidth-1:0] data_o
);

  localparam int unsigned BeatWords = DataWidth / 16;

  // Words of a message
  localparam int unsigned SourcePort = 0;
  localparam int unsigned DestinationPort = 1;
  localparam int unsigned EchoId = 2;
  localparam int unsigned IcmpCsum = 1;
  localparam int unsigned UdpCsum = 3;
  localparam int unsigned TcpCsum = 8;
  localparam int unsigned Quote = 4;  // a header of 10 words
  localparam int unsigned QuoteCsum = Quote + 5;
  localparam int unsigned QuoteSource = Quote + 6;
  localparam int unsigned QuoteDestination = Quote + 8;
  localparam int unsigned Quoted = Quote + 10;
  localparam int unsigned NumWords = Quoted + TcpCsum + 1;

  // A checksum is the complement of a sum. UDP has no checksum of zero: zero means none.
  function automatic logic [15:0] csum_of(sum_t sum, logic is_udp);
    // 65,535 or twice that, found beside the sum
    if (is_udp && (&(sum[0] ^ sum[1]) || &(sum[0] & sum[1]))) return '1;
    return ~ones_pkg::join_up(ones_pkg::split(sum[0], sum[1]), 1'b0);
  endfunction

  wire is_tcp = verdict_i.protocol == ProtocolTcp;
  wire is_udp = verdict_i.protocol == ProtocolUdp;
  wire is_echo = verdict_i.protocol == ProtocolEcho;
  wire is_error = verdict_i.is_error;
  wire [15:0] port = verdict_i.port + verdict_i.index;
  // A quoted packet went the other way.
  wire is_source = verdict_i.from_inside ^ is_error;

  // Three sums at most: the message's own, that of a quoted IP header, and that of its transport.
  // A quoted checksum of TCP is not in the verdict.
  wire sum_t own = ones_pkg::pair({verdict_i.own, verdict_i.has_index ? verdict_i.index : 16'b0});
  wire sum_t quoted = ones_pkg::pair({verdict_i.quoted, verdict_i.index});
  wire [15:0] tcp_csum = bombus_pkg::swap16(stripped_i[16*((Quoted+TcpCsum)%BeatWords)+:16]);
  wire [15:0] own_csum = csum_of(own, is_udp & ~is_error);
  wire [15:0] quote_csum = csum_of(verdict_i.quote, 1'b0);
  wire [15:0] quoted_csum = csum_of(quoted, is_udp);
  wire [15:0] quoted_tcp_csum = csum_of(ones_pkg::pair({quoted, ~tcp_csum}), 1'b0);

  logic [NumWords-1:0][15:0] words;
  logic [NumWords-1:0] changes;
  always_comb begin
    data_o  = data_i;
    words   = '0;
    changes = '0;
    if (is_error) begin
      words[IcmpCsum] = own_csum;
      words[QuoteCsum] = quote_csum;
      changes[IcmpCsum] = 1'b1;
      changes[QuoteCsum] = 1'b1;
      for (int unsigned n = 0; n < 2; n++) begin
        words[QuoteSource+n] = verdict_i.ip[16*(1-n)+:16];
        words[QuoteDestination+n] = verdict_i.ip[16*(1-n)+:16];
        changes[QuoteSource+n] = is_source;
        changes[QuoteDestination+n] = ~is_source;
      end
      words[Quoted+SourcePort] = port;
      words[Quoted+DestinationPort] = is_echo ? quoted_csum : port;
      words[Quoted+EchoId] = port;
      words[Quoted+UdpCsum] = quoted_csum;
      words[Quoted+TcpCsum] = quoted_tcp_csum;
      changes[Quoted+SourcePort] = ~is_echo & is_source;
      changes[Quoted+DestinationPort] = is_echo | ~is_source;
      changes[Quoted+EchoId] = is_echo;
      changes[Quoted+UdpCsum] = is_udp & verdict_i.has_quoted_csum;
      changes[Quoted+TcpCsum] = is_tcp & verdict_i.has_quoted_csum;
    end else begin
      words[SourcePort] = port;
      words[DestinationPort] = is_echo ? own_csum : port;
      words[EchoId] = port;
      words[UdpCsum] = own_csum;
      words[TcpCsum] = own_csum;
      changes[SourcePort] = ~is_echo & is_source;
      changes[DestinationPort] = is_echo | ~is_source;
      changes[EchoId] = is_echo;
      changes[UdpCsum] = is_udp & verdict_i.has_csum;
      changes[TcpCsum] = is_tcp;
    end
    if (~verdict_i.is_served) begin
      for (int unsigned w = 0; w < NumWords; w++) begin
        if (changes[w] && 32'(beat_i) == w / BeatWords) begin
          data_o[16*(w%BeatWords)+:16] = bombus_pkg::swap16(words[w]);
        end
      end
    end
  end

endmodule
