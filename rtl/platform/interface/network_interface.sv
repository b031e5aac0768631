// SPDX-License-Identifier: Apache-2.0
// Network interface of a tile: maps symbolic next hops to routes on the way to the mesh, and
// delivers messages from the mesh to the tile's layers (ejection).
//
// A next hop leads to a tile or to a group of replicas. An interface without groups has a
// direct_injection, one with groups a group_injection.
//
// A message whose next hop has no route is discarded and counted (no_route_o); so is one from the
// mesh for an entry port that the tile does not have. A message of a kind that its layer does not
// take is discarded and counted too (unknown_kind_o). After reset the tables are filled, one entry
// per cycle; messages to the mesh wait in the meantime.
//
// Latency: 0 cycles to the mesh, with groups 2; 1 cycle from the mesh. Throughput: one flit per
// cycle.
`include "bombus_assert.svh"

module network_interface
  import bombus_pkg::*;
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter type word_t = logic,  // table entry as written: see route_table
    parameter place_t Place = WholeMesh,
    parameter int unsigned NumSources = 1,  // layers that send to the mesh
    parameter int unsigned NumSinks = 1,  // layers that take from the mesh
    parameter bit HasSinks = 1,  // 0: no sinks; messages that arrive are dropped and counted
    parameter int unsigned NumKinds = 8,  // kinds of messages in the design
    parameter logic [NumSinks-1:0][NumKinds-1:0] Takes = '1,  // kinds that each sink takes
    parameter int unsigned NumHops = 1,  // total next hops of all sources
    parameter int unsigned NextWidth = 1,  // width of a source's next hop number
    // First table entry of each source, ascending
    parameter logic [NumSources-1:0][15:0] FirstHop = '0,
    parameter word_t [NumHops-1:0] TableInit = '0,
    parameter bit FixedTables = 0,  // the tables are constant
    parameter int unsigned NumGroups = 0,  // groups of replicas
    parameter int unsigned NumSlots = 1,  // slots of all groups; a power of two, up to 256
    parameter group_t [(NumGroups > 0 ? NumGroups : 1)-1:0] Groups = '0,
    parameter word_t [NumSlots-1:0] SlotInit = '0,
    parameter int unsigned NumOthers = 0,  // other tiles that send to a group of these by load
    localparam int unsigned OtherWidth = NumOthers > 0 ? NumOthers : 1,
    localparam int unsigned HopWidth = NumHops > 1 ? $clog2(NumHops) : 1,
    localparam int unsigned SlotWidth = NumSlots > 1 ? $clog2(NumSlots) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t [NumSources-1:0] src_i,
    input logic [NumSources-1:0] src_valid_i,
    output logic [NumSources-1:0] src_ready_o,
    input logic [NumSources-1:0][NextWidth-1:0] src_next_i,  // as numbered by the source

    output beat_t                sink_o,
    output logic  [NumSinks-1:0] sink_valid_o,
    input  logic  [NumSinks-1:0] sink_ready_i,

    output flit_t inj_o,
    output logic inj_valid_o,
    input logic [NumDirs-1:0] inj_ready_i,  // indexed by the flit's output
    input flit_t ej_i,
    input logic ej_valid_i,
    output logic ej_ready_o,

    output logic                  table_ready_o,  // the tables are initialised and can be written
    input  logic                  hop_write_i,    // not before table_ready_o
    input  logic  [ HopWidth-1:0] hop_index_i,
    input  word_t                 hop_word_i,
    input  logic                  slot_write_i,
    input  logic  [SlotWidth-1:0] slot_index_i,
    input  word_t                 slot_word_i,

    // Least loaded: the slot's replica has finished a message; another tile has sent it a message;
    // this tile has.
    input logic [NumSlots-1:0] done_i,
    input logic [NumSlots-1:0][OtherWidth-1:0] others_i,
    output logic [NumSlots-1:0] dispatched_o,

    output logic    in_message_o,    // a message has arrived from the mesh
    output length_t in_bytes_o,      // its payload length
    output logic    out_message_o,   // a message has gone to the mesh
    output length_t out_bytes_o,
    output logic    no_route_o,
    output logic    unknown_kind_o,
    output logic    entering_o,      // a message is arriving from the mesh
    output logic    out_end_o,       // the layers have handed over the last flit of a message
    output logic    busy_o
);

  typedef struct packed {
    logic valid;
    dir_e dir;  // first output port, computed when the entry is written
    logic [NumDirs-1:0] request;  // the same, one-hot; zero without a route
    logic [$bits(inj_o.x)-1:0] x;
    logic [$bits(inj_o.y)-1:0] y;
    logic [$bits(inj_o.port)-1:0] port;
  } route_t;

  // ---- To the mesh ----

  logic out_lost, in_lost, late_q, out_busy, in_busy;

  if (NumGroups == 0) begin : gen_direct
    direct_injection #(
        .beat_t(beat_t),
        .flit_t(flit_t),
        .word_t(word_t),
        .route_t(route_t),
        .Place(Place),
        .NumSources(NumSources),
        .NumHops(NumHops),
        .NextWidth(NextWidth),
        .FirstHop(FirstHop),
        .TableInit(TableInit),
        .FixedTables(FixedTables)
    ) u_send (
        .message_o(out_message_o),
        .bytes_o(out_bytes_o),
        .message_end_o(out_end_o),
        .lost_o(out_lost),
        .lost_ready_i(~late_q),
        .busy_o(out_busy),
        .*
    );
    assign dispatched_o = '0;
    wire unused = ^{done_i, others_i, SlotInit, Groups, slot_write_i, slot_index_i, slot_word_i};
  end else begin : gen_groups
    group_injection #(
        .beat_t(beat_t),
        .flit_t(flit_t),
        .word_t(word_t),
        .route_t(route_t),
        .Place(Place),
        .NumSources(NumSources),
        .NumHops(NumHops),
        .NextWidth(NextWidth),
        .FirstHop(FirstHop),
        .TableInit(TableInit),
        .FixedTables(FixedTables),
        .NumGroups(NumGroups),
        .NumSlots(NumSlots),
        .Groups(Groups),
        .SlotInit(SlotInit),
        .NumOthers(NumOthers)
    ) u_send (
        .message_o(out_message_o),
        .bytes_o(out_bytes_o),
        .message_end_o(out_end_o),
        .lost_o(out_lost),
        .lost_ready_i(~late_q),
        .busy_o(out_busy),
        .*
    );
  end
  assign busy_o = out_busy | in_busy;

  // ---- From the mesh ----

  ejection #(
      .beat_t(beat_t),
      .flit_t(flit_t),
      .NumSinks(NumSinks),
      .HasSinks(HasSinks),
      .NumKinds(NumKinds),
      .Takes(Takes)
  ) u_ejection (
      .flit_i(ej_i),
      .flit_valid_i(ej_valid_i),
      .flit_ready_o(ej_ready_o),
      .message_o(in_message_o),
      .bytes_o(in_bytes_o),
      .lost_o(in_lost),
      .lost_ready_i(~late_q),
      .unknown_o(unknown_kind_o),
      .busy_o(in_busy),
      .*
  );

  // Two messages dropped in the same cycle count as two: the second is reported one cycle later, in
  // which no other message can be dropped.
  always_ff @(posedge clk_i) begin
    if (rst_i) late_q <= 1'b0;
    else late_q <= out_lost & in_lost;
  end
  assign no_route_o = out_lost | in_lost | late_q;

`ifndef SYNTHESIS
  // An assumption of the deadlock analysis.
  localparam int unsigned FlitBits = $bits(inj_o.beat.data);
  localparam int unsigned MaxFlits = (MaxFrameBytes * 8 + FlitBits - 1) / FlitBits;
  int unsigned flits_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) flits_q <= 0;
    else if (inj_valid_o & inj_ready_i[inj_o.dir]) begin
      flits_q <= inj_o.beat.last ? 0 : flits_q + 1;
    end
  end
  `BOMBUS_ASSERT(NoMessageBeyondLongestFrame,
                 !(inj_valid_o && inj_ready_i[inj_o.dir]) || flits_q < MaxFlits)
`endif

endmodule
