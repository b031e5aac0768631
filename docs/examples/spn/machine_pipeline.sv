// SPDX-License-Identifier: Apache-2.0
// The sum-product network machine as a pipeline, compiled by `bombus spn compile`: the negated
// logarithm of each sample's likelihood, less Offset. The log-likelihood has an error of at most
// 0.000151 nats.
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
  logic [20:0] number_0;
  localparam logic [255:0][20:0] Table0 = {
    21'h00cac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b20e14c870a64385321c2990e14c870a64385321c2990e14c870a64,
    315'h1c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64,
    315'h1c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64,
    315'h1c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64,
    315'h1c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64385321c2990e14c870a64,
    315'h1c2550e12a870954384aa1c2550e12a870954384aa1c2550e12a870954384229c2114e108a70845,
    315'h1c1cdce0c587062c383161c18b0e083070107380839c041ce020e6f81d37c0e9be074df03a6edc6,
    315'h1bb718dcb726dd2c36e961b13bcd89de6c4ef362779aa460d377468d1433a9e19d4f0cb48a646c6,
    315'h18c88cc38a05f9d02fce8172288b9144579722bcb915e5c8af2e4508ee284771423b8a11dc4bfeb,
    315'h11d69c8eb4e475a723ad3906d5c836ae3c0461e0230f01187808c373fb193bd0c9de864ef43277a,
    315'h0b2dec596f62acc8156640ab32055990308d51846a8cdb2c6aad0383421c1a10ec42079efa3ede3
  };

  spn_class_table #(
      .Width  (21),
      .Classes(256),
      .Numbers(Table0)
  ) u_table_0 (
      .clk_i,
      .class_i (v0[1]),
      .number_o(number_0)
  );
  logic [0:0][20:0] r0;
  assign r0 = number_0;

  // queue, ready in cycle 2
  logic [20:0] number_1;
  localparam logic [40:0][20:0] Table1 = {
    231'h0000034000052b2b2959594acaca55dc52aee2957714abb8a55dc52aee,
    315'h14abb8a55dc52aee2957714aac4a556252a37294de94a420a4fb4525c1291271439d8a1cec50e76,
    315'h1439d89870a4c38522ec391761c6fde637ef31bf798a9648496ea167180b38c059c602ce300dd1f
  };

  spn_class_table #(
      .Width  (21),
      .Classes(41),
      .Numbers(Table1)
  ) u_table_1 (
      .clk_i,
      .class_i (v1[0]),
      .number_o(number_1)
  );
  logic [0:0][20:0] r1;
  assign r1 = number_1;

  // ready in cycle 3
  logic [21:0] number_2;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_2 (
      .clk_i,
      .numbers_i({22'(r0[0]), 22'(r1[0])}),
      .number_o (number_2)
  );
  logic [0:0][21:0] r2;
  assign r2 = number_2;

  // load, ready in cycle 2
  logic [20:0] number_3;
  localparam logic [255:0][20:0] Table3 = {
    21'h014b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3d0404e8202740ee2a07715036d681b6b40c8c205b350291281489,
    315'h2049310202c80bbd405dea01df900ad08014e400a71ff528ff2b87f76d3f9cf1fbf8cfd8767e6e1,
    315'h1f7278fb93c7dc9e3ee4f1f20a8f90547c82a3e4151eece4f568c7ab463d5a31ead18f348079369,
    315'h1e3344f0ad07795c3bcae1db834eca4075d733a8459d422ce7d7673ebb3988c1c8a44e452270568,
    315'h1c15a0e0ad07056836e841b7420dba106dd08361549ae080d5a626a29134baf9a3230cf79c67bce,
    315'h199560ccab0654483247498f548c63d6614d130a68985344c29a25f7ab2ed1197688cbb4465da23,
    315'h16aa3cb551e5aa8f2d54795ea50af52857a942bd4a152974a94ba54a5d2a52e946790a33c8519e4,
    315'h1467909f6fe4ef5027193935bd4970e44b87225c3912e1c89278e493c7240b711d4bc8c5a0462d0,
    315'h112944894a2437ed215d4907d9482640406db1fd4a0fb9347c40c3d5bd1db840edc2076e103b708,
    315'h0f56f47c40c3ee4d2005c1002e08264042586212c3112944894a244a512252891ed308f69847b4c,
    315'h11ed30933c84ac3b2561d9343709a1b84d0dc2686e13bd40a032e50197289e6147fdca582453836
  };

  spn_class_table #(
      .Width  (21),
      .Classes(256),
      .Numbers(Table3)
  ) u_table_3 (
      .clk_i,
      .class_i (v0[1]),
      .number_o(number_3)
  );
  logic [0:0][20:0] r3;
  assign r3 = number_3;

  // queue, ready in cycle 2
  logic [20:0] number_4;
  localparam logic [40:0][20:0] Table4 = {
    231'h000003400005a45e2d22f169178b48bc582642b8c794fe70a7f3853f9c,
    315'h14fe709b2fc4d97e26cbf1365f88fd9247ec921ecf10f6787ae7c3d73e1eb9f0f5cf8692b43495a,
    315'h0d2568692b42dcc116e6089bca84de5426f2a109b60771043b8821929c0c94e0600c036ee41b772
  };

  spn_class_table #(
      .Width  (21),
      .Classes(41),
      .Numbers(Table4)
  ) u_table_4 (
      .clk_i,
      .class_i (v1[0]),
      .number_o(number_4)
  );
  logic [0:0][20:0] r4;
  assign r4 = number_4;

  // ready in cycle 3
  logic [21:0] number_5;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_5 (
      .clk_i,
      .numbers_i({22'(r3[0]), 22'(r4[0])}),
      .number_o (number_5)
  );
  logic [0:0][21:0] r5;
  assign r5 = number_5;

  // ready in cycle 8
  logic [21:0] number_6;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [0:0][21:0] r6;
  assign r6 = number_6;

  // errors, ready in cycle 3
  logic [20:0] number_7;
  localparam logic [30:0][20:0] Table7 = {
    21'h0021be,
    315'h6886f89083c4841e2420f1210789083c4841e2420f1210789083c4841e2420f1210789083c4841e,
    315'h120f80907c0483e0241f012063c8faa24722c22b8490725076d2622b341159a08acd04566806434
  };

  spn_class_table #(
      .Width  (21),
      .Classes(31),
      .Numbers(Table7)
  ) u_table_7 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_7)
  );
  logic [0:0][20:0] r7;
  assign r7 = number_7;

  // retries, ready in cycle 3
  logic [20:0] number_8;
  localparam logic [31:0][20:0] Table8 = {
    42'h000001a0000,
    315'h11df7c8efbe477df23bef91df7c8efbe477df23bef91df7c8efbe477df23bef91df7c8efbe477df,
    315'h11df7c8ef904779a23b7c11d56c8e23e466092194510ca28754ba2cbcd165e685ab9c2d5ce05802
  };

  spn_class_table #(
      .Width  (21),
      .Classes(32),
      .Numbers(Table8)
  ) u_table_8 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_8)
  );
  logic [0:0][20:0] r8;
  assign r8 = number_8;

  // ready in cycle 4
  logic [21:0] number_9;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_9 (
      .clk_i,
      .numbers_i({22'(r7[0]), 22'(r8[0])}),
      .number_o (number_9)
  );
  logic [0:0][21:0] r9;
  assign r9 = number_9;

  // errors, ready in cycle 3
  logic [20:0] number_10;
  localparam logic [30:0][20:0] Table10 = {
    21'h014a82,
    315'h6d2a08db4d06da68364ed9aec14d0388681c4340e2179b80bcdc05e6e02f370159a2ca5e224f601,
    315'h12eedc9011e444b9204360f2f146665a3332d199968cccb4533b42f5e717af38bd79c5ebce38edd
  };

  spn_class_table #(
      .Width  (21),
      .Classes(31),
      .Numbers(Table10)
  ) u_table_10 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_10)
  );
  logic [0:0][20:0] r10;
  assign r10 = number_10;

  // retries, ready in cycle 3
  logic [20:0] number_11;
  localparam logic [31:0][20:0] Table11 = {
    42'h000001a0000,
    315'h136d609b6b04db5826dac11f2ec8a88a42aa11df788efbc477de23bef11a7e58c30586182c2c7ec,
    315'h0a69244d90e1f9c90fce487e7243f392186bb0c35d86d32044f76227bb113dd889eec5623a2b11d
  };

  spn_class_table #(
      .Width  (21),
      .Classes(32),
      .Numbers(Table11)
  ) u_table_11 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_11)
  );
  logic [0:0][20:0] r11;
  assign r11 = number_11;

  // ready in cycle 4
  logic [21:0] number_12;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_12 (
      .clk_i,
      .numbers_i({22'(r10[0]), 22'(r11[0])}),
      .number_o (number_12)
  );
  logic [0:0][21:0] r12;
  assign r12 = number_12;

  // ready in cycle 9
  logic [21:0] number_13;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [0:0][21:0] r13;
  assign r13 = number_13;

  // mode, ready in cycle 7
  logic [20:0] number_14;
  localparam logic [6:0][20:0] Table14 = {147'h01b99b4dccc31d9d19a978cb9805acaa08284};

  spn_class_table #(
      .Width  (21),
      .Classes(7),
      .Numbers(Table14)
  ) u_table_14 (
      .clk_i,
      .class_i (v4[5]),
      .number_o(number_14)
  );
  logic [0:0][20:0] r14;
  assign r14 = number_14;

  // zone, ready in cycle 7
  logic [20:0] number_15;
  localparam logic [8:0][20:0] Table15 = {189'h000000d00000aa4d44eac236a0513e198ab9d05649401d57};

  spn_class_table #(
      .Width  (21),
      .Classes(9),
      .Numbers(Table15)
  ) u_table_15 (
      .clk_i,
      .class_i (v5[5]),
      .number_o(number_15)
  );
  logic [0:0][20:0] r15;
  assign r15 = number_15;

  // door, ready in cycle 2
  logic [20:0] number_16;
  localparam logic [3:0][20:0] Table16 = {84'h01a9068d48060f14038db};

  spn_class_table #(
      .Width  (21),
      .Classes(4),
      .Numbers(Table16)
  ) u_table_16 (
      .clk_i,
      .class_i (v6[0]),
      .number_o(number_16)
  );
  logic [0:0][20:0] r16;
  assign r16 = number_16;

  // alarm, ready in cycle 2
  logic [20:0] number_17;
  localparam logic [3:0][20:0] Table17 = {84'h000006800009f73e0002f};

  spn_class_table #(
      .Width  (21),
      .Classes(4),
      .Numbers(Table17)
  ) u_table_17 (
      .clk_i,
      .class_i (v7[0]),
      .number_o(number_17)
  );
  logic [0:0][20:0] r17;
  assign r17 = number_17;

  // ready in cycle 3
  logic [21:0] number_18;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_18 (
      .clk_i,
      .numbers_i({22'(r16[0]), 22'(r17[0])}),
      .number_o (number_18)
  );
  logic [0:0][21:0] r18;
  assign r18 = number_18;

  // door, ready in cycle 2
  logic [20:0] number_19;
  localparam logic [3:0][20:0] Table19 = {84'h080006c0000283bc1de55};

  spn_class_table #(
      .Width  (21),
      .Classes(4),
      .Numbers(Table19)
  ) u_table_19 (
      .clk_i,
      .class_i (v6[0]),
      .number_o(number_19)
  );
  logic [0:0][20:0] r19;
  assign r19 = number_19;

  // alarm, ready in cycle 2
  logic [20:0] number_20;
  localparam logic [3:0][20:0] Table20 = {84'h000006800002526a02935};

  spn_class_table #(
      .Width  (21),
      .Classes(4),
      .Numbers(Table20)
  ) u_table_20 (
      .clk_i,
      .class_i (v7[0]),
      .number_o(number_20)
  );
  logic [0:0][20:0] r20;
  assign r20 = number_20;

  // ready in cycle 3
  logic [21:0] number_21;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_21 (
      .clk_i,
      .numbers_i({22'(r19[0]), 22'(r20[0])}),
      .number_o (number_21)
  );
  logic [0:0][21:0] r21;
  assign r21 = number_21;

  // ready in cycle 8
  logic [21:0] number_22;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [5:0][21:0] r22;
  spn_delay #(
      .Width (22),
      .Cycles(5)
  ) u_r22 (
      .clk_i,
      .value_i(number_22),
      .taps_o (r22)
  );
  wire unused_r22 = ^r22;

  // temperature, ready in cycle 7
  logic [24:0] number_23;
  localparam logic [255:0][24:0] Table23 = {
    100'h0000007fc0003fe0001ff0000,
    300'hff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000,
    300'hff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000,
    300'hff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000,
    300'hff80007fc0003fe0001ff0000ff80007fc0003fe0001ff0000ff80007fc0003fe0001fe7301,
    300'hfc3934fc9ebbfd91929e6a757f0659cf6be0e7aa5cb1cf6d95e4daf8f101db37cc40bb8c5bc,
    300'hd999496b6a21f504f35a2afcccea08e65f6e2f24fe318d2bc4c3f0c760a81defad0fd7839a4,
    300'hb989f4db7dd2ed1c79b63d96daf6c165678026a9e209500b1ea5972bd196aba8320493cceb8,
    300'h9c0b35ccd9cf25d82592a243b92c833c8416ce39083b180ba589ce2643cd84a15b1ed0684f9,
    300'h811d0d3f7e165f37f70f5903478b4e83b53225d270c4e52d597095b7374ca89b285e8d55c65,
    300'h68bf7ab36aa8d93bedec61d5a6132322fad231761ba6b7703859edde2c14179599c3ea954fe,
    300'h52f27e289f8653e40a69bcbad4c4012a54f6ed2408e08ed44445d69b2223d1d0af4ec826ec4,
    300'h3fb6181f1caecf304c8769b2c39de891c3a05cdc38746b597c344fee997bd70c68ff260a9b5,
    300'h2f0a4816e2224b20b42568bd72a0d95946ce7c9eaa604cffe12559d8121c2748c6d524405d3,
    300'h20ef0e0fefe107b54143b9dae1ccd388de814c6b5ea633c77218f4578c04c285c8d0a2c831d,
    300'h15646a8a45eac4edf3e25d0b2121d7188ab8cc4255441fb02f0f1f6d0735a9036ef1a1a2194,
    300'h0c6a5d05e43f82cacc21524e209fe4104b7500238e3a10ba1807db1903aeda81b93820ce137,
    300'h0600e582cadf414bc9c099a3e046fa6020b5e40f098806e52e03275b01705740a7a4404c206,
    300'h02280400f9ca4070ed20330c70171a180a7b7804c730023170010433007a1f003a35e01c401,
    300'h00dfb9007100403a35e01e87c010433008c5c004c730029ede0171a180cc31c070ed203e729,
    300'h02280401308180a7a4405c15d03275b01b94b80f0988082d79046fa602668f814bc9c0b2b7d,
    300'h0600e583384dc1b93820ebb6a07db19042e860238e3a12dd4009fe4105493882cacc21790fe
  };

  spn_class_table #(
      .Width  (25),
      .Classes(256),
      .Numbers(Table23)
  ) u_table_23 (
      .clk_i,
      .class_i (v8[6]),
      .number_o(number_23)
  );
  logic [0:0][24:0] r23;
  assign r23 = number_23;

  // wear, ready in cycle 8
  logic [23:0] number_24;
  localparam logic [255:0][23:0] Table24 = {
    216'h0000008021507f02b27de55d7cc9507bae8b7a950f797cdb7865ef,
    312'h77504c763bf07528dd74171373069171f75770e9656fdcbb6ed15a6dc7416cbe716bb6e96ab0a9,
    312'h69abb168a80167a59a66a47c65a4a564a61763a8d162acd361b21e60b8b15fc08c5ec9b05dd41c,
    312'h5cdfd05beccc5afb115a0a9e591b73582d915740f75655a5556b9b5482da539b6152b53151d048,
    312'h50eca8500a504f29414e497a4d6afb4c8dc44bb1d64ad73049fdd24925bd484ef047796b46a52e,
    312'h45d23a45008e44302a43610f42933c41c6b140fb6f4031753f68c33ea1593ddb383d165f3c52ce,
    312'h3b90863acf853a0fce39515e38943737d858371dc136647335ac6d34f5af344039338c0c32d927,
    312'h32278b31773630c82a301a672f6deb2ec2b82e18cd2d702b2cc8d02c22be2b7df52ada732a383a,
    312'h29974928f7a128594127bc292720592685d225ec9325549c24bded242887239469230194227007,
    312'h21dfc22150c520c3102036a41fab811f21a51e99121e11c71d8bc41d070a1c83981c016e1b808d,
    312'h1b00f31a82a21a059a1989da190f62189632181e4a17a7ab17325416be46164b8015da021569cc,
    312'h14fadf148d3a1420dd13b5c8134bfc12e378127c3d12164911b19e114e3c10ec21108b4f102bc5,
    312'h0fcd840f708a0f14d90eba710e61500e09780db2e80d5da10d09a20cb6eb0c657c0c15560bc678,
    312'h0b78e20b2c950ae18f0a97d30a4f5e0a083209c24e097db2093a5f08f85408b7910878160839e4,
    312'h07fcfa07c1580786ff074dee07162506dfa506aa6d06767d0643d506127605e25f05b39005860a,
    312'h0559cc052ed605052804dcc304b5a6048fd1046b4504480104260504055203e5e703c7c403aae9,
    312'h038f5703750d035c0b034452032de10318b80304d702f23f02e0ef02d0e702c22802b4b102a882,
    312'h029d9c0293fd028ba702849a027ed5027a57027723027536027492027536027723027a57027ed5,
    312'h02849a028ba70293fd029d9c02a88202b4b102c22802d0e702e0ef02f23f0304d70318b8032de1,
    312'h034452035c0b03750d038f5703aae903c7c403e5e7040552042605044801046b45048fd104b5a6
  };

  spn_class_table #(
      .Width  (24),
      .Classes(256),
      .Numbers(Table24)
  ) u_table_24 (
      .clk_i,
      .class_i (v9[7]),
      .number_o(number_24)
  );
  logic [0:0][23:0] r24;
  assign r24 = number_24;

  // ready in cycle 8
  logic [25:0] number_25;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_25 (
      .clk_i,
      .numbers_i({26'(r14[0]), 26'(r15[0]), 26'(r23[0])}),
      .number_o (number_25)
  );
  logic [0:0][25:0] r25;
  assign r25 = number_25;

  // ready in cycle 9
  logic [25:0] number_26;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_26 (
      .clk_i,
      .numbers_i({26'(r24[0]), r25[0], 26'(r6[0])}),
      .number_o (number_26)
  );
  logic [0:0][25:0] r26;
  assign r26 = number_26;

  // ready in cycle 10
  logic [25:0] number_27;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_27 (
      .clk_i,
      .numbers_i({26'(r13[0]), 26'(r22[1]), r26[0]}),
      .number_o (number_27)
  );
  logic [0:0][25:0] r27;
  assign r27 = number_27;

  // load, ready in cycle 3
  logic [20:0] number_28;
  localparam logic [255:0][20:0] Table28 = {
    21'h00cac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b20e28847144238a211c5108e28847144238a211c5108e288471442,
    315'h1c5108e28847144238a211c5108e28847144238a211c5108e28847144238a211c5108e288471442,
    315'h1c5108e28847144238a211c5108e264471322389911c4c88e264471322389029c4814e240a710e9,
    315'h1c3f3ce1d6c70c8a386451c3228e191470845382909c1484e020e6f81d37c0e9be074df03a6eb0d,
    315'h1b8230dc1186cf7d367be9ae640d73206a5f833fc199fe0ccff0667f833288618c738c639c61015,
    315'h17afd0bd7e85b9382dc9c15a178ad0bc5685e2b42f144d60a26b04e7c22652f92b3308c43046218,
    315'h1188608c4304077f203bf8f67b0776f039cf71a8450d42286a1143508a16af58b57ac5abd62d5eb,
    315'h0a9f7458d222e542181f80c8a606827636f221b7910e73dc776f03d9ec212e610973084b98425cc,
    315'h11c45891e0a4accc2652f939f08a09be530142980a15a178ad0bc591772d60e9718e0bbf645f81d,
    315'h184054c4d2e65b1832d8c196c60cb630687be34bd59a97e0d66ee6bf29365111b50d0db8ae6e3fb,
    315'h1bb718ddb8c6f81d37c0e9c0c44e062270311381889c2114e16ec70b76386cf9c3ad8e1d6c70fcf
  };

  spn_class_table #(
      .Width  (21),
      .Classes(256),
      .Numbers(Table28)
  ) u_table_28 (
      .clk_i,
      .class_i (v0[2]),
      .number_o(number_28)
  );
  logic [0:0][20:0] r28;
  assign r28 = number_28;

  // queue, ready in cycle 3
  logic [20:0] number_29;
  localparam logic [40:0][20:0] Table29 = {
    231'h00000340000572422b92115c908ae484572422b92115c908ae3d2571e9,
    315'h15c63cae26a570832b5da95aed4ad76a56bb52ade795394ca15a250ad128568942b448c41a4620d,
    315'h0dc4c06e260371301b89808283c4141e20a0f09233049198300da1dc41132aa0995505d9b034593
  };

  spn_class_table #(
      .Width  (21),
      .Classes(41),
      .Numbers(Table29)
  ) u_table_29 (
      .clk_i,
      .class_i (v1[1]),
      .number_o(number_29)
  );
  logic [0:0][20:0] r29;
  assign r29 = number_29;

  // ready in cycle 4
  logic [21:0] number_30;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_30 (
      .clk_i,
      .numbers_i({22'(r28[0]), 22'(r29[0])}),
      .number_o (number_30)
  );
  logic [0:0][21:0] r30;
  assign r30 = number_30;

  // load, ready in cycle 3
  logic [20:0] number_31;
  localparam logic [255:0][20:0] Table31 = {
    21'h014b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3ce97da74bed3a5f69ce49ce43ec721f6390fb1c87d8e12266ff49,
    315'h1b9640dcb206e590372c81b2cacd81046b5c134d459a6a2cd351669a8b33c8f19e478cc51066288,
    315'h190098c804c64026320131846f8c237c611be308df178a90bc5485e2a42f15217141cb722259b33,
    315'h166cccb366659b332be9515c468aca0a558f62a670950318a6952522742913a14288ca14464f7e0,
    315'h13965c9cb2e4c0ff2607f9303fc981fe49c5524e2a91de7c8ef3e4779f23bcf911a7088d384469c,
    315'h111a7082b184158c20ac61056307edb63ea931ef268f481078b763cbdf1e5ef8f91c47c8e23f6db,
    315'h100c8c843a2421d1210e8908744880f844cbc22f90917c848ef3e4779f2480d124068951224a891,
    315'h12eb8498e324e597272cb93965c9cb2e5040d28b26945934a5104534a92a369151b48ad61856b0c,
    315'h15ac30ad618589242ca95969cb8b4e5c5b9112eb64175b20bad905d6c82fa391800a8c17c0617a8,
    315'h188d50c5d9e63a5c325de192ef0cb9a666833339cf1a117cd08be69519350139aabd0d8be26c5f1,
    315'h1b17c4d8be26e066375709be954df4aa709133896d1c725ce68d27346939a349cd1a4e97da7547b
  };

  spn_class_table #(
      .Width  (21),
      .Classes(256),
      .Numbers(Table31)
  ) u_table_31 (
      .clk_i,
      .class_i (v0[2]),
      .number_o(number_31)
  );
  logic [0:0][20:0] r31;
  assign r31 = number_31;

  // queue, ready in cycle 3
  logic [20:0] number_32;
  localparam logic [40:0][20:0] Table32 = {
    231'h000003400004d43226a191350c89a86448451229189148c483d823fbe6,
    315'h0f62c06fef037f781bfbc0dfde0625be312df152a50a952854a942a54a124c50893183fff21db27,
    315'h06d93c36c9e1db270fffc8893184b7d4292f715bcc0b70ac601543250f1bfbc0dfde06fef037f78
  };

  spn_class_table #(
      .Width  (21),
      .Classes(41),
      .Numbers(Table32)
  ) u_table_32 (
      .clk_i,
      .class_i (v1[1]),
      .number_o(number_32)
  );
  logic [0:0][20:0] r32;
  assign r32 = number_32;

  // ready in cycle 4
  logic [21:0] number_33;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_33 (
      .clk_i,
      .numbers_i({22'(r31[0]), 22'(r32[0])}),
      .number_o (number_33)
  );
  logic [0:0][21:0] r33;
  assign r33 = number_33;

  // ready in cycle 9
  logic [21:0] number_34;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [0:0][21:0] r34;
  assign r34 = number_34;

  // errors, ready in cycle 3
  logic [20:0] number_35;
  localparam logic [30:0][20:0] Table35 = {
    21'h0021be,
    315'h6886f8a0f8e5079d283ce941e74a0e3e5071f2838f9414aca0a565026f27f8e13d7289eb944c259,
    315'h130964984b24c25922bf61067e87a5c63069c1834e0c1a7060d38228270a1e5050f2828794143ca
  };

  spn_class_table #(
      .Width  (21),
      .Classes(31),
      .Numbers(Table35)
  ) u_table_35 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_35)
  );
  logic [0:0][20:0] r35;
  assign r35 = number_35;

  // retries, ready in cycle 3
  logic [20:0] number_36;
  localparam logic [31:0][20:0] Table36 = {
    42'h000001a0000,
    315'h13e9549f4aa4fa5527d1313e7dc9f2d64f96b27cb593e5ac9e6fc4f37e279bf13cdf899a584cd2c,
    315'h1334b099a5846576232bb10325473e3c39f1e1920f8b36444e9aa21ab90c9060648301b4d80da6c
  };

  spn_class_table #(
      .Width  (21),
      .Classes(32),
      .Numbers(Table36)
  ) u_table_36 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_36)
  );
  logic [0:0][20:0] r36;
  assign r36 = number_36;

  // ready in cycle 4
  logic [21:0] number_37;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_37 (
      .clk_i,
      .numbers_i({22'(r35[0]), 22'(r36[0])}),
      .number_o (number_37)
  );
  logic [0:0][21:0] r37;
  assign r37 = number_37;

  // errors, ready in cycle 3
  logic [20:0] number_38;
  localparam logic [30:0][20:0] Table38 = {
    21'h014a82,
    315'h6d2a08d97806cbc0365e01b2f00d154c659613192d981bc4b14a258a512c5289629449fda64c48a,
    315'h11ae148d70a4113d1db140ed8a05fd702feb817f5c0bfae0545562e00d18eaf0d6a5872f5a3d496
  };

  spn_class_table #(
      .Width  (21),
      .Classes(31),
      .Numbers(Table38)
  ) u_table_38 (
      .clk_i,
      .class_i (v2[1]),
      .number_o(number_38)
  );
  logic [0:0][20:0] r38;
  assign r38 = number_38;

  // retries, ready in cycle 3
  logic [20:0] number_39;
  localparam logic [31:0][20:0] Table39 = {
    42'h000001a0000,
    315'h1439089d9ca4c955248351241a88a86442aa11f5430faa18751c437c801a7de8c8ab45bd4c2dea6,
    315'h0a68f44d8f623ea41085c878b0433b6e19db70e5e0072f00397801cbc0141b00a0d80506c028360
  };

  spn_class_table #(
      .Width  (21),
      .Classes(32),
      .Numbers(Table39)
  ) u_table_39 (
      .clk_i,
      .class_i (v3[1]),
      .number_o(number_39)
  );
  logic [0:0][20:0] r39;
  assign r39 = number_39;

  // ready in cycle 4
  logic [21:0] number_40;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_40 (
      .clk_i,
      .numbers_i({22'(r38[0]), 22'(r39[0])}),
      .number_o (number_40)
  );
  logic [0:0][21:0] r40;
  assign r40 = number_40;

  // ready in cycle 9
  logic [21:0] number_41;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [0:0][21:0] r41;
  assign r41 = number_41;

  // mode, ready in cycle 7
  logic [20:0] number_42;
  localparam logic [6:0][20:0] Table42 = {147'h0379575bcaa361032585f8fca701e32030ae5};

  spn_class_table #(
      .Width  (21),
      .Classes(7),
      .Numbers(Table42)
  ) u_table_42 (
      .clk_i,
      .class_i (v4[5]),
      .number_o(number_42)
  );
  logic [0:0][20:0] r42;
  assign r42 = number_42;

  // zone, ready in cycle 7
  logic [20:0] number_43;
  localparam logic [8:0][20:0] Table43 = {189'h000000d0000094d5c559e039c5e122508076d4520ba3b3d9};

  spn_class_table #(
      .Width  (21),
      .Classes(9),
      .Numbers(Table43)
  ) u_table_43 (
      .clk_i,
      .class_i (v5[5]),
      .number_o(number_43)
  );
  logic [0:0][20:0] r43;
  assign r43 = number_43;

  // temperature, ready in cycle 7
  logic [24:0] number_44;
  localparam logic [255:0][24:0] Table44 = {
    100'h00000070a857f7c0843b96cfd,
    300'hda6df9ec14417579863a74d78d16a6d679895f33ebdf958fa1c897b7633555b1102b1843376,
    300'hbff5d75eea806eedcdf7338f7b784cd5ab8166cd7a6362a025af449a569e176acdb43526900,
    300'ha7353cd29c83a8cff7b4293879f56b5ceb35ae6de70b331fba97a9054ae29d64f91f5240d9b,
    300'h902c2b472a4ae320039155d2788e026c38a63a1531d5070e6181c4f94002e79f926caf92146,
    300'h7adaa1bc93d69dddf18eb95d9742120393d30dc35ac0de6c186d9875b5fef61a999c0d1a403,
    300'h6740a0b2d9269909c1ac53d9b6119a22fcbc217861ceb938e05b237a2cd6c8d60eadaad95d1,
    300'h555e2829fa3a94a373ea2546f4fc9aca7361793446fc9774b94a6607a48a5fd1f1a148cf6b0,
    300'h453338a1f71310ab08482da5340313f9f7c318f70a4e791fa33b601d1d19bb0e427706fc6a0,
    300'h36bfd11acfafcd207ec66cf4932505b189e0f8c0abc25e399e2e11bb9684da8b012f05605a0,
    300'h2a03f21484108a03d764e334f2626ff129bb1c912b5646c2aa227ae210cbbe482dc903fb3b2,
    300'h1eff9b8f1435c7551223906671bb52b8d7518468890e32bac7189b918bee6645c84522cd0d5,
    300'h15b2cd8a801f05142f027488f12fae0092a43446c4e82221f51073c907ecd243d0a381d5d09,
    300'h0e1d8806c7ccc3412e018f9c80bf81d85bb3242bdee214f8340a038904c702c246e3e11584d,
    300'h083fcb03eb3e81dc0f20e1a1206ace38327e5817d7000b3d84054ad2027cf7812b06608c2a3,
    300'h04199681ea74c0e4d2606a96e03193181705d00aad3e04f1e50249a3010eb0807d0b0039c09,
    300'h01aaea80c56f005b77c02a7da013d08809498c0461a002155700fffc807c2d803cf1c01e481,
    300'h00f3c7007c2d803fff2021557011868009498c04f42202a7da016ddf00c56f006abaa039c09,
    300'h01f42c010eb0809268c04f1e502ab4f81705d00c64c606a96e03934981ea74c10665a08c2a3,
    300'h04ac19827cf78152b480b3d8405f5c00327e581ab38e0e1a1207703c83eb3e820ff2c11584d,
    300'h091b8f84c702c280e2414f8340af7b885bb3242fe07618f9c80d04b806c7ccc3876201d5d09,
    300'h0f428e07ecd2441cf242221f511b13a092a4344beb8027488f1450bc0a801f056cb362cd0d5
  };

  spn_class_table #(
      .Width  (25),
      .Classes(256),
      .Numbers(Table44)
  ) u_table_44 (
      .clk_i,
      .class_i (v8[6]),
      .number_o(number_44)
  );
  logic [0:0][24:0] r44;
  assign r44 = number_44;

  // wear, ready in cycle 8
  logic [22:0] number_45;
  localparam logic [255:0][22:0] Table45 = {
    207'h000000ae81ef595696ab5cdd482daa736c34ad4c68e82450eca8,
    299'h500a509e52833925ea6b57dcc8dc49763ad2b5cc24fee94925bd909de11de5ae3529745d23a,
    299'h45008e8860550d843e1499e41c6b181f6df00c5d5fb461bea1597bb670f4597de29673b9086,
    299'h3acf85741f9ce54579c4a1bb7d8586e3b82d991cdad636b4f5af688072ce303196c93b2278b,
    299'h317736619054c0699d7b6f5aec2b85c319ab5c0ad664682c22be56fbeaab69cd51c1d299749,
    299'h28f7a150b2829ef0a53902ca685d24bd92695527125ef6a428874728d28c065113803a1dfc2,
    299'h2150c541862080da90fd5c09f21a53d322478471cec5e21d070a3907307005b8dc0469b00f3,
    299'h1a82a2340b34662768c87b1189632303c945e9eacb992a16be462c9700576808ab4e614fadf,
    299'h148d3a2841ba4ed7209a5fe12e37824f87a4859248d8cf114e3c21d842422d3c815e28fcd84,
    299'h0f708a1e29b23ae9c4730a80e09781b65d0357684684d10cb6eb18caf83055585e33c0b78e2,
    299'h0b2c9515c31e2a5f4c527af0a083213849c25f6c849d2f88f854116f2221e05841cf207fcfa,
    299'h07c1580f0dfe1d37b838b1286dfa50d54da19d9f4321ea8612760bc4be16ce402c3050559cc,
    299'h052ed60a0a5013730c25ad3048fd108d68a1120042130284055207cbce0f1f101d574838f57,
    299'h03750d06b8160d1148196f08318b80609ae0bc8fc1707782d0e70584500ad2c415441029d9c,
    299'h0293fd05174e0a126813f6a827a5704ee4609d4d813a4902753604ee4609e95c13f6a82849a,
    299'h028ba70527fa0a76701544102b4b10584500b439c1707782f23f0609ae0c62e0196f0834452,
    299'h035c0b06ea1a0e3d5c1d57483c7c407cbce1015482130284480108d68a123f4425ad304dcc3,
    299'h0505280a5dac1567302c30505b3900bc4be1849d8321ea86767d0d54da1b7e9438b12874dee,
    299'h0786ff0f82b01ff3e841cf2087816116f2223e15049d2f897db213849c2820c8527af0a97d3,
    299'h0ae18f16592a2de3885e33c0c155618caf832dbac684d10d5da11b65d03825e0730a80eba71
  };

  spn_class_table #(
      .Width  (23),
      .Classes(256),
      .Numbers(Table45)
  ) u_table_45 (
      .clk_i,
      .class_i (v9[7]),
      .number_o(number_45)
  );
  logic [0:0][22:0] r45;
  assign r45 = number_45;

  // ready in cycle 8
  logic [24:0] number_46;
  spn_product #(
      .Width(25),
      .Operands(3),
      .Constant(25'h0000000)
  ) u_product_46 (
      .clk_i,
      .numbers_i({25'(r42[0]), 25'(r43[0]), r44[0]}),
      .number_o (number_46)
  );
  logic [0:0][24:0] r46;
  assign r46 = number_46;

  // ready in cycle 9
  logic [25:0] number_47;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_47 (
      .clk_i,
      .numbers_i({26'(r45[0]), 26'(r46[0]), 26'(r22[0])}),
      .number_o (number_47)
  );
  logic [0:0][25:0] r47;
  assign r47 = number_47;

  // ready in cycle 10
  logic [25:0] number_48;
  spn_product #(
      .Width(26),
      .Operands(3),
      .Constant(26'h0000000)
  ) u_product_48 (
      .clk_i,
      .numbers_i({26'(r34[0]), 26'(r41[0]), r47[0]}),
      .number_o (number_48)
  );
  logic [0:0][25:0] r48;
  assign r48 = number_48;

  // load, ready in cycle 8
  logic [20:0] number_49;
  localparam logic [255:0][20:0] Table49 = {
    21'h00cac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8d65646b2b2359591acac8,
    315'h6b2b2359591acac8d65646b2b20dfc046fa0e37b181bc224dd61a6e3fb36c1d1b60e8d73206b990,
    315'h1ae640d732068004340021a0010d00086517030ddd186ee8c377461bba2dcc816e640b73205b990,
    315'h1532c8a996454cb22a65913da709ed384ca9b25684923d088e2b24534f21306109830795ec3caf6,
    315'h0f2bd8795ec37eae1b00c0cc8ac664563043016b158b58ac5503c2a81e17a6d0bd3685e9b42f4da,
    315'h0d432c6a19637eae1d63c8eb1e47d2c43e96220b7310d4a48c4ac46256247a11365649b2b24d959,
    315'h136564a43f853e8a2b45995a2ccb237c5ac6f2e34b977fa0c377461bba30ddd186ee8cdc7666e3b,
    315'h19b8eccdc766983e356751ab3a8d89de6c4ef36a1a1b715cdcef66e77b378449bd8c0df41c70311,
    315'h1c0c44e062270311384229c3228e191470c8a386451c3f3ce1f9e710e9388749c4c88e264471322,
    315'h1c4c88e26447132238a211c5108e28847144238a211c5108e28847144238a211c5108e288471442,
    315'h1c5108e28847144238a211c5108e28847144238a211c5108e28847144238a211c5108e288471442,
    315'h1c5108e28847144238a211c5108e28847144238a211c5108e28847144238a211c5108e288471442
  };

  spn_class_table #(
      .Width  (21),
      .Classes(256),
      .Numbers(Table49)
  ) u_table_49 (
      .clk_i,
      .class_i (v0[7]),
      .number_o(number_49)
  );
  logic [0:0][20:0] r49;
  assign r49 = number_49;

  // queue, ready in cycle 8
  logic [20:0] number_50;
  localparam logic [40:0][20:0] Table50 = {
    231'h000003400005796b2bcb595e5acaf21c578532bab915d5c8aeae457572,
    315'h15aed4ac63454c992a64c93938c9c9c64e4e3272719113447ed66320ce190670c83386419c23f22,
    315'h05673c2b39e159cf0ace78845bc422de2116f190670c833879b343cd9a2561012b080958404ac20
  };

  spn_class_table #(
      .Width  (21),
      .Classes(41),
      .Numbers(Table50)
  ) u_table_50 (
      .clk_i,
      .class_i (v1[6]),
      .number_o(number_50)
  );
  logic [0:0][20:0] r50;
  assign r50 = number_50;

  // ready in cycle 9
  logic [21:0] number_51;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_51 (
      .clk_i,
      .numbers_i({22'(r49[0]), 22'(r50[0])}),
      .number_o (number_51)
  );
  logic [0:0][21:0] r51;
  assign r51 = number_51;

  // load, ready in cycle 8
  logic [20:0] number_52;
  localparam logic [255:0][20:0] Table52 = {
    21'h014b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0fda587ed2c3f6961fb4b0f,
    315'h6d2c3f6961fb4b0fda587ed2c3ca392e5107627f1c93f8e49d7f44cd80266c013360099b0049caa,
    315'h1272a89395449caa23f0a917de48bef245f7922fbc91035485ce442e7220af49057a4807023f73b,
    315'h0fabd07b1123d8891dffb8effdc773a63c61c1f2680f93407c9a03e4d0201c09057a482bd242850,
    315'h10ead08756844d1822cac11aee48d7724906e248371241b8920dc4b51a25a8d13360099b004dfca,
    315'h13afe8a14ce50a672853394299ca517c534df2a07a154c5caa62e5652e2b89c15f528b128c5953d,
    315'h16cca4b66525b3292d994974358bc5485e2a4302e6181730c0b98605cc31a1f18d0f8c687c6343e,
    315'h1943b8cb8d06678a3397519f824d1d6e68eb734f7a9aa804d89b06c4d83626c1b1360dbd6a6e917,
    315'h1c0948e04a470252381291c6b54e48cc72d3139b371cfdc0e91d2751533ad119d9800ecc00772ae,
    315'h1e15a0f0ad0785683c2b41e5b34f42b67a15b3d5a31ec704f6e367bc9e3e1269f20a8fa8f67d47b,
    315'h1f51ecfa8f67dff93f2901fa294fd8767f5833fac19fd60cfeb067ff493ffa4a015a100ad080568,
    315'h2015a10177a80de640926204931024988124c40b66a05b35036d681b6b40ee2a0771503b8a82027
  };

  spn_class_table #(
      .Width  (21),
      .Classes(256),
      .Numbers(Table52)
  ) u_table_52 (
      .clk_i,
      .class_i (v0[7]),
      .number_o(number_52)
  );
  logic [0:0][20:0] r52;
  assign r52 = number_52;

  // queue, ready in cycle 8
  logic [20:0] number_53;
  localparam logic [40:0][20:0] Table53 = {
    231'h0000034000036be61a3e10c4530622982da9615b028a458c4b4ac25a56,
    315'h088cc83fccc1d9930da5d86d2ec3d7fa1ebfd11199091fe04d9662a3b6151db0b6a585fe2a3237a,
    315'h0d1f086d7cc3a1c41d0e20f5c8085cd842e6c21736120b18966b24b359270fc93fe28a381453743
  };

  spn_class_table #(
      .Width  (21),
      .Classes(41),
      .Numbers(Table53)
  ) u_table_53 (
      .clk_i,
      .class_i (v1[6]),
      .number_o(number_53)
  );
  logic [0:0][20:0] r53;
  assign r53 = number_53;

  // ready in cycle 9
  logic [21:0] number_54;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_54 (
      .clk_i,
      .numbers_i({22'(r52[0]), 22'(r53[0])}),
      .number_o (number_54)
  );
  logic [0:0][21:0] r54;
  assign r54 = number_54;

  // ready in cycle 14
  logic [21:0] number_55;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [0:0][21:0] r55;
  assign r55 = number_55;

  // errors, ready in cycle 8
  logic [20:0] number_56;
  localparam logic [30:0][20:0] Table56 = {
    21'h0021be,
    315'h6886f8ac22a55f3a2ab5c955ae4aad72544812904394821ca410e52087270be120c9c9064e48327,
    315'h120c9c773aa3b9d51dcea8ee754655082d17f168bf89dcdc3be401df200ef90077c8028c0e108a5
  };

  spn_class_table #(
      .Width  (21),
      .Classes(31),
      .Numbers(Table56)
  ) u_table_56 (
      .clk_i,
      .class_i (v2[6]),
      .number_o(number_56)
  );
  logic [0:0][20:0] r56;
  assign r56 = number_56;

  // retries, ready in cycle 8
  logic [20:0] number_57;
  localparam logic [31:0][20:0] Table57 = {
    42'h000001a0000,
    315'h14f4e4a6e865374329ba194dd0ca537a51b6128db093f2ec9f9764dab925ee0126ed48e94a44931,
    315'h1066f872c2a396151cb0a8e585460d942adc7156e388d4c846a6417e3d0bf1e85f8f42fc7a0e4ea
  };

  spn_class_table #(
      .Width  (21),
      .Classes(32),
      .Numbers(Table57)
  ) u_table_57 (
      .clk_i,
      .class_i (v3[6]),
      .number_o(number_57)
  );
  logic [0:0][20:0] r57;
  assign r57 = number_57;

  // ready in cycle 9
  logic [21:0] number_58;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_58 (
      .clk_i,
      .numbers_i({22'(r56[0]), 22'(r57[0])}),
      .number_o (number_58)
  );
  logic [0:0][21:0] r58;
  assign r58 = number_58;

  // errors, ready in cycle 8
  logic [20:0] number_59;
  localparam logic [30:0][20:0] Table59 = {
    21'h014a82,
    315'h6d2a08dc4d26d32235a439ad21ccac426562132b10979bf0b688c563612b1b093c5749e2ba47b11,
    315'h11ec4484190388b31c4598e22cc711662ef99149c10a4e0861c8830e441b5110e9ce8804fc4027e
  };

  spn_class_table #(
      .Width  (21),
      .Classes(31),
      .Numbers(Table59)
  ) u_table_59 (
      .clk_i,
      .class_i (v2[6]),
      .number_o(number_59)
  );
  logic [0:0][20:0] r59;
  assign r59 = number_59;

  // retries, ready in cycle 8
  logic [20:0] number_60;
  localparam logic [31:0][20:0] Table60 = {
    42'h000001a0000,
    315'h149178999c44cce2266711333888d4b6440bf20b180ea388751c43a8e21d4710ce3405e98e2f4c7,
    315'h0ac1785053c254c51136d87e38c30b94185ca0c2e506172847ba423dd211ee908f74858e6c2c736
  };

  spn_class_table #(
      .Width  (21),
      .Classes(32),
      .Numbers(Table60)
  ) u_table_60 (
      .clk_i,
      .class_i (v3[6]),
      .number_o(number_60)
  );
  logic [0:0][20:0] r60;
  assign r60 = number_60;

  // ready in cycle 9
  logic [21:0] number_61;
  spn_product #(
      .Width(22),
      .Operands(2),
      .Constant(22'h000000)
  ) u_product_61 (
      .clk_i,
      .numbers_i({22'(r59[0]), 22'(r60[0])}),
      .number_o (number_61)
  );
  logic [0:0][21:0] r61;
  assign r61 = number_61;

  // ready in cycle 14
  logic [21:0] number_62;
  spn_sum #(
      .Width(22),
      .ResultWidth(22),
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
  logic [0:0][21:0] r62;
  assign r62 = number_62;

  // mode, ready in cycle 12
  logic [20:0] number_63;
  localparam logic [6:0][20:0] Table63 = {147'h0579576bcaa4d7a81ec1d85ad809a1e24365f};

  spn_class_table #(
      .Width  (21),
      .Classes(7),
      .Numbers(Table63)
  ) u_table_63 (
      .clk_i,
      .class_i (v4[10]),
      .number_o(number_63)
  );
  logic [0:0][20:0] r63;
  assign r63 = number_63;

  // zone, ready in cycle 12
  logic [20:0] number_64;
  localparam logic [8:0][20:0] Table64 = {189'h000000d000009bd6046ece0196119c4d8b5c5c67af83ba38};

  spn_class_table #(
      .Width  (21),
      .Classes(9),
      .Numbers(Table64)
  ) u_table_64 (
      .clk_i,
      .class_i (v5[10]),
      .number_o(number_64)
  );
  logic [0:0][20:0] r64;
  assign r64 = number_64;

  // temperature, ready in cycle 12
  logic [23:0] number_65;
  localparam logic [255:0][23:0] Table65 = {
    216'h000000f5d41cf2f3a3f01788ed3fcdea6c70e79d72e4d2d3e20c93,
    312'hdf4ab2dc8d30d9d40dd71f49d46ee3d1c2ddcf1b35cc77ecc9d903c73e78c4a84cc2167fbf8911,
    312'hbd0002ba7b52b7fb00b57f0eb3077bb09446ae2570abbafaa954e2a6f329a495cfa23cd49fe838,
    312'h9d97fb9b4c1c99049d96c17d9482bb9248589012558de0b08bb36a898a838765fb8545d2832a08,
    312'h81129c7eff907cf0e27ae69478e0a476df1474e1e272e90f70f49b6f04866d18d06b3179694e80,
    312'h676fe76595ac63bfd161ee546021365e58785c94185ad41759187557613255ae4d53ffc85255a2,
    312'h50afda4f0e724d71684bd8bd4a447248b4854728f745a1c8441ef842a0864126743fb0c13e3f6c,
    312'h3cd2773b69e03a05a838a5d0374a5635f33b34a07f33522232082330c2842f81442e44622d0be0,
    312'h2bd7bc2aa7f7297c9228558b2732e326149a24fab023e52422d3f821c72b20bebc1fbaad1ebafc,
    312'h1dbfaa1cc8b81bd6241ae7ef19fe191918a2183789175ad016827615ae7a14dede1413a0134cc1,
    312'h128a4111cc2111125f105cfc0fabf70eff520e570c0db3250d139c0c78730be1a80b4f3c0ac12f,
    312'h0a378209b23309314308b4b1083c7f07c8ac07593806ee2206876c06251405c71b056d81051847,
    312'h04c76b047aee0432cf03ef1003afb00374af033e0c030bc902dde402b45e028f37026e70025207,
    312'h0239fd022651021705020c1802058a02035a02058a020c180217050226510239fd025207026e70,
    312'h028f3702b45e02dde4030bc9033e0c0374af03afb003ef100432cf047aee04c76b051847056d81,
    312'h05c71b06251406876c06ee2207593807c8ac083c7f08b4b109314309b2330a37820ac12f0b4f3c,
    312'h0be1a80c78730d139c0db3250e570c0eff520fabf7105cfc11125f11cc21128a41134cc11413a0,
    312'h14dede15ae7a168276175ad01837891918a219fe191ae7ef1bd6241cc8b81dbfaa1ebafc1fbaad,
    312'h20bebc21c72b22d3f823e52424fab026149a2732e328558b297c922aa7f72bd7bc2d0be02e4462,
    312'h2f814430c28432082333522234a07f35f33b374a5638a5d03a05a83b69e03cd2773e3f6c3fb0c1
  };

  spn_class_table #(
      .Width  (24),
      .Classes(256),
      .Numbers(Table65)
  ) u_table_65 (
      .clk_i,
      .class_i (v8[11]),
      .number_o(number_65)
  );
  logic [0:0][23:0] r65;
  assign r65 = number_65;

  // wear, ready in cycle 13
  logic [21:0] number_66;
  localparam logic [255:0][21:0] Table66 = {
    88'h00000366473d6b1b74f5af,
    308'hd100e738c0ccb649f2278bc5dcdb0c82ac0699ef6debbb0ae2e18cdb5c0aecc8d0b08afab7df5,
    308'hab69cea383aa65d268f7a1a165067bc299c8166685d297b24e5549c92f7b6428878e51a630194,
    308'h89c01e1dfc28543160c31080da91fab817c8695e991278471dd8bc4741c29c83987005b9b808d,
    308'h6c03cda82a2681669989da643d89896326079297a7ab5cc9516be46592e015da0255a7314fadf,
    308'h5234e9420dd4ed72134bfc4b8de127c3d4859251b19e4538f10ec21422d3d02bc53f3610f708a,
    308'h3c5364eba71398540e097836cba0d5da1342688cb6eb3195f0c15562f19e0b78e22cb254ae18f,
    308'h2a5f4ca4f5e2820c89c24e25f6c893a5f23e1508b79121e058839e41ff3e87c1581e1bfc74dee,
    308'h1c58946dfa51aa9b46767d190f546127617897c5b390161828559cc14bb585052813730c4b5a6,
    308'h123f4446b45112004426051015483e5e70f1f103aae90e3d5c3750d0d702c344520cb784318b8,
    308'h0c135c2f23f0b83bc2d0e70b08a02b4b10aa20829d9c0a4ff428ba70a126827ed509e95c27723,
    308'h09d4d82749209d4d82772309e95c27ed50a126828ba70a4ff429d9c0aa2082b4b10b08a02d0e7,
    308'h0b83bc2f23f0c135c318b80cb784344520d702c3750d0e3d5c3aae90f1f103e5e710154842605,
    308'h11200446b45123f444b5a613730c5052814bb58559cc1618285b39017897c61276190f546767d,
    308'h1aa9b46dfa51c589474dee1e1bfc7c1581ff3e8839e421e0588b79123e15093a5f25f6c89c24e,
    308'h2820c8a4f5e2a5f4cae18f2cb254b78e22f19e0c15563195f0cb6eb342688d5da136cba0e0978,
    308'h398540eba713c5364f708a3f361102bc5422d3d0ec214538f11b19e48592527c3d4b8de134bfc,
    308'h4ed721420dd5234e94fadf55a7315da02592e016be465cc9517a7ab60792989632643d89989da,
    308'h681669a82a26c03cdb808d7005b9c8398741c29d8bc478471de99127c8695fab8180da920c310
  };

  spn_class_table #(
      .Width  (22),
      .Classes(256),
      .Numbers(Table66)
  ) u_table_66 (
      .clk_i,
      .class_i (v9[12]),
      .number_o(number_66)
  );
  logic [0:0][21:0] r66;
  assign r66 = number_66;

  // ready in cycle 13
  logic [24:0] number_67;
  spn_product #(
      .Width(25),
      .Operands(3),
      .Constant(25'h0000000)
  ) u_product_67 (
      .clk_i,
      .numbers_i({25'(r63[0]), 25'(r64[0]), 25'(r65[0])}),
      .number_o (number_67)
  );
  logic [0:0][24:0] r67;
  assign r67 = number_67;

  // ready in cycle 14
  logic [24:0] number_68;
  spn_product #(
      .Width(25),
      .Operands(3),
      .Constant(25'h0000000)
  ) u_product_68 (
      .clk_i,
      .numbers_i({25'(r66[0]), r67[0], 25'(r22[5])}),
      .number_o (number_68)
  );
  logic [0:0][24:0] r68;
  assign r68 = number_68;

  // ready in cycle 15
  logic [24:0] number_69;
  spn_product #(
      .Width(25),
      .Operands(3),
      .Constant(25'h0000000)
  ) u_product_69 (
      .clk_i,
      .numbers_i({25'(r55[0]), 25'(r62[0]), r68[0]}),
      .number_o (number_69)
  );
  logic [0:0][24:0] r69;
  assign r69 = number_69;

  // ready in cycle 15
  logic [25:0] number_70;
  spn_sum #(
      .Width(26),
      .ResultWidth(26),
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
  logic [0:0][25:0] r70;
  assign r70 = number_70;

  // ready in cycle 20
  logic [24:0] number_71;
  spn_sum #(
      .Width(26),
      .ResultWidth(25),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_71 (
      .clk_i,
      .a_i(26'(r69[0])),
      .b_i(r70[0]),
      .number_o(number_71)
  );
  logic [0:0][24:0] r71;
  assign r71 = number_71;

  assign number_o = number_t'(r71[0]);

endmodule
