// SPDX-License-Identifier: Apache-2.0
// rpu with its program. In: beats; words for the memories. Out: beats. Control: the core runs.
// Events: drops, then others.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import bombus_pkg::*;
#(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumSlots = 16,
    parameter int unsigned SlotBytes = 2048
) (
    `BENCH_PORTS(2, bench_pkg::beat_bits(DataWidth), 1, bench_pkg::beat_bits(DataWidth), 8, 8)
);

  `BENCH_SHAPE

  `BOMBUS_BEAT_T(beat_t, DataWidth)
  typedef struct packed {
    struct packed {logic run;} control;
  } regs_t;
  typedef struct packed {logic [31:0] word;} word_t;

  regs_t regs;
  assign regs.control.run = control_i[0];
  beat_t beat;
  logic next, busy, code_done, data_done;
  logic [1:0] drop;
  logic event_bad;
  assign out_o[0] = $bits(out_o[0])'(beat);
  assign event_o = 64'({event_bad, drop});
  assign status_o = {6'd0, next, busy};

  // A word of memory, its index, whether it is of the data memory.
  wire word_t word = in_i[1][31:0];
  wire is_data = in_i[1][63];
  assign in_ready_o[1] = is_data ? data_done : code_done;

  rpu #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .code_t(word_t),
      .data_t(word_t),
      .DataWidth(DataWidth),
      .NumSlots(NumSlots),
      .SlotBytes(SlotBytes)
  ) u_layer (
      .clk_i,
      .rst_i,
      .in_i(beat_t'(in_i[0][$bits(beat_t)-1:0])),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(beat),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .out_next_o(next),
      .regs_i(regs),
      .code_request_i(in_valid_i[1] & ~is_data),
      .code_index_i(in_i[1][42:32]),
      .code_write_i(1'b1),
      .code_wdata_i(word),
      .code_done_o(code_done),
      .data_request_i(in_valid_i[1] & is_data),
      .data_index_i(in_i[1][42:32]),
      .data_write_i(1'b1),
      .data_wdata_i(word),
      .data_done_o(data_done),
      .drop_o(drop),
      .event_o(event_bad),
      .busy_o(busy)
  );

endmodule
