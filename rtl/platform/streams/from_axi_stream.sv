// SPDX-License-Identifier: Apache-2.0
// Beats from an AXI-Stream of a port that the design file raises to the top. The number of bytes is
// derived from tkeep; bytes outside tkeep are zero. Metadata, length and kind are sampled with the
// first beat.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module from_axi_stream #(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,  // data width of the beats
    parameter int unsigned MetaWidth = 1,
    parameter int unsigned Kind = 0  // of the messages
) (
    input logic clk_i,
    input logic rst_i,

    input logic [DataWidth-1:0] tdata_i,
    input logic [DataWidth/8-1:0] tkeep_i,
    input logic tvalid_i,
    output logic tready_o,
    input logic tlast_i,
    input logic [MetaWidth-1:0] meta_i,
    input bombus_pkg::length_t length_i,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  if (DataWidth < 8 || DataWidth % 8 != 0 || MetaWidth < 1) begin : gen_bad
    $error("from_axi_stream: DataWidth must be a multiple of 8, MetaWidth at least 1");
  end

  beat_t beat;
  logic [$clog2(DataWidth/8):0] bytes;
  keep_count #(
      .NumBytes(DataWidth / 8)
  ) u_bytes (
      .keep_i (tkeep_i),
      .bytes_o(bytes)
  );
  always_comb begin
    beat = '0;
    for (int unsigned n = 0; n < DataWidth / 8; n++) begin
      beat.data[8*n+:8] = tkeep_i[n] ? tdata_i[8*n+:8] : '0;
    end
    beat.bytes  = bytes;
    beat.last   = tlast_i;
    beat.kind   = $bits(beat.kind)'(Kind);
    beat.length = length_i;
    beat.meta   = $bits(beat.meta)'(meta_i);
  end

  stream_register #(
      .data_t(beat_t)
  ) u_register (
      .in_i(beat),
      .in_valid_i(tvalid_i),
      .in_ready_o(tready_o),
      .*
  );

endmodule
