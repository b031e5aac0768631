// SPDX-License-Identifier: Apache-2.0
// The router of a fabric: one of three routers with the same ports.
//
// Links have NumChannels bits of valid and of ready (docs/fabrics.md, Links); Ports selects those
// that exist. The local port has valid and ready as in a stream. It is apart from the links, since
// its ready may depend on theirs: as bits of one vector, they would form loops for tools that
// order vectors as a whole.
module router
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter logic [NumDirs-1:0] Ports = '1,  // which ports exist, by dir_e
    parameter turns_t Turns = '1,  // wormhole only: turns that messages take
    parameter fabric_e Fabric = FabricWormhole,
    parameter routing_e Routing = RoutingXY,  // crosspoint only
    parameter bit Lossless = 1,  // crosspoint only
    parameter int unsigned Depth = 32,  // in flits, per input, virtual channel or queue
    // Crosspoint only: flits that must fit before a message starts
    parameter int unsigned MaxPacket = 24,
    parameter int unsigned VirtualChannels = 1,  // virtual channels only
    localparam int unsigned NumChannels = num_channels(Fabric, VirtualChannels)
) (
    input logic clk_i,
    input logic rst_i,

    // Own position, constant. A port, so that a simulator needs one copy of the
    // module for all positions with the same ports.
    input logic [7:0] x_i,
    input logic [7:0] y_i,

    // Links, by dir_e
    input  flit_t [NumDirs-1:1]                  in_i,
    input  logic  [NumDirs-1:1][NumChannels-1:0] in_valid_i,
    output logic  [NumDirs-1:1][NumChannels-1:0] in_ready_o,
    output flit_t [NumDirs-1:1]                  out_o,
    output logic  [NumDirs-1:1][NumChannels-1:0] out_valid_o,
    input  logic  [NumDirs-1:1][NumChannels-1:0] out_ready_i,

    // Local port: injection and ejection
    input flit_t inj_i,
    input logic inj_valid_i,
    output logic inj_taken_o,  // ready for the offered flit
    output logic [NumDirs-1:0] inj_ready_o,  // ready for a flit to output n
    output flit_t ej_o,
    output logic ej_valid_o,
    input logic ej_ready_i,

    output logic [NumDirs-1:0] drop_o,  // a message has been dropped, by input
    output logic busy_o
);

  if (Routing != RoutingXY && Fabric != FabricCrosspoint) begin : gen_bad_routing
    $error("router: only the crosspoint fabric has another routing than XY");
  end

  if (!Lossless && Fabric != FabricCrosspoint) begin : gen_bad_lossless
    $error("router: only the crosspoint fabric drops");
  end
  if (Turns != '1 && Fabric != FabricWormhole) begin : gen_bad_turns
    $error("router: only the wormhole fabric leaves out turns");
  end
  if (MaxPacket == 0) begin : gen_bad_packet
    $error("router: MaxPacket must be at least 1");
  end

  if (Fabric == FabricCrosspoint) begin : gen_crosspoint
    router_crosspoint #(
        .flit_t(flit_t),
        .Ports(Ports),
        .Routing(Routing),
        .Lossless(Lossless),
        .Depth(Depth),
        .MaxPacket(MaxPacket)
    ) u_router (
        .*
    );
  end else if (Fabric == FabricVirtualChannels) begin : gen_virtual_channels
    router_virtual_channels #(
        .flit_t(flit_t),
        .Ports(Ports),
        .VirtualChannels(VirtualChannels),
        .Depth(Depth)
    ) u_router (
        .*
    );
    assign drop_o = '0;
  end else begin : gen_wormhole
    router_wormhole #(
        .flit_t(flit_t),
        .Ports (Ports),
        .Turns (Turns),
        .Depth (Depth)
    ) u_router (
        .*
    );
    assign drop_o = '0;
  end

endmodule
