// SPDX-License-Identifier: Apache-2.0
// Plays a trace of one stream, a line for each cycle, to stream_checker: in hexadecimal
// next, ready, valid and the beat in one word.
`include "bombus_types.svh"

module bench #(
    parameter int unsigned DataWidth = 64
);

  `BOMBUS_BEAT_T(beat_t, DataWidth)

  typedef struct packed {
    logic [2:0] next;
    logic       ready;
    logic       valid;
    beat_t      beat;
  } line_t;

  logic clk, rst;
  line_t line;

  trace_player #(
      .Width($bits(line_t))
  ) u_player (
      .clk_o (clk),
      .rst_o (rst),
      .line_o(line)
  );

  stream_checker #(
      .beat_t(beat_t),
      .NextWidth(3),
      .NumHops(7),
      .Sends({{4{8'hFF}}, 8'h01, {2{8'hFF}}}),  // only packets on next hop 2
      .HasPayload(8'b1111_0111)  // all but kind 3
  ) check_app_out (
      .clk_i  (clk),
      .rst_i  (rst),
      .name_i (""),
      .beat_i (line.beat),
      .valid_i(line.valid),
      .ready_i(line.ready),
      .next_i (line.next)
  );

endmodule
