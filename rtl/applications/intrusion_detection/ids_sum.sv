// SPDX-License-Identifier: Apache-2.0
// Verifies the checksums of IPv4 and TCP in each frame: a receiver drops a segment for which one is
// wrong. RFC 791, RFC 9293, section 3.1.
//
// Of the IP header, the TCP sum has the length and the addresses, the pseudo-header's part. For
// other packets, and for frames shorter than their packet, the result is undefined.
//
// Latency: 4 cycles, from the last beat. Throughput: one beat per cycle.
module ids_sum
  import bombus_pkg::*;
#(
    parameter int unsigned DataWidth = 512
) (
    input logic clk_i,
    input logic rst_i,

    input logic packet_i,
    input logic first_i,
    input logic last_i,
    input logic [DataWidth-1:0] data_i,
    input logic is_tagged_i,  // with the first beat: a VLAN tag precedes the packet
    input logic [15:0] total_i,  // with the first beat: length of the packet
    input logic [8*32-1:0] header_i,  // a cycle after the first beat: first bytes of the packet

    output logic is_good_o
);

  if (DataWidth != 512) begin : gen_bad_width
    $error("ids_sum: DataWidth must be 512, so that the first beat has the headers");
  end

  localparam int unsigned DataBytes = DataWidth / 8;
  localparam int unsigned Start = 14;  // of a packet without a tag
  localparam int unsigned TagBytes = 4;
  localparam int unsigned LeastWords = 5;  // of 4 bytes, in an IP header
  localparam int unsigned MostWords = 8;

  logic [1:0] valid_q, first_q, last_q;
  logic [DataBytes-1:0][7:0] data_q, kept, kept_q;
  logic is_tagged_q;
  length_t left, left_q;  // bytes up to the end of the packet, from the beat's first one on
  always_comb begin
    left = left_q < 14'(DataBytes) ? '0 : left_q - 14'(DataBytes);
    if (first_i) left = 14'(total_i) + (is_tagged_i ? 14'(Start + TagBytes) : 14'(Start));
  end

  // ---- TCP: the bytes that are summed ----

  wire [3:0] words = header_i[3:0];
  // The byte `place` of an IP packet is part of the TCP sum.
  function automatic logic is_summed(int unsigned place, logic [3:0] words_in_header);
    if (place >= 4 * MostWords) return 1'b1;
    if (place >= 4 * LeastWords) return 32'(words_in_header) <= place / 4;
    return place inside {2, 3} || place >= 12;
  endfunction
  always_comb begin
    for (int unsigned b = 0; b < DataBytes; b++) begin
      logic keeps;
      keeps = |left_q[13:6] | 6'(b) < left_q[5:0];
      if (first_q[0]) begin
        if (is_tagged_q) keeps &= b >= Start + TagBytes && is_summed(b - Start - TagBytes, words);
        else keeps &= b >= Start && is_summed(b - Start, words);
      end
      kept[b] = keeps ? data_q[b] : '0;
    end
  end

  // Protocol, less the length of the IP header.
  localparam logic [15:0] TcpProtocol = 16'd6;
  logic [15:0] seed_q;
  ones_pkg::split_t sum;
  logic sum_valid;
  frame_sum #(
      .DataBytes(DataBytes)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (kept_q),
      .valid_i(valid_q[1]),
      .last_i (last_q[1]),
      .seed_i (seed_q),
      .sum_o  (sum),
      .valid_o(sum_valid)
  );

  // ---- IP header ----

  localparam int unsigned NumTerms = 2 * MostWords;
  localparam int unsigned NumRows = ones_pkg::num_sums(NumTerms, 2);
  logic [NumTerms-1:0][15:0] terms;
  logic [NumRows-1:0][15:0] rows, rows_q;
  always_comb begin
    terms = header_i;
    for (int unsigned w = LeastWords; w < MostWords; w++) if (32'(words) <= w) terms[2*w+:2] = '0;
  end
  ones_compressor #(
      .NumTerms(NumTerms),
      .Levels  (2)
  ) u_rows (
      .terms_i(terms),
      .sums_o (rows)
  );
  logic is_header_good_q;

  always_ff @(posedge clk_i) begin
    data_q <= data_i;
    kept_q <= kept;
    is_tagged_q <= is_tagged_i;
    if (packet_i) left_q <= left;
    first_q <= {first_q[0], first_i};
    last_q  <= {last_q[0], last_i};
    seed_q  <= TcpProtocol - 16'({words, 2'b00}) - 16'd1;  // negative
    rows_q  <= rows;
    if (valid_q[1] & first_q[1]) is_header_good_q <= ones_pkg::is_ones(ones_pkg::save(96'(rows_q)));
    if (sum_valid) is_good_o <= (&sum.pairs) & is_header_good_q;
    valid_q <= {valid_q[0], packet_i};
    if (rst_i) valid_q <= '0;
  end

endmodule
