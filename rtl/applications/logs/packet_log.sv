// SPDX-License-Identifier: Apache-2.0
// Logs the packets of a stream, unchanged and undelayed: the time of the first beat, length,
// metadata, and the first HeaderBytes bytes. One after mac_rx and one before mac_tx give latencies,
// one before tcp and one before ipv4_tx the headers on both sides of a TCP engine.
// The entries are written to the log_store of the same tile: log_pkg::packet_entry_t, then the
// bytes.
//
// Latency: 0 cycles, by wires. Throughput: one beat per cycle.
module packet_log
  import bombus_pkg::*;
  import log_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned HeaderBytes = 64,
    // Logs only packets of this IP protocol (between ipv4_rx and ipv4_tx); 0: all
    parameter int unsigned OnlyProtocol = 0,
    localparam int unsigned EntryBits = $bits(packet_entry_t) + 8 * HeaderBytes
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    output logic [EntryBits-1:0] log_entry_o,
    output logic log_write_o,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic busy_o
);

  localparam string Entry = "";  // the entry of the tile that it precedes
  localparam bit StandsBefore = 1'b1;
  localparam bit Forwards = 1'b1;
  localparam string Status = "log";
  typedef enum logic [0:0] {NextLogged} next_e;

  assign out_o = in_i;
  assign out_valid_o = in_valid_i;
  assign in_ready_o = out_ready_i;

  if (OnlyProtocol > 255) begin : gen_bad_protocol
    $error("packet_log: OnlyProtocol must be 0 to 255");
  end

  stamp_t stamp;
  log_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i,
      .stamp_o(stamp)
  );

  packet_entry_t note, noted;
  logic [8*HeaderBytes-1:0] bytes;
  logic head_valid, first, inside_q;
  assign note = '{meta: packet_meta_t'(in_i.meta), length: 16'(in_i.length), stamp: stamp};
  log_head #(
      .beat_t  (beat_t),
      .note_t  (packet_entry_t),
      .NumBytes(HeaderBytes)
  ) u_head (
      .clk_i,
      .rst_i,
      .beat_i (in_i),
      .taken_i(in_valid_i & out_ready_i),
      .note_i (note),
      .bytes_o(bytes),
      .note_o (noted),
      .valid_o(head_valid)
  );
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & out_ready_i),
      .last_i (in_i.last),
      .first_o(first)
  );

  // In the same bits of received packets and of packets to be sent
  wire is_logged = OnlyProtocol == 0 | 32'(noted.meta.l4.ip_rx.protocol) == OnlyProtocol;
  always_ff @(posedge clk_i) begin
    log_entry_o <= {bytes, noted};
    log_write_o <= head_valid & is_logged & ~rst_i;
    inside_q <= ~first & ~rst_i;
  end
  assign busy_o = in_valid_i | inside_q | log_write_o;

endmodule
