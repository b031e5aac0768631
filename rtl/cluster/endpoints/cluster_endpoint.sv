// SPDX-License-Identifier: Apache-2.0
// Endpoint of a channel: sends packets to other boards and receives theirs.
//
// Source: "A Transport-Layer Network for Distributed FPGA Platforms", section III-B and table I.
//
// Managed = 1: with end-to-end flow control (cluster_flow_control). The buffer has room for
// BufferSize + InitBudget x NumBoards packets of MaxWords words. A receiver that takes nothing only
// stops the senders of its channel. All endpoints of a channel must have the same parameters.
// Managed = 0: without; the buffer has room for BufferSize packets. If the user does not take them,
// the network stops.
//
// send_i: of the header, destination, length and yield are read. receive_o: source and length are
// valid. A packet leaves when all its beats have arrived, so bubbles in send_i do not reach the
// network.
//
// Latency: sending 1 cycle (0 if Managed = 0), and with packets of several beats one packet more;
// receiving 1 cycle, or 2 (cluster_receive_buffer). Throughput: one beat per cycle.
`include "bombus_assert.svh"
module cluster_endpoint
  import cluster_pkg::*;
  import cluster_endpoint_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 128,
    parameter bit Managed = 1,
    parameter int unsigned BufferSize = 64,  // packets
    parameter int unsigned FlowOffset = 16,
    parameter int unsigned FlowStride = 32,
    parameter int unsigned InitBudget = 2,
    parameter int unsigned NumBoards = 20,
    parameter int unsigned MaxWords = DataWidth / WordBits,
    parameter int unsigned GrantPeriod = 0,
    parameter int unsigned ScanCycles = 256
) (
    input logic clk_i,
    input logic rst_i,

    // To the chain
    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    // To the user
    input  beat_t send_i,
    input  logic  send_valid_i,
    output logic  send_ready_o,
    output beat_t receive_o,
    output logic  receive_valid_o,
    input  logic  receive_ready_i,

    output logic [ NumDrops-1:0] drop_o,
    output logic [NumEvents-1:0] event_o,
    output logic                 holds_o   // a packet is inside
);

  localparam int unsigned Words = DataWidth / WordBits;
  localparam int unsigned MaxBeats = MaxWords <= Words ? 1 : (MaxWords + Words - 1) / Words;
  if (MaxWords < 1 || MaxWords > 2 ** LengthBits - 1) begin : gen_bad_words
    $error("cluster_endpoint: MaxWords must be 1 to %0d", 2 ** LengthBits - 1);
  end
  if (BufferSize < 1) begin : gen_bad_buffer
    $error("cluster_endpoint: BufferSize must be at least 1");
  end

  // ---- Sending: whole packets ----

  beat_t packet;
  logic packet_valid, packet_ready, send_holds;
  if (MaxBeats == 1) begin : gen_one_beat
    assign packet = send_i;
    assign packet_valid = send_valid_i;
    assign send_ready_o = packet_ready;
    assign send_holds = send_valid_i;
  end else begin : gen_gather
    localparam int unsigned Depth = MaxBeats < 2 ? 4 : 2 ** $clog2(2 * MaxBeats);
    beat_t queued;
    logic queued_valid, queued_ready;
    stream_queue #(
        .data_t(beat_t),
        .Depth (Depth)
    ) u_send (
        .clk_i,
        .rst_i,
        .in_i(send_i),
        .in_valid_i(send_valid_i),
        .in_ready_o(send_ready_o),
        .out_o(queued),
        .out_valid_o(queued_valid),
        .out_ready_i(queued_ready),
        .holds_o(send_holds)
    );
    logic [$clog2(Depth+4)-1:0] whole_q;
    wire enters = send_valid_i & send_ready_o & send_i.last;
    wire leaves = packet_valid & packet_ready & packet.last;
    always_ff @(posedge clk_i) begin
      if (rst_i) whole_q <= '0;
      else whole_q <= whole_q + $bits(whole_q)'(enters) - $bits(whole_q)'(leaves);
    end
    assign packet = queued;
    assign packet_valid = queued_valid & whole_q != '0;
    assign queued_ready = packet_ready & whole_q != '0;
  end

  // ---- Flow control ----

  beat_t arrived;
  logic arrived_valid, arrived_ready, flow_holds;
  if (Managed) begin : gen_managed
    cluster_flow_control #(
        .beat_t(beat_t),
        .BufferSize(BufferSize),
        .FlowOffset(FlowOffset),
        .FlowStride(FlowStride),
        .InitBudget(InitBudget),
        .NumBoards(NumBoards),
        .MaxWords(MaxWords),
        .GrantPeriod(GrantPeriod),
        .ScanCycles(ScanCycles)
    ) u_flow (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o,
        .data_o(arrived),
        .data_valid_o(arrived_valid),
        .freed_i(receive_valid_o & receive_ready_i & receive_o.last),
        .send_i(packet),
        .send_valid_i(packet_valid),
        .send_ready_o(packet_ready),
        .out_o,
        .out_valid_o,
        .out_ready_i,
        .drop_o,
        .event_o,
        .holds_o(flow_holds)
    );
  end else begin : gen_unmanaged
    assign out_o = packet;
    assign out_valid_o = packet_valid;
    assign packet_ready = out_ready_i;
    logic in_first, dropping_q;
    wire is_good = ~in_i.header.credit & 32'(in_i.header.length) <= MaxWords;
    wire drops = in_first ? ~is_good : dropping_q;
    first_beat u_first (
        .clk_i,
        .rst_i,
        .taken_i(in_valid_i & in_ready_o),
        .last_i (in_i.last),
        .first_o(in_first)
    );
    always_ff @(posedge clk_i) begin
      if (in_first) dropping_q <= ~is_good;
    end
    assign arrived = in_i;
    assign arrived_valid = in_valid_i & ~drops;
    assign in_ready_o = arrived_ready | drops;
    always_comb begin
      drop_o = '0;
      drop_o[DropTooLong] = in_valid_i & in_first & ~is_good & ~in_i.header.credit;
      drop_o[DropBadControl] = in_valid_i & in_first & in_i.header.credit;
    end
    assign event_o = '0;
    assign flow_holds = 1'b0;
  end

  // ---- The buffer ----

  localparam int unsigned Packets = BufferSize + (Managed ? InitBudget * NumBoards : 0);
  localparam int unsigned SourceWidth = Managed ? $clog2(NumBoards) : BoardBits;
  typedef struct packed {
    logic [SourceWidth-1:0] source;
    logic [$clog2(MaxWords+1)-1:0] length;
    logic last;
    logic [DataWidth-1:0] data;
  } entry_t;
  wire entry_t entry =
  '{
      source: arrived.header.source[SourceWidth-1:0],
      length: $clog2(MaxWords + 1)'(arrived.header.length),
      last: MaxBeats == 1 || arrived.last,
      data: arrived.data
  }
  ;
  entry_t received;
  logic buffer_holds;
  cluster_receive_buffer #(
      .data_t(entry_t),
      .Depth (Packets * MaxBeats)
  ) u_buffer (
      .clk_i,
      .rst_i,
      .in_i(entry),
      .in_valid_i(arrived_valid),
      .in_ready_o(arrived_ready),
      .out_o(received),
      .out_valid_o(receive_valid_o),
      .out_ready_i(receive_ready_i),
      .holds_o(buffer_holds)
  );
  always_comb begin
    receive_o = '0;
    receive_o.header.source = board_t'(received.source);
    receive_o.header.length = length_t'(received.length);
    receive_o.last = received.last;
    receive_o.data = received.data;
  end
  assign holds_o = send_holds | flow_holds | buffer_holds;

  // Room was reserved for what arrives.
  `BOMBUS_ASSERT(BufferHasRoom, !Managed || !arrived_valid || arrived_ready)

endmodule
