// SPDX-License-Identifier: Apache-2.0
// A mesh for a program to drive: flits as plain fields, routes computed here.
// Built by bombus.measure.mesh for each fabric and size; the fields' widths are fixed.
`include "bombus_types.svh"
module mesh_top
  import noc_pkg::*;
#(
    parameter int unsigned Columns = 4,
    parameter int unsigned Rows = 4,
    parameter int unsigned Fabric = 0,  // fabric_e
    parameter int unsigned Routing = 0,  // routing_e
    parameter int unsigned Lossless = 1,
    parameter int unsigned Depth = 32,
    parameter int unsigned MaxPacket = 24,
    parameter int unsigned VirtualChannels = 1,
    localparam int unsigned NumNodes = Columns * Rows
) (
    input logic clk_i,
    input logic rst_i,

    // Credits of node 0: flits in flight from node 0 back to itself; 0: unlimited
    input logic [31:0] window_i,

    input logic [NumNodes-1:0] in_valid_i,
    output logic [NumNodes-1:0] in_ready_o,
    input logic [NumNodes-1:0] in_last_i,
    input logic [NumNodes-1:0][15:0] in_node_i,  // destination of the message
    input logic [NumNodes-1:0][15:0] in_flits_i,  // its length
    input logic [NumNodes-1:0][63:0] in_data_i,

    output logic [NumNodes-1:0] out_valid_o,
    input logic [NumNodes-1:0] out_ready_i,
    output logic [NumNodes-1:0] out_last_o,
    output logic [NumNodes-1:0][63:0] out_data_o,

    output logic [NumNodes-1:0][NumDirs-1:0] drop_o,
    output logic busy_o
);

  localparam int unsigned XBits = Columns > 1 ? $clog2(Columns) : 1;
  localparam int unsigned YBits = Rows > 1 ? $clog2(Rows) : 1;

  typedef struct packed {
    logic [13:0] length;
`ifdef BOMBUS_CHECKS  // the checkers look at all fields of a message
    logic meta;
    logic kind;
    logic [3:0] bytes;
`endif
    logic last;
    logic [63:0] data;
  } beat_t;
  `BOMBUS_FLIT_T(flit_t, beat_t, XBits, YBits, 1)

  flit_t [NumNodes-1:0] in, out;
  logic [NumNodes-1:0] in_valid, in_ready;

  for (genvar n = 0; n < NumNodes; n++) begin : gen_node
    logic [15:0] x, y;
    assign x = in_node_i[n] % 16'(Columns);
    assign y = in_node_i[n] / 16'(Columns);
    beat_t beat;
    always_comb begin
      beat = '0;
      beat.length = {in_flits_i[n][10:0], 3'd0};
      beat.last = in_last_i[n];
      beat.data = in_data_i[n];
`ifdef BOMBUS_CHECKS
      beat.bytes = 4'd8;
`endif
    end
    assign in[n] = '{
            dir: first_dir(heading(8'(n % Columns), 8'(n / Columns), x[7:0], y[7:0])),
            x: x[XBits-1:0],
            y: y[YBits-1:0],
            port: '0,
            beat: beat
        };
    assign out_last_o[n] = out[n].beat.last;
    assign out_data_o[n] = out[n].beat.data;
    wire unused = ^{out[n], x, y, in_flits_i[n]};
  end

  // The credits of node 0, where chains begin and end. Without them, no flit is counted, since node
  // 0 then receives flits of other nodes, too.
  logic may_send;
  wire  limited = window_i != '0;
  credit_limit #(
      .CountWidth(16)
  ) u_limit (
      .clk_i,
      .rst_i,
      .credits_i(window_i[15:0]),
      .length_i(in_flits_i[0]),
      .valid_i(limited & in_valid_i[0]),
      .taken_i(limited & in_valid[0] & in_ready[0]),
      .last_i(in_last_i[0]),
      .return_i(limited & out_valid_o[0] & out_ready_i[0]),
      .may_send_o(may_send)
  );
  wire unused_window = ^window_i[31:16];
  always_comb begin
    in_valid   = in_valid_i;
    in_ready_o = in_ready;
    if (limited) begin
      in_valid[0]   = in_valid_i[0] & may_send;
      in_ready_o[0] = in_ready[0] & may_send;
    end
  end

  mesh #(
      .flit_t(flit_t),
      .beat_t(beat_t),
      .Columns(Columns),
      .Rows(Rows),
      .Fabric(fabric_e'(Fabric)),
      .Routing(routing_e'(Routing)),
      .Lossless(Lossless != 0),
      .Depth(Depth),
      .MaxPacket(MaxPacket),
      .VirtualChannels(VirtualChannels)
  ) u_mesh (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(in_valid),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o,
      .out_ready_i,
      .drop_o,
      .busy_o
  );

endmodule
