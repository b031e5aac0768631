// SPDX-License-Identifier: Apache-2.0
// The part of a network interface that sends, for a tile without replica groups: looks up the
// routes of all sources in parallel (route_table) and injects their messages (injection).
//
// Latency: 0 cycles. Throughput: one flit per cycle.
module direct_injection
  import bombus_pkg::*;
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter type word_t = logic,  // table entry as written: see route_table
    parameter type route_t = logic,  // see route_table
    parameter place_t Place = WholeMesh,
    parameter int unsigned NumSources = 1,
    parameter int unsigned NumHops = 1,  // total next hops of all sources
    parameter int unsigned NextWidth = 1,  // width of a source's next hop number
    // First table entry of each source, ascending
    parameter logic [NumSources-1:0][15:0] FirstHop = '0,
    parameter word_t [NumHops-1:0] TableInit = '0,
    parameter bit FixedTables = 0,  // the table is constant
    localparam int unsigned HopWidth = NumHops > 1 ? $clog2(NumHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input beat_t [NumSources-1:0] src_i,
    input logic [NumSources-1:0] src_valid_i,
    output logic [NumSources-1:0] src_ready_o,
    input logic [NumSources-1:0][NextWidth-1:0] src_next_i,  // as numbered by the source

    output flit_t inj_o,
    output logic inj_valid_o,
    input logic [NumDirs-1:0] inj_ready_i,  // indexed by the flit's output

    output logic table_ready_o,
    input logic hop_write_i,  // not before table_ready_o
    input logic [HopWidth-1:0] hop_index_i,
    input word_t hop_word_i,

    output logic message_o,  // a message has gone to the mesh
    output length_t bytes_o,  // its payload length
    output logic message_end_o,  // the layers have handed over the last flit of a message
    output logic lost_o,  // a message without a route was dropped
    input logic lost_ready_i,  // such a message may finish in this cycle
    output logic busy_o
);

  route_t [NumSources-1:0] route;
  logic [NumSources-1:0] unused_is_group, unused_group, unused_selected;
  logic [NumSources-1:0][1:0] unused_choice;
  logic unused_starts, unused_held;

  route_table #(
      .word_t(word_t),
      .route_t(route_t),
      .NumEntries(NumHops),
      .NumReads(NumSources),
      .ReadWidth(NextWidth),
      .First(FirstHop),
      .Init(TableInit),
      .Fixed(FixedTables),
      .Place(Place)
  ) u_hops (
      .clk_i,
      .rst_i,
      .write_i(hop_write_i),
      .write_index_i(hop_index_i),
      .word_i(hop_word_i),
      .index_i(src_next_i),
      .route_o(route),
      .is_group_o(unused_is_group),
      .group_o(unused_group),
      .choice_o(unused_choice),
      .filled_o(table_ready_o)
  );

  injection #(
      .beat_t(beat_t),
      .flit_t(flit_t),
      .route_t(route_t),
      .NumSources(NumSources)
  ) u_injection (
      .route_i(route),
      .route_ready_i(table_ready_o),
      .hold_i(1'b0),
      .held_o(unused_held),
      .selected_o(unused_selected),
      .starts_o(unused_starts),
      .flit_o(inj_o),
      .flit_valid_o(inj_valid_o),
      .flit_ready_i(inj_ready_i),
      .*
  );

  assign busy_o = ~table_ready_o;

endmodule
