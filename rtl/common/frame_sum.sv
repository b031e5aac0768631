// One's complement sum over the beats of a frame (RFC 1071), byte order as on
// the wire (first byte is the high one).
//
// Invalid bytes and bytes that do not count must be zero in data_i. The sum,
// to which seed_i of the first beat is added, is ready two cycles after the
// frame's last beat, for one cycle. No backpressure.
module frame_sum
  import bombus_pkg::*;
#(
    parameter int unsigned DataBytes = 64
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataBytes*8-1:0] data_i,
    input logic valid_i,
    input logic last_i,
    input logic [15:0] seed_i,  // with the first beat

    output logic [15:0] sum_o,
    output logic valid_o
);

  localparam int unsigned NumWords = DataBytes / 2;
  localparam int unsigned NumPartials = 4;
  localparam int unsigned WordsPerPartial = NumWords / NumPartials;  // 1 to 8
  localparam int unsigned PartialWidth = 16 + $clog2(WordsPerPartial);

  // Adds a group of words pairwise, so that every adder has two operands.
  function automatic logic [PartialWidth-1:0] add_words(logic [WordsPerPartial*16-1:0] words);
    logic [WordsPerPartial-1:0][PartialWidth-1:0] terms;
    for (int unsigned w = 0; w < WordsPerPartial; w++) terms[w] = PartialWidth'(words[w*16+:16]);
    for (int unsigned step = 1; step < WordsPerPartial; step *= 2) begin
      for (int unsigned w = 0; w + step < WordsPerPartial; w += 2 * step) begin
        terms[w] = terms[w] + terms[w+step];
      end
    end
    return terms[0];
  endfunction

  logic [NumPartials-1:0][PartialWidth-1:0] partial_q;
  logic partial_valid_q, partial_last_q, partial_first_q;
  logic [15:0] seed_q;
  logic [31:0] sum_q;
  logic sum_valid_q;
  logic first_q;

  wire [PartialWidth:0] low = partial_q[0] + {1'b0, partial_q[1]};
  wire [PartialWidth:0] high = partial_q[2] + {1'b0, partial_q[3]};
  wire [PartialWidth+1:0] beat = {1'b0, low} + {1'b0, high};

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPartials; p++) begin
      partial_q[p] <= add_words(data_i[p*WordsPerPartial*16+:WordsPerPartial*16]);
    end
    if (partial_valid_q) sum_q <= 32'(beat) + (partial_first_q ? {16'd0, seed_q} : sum_q);
    seed_q <= swap16(seed_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      first_q         <= 1'b1;
      partial_valid_q <= 1'b0;
      partial_first_q <= 1'b0;
      partial_last_q  <= 1'b0;
      sum_valid_q     <= 1'b0;
    end else begin
      if (valid_i) first_q <= last_i;
      partial_valid_q <= valid_i;
      partial_first_q <= first_q;
      partial_last_q  <= valid_i & last_i;
      sum_valid_q     <= partial_last_q;
    end
  end

  // Folds the carries back in; at most 2400 beats of 18 bits fit 30 bits.
  wire [16:0] folded = {1'b0, sum_q[15:0]} + {1'b0, sum_q[31:16]};
  wire [15:0] sum = folded[15:0] + {15'b0, folded[16]};
  assign sum_o   = swap16(sum);
  assign valid_o = sum_valid_q;

endmodule
