// SPDX-License-Identifier: Apache-2.0
// Selects the route of a message to a replica group: the group's policy selects a slot (dispatch),
// and the slot holds the route. The slots of all groups are in one route_table, filled after reset
// and rewritten at run time. Under least loaded, a slot that does not lead to its own replica is
// not chosen, since the load of its destination is not known.
//
// Latency: 0 cycles. Throughput: one choice per cycle.
`include "bombus_assert.svh"

module replica_choice
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type word_t = logic,  // see route_table
    parameter type route_t = logic,
    parameter int unsigned NumGroups = 1,
    parameter group_t [NumGroups-1:0] Groups = {NumGroups{group_t'(
    '{RoundRobin, FlowMeta, 8'd1, 8'd0, 4'd1, 1'b0, 8'd0}
    )}},
    parameter int unsigned NumSlots = 2,  // slots of all groups; a power of two, up to 256
    parameter word_t [NumSlots-1:0] Init = '0,
    parameter bit FixedTables = 0,  // the routes are constant
    parameter int unsigned NumOthers = 0,  // other tiles that send to a group of these by load
    parameter place_t Place = WholeMesh,
    localparam int unsigned OtherWidth = NumOthers > 0 ? NumOthers : 1,
    localparam int unsigned GroupWidth = NumGroups > 1 ? $clog2(NumGroups) : 1,
    localparam int unsigned SlotWidth = NumSlots > 1 ? $clog2(NumSlots) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t beat_i,  // first beat of the message
    input logic [GroupWidth-1:0] group_i,
    input logic [1:0] choice_i,  // how the group chooses: choice_e
    input logic take_i,  // the message takes the route shown
    output route_t route_o,
    // As in least_loaded
    output logic has_room_o,
    output logic scarce_o,  // in any group

    // Least loaded: the slot's replica has finished a message; another tile has sent it a message;
    // this tile has.
    input logic [NumSlots-1:0] done_i,
    input logic [NumSlots-1:0][OtherWidth-1:0] others_i,
    output logic [NumSlots-1:0] dispatched_o,

    input  logic                  write_i,
    input  logic  [SlotWidth-1:0] slot_i,
    input  word_t                 word_i,
    output logic                  filled_o
);

  if (NumGroups < 1 || NumSlots < 1 || NumSlots > 256 || NumSlots != 2 ** $clog2(
          NumSlots
      )) begin : gen_bad_shape
    $error("replica_choice: NumGroups must be at least 1, NumSlots a power of two up to 256");
  end

  typedef logic [SlotWidth-1:0] slot_t;

  slot_t [NumGroups-1:0] choice;
  logic [NumGroups-1:0][NumSlots-1:0] dispatched;
  logic [NumGroups-1:0] has_room, scarce;
  assign has_room_o = has_room[group_i];
  assign scarce_o   = |scarce;
  wire redirected = word_i != Init[slot_i];
  always_comb begin
    dispatched_o = '0;
    for (int unsigned g = 0; g < NumGroups; g++) dispatched_o |= dispatched[g];
  end

  for (genvar g = 0; g < NumGroups; g++) begin : gen_group
    localparam group_t Group = Groups[g];
    localparam int unsigned First = 32'(Group.first_slot);
    localparam int unsigned NumReplicas = 32'(Group.replicas);
    localparam int unsigned NumOwn = 2 ** 32'(Group.slot_bits);
    if (First % NumOwn != 0 || First + NumOwn > NumSlots) begin : gen_bad_slots
      $error("replica_choice: first_slot must be a multiple of the group's slots, all in NumSlots");
    end
    logic [NumReplicas-1:0] clear;
    logic [32'(Group.slot_bits)-1:0] slot;
    always_comb begin
      for (int unsigned i = 0; i < NumReplicas; i++) begin
        clear[i] = write_i & (slot_i == slot_t'(First + i));
      end
    end
    logic [NumReplicas-1:0] own_dispatched;
    assign dispatched[g] = NumSlots'(own_dispatched) << First;
    dispatch #(
        .beat_t(beat_t),
        .Group(Group),
        .NumOthers(NumOthers)
    ) u_dispatch (
        .clk_i,
        .rst_i,
        .beat_i,
        .choice_i,
        .take_i(take_i & (group_i == GroupWidth'(g))),
        .lost_i(~route_o.valid),
        .done_i(done_i[First+:NumReplicas]),
        .others_i(others_i[First+:NumReplicas]),
        .clear_i(clear),
        .redirected_i(redirected),
        .dispatched_o(own_dispatched),
        .has_room_o(has_room[g]),
        .scarce_o(scarce[g]),
        .slot_o(slot)
    );
    assign choice[g] = slot_t'(First) | slot_t'(slot);
  end

  logic unused_is_group, unused_group;
  logic [1:0] unused_choice;
  route_table #(
      .word_t(word_t),
      .route_t(route_t),
      .NumEntries(NumSlots),
      .Init(Init),
      .Fixed(FixedTables),
      .Place(Place)
  ) u_slots (
      .clk_i,
      .rst_i,
      .write_i,
      .write_index_i(slot_i),
      .word_i,
      .index_i(choice[group_i]),
      .route_o,
      .is_group_o(unused_is_group),
      .group_o(unused_group),
      .choice_o(unused_choice),
      .filled_o
  );
  wire unused = ^{done_i, others_i};

  `BOMBUS_ASSERT(GroupExists, !take_i || 32'(group_i) < NumGroups)

endmodule
