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
  function automatic logic [15:0] csum_of(logic [15:0] csum, change_t change, logic [15:0] index,
                                          logic is_udp);
    ones_pkg::word_t [1:0] words;
    words = ones_pkg::pair({~csum, change.by, change.has_index ? index : 16'b0});
    if (is_udp && csum == '0) return '0;
    // 65,535 or twice that, found beside the sum
    if (is_udp && (&(words[0] ^ words[1]) || &(words[0] & words[1]))) return '1;
    return ~ones_pkg::join_up(ones_pkg::split(words[0], words[1]), 1'b0);
  endfunction

  wire is_tcp = verdict_i.protocol == ProtocolTcp;
  wire is_udp = verdict_i.protocol == ProtocolUdp;
  wire is_echo = verdict_i.protocol == ProtocolEcho;
  wire is_error = verdict_i.is_error;
  wire [15:0] port = verdict_i.port + verdict_i.index;
  // A quoted packet went the other way.
  wire is_source = verdict_i.from_inside ^ is_error;

  // What an error's own sum changes by: addresses are not in the quoted sums, or cancel out.
  change_t error_change;
  always_comb begin
    error_change = '{by: '0, has_index: 1'b0};
    if (~is_echo) begin
      if (~verdict_i.has_quoted_csum) error_change = verdict_i.number;
      else error_change.by = ~verdict_i.address.by;
    end
  end

  logic [NumWords-1:0][15:0] old, words;
  logic [NumWords-1:0] changes;
  always_comb begin
    for (int unsigned w = 0; w < NumWords; w++) begin
      old[w] = bombus_pkg::swap16(data_i[16*(w%BeatWords)+:16]);
    end
  end

  // Three sums at most: the message's own, that of a quoted IP header, and that of its transport.
  wire change_t transport_change = is_echo ? verdict_i.number : verdict_i.all;
  wire [15:0] own_csum = csum_of(
      is_error | is_echo ? old[IcmpCsum] : is_udp ? old[UdpCsum] : old[TcpCsum],
      is_error ? error_change : transport_change,
      verdict_i.index,
      is_udp & ~is_error
  );
  wire [15:0] quote_csum = csum_of(old[QuoteCsum], verdict_i.address, '0, 1'b0);
  wire [15:0] quoted_csum = csum_of(
      is_echo ? old[Quoted+IcmpCsum] : is_udp ? old[Quoted+UdpCsum] : old[Quoted+TcpCsum],
      transport_change,
      verdict_i.index,
      is_udp
  );

  always_comb begin
    data_o  = data_i;
    words   = old;
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
      words[Quoted+TcpCsum] = quoted_csum;
      changes[Quoted+SourcePort] = ~is_echo & is_source;
      changes[Quoted+DestinationPort] = is_echo | ~is_source;
      changes[Quoted+EchoId] = is_echo;
      changes[Quoted+UdpCsum] = is_udp;
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
      changes[UdpCsum] = is_udp;
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
