// SPDX-License-Identifier: Apache-2.0
// From a tile's layers to the mesh: merges their streams, message by message, and
// puts the route before each beat. A message keeps the route that it started with.
// One without a route is swallowed and told of.
//
// Latency: 0 cycles. Throughput: one flit per cycle.
module injection #(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter type route_t = logic,  // as in route_table
    parameter int unsigned NumSources = 1,
    parameter int unsigned HopWidth = 1
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t [NumSources-1:0] src_i,
    input logic [NumSources-1:0] src_valid_i,
    output logic [NumSources-1:0] src_ready_o,
    input logic [NumSources-1:0][HopWidth-1:0] src_next_i,

    // Where the message at the front goes
    output logic   [HopWidth-1:0] next_o,
    output logic                  starts_o,      // it takes the route; once per message
    input  route_t                route_i,
    input  logic                  route_ready_i, // the tables are filled; messages wait till then

    output flit_t flit_o,
    output logic  flit_valid_o,
    input  logic  flit_ready_i,

    output logic        message_o,      // a message has begun to go
    output logic [13:0] bytes_o,        // its payload, bytes
    output logic        message_end_o,  // its last flit has gone
    output logic        lost_o,         // a message without a route has been swallowed
    input  logic        lose_i          // such a message may end in this cycle
);

  if (NumSources < 1 || HopWidth < 1) begin : gen_bad_shape
    $error("injection: NumSources and HopWidth must be at least 1");
  end

  beat_t merged;
  logic merged_valid, merged_ready;
  logic [NumSources-1:0] selected;
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
      .out_ready_i(merged_ready),
      .selected_o(selected)
  );
  always_comb begin
    next_o = '0;
    for (int unsigned s = 0; s < NumSources; s++) if (selected[s]) next_o = src_next_i[s];
  end

  logic inside_q;  // the message's first flit has been offered
  route_t route, route_q;
  assign route = inside_q ? route_q : route_i;
  wire offered = merged_valid & route_ready_i;
  assign starts_o = offered & ~inside_q;

  assign flit_valid_o = offered & route.valid;
  assign flit_o = '{dir: route.dir, x: route.x, y: route.y, port: route.port, beat: merged};
  assign merged_ready = route_ready_i & (route.valid ? flit_ready_i : lose_i);

  logic first_q;
  wire  taken = flit_valid_o & flit_ready_i;
  always_ff @(posedge clk_i) begin
    if (~inside_q) route_q <= route_i;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= 1'b0;
      first_q  <= 1'b1;
    end else begin
      if (offered) inside_q <= ~(merged_ready & merged.last);
      if (taken) first_q <= merged.last;
    end
  end

  assign message_o = taken & first_q;
  assign bytes_o = merged.length;
  assign message_end_o = taken & merged.last;
  assign lost_o = merged_valid & merged_ready & merged.last & ~route.valid;

endmodule
