// SPDX-License-Identifier: Apache-2.0
// Takes the operands of one side of an adder from a UDP port: datagrams of 8 bytes.
// They wait in a queue; the design file selects the input of the adder. An operand that finds
// the queue full is dropped and counted (DropsWhenFull = 1), so
// that one side alone never stops the other; with DropsWhenFull = 0 it waits.
//
// Latency: 1 cycle. Throughput: one operand per cycle. For data widths of 64 bits and more.
module operand
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 3000,
    parameter int unsigned Depth = 32,  // operands
    parameter bit DropsWhenFull = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [1:0] drop_o,
    output logic       busy_o
);

  localparam string Entry = "operand";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextAdder} next_e;
  typedef enum int unsigned {
    DropMalformed,
    DropFull,
    NumDrops
  } drop_e;
  localparam bit AlwaysTakes = DropsWhenFull;

  logic first, dropping_q, room;
  wire good = (in_i.length == length_t'(8)) & (in_i.meta.l4.ports.src_port != '0);
  wire full = DropsWhenFull & ~room;
  wire drop = first ? ~good | full : dropping_q;
  assign in_ready_o = drop | room;
  wire taken = in_valid_i & in_ready_o;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      dropping_q <= 1'b0;
      drop_o <= '0;
    end else begin
      drop_o <= '0;
      if (taken) begin
        dropping_q <= drop;
        drop_o[DropMalformed] <= first & ~good;
        drop_o[DropFull] <= first & good & full;
      end
    end
  end

  logic valid;
  head_fifo #(
      .head_t(logic),
      .body_t(beat_t),
      .Depth (Depth)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (in_i),
      .in_valid_i (in_valid_i & ~drop),
      .in_ready_o (room),
      .out_head_o (),
      .out_body_o (out_o),
      .out_valid_o(valid),
      .out_ready_i
  );
  assign out_valid_o = valid;
  assign busy_o = valid;

endmodule
