// SPDX-License-Identifier: Apache-2.0
// Beats as an AXI-Stream, for a port that the design file raises to the top. tkeep is derived from
// the number of bytes; tuser is sampled with the beat.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module to_axi_stream #(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,  // data width of the beats
    parameter int unsigned UserWidth = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                 in_i,
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic  [UserWidth-1:0] user_i,

    output logic [  DataWidth-1:0] tdata_o,
    output logic [DataWidth/8-1:0] tkeep_o,
    output logic                   tvalid_o,
    input  logic                   tready_i,
    output logic                   tlast_o,
    output logic [  UserWidth-1:0] tuser_o
);

  if (DataWidth < 8 || DataWidth % 8 != 0 || UserWidth < 1) begin : gen_bad
    $error("to_axi_stream: DataWidth must be a multiple of 8, UserWidth at least 1");
  end

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [DataWidth/8-1:0] keep;
    logic last;
    logic [UserWidth-1:0] user;
  } word_t;
  word_t in, out;
  always_comb begin
    in = '{data: in_i.data, keep: '1, last: in_i.last, user: user_i};
    if (in_i.last) begin
      for (int unsigned n = 0; n < DataWidth / 8; n++) in.keep[n] = n < 32'(in_i.bytes);
    end
  end

  stream_register #(
      .data_t(word_t)
  ) u_register (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i,
      .in_ready_o,
      .out_o(out),
      .out_valid_o(tvalid_o),
      .out_ready_i(tready_i)
  );
  assign tdata_o = out.data;
  assign tkeep_o = out.keep;
  assign tlast_o = out.last;
  assign tuser_o = out.user;

  `BOMBUS_ASSERT(BytesExist, !(in_valid_i && in_i.last) || 32'(in_i.bytes) <= DataWidth / 8)

endmodule
