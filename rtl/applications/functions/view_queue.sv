// SPDX-License-Identifier: Apache-2.0
// Queue of a stream whose messages wait until a layer has seen their first ViewBytes bytes.
//
// head_o is the first beat of the message at the input, view_o its first bytes (bytes after its end
// are zero), view_here_o the cycle in which the last of them is taken. The layer derives result_i
// from these, combinationally. result_o accompanies all beats of the message at the output.
//
// Latency: 1 cycle, and the beats of the view after the first. Throughput: one beat per cycle.
module view_queue #(
    parameter type beat_t = logic,
    parameter type result_t = logic,
    parameter int unsigned ViewBytes = 34,
    parameter int unsigned Depth = 16  // beats; a power of two, more than the beats of the view
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                     head_o,
    output logic    [ViewBytes*8-1:0] view_o,
    output logic                      view_here_o,
    input  result_t                   result_i,

    output beat_t   out_o,
    output result_t result_o,
    output logic    out_valid_o,
    input  logic    out_ready_i,
    output logic    out_first_o,
    output logic    busy_o
);

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned ViewBeats = (ViewBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned SeenWidth = $clog2(ViewBeats + 1);

  if (Depth <= ViewBeats) begin : gen_bad_depth
    $error("view_queue: Depth must exceed the beats of the view");
  end

  logic queue_ready, results_ready;
  wire taken = in_valid_i & in_ready_o;
  assign in_ready_o = queue_ready & results_ready;

  // Beats of this message before the present one, at most those of the view.
  logic [SeenWidth-1:0] seen_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) seen_q <= '0;
    else if (taken) begin
      if (in_i.last) seen_q <= '0;
      else if (seen_q != SeenWidth'(ViewBeats)) seen_q <= seen_q + 1'b1;
    end
  end
  wire is_end = seen_q == SeenWidth'(ViewBeats - 1);
  assign view_here_o = taken & (is_end | (in_i.last & seen_q != SeenWidth'(ViewBeats)));

  logic [ViewBeats-1:0][DataBytes*8-1:0] beats;
  assign view_o = (ViewBytes * 8)'(beats);
  if (ViewBeats == 1) begin : gen_one_beat
    assign beats  = in_i.data;
    assign head_o = in_i;
  end else begin : gen_more_beats
    logic [ViewBeats-2:0][DataBytes*8-1:0] before_q;
    beat_t head_q;
    assign head_o = seen_q == '0 ? in_i : head_q;
    always_ff @(posedge clk_i) begin
      if (taken & seen_q == '0) head_q <= in_i;
      for (int unsigned b = 0; b < ViewBeats - 1; b++) begin
        if (taken && 32'(seen_q) == b) before_q[b] <= in_i.data;
      end
    end
    always_comb begin
      beats = '0;
      for (int unsigned b = 0; b < ViewBeats; b++) begin
        if (32'(seen_q) == b) beats[b] = in_i.data;
        else if (b < ViewBeats - 1 && 32'(seen_q) > b) beats[b] = before_q[b%(ViewBeats-1)];
      end
    end
  end

  beat_t waiting;
  logic waiting_valid, result_valid, unused_holds, unused_results_hold;
  stream_queue #(
      .data_t(beat_t),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i(in_valid_i & results_ready),
      .in_ready_o(queue_ready),
      .out_o(waiting),
      .out_valid_o(waiting_valid),
      .out_ready_i(out_ready_i & result_valid),
      .holds_o(unused_holds)
  );
  stream_queue #(
      .data_t(result_t),
      .Depth (Depth)
  ) u_results (
      .clk_i,
      .rst_i,
      .in_i(result_i),
      .in_valid_i(view_here_o),
      .in_ready_o(results_ready),
      .out_o(result_o),
      .out_valid_o(result_valid),
      .out_ready_i(out_ready_i & waiting_valid & waiting.last),
      .holds_o(unused_results_hold)
  );
  assign out_o = waiting;
  assign out_valid_o = waiting_valid & result_valid;
  assign busy_o = waiting_valid;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(out_valid_o & out_ready_i),
      .last_i (out_o.last),
      .first_o(out_first_o)
  );

endmodule
