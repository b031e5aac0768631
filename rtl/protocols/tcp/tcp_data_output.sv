// SPDX-License-Identifier: Apache-2.0
// Output of a TCP application for data: messages to the send buffer.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module tcp_data_output
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned KindTcpData = 1  // number of the kind tcp_data in the design
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t    in_i,        // its kind and metadata are ignored
    input  logic     in_valid_i,
    output logic     in_ready_o,
    input  session_t session_i,
    input  seq_t     start_i,     // sequence number of the first byte of the message

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  beat_t data;
  always_comb begin
    data = in_i;
    data.kind = $bits(data.kind)'(KindTcpData);
    data.meta =
        $bits(data.meta)'(tcp_data_meta_t'{session: session_i, start: start_i, default: '0});
  end
  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .in_i(data),
      .*
  );

endmodule
