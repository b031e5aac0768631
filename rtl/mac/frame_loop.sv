// SPDX-License-Identifier: Apache-2.0
// Loopback of a middlebox: frames that packet processors send by a MAC port that there is not come to
// packet processors again, as if by that port.
//
// A frame is stored whole before it goes on, as in frame_rx. One for which there is no room is dropped
// and counted, so that processors which send to each other never wait for each other.
//
// Latency: 4 cycles from the last beat in to the first beat out. Throughput: one beat per cycle.
module frame_loop
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned MacPort = 2,  // by which processors send to it
    parameter int unsigned DataWidth = 512
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
    output logic  [1:0] drop_o,
    output logic        busy_o
);

  localparam string Entry = "frame_loop";
  localparam bit AlwaysTakes = 1;
  typedef enum logic [0:0] {NextRpu} next_e;
  typedef enum int unsigned {
    DropTooLong,
    DropOverflow,
    NumDrops
  } drop_e;

  localparam int unsigned DataBytes = DataWidth / 8;
  typedef struct packed {struct packed {logic hold;} gate;} regs_t;

  logic [DataBytes-1:0] keep;
  for (genvar b = 0; b < DataBytes; b++) begin : gen_keep
    assign keep[b] = ~in_i.last | ($clog2(DataBytes) + 1)'(b) < in_i.bytes;
  end

  logic [2:0] drops;
  logic unused_message;
  logic [13:0] unused_bytes;
  frame_rx #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .MacPort(MacPort),
      .DataWidth(DataWidth)
  ) u_frames (
      .clk_i,
      .rst_i,
      .mac_rx_tdata_i(in_i.data),
      .mac_rx_tkeep_i(keep),
      .mac_rx_tvalid_i(in_valid_i),
      .mac_rx_tready_o(in_ready_o),
      .mac_rx_tlast_i(in_i.last),
      .mac_rx_tuser_i(1'b0),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o(drops),
      .regs_i('0),
      .mac_message_o(unused_message),
      .mac_bytes_o(unused_bytes),
      .busy_o
  );
  assign drop_o[DropTooLong]  = drops[1];
  assign drop_o[DropOverflow] = drops[2];
  wire unused = drops[0];

endmodule
