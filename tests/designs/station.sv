// SPDX-License-Identifier: Apache-2.0
// Sends each message on to what comes next in the itinerary that it carries (itinerary.sv):
// a station, or the end for 0. What has 5 is dropped here; of what has 6, the end gets the first
// beat.
module station
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Station = 1,
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 1)
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [NextWidth-1:0] out_next_o,
    output logic [0:0] drop_o,
    output logic busy_o
);

  localparam string Entry = "station";
  localparam bit Forwards = 1;
  localparam string Binds = "station";
  localparam int unsigned BindsWidth = 3;
  typedef enum logic [0:0] {
    NextUdpTx,
    NextBound
  } next_e;
  typedef enum int unsigned {
    DropWanted,
    NumDrops
  } drop_e;

  localparam int unsigned BeatBytes = $bits(in_i.data) / 8;
  localparam logic [2:0] Drop = 3'd5, Cut = 3'd6;

  logic first_q, found, out_ready;
  logic [2:0] step_q;
  wire [2:0] step = first_q ? in_i.meta.l4.ports.src_port[2:0] : step_q;
  wire skipped = step == Drop || (step == Cut && !first_q);
  logic [NextWidth-1:0] hop;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (16'(step)),
      .found_o(found),
      .hop_o  (hop)
  );
  beat_t sent;
  always_comb begin
    sent = in_i;
    sent.meta.l4.ports.src_port = in_i.meta.l4.ports.src_port >> 3;
    if (step == Cut) begin
      sent.last = 1'b1;
      if (32'(in_i.length) > BeatBytes) sent.length = 14'(BeatBytes);
    end
  end
  assign in_ready_o = skipped | out_ready;
  always_ff @(posedge clk_i) begin
    if (in_valid_i) step_q <= step;
    if (rst_i) begin
      first_q <= 1'b1;
      drop_o  <= 1'b0;
    end else begin
      if (in_valid_i & in_ready_o) first_q <= in_i.last;
      drop_o <= in_valid_i & in_i.last & step == Drop;
    end
  end

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(in_valid_i & ~skipped),
      .in_ready_o(out_ready),
      .in_next_i(found ? hop + NextWidth'(NextBound) : NextWidth'(NextUdpTx)),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o
  );

  assign busy_o = out_valid_o | ~first_q;

endmodule
