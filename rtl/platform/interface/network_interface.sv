// SPDX-License-Identifier: Apache-2.0
// Network interface of a tile: maps symbolic next hops to routes on the way to the mesh (injection,
// route_table), and delivers messages from the mesh to the tile's layers (ejection).
//
// A next hop may lead to a group of replicas instead: its policy selects a replica for each message
// (replica_choice). An interface without groups does not contain this logic. A message waits while
// the replicas have no room; messages to other destinations then need one cycle more.
//
// A message whose next hop has no route is discarded and counted (no_route_o); so is one from the
// mesh for an entry port that the tile does not have. A message of a kind that its layer does not
// take is discarded and counted too (unknown_kind_o). After reset the tables are filled, one entry
// per cycle; messages to the mesh wait in the meantime.
//
// Latency: 0 cycles to the mesh, with groups 2; 1 cycle from the mesh. Throughput: one flit per
// cycle.
module network_interface
  import bombus_pkg::*;
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter type word_t = logic,  // table entry as written: see route_table
    parameter int unsigned X = 0,  // own position
    parameter int unsigned Y = 0,
    parameter int unsigned FirstX = 0,  // origin of the mesh
    parameter int unsigned FirstY = 0,
    parameter int unsigned Columns = 256,
    parameter int unsigned Rows = 256,
    parameter int unsigned NumSources = 1,  // layers that send to the mesh
    parameter int unsigned NumSinks = 1,  // layers that take from the mesh
    parameter bit HasSinks = 1,  // 0: no sinks; messages that arrive are dropped and counted
    parameter int unsigned NumKinds = 8,  // kinds of messages in the design
    parameter logic [NumSinks-1:0][NumKinds-1:0] Takes = '1,  // kinds that each sink takes
    parameter int unsigned NumHops = 1,  // total next hops of all sources
    parameter int unsigned NextWidth = 1,  // width of a source's next hop number
    // First table entry of each source, ascending
    parameter logic [NumSources-1:0][15:0] FirstHop = '0,
    parameter word_t [NumHops-1:0] TableInit = '0,
    parameter bit FixedTables = 0,  // the tables are constant
    parameter int unsigned NumGroups = 0,  // groups of replicas
    parameter int unsigned NumSlots = 1,  // slots of all groups; a power of two, up to 256
    parameter group_t [(NumGroups > 0 ? NumGroups : 1)-1:0] Groups = '0,
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

    output beat_t                sink_o,
    output logic  [NumSinks-1:0] sink_valid_o,
    input  logic  [NumSinks-1:0] sink_ready_i,

    output flit_t inj_o,
    output logic inj_valid_o,
    input logic [NumDirs-1:0] inj_ready_i,  // indexed by the flit's output
    input flit_t ej_i,
    input logic ej_valid_i,
    output logic ej_ready_o,

    output logic                  table_ready_o,  // the tables are initialised and can be written
    input  logic                  hop_write_i,    // not before table_ready_o
    input  logic  [ HopWidth-1:0] hop_index_i,
    input  word_t                 hop_word_i,
    input  logic                  slot_write_i,
    input  logic  [SlotWidth-1:0] slot_index_i,
    input  word_t                 slot_word_i,

    // Least loaded: the slot's replica has finished a message; another tile has sent it a message;
    // this tile has.
    input logic [NumSlots-1:0] done_i,
    input logic [NumSlots-1:0][OtherWidth-1:0] others_i,
    output logic [NumSlots-1:0] took_o,

    output logic        in_message_o,    // a message has arrived from the mesh
    output logic [13:0] in_bytes_o,      // its payload length in bytes
    output logic        out_message_o,   // a message has gone to the mesh
    output logic [13:0] out_bytes_o,
    output logic        no_route_o,
    output logic        unknown_kind_o,
    output logic        entering_o,      // a message is arriving from the mesh
    output logic        out_end_o,       // the layers have handed over the last flit of a message
    output logic        busy_o
);

  typedef struct packed {
    logic valid;
    dir_e dir;  // first output port, computed when the entry is written
    logic [NumDirs-1:0] request;  // the same, one-hot; zero without a route
    logic [$bits(inj_o.x)-1:0] x;
    logic [$bits(inj_o.y)-1:0] y;
    logic [$bits(inj_o.port)-1:0] port;
  } route_t;

  // ---- To the mesh ----

  // Choosing a replica takes a separate cycle: with groups, the sources are merged before the
  // choice, and only one route is looked up.
  localparam int unsigned NumFronts = NumGroups > 0 ? 1 : NumSources;
  beat_t [NumFronts-1:0] front;
  logic [NumFronts-1:0] front_valid, front_ready;
  // With groups, a next hop number that the source does not have is mapped to a number without an
  // entry.
  localparam int unsigned FrontWidth = NumGroups > 0 ? $clog2(NumHops + 1) : NextWidth;
  localparam logic [NumFronts-1:0][15:0] FrontFirst =
      NumGroups > 0 ? '0 : (16 * NumFronts)'(FirstHop);
  logic [NumFronts-1:0][FrontWidth-1:0] front_next;

  logic [NumFronts-1:0] selected, is_group;
  logic [NumFronts-1:0][1:0] choice;
  logic starts, hops_filled;
  logic [NumFronts-1:0][(NumGroups > 1 ? $clog2(NumGroups) : 1)-1:0] group;
  route_t [NumFronts-1:0] hop_route, route;
  flit_t out;
  logic out_valid;
  logic [NumDirs-1:0] out_ready;
  logic out_lost, in_lost, late_q, ej_busy, injected_end;
  logic filled, hold, held;

  route_table #(
      .word_t(word_t),
      .route_t(route_t),
      .NumEntries(NumHops),
      .NumReads(NumFronts),
      .ReadWidth(FrontWidth),
      .First(FrontFirst),
      .Init(TableInit),
      .Fixed(FixedTables),
      .NumGroups(NumGroups),
      .X(X),
      .Y(Y),
      .FirstX(FirstX),
      .FirstY(FirstY),
      .Columns(Columns),
      .Rows(Rows)
  ) u_hops (
      .clk_i,
      .rst_i,
      .write_i(hop_write_i),
      .write_index_i(hop_index_i),
      .word_i(hop_word_i),
      .index_i(front_next),
      .route_o(hop_route),
      .is_group_o(is_group),
      .group_o(group),
      .choice_o(choice),
      .filled_o(hops_filled)
  );

  injection #(
      .beat_t(beat_t),
      .flit_t(flit_t),
      .route_t(route_t),
      .NumSources(NumFronts),
      .AnyRoute(NumGroups > 0)
  ) u_injection (
      .clk_i,
      .rst_i,
      .src_i(front),
      .src_valid_i(front_valid),
      .src_ready_o(front_ready),
      .route_i(route),
      .route_ready_i(filled),
      .hold_i(hold),
      .held_o(held),
      .selected_o(selected),
      .starts_o(starts),
      .flit_o(out),
      .flit_valid_o(out_valid),
      .flit_ready_i(out_ready),
      .message_o(out_message_o),
      .bytes_o(out_bytes_o),
      .message_end_o(injected_end),
      .lost_o(out_lost),
      .lost_ready_i(~late_q)
  );

  if (NumGroups == 0) begin : gen_direct
    assign front = src_i;
    assign front_valid = src_valid_i;
    assign src_ready_o = front_ready;
    assign front_next = src_next_i;
    assign route = hop_route;
    assign table_ready_o = hops_filled;
    assign filled = hops_filled;
    assign hold = 1'b0;
    assign inj_o = out;
    assign inj_valid_o = out_valid;
    assign out_ready = inj_ready_i;
    assign out_end_o = injected_end;
    assign busy_o = ~table_ready_o | ej_busy;
    assign took_o = '0;
    wire unused = ^{held, selected, starts, is_group, choice, group, done_i, others_i, SlotInit, Groups, slot_write_i, slot_index_i, slot_word_i};
  end else begin : gen_groups
    route_t slot_route;
    logic slots_filled, fifo_ready, has_room, scarce, hold_q;
    assign route[0] = is_group[0] ? slot_route : hop_route[0];

    typedef struct packed {
      logic [FrontWidth-1:0] next;
      beat_t beat;
    } front_t;
    front_t merged, registered;
    logic merged_valid, merged_ready;
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
        .out_o(registered),
        .out_valid_o(front_valid[0]),
        .out_ready_i(front_ready[0])
    );
    // Signalled where the message leaves the layers: while its last beat waits in u_front they may
    // already be idle, and completions would count it twice.
    assign out_end_o = merged_valid & merged_ready & merged.beat.last;
    assign front[0] = registered.beat;
    assign front_next[0] = registered.next;

    // Independent of the route, which is late.
    assign out_ready = {NumDirs{fifo_ready & ~late_q}};
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
        .X(X),
        .Y(Y),
        .FirstX(FirstX),
        .FirstY(FirstY),
        .Columns(Columns),
        .Rows(Rows)
    ) u_choice (
        .clk_i,
        .rst_i,
        .beat_i(registered.beat),
        .group_i(group[0]),
        .choice_i(choice[0]),
        .take_i(starts & is_group[0]),
        .route_o(slot_route),
        .has_room_o(has_room),
        .scarce_o(scarce),
        .done_i,
        .others_i,
        .took_o,
        .write_i(slot_write_i),
        .slot_i(slot_index_i),
        .word_i(slot_word_i),
        .filled_o(slots_filled)
    );
    assign table_ready_o = hops_filled & slots_filled;

    // Where room is scarce, a message is examined after it has waited for one cycle, since its
    // route is late.
    assign filled = 1'b1;
    assign hold = hold_q;
    always_ff @(posedge clk_i) begin
      hold_q <= rst_i | ~table_ready_o | (scarce & ~(held & (~is_group[0] | has_room)));
    end

    // A FIFO between the choice and the router, with a registered ready: otherwise the router's
    // ready, two stages and all layers of the tile would be in one path.
    dir_e  inj_dir;
    flit_t inj_flit;
    head_fifo #(
        .head_t(dir_e),
        .body_t(flit_t),
        .Depth (4)
    ) u_out (
        .clk_i,
        .rst_i,
        .in_head_i  (out.dir),
        .in_body_i  (out),
        .in_valid_i (out_valid & ~late_q),
        .in_ready_o (fifo_ready),
        .out_head_o (inj_dir),
        .out_body_o (inj_flit),
        .out_valid_o(inj_valid_o),
        .out_ready_i(inj_ready_i[inj_dir])
    );
    always_comb begin
      inj_o = inj_flit;
      inj_o.dir = inj_dir;
    end
    assign busy_o = ~table_ready_o | front_valid[0] | inj_valid_o | ej_busy;
    wire unused = ^{selected, injected_end};
  end

  // ---- From the mesh ----

  ejection #(
      .beat_t(beat_t),
      .flit_t(flit_t),
      .NumSinks(NumSinks),
      .HasSinks(HasSinks),
      .NumKinds(NumKinds),
      .Takes(Takes)
  ) u_ejection (
      .clk_i,
      .rst_i,
      .flit_i(ej_i),
      .flit_valid_i(ej_valid_i),
      .flit_ready_o(ej_ready_o),
      .sink_o,
      .sink_valid_o,
      .sink_ready_i,
      .message_o(in_message_o),
      .bytes_o(in_bytes_o),
      .entering_o,
      .lost_o(in_lost),
      .lost_ready_i(~late_q),
      .unknown_o(unknown_kind_o),
      .busy_o(ej_busy)
  );

  // Two messages dropped in the same cycle count as two: the second is reported one cycle later, in
  // which no other message can be dropped.
  always_ff @(posedge clk_i) begin
    if (rst_i) late_q <= 1'b0;
    else late_q <= out_lost & in_lost;
  end
  assign no_route_o = out_lost | in_lost | late_q;

`ifndef SYNTHESIS
  // An assumption of the deadlock analysis.
  localparam int unsigned FlitBits = $bits(inj_o.beat.data);
  localparam int unsigned MaxFlits = (MaxFrameBytes * 8 + FlitBits - 1) / FlitBits;
  int unsigned flits_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) flits_q <= 0;
    else if (inj_valid_o & inj_ready_i[inj_o.dir]) begin
      flits_q <= inj_o.beat.last ? 0 : flits_q + 1;
      assert (flits_q < MaxFlits)
      else $error("network_interface: a layer sends a message longer than the longest frame");
    end
  end
`endif

endmodule
