// SPDX-License-Identifier: Apache-2.0
// Receives packets of a vector, adds this board's part while they are reduced, and stores them, for
// cluster_collective.
//
// A packet of the next operation waits, and after a reset any. Others that do not belong to the
// operation are dropped.
//
// Latency from a beat to its place in the memory: collective_lane_pkg::Stages + 1 cycles; after the
// last one follow forward_o and finished_o. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module collective_receive
  import cluster_pkg::*;
  import collective_pkg::*;
  import collective_lane_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter int unsigned MaxBeats = 4096,
    parameter int unsigned PacketBeats = 32,
    localparam type data_t = logic [DataWidth-1:0],
    localparam type addr_t = logic [$clog2(MaxBeats)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input command_t command_i,  // this operation, or the one before
    input ring_t ring_i,
    input index_t packets_i,
    input logic is_idle_i,
    input logic is_fresh_i,  // no operation since the reset: all packets wait
    input logic is_running_i,
    input logic abort_i,  // drops the packets inside

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    input addr_t write_addr_i,
    input data_t write_data_i,
    input logic  write_i,

    output addr_t addr_o,
    output data_t data_o,
    output logic  store_o,

    output stored_t forward_o,
    output logic forward_valid_o,
    output logic finished_o,  // pulse: a packet needs nothing more but to be sent on
    output logic [1:0] drop_o  // pulses: bad packet, packet of an old operation
);

  localparam int unsigned Words = DataWidth / WordBits;
  localparam int unsigned Lanes = DataWidth / 32;
  localparam int unsigned PacketShift = $clog2(PacketBeats);

  // What is known of a packet from its first beat
  typedef struct packed {
    logic drops;
    logic adds;
    logic forwards;
    logic finishes;
    stored_t packet;  // as it is sent on
  } judged_t;

  // ---- First beat ----

  wire packet_t head = packet_t'(in_i.data[$bits(packet_t)-1:0]);
  wire hop_t sum_hop = hop_t'(ring_i.last);  // with which a packet is reduced
  wire hop_t last_hop = command_i.op == OpReduce ? sum_hop : hop_t'({ring_i.last, 1'b0});
  wire is_all = command_i.op == OpAllReduce | command_i.op == OpBarrier;
  wire is_next = head.tag == command_i.tag + 1'b1;
  wire is_this = head.tag == command_i.tag;
  wire waits = is_fresh_i | (is_this ? ~is_idle_i & ~is_running_i : is_next);
  wire is_good = in_i.header.source == ring_i.preceding & head.op == command_i.op
      & head.index < packets_i & head.hop != '0 & head.hop <= last_hop
      & 32'(in_i.header.length) == (data_beats(
      command_i, head.index, PacketBeats
  ) + 1) * Words;

  logic is_inside_q;
  wire is_head = in_valid_i & ~is_inside_q;
  wire moves = in_valid_i & in_ready_o;
  assign in_ready_o = is_inside_q | ~waits;

  judged_t judged, judged_q;
  always_comb begin
    judged.drops = abort_i | ~(is_this & is_running_i & is_good);
    judged.adds = head.hop <= sum_hop & command_i.op != OpBroadcast;
    judged.forwards = head.hop != last_hop;
    judged.finishes = ~is_all | head.hop >= sum_hop;
    judged.packet = '{index: head.index, hop: head.hop + 1'b1};
  end
  wire judged_t now = is_inside_q ? judged_q : judged;

  always_ff @(posedge clk_i) begin
    drop_o <= {2{moves & is_head & judged.drops}} & {~is_this, is_this};
    if (is_head) judged_q <= judged;
    if (abort_i) judged_q.drops <= 1'b1;
    if (rst_i) drop_o <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) is_inside_q <= 1'b0;
    else if (moves) is_inside_q <= ~in_i.last;
  end

  // ---- Beats in the adders ----

  typedef struct packed {
    logic writes;
    logic ends;  // the last beat of a packet
    logic forwards;
    logic finishes;
    stored_t packet;
    addr_t addr;
  } note_t;

  addr_t addr_q;
  note_t [Stages:0] notes_q;  // [0]: beside the operands
  note_t note;
  data_t beat_q, own;
  mode_e mode_q;

  always_comb begin
    note.writes = moves & is_inside_q & ~judged_q.drops;
    note.ends = moves & in_i.last & ~now.drops;
    note.forwards = now.forwards;
    note.finishes = now.finishes;
    note.packet = now.packet;
    note.addr = addr_q;
  end

  always_ff @(posedge clk_i) begin
    if (is_head) addr_q <= addr_t'({head.index, {PacketShift{1'b0}}});
    else if (moves) addr_q <= addr_q + 1'b1;
    beat_q  <= in_i.data;
    mode_q  <= ~now.adds ? ModeFirst : command_i.is_float ? ModeFloat : ModeInteger;
    notes_q <= {notes_q[Stages-1:0], note};
    if (rst_i | abort_i) begin
      for (int i = 0; i <= Stages; i++) begin
        notes_q[i].writes <= 1'b0;
        notes_q[i].ends   <= 1'b0;
      end
    end
  end

  sized_memory #(
      .data_t(data_t),
      .Depth (MaxBeats)
  ) u_memory (
      .clk_i,
      .write_addr_i,
      .data_i(write_data_i),
      .write_i,
      .read_addr_i(addr_q),
      .data_o(own)
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    collective_lane u_lane (
        .clk_i,
        .a_i(beat_q[i*32+:32]),
        .b_i(own[i*32+:32]),
        .mode_i(mode_q),
        .sum_o(data_o[i*32+:32])
    );
  end

  wire note_t done = notes_q[Stages];
  assign addr_o = done.addr;
  assign store_o = done.writes;
  assign forward_o = done.packet;
  assign forward_valid_o = done.ends & done.forwards;
  assign finished_o = done.ends & done.finishes;

endmodule
