// SPDX-License-Identifier: Apache-2.0
// Plays a trace of one link, a line for each cycle, to link_checker: in hexadecimal ready,
// valid and the flit in one word.
`include "bombus_types.svh"

module bench
  import noc_pkg::*;
#(
    parameter int unsigned DataWidth = 64,
    parameter int unsigned Fabric = 0,  // fabric_e
    parameter int unsigned VirtualChannels = 1,
    parameter bit IsLocal = 0
);

  localparam int unsigned NumChannels = num_channels(fabric_e'(Fabric), VirtualChannels);

  `BOMBUS_BEAT_T(beat_t, DataWidth)
  `BOMBUS_FLIT_T(flit_t, beat_t, 2, 2, 1)

  typedef struct packed {
    logic [NumChannels-1:0] ready;
    logic [NumChannels-1:0] valid;
    flit_t                  flit;
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

  link_checker #(
      .flit_t(flit_t),
      .beat_t(beat_t),
      .Fabric(fabric_e'(Fabric)),
      .VirtualChannels(VirtualChannels),
      .IsLocal(IsLocal)
  ) check_east (
      .clk_i  (clk),
      .rst_i  (rst),
      .name_i ("link (1, 0) to (2, 0): "),
      .x_i    (8'd1),
      .y_i    (8'd0),
      .flit_i (line.flit),
      .valid_i(line.valid),
      .ready_i(line.ready)
  );

endmodule
