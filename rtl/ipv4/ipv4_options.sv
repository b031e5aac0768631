// Takes the options off the front of an IPv4 packet whose fixed header is gone.
//
// Rare packets, so it is small instead of fast: the message goes through word by
// word (32 bits). The sum of the options' words is ready with the first
// beat out.
//
// Latency: words_i cycles and those of a beat's words. Throughput: one 32-bit
// word per cycle.
module ipv4_options
  import bombus_pkg::*;
#(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t       in_i,
    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  logic  [3:0] words_i,     // with a message's first beat: 1 to 10

    output beat_t        out_o,
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output logic         out_first_o,
    output logic  [20:0] sum_o,        // of the 16-bit words, with out_first_o
    output logic         busy_o
);

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned WordsPerBeat = DataBytes / 4;
  typedef logic [$clog2(WordsPerBeat)-1:0] index_t;
  typedef logic [$clog2(WordsPerBeat):0] fill_t;
  typedef logic [$bits(in_i.bytes)-1:0] count_t;

  logic started_q;  // inside a message
  index_t index_q;  // word of the input beat that is looked at
  logic [3:0] skip_q;  // words of options still to come
  logic [20:0] sum_q;

  logic [DataBytes*8-1:0] data_q;  // filled from the top
  fill_t fill_q;  // words in data_q, the zeros behind the end included
  fill_t words_q;  // words of payload in data_q
  count_t tail_q;  // valid bytes of the message's last word
  logic ending_q;  // the input has ended; zeros fill the beat up
  logic first_q;
  meta_t meta_q;

  wire [3:0] skip = started_q ? skip_q : words_i;
  wire [31:0] word = in_i.data[index_q*32+:32];
  wire count_t position = count_t'(index_q) * 4;
  wire beat_ends = in_i.last ? (position + 4 >= in_i.bytes) :
      (index_q == index_t'(WordsPerBeat - 1));
  wire message_ends = beat_ends & in_i.last;

  wire room = ~out_valid_o & ~ending_q;
  wire step = in_valid_i & room;
  wire is_option = skip != '0;
  assign in_ready_o  = room & beat_ends;
  assign out_valid_o = fill_q == fill_t'(WordsPerBeat);
  wire pad = ending_q & ~out_valid_o;

  always_ff @(posedge clk_i) begin
    if (step & ~started_q) meta_q <= in_i.meta;
    if ((step & ~is_option) | pad) data_q <= {pad ? 32'b0 : word, data_q[DataBytes*8-1:32]};
    // Nothing inside: the output is zero.
    if (~started_q & ~step) data_q <= '0;
    if (step & is_option) begin
      sum_q  <= (started_q ? sum_q : '0) + (21'(swap16(word[15:0])) + 21'(swap16(word[31:16])));
      skip_q <= skip - 1'b1;
    end
    if (step & message_ends) tail_q <= in_i.bytes - position;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      started_q <= 1'b0;
      index_q   <= '0;
      fill_q    <= '0;
      words_q   <= '0;
      ending_q  <= 1'b0;
      first_q   <= 1'b1;
    end else if (out_valid_o) begin
      if (out_ready_i) begin
        fill_q  <= '0;
        words_q <= '0;
        first_q <= ending_q;
        if (ending_q) begin
          started_q <= 1'b0;
          ending_q  <= 1'b0;
        end
      end
    end else begin
      if (step) begin
        started_q <= 1'b1;
        ending_q  <= message_ends;
        index_q   <= beat_ends ? '0 : index_q + 1'b1;
        if (~is_option) words_q <= words_q + 1'b1;
      end
      if ((step & ~is_option) | pad) fill_q <= fill_q + 1'b1;
    end
  end

  always_comb begin
    out_o.data = data_q;
    out_o.last = ending_q;
    out_o.bytes = ~ending_q ? count_t'(DataBytes) :
        (words_q == '0) ? '0 : (count_t'(words_q) - 1'b1) * 4 + tail_q;
    out_o.meta = meta_q;
  end

  assign out_first_o = first_q;
  assign sum_o = sum_q;
  assign busy_o = started_q;

endmodule
