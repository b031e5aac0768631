// SPDX-License-Identifier: Apache-2.0
// block_search. In: keys. Out: the number of the range, the key, whether it is covered. Four blocks of
// an eighth, three eighths, an eighth and three eighths of the keys; all have boundaries at
// start + (k + 1) * 5, with k from 0, as many as there is room for, but the first block, which has one
// fewer. Without an index the first block is the only one. With a prefix of three bits, 3'b101, the
// blocks are parts of the keys that have it.
`include "bench.svh"

module bench #(
    parameter int unsigned Levels = 3,
    parameter bit HasIndex = 1,
    parameter bit HasPrefix = 0
) (
    `BENCH_PORTS(1, 64, 1, 64, 32, 1)
);

  `BENCH_SHAPE

  localparam int unsigned NumBlocks = HasIndex ? 4 : 1;
  localparam int unsigned BlockBits = HasIndex ? 2 : 1;
  localparam int unsigned IndexBits = HasIndex ? 3 : 0;
  localparam int unsigned PrefixBits = HasPrefix ? 3 : 0;
  localparam logic [31:0] Prefix = HasPrefix ? 32'd5 : '0;
  localparam logic [31:0] Base = HasPrefix ? 32'd5 << 29 : '0;
  localparam int unsigned RankBits = Levels + 2;
  localparam int unsigned PartBits = (RankBits + Levels - 1) / Levels;
  localparam int unsigned PerBlock = 2 ** Levels - 1;
  localparam logic [7:0][1:0] Blocks = {2'd3, 2'd3, 2'd3, 2'd2, 2'd1, 2'd1, 2'd1, 2'd0};
  localparam logic [3:0][2:0] Starts = {3'd5, 3'd4, 3'd1, 3'd0};

  function automatic logic [NumBlocks*PerBlock-1:0][PartBits+31:0] words();
    for (int unsigned l = 0; l < Levels; l++) begin
      for (int unsigned n = 0; n < NumBlocks << l; n++) begin
        automatic int unsigned block = n >> l;
        automatic int unsigned below = Levels - 1 - l;
        automatic int unsigned k = ((n - (block << l)) << (below + 1)) + (1 << below) - 1;
        automatic int unsigned rank = block == 0 ? 0 : block * PerBlock - 1;
        words[NumBlocks*((1<<l)-1)+n] = {
          PartBits'(rank >> (PartBits * below)),
          block == 0 && k == PerBlock - 1 ? 32'hFFFF_FFFF :
              Base + ({Starts[2'(block)], 29'd0} >> PrefixBits) + 32'((k + 1) * 5 - 1)
        };
      end
    end
  endfunction

  logic valid, covered;
  logic [16:0] range;
  logic [31:0] key;
  block_search #(
      .IndexBits(IndexBits),
      .PrefixBits(PrefixBits),
      .Prefix(Prefix),
      .NumBlocks(NumBlocks),
      .Levels(Levels),
      .RankBits(RankBits),
      .BlockIndex((2 ** IndexBits * BlockBits)'(HasIndex ? Blocks : '0)),
      .BlockWords(words()),
      .tag_t(logic [31:0])
  ) u_search (
      .clk_i,
      .rst_i,
      .valid_i(in_valid_i[0]),
      .key_i(in_i[0][31:0]),
      .tag_i(in_i[0][31:0]),
      .valid_o(valid),
      .covered_o(covered),
      .range_o(range),
      .tag_o(key)
  );
  assign in_ready_o  = '1;
  assign out_valid_o = valid;
  assign out_o[0]    = {14'd0, range, key, covered};
  assign event_o     = '0;
  assign status_o    = valid;

endmodule
