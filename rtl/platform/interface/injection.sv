// SPDX-License-Identifier: Apache-2.0
// From a tile's layers to the mesh: merges their streams, message by message, and prepends the
// route to each beat. A message keeps the route that it started with. A message without a route is
// discarded and reported.
//
// The routes of all sources are looked up in parallel with the arbitration among them, so that
// src_ready_o[s] takes little longer than the look-up.
//
// Latency: 0 cycles. Throughput: one flit per cycle.
`include "bombus_assert.svh"

module injection
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter type route_t = logic,  // see route_table
    parameter int unsigned NumSources = 1,
    parameter bit AnyRoute = 0  // ready does not depend on the route
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t [NumSources-1:0] src_i,
    input  logic  [NumSources-1:0] src_valid_i,
    output logic  [NumSources-1:0] src_ready_o,

    input route_t [NumSources-1:0] route_i,  // of the message at the front of each source
    input logic route_ready_i,  // the tables are initialised; messages wait until then
    input logic hold_i,  // no message may start; registered
    output logic held_o,  // a message is held back
    output logic [NumSources-1:0] selected_o,  // source whose message is sent, one-hot
    output logic starts_o,  // the message takes its route; once per message

    output flit_t flit_o,
    output logic flit_valid_o,
    input logic [NumDirs-1:0] flit_ready_i,  // indexed by the flit's output; AnyRoute: [0]

    output logic message_o,  // a message has begun to be sent
    output bombus_pkg::length_t bytes_o,  // its payload length
    output logic message_end_o,  // its last flit was sent
    output logic lost_o,  // a message without a route was dropped
    input logic lost_ready_i  // such a message may finish now; AnyRoute: see flit_ready_i
);

  if (NumSources < 1) begin : gen_bad_sources
    $error("injection: NumSources must be at least 1");
  end

  beat_t merged;
  logic merged_valid, merged_ready;
  logic [NumSources-1:0] ready;
  stream_merge #(
      .beat_t(beat_t),
      .NumInputs(NumSources)
  ) u_merge (
      .clk_i,
      .rst_i,
      .in_i(src_i),
      .in_valid_i(src_valid_i),
      .in_ready_o(src_ready_o),
      .out_o(merged),
      .out_valid_o(merged_valid),
      .out_ready_i(ready),
      .selected_o
  );

  logic inside_q;  // the message's first flit has been offered
  wire may_send = route_ready_i & (inside_q | ~hold_i);
  route_t [NumSources-1:0] routes;
  route_t route, route_q;
  for (genvar s = 0; s < NumSources; s++) begin : gen_source
    assign routes[s] = inside_q ? route_q : route_i[s];
    assign ready[s]  = may_send & (AnyRoute ? flit_ready_i[0] :
        |(routes[s].request & flit_ready_i) | (~routes[s].valid & lost_ready_i));
  end
  always_comb begin
    route = '0;
    for (int unsigned s = 0; s < NumSources; s++) if (selected_o[s]) route = routes[s];
  end
  assign merged_ready = |(ready & selected_o);
  wire offered = merged_valid & may_send;
  assign held_o = merged_valid & hold_i & ~inside_q;
  assign starts_o = offered & ~inside_q;

  assign flit_valid_o = offered & route.valid;
  assign flit_o = '{dir: route.dir, x: route.x, y: route.y, port: route.port, beat: merged};

  logic first;
  wire  taken = flit_valid_o & merged_ready;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (merged.last),
      .first_o(first)
  );
  always_ff @(posedge clk_i) begin
    if (~inside_q) route_q <= route;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) inside_q <= 1'b0;
    else if (offered) inside_q <= ~(merged_ready & merged.last);
  end

  assign message_o = taken & first;
  assign bytes_o = merged.length;
  assign message_end_o = taken & merged.last;
  assign lost_o = merged_valid & merged_ready & merged.last & ~route.valid;

  `BOMBUS_ASSERT(OneRequest, !flit_valid_o || AnyRoute || $onehot(route.request))

endmodule
