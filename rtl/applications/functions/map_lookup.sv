// SPDX-License-Identifier: Apache-2.0
// Looks the first beat of each message up in an address_map, in two stages of a layer.
//
// in_i -> register while the map is read -> register with the result -> out_o. from_i is the key of
// in_i. hit_o and to_o are valid from the first beat of a message at out_o to its last; so is
// kept_o, a register for what the layer needs of the first beat, which it derives from read_o, the
// beat between the two registers.
//
// Latency: 2 cycles. Throughput: one beat per cycle. Register port: see address_map.
module map_lookup
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type kept_t = logic,
    parameter int unsigned FromWidth = 32,
    parameter int unsigned ToWidth = 32,
    parameter logic [ToWidth-1:0] Default = '0,  // to_o without a hit
    parameter int unsigned NumEntries = 1024,  // a power of two
    localparam int unsigned IndexWidth = $clog2(NumEntries)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t                 in_i,
    input  logic  [FromWidth-1:0] from_i,
    input  logic                  in_valid_i,
    output logic                  in_ready_o,

    output beat_t read_o,
    input  kept_t kept_i,

    output beat_t                         out_o,
    output logic                          out_first_o,
    output message_number_t               out_message_o,
    output kept_t                         kept_o,
    output logic                          hit_o,
    output logic            [ToWidth-1:0] to_o,
    output logic                          out_valid_o,
    input  logic                          out_ready_i,
    output logic                          busy_o,

    input  logic                  request_i,      // held until done_o
    input  logic                  write_i,
    input  logic [IndexWidth-1:0] index_i,
    input  logic                  wdata_valid_i,
    input  logic [ FromWidth-1:0] wdata_from_i,
    input  logic [   ToWidth-1:0] wdata_to_i,
    output logic                  done_o,         // one cycle
    output logic                  rdata_valid_o,  // with done_o
    output logic [ FromWidth-1:0] rdata_from_o,
    output logic [   ToWidth-1:0] rdata_to_o,
    output logic                  refused_o       // one-cycle pulse
);

  // ---- First stage: the map is read ----

  logic read_valid, read_ready;
  stream_register #(
      .data_t(beat_t)
  ) u_read (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o(read_o),
      .out_valid_o(read_valid),
      .out_ready_i(read_ready)
  );

  logic first;
  message_number_t message, unused_begun;
  message_number u_first (
      .clk_i,
      .rst_i,
      .taken_i(read_valid & read_ready),
      .last_i (read_o.last),
      .first_o(first),
      .here_o (message),
      .begun_o(unused_begun)
  );

  logic hit;
  logic [ToWidth-1:0] to;
  address_map #(
      .FromWidth (FromWidth),
      .ToWidth   (ToWidth),
      .NumEntries(NumEntries)
  ) u_map (
      .clk_i,
      .rst_i,
      .read_i(in_valid_i & in_ready_o),
      .from_i,
      .hit_o (hit),
      .to_o  (to),
      .request_i,
      .write_i,
      .index_i,
      .wdata_valid_i,
      .wdata_from_i,
      .wdata_to_i,
      .done_o,
      .rdata_valid_o,
      .rdata_from_o,
      .rdata_to_o,
      .refused_o
  );

  // ---- Second stage: the result ----

  typedef struct packed {
    logic first;
    beat_t beat;
    message_number_t message;
  } stage_t;
  stage_t stage;
  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i('{first: first, beat: read_o, message: message}),
      .in_valid_i(read_valid),
      .in_ready_o(read_ready),
      .out_o(stage),
      .out_valid_o,
      .out_ready_i
  );
  assign out_o = stage.beat;
  assign out_first_o = stage.first;
  assign out_message_o = stage.message;

  always_ff @(posedge clk_i) begin
    if (read_ready & read_valid & first) begin
      hit_o  <= hit;
      to_o   <= Default == '0 | hit ? to : Default;  // a miss reads as zero
      kept_o <= kept_i;
    end
  end
  assign busy_o = read_valid | out_valid_o;

endmodule
