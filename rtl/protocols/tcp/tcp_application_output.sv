// SPDX-License-Identifier: Apache-2.0
// Outputs of a TCP application for messages without data: reads of the receive buffer and requests
// to the engine.
//
// Latency: 1 cycle. Throughput: one message of each kind per cycle.
module tcp_application_output
  import tcp_pkg::*;
#(
    parameter type read_beat_t = logic,
    parameter type request_beat_t = logic,
    parameter int unsigned KindTcpRead = 3,  // number of the kind tcp_read in the design
    parameter int unsigned KindTcpRequest = 4  // number of the kind tcp_request in the design
) (
    input logic clk_i,
    input logic rst_i,

    input tcp_read_meta_t read_meta_i,
    input logic read_valid_i,
    output logic read_ready_o,
    input tcp_request_meta_t request_meta_i,
    input logic request_valid_i,
    output logic request_ready_o,

    output read_beat_t read_o,
    output logic read_valid_o,
    input logic read_ready_i,
    output request_beat_t request_o,
    output logic request_valid_o,
    input logic request_ready_i
);

  message_register #(
      .beat_t(read_beat_t),
      .meta_t(tcp_read_meta_t),
      .Kind  (KindTcpRead)
  ) u_read (
      .clk_i,
      .rst_i,
      .meta_i(read_meta_i),
      .valid_i(read_valid_i),
      .ready_o(read_ready_o),
      .out_o(read_o),
      .out_valid_o(read_valid_o),
      .out_ready_i(read_ready_i)
  );
  message_register #(
      .beat_t(request_beat_t),
      .meta_t(tcp_request_meta_t),
      .Kind  (KindTcpRequest)
  ) u_request (
      .clk_i,
      .rst_i,
      .meta_i(request_meta_i),
      .valid_i(request_valid_i),
      .ready_o(request_ready_o),
      .out_o(request_o),
      .out_valid_o(request_valid_o),
      .out_ready_i(request_ready_i)
  );

endmodule
