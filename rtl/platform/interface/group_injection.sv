// SPDX-License-Identifier: Apache-2.0
// The part of a network interface that sends, for a tile with replica groups: a next hop leads to
// a tile (route_table) or to a group of replicas (replica_choice).
//
// Choosing a replica takes a separate cycle: the sources are merged before the choice, and only one
// route is looked up. A message waits while the replicas have no room; messages to other
// destinations then need one cycle more.
//
// Latency: 2 cycles. Throughput: one flit per cycle.
module group_injection
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
    parameter bit FixedTables = 0,  // the tables are constant
    parameter int unsigned NumGroups = 1,  // groups of replicas
    parameter int unsigned NumSlots = 2,  // slots of all groups; a power of two, up to 256
    parameter group_t [NumGroups-1:0] Groups = {NumGroups{group_t'(
    '{RoundRobin, FlowMeta, 8'd1, 8'd0, 4'd1, 1'b0, 8'd0}
    )}},
    parameter word_t [NumSlots-1:0] SlotInit = '0,
    parameter int unsigned NumOthers = 0,  // other tiles that send to a group of these by load
    localparam int unsigned OtherWidth = NumOthers > 0 ? NumOthers : 1,
    localparam int unsigned HopWidth = NumHops > 1 ? $clog2(NumHops) : 1,
    localparam int unsigned SlotWidth = NumSlots > 1 ? $clog2(NumSlots) : 1
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
    input logic slot_write_i,  // not before table_ready_o
    input logic [SlotWidth-1:0] slot_index_i,
    input word_t slot_word_i,

    // Least loaded: the slot's replica has finished a message; another tile has sent it a message;
    // this tile has.
    input logic [NumSlots-1:0] done_i,
    input logic [NumSlots-1:0][OtherWidth-1:0] others_i,
    output logic [NumSlots-1:0] dispatched_o,

    output logic message_o,  // a message has gone to the mesh
    output length_t bytes_o,  // its payload length
    output logic message_end_o,  // the layers have handed over the last flit of a message
    output logic lost_o,  // a message without a route was dropped
    input logic lost_ready_i,  // such a message may finish in this cycle
    output logic busy_o
);

  if (NextWidth < 1) begin : gen_bad_next
    $error("group_injection: NextWidth must be at least 1");
  end

  for (genvar s = 0; s < NumSources; s++) begin : gen_check_hops
    if (32'(FirstHop[s]) >= NumHops || num_hops(
            s
        ) > NumHops || (s == 0 && FirstHop[s] != '0)) begin : gen_bad_hops
      $error("group_injection: FirstHop must start at 0, ascend, and stay below NumHops");
    end
  end

  localparam int unsigned GroupWidth = NumGroups > 1 ? $clog2(NumGroups) : 1;

  // ---- Merging: a next hop number among those of all sources ----

  // A number that the source does not have is mapped to one without an entry.
  localparam int unsigned FrontWidth = $clog2(NumHops + 1);
  typedef struct packed {
    logic [FrontWidth-1:0] next;
    beat_t beat;
  } front_t;
  front_t merged, front;
  logic merged_valid, merged_ready, front_valid, front_ready;
  logic [NumSources-1:0] source;  // source whose message is sent, one-hot
  stream_merge #(
      .beat_t(beat_t),
      .NumInputs(NumSources)
  ) u_merge (
      .clk_i,
      .rst_i,
      .in_i(src_i),
      .in_valid_i(src_valid_i),
      .in_ready_o(src_ready_o),
      .out_o(merged.beat),
      .out_valid_o(merged_valid),
      .out_ready_i({NumSources{merged_ready}}),
      .selected_o(source)
  );
  always_comb begin
    merged.next = '0;
    for (int unsigned s = 0; s < NumSources; s++) begin
      if (source[s]) begin
        merged.next = FrontWidth'(32'(FirstHop[s]) + 32'(src_next_i[s]));
        if (32'(src_next_i[s]) >= num_hops(s)) merged.next = '1;
      end
    end
  end
  function automatic int unsigned num_hops(int unsigned front_source);
    for (int unsigned s = 1; s < NumSources; s++) begin
      if (s == front_source + 1) return 32'(FirstHop[s]) - 32'(FirstHop[front_source]);
    end
    return NumHops - 32'(FirstHop[front_source]);
  endfunction
  stream_register #(
      .data_t(front_t)
  ) u_front (
      .clk_i,
      .rst_i,
      .in_i(merged),
      .in_valid_i(merged_valid),
      .in_ready_o(merged_ready),
      .out_o(front),
      .out_valid_o(front_valid),
      .out_ready_i(front_ready)
  );
  // Signalled where the message leaves the layers: while its last beat waits in u_front they may
  // already be idle, and completions would count it twice.
  assign message_end_o = merged_valid & merged_ready & merged.beat.last;

  // ---- Routes ----

  route_t hop_route, slot_route, route;
  logic is_group, hops_filled, slots_filled, starts, has_room, scarce;
  logic [1:0] choice;
  logic [GroupWidth-1:0] group;
  assign route = is_group ? slot_route : hop_route;
  assign table_ready_o = hops_filled & slots_filled;

  route_table #(
      .word_t(word_t),
      .route_t(route_t),
      .NumEntries(NumHops),
      .ReadWidth(FrontWidth),
      .Init(TableInit),
      .Fixed(FixedTables),
      .NumGroups(NumGroups),
      .Place(Place)
  ) u_hops (
      .clk_i,
      .rst_i,
      .write_i(hop_write_i),
      .write_index_i(hop_index_i),
      .word_i(hop_word_i),
      .index_i(front.next),
      .route_o(hop_route),
      .is_group_o(is_group),
      .group_o(group),
      .choice_o(choice),
      .filled_o(hops_filled)
  );

  replica_choice #(
      .beat_t(beat_t),
      .word_t(word_t),
      .route_t(route_t),
      .NumGroups(NumGroups),
      .Groups(Groups),
      .NumSlots(NumSlots),
      .Init(SlotInit),
      .FixedTables(FixedTables),
      .NumOthers(NumOthers),
      .Place(Place)
  ) u_choice (
      .clk_i,
      .rst_i,
      .beat_i(front.beat),
      .group_i(group),
      .choice_i(choice),
      .take_i(starts & is_group),
      .route_o(slot_route),
      .has_room_o(has_room),
      .scarce_o(scarce),
      .done_i,
      .others_i,
      .dispatched_o,
      .write_i(slot_write_i),
      .slot_i(slot_index_i),
      .word_i(slot_word_i),
      .filled_o(slots_filled)
  );

  // ---- Injection ----

  // Where room is scarce, a message is examined after it has waited for one cycle, since its route
  // is late.
  logic hold_q, held;
  always_ff @(posedge clk_i) begin
    hold_q <= rst_i | ~table_ready_o | (scarce & ~(held & (~is_group | has_room)));
  end

  flit_t out;
  logic out_valid, fifo_ready, unused_selected, unused_message_end;
  injection #(
      .beat_t(beat_t),
      .flit_t(flit_t),
      .route_t(route_t),
      .NumSources(1),
      .AnyRoute(1)
  ) u_injection (
      .clk_i,
      .rst_i,
      .src_i(front.beat),
      .src_valid_i(front_valid),
      .src_ready_o(front_ready),
      .route_i(route),
      .route_ready_i(1'b1),
      .hold_i(hold_q),
      .held_o(held),
      .selected_o(unused_selected),
      .starts_o(starts),
      .flit_o(out),
      .flit_valid_o(out_valid),
      // Independent of the route, which is late.
      .flit_ready_i({NumDirs{fifo_ready & lost_ready_i}}),
      .message_o,
      .bytes_o,
      .message_end_o(unused_message_end),
      .lost_o,
      .lost_ready_i
  );

  // A FIFO between the choice and the router, with a registered ready: otherwise the router's
  // ready, two stages and all layers of the tile would be in one path.
  dir_e  fifo_dir;
  flit_t fifo_flit;
  head_fifo #(
      .head_t(dir_e),
      .body_t(flit_t),
      .Depth (4)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_head_i  (out.dir),
      .in_body_i  (out),
      .in_valid_i (out_valid & lost_ready_i),
      .in_ready_o (fifo_ready),
      .out_head_o (fifo_dir),
      .out_body_o (fifo_flit),
      .out_valid_o(inj_valid_o),
      .out_ready_i(inj_ready_i[fifo_dir])
  );
  always_comb begin
    inj_o = fifo_flit;
    inj_o.dir = fifo_dir;
  end

  assign busy_o = ~table_ready_o | front_valid | inj_valid_o;

endmodule
