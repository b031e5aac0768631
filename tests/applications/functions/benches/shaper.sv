// SPDX-License-Identifier: Apache-2.0
// shaper. In: beats. Out: beats. Control, from the lowest bit: round robin; of each class the step,
// the burst and the quantum. A value's class is its lowest bits. Events: drops; bit 8: busy.
`include "bombus_types.svh"
`include "bench.svh"

module bench #(
    parameter  int unsigned DataWidth     = 64,
    parameter  int unsigned NumClasses    = 4,
    parameter  int unsigned QueueBeats    = 2048,
    parameter  bit          ByMark        = 0,
    parameter  int unsigned OverheadBytes = 0,
    parameter  bit          DropsWhenFull = 1,
    localparam int unsigned BeatBits      = bench_pkg::beat_bits(DataWidth)
) (
    `BENCH_PORTS(1, BeatBits, 1, BeatBits, 8 + 72 * NumClasses, 1)
);

  `BENCH_SHAPE
  `BOMBUS_BEAT_T(beat_t, DataWidth)

  typedef struct packed {
    struct packed {
      struct packed {
        logic [15:0] quantum;
        logic [23:0] bytes;
      } burst;
      struct packed {logic [31:0] step;} rate;
    } [NumClasses-1:0] limit;
    struct packed {logic round_robin;} control;
  } regs_t;
  typedef struct packed {logic [2:0] class_number;} class_of_t;

  regs_t regs;
  always_comb begin
    regs.control.round_robin = control_i[0];
    for (int unsigned c = 0; c < NumClasses; c++) regs.limit[c] = control_i[8+72*c+:72];
  end
  logic [5:0] index;
  class_of_t class_of;
  always_ff @(posedge clk_i) class_of.class_number <= index[2:0];

  logic drops, busy;
  bombus_pkg::message_number_t drop_message;
  shaper #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .class_of_t(class_of_t),
      .NumClasses(NumClasses),
      .DataWidth(DataWidth),
      .QueueBeats(QueueBeats),
      .ByMark(ByMark),
      .OverheadBytes(OverheadBytes),
      .DropsWhenFull(DropsWhenFull)
  ) u_shaper (
      .clk_i,
      .rst_i,
      .regs_i(regs),
      .class_of_index_o(index),
      .class_of_i(class_of),
      .in_i(in_i[0][BeatBits-1:0]),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(out_o[0][BeatBits-1:0]),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .drop_o(drops),
      .drop_message_o(drop_message),
      .busy_o(busy),
      .waits_o()
  );
  assign event_o  = 64'({busy, 7'd0, drops});
  assign status_o = busy;

endmodule
