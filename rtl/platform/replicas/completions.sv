// SPDX-License-Identifier: Apache-2.0
// Reports when a tile has finished the messages that a dispatcher sent to it: one pulse for each,
// so that the dispatcher can count the tile's load.
//
// A message is done when a message is sent or dropped. A layer may answer a message with several,
// or with none. The number of messages done therefore never exceeds the number received, and all of
// them are done when the layers are idle.
//
// Messages that were not dispatched, such as answers to the tile's own requests, are not reported:
// each cancels one completion.
//
// While hold_i is high, completions are not reported but counted, and reported afterwards.
//
// Latency: 2 cycles. At most one pulse per cycle; messages that finish at the same time are
// reported one after the other.
module completions #(
    parameter int unsigned NumEnds = 1,
    parameter int unsigned NumOthers = 0,  // at most 16
    localparam int unsigned OtherWidth = NumOthers > 0 ? NumOthers : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic                  entered_i,   // a dispatched message has begun to arrive
    // Another message has begun to arrive; ignored if NumOthers is 0
    input  logic [OtherWidth-1:0] others_i,
    input  logic [   NumEnds-1:0] finished_i,  // a message has left, was dropped, ...
    input  logic                  idle_i,      // no message is in a layer or arriving
    input  logic                  hold_i,
    output logic                  done_o
);

  if (NumEnds < 1 || NumOthers > 16) begin : gen_bad_ends
    $error("completions: NumEnds must be at least 1, NumOthers at most 16");
  end

  localparam int unsigned Width = 10;  // exceeds the messages that a tile can buffer
  typedef logic [Width-1:0] count_t;

  count_t inside_q;  // arrived, not yet reported as done
  count_t finished_q;  // of these, done; greater if more finished than arrived
  logic idle_q;
  wire report = ~hold_i & inside_q != '0 & (idle_q | finished_q != '0);
  count_t cancelled;  // completions cancelled in this cycle
  count_t entered, owed, finished;

  // `owed` depends only on registers, so its comparison and addition are not in one path with
  // finished_i.
  always_comb begin
    entered = inside_q - count_t'(report) + count_t'(entered_i && inside_q != '1);
    owed = (idle_q || finished_q > inside_q) ? inside_q : finished_q;
    finished = owed - count_t'(report);
    for (int unsigned i = 0; i < NumEnds; i++) finished += count_t'(finished_i[i]);
    finished -= cancelled;
  end

  if (NumOthers == 0) begin : gen_dispatched
    assign cancelled = '0;
    logic unused_others;
    assign unused_others = ^others_i;
  end else begin : gen_others
    count_t others_q;  // other messages that have not yet cancelled a completion
    count_t ends, arrived, remaining;
    always_comb begin
      ends = '0;
      for (int unsigned i = 0; i < NumEnds; i++) ends += count_t'(finished_i[i]);
      cancelled = ends < others_q ? ends : others_q;
      arrived   = '0;
      for (int unsigned i = 0; i < NumOthers; i++) arrived += count_t'(others_i[i]);
      remaining = idle_q ? '0 : others_q - cancelled;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) others_q <= '0;
      else others_q <= &remaining[Width-1:4] ? remaining : remaining + arrived;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= '0;
      finished_q <= '0;
      idle_q <= 1'b0;
      done_o <= 1'b0;
    end else begin
      inside_q <= entered;
      finished_q <= finished;
      idle_q <= idle_i;
      done_o <= report;
    end
  end

endmodule
