// SPDX-License-Identifier: Apache-2.0
// Computes one parity shard: adds the product of each beat and its shard's coefficient to the sum
// at the same position of the previous shards.
//
// Data and sums are bit planes: plane n has bit n of every byte. Sums are in the dual basis of
// gf256_pkg. The registers are placed so that each bit of a sum takes three LUTs: two for the
// registered values (four planes of `both` serve eight), one for the sum.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module rs_parity_row
  import gf256_pkg::*;
#(
    parameter int unsigned NumBytes = 8,  // bytes per beat
    parameter int unsigned Depth = 64,  // beats per shard
    localparam int unsigned AddrWidth = Depth > 1 ? $clog2(Depth) : 1
) (
    input logic clk_i,

    // A beat, taken at the clock edge at which load_i is high.
    input logic                            load_i,
    input logic        [7:0][NumBytes-1:0] data_i,
    input logic        [3:0][NumBytes-1:0] fold_i,       // low half ^ high half of data
    input multiplier_t                     multiplier_i, // the shard's coefficient

    // One cycle or more later: its sum, kept for the next shard when write_i is high.
    input  logic [AddrWidth-1:0]               place_i,  // position of the beat in the shard
    input  logic                               first_i,  // shard 0: starts a new sum
    input  logic                               write_i,
    output logic [          7:0][NumBytes-1:0] sum_o
);

  if (NumBytes < 1 || Depth < 1) begin : gen_bad_shape
    $error("rs_parity_row: NumBytes and Depth must be at least 1");
  end

  typedef logic [NumBytes-1:0] plane_t;

  function automatic plane_t all(logic bit_of_multiplier);
    return {NumBytes{bit_of_multiplier}};
  endfunction

  function automatic plane_t product(logic [3:0] multiplier, plane_t [3:0] planes);
    plane_t sum;
    sum = '0;
    for (int unsigned n = 0; n < 4; n++) sum ^= all(multiplier[n]) & planes[n];
    return sum;
  endfunction

  // Block products, without the last plane of low and of high, which fits into the sum.
  plane_t [3:0] both_q, low_q, high_q;
  plane_t low_last_q, high_last_q;
  logic [3:0] low_multiplier_q, high_multiplier_q;
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      for (int unsigned i = 0; i < 4; i++) begin
        both_q[i] <= product(multiplier_i.both[i+:4], fold_i);
        low_q[i]  <= product({1'b0, multiplier_i.low[i+:3]}, data_i[3:0]);
        high_q[i] <= product({1'b0, multiplier_i.high[i+:3]}, data_i[7:4]);
      end
      low_last_q <= data_i[3];
      high_last_q <= data_i[7];
      low_multiplier_q <= multiplier_i.low[6:3];
      high_multiplier_q <= multiplier_i.high[6:3];
    end
  end

  (* ram_style = "distributed" *) logic [8*NumBytes-1:0] ram[Depth];
  wire plane_t [7:0] held = ram[place_i];

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      sum_o[i]   = low_q[i] ^ all(low_multiplier_q[i]) & low_last_q ^ both_q[i];
      sum_o[4+i] = high_q[i] ^ all(high_multiplier_q[i]) & high_last_q ^ both_q[i];
    end
    if (~first_i) sum_o ^= held;
  end

  always_ff @(posedge clk_i) begin
    if (write_i) ram[place_i] <= sum_o;
  end

endmodule
