// SPDX-License-Identifier: Apache-2.0
// Reed-Solomon encoders of several codes side by side.
//
// Macros: RS_CODES, for each code five words of 32 bits, the lowest first: data
// width, data shards, parity shards, bytes of a shard, matrix; NUM_CODES, how many. An item in: beat, in the layout of its
// own data width; out: next hop, beat. Events: 4 of each code (2 drops, 1 event).
`include "bombus_types.svh"
`include "bench.svh"

module encoder_of_code
  import bombus_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned DataShards = 8,
    parameter int unsigned ParityShards = 2,
    parameter int unsigned ShardBytes = 64,
    parameter int unsigned Matrix = 0,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(DataWidth)
) (
    input logic clk_i,
    input logic rst_i,
    input logic [BeatBits-1:0] item_i,
    input logic in_valid_i,
    output logic in_ready_o,
    output logic [BeatBits+4:0] item_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [3:0] counted_o,
    output logic busy_o
);

  `BOMBUS_BEAT_T(beat_t, DataWidth)

  beat_t out_o;
  logic  out_next_o;

  rs_encode #(
      .beat_t(beat_t),
      .DataShards(DataShards),
      .ParityShards(ParityShards),
      .ShardBytes(ShardBytes),
      .Matrix(Matrix)
  ) u_encode (
      .clk_i,
      .rst_i,
      .in_i(item_i),
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o(counted_o[1:0]),
      .drop_message_o(),
      .event_o(counted_o[2]),
      .busy_o
  );

  assign item_o = {5'(out_next_o), out_o};
  assign counted_o[3] = 1'b0;

endmodule

module bench #(
    localparam int unsigned NumCodes = `NUM_CODES,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(512)
) (
    `BENCH_PORTS(NumCodes, BeatBits, NumCodes, BeatBits + 5, 1, NumCodes)
);

  `BENCH_SHAPE

  localparam logic [NumCodes-1:0][4:0][31:0] Codes = `RS_CODES;

  for (genvar n = 0; n < NumCodes; n++) begin : gen_code
    localparam int unsigned Bits = bench_pkg::beat_bits(Codes[n][0]);
    encoder_of_code #(
        .DataWidth(Codes[n][0]),
        .DataShards(Codes[n][1]),
        .ParityShards(Codes[n][2]),
        .ShardBytes(Codes[n][3]),
        .Matrix(Codes[n][4])
    ) u_encoder (
        .clk_i,
        .rst_i,
        .item_i(in_i[n][Bits-1:0]),
        .in_valid_i(in_valid_i[n]),
        .in_ready_o(in_ready_o[n]),
        .item_o(out_o[n][Bits+4:0]),
        .out_valid_o(out_valid_o[n]),
        .out_ready_i(out_ready_i[n]),
        .counted_o(event_o[4*n+:4]),
        .busy_o(status_o[n])
    );
    assign out_o[n][$bits(out_o[n])-1:Bits+5] = '0;
  end

endmodule
