// Network interface of a tile: turns symbolic next hops into routes on the way
// to the mesh, hands messages from the mesh to the tile's layers.
//
// The next-hop table (32 entries; format in docs/architecture.md) is in LUTRAM:
// after reset it is filled from TableInit in 32 cycles (with more slots: a cycle
// for each), in which messages wait;
// table_write_i rewrites it at run time. A message keeps the route that it
// started with. One whose next hop has no entry is swallowed and counted
// (no_route_o); so is one from the mesh for an entry port that the tile does not
// have.
//
// A next hop may lead to a group of replicas instead: its policy chooses a slot
// for each message (dispatch), and the slot holds the route. The slots are a
// second table like the first, filled and rewritten in the same way. An
// interface without groups has nothing of this.
//
// Latency: 0 cycles both ways; with groups, 1 cycle to the mesh. Throughput:
// one flit per cycle.
module network_interface
  import bombus_pkg::*;
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter int unsigned X = 0,  // own position
    parameter int unsigned Y = 0,
    parameter int unsigned Columns = 256,  // of the mesh
    parameter int unsigned Rows = 256,
    parameter int unsigned NumSources = 1,  // layers that send to the mesh
    parameter int unsigned NumSinks = 1,  // layers that take from the mesh
    parameter bit HasSinks = 1,  // 0: none; what comes is swallowed and counted
    parameter logic [31:0][31:0] TableInit = '0,
    parameter int unsigned NumGroups = 0,  // groups of replicas
    parameter int unsigned NumSlots = 1,  // slots of all groups; a power of two, up to 256
    parameter group_t [(NumGroups > 0 ? NumGroups : 1)-1:0] Groups = '0,
    parameter logic [NumSlots-1:0][31:0] SlotInit = '0
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t [NumSources-1:0] src_i,
    input  logic  [NumSources-1:0] src_valid_i,
    output logic  [NumSources-1:0] src_ready_o,
    input  next_e [NumSources-1:0] src_next_i,

    output beat_t                sink_o,
    output logic  [NumSinks-1:0] sink_valid_o,
    input  logic  [NumSinks-1:0] sink_ready_i,

    output flit_t inj_o,
    output logic  inj_valid_o,
    input  logic  inj_ready_i,
    input  flit_t ej_i,
    input  logic  ej_valid_i,
    output logic  ej_ready_o,

    output logic        table_ready_o,  // the tables are filled and can be written
    input  logic        table_write_i,
    input  logic [ 8:0] table_index_i,  // next hop, or 256 + slot
    input  logic [31:0] table_wdata_i,

    input logic [NumSlots-1:0] done_i,  // least loaded: the slot's replica is done with a message

    output logic        in_message_o,   // a message has come from the mesh
    output logic [13:0] in_bytes_o,     // its payload, bytes
    output logic        out_message_o,  // a message has gone to the mesh
    output logic [13:0] out_bytes_o,
    output logic        no_route_o,
    output logic        entering_o,     // a message is coming in from the mesh
    output logic        out_end_o,      // a message has gone to the mesh, its last flit too
    output logic        busy_o
);

  // ---- Next-hop table ----

  localparam int unsigned XWidth = $bits(inj_o.x);
  localparam int unsigned YWidth = $bits(inj_o.y);
  localparam int unsigned PortWidth = $bits(inj_o.port);

  typedef struct packed {
    logic valid;
    dir_e dir;  // first output port, worked out when the entry is written
    logic [XWidth-1:0] x;
    logic [YWidth-1:0] y;
    logic [PortWidth-1:0] port;
  } entry_t;

  localparam int unsigned GroupBit = 30;  // of a word: to a group instead of a tile

  // A router makes no U-turn: no message goes to the tile that it comes from. Nor
  // does one go past the rim, where it would stand in the way for ever: a word
  // that names no place of the mesh makes no entry, nor does one for a group.
  function automatic entry_t make_entry(logic [31:0] word);
    entry_t entry;
    logic [7:0] x, y, port;
    {port, y, x} = word[23:0];
    entry = '{
        valid: word[31],
        dir: DirLocal,
        x: x[XWidth-1:0],
        y: y[YWidth-1:0],
        port: port[PortWidth-1:0]
    };
    if (32'(x) >= Columns || 32'(y) >= Rows || 32'(port) >= 2 ** PortWidth || word[GroupBit]) begin
      entry.valid = 1'b0;
    end
    if (32'(x) > X) entry.dir = DirEast;
    else if (32'(x) != X) entry.dir = DirWest;
    else if (32'(y) > Y) entry.dir = DirSouth;
    else if (32'(y) != Y) entry.dir = DirNorth;
    else entry.valid = 1'b0;
    return entry;
  endfunction

  (* ram_style = "distributed" *) entry_t entries[32];
  // After reset the tables are filled together.
  localparam int unsigned FillWidth = NumSlots > 32 ? $clog2(NumSlots) : 5;
  logic filled_q;
  logic [FillWidth-1:0] fill_q;

  wire write_hop = ~filled_q | (table_write_i & (table_index_i[8:5] == '0));
  wire [4:0] write_index = filled_q ? table_index_i[4:0] : fill_q[4:0];
  wire [31:0] write_word = filled_q ? table_wdata_i : TableInit[fill_q[4:0]];
  wire unused_word = ^write_word[29:24];

  always_ff @(posedge clk_i) begin
    if (write_hop) begin
      entries[write_index] <= make_entry(write_word);
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fill_q   <= '0;
      filled_q <= 1'b0;
    end else if (~filled_q) begin
      fill_q   <= fill_q + 1'b1;
      filled_q <= &fill_q;
    end
  end
  assign table_ready_o = filled_q;

  // ---- To the mesh ----

  beat_t merged;
  logic merged_valid, merged_ready;
  logic [NumSources-1:0] selected;
  next_e next;
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
    next = NextNone;
    for (int unsigned s = 0; s < NumSources; s++) if (selected[s]) next = src_next_i[s];
  end

  logic inside_q;  // the message's first flit has been offered
  wire  starts = merged_valid & filled_q & ~inside_q;  // once per message
  entry_t entry, entry_q, found;
  assign entry = inside_q ? entry_q : found;

  logic out_valid, out_ready, out_first_q;
  logic late_q;  // a lost message is still to be told; the next one waits
  wire  out_taken = out_valid & out_ready;
  assign out_valid = merged_valid & filled_q & entry.valid;
  assign merged_ready = filled_q & (entry.valid ? out_ready : ~late_q);
  flit_t out;
  assign out = '{dir: entry.dir, x: entry.x, y: entry.y, port: entry.port, beat: merged};

  always_ff @(posedge clk_i) begin
    if (~inside_q) entry_q <= entry;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      inside_q <= 1'b0;
      out_first_q <= 1'b1;
    end else begin
      if (merged_valid & filled_q) inside_q <= ~(merged_ready & merged.last);
      if (out_taken) out_first_q <= merged.last;
    end
  end

  assign out_message_o = out_taken & out_first_q;
  assign out_bytes_o   = merged.meta.length;
  assign out_end_o     = out_taken & merged.last;
  wire out_unroutable = merged_valid & merged_ready & merged.last & ~entry.valid;

  if (NumGroups == 0) begin : gen_direct
    assign found = entries[next];
    assign inj_o = out;
    assign inj_valid_o = out_valid;
    assign out_ready = inj_ready_i;
    assign busy_o = ~filled_q;
    wire unused = ^{starts, done_i, SlotInit, Groups};

  end else begin : gen_groups
    typedef logic [(NumGroups > 1 ? $clog2(NumGroups) : 1)-1:0] group_index_t;
    typedef logic [(NumSlots > 1 ? $clog2(NumSlots) : 1)-1:0] slot_index_t;

    // Which next hops lead to a group, and to which.
    typedef struct packed {
      logic valid;
      group_index_t index;
    } group_entry_t;
    (* ram_style = "distributed" *) group_entry_t group_entries[32];
    always_ff @(posedge clk_i) begin
      if (write_hop) begin
        group_entries[write_index] <= '{
            valid: write_word[31] & write_word[GroupBit] & (32'(write_word[7:0]) < NumGroups),
            index: group_index_t'(write_word[7:0])
        };
      end
    end
    group_entry_t group;
    assign group = group_entries[next];

    (* ram_style = "distributed" *) entry_t slots[NumSlots];
    wire write_slot = ~filled_q |
        (table_write_i & table_index_i[8] & (32'(table_index_i[7:0]) < NumSlots));
    wire slot_index_t slot_index = slot_index_t'(filled_q ? table_index_i[7:0] : 8'(fill_q));
    wire [31:0] slot_word = filled_q ? table_wdata_i : SlotInit[slot_index];
    always_ff @(posedge clk_i) begin
      if (write_slot) begin
        slots[slot_index] <= make_entry(slot_word);
      end
    end

    slot_index_t [NumGroups-1:0] choice;
    for (genvar g = 0; g < NumGroups; g++) begin : gen_group
      localparam group_t Group = Groups[g];
      localparam int unsigned First = 32'(Group.first_slot);
      localparam int unsigned NumReplicas = 32'(Group.replicas);
      logic [NumReplicas-1:0] forget;
      logic [32'(Group.slot_bits)-1:0] slot;
      always_comb begin
        for (int unsigned i = 0; i < NumReplicas; i++) begin
          forget[i] = write_slot & (slot_index == slot_index_t'(First + i));
        end
      end
      dispatch #(
          .beat_t(beat_t),
          .Group (Group)
      ) u_dispatch (
          .clk_i,
          .rst_i,
          .beat_i  (merged),
          .take_i  (starts & group.valid & (group.index == group_index_t'(g))),
          .done_i  (done_i[First+:NumReplicas]),
          .forget_i(forget),
          .slot_o  (slot)
      );
      assign choice[g] = slot_index_t'(First) | slot_index_t'(slot);
    end
    assign found = group.valid ? slots[choice[group.index]] : entries[next];

    // The choice takes time: a register between it and the router.
    stream_register #(
        .data_t(flit_t)
    ) u_out (
        .clk_i,
        .rst_i,
        .in_i(out),
        .in_valid_i(out_valid),
        .in_ready_o(out_ready),
        .out_o(inj_o),
        .out_valid_o(inj_valid_o),
        .out_ready_i(inj_ready_i)
    );
    assign busy_o = ~filled_q | inj_valid_o;
  end

  // ---- From the mesh ----

  logic in_first_q;
  logic sink_ready;
  wire  in_taken = ej_valid_i & ej_ready_o;
  assign sink_o = ej_i.beat;
  always_comb begin
    sink_valid_o = '0;
    sink_ready   = ~late_q;
    for (int unsigned s = 0; s < NumSinks; s++) begin
      if (HasSinks && 32'(ej_i.port) == s) begin
        sink_valid_o[s] = ej_valid_i;
        sink_ready = sink_ready_i[s];
      end
    end
  end
  assign ej_ready_o = sink_ready;

  always_ff @(posedge clk_i) begin
    if (rst_i) in_first_q <= 1'b1;
    else if (in_taken) in_first_q <= ej_i.beat.last;
  end

  assign in_message_o = in_taken & in_first_q;
  assign in_bytes_o   = ej_i.beat.meta.length;
  assign entering_o   = in_taken | ~in_first_q;
  wire in_unroutable = in_taken & ej_i.beat.last & (~HasSinks | (32'(ej_i.port) >= NumSinks));

  // Both in one cycle count as two: the second is told a cycle later.
  always_ff @(posedge clk_i) begin
    if (rst_i) late_q <= 1'b0;
    else late_q <= out_unroutable & in_unroutable;
  end
  assign no_route_o = out_unroutable | in_unroutable | late_q;

`ifndef SYNTHESIS
  // What the deadlock analysis of a design takes for granted.
  localparam int unsigned FlitBits = $bits(inj_o.beat.data);
  localparam int unsigned MaxFlits = (MaxFrameBytes * 8 + FlitBits - 1) / FlitBits;
  int unsigned flits_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) flits_q <= 0;
    else if (inj_valid_o & inj_ready_i) begin
      flits_q <= inj_o.beat.last ? 0 : flits_q + 1;
      assert (flits_q < MaxFlits)
      else $error("network_interface: a layer sends a message longer than the longest frame");
    end
  end
`endif

endmodule
