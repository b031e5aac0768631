// SPDX-License-Identifier: Apache-2.0
// Simulation only: checks that the flits between two routers, or between a router and its tile,
// follow the rules of streams (stream_checker), and that valid and ready of a link follow its
// fabric (docs/fabrics.md, "Links").
//
// - where ready means that the flit is taken, valid and the flit are stable until then;
// - otherwise a flit is sent only if ready indicated room in the cycle before, and by one channel
//   at a time; in the crosspoint fabric, a message starts only if a queue that it may enter at the
//   next router indicated room;
// - the route is the same for the whole message;
// - length, bytes and last agree in every message, in each virtual channel.
module link_checker
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter type beat_t = logic,
    parameter fabric_e Fabric = FabricWormhole,
    parameter int unsigned VirtualChannels = 1,
    parameter routing_e Routing = RoutingXY,
    parameter bit Lossless = 1,
    parameter int unsigned Output = int'(DirEast),  // output of the router that drives the link
    parameter bit IsLocal = 0,  // link between router and tile: channel 0 by valid and ready
    localparam int unsigned NumChannels = num_channels(Fabric, VirtualChannels)
) (
    input logic clk_i,
    input logic rst_i,
    input string name_i,  // of the link, followed by ": "
    input logic [7:0] x_i,  // position of the driving router
    input logic [7:0] y_i,

    input flit_t flit_i,
    input logic [NumChannels-1:0] valid_i,
    input logic [NumChannels-1:0] ready_i
);

  if (VirtualChannels < 1 || Output >= NumDirs) begin : gen_bad_channels
    $error("link_checker: VirtualChannels must be at least 1, Output a dir_e");
  end

  localparam bit TakesWhenReady = IsLocal || Fabric == FabricWormhole;
  // Messages may be interleaved by virtual channel.
  localparam int unsigned NumLanes = TakesWhenReady || Fabric == FabricCrosspoint ? 1 : NumChannels;

  // In the crosspoint fabric, the next router's output is not decided one hop ahead.
  wire [$bits(dir_e)-1:0] dir = Fabric == FabricCrosspoint ? '0 : flit_i.dir;
  typedef logic [$bits({flit_i.x, flit_i.y, flit_i.port, dir})-1:0] route_t;

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    stream_checker #(
        .beat_t(beat_t),
        .NextWidth($bits(route_t)),
        .NumKinds(2 ** $bits(flit_i.beat.kind)),  // the network interface drops unknown kinds
        .NumHops(1)
    ) check_flits (
        .clk_i,
        .rst_i,
        .name_i,
        .beat_i (flit_i.beat),
        .valid_i(valid_i[l]),
        .ready_i(!TakesWhenReady || ready_i[l]),
        .next_i ({flit_i.x, flit_i.y, flit_i.port, dir})
    );
  end

  if (!TakesWhenReady) begin : gen_room
    logic [NumChannels-1:0] room_q;
    // In the crosspoint fabric, the next router decides which queue the flit enters.
    wire [NumDirs-1:0] queues = channels_of(
        Routing,
        Lossless,
        int'(opposite(
            Output
        )),
        heading(
            next_x(Output, x_i), next_y(Output, y_i), 8'(flit_i.x), 8'(flit_i.y))
    );
    wire [NumChannels-1:0] has_room = Fabric != FabricCrosspoint ? room_q :
        NumChannels'(|(room_q & NumChannels'(queues)));
    logic first;  // in the crosspoint fabric, a started message needs no further room
    wire continues = Fabric == FabricCrosspoint && !first;
    first_beat u_first (
        .clk_i,
        .rst_i,
        .taken_i(|valid_i),
        .last_i (flit_i.beat.last),
        .first_o(first)
    );
    always_ff @(posedge clk_i) begin
      room_q <= ready_i;
      if (!rst_i) begin
        assert ($onehot0(valid_i))
        else $error("%sa flit arrived on several channels", name_i);
        assert (continues || (valid_i & ~has_room) == '0)
        else $error("%sa flit arrived at a channel without room", name_i);
      end
    end
  end

endmodule
