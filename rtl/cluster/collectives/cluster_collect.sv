// SPDX-License-Identifier: Apache-2.0
// Barrier, broadcast, reduce and all-reduce for a kernel or a program: cluster_collective with its
// endpoint.
//
// It stands in a row of layers after cluster_node, as cluster_send does. vector_*: a message for
// each operation; its first beat is the command (collective_pkg::command_t from bit 0 up), the
// others are the vector, where the operation takes one from this board. result_*: a message for
// each operation, with the result, or a beat without bytes where this board gets none or the
// operation is aborted.
//
// A vector that is shorter than the command says is filled with zeros; a longer one is cut. Both
// are counted.
//
// Latency and throughput: those of cluster_collective.
`include "cluster_types.svh"

module cluster_collect
  import cluster_pkg::*;
  import collective_pkg::*;
#(
    parameter type regs_t = logic,
    parameter int unsigned LinkWidth = 128,
    parameter channel_t Channel = '0,
    parameter int unsigned NumBoards = 2,  // of the cluster
    parameter int unsigned MaxBytes = 65536,  // of a vector
    parameter int unsigned PacketBeats = LinkWidth < 512 ? 32 : 16,
    parameter int unsigned BufferSize = 16,  // this and the following are those of cluster_endpoint
    parameter int unsigned FlowOffset = 8,
    parameter int unsigned FlowStride = 8,
    parameter int unsigned InitBudget = 1,
    localparam int unsigned KeepWidth = LinkWidth / 8,
    localparam int unsigned PacketBits = $bits(header_t) + 1 + LinkWidth
) (
    input logic  clk_i,
    input logic  rst_i,
    input regs_t regs_i,

    input logic [LinkWidth-1:0] vector_tdata_i,
    input logic [KeepWidth-1:0] vector_tkeep_i,
    input logic vector_tvalid_i,
    output logic vector_tready_o,
    input logic vector_tlast_i,

    output logic [LinkWidth-1:0] result_tdata_o,
    output logic [KeepWidth-1:0] result_tkeep_o,
    output logic result_tvalid_o,
    input logic result_tready_i,
    output logic result_tlast_o,

    `CLUSTER_CHAIN_PORTS(PacketBits)

    output logic [7:0] drop_o,
    output logic [4:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";
  localparam string MayStayOpen = "chain";
  localparam string Status = "chain";
  typedef enum int unsigned {
    DropBadSource,
    DropBadDestination,
    DropTooLong,
    DropNoBudget,
    DropBadControl,
    DropUnknownChannel,
    DropBadPacket,  // source, operation, position or length is wrong
    DropOldPacket,  // of an operation that was aborted
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventGrant,
    EventReturn,
    EventOpen,
    EventOperation,  // ended
    EventBadVector,  // its length is not that of the command
    NumEvents
  } event_e;

  `CLUSTER_BEAT_T(packet_t, LinkWidth)
  localparam int unsigned Words = LinkWidth / WordBits;

  packet_t send, received;
  logic send_valid, send_ready, received_valid, received_ready, endpoint_holds;
  bridge_endpoint #(
      .packet_t(packet_t),
      .LinkWidth(LinkWidth),
      .Channel(Channel),
      .NumBoards(NumBoards),
      .MaxWords((PacketBeats + 1) * Words),
      .BufferSize(BufferSize),
      .FlowOffset(FlowOffset),
      .FlowStride(FlowStride),
      .InitBudget(InitBudget)
  ) u_endpoint (
      .clk_i,
      .rst_i,
      `CLUSTER_CHAIN_CONNECTIONS,
      .send_i(send),
      .send_valid_i(send_valid),
      .send_ready_o(send_ready),
      .receive_o(received),
      .receive_valid_o(received_valid),
      .receive_ready_i(received_ready),
      .drop_o(drop_o[DropUnknownChannel:DropBadSource]),
      .event_o(event_o[EventOpen:EventGrant]),
      .holds_o(endpoint_holds)
  );

  // ---- Commands and vectors ----

  logic [LinkWidth-1:0] result;
  logic result_last, result_valid;
  logic is_inside_q;  // beats of a vector follow
  logic fills_q;  // its last beat has been taken: zeros follow
  logic is_empty_q;  // a result without bytes is due
  logic command_ready, load_ready, done, has_result, is_busy;
  wire takes_command = vector_tvalid_i & vector_tready_o & ~is_inside_q;
  wire starts = vector_tvalid_i & ~is_inside_q & ~is_empty_q;
  // Beats that the operation does not take are dropped.
  assign vector_tready_o = is_inside_q | (command_ready & ~is_empty_q);
  wire  is_surplus = vector_tvalid_i & is_inside_q & ~load_ready;
  wire  is_short = fills_q & load_ready;

  logic is_wrong_q;  // counted once for each operation
  always_ff @(posedge clk_i) begin
    event_o[EventBadVector] <= (is_surplus | is_short) & ~is_wrong_q & ~rst_i;
    is_wrong_q <= ~rst_i & ~takes_command & (is_wrong_q | is_surplus | is_short);
    if (rst_i) begin
      is_inside_q <= 1'b0;
      fills_q <= 1'b0;
      is_empty_q <= 1'b0;
    end else begin
      if (vector_tvalid_i & vector_tready_o) is_inside_q <= ~vector_tlast_i;
      if (takes_command) fills_q <= vector_tlast_i;
      else if (is_inside_q & vector_tvalid_i & vector_tlast_i) fills_q <= 1'b1;
      if (done & ~has_result) is_empty_q <= 1'b1;
      else if (result_tready_i & ~result_valid) is_empty_q <= 1'b0;
    end
  end

  // ---- Operations ----

  wire ring_t ring =
  '{
      position: regs_i.ring.position,
      last: regs_i.ring.last,
      following: regs_i.ring.following,
      preceding: regs_i.ring.preceding
  }
  ;
  logic [2:0] events;
  cluster_collective #(
      .beat_t(packet_t),
      .DataWidth(LinkWidth),
      .MaxBytes(MaxBytes),
      .PacketBeats(PacketBeats)
  ) u_collective (
      .clk_i,
      .rst_i,
      .ring_i(ring),
      .command_i(command_t'(vector_tdata_i[$bits(command_t)-1:0])),
      .command_valid_i(starts),
      .command_ready_o(command_ready),
      .abort_i(regs_i.control.cancel),
      .done_o(done),
      .has_result_o(has_result),
      .load_i(fills_q ? '0 : vector_tdata_i),
      .load_valid_i(fills_q | (is_inside_q & vector_tvalid_i)),
      .load_ready_o(load_ready),
      .result_o(result),
      .result_last_o(result_last),
      .result_valid_o(result_valid),
      .result_ready_i(result_tready_i),
      .in_i(received),
      .in_valid_i(received_valid),
      .in_ready_o(received_ready),
      .out_o(send),
      .out_valid_o(send_valid),
      .out_ready_i(send_ready),
      .event_o(events),
      .busy_o(is_busy)
  );
  assign event_o[EventOperation] = events[0];
  assign drop_o[DropOldPacket:DropBadPacket] = events[2:1];

  assign result_tdata_o = result;
  assign result_tkeep_o = {KeepWidth{result_valid}};
  assign result_tvalid_o = result_valid | is_empty_q;
  assign result_tlast_o = ~result_valid | result_last;
  assign busy_o = is_busy | is_empty_q | endpoint_holds;

  wire unused = &{1'b0, vector_tkeep_i};

endmodule
