// SPDX-License-Identifier: Apache-2.0
// Reset handshake between two clock domains joined by crossings: a reset of either side empties the
// crossings for both, and neither side ever sees a jump of a pointer.
//
//   source       stops writing; stop -> destination
//   destination  takes the remaining data, or discards it if the reset was its own; then clears its
//                pointers; held -> source
//   source       clears its pointers; releases stop; waits for held to fall; runs
//
// The first resets after power-up must overlap for 2 * SyncStages + 6 cycles of the slower clock,
// so that the power-up values of the flip-flops are flushed; later resets may be as short as one
// cycle.
module reset_handshake #(
    parameter int unsigned SyncStages = 2
) (
    input  logic src_clk_i,
    input  logic src_rst_i,
    output logic src_run_o,   // may write
    output logic src_clear_o, // resets only the crossing

    input logic dst_clk_i,
    input logic dst_rst_i,
    input logic dst_empty_i,  // with dst_stop_o: all data that crossed has been taken
    output logic dst_stop_o,  // no more data will be written
    output logic dst_discard_o,  // data still at the output is from before this side's reset
    output logic dst_clear_o
);

  typedef enum logic [1:0] {
    Stop,
    Clear,
    Release,
    Run
  } state_e;
  state_e state_q;
  logic   again_q;  // a reset that is not yet followed by Clear
  logic held_seen, request_seen, stop_seen;
  logic request_q, held_q;

  assign src_run_o   = (state_q == Run) & ~src_rst_i;
  assign src_clear_o = state_q == Clear;

  wire reset = src_rst_i | again_q | request_seen;

  // A reset does not interrupt the sequence: each side must see every change of the other.
  always_ff @(posedge src_clk_i) begin
    again_q <= src_rst_i | (again_q & ~src_clear_o);
    case (state_q)
      Stop: if (held_seen & ~src_rst_i) state_q <= Clear;
      Clear: state_q <= Release;
      Release: if (~held_seen) state_q <= reset ? Stop : Run;
      default: if (reset) state_q <= Stop;
    endcase
  end

  assign dst_stop_o = stop_seen;
  assign dst_discard_o = request_q;
  assign dst_clear_o = held_q;

  always_ff @(posedge dst_clk_i) begin
    request_q <= dst_rst_i | (request_q & ~held_q);
    held_q <= stop_seen & (held_q | request_q | dst_empty_i);
  end

  synchroniser #(
      .Stages(SyncStages)
  ) u_stop (
      .src_clk_i,
      .src_i(state_q inside {Stop, Clear}),
      .dst_clk_i,
      .dst_rst_i(1'b0),
      .dst_o(stop_seen)
  );

  synchroniser #(
      .Width (2),
      .Stages(SyncStages)
  ) u_back (
      .src_clk_i(dst_clk_i),
      .src_i({request_q, held_q}),
      .dst_clk_i(src_clk_i),
      .dst_rst_i(1'b0),
      .dst_o({request_seen, held_seen})
  );

endmodule
