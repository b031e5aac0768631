// SPDX-License-Identifier: Apache-2.0
// Last stage of engines and of the parser: removes the next step from the sequence in the metadata,
// and sends the packet to that engine.
//
// Packets whose sequence has ended are sent to the exit of their MAC port. Packets refused by an
// engine, and packets whose next engine or exit does not exist, are sent to the exit of MAC port 0,
// which drops them; no packet is dropped elsewhere. An engine cannot be its own next hop.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module engine_output
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Engine = 0,  // engine of this tile; 0: none
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output logic  in_first_o,  // the next beat to be taken begins a packet

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o
);

  if (Engine > 15) begin : gen_bad_engine
    $error("engine must be from 1 to 15");
  end
  if (BoundKeys != '0 && $bits(in_i.data) != engine_pkg::DataWidth) begin : gen_bad_width
    $error("engines: data_width must be %0d", engine_pkg::DataWidth);
  end

  engine_packet_meta_t meta, sent;
  assign meta = engine_packet_meta_t'(in_i.meta);
  wire engine_t step = meta.steps[0];

  // Bound hop of the exit of MAC port 0.
  function automatic logic [NextWidth:0] first_exit();
    first_exit = '0;
    for (int unsigned b = 0; b < NumBound; b++) begin
      if (BoundKeys[b] == 16'(FirstExit)) first_exit = {1'b1, NextWidth'(BoundHops[b])};
    end
  endfunction
  localparam logic [NextWidth:0] Default = first_exit();
  if (BoundKeys != '0 && !Default[NextWidth]) begin : gen_no_exit
    $error("engines: there is no engine_exit for MAC port 0");
  end

  logic bound;
  logic [NextWidth-1:0] hop, next, next_q;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (step == '0 ? 16'(FirstExit) + 16'(meta.mac_port) : 16'(step)),
      .found_o(bound),
      .hop_o  (hop)
  );
  wire exists = bound & (Engine == 0 | step != engine_t'(Engine));
  assign next = (exists & ~meta.discard) ? hop : Default[NextWidth-1:0];

  always_comb begin
    sent = meta;
    sent.steps = meta.steps >> $bits(engine_t);
    sent.lost = ~exists & ~meta.discard;
  end
  beat_t stepped;
  always_comb begin
    stepped = in_i;
    stepped.meta = $bits(in_i.meta)'(sent);
  end

  wire taken = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(in_first_o)
  );
  always_ff @(posedge clk_i) begin
    if (taken & in_first_o) next_q <= next;
  end

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_stage (
      .in_i(stepped),
      .in_next_i(in_first_o ? next : next_q),
      .*
  );

endmodule
