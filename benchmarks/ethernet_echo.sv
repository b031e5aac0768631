// SPDX-License-Identifier: Apache-2.0
// Ethernet echo: returns every frame to the port that it came from, with its addresses exchanged: a
// load to measure frames with, without IP.
//
// Latency: 1 cycle. Throughput: one beat per cycle. IEEE 802.3, 3.2.
module ethernet_echo
  import bombus_pkg::*;
#(
    parameter type beat_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic        busy_o
);

  localparam int unsigned DataWidth = $bits(in_i.data);
  if (DataWidth < 128) begin : gen_bad_width
    $error("ethernet_echo: both addresses must be in the first beat, of 128 bits or more");
  end

  localparam string Entry = "rpu";  // takes frames of frame_rx, as a packet processor does
  typedef enum logic [0:0] {NextMacTx} next_e;

  logic first_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.meta = '0;
    reply.meta.mac_port = in_i.meta.mac_port;
    if (first_q) reply.data[95:0] = {in_i.data[47:0], in_i.data[95:48]};
  end

  output_stage #(
      .beat_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(reply),
      .in_valid_i,
      .in_ready_o,
      .in_next_i(NextMacTx),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o
  );

  assign busy_o = out_valid_o;

endmodule
