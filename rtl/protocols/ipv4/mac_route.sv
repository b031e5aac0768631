// SPDX-License-Identifier: Apache-2.0
// The route of a packet (RFC 1122, 3.3.1): the MAC port by which it leaves, and whether its next
// hop is the destination itself or a gateway.
//
// Routes are the entries of the routing table and the subnet of each MAC port. Of the routes that
// match the destination, the one with the longest prefix is used; of equally long ones the first,
// entries before subnets. A packet with a port in its metadata keeps it, and uses only routes of
// that port (RFC 1122, 3.3.4.2); one with RoutedPort gets the port of its route. Without a route,
// it is sent to the gateway of its port; with RoutedPort, to that of the first port that has one,
// else of port 0.
//
// A transport layer with a checksum that covers the source address does the look-up before the sum;
// ipv4_tx does it for all other packets.
//
// Latency: 1 cycle; with one MAC port and no table 0. Throughput: one beat per cycle. A new route
// or address is used from the next cycle on, as a whole.
`include "bombus_assert.svh"

module mac_route
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned NumRoutes = 0,  // entries of the routing table
    localparam int unsigned Entries = NumRoutes > 0 ? NumRoutes : 1
) (
    input logic                     clk_i,
    input logic                     rst_i,
    input host_t  [NumMacPorts-1:0] host_i,
    input route_t [    Entries-1:0] route_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t        out_o,        // with the MAC port in its metadata
    output logic         out_valid_o,
    input  logic         out_ready_i,
    // With the first beat
    output logic         on_link_o,    // the next hop is the destination
    output logic         via_table_o,  // the next hop is a gateway of the table, not of the port
    output logic  [31:0] gateway_o,    // gateway of the table
    output logic         busy_o
);

  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_count
    $error("mac_route: NumMacPorts must be from 1 to %0d", MaxMacPorts);
  end
  if (NumRoutes > MaxRoutes) begin : gen_bad_routes
    $error("mac_route: NumRoutes must be at most %0d", MaxRoutes);
  end

  packet_meta_t in_meta;
  assign in_meta = packet_meta_t'(in_i.meta);

  if (NumMacPorts == 1 && NumRoutes == 0) begin : gen_one
    logic unused;
    assign unused = clk_i ^ rst_i ^ (^route_i);
    assign on_link_o = ((in_meta.ip ^ host_i[0].ip) & host_i[0].netmask) == '0;
    assign via_table_o = 1'b0;
    assign gateway_o = '0;
    assign out_o = in_i;
    assign out_valid_o = in_valid_i;
    assign in_ready_o = out_ready_i;
    assign busy_o = 1'b0;
  end else begin : gen_many

    // Routes of the table, then the ports' subnets
    localparam int unsigned All = NumRoutes + NumMacPorts;

    // ---- Routes prepared for a look-up ----

    typedef struct packed {
      logic direct;
      mac_port_t mac_port;
      logic [31:0] gateway;
      logic [31:0] network;  // only the bits of mask
      logic [31:0] mask;
    } prepared_t;
    prepared_t [All-1:0] prepared_d, prepared_q;
    logic [All-1:0][5:0] lengths;
    logic [All-1:0][All-1:0] yields_q;  // [a][b]: b has priority over a
    mac_port_t fallback_d, fallback_q;

    function automatic logic [31:0] mask_of(logic [5:0] length);
      logic [31:0] mask;
      for (int unsigned b = 0; b < 32; b++) mask[31-b] = length > 6'(b);
      return mask;
    endfunction
    function automatic logic [5:0] length_of(logic [31:0] mask);
      logic [5:0] ones;
      ones = mask[0] ? 6'd32 : '0;
      for (int unsigned b = 1; b < 32; b++) begin
        if (mask[32-b] & ~mask[31-b]) ones |= 6'(b);
      end
      return ones;
    endfunction

    always_comb begin
      for (int r = 0; r < int'(NumRoutes); r++) begin
        lengths[r] = route_i[r].length;
        prepared_d[r] = '{
            direct: route_i[r].gateway == '0,
            mac_port: route_i[r].mac_port,
            gateway: route_i[r].gateway,
            network: route_i[r].network & mask_of(route_i[r].length),
            mask: mask_of(route_i[r].length)
        };
        if (!route_i[r].valid) begin  // matches no address
          prepared_d[r].network = '1;
          prepared_d[r].mask = '0;
        end
      end
      fallback_d = '0;
      for (int unsigned p = NumMacPorts; p > 0; p--) begin
        if (host_i[p-1].gateway != '0) fallback_d = mac_port_t'(p - 1);
        lengths[NumRoutes+p-1] = length_of(host_i[p-1].netmask);
        prepared_d[NumRoutes+p-1] = '{
            direct: 1'b1,
            mac_port: mac_port_t'(p - 1),
            gateway: '0,
            network: host_i[p-1].ip & host_i[p-1].netmask,
            mask: host_i[p-1].netmask
        };
      end
    end

    always_ff @(posedge clk_i) begin
      prepared_q <= prepared_d;
      fallback_q <= fallback_d;
      for (int unsigned a = 0; a < All; a++) begin
        for (int unsigned b = 0; b < All; b++) begin
          yields_q[a][b] <= b < a ? lengths[b] >= lengths[a] : b > a && lengths[b] > lengths[a];
        end
      end
    end

    // ---- Look-up ----

    // Includes the routes at the time of the look-up, so that all fields are of the same route.
    typedef struct packed {
      beat_t beat;
      logic [All-1:0] wins;
      logic [All-1:0] direct;
      mac_port_t [All-1:0] mac_port;
      logic [All-1:0][31:0] gateway;
    } found_t;
    found_t found_d, found;
    logic [All-1:0] hits;
    packet_meta_t found_meta;
    wire is_routed = in_meta.mac_port == RoutedPort;
    always_comb begin
      for (int unsigned r = 0; r < All; r++) begin
        hits[r] = (is_routed | (in_meta.mac_port == prepared_q[r].mac_port)) &
            (((in_meta.ip & prepared_q[r].mask) ^ prepared_q[r].network) == '0);
      end
      for (int unsigned r = 0; r < All; r++) found_d.wins[r] = hits[r] & ~|(hits & yields_q[r]);
      found_meta = in_meta;
      if (is_routed) found_meta.mac_port = hits == '0 ? fallback_q : '0;
      for (int unsigned r = 0; r < All; r++) begin
        found_d.direct[r]   = prepared_q[r].direct;
        found_d.mac_port[r] = prepared_q[r].mac_port;
        found_d.gateway[r]  = prepared_q[r].gateway;
      end
      found_d.beat = in_i;
      found_d.beat.meta[$bits(packet_meta_t)-1:0] = found_meta;
    end

    stream_register #(
        .data_t(found_t)
    ) u_found (
        .clk_i,
        .rst_i,
        .in_i (found_d),
        .in_valid_i,
        .in_ready_o,
        .out_o(found),
        .out_valid_o,
        .out_ready_i
    );
    assign busy_o = out_valid_o;
    `BOMBUS_ASSERT(OneRoute, !out_valid_o || $onehot0(found.wins))

    // ---- Apply the route ----

    logic [All-1:0] column;
    packet_meta_t routed_meta;
    always_comb begin
      // If the packet has a port already, only routes of that port can win.
      routed_meta = packet_meta_t'(found.beat.meta);
      for (int unsigned b = 0; b < $bits(mac_port_t); b++) begin
        for (int unsigned r = 0; r < All; r++) column[r] = found.mac_port[r][b];
        if (|(found.wins & column)) routed_meta.mac_port[b] = 1'b1;
      end
      out_o = found.beat;
      out_o.meta[$bits(packet_meta_t)-1:0] = routed_meta;
      on_link_o = |(found.wins & found.direct);
      via_table_o = |(found.wins & ~found.direct);
      for (int unsigned b = 0; b < 32; b++) begin
        for (int unsigned r = 0; r < All; r++) column[r] = found.gateway[r][b];
        gateway_o[b] = |(found.wins & column);
      end
    end
  end

endmodule
