// SPDX-License-Identifier: Apache-2.0
// Distributes the messages for a tile among its packet processors: layers rpu with lane 1 to 4.
//
// By flow: a hash of the flow's fields indexes a table of 16 lanes. Messages of a flow stay in
// order; a message waits if its lane has no room. Round robin: the next of the enabled lanes with
// room, so that a hung lane does not block the others. Registers select the mode and write the
// table at run time.
//
// The hash is independent of that of the tiles (dispatch), whose polynomial has another degree.
//
// Latency: 1 cycle. Throughput: one beat per cycle; under round robin, messages of one beat reach
// half of that with two lanes that have room, and all of it with three.
`include "bombus_assert.svh"

module rpu_share
  import bombus_pkg::*;
  import rpu_tile_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t lane_1_o,
    output logic  lane_1_valid_o,
    input  logic  lane_1_ready_i,
    output beat_t lane_2_o,
    output logic  lane_2_valid_o,
    input  logic  lane_2_ready_i,
    output beat_t lane_3_o,
    output logic  lane_3_valid_o,
    input  logic  lane_3_ready_i,
    output beat_t lane_4_o,
    output logic  lane_4_valid_o,
    input  logic  lane_4_ready_i,

    input  regs_t regs_i,
    output logic  busy_o
);

  localparam string Entry = "rpu";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam int unsigned MaxBusyCycles = 0;  // depends on the lanes
  typedef enum logic [0:0] {Lane1NextRpuLane1} lane_1_next_e;
  typedef enum logic [0:0] {Lane2NextRpuLane2} lane_2_next_e;
  typedef enum logic [0:0] {Lane3NextRpuLane3} lane_3_next_e;
  typedef enum logic [0:0] {Lane4NextRpuLane4} lane_4_next_e;

  localparam int unsigned NumFlows = 2 ** FlowBits;
  typedef logic [MaxLanes-1:0] lanes_t;
  typedef logic [$clog2(MaxLanes)-1:0] lane_t;

  // ---- A beat, for one lane ----

  beat_t beat_q;
  lanes_t valid_q;  // for which lane
  wire lanes_t ready = {lane_4_ready_i, lane_3_ready_i, lane_2_ready_i, lane_1_ready_i};
  wire moves = ~|(valid_q & ~ready);

  // ---- The lane of a message ----

  lanes_t enabled_q, ready_q, before_q;
  lanes_t chosen_q;  // the lane of the last message
  logic first, in_turn_q;
  lanes_t [NumFlows-1:0] flows_q;

  packet_meta_t meta;
  assign meta = packet_meta_t'(in_i.meta);
  logic [FlowBits-1:0] hash;
  crc_hash #(
      .DataWidth(64),
      .HashWidth(FlowBits)
  ) u_hash (
      .data_i({meta.ip, meta.l4.ports}),
      .hash_o(hash)
  );

  // A lane has room if it was ready a cycle ago, and has received no beat in this cycle or the
  // last.
  wire lanes_t free = enabled_q & ready_q & ~valid_q & ~before_q;
  lanes_t turn;  // the first of these after the last lane
  lanes_t next;
  always_comb begin
    turn = '0;
    for (int unsigned last = 0; last < MaxLanes; last++) begin
      next = '0;
      for (int unsigned n = MaxLanes; n >= 1; n--) begin
        if (free[lane_t'(last+n)]) next = lanes_t'(1) << lane_t'(last + n);
      end
      if (chosen_q[last]) turn |= next;
    end
  end

  // The flow's lane is late.
  wire by_flow = first & ~in_turn_q;
  lanes_t chosen;
  assign chosen = (first ? turn & {MaxLanes{in_turn_q}} : chosen_q) |
      flows_q[hash] & {MaxLanes{by_flow}};

  wire may_start = ~in_turn_q | |free;
  assign in_ready_o = moves & (~first | may_start);
  wire takes = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(takes),
      .last_i (in_i.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (moves) beat_q <= in_i;
    if (takes) chosen_q <= chosen;
    enabled_q <= regs_i.share.lanes;
    in_turn_q <= regs_i.share.in_turn;
    for (int unsigned flow = 0; flow < NumFlows; flow ++) begin
      flows_q[flow] <= lanes_t'(1) << regs_i.flows.lanes[2*flow+:2];
    end
    ready_q  <= ready;
    before_q <= valid_q;
    if (rst_i) begin
      valid_q  <= '0;
      chosen_q <= lanes_t'(1) << MaxLanes - 1;
    end else begin
      if (moves) valid_q <= takes ? chosen : '0;
    end
  end

  assign {lane_4_valid_o, lane_3_valid_o, lane_2_valid_o, lane_1_valid_o} = valid_q;
  assign lane_1_o = beat_q;
  assign lane_2_o = beat_q;
  assign lane_3_o = beat_q;
  assign lane_4_o = beat_q;
  assign busy_o = |valid_q | ~first;

  `BOMBUS_ASSERT(OneLane, $onehot0(valid_q))
  `BOMBUS_ASSERT(ChoosesLane, !takes || $onehot(chosen))

endmodule
