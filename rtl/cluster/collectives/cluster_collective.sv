// SPDX-License-Identifier: Apache-2.0
// Barrier, broadcast, reduce and all-reduce among the boards of a ring: vectors of 32-bit integers
// or binary32 floats in a local memory.
//
// A vector is cut into packets of PacketBeats beats. Each packet travels on its own from board to
// its following board: while it is reduced, each board adds its own part; while it is distributed,
// each stores the result. In an all-reduce, packet n starts at position n modulo the number of
// boards, takes N-1 hops of reduction and N-1 of distribution, so all links of the ring carry the
// same (reduce-scatter and all-gather: Patarasuk and Yuan, 2009, "Bandwidth optimal all-reduce
// algorithms for clusters of workstations"). All boards get the same bits.
//
// Received packets go to the memory before they are sent on, and each has its place there: the
// input never waits for the output, so the ring cannot block, whatever its buffers. Only packets
// of the next operation wait, until the board has its own command.
//
// Order: a command, then its vector at load (OpReduce, OpAllReduce on all boards; OpBroadcast at
// the root), then the result (OpAllReduce, OpBroadcast on all boards, OpReduce at the root). done_o
// is a pulse when the board has stored and sent all, or the operation is aborted. abort_i ends an
// operation before that, when other boards are gone; its late packets have an old tag and are
// dropped.
//
// Latency from a received packet to the one sent on: its beats and collective_lane_pkg::Stages + 4
// cycles. Throughput: one beat per cycle in each direction.
`include "bombus_assert.svh"

module cluster_collective
  import cluster_pkg::*;
  import collective_pkg::*;
  import collective_lane_pkg::*;
#(
    parameter type beat_t = logic,  // CLUSTER_BEAT_T of DataWidth
    parameter int unsigned DataWidth = 128,
    parameter int unsigned MaxBytes = 65536,  // of a vector
    parameter int unsigned PacketBeats = 32,
    localparam type data_t = logic [DataWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input ring_t ring_i,  // stable while an operation runs

    input  command_t command_i,
    input  logic     command_valid_i,
    output logic     command_ready_o,
    input  logic     abort_i,
    output logic     done_o,
    output logic     has_result_o,     // with done_o: it follows

    input  data_t load_i,
    input  logic  load_valid_i,
    output logic  load_ready_o,

    output data_t result_o,
    output logic  result_last_o,
    output logic  result_valid_o,
    input  logic  result_ready_i,

    // An endpoint: packets to and from the neighbours in the ring. Of the header, destination and
    // length are set, source and length are read.
    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [2:0] event_o,
    output logic busy_o
);

  typedef enum int unsigned {
    EventOperation,  // ended
    EventBadPacket,  // dropped: source, operation, position or length is wrong
    EventOldPacket,  // dropped: of an operation that was aborted
    NumEvents
  } event_e;

  localparam int unsigned Words = DataWidth / WordBits;
  localparam int unsigned MaxBeats = MaxBytes * 8 / DataWidth;
  localparam int unsigned PacketShift = $clog2(PacketBeats);
  localparam int unsigned AddrBits = $clog2(MaxBeats);
  typedef logic [AddrBits-1:0] addr_t;

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("cluster_collective: DataWidth must be a power of two of at least 64");
  end
  if (PacketBeats < 2 || PacketBeats != 2 ** PacketShift || (PacketBeats + 1) * Words > 255)
  begin : gen_bad_packet
    $error(
        "cluster_collective: PacketBeats must be a power of two, and a packet at most 255 words"
    );
  end
  if (MaxBeats < 2 * PacketBeats || MaxBeats > 2 ** 19 || MaxBeats != 2 ** AddrBits)
  begin : gen_bad_size
    $error("cluster_collective: MaxBytes must be a power of two: 2 packets to 524,288 beats");
  end

  // ---- The operation ----

  typedef enum logic [2:0] {
    StateIdle,
    StateLoad,
    StateRun,
    StateDone,
    StateResult,
    StateAbort    // the rest of a packet is sent
  } state_e;

  state_e   state_q;
  command_t command_q;
  index_t   packets_q;  // of the vector; 1 for a barrier
  logic starts_here_q, gives_result_q, starts_q, is_fresh_q;
  beats_t count_q;  // loaded or given
  index_t seen_q;  // packets that need nothing more from this board
  wire is_alone = ring_i.last == '0;
  wire is_all = command_q.op == OpAllReduce | command_q.op == OpBarrier;
  wire has_all = seen_q == packets_q | is_alone;
  wire is_last_beat = count_q + 1'b1 == command_q.beats;
  wire aborts = abort_i & (state_q == StateLoad | state_q == StateRun);
  logic is_sending, started, stored, is_storing;

  assign command_ready_o = state_q == StateIdle;
  assign load_ready_o = state_q == StateLoad;
  assign done_o = state_q == StateDone | (state_q == StateAbort & ~is_sending);
  assign has_result_o = gives_result_q & state_q == StateDone;
  assign busy_o = state_q != StateIdle;

  wire is_root = command_i.root == ring_i.position;
  wire follows_root = command_i.root == (ring_i.position == '0 ? ring_i.last
      : ring_i.position - 1'b1);

  always_ff @(posedge clk_i) begin
    if (command_ready_o) begin
      command_q <= command_i;
      packets_q <= index_t'((command_i.beats + beats_t'(PacketBeats - 1)) >> PacketShift);
      unique case (command_i.op)
        OpBroadcast: starts_here_q <= is_root;
        OpReduce: starts_here_q <= follows_root;
        default: starts_here_q <= 1'b1;
      endcase
      gives_result_q <= command_i.beats != '0
          & (command_i.op == OpAllReduce | command_i.op == OpBroadcast
             | (command_i.op == OpReduce & is_root));
      if (command_i.op == OpBarrier) begin
        command_q.beats <= '0;
        packets_q <= 'd1;
        gives_result_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    starts_q   <= command_ready_o & command_valid_i & ~rst_i;
    is_fresh_q <= rst_i | (is_fresh_q & ~(command_ready_o & command_valid_i));
    if (rst_i) begin
      state_q <= StateIdle;
      count_q <= '0;
      seen_q  <= '0;
    end else begin
      seen_q <= seen_q + index_t'(stored) + index_t'({started & ~is_all});
      unique case (state_q)
        StateIdle: begin
          count_q <= '0;
          seen_q  <= '0;
          if (command_valid_i) begin
            state_q <= StateRun;
            if (command_i.beats != '0
                & (command_i.op == OpReduce | command_i.op == OpAllReduce
                   | (command_i.op == OpBroadcast & is_root))) begin
              state_q <= StateLoad;
            end
          end
        end
        StateLoad:
        if (load_valid_i) begin
          count_q <= count_q + 1'b1;
          if (is_last_beat) state_q <= StateRun;
        end
        StateRun: if (has_all & ~is_sending & ~starts_q) state_q <= StateDone;
        StateDone: state_q <= gives_result_q ? StateResult : StateIdle;
        StateAbort: if (~is_sending) state_q <= StateIdle;
        default: if (result_valid_o & result_ready_i & result_last_o) state_q <= StateIdle;
      endcase
      if (aborts) state_q <= StateAbort;
    end
  end

  // ---- Memory, written by load_i and by received packets ----

  logic write;
  addr_t write_addr, receive_addr;
  data_t write_data, receive_data;
  wire loads = load_valid_i & load_ready_o;
  assign write = loads | is_storing;
  assign write_addr = loads ? addr_t'(count_q) : receive_addr;
  assign write_data = loads ? load_i : receive_data;

  stored_t forward;
  logic forward_valid;
  logic [1:0] drop;
  collective_receive #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .MaxBeats(MaxBeats),
      .PacketBeats(PacketBeats)
  ) u_receive (
      .clk_i,
      .rst_i,
      .abort_i(aborts),
      .command_i(command_q),
      .ring_i,
      .packets_i(packets_q),
      .is_idle_i(~busy_o),
      .is_fresh_i(is_fresh_q),
      .is_running_i(state_q == StateRun & ~starts_q),
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .write_addr_i(write_addr),
      .write_data_i(write_data),
      .write_i(write),
      .addr_o(receive_addr),
      .data_o(receive_data),
      .store_o(is_storing),
      .forward_o(forward),
      .forward_valid_o(forward_valid),
      .finished_o(stored),
      .drop_o(drop)
  );

  collective_send #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .MaxBeats(MaxBeats),
      .PacketBeats(PacketBeats),
      .MaxPackets(MaxBeats / PacketBeats)
  ) u_send (
      .clk_i,
      .rst_i,
      .abort_i(aborts),
      .command_i(command_q),
      .ring_i,
      .packets_i(packets_q),
      .starts_i(starts_q),
      .has_first_i(starts_here_q & state_q == StateRun & ~starts_q & ~is_alone),
      .first_i(is_all ? index_t'(ring_i.position) : '0),
      .step_i(is_all ? index_t'(ring_i.last) + 1'b1 : index_t'(1)),
      .hop_i(command_q.op == OpBroadcast ? hop_t'(ring_i.last) + 1'b1 : hop_t'(1)),
      .forward_i(forward),
      .forward_valid_i(forward_valid),
      .write_addr_i(write_addr),
      .write_data_i(write_data),
      .write_i(write),
      .started_o(started),
      .is_sending_o(is_sending),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .gives_result_i(state_q == StateResult),
      .result_o,
      .result_last_o,
      .result_valid_o,
      .result_ready_i
  );

  assign event_o = {drop, done_o};

  `BOMBUS_ASSERT(OneWriter, ~(loads & is_storing))

endmodule
