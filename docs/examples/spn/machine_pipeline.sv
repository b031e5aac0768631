// SPDX-License-Identifier: Apache-2.0
// The sum-product network machine as a pipeline, compiled by `bombus spn compile`: the negated
// logarithm of each sample's likelihood, less Offset. The log-likelihood has an error of at most
// 0.000111 nats.
//
// Latency: 20 cycles. Throughput: one sample per cycle.
//
// v<n> is the value of a variable or its class, r<n> the result of an operation; the index is the
// delay in cycles.
module machine_pipeline
  import machine_model_pkg::*;
(
    input logic clk_i,

    input  value_t  [NumVariables-1:0] sample_i,
    output number_t                    number_o
);

  logic [7:0][7:0] v0;
  spn_delay #(
      .Width (8),
      .Cycles(7)
  ) u_v0 (
      .clk_i,
      .value_i(sample_i[0]),
      .taps_o (v0)
  );
  wire unused_v0 = ^v0;
  localparam logic [41:0][5:0] Classes1 = {
    252'ha279a59238a181f79d71b69961759551349140f38d30b2892481c61440c2040
  };

  logic [5:0] class_1;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(6),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Classes1)
  ) u_class_1 (
      .clk_i,
      .value_i (sample_i[1]),
      .number_o(class_1)
  );
  logic [6:0][5:0] v1;
  spn_delay #(
      .Width (6),
      .Cycles(6)
  ) u_v1 (
      .clk_i,
      .value_i(class_1),
      .taps_o (v1)
  );
  wire unused_v1 = ^v1;
  localparam logic [31:0][4:0] Classes2 = {160'hf779bd6718bdab49ca307b9ac5a928398a418820};

  logic [4:0] class_2;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(5),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Classes2)
  ) u_class_2 (
      .clk_i,
      .value_i (sample_i[2]),
      .number_o(class_2)
  );
  logic [6:0][4:0] v2;
  spn_delay #(
      .Width (5),
      .Cycles(6)
  ) u_v2 (
      .clk_i,
      .value_i(class_2),
      .taps_o (v2)
  );
  wire unused_v2 = ^v2;
  localparam logic [31:0][4:0] Classes3 = {160'hffbbcdeb38bdab49ca307b9ac5a928398a418820};

  logic [4:0] class_3;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(5),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Classes3)
  ) u_class_3 (
      .clk_i,
      .value_i (sample_i[3]),
      .number_o(class_3)
  );
  logic [6:0][4:0] v3;
  spn_delay #(
      .Width (5),
      .Cycles(6)
  ) u_v3 (
      .clk_i,
      .value_i(class_3),
      .taps_o (v3)
  );
  wire unused_v3 = ^v3;
  localparam logic [6:0][2:0] Classes4 = {21'h1ac688};

  logic [2:0] class_4;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(3),
      .Depth(7),
      .BlockRam(1'b0),
      .Numbers(Classes4)
  ) u_class_4 (
      .clk_i,
      .value_i (sample_i[4]),
      .number_o(class_4)
  );
  logic [10:0][2:0] v4;
  spn_delay #(
      .Width (3),
      .Cycles(10)
  ) u_v4 (
      .clk_i,
      .value_i(class_4),
      .taps_o (v4)
  );
  wire unused_v4 = ^v4;
  localparam logic [8:0][3:0] Classes5 = {36'h876543210};

  logic [3:0] class_5;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(4),
      .Depth(9),
      .BlockRam(1'b0),
      .Numbers(Classes5)
  ) u_class_5 (
      .clk_i,
      .value_i (sample_i[5]),
      .number_o(class_5)
  );
  logic [10:0][3:0] v5;
  spn_delay #(
      .Width (4),
      .Cycles(10)
  ) u_v5 (
      .clk_i,
      .value_i(class_5),
      .taps_o (v5)
  );
  wire unused_v5 = ^v5;
  localparam logic [3:0][1:0] Classes6 = {8'he4};

  logic [1:0] class_6;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(2),
      .Depth(4),
      .BlockRam(1'b0),
      .Numbers(Classes6)
  ) u_class_6 (
      .clk_i,
      .value_i (sample_i[6]),
      .number_o(class_6)
  );
  logic [0:0][1:0] v6;
  spn_delay #(
      .Width (2),
      .Cycles(0)
  ) u_v6 (
      .clk_i,
      .value_i(class_6),
      .taps_o (v6)
  );
  localparam logic [3:0][1:0] Classes7 = {8'he4};

  logic [1:0] class_7;
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(2),
      .Depth(4),
      .BlockRam(1'b0),
      .Numbers(Classes7)
  ) u_class_7 (
      .clk_i,
      .value_i (sample_i[7]),
      .number_o(class_7)
  );
  logic [0:0][1:0] v7;
  spn_delay #(
      .Width (2),
      .Cycles(0)
  ) u_v7 (
      .clk_i,
      .value_i(class_7),
      .taps_o (v7)
  );
  logic [11:0][7:0] v8;
  spn_delay #(
      .Width (8),
      .Cycles(11)
  ) u_v8 (
      .clk_i,
      .value_i(sample_i[8]),
      .taps_o (v8)
  );
  wire unused_v8 = ^v8;
  logic [12:0][7:0] v9;
  spn_delay #(
      .Width (8),
      .Cycles(12)
  ) u_v9 (
      .clk_i,
      .value_i(sample_i[9]),
      .taps_o (v9)
  );
  wire unused_v9 = ^v9;

  // load, ready in cycle 2
  logic [21:0] number_0;
  localparam logic [255:0][21:0] Table0 = {
    88'h06564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591385320e14c8385320e14c8385320e14c8,
    308'h385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8,
    308'h385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8,
    308'h385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8,
    308'h385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8385320e14c8,
    308'h385320e14c8385320e14c8385320e14c8385320e14c8384a9ce12a7384a9ce12a7384a9ce12a7,
    308'h384a9ce12a7384a9ce12a7384a9ce108a384228e108a384228e0e6f38315ce0c5738315ce0c57,
    308'h3820c4e020d380834e020d380834df03a37c0e8df03a37c0e8ddb8c376e30dcb7236e960dba58,
    308'h362774d89dd362774d89dd3548c4d37733468a4cea7833a9e0cb48a323630c644630e280bf3a0,
    308'h2fce80b91442e4510af2e52bcb94af2e52bcb94a11dc284770a11dc28477097fd523ad388eb4e,
    308'h23ad388eb4e20dab8836ae1e02307808c1e02307808c1b9fdc64ef4193bd064ef4193bd0596f5,
    308'h165bd45598f15663c5598f15663c611a91846a466d951aab40706851c1a14762111e7be47dbc6
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table0)
  ) u_table_0 (
      .clk_i,
      .class_i (v0[1]),
      .number_o(number_0)
  );
  logic [0:0][21:0] r0;
  assign r0 = number_0;

  // queue, ready in cycle 2
  logic [21:0] number_1;
  localparam logic [40:0][21:0] Table1 = {
    286'h000000d00000a5656295958a565629576ca55db29576ca55db29576ca55db29576ca55db,
    308'h29576ca55db295584a55612951b8a537b29483ca4fb5292e04a449c2873b4a1ced2873b4a1ced,
    308'h261c289870a22ec348bb0d1bf79c6fde71bf79c54b25125ba42ce2f0b38bc2ce2f0b38bc1ba3e
  };

  spn_class_table #(
      .Width  (22),
      .Classes(41),
      .Numbers(Table1)
  ) u_table_1 (
      .clk_i,
      .class_i (v1[0]),
      .number_o(number_1)
  );
  logic [0:0][21:0] r1;
  assign r1 = number_1;

  // ready in cycle 3
  logic [22:0] number_2;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_2 (
      .clk_i,
      .numbers_i({23'(r0[0]), 23'(r1[0])}),
      .number_o (number_2)
  );
  logic [0:0][22:0] r2;
  assign r2 = number_2;

  // load, ready in cycle 2
  logic [21:0] number_3;
  localparam logic [255:0][21:0] Table3 = {
    88'h0a587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961f4101390404e40ee2903b8a40db55036d5,
    308'h40c8c102d9a40a4450291140925d0202b405de90177a403bf500ad0400a6d0029b3fea50ff2b8,
    308'h3fbb68fe73c3f7f18fd8763f3704fb93b3ee4ecfb93b3ee4ecf90543e4150f90543e4150f7673,
    308'h3d5a2cf568b3d5a2cf568b3cd204f26d33c6688f0ad03bcae0ef2b83b7064eca413aeb98ea115,
    308'h3a8454e7d7539f5d4e6230391488e4522382b40e0ad0382b40e0ad036e840dba1036e840dba10,
    308'h36154cd704135698cd452234baf8d191733de70cf79c332ac4ccab132a240c91d231ea8cc63d6,
    308'h30a688c29a230a688c29a22fbd54bb4462ed118bb4462ed118b551d2d5474b551d2d5474af528,
    308'h2bd4a0af5282bd4a0a94ba2a52e8a94ba2a52e8a33c728cf1ca33c728cf1c9f6ff277a7c9c64d,
    308'h26b7ac970e525c394970e525c3949278f249e3c902dc23a97c8c5a1231684894a222528886fd9,
    308'h215d4883eca2098fc80db61fd4a07dc9a1f10307ab7b1db84076e101db84076e101eadec7c40c,
    308'h1f72688016f2005bc8263f212c2c84b0b225288894a2225288894a223da648f69923da648f699,
    308'h24cf1c958762561d89a1b82686e09a1b82686e09de9f280cb4a032d289e60a3fee296090a706d
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table3)
  ) u_table_3 (
      .clk_i,
      .class_i (v0[1]),
      .number_o(number_3)
  );
  logic [0:0][21:0] r3;
  assign r3 = number_3;

  // queue, ready in cycle 2
  logic [21:0] number_4;
  localparam logic [40:0][21:0] Table4 = {
    286'h000000d00000b48bb2d22ecb48bb2d22ecb04c82b8c78a7f3729fcdca7f3729fcdc9b2fb,
    308'h26cbec9b2fb26cbec8fd9323f64c87b3c21ecf07ae7b1eb9ec7ae7b1eb9ec692b41a4ad0692b4,
    308'h1a4ad05b98116e6044de541379504de54109b5c3b8830ee20c325380c94e03005f0dbb8c36ee3
  };

  spn_class_table #(
      .Width  (22),
      .Classes(41),
      .Numbers(Table4)
  ) u_table_4 (
      .clk_i,
      .class_i (v1[0]),
      .number_o(number_4)
  );
  logic [0:0][21:0] r4;
  assign r4 = number_4;

  // ready in cycle 3
  logic [22:0] number_5;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_5 (
      .clk_i,
      .numbers_i({23'(r3[0]), 23'(r4[0])}),
      .number_o (number_5)
  );
  logic [0:0][22:0] r5;
  assign r5 = number_5;

  // ready in cycle 8
  logic [22:0] number_6;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_6 (
      .clk_i,
      .a_i(r2[0]),
      .b_i(r5[0]),
      .number_o(number_6)
  );
  logic [0:0][22:0] r6;
  assign r6 = number_6;

  // errors, ready in cycle 3
  logic [21:0] number_7;
  localparam logic [30:0][21:0] Table7 = {
    66'h01437cd50df0a083c,
    308'h2820f0a083c2820f0a083c2820f0a083c2820f0a083c2820f0a083c2820f0a083c2820f0a07c0,
    308'h281f00a07c0281f00a031d27ea889e45826b84c9392921b49c5566715599c5566715599c1c868
  };

  spn_class_table #(
      .Width  (22),
      .Classes(31),
      .Numbers(Table7)
  ) u_table_7 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_7)
  );
  logic [0:0][21:0] r7;
  assign r7 = number_7;

  // retries, ready in cycle 3
  logic [21:0] number_8;
  localparam logic [31:0][21:0] Table8 = {
    88'h0000034000023befc8efbf,
    308'h23befc8efbf23befc8efbf23befc8efbf23befc8efbf23befc8efbf23befc8efbf23befc8efbf,
    308'h23be448ef3423b7c48eab72388f88cc12219450865141d52e85979b165e6c2d5ce0b57380b003
  };

  spn_class_table #(
      .Width  (22),
      .Classes(32),
      .Numbers(Table8)
  ) u_table_8 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_8)
  );
  logic [0:0][21:0] r8;
  assign r8 = number_8;

  // ready in cycle 4
  logic [22:0] number_9;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_9 (
      .clk_i,
      .numbers_i({23'(r7[0]), 23'(r8[0])}),
      .number_o (number_9)
  );
  logic [0:0][22:0] r9;
  assign r9 = number_9;

  // errors, ready in cycle 3
  logic [21:0] number_10;
  localparam logic [30:0][21:0] Table10 = {
    66'h039503de540ceb4d0,
    308'h3ad340e93b739d824e0389380e24e03893336fcccdbf3336fcccdbf2f3458b5e232bb004a776e,
    308'h280478989732443608978a1d99687665a1d99687665a18ced46ebce1baf386ebce1baf3881db9
  };

  spn_class_table #(
      .Width  (22),
      .Classes(31),
      .Numbers(Table10)
  ) u_table_10 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_10)
  );
  logic [0:0][21:0] r10;
  assign r10 = number_10;

  // retries, ready in cycle 3
  logic [21:0] number_11;
  localparam logic [31:0][21:0] Table11 = {
    88'h0000034000026dabc9b6af,
    308'h26dabc9b6af23e5dc8a88a21550c77de31df78c77de31df78c69f951860b46182d163f6453492,
    308'h13643c3f3920fce483f3920fce4830d770c35dc36990113ddc44f77113ddc44f771588ec5623b
  };

  spn_class_table #(
      .Width  (22),
      .Classes(32),
      .Numbers(Table11)
  ) u_table_11 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_11)
  );
  logic [0:0][21:0] r11;
  assign r11 = number_11;

  // ready in cycle 4
  logic [22:0] number_12;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_12 (
      .clk_i,
      .numbers_i({23'(r10[0]), 23'(r11[0])}),
      .number_o (number_12)
  );
  logic [0:0][22:0] r12;
  assign r12 = number_12;

  // ready in cycle 9
  logic [22:0] number_13;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_13 (
      .clk_i,
      .a_i(r9[0]),
      .b_i(r12[0]),
      .number_o(number_13)
  );
  logic [0:0][22:0] r13;
  assign r13 = number_13;

  // mode, ready in cycle 7
  logic [21:0] number_14;
  localparam logic [6:0][21:0] Table14 = {154'h00dccdd3733463b3919a97865cc016b2a810507};

  spn_class_table #(
      .Width  (22),
      .Classes(7),
      .Numbers(Table14)
  ) u_table_14 (
      .clk_i,
      .class_i (v4[5]),
      .number_o(number_14)
  );
  logic [0:0][21:0] r14;
  assign r14 = number_14;

  // zone, ready in cycle 7
  logic [21:0] number_15;
  localparam logic [8:0][21:0] Table15 = {198'h000000d000005526a13ab086d40a13e19855ce715925403aae};

  spn_class_table #(
      .Width  (22),
      .Classes(9),
      .Numbers(Table15)
  ) u_table_15 (
      .clk_i,
      .class_i (v5[5]),
      .number_o(number_15)
  );
  logic [0:0][21:0] r15;
  assign r15 = number_15;

  // door, ready in cycle 2
  logic [21:0] number_16;
  localparam logic [3:0][21:0] Table16 = {88'h05a90356a401c3c50171b6};

  spn_class_table #(
      .Width  (22),
      .Classes(4),
      .Numbers(Table16)
  ) u_table_16 (
      .clk_i,
      .class_i (v6[0]),
      .number_o(number_16)
  );
  logic [0:0][21:0] r16;
  assign r16 = number_16;

  // alarm, ready in cycle 2
  logic [21:0] number_17;
  localparam logic [3:0][21:0] Table17 = {88'h0000034000027dcf80005f};

  spn_class_table #(
      .Width  (22),
      .Classes(4),
      .Numbers(Table17)
  ) u_table_17 (
      .clk_i,
      .class_i (v7[0]),
      .number_o(number_17)
  );
  logic [0:0][21:0] r17;
  assign r17 = number_17;

  // ready in cycle 3
  logic [22:0] number_18;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_18 (
      .clk_i,
      .numbers_i({23'(r16[0]), 23'(r17[0])}),
      .number_o (number_18)
  );
  logic [0:0][22:0] r18;
  assign r18 = number_18;

  // door, ready in cycle 2
  logic [21:0] number_19;
  localparam logic [3:0][21:0] Table19 = {88'h0c0003700000e0eec4bcaa};

  spn_class_table #(
      .Width  (22),
      .Classes(4),
      .Numbers(Table19)
  ) u_table_19 (
      .clk_i,
      .class_i (v6[0]),
      .number_o(number_19)
  );
  logic [0:0][21:0] r19;
  assign r19 = number_19;

  // alarm, ready in cycle 2
  logic [21:0] number_20;
  localparam logic [3:0][21:0] Table20 = {88'h000003400000949a80526a};

  spn_class_table #(
      .Width  (22),
      .Classes(4),
      .Numbers(Table20)
  ) u_table_20 (
      .clk_i,
      .class_i (v7[0]),
      .number_o(number_20)
  );
  logic [0:0][21:0] r20;
  assign r20 = number_20;

  // ready in cycle 3
  logic [22:0] number_21;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_21 (
      .clk_i,
      .numbers_i({23'(r19[0]), 23'(r20[0])}),
      .number_o (number_21)
  );
  logic [0:0][22:0] r21;
  assign r21 = number_21;

  // ready in cycle 8
  logic [22:0] number_22;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_22 (
      .clk_i,
      .a_i(r18[0]),
      .b_i(r21[0]),
      .number_o(number_22)
  );
  logic [5:0][22:0] r22;
  spn_delay #(
      .Width (23),
      .Cycles(5)
  ) u_r22 (
      .clk_i,
      .value_i(number_22),
      .taps_o (r22)
  );
  wire unused_r22 = ^r22;

  // temperature, ready in cycle 7
  logic [25:0] number_23;
  localparam logic [255:0][25:0] Table23 = {
    104'h0000003fe0000ff80003fe0000,
    312'hff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000,
    312'hff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000,
    312'hff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000,
    312'hff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fe0000ff80003fce602,
    312'hfc39347e4f5def64649fcd4eaef0659c7b5f072ea972c39edb2be4daf8f880ed8df3102b718b79,
    312'hd9994975b510ed413cd3455f98cea08e32fb715c93f8c31a5787c3f0c730540eebeb43f2f07348,
    312'hb989f46dbee97b471e6ac7b2daaf6c15eb3c011aa78822a0163da5972ba8cb55ca0c8122799d70,
    312'h9c0b35a66ce79976096254487592c833e420b668e420ea30174b89ce2661e6c24856c7b20d09f1,
    312'h811d0cdfbf0b37cdfdbdeb206978b4e7dda9913749c30dca5ab17095b71ba65446ca17a5aab8cb,
    312'h68bf7a99b554664efb7d8c3ab561323217d69185d86e996ee07059edde160a0bc56670f952a9fd,
    312'h52f27e144fc314f9029d37975a4c401292a7b7749023851da88845d69b1111e8d42bd3b104dd87,
    312'h3fb6180f8e5753cc1320ed365739de890e1d02e370e1d4d6b2f8344fee4cbdeb731a3fc8c1536a,
    312'h2f0a480b711122c82d04ad17ad2a0d95ca3673d27aa98499ffc12559d7c90e13a231b544880ba6,
    312'h20ef0e07f7f071ed504c773b5c1ccd3886f40a51ad7a98678ee318f4574602615172342459063b,
    312'h15646a4522f5513b7cf84ba164121d718455c66109550c3f605d0f1f6d039ad480dbbc68344328,
    312'h0c6a5cc2f21fc0b2b3042a49c409fe40c25ba8008e38e421743007db1901d76d506e4e0c19c26e,
    312'h0600e581656fb052f27413347c046fa60105af203c26200dca5c03275b00b82ba029e91009840c,
    312'h022804407ce5301c3b4406618d0171a18053dbc0131cc00462e0010433403d0f700e8d7c038803,
    312'h00dfb9003880300e8d7c03d0f701043340462e00131cc0053dbc0171a1806618d01c3b4407ce53,
    312'h022804409840c029e9100b82ba03275b00dca5c03c2620105af2046fa6013347c052f2741656fb,
    312'h0600e5819c26e06e4e0c1d76d507db19021743008e38e425ba8009fe40c2a49c40b2b3042f21fc
  };

  spn_class_table #(
      .Width  (26),
      .Classes(256),
      .Numbers(Table23)
  ) u_table_23 (
      .clk_i,
      .class_i (v8[6]),
      .number_o(number_23)
  );
  logic [0:0][25:0] r23;
  assign r23 = number_23;

  // wear, ready in cycle 8
  logic [24:0] number_24;
  localparam logic [255:0][24:0] Table24 = {
    100'h0000004010a81fc0ac8fbcaba,
    300'h7cc9503dd745dea543cf2f9b67865ef3ba825dd8efc2ea51bb7417133983485c7dd5ae1d2ca,
    300'h6fdcbbb768ad1b71d06d97ce26bb6e8b558545a6aec4d1500367a59ab3523dd969294c94c2e,
    300'h63a8d1315669d86c878c171625fc08c2f64d7d77506eb9bf9f5beccc2d7d889682a78b236e6,
    300'h582d912ba07b5595694aad7375482da29cdb094ad4c2a3a09050eca828052853ca5049c92f3,
    300'h4d6afb2646e212ec75895ae6049fdd22492de9213bbe8ef2d646a52ea2e91d1140238886055,
    300'h43610f21499e1071ac681f6de4031749fb4614fa85647bb6703d165f1e29670ee4216759f0b,
    300'h3a0fcd9ca8af0e250dc6fb0b0371dc11b32398d6b1b269eb5e34403999c6060cb649e644f15,
    300'h3177369864154c0699a5edbd62ec2b8170c668b5c0aa5991a12c22be95befa4ab69ce547074,
    300'h299749947bd08a165024f78512720591342e8c97b24a4aa93824bded921443c8e51a6460328,
    300'h22700690efe0c8543144186212036a48fd5c047c86943d32241e11c70ec5e20741c28390730,
    300'h1c016e0dc04646c03ce3505451a059a0cc4ecc643d86312c64181e4a8bd3d5c5cc9522d7c8c,
    300'h164b7f8aed00c55a73029f5bd148d398a106e84ed7222697f812e378093e1e448592623633d,
    300'h114e3b8876108422d3c20578a0fcd8387b84543c53661d74e10e61508704bc036cba21abb42,
    300'h0d09a1865b7583195f0182aac0bc67805bc7102cb25215c31f0a97d28527af02820c613849c,
    300'h097db2049d2f423e14e116f22087816041cf201ff3e80f82b10786ff03a6f701c58960dbf4a,
    300'h06aa6c833b3e8190f540c24ec05e25f02d9c801618280ab397052ed6028294413730c096b4c,
    300'h048fd18235a28112004084c0b04055201f2f340f1f0e0755d2038f5701ba8680d702c0688a3,
    300'h032de0818c5bc0c135c05e47e02e0ef016873c0b08a005696202a882014ecdc0a4ff605174f,
    300'h02849a013f6a409e95e04ee46027536813a49009d4da04ee46027a57813f6a40a126805174f,
    300'h0293fd814ecdc0aa20805696202c228016873c0b83bc05e47e0304d7018c5bc0cb7820688a3,
    300'h035c0b01ba8680e3d5c0755d203c7c381f2f34101548084c0b0448010235a28123f46096b4c
  };

  spn_class_table #(
      .Width  (25),
      .Classes(256),
      .Numbers(Table24)
  ) u_table_24 (
      .clk_i,
      .class_i (v9[7]),
      .number_o(number_24)
  );
  logic [0:0][24:0] r24;
  assign r24 = number_24;

  // ready in cycle 8
  logic [26:0] number_25;
  spn_product #(
      .Width(27),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_25 (
      .clk_i,
      .numbers_i({27'(r14[0]), 27'(r15[0]), 27'(r23[0])}),
      .number_o (number_25)
  );
  logic [0:0][26:0] r25;
  assign r25 = number_25;

  // ready in cycle 9
  logic [26:0] number_26;
  spn_product #(
      .Width(27),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_26 (
      .clk_i,
      .numbers_i({27'(r24[0]), r25[0], 27'(r6[0])}),
      .number_o (number_26)
  );
  logic [0:0][26:0] r26;
  assign r26 = number_26;

  // ready in cycle 10
  logic [26:0] number_27;
  spn_product #(
      .Width(27),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_27 (
      .clk_i,
      .numbers_i({27'(r13[0]), 27'(r22[1]), r26[0]}),
      .number_o (number_27)
  );
  logic [0:0][26:0] r27;
  assign r27 = number_27;

  // load, ready in cycle 3
  logic [21:0] number_28;
  localparam logic [255:0][21:0] Table28 = {
    88'h06564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d656475959138a210e288438a210e288438a210e2884,
    308'h38a210e288438a210e288438a210e288438a210e288438a210e288438a210e288438a210e2884,
    308'h38a210e288438a210e288438a210e288438a210e288438a210e2884389914e2645389914e2645,
    308'h389914e2645389028e240a389028e21d2387e74e1d6c386450e1914386450e1914384228e0a42,
    308'h382908e020d37c0e8df03a37c0e8df03a375868dc11737045cd9ef9367be4d732135cc84d4bf1,
    308'h33fc14cff0533fc14cff0532885cc639c318e70c202a2f5fa0bd7e82dc9c4b72712b42f0ad0bc,
    308'h2b42f0ad0bc289ac0a26b0273e10994bd25665c8c4302310c08c4302310c080efe203bf87b3d9,
    308'h1ddbc0739ee1a84506a1141a84506a11416af585abd616af585abd6153ee858d23172a10607e0,
    308'h1914c0682761b79146de451ce7b8776f01ecf6484b97212e5c84b97212e5c8e22d24782895997,
    308'h2652f49cf842826f8a60292980a4ad0bc2b42f0b22ed2d60e8b8c702efd90bf03a3080a8c4d2e,
    308'h32d8c4cb63132d8c4cb631343df0d2f55352fc4d66ee35f948d944536a19cdb8ad371fd8ddb8c,
    308'h376e30df03a37c0e8e0622381888e0622381888e108a385bb0e16ec386cf8e1d6c3875b0e1f9d
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table28)
  ) u_table_28 (
      .clk_i,
      .class_i (v0[2]),
      .number_o(number_28)
  );
  logic [0:0][21:0] r28;
  assign r28 = number_28;

  // queue, ready in cycle 3
  logic [21:0] number_29;
  localparam logic [40:0][21:0] Table29 = {
    286'h000000d00000ae4852b9214ae4852b9214ae4852b9214ae4852b8f44ae3d12b8c78ae26b,
    308'h2b8418ad76a2b5da8ad76a2b5da8ab79e2a7294a15a328568ca15a328568c8c41b23106c6e260,
    308'h1b89806e2601b89804141e1050784141e092330248cc0c03683b882132a9c4caa71766c068b26
  };

  spn_class_table #(
      .Width  (22),
      .Classes(41),
      .Numbers(Table29)
  ) u_table_29 (
      .clk_i,
      .class_i (v1[1]),
      .number_o(number_29)
  );
  logic [0:0][21:0] r29;
  assign r29 = number_29;

  // ready in cycle 4
  logic [22:0] number_30;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_30 (
      .clk_i,
      .numbers_i({23'(r28[0]), 23'(r29[0])}),
      .number_o (number_30)
  );
  logic [0:0][22:0] r30;
  assign r30 = number_30;

  // load, ready in cycle 3
  logic [21:0] number_31;
  localparam logic [255:0][21:0] Table31 = {
    88'h0a587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961f3a5f64e97d93a5f64e724f390face43eb,
    308'h390face43eb384898dfe92372c80dcb20372c80dcb20365954d810335ae04d351634d458d3516,
    308'h34d458cf23c33c8f0cc510331440c804c320130c804c320130c237b308decc237b308decbc547,
    308'h2f151cbc5472f151cb8a0d2dc88cb36652cd994b36652cd994afa542b88d4aca092ac7b0a99c1,
    308'h2a0630a69522913a0a44e8285114a144527bf049cb2e272cb8981ff2607fc981ff2607fc938aa,
    308'h24e2a88ef3e23bcf88ef3e23bcf888d392234e488d392234e482b1920ac6482b1920ac647edb6,
    308'h1f549c7bc9a1e901c78b761e5ef8797be1f23887c8e21fb6d880645210e8c843a3210e8c843a3,
    308'h2203e08997822f9088be4223bcf88ef3e2480d0920342544889512225d70498e31272cb89cb2e,
    308'h272cb89cb2e282068a2c9b28b26ca510429a548a8da32a368cad6182b5860ad6182b5860b1248,
    308'h2ca958b4e5c2d3970b72232eb640bad902eb640bad902fa38cc0055305efcc2f50311a9cc5d9e,
    308'h31d2e0c9778325de0cb9a633419cce73c3422fcd08bf34a8c8d404e3557a4d8be3362f8cd8be3,
    308'h362f8cdc0cb375704df4ab37d2ace12263896d4e392e39a348e68d239a348e68d23a5f64ea8f5
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table31)
  ) u_table_31 (
      .clk_i,
      .class_i (v0[2]),
      .number_o(number_31)
  );
  logic [0:0][21:0] r31;
  assign r31 = number_31;

  // queue, ready in cycle 3
  logic [21:0] number_32;
  localparam logic [40:0][21:0] Table32 = {
    286'h000000d000009a86426a1909a86426a190908a22291888a46220f6087f7cc1ec5806fef0,
    308'h1bfbc06fef01bfbc0625bf1896fc54a94152a5054a94152a50493151126303fff20ed93436c9e,
    308'h0db2783b64d0fffc84498c12df50525ee15bcc45b85618054c64a1e1bfbc06fef01bfbc06fef0
  };

  spn_class_table #(
      .Width  (22),
      .Classes(41),
      .Numbers(Table32)
  ) u_table_32 (
      .clk_i,
      .class_i (v1[1]),
      .number_o(number_32)
  );
  logic [0:0][21:0] r32;
  assign r32 = number_32;

  // ready in cycle 4
  logic [22:0] number_33;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_33 (
      .clk_i,
      .numbers_i({23'(r31[0]), 23'(r32[0])}),
      .number_o (number_33)
  );
  logic [0:0][22:0] r33;
  assign r33 = number_33;

  // ready in cycle 9
  logic [22:0] number_34;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_34 (
      .clk_i,
      .a_i(r30[0]),
      .b_i(r33[0]),
      .number_o(number_34)
  );
  logic [0:0][22:0] r34;
  assign r34 = number_34;

  // errors, ready in cycle 3
  logic [21:0] number_35;
  localparam logic [30:0][21:0] Table35 = {
    66'h01437cd50df0b0f8e,
    308'h2c3ce4b0f392c3ce4b0e3e2c38f8b0e3e2c2954b0a552c1378afe392bae50aeb942a12c8a84b2,
    308'h2a12c8a84b226bf60933f522971c70d381c34e070d381c34e05504e0e1e54387950e1e5438795
  };

  spn_class_table #(
      .Width  (22),
      .Classes(31),
      .Numbers(Table35)
  ) u_table_35 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_35)
  );
  logic [0:0][21:0] r35;
  assign r35 = number_35;

  // retries, ready in cycle 3
  logic [21:0] number_36;
  localparam logic [31:0][21:0] Table36 = {
    88'h0000034000027d2a89f4aa,
    308'h27d2a89f44c27cfbc9f2d627cb589f2d627cb589e6fc279bf09e6fc279bf099a5726695c99a57,
    308'h26695c8caec232bb0819291cf8f073e3c1920f859b2213a6ac435710c905c3241706d35c1b4d7
  };

  spn_class_table #(
      .Width  (22),
      .Classes(32),
      .Numbers(Table36)
  ) u_table_36 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_36)
  );
  logic [0:0][21:0] r36;
  assign r36 = number_36;

  // ready in cycle 4
  logic [22:0] number_37;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_37 (
      .clk_i,
      .numbers_i({23'(r35[0]), 23'(r36[0])}),
      .number_o (number_37)
  );
  logic [0:0][22:0] r37;
  assign r37 = number_37;

  // errors, ready in cycle 3
  logic [21:0] number_38;
  localparam logic [30:0][21:0] Table38 = {
    66'h039503de540ce9781,
    308'h3a5e04e97813a5e04e154c36cb08d64b7343784c14a1305284c14a1305284afda72a24549d70b,
    308'h275c2c9227a21b13c86c4f1bf5c06fd701bf5c06fd701915586c01a1ceaec7b52c20bd688a92c
  };

  spn_class_table #(
      .Width  (22),
      .Classes(31),
      .Numbers(Table38)
  ) u_table_38 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_38)
  );
  logic [0:0][21:0] r38;
  assign r38 = number_38;

  // retries, ready in cycle 3
  logic [21:0] number_39;
  localparam logic [31:0][21:0] Table39 = {
    88'h000003400002872109d9cb,
    308'h264aac920d52483548a86421550c7d50c1f5430751c41be40069f791915685bd4b16f52c53479,
    308'h1363d847d471085c83c5810cedbc33b6f0e5dfc3977f0e5dfc3977f141b00506c0141b00506c0
  };

  spn_class_table #(
      .Width  (22),
      .Classes(32),
      .Numbers(Table39)
  ) u_table_39 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_39)
  );
  logic [0:0][21:0] r39;
  assign r39 = number_39;

  // ready in cycle 4
  logic [22:0] number_40;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_40 (
      .clk_i,
      .numbers_i({23'(r38[0]), 23'(r39[0])}),
      .number_o (number_40)
  );
  logic [0:0][22:0] r40;
  assign r40 = number_40;

  // ready in cycle 9
  logic [22:0] number_41;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_41 (
      .clk_i,
      .a_i(r37[0]),
      .b_i(r40[0]),
      .number_o(number_41)
  );
  logic [0:0][22:0] r41;
  assign r41 = number_41;

  // mode, ready in cycle 7
  logic [21:0] number_42;
  localparam logic [6:0][21:0] Table42 = {154'h01bcaad6f2a86c2052585f87e539078c80615c9};

  spn_class_table #(
      .Width  (22),
      .Classes(7),
      .Numbers(Table42)
  ) u_table_42 (
      .clk_i,
      .class_i (v4[5]),
      .number_o(number_42)
  );
  logic [0:0][21:0] r42;
  assign r42 = number_42;

  // zone, ready in cycle 7
  logic [21:0] number_43;
  localparam logic [8:0][21:0] Table43 = {198'h000000d000004a6ae156780738bc12250803b6a1482e8767b3};

  spn_class_table #(
      .Width  (22),
      .Classes(9),
      .Numbers(Table43)
  ) u_table_43 (
      .clk_i,
      .class_i (v5[5]),
      .number_o(number_43)
  );
  logic [0:0][21:0] r43;
  assign r43 = number_43;

  // temperature, ready in cycle 7
  logic [25:0] number_44;
  localparam logic [255:0][25:0] Table44 = {
    104'h00000038542bfdf0210772d9f9,
    312'hda6df9f60a20ad5e618f4e9af1d16a6d73cc4aeccfaf772b1f42c897b7319aaabc440ac70866eb,
    312'hbff5d72f75402bbb7376e671eeb784cd6d5c0b1b35e98ec5404aaf4499eb4f0baab36d0aa4d1ff,
    312'ha7353ca94e41ba33fdea85270d9f56b5e759ad69b79c2e663f7597a90525714ea93e47d6481b35,
    312'h902c2ae3952578c800e22aba4f88e026e1c531d854c7520e1cc181c4f9200173c7e49b29f2428d,
    312'h7adaa19e49eb47777c61d72bb27421205c9e98670d6b01bcd8306d98755aff7b06a66705a34807,
    312'h6740a0996c93464270698a7b376119a257e5e105e187357271c05b237a166b646583ab655b2ba2,
    312'h555e2854fd1d5528dcfd44a8de4fc9acd39b0bd4d11bf52ee9724a660752452fe47c685119ed60,
    312'h45333850fb89842ac21505b4a740313f8fbe18b3dc2938f23f473b601d0e8cdd83909dc4df8d3f,
    312'h36bfd10d67d7d3481fb4cd9e9232505b0c4f07c302af08bc733d2e11bb4b426d42c04bc0ac0b41,
    312'h2a03f20a42085280f5dc9c669e2626ff094dd8e244ad5c8d8555227ae20865df120b72407f6764,
    312'h1eff9b878a1ae1d5448c720ccd1bb52b46ba8c31a2243865758f189b9145f7331172114c59a1aa,
    312'h15b2cd85400f91450bc04e911e12fae0449521911b139c4443eb1073c903f66930f428dc3aba11,
    312'h0e1d880363e660d04b8031f3900bf81d82dd9910af7b8829f0690a03894263816091b8f822b09a,
    312'h083fcb41f59f407703c81c342506ace34193f2c05f5bfc167b09054ad1c13e7bc04ac198118545,
    312'h041996c0f53a503934940d52db031931c0b82e802ab4f809e3ca0249a3008758301f42c0073813,
    312'h01aaea8062b78016ddec054fb4013d08804a4c6011867c042aae00fffcc03e16d00f3c7003c902,
    312'h00f3c7003e16d00fffcc042aae011867c04a4c6013d088054fb4016ddec062b7801aaea8073813,
    312'h01f42c00875830249a3009e3ca02ab4f80b82e8031931c0d52db03934940f53a5041996c118545,
    312'h04ac19813e7bc054ad1c167b0905f5bfc193f2c06ace341c342507703c81f59f4083fcb422b09a,
    312'h091b8f82638160a0389429f0690af7b882dd9910bf81d831f3900d04b80363e660e1d8803aba11,
    312'h0f428dc3f66931073c904443eb11b139c49521912fae044e911e1450bc05400f915b2cd859a1aa
  };

  spn_class_table #(
      .Width  (26),
      .Classes(256),
      .Numbers(Table44)
  ) u_table_44 (
      .clk_i,
      .class_i (v8[6]),
      .number_o(number_44)
  );
  logic [0:0][25:0] r44;
  assign r44 = number_44;

  // wear, ready in cycle 8
  logic [23:0] number_45;
  localparam logic [255:0][23:0] Table45 = {
    216'h000000ae81edacab4aaad737a905b4a736c2a56a61a3a090a1d950,
    312'ha014a19e52829c92f39ad5f6991b889763ac95ae6093fba4924b7a909ddf8ef2d68d4a5d8ba474,
    312'h8a011c88605586c21e852678838d6381f6de8062e97ed1857d42b27bb6707a2cbe78a59c77210b,
    312'h759f0b741f9b72a2bc71286e6fb0b06e3b826cc8e66b58d969eb5e68807367181865b24f644f15,
    312'h62ee6d6190556034cd5edbd65d85705c319a5ae0555991a158457d56fbe955b4e7547074532e93,
    312'h51ef4250b2814f78514e40b24d0ba34bd9254aa938497bdb48510f4728d346032844e00d43bf83,
    312'h42a18a418621406d493f57013e434a3d32243c238e3b17883a0e143907303802dc3701193601e7,
    312'h350545340b343313b3321ec3312c64303c952f4f572e64a92d7c8c2c96ff2bb4032ad39829f5bd,
    312'h291a732841ba276b912697f825c6f024f879242c9323633d229c7721d84221169e20578a1f9b07,
    312'h1ee1151e29b31d74e11cc2a11c12f01b65d11abb421a1343196dd618caf8182aac178cf016f1c4,
    312'h16592915c31f152fa5149ebc14106313849c12fb641274bd11f0a7116f2210f02c1073c80ff9f4,
    312'h0f82b10f0dfe0e9bdc0e2c4b0dbf4a0d54d90cecfa0c87aa0c24ec0bc4be0b67200b0c140ab397,
    312'h0a5dac0a0a5109b986096b4c091fa308d68a089002084c0b080aa407cbcd078f870755d2071eae,
    312'h06ea1a06b8160688a3065bc106316f0609ae05e47e05c1de05a1cf058450056962055104053b37,
    312'h0527fb05174f05093404fda904f4af04ee4604ea6d04e92404ea6d04ee4604f4af04fda9050934,
    312'h05174f0527fb053b3705510405696205845005a1cf05c1de05e47e0609ae06316f065bc10688a3,
    312'h06b81606ea1a071eae0755d2078f8707cbcd080aa4084c0b08900208d68a091fa3096b4c09b986,
    312'h0a0a510a5dac0ab3970b0c140b67200bc4be0c24ec0c87aa0cecfa0d54d90dbf4a0e2c4b0e9bdc,
    312'h0f0dfe0f82b10ff9f41073c810f02c116f2211f0a71274bd12fb6413849c141063149ebc152fa5,
    312'h15c31f16592916f1c4178cf0182aac18caf8196dd61a13431abb421b65d11c12f01cc2a11d74e1
  };

  spn_class_table #(
      .Width  (24),
      .Classes(256),
      .Numbers(Table45)
  ) u_table_45 (
      .clk_i,
      .class_i (v9[7]),
      .number_o(number_45)
  );
  logic [0:0][23:0] r45;
  assign r45 = number_45;

  // ready in cycle 8
  logic [25:0] number_46;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_46 (
      .clk_i,
      .numbers_i({26'(r42[0]), 26'(r43[0]), r44[0]}),
      .number_o (number_46)
  );
  logic [0:0][25:0] r46;
  assign r46 = number_46;

  // ready in cycle 9
  logic [26:0] number_47;
  spn_product #(
      .Width(27),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_47 (
      .clk_i,
      .numbers_i({27'(r45[0]), 27'(r46[0]), 27'(r22[0])}),
      .number_o (number_47)
  );
  logic [0:0][26:0] r47;
  assign r47 = number_47;

  // ready in cycle 10
  logic [26:0] number_48;
  spn_product #(
      .Width(27),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_48 (
      .clk_i,
      .numbers_i({27'(r34[0]), 27'(r41[0]), r47[0]}),
      .number_o (number_48)
  );
  logic [0:0][26:0] r48;
  assign r48 = number_48;

  // load, ready in cycle 8
  logic [21:0] number_49;
  localparam logic [255:0][21:0] Table49 = {
    88'h06564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d6564759591d6564759591d6564759591d6564759591,
    308'hd6564759591d6564759591d6564759591d656475959137f010df41d37b184de112375868dc7f6,
    308'h36c1ccdb07335cc84d732135cc84d732134001cd000734001cd0007328b80c377330ddccc3773,
    308'h30ddccb73212dcc84b73212dcc84a99642a6590a99642a65909ed3727b4dc9953625684c91e84,
    308'h238acc8a69e21306084c181e57b0795ec1e57b0795ec1bf5706c030199158664561821805ac56,
    308'h16b1585503c1540f05e9b417a6d05e9b417a6d06a1971a865c6fd5c1d63cc758f31f4b107d2c4,
    308'h20b72c86a522312b08c4ac247a109b2b226cac89b2b226cac8a43f929f454ad1672b459cb237b,
    308'h2d6378b8d2d2eff44c377330ddccc377330ddcccdc763371d8cdc763371d8d307b356754d59d5,
    308'h362774d89dd36a19cdb8ad373bdcdcef7378448dec6137d074e0622381888e0622381888e108a,
    308'h386450e1914386450e1914387e74e1f9d388748e21d2389914e2645389914e2645389914e2645,
    308'h38a210e288438a210e288438a210e288438a210e288438a210e288438a210e288438a210e2884,
    308'h38a210e288438a210e288438a210e288438a210e288438a210e288438a210e288438a210e2884,
    308'h38a210e288438a210e288438a210e288438a210e288438a210e288438a210e288438a210e2884
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table49)
  ) u_table_49 (
      .clk_i,
      .class_i (v0[7]),
      .number_o(number_49)
  );
  logic [0:0][21:0] r49;
  assign r49 = number_49;

  // queue, ready in cycle 8
  logic [21:0] number_50;
  localparam logic [40:0][21:0] Table50 = {
    286'h000000d00000af2d62bcb58af2d62bc86caf0a72bab90aeae42bab90aeae42b5da8ac633,
    308'h2a64c8a993227271c9c9c727271c9c9c722268c7ed6719066c6419b19066c6419b11f9102b39e,
    308'h0ace782b39e0ace78422dd108b74422dd19066c6419b1e6cd079b342561009584025610095840
  };

  spn_class_table #(
      .Width  (22),
      .Classes(41),
      .Numbers(Table50)
  ) u_table_50 (
      .clk_i,
      .class_i (v1[6]),
      .number_o(number_50)
  );
  logic [0:0][21:0] r50;
  assign r50 = number_50;

  // ready in cycle 9
  logic [22:0] number_51;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_51 (
      .clk_i,
      .numbers_i({23'(r49[0]), 23'(r50[0])}),
      .number_o (number_51)
  );
  logic [0:0][22:0] r51;
  assign r51 = number_51;

  // load, ready in cycle 8
  logic [21:0] number_52;
  localparam logic [255:0][21:0] Table52 = {
    88'h0a587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961fda587f6961f,
    308'hda587f6961fda587f6961fda587f6961fda587f6961f28e4b8a20ed27f1c49fc71275fd099aff,
    308'h266bfc99aff266bfc9395324e54c9395324e54c8fc2a22fbc48bef122fbc48bef12206a485ce3,
    308'h21738c82bd320af4c807021fb9d87d5e91ec4487b1121dffb877fee1dce9878c381f26847c9a1,
    308'h1f26847c9a1201c0882bd320af4c8509f21d5a4875692268bc8b2b0235dc88d77224836c920db,
    308'h24836c920db25a8d096a34266bfc99aff26fe4c9d7f4285338a14ce285338a14ce2945f0a69be,
    308'h2a07a0aa62f2a98bcaca5d2b89c0afa942c4a30b2a7a2d9948b66522d9948b66522e86acbc547,
    308'h2f151cc0b98302e60c0b98302e60c687c31a1f0c687c31a1f0ca1dd32e344ccf1333974ccfc12,
    308'h3475b8d1d6e34f7a8d54023626c0d89b03626c0d89b036f5a8dd22e381290e04a4381290e04a4,
    308'h38d6ace48cb39698ce6cdb39fb80e91d23a8a94eb4463b3000ecc003b956cf0ad03c2b40f0ad0,
    308'h3c2b40f2d9a3d0ad8f42b63d5a2cf63813db8d8f793d3e1268f90543ea3d4fa8f53ea3d4fa8f5,
    308'h3effc8fca413f4528fd8763fac18feb063fac18feb063ffa48ffe92402b4100ad0402b4100ad0,
    308'h405de901bcc40925d0249740925d0249740b66902d9a40db55036d540ee2903b8a40ee290404e
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table52)
  ) u_table_52 (
      .clk_i,
      .class_i (v0[7]),
      .number_o(number_52)
  );
  logic [0:0][21:0] r52;
  assign r52 = number_52;

  // queue, ready in cycle 8
  logic [21:0] number_53;
  localparam logic [40:0][21:0] Table53 = {
    286'h000000d000006d7cb1a3e1062297188a5c5b52d15b02c522c612d2b44b4ad1119943fccb,
    308'h0ecc98369760da5d83d7fb0f5fec44665123fbc4d966151db45476d16d4b45fe29191bd068f84,
    308'h1b5f2c743881d0e207ae4121735c85cd721735c9058d259acc966b3270fc89ff1428e04ca6e85
  };

  spn_class_table #(
      .Width  (22),
      .Classes(41),
      .Numbers(Table53)
  ) u_table_53 (
      .clk_i,
      .class_i (v1[6]),
      .number_o(number_53)
  );
  logic [0:0][21:0] r53;
  assign r53 = number_53;

  // ready in cycle 9
  logic [22:0] number_54;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_54 (
      .clk_i,
      .numbers_i({23'(r52[0]), 23'(r53[0])}),
      .number_o (number_54)
  );
  logic [0:0][22:0] r54;
  assign r54 = number_54;

  // ready in cycle 14
  logic [22:0] number_55;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_55 (
      .clk_i,
      .a_i(r51[0]),
      .b_i(r54[0]),
      .number_o(number_55)
  );
  logic [0:0][22:0] r55;
  assign r55 = number_55;

  // errors, ready in cycle 8
  logic [21:0] number_56;
  localparam logic [30:0][21:0] Table56 = {
    66'h01437cd50df0bc22b,
    308'h2ef9d4bad712eb5c4bad712e2408b410f2d043cb410f2d043cac2f8281938a064e281938a064e,
    308'h21cea8873aa21cea8873aa1d54206a2ff1a8bfc5ee6e12f9004be4012f9004be400e303431149
  };

  spn_class_table #(
      .Width  (22),
      .Classes(31),
      .Numbers(Table56)
  ) u_table_56 (
      .clk_i,
      .class_i (v2[6]),
      .number_o(number_56)
  );
  logic [0:0][21:0] r56;
  assign r56 = number_56;

  // retries, ready in cycle 8
  logic [21:0] number_57;
  localparam logic [31:0][21:0] Table57 = {
    88'h0000034000029e9c8a6e85,
    308'h29ba14a6e8529ba14a537b28db08a36c227e5dc9f97726d5c897b8024dda88e94a22498c8337b,
    308'h1cb0a872c2a1cb0a872c2a18365055b8d156e3446a6411a9902fc790bf1e42fc790bf1e41c9d4
  };

  spn_class_table #(
      .Width  (22),
      .Classes(32),
      .Numbers(Table57)
  ) u_table_57 (
      .clk_i,
      .class_i (v3[6]),
      .number_o(number_57)
  );
  logic [0:0][21:0] r57;
  assign r57 = number_57;

  // ready in cycle 9
  logic [22:0] number_58;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_58 (
      .clk_i,
      .numbers_i({23'(r56[0]), 23'(r57[0])}),
      .number_o (number_58)
  );
  logic [0:0][22:0] r58;
  assign r58 = number_58;

  // errors, ready in cycle 8
  logic [21:0] number_59;
  localparam logic [30:0][21:0] Table59 = {
    66'h039503de540cec4d1,
    308'h3a990ce690d39a434dac4136b104dac413337e0c688d2f1b08bc6c22b8aecae2bb27d8889f622,
    308'h25064481165204594811652045946df33189c0c627031c722071c881f511484e732413f4904fd
  };

  spn_class_table #(
      .Width  (22),
      .Classes(31),
      .Numbers(Table59)
  ) u_table_59 (
      .clk_i,
      .class_i (v2[6]),
      .number_o(number_59)
  );
  logic [0:0][21:0] r59;
  assign r59 = number_59;

  // retries, ready in cycle 8
  logic [21:0] number_60;
  localparam logic [31:0][21:0] Table60 = {
    88'h000003400002922ec999c4,
    308'h266710999c42667108d4b62205f882c601d4710751c41d4710751c419c6805e98e17a638560bd,
    308'h1414f44a98a1136d43f1c50c2e4c30b930c2e4c30b9311ee9047ba411ee9047ba41639ac58e6b
  };

  spn_class_table #(
      .Width  (22),
      .Classes(32),
      .Numbers(Table60)
  ) u_table_60 (
      .clk_i,
      .class_i (v3[6]),
      .number_o(number_60)
  );
  logic [0:0][21:0] r60;
  assign r60 = number_60;

  // ready in cycle 9
  logic [22:0] number_61;
  spn_product #(
      .Width(23),
      .Operands(2),
      .Constant(23'h000000)
  ) u_product_61 (
      .clk_i,
      .numbers_i({23'(r59[0]), 23'(r60[0])}),
      .number_o (number_61)
  );
  logic [0:0][22:0] r61;
  assign r61 = number_61;

  // ready in cycle 14
  logic [22:0] number_62;
  spn_sum #(
      .Width(23),
      .ResultWidth(23),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_62 (
      .clk_i,
      .a_i(r58[0]),
      .b_i(r61[0]),
      .number_o(number_62)
  );
  logic [0:0][22:0] r62;
  assign r62 = number_62;

  // mode, ready in cycle 12
  logic [21:0] number_63;
  localparam logic [6:0][21:0] Table63 = {154'h02bcaadaf2a89af511ec1d42d6c026878886cbd};

  spn_class_table #(
      .Width  (22),
      .Classes(7),
      .Numbers(Table63)
  ) u_table_63 (
      .clk_i,
      .class_i (v4[10]),
      .number_o(number_63)
  );
  logic [0:0][21:0] r63;
  assign r63 = number_63;

  // zone, ready in cycle 12
  logic [21:0] number_64;
  localparam logic [8:0][21:0] Table64 = {198'h000000d000004deaf11bb3c032c119c4d45ae2e19ebe47746f};

  spn_class_table #(
      .Width  (22),
      .Classes(9),
      .Numbers(Table64)
  ) u_table_64 (
      .clk_i,
      .class_i (v5[10]),
      .number_o(number_64)
  );
  logic [0:0][21:0] r64;
  assign r64 = number_64;

  // temperature, ready in cycle 12
  logic [24:0] number_65;
  localparam logic [255:0][24:0] Table65 = {
    100'h0000007aea0e3cbce8de02f10,
    300'hed3fccf5363839e75c9c9a5a6e20c936fa55937234c1b3a81ad71f48ea3771b470b739e366a,
    300'hcc77ece4ec81b1cf9e1895098c2167f5fc488af4000974f6a3b7fb00dabf872cc1deb61288c,
    300'hae2570d5dd7cea553894de652a495cf511e6a27fa0e13b2ff59b4c1ccc824ea5b05f3290576,
    300'h924858c8092a63782c11766d4898a8343b2fda15174906540f81129cbf7fc81f3c38af5cd28,
    300'h78e0a4bb6f89dd38788e5d21e70f49b3782431b4633ed662f1694e8033b7f399656b2c77fa2,
    300'h61ee5430109b57961deb928305ad4172c8c3a95d84c6ab5c9b53ffc8292ad1142bf6a9e1ce4,
    300'h4d716825ec5ed2911c691690a4728f722d0e41107bde85410d4126741fd8604f8fdb279a4ed,
    300'h3b69e01d02d44e2973e6e94ab35f33b1a503f4cd488664104730c28417c0a1cb911885a17bf,
    300'h2bd7bc1553fbca5f24650ab152732e2930a4cc93eabe47ca4922d3f810e395482faf03f7559,
    300'h1ebafc0edfd547322de37ac471ae7ee8cff0c4646286306f13175ad00b413ac56b9e829bdbb,
    300'h1413a009a660c4a290623984111125e882e7dc3eafde1dfea50e570c06d9924344e7018f0e5,
    300'h0be1a805a79e42b04be146f0309b2328498a1422d2c61078ff07c8ac03ac9bc1bb8880d0ed7,
    300'h06251402e38dc15b6060a308d04c76a823d76c10cb3e07de2103afb001ba5740cf830061791,
    300'h02dde4015a2f00a3cde04dcdf025206811cfe4089946042e0a020c180102c4c080d68040b13,
    300'h020c18010b8280899460473f9025206813737c0a3cde0568bc02dde40185e440cf83006e95d,
    300'h03afb001f788410cb3e08f5db04c76a828c23415b6060b8e370625140343b5c1bb8880eb26f,
    300'h07c8ac041e3fc22d2c612628509b232851bc0c2b04be169e790be1a8063c394344e701b6649,
    300'h0e570c077fa943eafde20b9f711125e88e61044a29062699831413a00a6f6ec56b9e82d04eb,
    300'h175ad00c1bc4c64628633fc311ae7ee8deb11c7322de3b7f551ebafc0fdd56482faf0438e55,
    300'h22d3f811f292493eabe4c29332732e2942ac54a5f246554fef2bd7bc1685efcb911885f0287,
    300'h30c284190411ccd48866940fd35f33b1ba52ace2973e740b513b69e01e693b4f8fdb27f6181
  };

  spn_class_table #(
      .Width  (25),
      .Classes(256),
      .Numbers(Table65)
  ) u_table_65 (
      .clk_i,
      .class_i (v8[11]),
      .number_o(number_65)
  );
  logic [0:0][24:0] r65;
  assign r65 = number_65;

  // wear, ready in cycle 13
  logic [22:0] number_66;
  localparam logic [255:0][22:0] Table66 = {
    207'h000000d991cdad63674f5af688073ce303196c93f2278ae2ee6d,
    299'h619055c0699b7b6f5aec2b85c319ab5c0ab664686c22bed6fbe9ab69cf51c1d299749d1ef42,
    299'h50b2819ef0a33902ca685d1cbd92595527125ef6e42887c728d38c06511380361dfc1c2a18a,
    299'h41862180da92fd5c05f21a53d322478471cec5e21d070a3907307005b8dc0465b00f3b50545,
    299'h340b34662766c87b0d89632303c955e9eaeb992a56be462c96ff576806ab4e614fadea91a73,
    299'h2841ba4ed7229a5fe12e37824f8794859268d8cf514e3ba1d842422d3c815e28fcd839ee115,
    299'h1e29b33ae9c2730a84e09781b65d1357684684d0ccb6eb18caf83055585e33c0b78e2165929,
    299'h15c31f2a5f4a527af0a083193849c25f6c849d2f48f853916f2221e05841cf207fcfa0f82b1,
    299'h0f0dfe1d37b838b12c6dfa50d54d919d9f4321ea8612760bc4be16ce402c3050559cb8a5dac,
    299'h0a0a5113730c25ad3048fd188d68a11200421302c4055207cbcd0f1f0e1d574838f5706ea1a,
    299'h06b8160d1146196f04318b78609ae0bc8fc1707782d0e78584500ad2c415441029d9b8527fb,
    299'h05174f0a126813f6a427a5784ee4609d4da13a4902753684ee4609e95e13f6a42849a05174f,
    299'h0527fb0a766e1544102b4b10584500b439e1707782f23f0609ae0c62de196f043445186b816,
    299'h06ea1a0e3d5c1d57483c7c387cbcd10154821302c4480108d68a123f4625ad304dcc30a0a51,
    299'h0a5dac15672e2c30505b3900bc4be1849d8321ea86767d0d54d91b7e9438b12c74dee0f0dfe,
    299'h0f82b11ff3e841cf2087816116f2223e14e49d2f497db213849c2820c6527af0a97d295c31f,
    299'h1659292de3885e33c0c155618caf832dbac684d0cd5da11b65d13825e0730a84eba709e29b3,
    299'h1ee1153f360e815e2908b4f21d8424538ee8d8cf521649a4f8794b8de09a5fe13b5c8a841ba,
    299'h291a7353eb7aab4e615da01ac96ff5af918b992a57a7abb03c956258c8c87b0d989d9b40b34,
    299'h3505456c03cedc0465c016e390730741c28ec5e21e11c73d32247c8694fd5c06036a4c18621
  };

  spn_class_table #(
      .Width  (23),
      .Classes(256),
      .Numbers(Table66)
  ) u_table_66 (
      .clk_i,
      .class_i (v9[12]),
      .number_o(number_66)
  );
  logic [0:0][22:0] r66;
  assign r66 = number_66;

  // ready in cycle 13
  logic [25:0] number_67;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_67 (
      .clk_i,
      .numbers_i({26'(r63[0]), 26'(r64[0]), 26'(r65[0])}),
      .number_o (number_67)
  );
  logic [0:0][25:0] r67;
  assign r67 = number_67;

  // ready in cycle 14
  logic [25:0] number_68;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_68 (
      .clk_i,
      .numbers_i({26'(r66[0]), r67[0], 26'(r22[5])}),
      .number_o (number_68)
  );
  logic [0:0][25:0] r68;
  assign r68 = number_68;

  // ready in cycle 15
  logic [25:0] number_69;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_69 (
      .clk_i,
      .numbers_i({26'(r55[0]), 26'(r62[0]), r68[0]}),
      .number_o (number_69)
  );
  logic [0:0][25:0] r69;
  assign r69 = number_69;

  // ready in cycle 15
  logic [26:0] number_70;
  spn_sum #(
      .Width(27),
      .ResultWidth(27),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_70 (
      .clk_i,
      .a_i(r27[0]),
      .b_i(r48[0]),
      .number_o(number_70)
  );
  logic [0:0][26:0] r70;
  assign r70 = number_70;

  // ready in cycle 20
  logic [25:0] number_71;
  spn_sum #(
      .Width(27),
      .ResultWidth(26),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_71 (
      .clk_i,
      .a_i(27'(r69[0])),
      .b_i(r70[0]),
      .number_o(number_71)
  );
  logic [0:0][25:0] r71;
  assign r71 = number_71;

  assign number_o = number_t'(r71[0]);

endmodule
