// SPDX-License-Identifier: Apache-2.0
// Selects the slot of a replica group for a message, by the group's policy (noc_pkg::policy_e). The
// slots are in the network interface, where they can be rewritten at run time.
//
// Round robin and least loaded have a slot for each replica; take_i reports that a message takes
// the slot shown. Flow hash and destination port have a slot for each value of the hash or of the
// port's low bits, and no state. choice_i may select the slots in turn instead or, in a group with
// counts_load, the slot of the least loaded replica, so that a group can be switched.
//
// Latency: 0 cycles. Throughput: one choice per cycle.
`include "bombus_assert.svh"

module dispatch
  import bombus_pkg::*;
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter group_t Group = '{RoundRobin, FlowMeta, 8'd1, 8'd0, 4'd1, 1'b0, 8'd0},
    parameter int unsigned NumOthers = 0,  // least loaded: other tiles that send to the replicas
    localparam int unsigned OtherWidth = NumOthers > 0 ? NumOthers : 1,
    localparam int unsigned NumReplicas = 32'(Group.replicas),
    localparam int unsigned IndexWidth = NumReplicas > 1 ? $clog2(NumReplicas) : 1,
    localparam int unsigned SlotBits = 32'(Group.slot_bits)
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t beat_i,  // first beat of the message
    input logic [1:0] choice_i,  // choice_e
    input logic take_i,
    input logic lost_i,  // with take_i: the slot has no route
    // As in least_loaded
    input logic [NumReplicas-1:0] done_i,
    input logic [NumReplicas-1:0][OtherWidth-1:0] others_i,
    input logic [NumReplicas-1:0] clear_i,
    input logic redirected_i,
    output logic [NumReplicas-1:0] dispatched_o,
    output logic has_room_o,
    output logic scarce_o,
    output logic [SlotBits-1:0] slot_o
);

  if (NumReplicas < 1 || SlotBits < 1 || SlotBits > 8 || NumReplicas > 2 ** SlotBits)
  begin : gen_bad_group
    $error("dispatch: Group must have 1 replica or more, 1 to 8 slot_bits and a slot for each");
  end

  packet_meta_t meta;
  assign meta = packet_meta_t'(beat_i.meta);
  ports_t ports;
  always_comb begin
    ports = '0;
    if (Group.flow == FlowMeta) ports = meta.l4.ports;
    // In the payload the ports are in wire order, source port first.
    if (Group.flow == FlowPayload) begin
      ports = '{src_port: swap16(beat_i.data[15:0]), dst_port: swap16(beat_i.data[31:16])};
    end
  end
  wire unused = ^{choice_i, lost_i, done_i, others_i, clear_i, redirected_i, beat_i, ports};

  logic [SlotBits-1:0] in_turn_q;  // cycles through all slots, or through the replicas
  localparam bit CountsReplicas = Group.policy == RoundRobin;
  wire in_turn_ends = CountsReplicas & (in_turn_q == SlotBits'(NumReplicas - 1));
  always_ff @(posedge clk_i) begin
    if (rst_i) in_turn_q <= '0;
    else if (take_i) in_turn_q <= in_turn_ends ? '0 : in_turn_q + 1'b1;
  end

  // The slot of the least loaded replica.
  localparam bit OnlyByLoad = Group.policy == LeastLoaded;
  wire by_load = OnlyByLoad | (Group.counts_load & choice_i == ByLoad);
  logic [SlotBits-1:0] least;
  if (OnlyByLoad | Group.counts_load) begin : gen_least_loaded
    logic [IndexWidth-1:0] index;
    logic has_room;
    least_loaded #(
        .NumReplicas(NumReplicas),
        .NumOthers  (NumOthers),
        .Limit      (32'(Group.limit))
    ) u_least_loaded (
        .clk_i,
        .rst_i,
        .take_i(take_i & by_load),
        .lost_i,
        .done_i,
        .others_i,
        .clear_i,
        .redirected_i,
        .dispatched_o,
        .choice_o(index),
        .has_room_o(has_room),
        .scarce_o
    );
    assign has_room_o = has_room | ~by_load;
    assign least = SlotBits'(index);
  end else begin : gen_no_loads
    assign least = '0;
    assign dispatched_o = '0;
    assign has_room_o = 1'b1;
    assign scarce_o = 1'b0;
  end

  logic [SlotBits-1:0] by_policy;
  assign slot_o = by_load ? least : choice_i == InTurn ? in_turn_q : by_policy;
  if (Group.policy == FlowHash) begin : gen_flow_hash
    logic [SlotBits-1:0] hash;
    crc_hash #(
        .DataWidth(64),
        .HashWidth(SlotBits)
    ) u_hash (
        .data_i({meta.ip, ports}),
        .hash_o(hash)
    );
    assign by_policy = hash;
  end else if (Group.policy == DstPort) begin : gen_dst_port
    assign by_policy = ports.dst_port[SlotBits-1:0];
  end else begin : gen_in_turn
    assign by_policy = in_turn_q;
  end

  `BOMBUS_ASSERT(ReplicaExists, !CountsReplicas || 32'(in_turn_q) < NumReplicas)

endmodule
