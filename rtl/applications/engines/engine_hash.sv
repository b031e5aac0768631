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
    // Engines that may follow, filled in by Bombus
    parameter int unsigned NumBound = 1,
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

  logic first, taken;

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

  beat_t stored, hashed;
  logic [31:0] digest;
  logic unused_stored_first, unused_stored_taken, unused_info;
  engine_store #(
      .beat_t(beat_t),
      .digest_t(logic [31:0]),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_store (
      .in_first_o(first),
      .in_taken_o(taken),
      .info_i(1'b0),
      .digest_i(~crc),
      .digest_valid_i(crc_valid),
      .stored_o(stored),
      .stored_first_o(unused_stored_first),
      .stored_info_o(unused_info),
      .stored_digest_o(digest),
      .stored_taken_o(unused_stored_taken),
      .changed_i(hashed),
      .*
  );

  always_comb begin
    engine_packet_meta_t meta;
    meta = engine_packet_meta_t'(stored.meta);
    meta.hash = digest;
    hashed = stored;
    hashed.meta = $bits(stored.meta)'(meta);
  end

endmodule
