// SPDX-License-Identifier: Apache-2.0
// Decides what napt does to each packet: reads its headers, looks for its session or its static
// forward, and says which addresses, ports and sums change.
//
// The caller must have room for a verdict for each view. is_served_o belongs to view_i, in the same
// cycle. Latency: verdict_valid_o 2 cycles after view_valid_i. Throughput: a packet per cycle.
module napt_choice
  import bombus_pkg::*;
  import napt_pkg::*;
#(
    parameter type regs_t = logic,
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InsidePort = 0,
    parameter int unsigned OutsidePort = 1,
    parameter int unsigned NumPorts = 32768,
    parameter int unsigned NumForwards = 8
) (
    input  logic                    clk_i,
    input  logic                    rst_i,
    input  logic  [           31:0] time_us_i,
    input  host_t [NumMacPorts-1:0] host_i,
    input  regs_t                   regs_i,
    output logic                    ready_o,

    input  logic                         view_valid_i,  // a packet, without backpressure
    input  logic      [ErrorBytes*8-1:0] view_i,
    input  length_t                      length_i,
    input  mac_port_t                    mac_port_i,
    output logic                         is_served_o,

    output verdict_t verdict_o,
    output logic     verdict_valid_o
);

  localparam int unsigned IndexBits = $clog2(NumPorts);
  typedef logic [IndexBits-1:0] index_t;

  // ---- Cycle 0: headers, the owner of the port ----

  packet_t packet;
  logic is_owned;
  napt_headers #(
      .NumMacPorts(NumMacPorts),
      .InsidePort (InsidePort),
      .OutsidePort(OutsidePort)
  ) u_headers (
      .host_i,
      .view_i,
      .length_i,
      .mac_port_i,
      .is_owned_i(is_owned),
      .packet_o  (packet),
      .is_served_o
  );

  // The numbers of the ports of sessions, from 0
  wire  [15:0] number = packet.port - regs_i.ports.first;
  logic [16:0] end_q;  // the first port after them
  always_ff @(posedge clk_i) begin
    end_q <= {1'b0, regs_i.ports.first} + ({13'b0, regs_i.ports.eighths} << (IndexBits - 3));
  end
  wire is_dynamic = packet.port >= regs_i.ports.first & {1'b0, packet.port} < end_q;

  logic [NumForwards-1:0] has_inside, has_outside;
  always_comb begin
    for (int unsigned f = 0; f < NumForwards; f++) begin
      logic is_protocol;
      is_protocol = regs_i.forwards[f].forward.valid &
          (regs_i.forwards[f].forward.protocol == bombus_pkg::ProtocolTcp ?
               packet.protocol == napt_pkg::ProtocolTcp :
               regs_i.forwards[f].forward.protocol == bombus_pkg::ProtocolUdp &
               packet.protocol == napt_pkg::ProtocolUdp);
      has_inside[f] = is_protocol & regs_i.forwards[f].forward.inside_ip == packet.ip &
          regs_i.forwards[f].forward.inside_port == packet.port;
      has_outside[f] = is_protocol & regs_i.forwards[f].forward.outside_port == packet.port;
    end
  end
  assign is_owned = is_dynamic | |has_outside;

  typedef struct packed {
    packet_t packet;
    logic [NumForwards-1:0] forwards;
    logic is_served;
  } step_t;
  step_t read_q, chosen_q;
  logic read_valid_q, chosen_valid_q;
  always_ff @(posedge clk_i) begin
    read_valid_q <= view_valid_i & ~rst_i;
    chosen_valid_q <= read_valid_q & ~rst_i;
    read_q <= '{
        packet: packet,
        forwards: packet.from_inside ? has_inside : has_outside,
        is_served: is_served_o
    };
    chosen_q <= read_q;
  end

  wire is_dropped = packet.is_fragment | packet.is_unsupported | packet.is_expired |
      packet.has_bad_source;
  wire has_forward = packet.from_inside ? |has_inside : |has_outside;
  logic hit, is_new, no_port;
  index_t index;
  endpoint_t endpoint;
  napt_sessions #(
      .regs_t  (regs_t),
      .NumPorts(NumPorts)
  ) u_sessions (
      .clk_i,
      .rst_i,
      .time_us_i,
      .regs_i,
      .ready_o,
      .request_valid_i(view_valid_i),
      .from_inside_i(packet.from_inside),
      .endpoint_i('{protocol: packet.protocol, ip: packet.ip, port: packet.port}),
      .index_i(index_t'(number)),
      .may_write_i(~packet.is_error & ~is_dropped & ~has_forward & ~is_served_o),
      .flags_i(packet.flags),
      .hit_o(hit),
      .new_o(is_new),
      .no_port_o(no_port),
      .index_o(index),
      .endpoint_o(endpoint)
  );

  // ---- Cycle 1: the forward ----

  logic [31:0] forward_ip_q;
  logic [15:0] forward_port_q;
  host_t outside_host;
  assign outside_host = host_i[OutsidePort];
  always_ff @(posedge clk_i) begin
    logic [31:0] ip;
    logic [15:0] inside_port, outside_port;
    ip = '0;
    inside_port = '0;
    outside_port = '0;
    for (int unsigned f = 0; f < NumForwards; f++) begin
      ip |= regs_i.forwards[f].forward.inside_ip & {32{read_q.forwards[f]}};
      inside_port |= regs_i.forwards[f].forward.inside_port & {16{read_q.forwards[f]}};
      outside_port |= regs_i.forwards[f].forward.outside_port & {16{read_q.forwards[f]}};
    end
    forward_ip_q <= read_q.packet.from_inside ? outside_host.ip : ip;
    forward_port_q <= ~read_q.packet.from_inside ? inside_port :
        |read_q.forwards ? outside_port : regs_i.ports.first;
  end
  logic [15:0] old_ip_q, old_q;  // sums of the replaced fields
  always_ff @(posedge clk_i) begin
    old_ip_q <= ones_pkg::join_up(
        ones_pkg::split(read_q.packet.ip[31:16], read_q.packet.ip[15:0]), 1'b0
    );
    old_q <= ones_pkg::join_up(ones_pkg::split_saved({read_q.packet.ip, read_q.packet.port}), 1'b0);
  end

  // ---- Cycle 2: the verdict ----

  packet_t chosen;
  assign chosen = chosen_q.packet;
  wire by_forward = |chosen_q.forwards;
  wire by_session = ~chosen.from_inside & ~by_forward;
  wire has_index = chosen.from_inside & ~by_forward;
  wire is_bad = chosen.is_fragment | chosen.is_unsupported | chosen.is_expired |
      chosen.has_bad_source;
  // One reason for each packet
  wire is_unsupported = ~chosen.is_fragment & chosen.is_unsupported;
  wire is_expired = ~chosen.is_fragment & ~chosen.is_unsupported & chosen.is_expired;
  wire has_bad_source = ~chosen.is_fragment & ~chosen.is_unsupported & ~chosen.is_expired &
      chosen.has_bad_source;
  wire misses = ~is_bad & ~by_forward & ~hit;
  // For both choices, since the sums are on the longest path.
  function automatic logic [47:0] changes_to(logic [31:0] ip, logic [15:0] port);
    return {
      ones_pkg::join_up(ones_pkg::split_saved(ones_pkg::save({ip, port, ~old_q, 32'b0})), 1'b0),
      ones_pkg::join_up(ones_pkg::split_saved({ip, ~old_ip_q}), 1'b0),
      ones_pkg::join_up(ones_pkg::split(port, ~chosen.port), 1'b0)
    };
  endfunction
  logic [15:0] all, address, number_change;
  assign {all, address, number_change} = by_session ? changes_to(
      endpoint.ip, endpoint.port
  ) : changes_to(
      forward_ip_q, forward_port_q
  );
  always_comb begin
    verdict_o = '{
        is_served: chosen_q.is_served,
        from_inside: chosen.from_inside,
        is_error: chosen.is_error,
        has_quoted_csum: chosen.has_quoted_csum,
        protocol: chosen.protocol,
        is_new: is_new,
        no_session: misses & ~no_port,
        no_port: misses & no_port,
        is_fragment: chosen.is_fragment,
        is_unsupported: is_unsupported,
        is_expired: is_expired,
        has_bad_source: has_bad_source,
        ip: by_session ? endpoint.ip : forward_ip_q,
        port: by_session ? endpoint.port : forward_port_q,
        index: has_index ? 16'(index) : '0,
        all: '{by: all, has_index: 1'b1},
        address: '{by: address, has_index: 1'b0},
        number: '{by: number_change, has_index: 1'b1}
    };
  end
  assign verdict_valid_o = chosen_valid_q;

endmodule
