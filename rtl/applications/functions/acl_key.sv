// SPDX-License-Identifier: Apache-2.0
// The fields of an IPv4 packet that rules compare, collected from the beats of a message.
//
// valid_o is high once for each message: with the beat that completes the fields, or with the last
// one. Ports and flags follow the options, at any header length. malformed_o: the version is
// not 4, the header is cut or shorter than 20 bytes, or a packet that should have ports ends before
// its port or flag fields (RFC 1858, RFC 3128).
//
// Latency: 0 cycles. Throughput: one beat per cycle. Source: RFC 791, RFC 9293, RFC 768.
module acl_key
  import bombus_pkg::*;
  import acl_pkg::*;
#(
    parameter int unsigned DataBytes = 64
) (
    input logic clk_i,
    input logic rst_i,

    input logic taken_i,  // a beat is taken
    input logic [DataBytes*8-1:0] data_i,
    input logic last_i,
    input length_t length_i,  // with the first beat

    output logic valid_o,
    output key_t key_o,
    output logic malformed_o
);

  if (DataBytes < 8 || DataBytes > 64 || DataBytes != 2 ** $clog2(DataBytes)) begin : gen_bad_width
    $error("acl: DataWidth must be a power of two, 64 to 512");
  end

  localparam int unsigned FixedBytes = 20;
  localparam int unsigned PortBytes = 4;
  localparam int unsigned FlagsEnd = 14;  // end of the flags in a TCP header
  localparam int unsigned FlagsAt = 13;
  localparam int unsigned MaxHeaderBytes = 60;
  localparam int unsigned NumBeats = (MaxHeaderBytes + FlagsEnd + DataBytes - 1) / DataBytes;

  // The first beats: those before are kept, the current one is in its place.
  logic [NumBeats-1:0] here_q;  // which one the next beat is; 0: after all of them
  logic done_q;  // fields are complete
  length_t length_q;
  wire length_t length = here_q[0] ? length_i : length_q;
  logic [NumBeats-1:0][DataBytes*8-1:0] beats_q, beats;
  always_comb begin
    for (int unsigned b = 0; b < NumBeats; b++) beats[b] = here_q[b] ? data_i : beats_q[b];
  end
  wire [NumBeats*DataBytes-1:0][7:0] bytes = beats;

  wire [3:0] words = bytes[0][3:0];  // of the header
  wire [7:0] protocol = bytes[9];
  wire [12:0] fragment_offset = {bytes[6][4:0], bytes[7]};
  wire is_tcp = protocol == ProtocolTcp;
  wire is_fragment = fragment_offset != '0;
  wire has_ports = (is_tcp | protocol == ProtocolUdp) & ~is_fragment;

  // What follows the header, at each of its lengths.
  localparam int unsigned MinWords = 5;
  logic [7:0] flags;
  logic [PortBytes-1:0][7:0] ports;
  always_comb begin
    flags = '0;
    ports = '0;
    for (int unsigned w = MinWords; w < 16; w++) begin
      if (words == 4'(w)) begin
        flags = bytes[4*w+FlagsAt];
        ports = {bytes[4*w+3], bytes[4*w+2], bytes[4*w+1], bytes[4*w]};
      end
    end
  end

  // For each number of words in the header: whether a packet of so many bytes has the fields that
  // end at after_header, as a table without carry chains.
  typedef logic [15:0] by_words_t;
  function automatic by_words_t reaches(length_t length_present, int unsigned after_header);
    for (int unsigned w = 0; w < 16; w++) begin
      reaches[w] = w >= MinWords && at_least(length_present, length_t'(4 * w + after_header));
    end
  endfunction
  function automatic logic has_fields(length_t length_present, logic [3:0] header_words,
                                      logic ports_there, logic flags_there);
    by_words_t without_ports, with_ports, with_flags;
    without_ports = reaches(length_present, 0);
    with_ports = reaches(length_present, PortBytes);
    with_flags = reaches(length_present, FlagsEnd);
    has_fields = ~ports_there ? without_ports[header_words] :
        flags_there ? with_flags[header_words] : with_ports[header_words];
  endfunction

  logic is_complete;
  always_comb begin
    is_complete = ~|here_q;
    for (int unsigned b = 0; b < NumBeats; b++) begin
      if (here_q[b] && DataBytes * (b + 1) >= FixedBytes) begin
        is_complete = words < 4'(MinWords) |
            has_fields(length_t'(DataBytes * (b + 1)), words, has_ports, is_tcp);
      end
    end
  end
  assign valid_o = taken_i & ~done_q & (is_complete | last_i);
  assign malformed_o = bytes[0][7:4] != 4'd4 | ~has_fields(
          length, words, has_ports, is_tcp
      ) |
      // A fragment that would replace the flags of the first one (RFC 1858, section 4)
      (is_tcp & fragment_offset == 13'd1);

  always_comb begin
    key_o.source = swap32({bytes[15], bytes[14], bytes[13], bytes[12]});
    key_o.destination = swap32({bytes[19], bytes[18], bytes[17], bytes[16]});
    key_o.protocol = protocol;
    key_o.source_port = has_ports ? {ports[0], ports[1]} : '0;
    key_o.destination_port = has_ports ? {ports[2], ports[3]} : '0;
    key_o.state = '{
        is_fragment: is_fragment,
        has_ports: has_ports,
        flags: has_ports & is_tcp ? flags[5:0] : '0
    };
  end

  always_ff @(posedge clk_i) begin
    if (taken_i) begin
      for (int unsigned b = 0; b < NumBeats; b++) begin
        if (here_q[b]) beats_q[b] <= data_i;
      end
      if (here_q[0]) length_q <= length_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      here_q <= NumBeats'(1);
      done_q <= 1'b0;
    end else if (taken_i) begin
      done_q <= (done_q | valid_o) & ~last_i;
      here_q <= last_i ? NumBeats'(1) : here_q << 1;
    end
  end

endmodule
