// SPDX-License-Identifier: Apache-2.0
// Plays a trace of the frames of a MAC port, a line for each cycle, to axi_stream_checker: in
// hexadecimal tuser, tlast, tready, tvalid, tkeep and tdata in one word.
module bench #(
    parameter int unsigned DataWidth = 64,
    parameter bit MayPause = 0,
    parameter bit NeverWaits = 0
);

  typedef struct packed {
    logic                   user;
    logic                   last;
    logic                   ready;
    logic                   valid;
    logic [DataWidth/8-1:0] keep;
    logic [DataWidth-1:0]   data;
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

  axi_stream_checker #(
      .DataWidth (DataWidth),
      .MayPause  (MayPause),
      .NeverWaits(NeverWaits)
  ) check_mac0_tx (
      .clk_i   (clk),
      .rst_i   (rst),
      .name_i  ("MAC port 0, transmit: "),
      .tdata_i (line.data),
      .tkeep_i (line.keep),
      .tvalid_i(line.valid),
      .tready_i(line.ready),
      .tlast_i (line.last),
      .tuser_i (line.user)
  );

endmodule
