// SPDX-License-Identifier: Apache-2.0
// Logs the drops of its tile, each with its counter, the cycle of the pulse, and the first
// HeaderBytes bytes of the message as the layer that drops it has taken it (docs/architecture.md,
// "Observers"). The entries are written to the log_store of the same tile: log_pkg::drop_entry_t,
// then the bytes.
//
// A layer that does not say which message it drops, and a message followed by KeptMessages - 1 or
// more others, give entries without bytes. One entry per cycle; 32 drops of a layer wait.
// What does not fit is counted (event `missed`).
`include "bombus_assert.svh"

module drop_log
  import bombus_pkg::*;
  import log_pkg::*;
#(
    parameter int unsigned HeaderBytes = 64,
    parameter int unsigned KeptMessages = 64,  // of each layer, a power of two
    // Filled in by Bombus
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumObserved = 1,
    parameter int unsigned NumObservedStreams = 1,
    parameter logic [NumObserved-1:0][15:0] ObservedCounters = '0,
    parameter logic [NumObserved-1:0][7:0] ObservedStreams = '1,
    localparam int unsigned EntryBits = $bits(drop_entry_t) + 8 * HeaderBytes
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input logic [NumObserved-1:0] observed_drop_i,
    input message_number_t [NumObserved-1:0] observed_message_i,
    input observed_beat_t [NumObservedStreams-1:0] observed_beat_i,
    input logic [NumObservedStreams-1:0][DataWidth-1:0] observed_data_i,

    output logic [EntryBits-1:0] log_entry_o,
    output logic log_write_o,
    output logic [0:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string Status = "log";
  typedef enum int unsigned {
    EventMissed,  // cycles in which drops were not logged, since too many waited
    NumEvents
  } event_e;

  localparam int unsigned NumLanes = NumObservedStreams + 1;  // the last one: drops without stream
  localparam int unsigned IndexBits = NumObserved > 1 ? $clog2(NumObserved) : 1;
  typedef logic [$clog2(NumLanes)-1:0] lane_t;
  function automatic int unsigned lane_of(int unsigned observed);
    return 32'(ObservedStreams[observed]) < NumObservedStreams ?
        32'(ObservedStreams[observed]) : NumObservedStreams;
  endfunction

  stamp_t stamp;
  log_clock u_clock (
      .clk_i,
      .rst_i,
      .time_us_i,
      .stamp_o(stamp)
  );

  // ---- Drops and first bytes, by stream ----

  typedef logic [8*HeaderBytes-1:0] head_t;
  logic [NumLanes-1:0][IndexBits-1:0] drop;
  message_number_t [NumLanes-1:0] message;
  stamp_t [NumLanes-1:0] when;
  logic [NumLanes-1:0] waits, wins, missed, queue_busy, complete, gone;
  head_t [NumLanes-1:0] head;
  drop_entry_t [NumLanes-1:0] note;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    logic [NumObserved-1:0] pulses;
    for (genvar d = 0; d < NumObserved; d++) begin : gen_pulse
      assign pulses[d] = observed_drop_i[d] & (lane_of(d) == l);
    end
    drop_queue #(
        .NumDrops(NumObserved)
    ) u_queue (
        .clk_i,
        .rst_i,
        .stamp_i(stamp),
        .drop_i(pulses),
        .message_i(observed_message_i),
        .drop_o(drop[l]),
        .message_o(message[l]),
        .stamp_o(when[l]),
        .valid_o(waits[l]),
        .ready_i(wins[l]),
        .missed_o(missed[l]),
        .busy_o(queue_busy[l])
    );
    if (l < NumObservedStreams) begin : gen_heads
      drop_heads #(
          .DataWidth(DataWidth),
          .NumBytes(HeaderBytes),
          .Kept(KeptMessages)
      ) u_heads (
          .clk_i,
          .rst_i,
          .beat_i(observed_beat_i[l]),
          .data_i(observed_data_i[l]),
          .number_i(message[l].number),
          .complete_o(complete[l]),
          .gone_o(gone[l]),
          .head_o(head[l]),
          .note_o(note[l])
      );
    end else begin : gen_none
      assign complete[l] = 1'b0;
      assign gone[l] = 1'b0;
      assign head[l] = '0;
      assign note[l] = '0;
    end
  end

  // ---- Entries: of a lane whose message has come as far as it is logged ----

  logic [NumLanes-1:0] known, ready;
  lane_t lane, lane_q, last_q;
  logic [NumLanes-1:0] unused_wins;
  always_comb begin
    for (int unsigned n = 0; n < NumLanes; n++) begin
      known[n] = message[n].known & n < NumObservedStreams;
      ready[n] = waits[n] & (complete[n] | ~known[n]);
    end
  end
  round_robin #(
      .NumInputs(NumLanes)
  ) u_lane (
      .last_i(last_q),
      .request_i(ready),
      .grant_o(lane),
      .wins_o(unused_wins)
  );
  always_comb begin
    for (int unsigned n = 0; n < NumLanes; n++) wins[n] = ready[n] & lane == lane_t'(n);
  end

  drop_entry_t entry_q, entry;
  logic entry_valid_q;
  always_ff @(posedge clk_i) begin
    last_q <= rst_i ? '0 : lane;
    lane_q <= lane;
    entry_q <= '0;
    entry_q.stamp <= when[lane];
    entry_q.counter <= ObservedCounters[drop[lane]];
    entry_q.known <= known[lane] & ~gone[lane];
    entry_valid_q <= |ready & ~rst_i;

    log_entry_o <= {entry_q.known ? head[lane_q] : head_t'(0), entry};
    log_write_o <= entry_valid_q & ~rst_i;
    event_o[EventMissed] <= |missed & ~rst_i;
  end
  always_comb begin
    entry = entry_q.known ? note[lane_q] : '0;
    entry.stamp = entry_q.stamp;
    entry.counter = entry_q.counter;
    entry.known = entry_q.known;
  end
  assign busy_o = |observed_drop_i | |queue_busy | entry_valid_q | log_write_o;

  `BOMBUS_ASSERT(TakesOneLane, $onehot0(wins))

endmodule
