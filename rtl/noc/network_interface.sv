// Network interface of a tile: turns symbolic next hops into routes on the way
// to the mesh, hands messages from the mesh to the tile's layers.
//
// The next-hop table (32 entries; format in docs/architecture.md) is in LUTRAM:
// after reset it is filled from TableInit in 32 cycles, in which messages wait;
// table_write_i rewrites it at run time. A message keeps the route that it
// started with. One whose next hop has no entry is swallowed and counted
// (no_route_o); so is one from the mesh for an entry port that the tile does not
// have.
//
// Latency: 0 cycles both ways. Throughput: one flit per cycle.
module network_interface
  import bombus_pkg::*;
  import noc_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type flit_t = logic,
    parameter int unsigned X = 0,  // own position
    parameter int unsigned Y = 0,
    parameter int unsigned NumSources = 1,  // layers that send to the mesh
    parameter int unsigned NumSinks = 1,  // layers that take from the mesh
    parameter bit HasSinks = 1,  // 0: none; what comes is swallowed and counted
    parameter logic [31:0][31:0] TableInit = '0
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

    input logic        table_write_i,
    input logic [ 4:0] table_index_i,
    input logic [31:0] table_wdata_i,

    output logic        in_message_o,   // a message has come from the mesh
    output logic [13:0] in_bytes_o,     // its payload, bytes
    output logic        out_message_o,  // a message has gone to the mesh
    output logic [13:0] out_bytes_o,
    output logic        no_route_o,
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

  // A router makes no U-turn: no message goes to the tile that it comes from.
  function automatic entry_t make_entry(logic valid, logic [XWidth-1:0] x, logic [YWidth-1:0] y,
                                        logic [PortWidth-1:0] port);
    entry_t entry;
    entry = '{valid: valid, dir: DirLocal, x: x, y: y, port: port};
    if (32'(x) > X) entry.dir = DirEast;
    else if (32'(x) != X) entry.dir = DirWest;
    else if (32'(y) > Y) entry.dir = DirSouth;
    else if (32'(y) != Y) entry.dir = DirNorth;
    else entry.valid = 1'b0;
    return entry;
  endfunction

  (* ram_style = "distributed" *) entry_t entries[32];
  logic filled_q;
  logic [4:0] fill_q;

  wire [4:0] write_index = filled_q ? table_index_i : fill_q;
  wire [31:0] write_word = filled_q ? table_wdata_i : TableInit[fill_q];
  wire unused_word = ^{write_word[30:16+PortWidth], write_word[15:8+YWidth], write_word[7:XWidth]};

  always_ff @(posedge clk_i) begin
    if (~filled_q | table_write_i) begin
      entries[write_index] <= make_entry(write_word[31], write_word[XWidth-1:0],
                                         write_word[8+:YWidth], write_word[16+:PortWidth]);
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

  entry_t entry, entry_q;
  logic inside_q;  // the message's first flit has been offered
  assign entry = inside_q ? entry_q : entries[next];

  logic out_first_q;
  logic late_q;  // a lost message is still to be told; the next one waits
  wire  out_taken = inj_valid_o & inj_ready_i;
  assign inj_valid_o = merged_valid & filled_q & entry.valid;
  assign merged_ready = filled_q & (entry.valid ? inj_ready_i : ~late_q);
  assign inj_o = '{dir: entry.dir, x: entry.x, y: entry.y, port: entry.port, beat: merged};

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
  wire  out_unroutable = merged_valid & merged_ready & merged.last & ~entry.valid;

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
  wire in_unroutable = in_taken & ej_i.beat.last & (~HasSinks | (32'(ej_i.port) >= NumSinks));

  // Both in one cycle count as two: the second is told a cycle later.
  always_ff @(posedge clk_i) begin
    if (rst_i) late_q <= 1'b0;
    else late_q <= out_unroutable & in_unroutable;
  end
  assign no_route_o = out_unroutable | in_unroutable | late_q;

  assign busy_o = ~filled_q;

endmodule
