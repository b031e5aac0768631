// SPDX-License-Identifier: Apache-2.0
// The router of a fabric: one of three routers with the same ports.
//
// Links have NumChannels bits of valid and of ready (docs/fabrics.md, Links); Ports selects those
// that exist. The local port has valid and ready as in a stream. It is apart from the links, since
// its ready may depend on theirs: as bits of one vector, they would form loops for tools that
// order vectors as a whole.
`include "router_ports.svh"

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
    output logic [NumDirs-1:0] drop_o,  // a message has been dropped, by input
    `BOMBUS_ROUTER_PORTS(logic [NumDirs-1:1][NumChannels-1:0])
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
