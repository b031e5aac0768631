// SPDX-License-Identifier: Apache-2.0
// Routes of packets among MAC ports. The routes and addresses are inputs.
//
// Control: subnets of the ports (gateway, length of the netmask, address), entries (valid,
// port, length, network, gateway), the first one lowest. An item in: a beat of 64 bits; out:
// gateway of the table, whether it takes one, on_link, beat. Status: busy.
`include "bombus_types.svh"
`include "bench.svh"

module bench
  import bombus_pkg::*;
#(
    parameter int unsigned NumMacPorts = 3,
    parameter int unsigned NumRoutes = 8,
    localparam int unsigned Entries = NumRoutes > 0 ? NumRoutes : 1,
    localparam int unsigned BeatBits = bench_pkg::beat_bits(64, $bits(packet_meta_t)),
    localparam int unsigned PortBits = 32 + 6 + 32,
    localparam int unsigned RouteBits = 32 + 32 + 6 + 2 + 1
) (
    `BENCH_PORTS(1, BeatBits, 1, BeatBits + 34, PortBits * NumMacPorts + RouteBits * Entries, 8)
);

  `BENCH_SHAPE

  `BOMBUS_BEAT_T(beat_t, 64)

  host_t [NumMacPorts-1:0] host;
  route_t [Entries-1:0] routes;
  wire [NumMacPorts-1:0][PortBits-1:0] ports = control_i[PortBits*NumMacPorts-1:0];
  wire [Entries-1:0][RouteBits-1:0] entries = control_i[PortBits*NumMacPorts+:RouteBits*Entries];
  always_comb begin
    for (int unsigned p = 0; p < NumMacPorts; p++) begin
      host[p] = '{
          mac: '0,
          ip: ports[p][31:0],
          netmask: 32'(~(64'hFFFFFFFF >> ports[p][37:32])),
          gateway: ports[p][69:38]
      };
    end
    for (int unsigned r = 0; r < Entries; r++) begin
      routes[r] = '{
          gateway: entries[r][31:0],
          network: entries[r][63:32],
          length: entries[r][69:64],
          mac_port: entries[r][71:70],
          valid: entries[r][72]
      };
    end
  end

  logic on_link, via_table, busy;
  logic [31:0] gateway;
  beat_t routed;
  mac_route #(
      .beat_t(beat_t),
      .NumMacPorts(NumMacPorts),
      .NumRoutes(NumRoutes)
  ) u_route (
      .clk_i,
      .rst_i,
      .host_i(host),
      .route_i(routes),
      .in_i(beat_t'(in_i[0])),
      .in_valid_i(in_valid_i[0]),
      .in_ready_o(in_ready_o[0]),
      .out_o(routed),
      .out_valid_o(out_valid_o[0]),
      .out_ready_i(out_ready_i[0]),
      .on_link_o(on_link),
      .via_table_o(via_table),
      .gateway_o(gateway),
      .busy_o(busy)
  );
  assign out_o[0] = {gateway, via_table, on_link, routed};
  assign status_o = 8'(busy);
  assign event_o  = '0;

endmodule
