// SPDX-License-Identifier: Apache-2.0
// Five drops: two of each of two streams of 64-bit beats, one without a stream. An item in is what
// is seen in a cycle: pulses and the numbers of their messages, then a beat of each stream. Out:
// entries, whenever they are written. Events: missed.
`include "bench.svh"

module bench
  import bombus_pkg::*;
#(
    parameter int unsigned HeaderBytes = 16,
    parameter int unsigned Kept = 8,
    localparam int unsigned NumObserved = 5,
    localparam int unsigned NumStreams = 2,
    localparam int unsigned EntryBits = $bits(log_pkg::drop_entry_t) + 8 * HeaderBytes
) (
    `BENCH_PORTS(1, 98 + NumObserved + NumStreams * (64 + $bits(observed_beat_t)), 1, EntryBits, 1,
                 1)
);

  `BENCH_SHAPE

  typedef struct packed {
    observed_beat_t [NumStreams-1:0] beats;
    logic [NumStreams-1:0][63:0] data;
    message_number_t [NumObserved-1:0] messages;
    logic [NumObserved-1:0] pulses;
  } seen_t;
  seen_t seen;
  assign seen = in_valid_i[0] ? seen_t'(in_i[0]) : '0;
  assign in_ready_o = '1;

  logic [EntryBits-1:0] entry;
  drop_log #(
      .HeaderBytes(HeaderBytes),
      .KeptMessages(Kept),
      .DataWidth(64),
      .NumObserved(NumObserved),
      .NumObservedStreams(NumStreams),
      .ObservedCounters({16'd9, 16'd8, 16'd7, 16'd6, 16'd300}),
      .ObservedStreams({8'd255, 8'd1, 8'd1, 8'd0, 8'd0})
  ) u_log (
      .clk_i,
      .rst_i,
      .time_us_i(32'd77),
      .observed_drop_i(seen.pulses),
      .observed_message_i(seen.messages),
      .observed_beat_i(seen.beats),
      .observed_data_i(seen.data),
      .log_entry_o(entry),
      .log_write_o(out_valid_o[0]),
      .event_o(event_o[0]),
      .busy_o(status_o[0])
  );
  assign out_o[0] = entry;
  assign event_o[63:1] = '0;
  wire unused = &{out_ready_i, control_i};

endmodule
