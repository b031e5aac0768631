// SPDX-License-Identifier: Apache-2.0
// Sends messages without payload: each is one beat with metadata only, in a pipeline register.
//
// Latency: 1 cycle. Throughput: one message per cycle.
module message_register #(
    parameter type beat_t = logic,
    parameter type meta_t = logic,  // at most as wide as the beat's metadata
    parameter int unsigned Kind = 1  // number of the kind of message in the design
) (
    input logic clk_i,
    input logic rst_i,

    input  meta_t meta_i,
    input  logic  valid_i,
    output logic  ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  beat_t beat;
  always_comb begin
    beat = '0;
    beat.last = 1'b1;
    beat.kind = $bits(beat.kind)'(Kind);
    beat.meta = $bits(beat.meta)'(meta_i);
  end

  stream_register #(
      .data_t(beat_t)
  ) u_register (
      .in_i(beat),
      .in_valid_i(valid_i),
      .in_ready_o(ready_o),
      .*
  );

endmodule
