// SPDX-License-Identifier: Apache-2.0
// The sum-product network machine as a pipeline, compiled by `bombus spn compile`: the negated
// logarithm of each sample's likelihood, less Offset. The log-likelihood has an error of at most
// 0.000111 nats.
//
// Latency: 22 cycles. Throughput: one sample per cycle.
//
// v<n> is the value of a variable, r<n> the result of an operation; the index is the delay in
// cycles.
module machine_pipeline
  import machine_model_pkg::*;
(
    input logic clk_i,

    input  value_t  [NumVariables-1:0] sample_i,
    output number_t                    number_o
);

  value_t [7:0] v0;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(7)
  ) u_v0 (
      .clk_i,
      .value_i(sample_i[0]),
      .taps_o (v0)
  );
  wire unused_v0 = ^v0;
  value_t [7:0] v1;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(7)
  ) u_v1 (
      .clk_i,
      .value_i(sample_i[1]),
      .taps_o (v1)
  );
  wire unused_v1 = ^v1;
  value_t [7:0] v2;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(7)
  ) u_v2 (
      .clk_i,
      .value_i(sample_i[2]),
      .taps_o (v2)
  );
  wire unused_v2 = ^v2;
  value_t [7:0] v3;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(7)
  ) u_v3 (
      .clk_i,
      .value_i(sample_i[3]),
      .taps_o (v3)
  );
  wire unused_v3 = ^v3;
  value_t [12:0] v4;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(12)
  ) u_v4 (
      .clk_i,
      .value_i(sample_i[4]),
      .taps_o (v4)
  );
  wire unused_v4 = ^v4;
  value_t [12:0] v5;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(12)
  ) u_v5 (
      .clk_i,
      .value_i(sample_i[5]),
      .taps_o (v5)
  );
  wire unused_v5 = ^v5;
  value_t [0:0] v6;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(0)
  ) u_v6 (
      .clk_i,
      .value_i(sample_i[6]),
      .taps_o (v6)
  );
  value_t [0:0] v7;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(0)
  ) u_v7 (
      .clk_i,
      .value_i(sample_i[7]),
      .taps_o (v7)
  );
  value_t [12:0] v8;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(12)
  ) u_v8 (
      .clk_i,
      .value_i(sample_i[8]),
      .taps_o (v8)
  );
  wire unused_v8 = ^v8;
  value_t [13:0] v9;
  spn_delay #(
      .Width (ValueBits),
      .Cycles(13)
  ) u_v9 (
      .clk_i,
      .value_i(sample_i[9]),
      .taps_o (v9)
  );
  wire unused_v9 = ^v9;

  // load, ready in cycle 1
  number_t number_0;
  localparam number_t [161:0] Table0 = {
    216'h0012b220d25644068a6400d14c801a29900345320068a6400d14c8,
    297'h00345320068a6400d14c801a29900345320068a6400d14c801a29900345320068a6400d14c8,
    297'h00345320068a6400d14c801a29900345320068a6400d14c801a29900345320068a6400d14c8,
    297'h00345320068a6400d14c801a29900345320068a6400d14c801a29900345320068a6400d14c8,
    297'h00345320068a6400d14c801a29900345320068a6400d14c801a29900345320068a6400d14c8,
    297'h00345320068a6400d14c801a29900345320068a6400d14c801a29900345320068a6400d14c8,
    297'h00345320068a6400d14c801a29900345320068a6400d14c801a2990034532006895380d12a7,
    297'h00344a9c06895380d12a701a254e0344a9c06895380d12a701a254e0344a9c06884500d108a,
    297'h0034422806884500d0e6f01a18ae034315c06862b80d0c5701a1062034083406810680d020d,
    297'h0034083406781d00cf03a019e074033c0e8066dc600cdb8c01996e4032e960065d2c00c89dd,
    297'h003227740644ee80c89dd018a462030ddcc060d1480bea78017d4f002ed22805c6c600b6446,
    297'h002ce2800579d000af3a0015228802a451004f972809f2e5013e5ca027cb940488ee00911dc,
    297'h002447700488ee0087fd500fd69c01fad3803f5a7007eb4e00e6d5c01cdab8034046006808c,
    297'h001a0230034046005e7f700a9de80153bd002a77a0054ef40092dea0125bd4022cc7804598f,
    297'h0011663c022cc780511a900a2352015b65402d568006068500c0d0a0198844034f7c806dbc6
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(162),
      .BlockRam(1'b0),
      .Numbers(Table0)
  ) u_table_0 (
      .clk_i,
      .value_i (value_t'(v0[0])),
      .number_o(number_0)
  );
  number_t [0:0] r0;
  assign r0 = number_0;

  // queue, ready in cycle 1
  number_t number_1;
  localparam number_t [41:0] Table1 = {
    243'h000000006800000295958052b2b00a5656014abb6029576c052aed80a55db,
    297'h0029576c052aed80a55db014abb6029576c052aed80a5561014aac202951b80529bd80a520f,
    297'h00293ed40525c080a449c01439da02873b4050e7680a1ced0130e140261c28045d86808bb0d,
    297'h001bf79c037ef3806fde700dfbce0152c94024b74802ce2f0059c5e00b38bc016717801ba3e
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Table1)
  ) u_table_1 (
      .clk_i,
      .value_i (value_t'(v1[0])),
      .number_o(number_1)
  );
  number_t [0:0] r1;
  assign r1 = number_1;

  // ready in cycle 2
  number_t number_2;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_2 (
      .clk_i,
      .numbers_i({r0[0], r1[0]}),
      .number_o (number_2)
  );
  number_t [0:0] r2;
  assign r2 = number_2;

  // load, ready in cycle 1
  number_t number_3;
  localparam number_t [161:0] Table3 = {
    216'h0032c3e0d6587c07a02700f404e01e771403cee28079b6a80f36d5,
    297'h003cc8c00796cd00f291101e522203c925c07901580f177a01e2ef403c3bf407856800f029b,
    297'h003c0a6c077d4a00ef2b801dddb403b9cf0076fe300ed87601d9b8203ae4ec075c9d80eb93b,
    297'h003ae4ec07482a00e905401d20a803a4150073b3980e568b01cad160395a2c072b4580e3481,
    297'h00389b4c070cd100e0ad001be570037cae006ee0c80dca4101b75cc036845406d08a80d7d75,
    297'h0035f5d406b11800d452201a8a440342b4006856800d0ad001a15a0032e840065d0800cba10,
    297'h0032e8400642a980c7041018b4c6031148806175f00c1917017ef3802fde7005e55880bcab1,
    297'h002ea24005c8e900b7aa3016c7ac02ca6880594d100b29a2016534402bbd54055a2300ab446,
    297'h002ad118055a2300a551d014aa3a0295474052a8e809f528013ea50027d4a004fa9400994ba,
    297'h002652e804ca5d00994ba012678e024cf1c0499e380933c7011edfe0237a7c046326808adeb,
    297'h0021c39404387280870e5010e1ca0209e3c0413c780802dc00fd4be01f168403e2d080794a2,
    297'h001e528803b7ec807575200e7d9401c98fc0386db006f52800db93401b10300355bd8066e10,
    297'h0019b8400337080066e1000d56f601b1030036e4d007016f00e02de01c98fc03a5858074b0b,
    297'h001e528803ca5100794a200f294401fda6403fb4c807f69900fed32020cf1c042c3b0085876,
    297'h002286e00450dc008a1b801143700237a7c048196809032d0124f30024ffb804ac12009706d
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(162),
      .BlockRam(1'b0),
      .Numbers(Table3)
  ) u_table_3 (
      .clk_i,
      .value_i (value_t'(v0[0])),
      .number_o(number_3)
  );
  number_t [0:0] r3;
  assign r3 = number_3;

  // queue, ready in cycle 1
  number_t number_4;
  localparam number_t [41:0] Table4 = {
    243'h0000000068000002d22ec05a45d80b48bb016917602c132005718f00a7f37,
    297'h0029fcdc053f9b80a7f3701365f6026cbec04d97d809b2fb011fb26023f64c043d9e0087b3c,
    297'h001eb9ec03d73d807ae7b00f5cf601a4ad003495a00692b400d2568016e60402dcc0804de54,
    297'h00137950026f2a004de540084dae00ee20c01dc4180325380064a7000c017c01b7718036ee3
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Table4)
  ) u_table_4 (
      .clk_i,
      .value_i (value_t'(v1[0])),
      .number_o(number_4)
  );
  number_t [0:0] r4;
  assign r4 = number_4;

  // ready in cycle 2
  number_t number_5;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_5 (
      .clk_i,
      .numbers_i({r3[0], r4[0]}),
      .number_o (number_5)
  );
  number_t [0:0] r5;
  assign r5 = number_5;

  // ready in cycle 8
  number_t number_6;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r6;
  assign r6 = number_6;

  // errors, ready in cycle 2
  number_t number_7;
  localparam number_t [31:0] Table7 = {
    270'h00021be034437c012107802420f004841e009083c012107802420f004841e009083c,
    297'h002420f004841e009083c012107802420f004841e009083c0120f800241f000483e000907c0,
    297'h00240c74047d51008e4580115c26020e4a403b6938045667008acce011599c022b33800c868
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table7)
  ) u_table_7 (
      .clk_i,
      .value_i (value_t'(v2[1])),
      .number_o(number_7)
  );
  number_t [0:0] r7;
  assign r7 = number_7;

  // retries, ready in cycle 2
  number_t number_8;
  localparam number_t [31:0] Table8 = {
    270'h00000000340000011df7e023befc0477df808efbf011df7e023befc0477df808efbf,
    297'h0023befc0477df808efbf011df7e023befc0477df808efbf011df7e023be4404779a008edf1,
    297'h0023aadc04711f008cc12010ca28021945003aa5d005979b00b2f3600b5738016ae7000b003
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table8)
  ) u_table_8 (
      .clk_i,
      .value_i (value_t'(v3[1])),
      .number_o(number_8)
  );
  number_t [0:0] r8;
  assign r8 = number_8;

  // ready in cycle 3
  number_t number_9;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_9 (
      .clk_i,
      .numbers_i({r7[0], r8[0]}),
      .number_o (number_9)
  );
  number_t [0:0] r9;
  assign r9 = number_9;

  // errors, ready in cycle 2
  number_t number_10;
  localparam number_t [31:0] Table10 = {
    270'h0014a81836950301b69a0036d34006c9db80d760901a07120340e240681c480d0389,
    297'h002f36fc05e6df80bcdbf0179b7e02b3458052f11809ec01012eedc02404780444b980810d8,
    297'h001e5e2803332d006665a00cccb401999680299da805ebce00bd79c017af3802f5e70071db9
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table10)
  ) u_table_10 (
      .clk_i,
      .value_i (value_t'(v2[1])),
      .number_o(number_10)
  );
  number_t [0:0] r10;
  assign r10 = number_10;

  // retries, ready in cycle 2
  number_t number_11;
  localparam number_t [31:0] Table11 = {
    270'h000000003400000136d5e026dabc04db57809b6af011f2ee022a228042aa18077de3,
    297'h001df78c03bef18077de300d3f2a01860b4030c168058fd900a6924013643c01f9c9003f392,
    297'h000fce4801f9c90030d770061aee00da6400227bb8044f770089eee0113ddc02b11d805623b
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table11)
  ) u_table_11 (
      .clk_i,
      .value_i (value_t'(v3[1])),
      .number_o(number_11)
  );
  number_t [0:0] r11;
  assign r11 = number_11;

  // ready in cycle 3
  number_t number_12;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_12 (
      .clk_i,
      .numbers_i({r10[0], r11[0]}),
      .number_o (number_12)
  );
  number_t [0:0] r12;
  assign r12 = number_12;

  // ready in cycle 9
  number_t number_13;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r13;
  assign r13 = number_13;

  // mode, ready in cycle 7
  number_t number_14;
  localparam number_t [6:0] Table14 = {189'h000373341a6e668063b3900cd4bc019730002d6550010507};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(7),
      .BlockRam(1'b0),
      .Numbers(Table14)
  ) u_table_14 (
      .clk_i,
      .value_i (value_t'(v4[6])),
      .number_o(number_14)
  );
  number_t [0:0] r14;
  assign r14 = number_14;

  // zone, ready in cycle 7
  number_t number_15;
  localparam number_t [8:0] Table15 = {
    243'h0000000068000001549a8027561006d40a009f0cc015739c02b24a8003aae
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(9),
      .BlockRam(1'b0),
      .Numbers(Table15)
  ) u_table_15 (
      .clk_i,
      .value_i (value_t'(v5[6])),
      .number_o(number_15)
  );
  number_t [0:0] r15;
  assign r15 = number_15;

  // door, ready in cycle 1
  number_t number_16;
  localparam number_t [3:0] Table16 = {108'h000d4800d1a90003078a00071b6};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(4),
      .BlockRam(1'b0),
      .Numbers(Table16)
  ) u_table_16 (
      .clk_i,
      .value_i (value_t'(v6[0])),
      .number_o(number_16)
  );
  number_t [0:0] r16;
  assign r16 = number_16;

  // alarm, ready in cycle 1
  number_t number_17;
  localparam number_t [3:0] Table17 = {108'h00000000d0000004fb9f000005f};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(4),
      .BlockRam(1'b0),
      .Numbers(Table17)
  ) u_table_17 (
      .clk_i,
      .value_i (value_t'(v7[0])),
      .number_o(number_17)
  );
  number_t [0:0] r17;
  assign r17 = number_17;

  // ready in cycle 2
  number_t number_18;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_18 (
      .clk_i,
      .numbers_i({r16[0], r17[0]}),
      .number_o (number_18)
  );
  number_t [0:0] r18;
  assign r18 = number_18;

  // door, ready in cycle 1
  number_t number_19;
  localparam number_t [3:0] Table19 = {108'h00400000d800000141dd803bcaa};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(4),
      .BlockRam(1'b0),
      .Numbers(Table19)
  ) u_table_19 (
      .clk_i,
      .value_i (value_t'(v6[0])),
      .number_o(number_19)
  );
  number_t [0:0] r19;
  assign r19 = number_19;

  // alarm, ready in cycle 1
  number_t number_20;
  localparam number_t [3:0] Table20 = {108'h00000000d00000012935000526a};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(4),
      .BlockRam(1'b0),
      .Numbers(Table20)
  ) u_table_20 (
      .clk_i,
      .value_i (value_t'(v7[0])),
      .number_o(number_20)
  );
  number_t [0:0] r20;
  assign r20 = number_20;

  // ready in cycle 2
  number_t number_21;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_21 (
      .clk_i,
      .numbers_i({r19[0], r20[0]}),
      .number_o (number_21)
  );
  number_t [0:0] r21;
  assign r21 = number_21;

  // ready in cycle 8
  number_t number_22;
  spn_sum #(
      .Width(Width),
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
  number_t [6:0] r22;
  spn_delay #(
      .Width (Width),
      .Cycles(6)
  ) u_r22 (
      .clk_i,
      .value_i(number_22),
      .taps_o (r22)
  );
  wire unused_r22 = ^r22;

  // temperature, ready in cycle 7
  number_t number_23;
  localparam number_t [206:0] Table23 = {
    243'h00000007fc0000ff39809f87268be4f5de7b2324ef353ab9e0cb38bb5f072,
    297'h0ea972c1cf6d95b936be37101db0df31029b8c5bcb6665256b6a21cd413cd1a2afcc33a8238,
    297'h0cbedc55927f1831a578761f8638c1503b97d687e2f073485cc4fa2b6fba5d68e3cd2c7b2da,
    297'h0af6c15d59e008aa9e2085402c7aa5972b9465aae28320484f33ae09c0b35933673ca5d8258,
    297'h095121d5259067a420b6647210748c05d2d139c4ca1e6c2442b63d883427c5023a199fbf0b3,
    297'h07cdfdbcf590349e2d39f3b53226749c30ce52d589c256dc374ca886ca17a4d55c659a2fdea,
    297'h066d5518c9df6f98c3ab530991905f5a460bb0dd316ee0702cf6ef058282f0acce1f152a9fd,
    297'h052f27e0a27e1893e40a726f2eb44c40128953dbb92408e123b511045d69b0888f4690af4ec,
    297'h0413761c7f6c300f8e5751e609903b4d95c73bd120e1d02e1b870ea35acbe0689fdc8cbdeb7,
    297'h031a3fc860a9b50bc292016e22242c82d04568bd68a83657146ce7a27aa9844cffe0895675f,
    297'h024384e84636a88880ba610778701fdfc1c3daa098773b5c0e669c41bd029435af530678ee3,
    297'h018f457430130a85c8d090b20c7615646a42917aa84edf3e09742c8121d71822ae330425543,
    297'h00fd81741e3eda039ad4806dde340d10ca018d4b982f21fc05959820a9271013fc81825ba80,
    297'h008e38e410ba1801f6c6403aedaa06e4e0c0ce137018039602cadf6052f274099a3e011be98,
    297'h00416bc80784c400dca5c0193ad802e0ae8053d22009840c011402201f394c038768806618d,
    297'h00171a18029ede004c730008c5c0010433401e87b803a35f007100600dfb9001c401803a35f,
    297'h000f43dc02086680462e00098e60014f6f002e343006618d00e1da201f394c045008809840c,
    297'h0029e91005c15d00c9d6c01b94b803c2620082d79011be9802668f8052f2740b2b7d8180396,
    297'h006709b80dc9c181d76d503ed8c8085d0c011c71c825ba8004ff2060a9271016566082f21fc
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(207),
      .BlockRam(1'b0),
      .Numbers(Table23)
  ) u_table_23 (
      .clk_i,
      .value_i (value_t'(v8[6])),
      .number_o(number_23)
  );
  number_t [0:0] r23;
  assign r23 = number_23;

  // wear, ready in cycle 8
  number_t number_24;
  localparam number_t [255:0] Table24 = {
    81'h000000008021500fe0564,
    297'h03ef2ae87cc9500f75d171ea543c3cbe6d87865ef0eea0971d8efc23a946ec7417130e60d21,
    297'h038fbab470e9650dfb9771bb456836e3a0c6cbe710d76dd11aac2a234d5d8868a8018cf4b35,
    297'h033523dc65a4a50c94c2e18ea344315669c61b21e0c1716217f02302f64d7c5dd41b8b9bf9f,
    297'h02df66605afb110b4153c1646dcc2c16c885740f68acab4a155ae6e2a416d0539b610a56a61,
    297'h028e824050eca80a014a113ca5042724bcc4d6afb0991b8812ec758256b98049fdd20924b7a,
    297'h0242777c47796b08d4a5d11748e8228047044302a886c21e10a4cf020e358c40fb6f08062e9,
    297'h01fb46143ea15907bb6700f4597c1e296703b90858759f0b0e83f361ca8af038943706fb0b0,
    297'h01b8ee0836647306b58d90d3d6bc1a201cc338c0c065b24f0c89e2a18bb9b430c82a86034cd,
    297'h017b6f582ec2b805c319a0b5c0aa16646842c22be856fbe90ab69ce151c1d0299749851ef42,
    297'h0142ca0427bc2884e40b209a174612f649425549c0497bdb090a21e11ca34c230194044e00d,
    297'h010efe0c2150c50418621080da920fd5c041f21a503d3224078471c0ec5e201d070a0390730,
    297'h00e00b701b808c83601e706a0a8a0d02cd01989d98321ec306258c80c0f25417a7ab82e64a9,
    297'h00b5f230164b7f82bb403055a7300a7d6f4148d3982841ba04ed72209a5fe012e378024f879,
    297'h0090b24c11b19e8229c77043b0840845a78102bc501f9b0703dc22a078a6cc0eba7081cc2a1,
    297'h00704bc00db2e881abb420342686065b7580c657c0182aac02f19e005bc7100b2c94815c31f,
    297'h0054be940a4f5e0141063027093804bed90093a5e811f0a7022de44043c0b00839e400ff9f4,
    297'h003e0ac40786ff00e9bdc01c5896036fd2806aa6c80cecfa0190f5403093b005e25f00b6720,
    297'h002c30500559cb80a5dac01414a2026e61804b5a60091fa3011ad1402240080426058080aa4,
    297'h001f2f3403c7c380755d200e3d5c01ba868035c0b00688a300cb782018c5bc0304d7005e47e,
    297'h0017077802d0e7805845000ad2c40154410029d9b80527fb00a2e9e01424d0027ed4804f4af,
    297'h0013b918027536804e924009d4da013b918027a57804fda900a12680145d3c0293fd8053b37,
    297'h0015441002b4b1005845000b439e017077802f23f00609ae00c62de0196f04034451806b816,
    297'h001ba868038f5700755d200f1f0e01f2f340405520084c0b01120040235a28048fd18096b4c
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(256),
      .BlockRam(1'b0),
      .Numbers(Table24)
  ) u_table_24 (
      .clk_i,
      .value_i (value_t'(v9[7])),
      .number_o(number_24)
  );
  number_t [0:0] r24;
  assign r24 = number_24;

  // ready in cycle 8
  number_t number_25;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_25 (
      .clk_i,
      .numbers_i({r14[0], r15[0], r23[0]}),
      .number_o (number_25)
  );
  number_t [0:0] r25;
  assign r25 = number_25;

  // ready in cycle 9
  number_t number_26;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_26 (
      .clk_i,
      .numbers_i({r24[0], r25[0], r6[0]}),
      .number_o (number_26)
  );
  number_t [0:0] r26;
  assign r26 = number_26;

  // ready in cycle 10
  number_t number_27;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_27 (
      .clk_i,
      .numbers_i({r13[0], r22[1], r26[0]}),
      .number_o (number_27)
  );
  number_t [0:0] r27;
  assign r27 = number_27;

  // load, ready in cycle 2
  number_t number_28;
  localparam number_t [161:0] Table28 = {
    216'h0012b220d2564406944200d288401a5108034a21006944200d2884,
    297'h0034a21006944200d288401a5108034a21006944200d288401a5108034a21006944200d2884,
    297'h0034a21006944200d288401a5108034a21006944200d288401a5108034a21006944200d2884,
    297'h0034a21006944200d264501a4c8a034991406932280d264501a4c8a034902806920500d240a,
    297'h00348748068fce80d1d6c01a32280346450068c8a00d191401a2114034290806852100d020d,
    297'h0033c0e806781d00cf03a019e074033586806608b80cc1170193df20327be406399080c7321,
    297'h00312fc405ff8280bff05017fe0a02ffc1405d10b80b639c016c73802c80a8056bf400ad7e8,
    297'h0029c9c4053938809d0bc013a17802742f004e85e00926b00124d600233e10044a5e8085997,
    297'h001f10c003e218007c43000f886001c3bf803877f006b3d900cede0018e7b802d08a005a114,
    297'h0016845002d08a004abd600957ac012af580255eb0044fba0091a460132a100283f00054530,
    297'h001609d802ef22805de4500c73dc019dbc00359ec8074b9700e972e01d2e5c03a5cb807e22d,
    297'h00207828042ccb80894bd0119f0802426f804b0148096029013a17802742f005117680a583a,
    297'h002a31c0055fb200af03a016405402d34b805db1880bb6310176c6202ed8c40607be00c2f55,
    297'h00312fc406337700c7e52019288a032a19c065c5680cc7f6019b7180336e3006781d00cf03a,
    297'h0034188806831100d062201a0c440344228068b7600d16ec01a367c03475b0068eb600d1f9d
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(162),
      .BlockRam(1'b0),
      .Numbers(Table28)
  ) u_table_28 (
      .clk_i,
      .value_i (value_t'(v0[1])),
      .number_o(number_28)
  );
  number_t [0:0] r28;
  assign r28 = number_28;

  // queue, ready in cycle 2
  number_t number_29;
  localparam number_t [41:0] Table29 = {
    243'h0000000068000002b921405724280ae485015c90a02b921405724280ae485,
    297'h002b8f440571e880ae31e015c4d602b8418056bb500ad76a015aed402b5da8055bcf00a9ca5,
    297'h0028568c050ad180a15a30142b46023106c04620d806e26000dc4c001b8980037130004141e,
    297'h00105078020a0f004141e0049198009233001806d003b882009954e0132a9c02ecd80068b26
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Table29)
  ) u_table_29 (
      .clk_i,
      .value_i (value_t'(v1[1])),
      .number_o(number_29)
  );
  number_t [0:0] r29;
  assign r29 = number_29;

  // ready in cycle 3
  number_t number_30;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_30 (
      .clk_i,
      .numbers_i({r28[0], r29[0]}),
      .number_o (number_30)
  );
  number_t [0:0] r30;
  assign r30 = number_30;

  // load, ready in cycle 2
  number_t number_31;
  localparam number_t [161:0] Table31 = {
    216'h0032c3e0d6587c06cbec80d97d901b2fb2035c93c06a1f580d43eb,
    297'h00350fac06a1f580d1226019fd240332c8006659000ccb200199640032595406408180c6b81,
    297'h0030d458061a8b00c35160186a2c02fc8f005f91e00bc5100178a2002e013005c02600b804c,
    297'h002e01300591bd80b237b01646f602c8dec0562a380ac5470158a8e02b151c05450680a7223,
    297'h0028d994051b3280a36650146cca027e95004f11a809ca0901363d8026670404c0c60096952,
    297'h002513a004a2740091445012288a023bf04046597008cb2e01103fe02207fc0440ff80881ff,
    297'h0020e2a8041c55007ef3e00fde7c01fbcf803f79f0078d3900f1a7201e34e403c69c8072b19,
    297'h001cac6403958c8072b1900ddb6c01b549c035e4d006a40700d16ec01a5ef8034bdf006c8e2,
    297'h001b23880376db007064500e874601d0e8c03a1d180743a300f01f001e65e003df21007be42,
    297'h001fbcf803f79f00820340104068021448804289100875c10111c620232cb8046597008cb2e,
    297'h00232cb804840d0092c9b0125936025441004b4a90098da30131b46027586004eb0c009d618,
    297'h0027586005092400a2a560149cb8029397005391180aad900155b2002ab6400556c800ae8e3,
    297'h002c0154058bdf80b2f500168d4e02d767805ba5c00b97780172ef002ee69805e83380be73c,
    297'h003022fc06045f80c2a32018809c03157a40645f180c8be301917c60322f8c06606580cd5c1,
    297'h0033d2ac067a5580d122601a4b6a034e4b806b46900d68d201ad1a4035a34806cbec80da8f5
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(162),
      .BlockRam(1'b0),
      .Numbers(Table31)
  ) u_table_31 (
      .clk_i,
      .value_i (value_t'(v0[1])),
      .number_o(number_31)
  );
  number_t [0:0] r31;
  assign r31 = number_31;

  // queue, ready in cycle 2
  number_t number_32;
  localparam number_t [41:0] Table32 = {
    243'h00000000680000026a19004d432009a86401350c80242288045231008a462,
    297'h0020f60803fbe6007b16000dfde001bfbc0037f78006fef000c4b7e01896fc02a54a0054a94,
    297'h00152a5002a54a0049315008931800fffc801db268036c9e006d93c00ed93401fff9004498c,
    297'h0012df50025bea00525ee00ade62016e1580300a98064a1e00dfde001bfbc0037f78006fef0
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Table32)
  ) u_table_32 (
      .clk_i,
      .value_i (value_t'(v1[1])),
      .number_o(number_32)
  );
  number_t [0:0] r32;
  assign r32 = number_32;

  // ready in cycle 3
  number_t number_33;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_33 (
      .clk_i,
      .numbers_i({r31[0], r32[0]}),
      .number_o (number_33)
  );
  number_t [0:0] r33;
  assign r33 = number_33;

  // ready in cycle 9
  number_t number_34;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r34;
  assign r34 = number_34;

  // errors, ready in cycle 2
  number_t number_35;
  localparam number_t [31:0] Table35 = {
    270'h00021be034437c0141f1c0283ce405079c80a0f390141c7c02838f805071f00a0e3e,
    297'h0028295405052a80a04de013fc72027ae5004f5ca00984b2013096402612c804c259008afd8,
    297'h0020cfd403d2e38060d3800c1a7001834e003069c004504e0050f2a00a1e540143ca8028795
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table35)
  ) u_table_35 (
      .clk_i,
      .value_i (value_t'(v2[1])),
      .number_o(number_35)
  );
  number_t [0:0] r35;
  assign r35 = number_35;

  // retries, ready in cycle 2
  number_t number_36;
  localparam number_t [31:0] Table36 = {
    270'h00000000340000013e954027d2a804fa55009f44c013e7de027cb5804f96b009f2d6,
    297'h0027cb5804f37e009e6fc013cdf80279bf004cd2b8099a5701334ae026695c046576008caec,
    297'h002064a4039f1e0073e3c00c907c0166c880274d58043571006482e00c905c00da6b801b4d7
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table36)
  ) u_table_36 (
      .clk_i,
      .value_i (value_t'(v3[1])),
      .number_o(number_36)
  );
  number_t [0:0] r36;
  assign r36 = number_36;

  // ready in cycle 3
  number_t number_37;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_37 (
      .clk_i,
      .numbers_i({r35[0], r36[0]}),
      .number_o (number_37)
  );
  number_t [0:0] r37;
  assign r37 = number_37;

  // errors, ready in cycle 2
  number_t number_38;
  localparam number_t [31:0] Table38 = {
    270'h0014a81836950301b2f020365e0406cbc080d978101a2a98034553006596100c64b7,
    297'h00303784058a5080b14a1016294202c528404fed38098915011ae160235c2c04113d0076c4f,
    297'h001db13c02feb8005fd7000bfae0017f5c002a2ab005c01a00c757601ad4b00397ad007a92c
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table38)
  ) u_table_38 (
      .clk_i,
      .value_i (value_t'(v2[1])),
      .number_o(number_38)
  );
  number_t [0:0] r38;
  assign r38 = number_38;

  // retries, ready in cycle 2
  number_t number_39;
  localparam number_t [31:0] Table39 = {
    270'h000000003400000143908027672c04c95580920d501241aa022a190042aa1807d50c,
    297'h001f543003a8e2006f90000d3ef2019156802dea5805bd4b00a68f201363d8023ea38042172,
    297'h000f1604019db78033b6f0072efe00e5dfc01cbbf803977f00a0d800141b0002836000506c0
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table39)
  ) u_table_39 (
      .clk_i,
      .value_i (value_t'(v3[1])),
      .number_o(number_39)
  );
  number_t [0:0] r39;
  assign r39 = number_39;

  // ready in cycle 3
  number_t number_40;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_40 (
      .clk_i,
      .numbers_i({r38[0], r39[0]}),
      .number_o (number_40)
  );
  number_t [0:0] r40;
  assign r40 = number_40;

  // ready in cycle 9
  number_t number_41;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r41;
  assign r41 = number_41;

  // mode, ready in cycle 7
  number_t number_42;
  localparam number_t [6:0] Table42 = {189'h0006f2a81ade55006c205012c2fc01f94e400f19000615c9};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(7),
      .BlockRam(1'b0),
      .Numbers(Table42)
  ) u_table_42 (
      .clk_i,
      .value_i (value_t'(v4[6])),
      .number_o(number_42)
  );
  number_t [0:0] r42;
  assign r42 = number_42;

  // zone, ready in cycle 7
  number_t number_43;
  localparam number_t [8:0] Table43 = {
    243'h000000006800000129ab802acf000738bc0091284000eda802905d00767b3
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(9),
      .BlockRam(1'b0),
      .Numbers(Table43)
  ) u_table_43 (
      .clk_i,
      .value_i (value_t'(v5[6])),
      .number_o(number_43)
  );
  number_t [0:0] r43;
  assign r43 = number_43;

  // temperature, ready in cycle 7
  number_t number_44;
  localparam number_t [255:0] Table44 = {
    81'h00000001c2a15fb7c0841,
    297'h0dcb67e5b4dbf3b60a20a6af30c6d3a6bc5a2d4dab3cc4ae667d7bacac7d09912f6e319aaab,
    297'h0c440ac5843375affd75c5eea804bbb73757338f72de13355ab8162b35e98d62a0252bd1267,
    297'h0ad3c2e9566da12a4d1ff539a9e4a53906d467fbd285270d4fab5ae9d66b5936f385a663f75,
    297'h097a90512b8a7524f91f5490366a902c2ad1ca92ba320038455749e88e026d0e298ea1531d4,
    297'h083873050389f2200173c3f24d947c90a34f5b5431e49eb43bbbe3075caec8e842409c9e986,
    297'h070d6b00de6c181b661d535fef606a66704d1a40399d028232d92686427068c53d9b9846689,
    297'h05f97840bc30e697271c02d91bd059ad918b0756c95b2ba22aaf14253f4754a51b9f944a8de,
    297'h04fc9acc9cd85e93446fd25dd2e44a6607492297f11f1a14233dac0453338487dc4c10ab085,
    297'h0416d29c80627f0fbe18b1ee149c3c8fd1c76c03a0e8cdd81c84ee237e34fc6d7fa20d67d7d,
    297'h03481fb466cf490c9416c189e0f8302af085e399e8b846ed1684da82c04bc05605a08a80fc8,
    297'h02908214501ebb89c669e13137f825376384895ab88d8555113d71021977c4416e4807f6764,
    297'h01eff9b83c50d707551230e4199a1bb52b435d461868890e0caeb1e189b9142fb99885c8453,
    297'h016686a82b659b05400f90a285e013a447825f5c0849521908d89ce1110fac20e79203f6693,
    297'h00f428dc1d5d08838762006c7ccc0d04b8018f9c802fe07605bb3220af7b8814f8348280e25,
    297'h0098e05812371f022b09a041fe5a07d67d00ee07901c3425035671a064fcb00beb7f8167b09,
    297'h0054ad1c09f3de012b0660230a8a041996c07a9d280e4d2501aa5b6031931c05c17400aad3e,
    297'h00278f28049346008758300fa16001ce04c0355d50062b7800b6ef60153ed0027a11004a4c6,
    297'h0011867c021557003fff3007c2da00f3c7001e481003cf1c007c2da00fffcc021557004619f,
    297'h00129318027a110054fb400b6ef6018ade00355d5007381300fa160021d60c049346009e3ca,
    297'h002ab4f805c17400c64c701aa5b6039349407a9d2810665b0230a8a04ac19809f3de0152b47,
    297'h0059ec240beb7f8193f2c035671a070d0940ee07901f59f4041fe5a08ac26812371f0263816,
    297'h00a0389414f83482bdee205bb3220bf81d818f9c803412e006c7ccc0e1d8801d5d0883d0a37,
    297'h00fd9a4c20e79204443eb08d89ce125486425f5c084e911e0a285e015003e42b659b059a1aa
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(256),
      .BlockRam(1'b0),
      .Numbers(Table44)
  ) u_table_44 (
      .clk_i,
      .value_i (value_t'(v8[6])),
      .number_o(number_44)
  );
  number_t [0:0] r44;
  assign r44 = number_44;

  // wear, ready in cycle 8
  number_t number_45;
  localparam number_t [255:0] Table45 = {
    81'h000000005740f68acab4a,
    297'h02ab5cdc5482da0a736c214ad4c228e824050eca80a014a113ca5042724bcc4d6afb0991b88,
    297'h025d8eb04ad730093fba412496f4242777c47796b08d4a5d11748e8228047044302a886c21e,
    297'h021499e041c6b1881f6de100c5d21fb46143ea15907bb6700f4597c1e296703b90858759f0b,
    297'h01d07e6c39515e071286e0df61601b8ee0836647306b58d90d3d6bc1a201cc338c0c065b24f,
    297'h01913c5431773686190550c0699a17b6f582ec2b805c319a0b5c0aa16646842c22be856fbe9,
    297'h0156d39c2a383a0532e930a3de84142ca0427bc2884e40b209a174612f649425549c0497bdb,
    297'h0121443c2394698460328089c01a10efe0c2150c50418621080da920fd5c041f21a503d3224,
    297'h00f08e381d8bc403a0e140720e600e00b701b808c83601e706a0a8a0d02cd01989d98321ec3,
    297'h00c4b190181e4a82f4f5705cc9520b5f230164b7f82bb403055a7300a7d6f4148d3982841ba,
    297'h009dae44134bfc025c6f0049f0f2090b24c11b19e8229c77043b0840845a78102bc501f9b07,
    297'h007b84540f14d981d74e103985420704bc00db2e881abb420342686065b7580c657c0182aac,
    297'h005e33c00b78e2016592902b863e054be940a4f5e0141063027093804bed90093a5e811f0a7,
    297'h0045bc8808781601073c801ff3e803e0ac40786ff00e9bdc01c5896036fd2806aa6c80cecfa,
    297'h00321ea806127600bc4be016ce4002c30500559cb80a5dac01414a2026e61804b5a60091fa3,
    297'h00235a280448010084c0b010154801f2f3403c7c380755d200e3d5c01ba868035c0b00688a3,
    297'h00196f040318b780609ae00bc8fc017077802d0e7805845000ad2c40154410029d9b80527fb,
    297'h00145d3c02849a004fda9009e95e013b918027536804e924009d4da013b918027a57804fda9,
    297'h001424d0028ba780527fb00a766e015441002b4b1005845000b439e017077802f23f00609ae,
    297'h0018c5bc032de080688a300d702c01ba868038f5700755d200f1f0e01f2f340405520084c0b,
    297'h00224008046b450091fa3012d698026e61805052880a5dac015672e02c305005b39000bc4be,
    297'h003093b00643d500cecfa01aa9b2036fd2807162580e9bdc01e1bfc03e0ac407fcfa01073c8,
    297'h0043c0b008b791011f0a7024e97a04bed9009c24e01410630293d78054be940ae18f8165929,
    297'h005bc7100bc6780182aac03195f0065b7580d09a181abb42036cba20704bc00e615081d74e1
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(256),
      .BlockRam(1'b0),
      .Numbers(Table45)
  ) u_table_45 (
      .clk_i,
      .value_i (value_t'(v9[7])),
      .number_o(number_45)
  );
  number_t [0:0] r45;
  assign r45 = number_45;

  // ready in cycle 8
  number_t number_46;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_46 (
      .clk_i,
      .numbers_i({r42[0], r43[0], r44[0]}),
      .number_o (number_46)
  );
  number_t [0:0] r46;
  assign r46 = number_46;

  // ready in cycle 9
  number_t number_47;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_47 (
      .clk_i,
      .numbers_i({r45[0], r46[0], r22[0]}),
      .number_o (number_47)
  );
  number_t [0:0] r47;
  assign r47 = number_47;

  // ready in cycle 10
  number_t number_48;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_48 (
      .clk_i,
      .numbers_i({r34[0], r41[0], r47[0]}),
      .number_o (number_48)
  );
  number_t [0:0] r48;
  assign r48 = number_48;

  // load, ready in cycle 8
  number_t number_49;
  localparam number_t [161:0] Table49 = {
    216'h0012b220d25644067e0200cf41d019d8c20338448066b0d00cc7f6,
    297'h0032c1cc06583980c7321018e642031cc8406399080c0007018000e030001c06000380ba2e0,
    297'h002cddcc059bb980b37730166ee6029cc8405399080a7321014e642026659004ccb20099964,
    297'h0026659004769b808ed370112a6c021684c040f42007e2b300f4d3c01d306003a60c00695ec,
    297'h001a57b0034af600695ec00bfab801700c002b22b005645600a10c0012b15802562b004503c,
    297'h001140f00274da004e9b4009d368013a6d002d0cb805a19700bfab801963cc032c79806d2c4,
    297'h001b4b100396e58076a5200f895801f12b0040f42008b2b20116564022cac804595900943f9,
    297'h0025f45404e8b3809d16701446f6029637805469680abfd10166ee602cddcc059bb980b3773,
    297'h002f71d805ee3b00bdc76017b8ec030c1ec062cea80c59d501913ba032277406543380cb8ad,
    297'h00333bdc06677b80ce112019d8c2033d07406831100d062201a0c44034188806884500d1914,
    297'h00346450068c8a00d191401a3f3a0347e740690e900d21d201a4c8a034991406932280d2645,
    297'h0034991406932280d288401a5108034a21006944200d288401a5108034a21006944200d2884,
    297'h0034a21006944200d288401a5108034a21006944200d288401a5108034a21006944200d2884,
    297'h0034a21006944200d288401a5108034a21006944200d288401a5108034a21006944200d2884,
    297'h0034a21006944200d288401a5108034a21006944200d288401a5108034a21006944200d2884
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(162),
      .BlockRam(1'b0),
      .Numbers(Table49)
  ) u_table_49 (
      .clk_i,
      .value_i (value_t'(v0[7])),
      .number_o(number_49)
  );
  number_t [0:0] r49;
  assign r49 = number_49;

  // queue, ready in cycle 8
  number_t number_50;
  localparam number_t [41:0] Table50 = {
    243'h0000000068000002bcb5805796b00af2d6015e43602bc29c05757200aeae4,
    297'h002bab9005757200ad76a0158c6602a64c8054c99009c9c7013938e027271c04e4e380889a3,
    297'h001fb59c0320cd806419b00c8336019066c023f22002b39e005673c00ace780159cf00422dd,
    297'h00108b7402116e80422dd00c8336019066c03cd9a0079b34012b080025610004ac200095840
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Table50)
  ) u_table_50 (
      .clk_i,
      .value_i (value_t'(v1[7])),
      .number_o(number_50)
  );
  number_t [0:0] r50;
  assign r50 = number_50;

  // ready in cycle 9
  number_t number_51;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_51 (
      .clk_i,
      .numbers_i({r49[0], r50[0]}),
      .number_o (number_51)
  );
  number_t [0:0] r51;
  assign r51 = number_51;

  // load, ready in cycle 8
  number_t number_52;
  localparam number_t [161:0] Table52 = {
    216'h0032c3e0d6587c049c9700920ed011f8e2023f1c4046bfa0089aff,
    297'h00226bfc044d7f8089aff01072a6020e54c041ca9808395300ff85401efbc403df78807bef1,
    297'h001efbc403c0d48075ce300eb9c601caf4c0395e9807070200ddcec01b57a4035889006b112,
    297'h0019ffb8033ff700673a600d187001b26840364d0806c9a100d934201c1c080395e98072bd3,
    297'h001d427c03bab4807756900f345e01ecac003ebb9007d77201041b6020836c04106d80820db,
    297'h0021a8d004351a0089aff01135fe022fe4c046bfa00914ce012299c0245338048a67009517c,
    297'h0025a6f804c0f4009a62f0134c5e027297404f138009fa940142518028a9e805332900a6652,
    297'h0029994805332900aa1ab0158a8e02b151c0585cc00b0b98016173002c2e6005b43e00b687c,
    297'h002da1f005b43e00ba1dd01771a202f3c4c05f2e980bfc120183adc03075b8061ef500c5402,
    297'h003226c00644d800c89b00191360032f5a806691700d04a401a0948034129006825200d35ab,
    297'h0035232c06ad3180d6cdb01afdc0036474806d15280db44601b9800037300006f2ad80e0ad0,
    297'h00382b4007056800e0ad001c5b340390ad807215b00e568b01cc702039b8d8073c9e80e849a,
    297'h003a415007547a80ea8f501d51ea03aa3d4075ff900eca4101da29403b61d807758300eeb06,
    297'h003bac1807758300efe9201dfd2403c2b4007856800f0ad001e15a003c5de8078de600f2497,
    297'h003c925c07924b80f249701e5b3403cb668079b6a80f36d501e771403cee28079dc500f404e
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(162),
      .BlockRam(1'b0),
      .Numbers(Table52)
  ) u_table_52 (
      .clk_i,
      .value_i (value_t'(v0[7])),
      .number_o(number_52)
  );
  number_t [0:0] r52;
  assign r52 = number_52;

  // queue, ready in cycle 8
  number_t number_53;
  localparam number_t [41:0] Table53 = {
    243'h0000000068000001b5f2c0347c2006229700c452e016d4b402b60580522c6,
    297'h0012d2b4025a568044665007f99600ecc9801b4bb0036976007aff600f5fec0223328048fef,
    297'h0013659802a3b6805476d00b6a5a017f8a403237a0068f8400daf9601d0e2003a1c4007ae41,
    297'h0021735c042e6b8085cd7010b9ae024163404b35980966b301387e4027fc50051c0980a6e85
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(42),
      .BlockRam(1'b0),
      .Numbers(Table53)
  ) u_table_53 (
      .clk_i,
      .value_i (value_t'(v1[7])),
      .number_o(number_53)
  );
  number_t [0:0] r53;
  assign r53 = number_53;

  // ready in cycle 9
  number_t number_54;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_54 (
      .clk_i,
      .numbers_i({r52[0], r53[0]}),
      .number_o (number_54)
  );
  number_t [0:0] r54;
  assign r54 = number_54;

  // ready in cycle 15
  number_t number_55;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r55;
  assign r55 = number_55;

  // errors, ready in cycle 8
  number_t number_56;
  localparam number_t [31:0] Table56 = {
    270'h00021be034437c015845602af9d40556b880aad710155ae202ab5c405448100a410f,
    297'h0029043c05208780a410f01385f00241938048327009064e0120c9c01dcea803b9d500773aa,
    297'h001dcea8032a84005a2ff00b45fe013b9b801df20003be400077c8000ef9000146068021149
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table56)
  ) u_table_56 (
      .clk_i,
      .value_i (value_t'(v2[7])),
      .number_o(number_56)
  );
  number_t [0:0] r56;
  assign r56 = number_56;

  // retries, ready in cycle 8
  number_t number_57;
  localparam number_t [31:0] Table57 = {
    270'h00000000340000014f4e4029ba1405374280a6e85014dd0a0294dec051b6100a36c2,
    297'h0027e5dc04fcbb809b572012f700024dda80474a5008926301066f601cb0a80396150072c2a,
    297'h001cb0a80306ca0055b8d00ab71a011a990023532002fc79005f8f200bf1e4017e3c801c9d4
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table57)
  ) u_table_57 (
      .clk_i,
      .value_i (value_t'(v3[7])),
      .number_o(number_57)
  );
  number_t [0:0] r57;
  assign r57 = number_57;

  // ready in cycle 9
  number_t number_58;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_58 (
      .clk_i,
      .numbers_i({r56[0], r57[0]}),
      .number_o (number_58)
  );
  number_t [0:0] r58;
  assign r58 = number_58;

  // errors, ready in cycle 8
  number_t number_59;
  localparam number_t [31:0] Table59 = {
    270'h0014a81836950301b89a2036990c06b48680d690d0195882032b10406562080cac41,
    297'h002f37e005b44680ac6c20158d840278aec04f15d808f622011ec4402106440388b28071165,
    297'h001c45940388b2805df3300a4e060149c0c030e440061c8800da88a01d39cc04027e80804fd
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table59)
  ) u_table_59 (
      .clk_i,
      .value_i (value_t'(v2[7])),
      .number_o(number_59)
  );
  number_t [0:0] r59;
  assign r59 = number_59;

  // retries, ready in cycle 8
  number_t number_60;
  localparam number_t [31:0] Table60 = {
    270'h000000003400000149176026671004cce200999c4013338802352d80440bf0082c60,
    297'h001d471003a8e200751c400ea388019c68002f4c7005e98e00ac17a01414f40254c50044db5,
    297'h000fc7140185c98030b93006172600c2e4c023dd20047ba4008f748011ee9002c7358058e6b
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(32),
      .BlockRam(1'b0),
      .Numbers(Table60)
  ) u_table_60 (
      .clk_i,
      .value_i (value_t'(v3[7])),
      .number_o(number_60)
  );
  number_t [0:0] r60;
  assign r60 = number_60;

  // ready in cycle 9
  number_t number_61;
  spn_product #(
      .Width(Width),
      .Operands(2),
      .Constant(27'h0000000)
  ) u_product_61 (
      .clk_i,
      .numbers_i({r59[0], r60[0]}),
      .number_o (number_61)
  );
  number_t [0:0] r61;
  assign r61 = number_61;

  // ready in cycle 15
  number_t number_62;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r62;
  assign r62 = number_62;

  // mode, ready in cycle 13
  number_t number_63;
  localparam number_t [6:0] Table63 = {189'h000af2a81b5e55009af5100f60ea00b5b0004d0f10086cbd};
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(7),
      .BlockRam(1'b0),
      .Numbers(Table63)
  ) u_table_63 (
      .clk_i,
      .value_i (value_t'(v4[12])),
      .number_o(number_63)
  );
  number_t [0:0] r63;
  assign r63 = number_63;

  // zone, ready in cycle 13
  number_t number_64;
  localparam number_t [8:0] Table64 = {
    243'h000000006800000137abc02376780032c100ce26a016b8b8033d7c807746f
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(9),
      .BlockRam(1'b0),
      .Numbers(Table64)
  ) u_table_64 (
      .clk_i,
      .value_i (value_t'(v5[12])),
      .number_o(number_64)
  );
  number_t [0:0] r64;
  assign r64 = number_64;

  // temperature, ready in cycle 13
  number_t number_65;
  localparam number_t [255:0] Table65 = {
    81'h00000000f5d41c1e5e746,
    297'h0780bc40ed3fcc9d4d8e039e75c87269698e20c931be956437234c06cea068d71f489a8ddc6,
    297'h068e16e4cf1b35198efd9327640c639f3c0c4a84c1842cfe2fe24445e80010ba7b5196ff601,
    297'h05abf870b3077a961288c2b895c255dd7cca954e214de652292573c511e6a09fe83813b2ff5,
    297'h04da60e499049d12d82f92520aec49242c490125491bc16022ecda844c54188765fb10a8ba4,
    297'h0419503c81129c8fdff201f3c38a3d734a078e0a48edbe271d38788397487870f49b0de090c,
    297'h0368c67c6b31788d29d0019dbf9c32cad6463bfd10c3dca818084da2f2c3bc5c94180b5a82e,
    297'h02c8c3a85761318ab5c9b14fff20292ad1050afda89e1ce4135c5a025ec5ec4a4471891690a,
    297'h023947b845a1c80883def10a821a20933a03fb0c087c7ed90f349da1db4f003a05a88714b9f,
    297'h01ba52ac35f33b06940fd0cd4886190411c30c28405f02870b911881685efc2bd7bc0554fef,
    297'h014be48c28558a84e65c50985266127d57c23e524845a7f00871caa105f5e01fbaac83d75f8,
    297'h00edfd541cc8b7837ac4706b9fba0cff0c41918a18306f1305d6b400b413ac15ae7a029bdbb,
    297'h00a09d00134cc18251483047308208892f4105cfb81f57ef03bfd4a072b8600db32481a2738,
    297'h0063c3940be1a80169e7902b04be051bc0c09b2328126285022d2c6041e3fc07c8ac00eb26f,
    297'h0037711006876b80c4a280171c6e02b6c0c0518468098ed5011ebb6021967c03ef108075f60,
    297'h001ba574033e0c006179100b7790015a2f0028f37804dcdf009481a011cfe40226518042e0a,
    297'h001060c002058980406b4008162601060c00217050044ca3008e7f20129034026e6f8051e6f,
    297'h0015a2f002dde4006179100cf83001ba57403afb0007de21010cb3e023d76c04c76a80a308d,
    297'h002b6c0c05c71b80c4a2801a1dae037711007593780f9158020f1fe045a58c0931428136465,
    297'h0051bc0c0ac12f8169e7902f86a0063c3940d139c01b66490395c30077fa940fabf7820b9f7,
    297'h008892f411cc20825148304d33060a09d0014dedd82b5cf405a09d60bad6801837898323143,
    297'h00cff0c41ae7ee837ac4707322de0edfd541ebafc03f7559082faf010e395422d3f8047ca49,
    297'h0127d57c26149984e65c50a1562a14be48c2aa7f7857af780b42f7e17223102f81438618508,
    297'h0190411c33522186940fd0d7ccec1ba52ac38a5cf8740b510eda7801e693b43e3f6c87f6181
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(256),
      .BlockRam(1'b0),
      .Numbers(Table65)
  ) u_table_65 (
      .clk_i,
      .value_i (value_t'(v8[12])),
      .number_o(number_65)
  );
  number_t [0:0] r65;
  assign r65 = number_65;

  // wear, ready in cycle 14
  number_t number_66;
  localparam number_t [255:0] Table66 = {
    81'h0000000036647306b58d9,
    297'h01a7ad7834403986718180cb649e1913c5431773686190550c0699a17b6f582ec2b805c319a,
    297'h016b81542cc8d0858457d0adf7d2156d39c2a383a0532e930a3de84142ca0427bc2884e40b2,
    297'h01342e8c25ec9284aa938092f7b6121443c2394698460328089c01a10efe0c2150c50418621,
    297'h0101b5241fab8083e434a07a64480f08e381d8bc403a0e140720e600e00b701b808c83601e7,
    297'h00d415141a059a03313b30643d860c4b190181e4a82f4f5705cc9520b5f230164b7f82bb403,
    297'h00ab4e6014fade8291a73050837409dae44134bfc025c6f0049f0f2090b24c11b19e8229c77,
    297'h00876108108b4f020578a03f360e07b84540f14d981d74e103985420704bc00db2e881abb42,
    297'h00684d0c0cb6eb018caf8030555805e33c00b78e2016592902b863e054be940a4f5e0141063,
    297'h004e1270097db201274bd023e14e045bc8808781601073c801ff3e803e0ac40786ff00e9bdc,
    297'h0038b12c06dfa500d54d9019d9f40321ea806127600bc4be016ce4002c30500559cb80a5dac,
    297'h0028294404dcc30096b4c0123f460235a280448010084c0b010154801f2f3403c7c380755d2,
    297'h001c7ab803750d006b81600d11460196f040318b780609ae00bc8fc017077802d0e78058450,
    297'h0015a58802a8820053b3700a4ff60145d3c02849a004fda9009e95e013b918027536804e924,
    297'h0013a9b4027723004f4af009fb5201424d0028ba780527fb00a766e015441002b4b10058450,
    297'h0016873c02e0ef005e47e00c135c018c5bc032de080688a300d702c01ba868038f5700755d2,
    297'h001e3e1c03e5e68080aa401098160224008046b450091fa3012d698026e61805052880a5dac,
    297'h002ace5c05860a00b6720017897c03093b00643d500cecfa01aa9b2036fd2807162580e9bdc,
    297'h003c37f807c15880ff9f4020e790043c0b008b791011f0a7024e97a04bed9009c24e0141063,
    297'h00527af00a97d2815c31f02cb25205bc7100bc6780182aac03195f0065b7580d09a181abb42,
    297'h006d97440e097801cc2a103ae9c2078a6cc0f708a81f9b07040af140845a7810ec210229c77,
    297'h008d8cf4121649824f87904b8de009a5fe013b5c882841ba05234e60a7d6f41569cc02bb403,
    297'h00b25bfc16be4602e64a905e9eae0c0f2541896320321ec306627660d02cd01a82a283601e7,
    297'h00dc04641c016e03907300741c280ec5e201e11c703d322407c86940fd5c042036a48418621
  };
  spn_leaf_table #(
      .ValueBits(ValueBits),
      .Width(Width),
      .Depth(256),
      .BlockRam(1'b0),
      .Numbers(Table66)
  ) u_table_66 (
      .clk_i,
      .value_i (value_t'(v9[13])),
      .number_o(number_66)
  );
  number_t [0:0] r66;
  assign r66 = number_66;

  // ready in cycle 14
  number_t number_67;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_67 (
      .clk_i,
      .numbers_i({r63[0], r64[0], r65[0]}),
      .number_o (number_67)
  );
  number_t [0:0] r67;
  assign r67 = number_67;

  // ready in cycle 15
  number_t number_68;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_68 (
      .clk_i,
      .numbers_i({r66[0], r67[0], r22[6]}),
      .number_o (number_68)
  );
  number_t [0:0] r68;
  assign r68 = number_68;

  // ready in cycle 16
  number_t number_69;
  spn_product #(
      .Width(Width),
      .Operands(3),
      .Constant(27'h0000000)
  ) u_product_69 (
      .clk_i,
      .numbers_i({r55[0], r62[0], r68[0]}),
      .number_o (number_69)
  );
  number_t [0:0] r69;
  assign r69 = number_69;

  // ready in cycle 16
  number_t number_70;
  spn_sum #(
      .Width(Width),
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
  number_t [0:0] r70;
  assign r70 = number_70;

  // ready in cycle 22
  number_t number_71;
  spn_sum #(
      .Width(Width),
      .LowBits(LowBits),
      .GuardBits(GuardBits),
      .BaseBits(BaseBits),
      .SlopeBits(SlopeBits),
      .Segments(Segments),
      .Table(LogTable)
  ) u_sum_71 (
      .clk_i,
      .a_i(r69[0]),
      .b_i(r70[0]),
      .number_o(number_71)
  );
  number_t [0:0] r71;
  assign r71 = number_71;

  assign number_o = r71[0];

endmodule
