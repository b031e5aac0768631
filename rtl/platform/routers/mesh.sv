// SPDX-License-Identifier: Apache-2.0
// A mesh of routers without tiles, with the local ports of all routers. Used by the benchmarks of
// the fabrics and their tests; the top of a design connects the routers of its tiles in the same
// way.
//
// Node n is at x = n % Columns, y = n / Columns.
module mesh
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter type beat_t = logic,  // beat of a flit; for the checkers
    parameter int unsigned Columns = 4,
    parameter int unsigned Rows = 4,
    parameter fabric_e Fabric = FabricWormhole,
    parameter routing_e Routing = RoutingXY,
    parameter bit Lossless = 1,
    parameter int unsigned Depth = 32,
    parameter int unsigned MaxPacket = 24,
    parameter int unsigned VirtualChannels = 1,
    parameter bit Checked = 1,  // flits are messages of layers, which the checkers know
    localparam int unsigned NumNodes = Columns * Rows
) (
    input logic clk_i,
    input logic rst_i,

    input  flit_t [NumNodes-1:0] in_i,
    input  logic  [NumNodes-1:0] in_valid_i,
    output logic  [NumNodes-1:0] in_ready_o,

    output flit_t [NumNodes-1:0] out_o,
    output logic  [NumNodes-1:0] out_valid_o,
    input  logic  [NumNodes-1:0] out_ready_i,

    output logic [NumNodes-1:0][NumDirs-1:0] drop_o,
    output logic busy_o
);

  if (Columns < 1 || Rows < 1 || Columns > 256 || Rows > 256) begin : gen_bad_shape
    $error("mesh: Columns and Rows must be 1 to 256");
  end

  localparam int unsigned NumChannels = num_channels(Fabric, VirtualChannels);

  // [node][output]
  flit_t [NumNodes-1:0][NumDirs-1:1] link;
  logic [NumNodes-1:0][NumDirs-1:1][NumChannels-1:0] link_valid, link_ready;
  logic [NumNodes-1:0] busy;

  for (genvar n = 0; n < NumNodes; n++) begin : gen_node
    localparam int unsigned X = n % Columns;
    localparam int unsigned Y = n / Columns;

    localparam logic [NumDirs-1:0] Ports = ports_of(X, Y, Columns, Rows);

    flit_t [NumDirs-1:1] router_in;
    logic [NumDirs-1:1][NumChannels-1:0] router_in_valid, router_in_ready;

    router #(
        .flit_t(flit_t),
        .Ports(Ports),
        .Fabric(Fabric),
        .Routing(Routing),
        .Lossless(Lossless),
        .Depth(Depth),
        .MaxPacket(MaxPacket),
        .VirtualChannels(VirtualChannels)
    ) u_router (
        .clk_i,
        .rst_i,
        .x_i(8'(X)),
        .y_i(8'(Y)),
        .in_i(router_in),
        .in_valid_i(router_in_valid),
        .in_ready_o(router_in_ready),
        .out_o(link[n]),
        .out_valid_o(link_valid[n]),
        .out_ready_i(link_ready[n]),
        .inj_i(in_i[n]),
        .inj_valid_i(in_valid_i[n]),
        .inj_taken_o(in_ready_o[n]),
        .inj_ready_o(),
        .ej_o(out_o[n]),
        .ej_valid_o(out_valid_o[n]),
        .ej_ready_i(out_ready_i[n]),
        .drop_o(drop_o[n]),
        .busy_o(busy[n])
    );

    for (genvar d = 1; d < NumDirs; d++) begin : gen_link
      localparam int unsigned Back = int'(opposite(d));
      localparam int Step = d == int'(DirEast) ? 1 : d == int'(DirWest) ? -1 :
          d == int'(DirSouth) ? int'(Columns) : -int'(Columns);
      if (Ports[d]) begin : gen_present
        localparam int unsigned Neighbour = int'(n) + Step;
        assign router_in[d] = link[Neighbour][Back];
        assign router_in_valid[d] = link_valid[Neighbour][Back];
        assign link_ready[Neighbour][Back] = router_in_ready[d];
      end else begin : gen_absent
        assign router_in[d] = '0;
        assign router_in_valid[d] = '0;
        assign link_ready[n][d] = '0;
        wire unused = ^{link[n][d], link_valid[n][d], router_in_ready[d]};
      end
    end

    if (Checked) begin : gen_checked
`ifdef BOMBUS_CHECKS
      link_checker #(
          .flit_t (flit_t),
          .beat_t (beat_t),
          .IsLocal(1'b1)
      ) check_local (
          .clk_i,
          .rst_i,
          .name_i ($sformatf("router (%0d, %0d), local output: ", X, Y)),
          .x_i    (8'(X)),
          .y_i    (8'(Y)),
          .flit_i (out_o[n]),
          .valid_i(out_valid_o[n]),
          .ready_i(out_ready_i[n])
      );
      for (genvar d = 1; d < NumDirs; d++) begin : gen_checks
        if (Ports[d]) begin : gen_present
          link_checker #(
              .flit_t(flit_t),
              .beat_t(beat_t),
              .Fabric(Fabric),
              .VirtualChannels(VirtualChannels),
              .Routing(Routing),
              .Lossless(Lossless),
              .Output(d)
          ) check_out (
              .clk_i,
              .rst_i,
              .name_i ($sformatf("router (%0d, %0d), output %0d: ", X, Y, d)),
              .x_i    (8'(X)),
              .y_i    (8'(Y)),
              .flit_i (link[n][d]),
              .valid_i(link_valid[n][d]),
              .ready_i(link_ready[n][d])
          );
        end
      end
`endif
    end
  end

  assign busy_o = |busy;

endmodule
