// SPDX-License-Identifier: Apache-2.0
// Carries the register requests of register_hub to the tiles over a mesh of its own, instead of
// wires from the hub to each tile. Requests start at node Hub; a request is a message of one flit,
// and so is its response, on the same mesh. Node n is at x = n % Columns, y = n / Columns.
//
// The hub sends a request in the cycle of the response before at the earliest, so there is never
// more than one message in the mesh. A node takes every flit at once. Nothing can block: a response
// never waits for a request. The order of accesses is that of the hub.
//
// Latency: to a tile that is n links away, n + 2 cycles, and as many back; the tile at the hub has
// wires, and 0 cycles.
`include "bombus_assert.svh"

module register_mesh
  import noc_pkg::*;
#(
    parameter int unsigned Columns = 4,
    parameter int unsigned Rows = 4,
    parameter int unsigned Hub = 0,  // node
    parameter int unsigned WindowBits = 12,
    localparam int unsigned NumNodes = Columns * Rows
) (
    input logic clk_i,
    input logic rst_i,

    // The hub
    input logic [NumNodes-1:0] hub_valid_i,  // one cycle per request
    input logic hub_write_i,
    input logic [WindowBits-1:0] hub_addr_i,
    input logic [31:0] hub_wdata_i,
    output logic hub_ready_o,  // one cycle per response
    output logic [31:0] hub_rdata_o,  // zero unless ready

    // The tiles
    output logic [NumNodes-1:0] tile_valid_o,  // one cycle per request
    output logic [NumNodes-1:0] tile_write_o,
    output logic [NumNodes-1:0][WindowBits-1:0] tile_addr_o,
    output logic [NumNodes-1:0][31:0] tile_wdata_o,
    input logic [NumNodes-1:0] tile_ready_i,  // one cycle per response
    input logic [NumNodes-1:0][31:0] tile_rdata_i,  // zero unless ready

    output logic busy_o
);

  if (Columns < 1 || Rows < 1 || Columns > 256 || Rows > 256 || Hub >= NumNodes ||
      WindowBits < 2 || WindowBits > 31) begin : gen_bad_shape
    $error("register_mesh: Columns and Rows must be 1 to 256, Hub a node, WindowBits 2 to 31");
  end

  localparam int unsigned XBits = Columns > 1 ? $clog2(Columns) : 1;
  localparam int unsigned YBits = Rows > 1 ? $clog2(Rows) : 1;
  localparam int unsigned HubX = Hub % Columns;
  localparam int unsigned HubY = Hub / Columns;

  typedef struct packed {
    logic last;  // always 1
    logic write;
    logic [WindowBits-1:0] addr;
    logic [31:0] data;  // written or read
  } beat_t;
  typedef struct packed {
    dir_e dir;
    logic [XBits-1:0] x;
    logic [YBits-1:0] y;
    beat_t beat;
  } flit_t;

  // The output of the router at (from_x, from_y) that a message to (x, y) takes
  function automatic dir_e way(int unsigned from_x, int unsigned from_y, int unsigned x,
                               int unsigned y);
    if (x != from_x) return x > from_x ? DirEast : DirWest;
    if (y != from_y) return y > from_y ? DirSouth : DirNorth;
    return DirLocal;
  endfunction

  flit_t [NumNodes-1:0] to_mesh, from_mesh;
  logic [NumNodes-1:0] to_valid, to_ready, from_valid;
  logic mesh_busy;
  mesh #(
      .flit_t(flit_t),
      .beat_t(beat_t),
      .Columns(Columns),
      .Rows(Rows),
      .Depth(4),
      .Checked(1'b0)
  ) u_mesh (
      .clk_i,
      .rst_i,
      .in_i(to_mesh),
      .in_valid_i(to_valid),
      .in_ready_o(to_ready),
      .out_o(from_mesh),
      .out_valid_o(from_valid),
      .out_ready_i('1),
      .drop_o(),
      .busy_o(mesh_busy)
  );

  // ---- At the hub ----

  flit_t request, request_q;
  logic request_valid_q, response_q;
  logic [31:0] response_data_q;
  always_comb begin
    request = '0;
    for (int unsigned n = 0; n < NumNodes; n++) begin
      if (hub_valid_i[n]) begin
        request.dir = dir_e'(request.dir | way(HubX, HubY, n % Columns, n / Columns));
        request.x |= XBits'(n % Columns);
        request.y |= YBits'(n / Columns);
      end
    end
    request.beat = '{last: 1'b1, write: hub_write_i, addr: hub_addr_i, data: hub_wdata_i};
  end
  wire far = |(hub_valid_i & ~(NumNodes'(1) << Hub));
  always_ff @(posedge clk_i) begin
    if (far) request_q <= request;
    response_data_q <= from_mesh[Hub].beat.data & {32{from_valid[Hub]}};
    if (rst_i) begin
      request_valid_q <= 1'b0;
      response_q <= 1'b0;
    end else begin
      request_valid_q <= far | (request_valid_q & ~to_ready[Hub]);
      response_q <= from_valid[Hub];
    end
  end
  assign to_mesh[Hub] = request_q;
  assign to_valid[Hub] = request_valid_q;
  assign hub_ready_o = response_q | tile_ready_i[Hub];
  assign hub_rdata_o = response_data_q | tile_rdata_i[Hub];
  assign tile_valid_o[Hub] = hub_valid_i[Hub];
  assign tile_write_o[Hub] = hub_write_i;
  assign tile_addr_o[Hub] = hub_addr_i;
  assign tile_wdata_o[Hub] = hub_wdata_i;

  // ---- At the other tiles ----

  logic [NumNodes-1:0] answers;
  for (genvar n = 0; n < NumNodes; n++) begin : gen_node
    if (n != Hub) begin : gen_far
      logic answer_q;
      logic [31:0] answer_data_q;
      assign tile_valid_o[n] = from_valid[n];
      assign tile_write_o[n] = from_mesh[n].beat.write;
      assign tile_addr_o[n]  = from_mesh[n].beat.addr;
      assign tile_wdata_o[n] = from_mesh[n].beat.data;
      always_ff @(posedge clk_i) begin
        if (tile_ready_i[n]) answer_data_q <= tile_rdata_i[n];
        if (rst_i) answer_q <= 1'b0;
        else answer_q <= tile_ready_i[n] | (answer_q & ~to_ready[n]);
      end
      assign to_mesh[n] = '{
              dir: way(n % Columns, n / Columns, HubX, HubY),
              x: XBits'(HubX),
              y: YBits'(HubY),
              beat: '{last: 1'b1, write: 1'b0, addr: '0, data: answer_data_q}
          };
      assign to_valid[n] = answer_q;
      assign answers[n] = answer_q;
    end else begin : gen_hub
      assign answers[n] = 1'b0;
    end
  end
  assign busy_o = mesh_busy | request_valid_q | response_q | (|answers);

  // A request is open until its response.
`ifndef SYNTHESIS
  logic open_q;
  always_ff @(posedge clk_i) open_q <= ~rst_i & (far | (open_q & ~response_q));
`endif
  `BOMBUS_ASSERT(OneMessage, !far || !open_q || response_q)
  `BOMBUS_ASSERT(ResponseToRequest, !(|from_valid) || open_q)

endmodule
