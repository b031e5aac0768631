// SPDX-License-Identifier: Apache-2.0
// Engine that computes the CRC-32 (IEEE 802.3) of all bytes after a packet's Ethernet header and
// writes it into the metadata, where later engines read it.
//
// Latency: 13 cycles from the last beat. Throughput: one beat per cycle.
module engine_hash
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Engine = 3,  // its number in engine sequences
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumBound = 1,  // this and the following are filled in by Bombus
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic busy_o
);

  localparam string Entry = "engine_hash";
  localparam string Takes = "engine_packet";
  localparam string Sends = "engine_packet";
  localparam bit Forwards = 1'b1;
  localparam string Binds = "engine";
  localparam int unsigned BindsWidth = 5;
  typedef enum int unsigned {NextBound} next_e;

  logic first;
  wire  taken = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  // The initial value, all ones, is placed in the first four bytes; the zeros before them do not
  // affect the CRC.
  logic [engine_pkg::DataWidth-1:0] data_q;
  logic valid_q, last_q;
  logic [$bits(in_i.bytes)-1:0] bytes_q;
  always_ff @(posedge clk_i) begin
    data_q <= in_i.data;
    if (first) begin
      data_q[8*Ipv4Byte-1:0] <= '0;
      data_q[8*Ipv4Byte+:32] <= ~in_i.data[8*Ipv4Byte+:32];
    end
    last_q  <= in_i.last;
    bytes_q <= in_i.bytes;
    valid_q <= taken & ~rst_i;
  end

  logic [31:0] crc;
  logic crc_valid;
  crc32 #(
      .DataBytes(engine_pkg::DataWidth / 8)
  ) u_crc (
      .clk_i,
      .rst_i,
      .data_i (data_q),
      .bytes_i(bytes_q),
      .valid_i(valid_q),
      .last_i (last_q),
      .crc_o  (crc),
      .valid_o(crc_valid)
  );

  beat_t stored;
  logic [31:0] digest;
  logic stored_valid, stored_ready, unused_first, holding;
  engine_store #(
      .beat_t  (beat_t),
      .digest_t(logic [31:0])
  ) u_store (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .digest_i(~crc),
      .digest_valid_i(crc_valid),
      .out_o(stored),
      .digest_o(digest),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .busy_o(holding)
  );

  beat_t hashed;
  always_comb begin
    engine_packet_meta_t meta;
    meta = engine_packet_meta_t'(stored.meta);
    meta.hash = digest;
    hashed = stored;
    hashed.meta = $bits(stored.meta)'(meta);
  end

  engine_output #(
      .beat_t(beat_t),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(hashed),
      .in_valid_i(stored_valid),
      .in_ready_o(stored_ready),
      .in_first_o(unused_first),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o
  );

  assign busy_o = holding | out_valid_o;

endmodule
