// SPDX-License-Identifier: Apache-2.0
// Decides what napt does to each packet: reads its headers, looks for its session or its static
// forward, and says which addresses, ports and sums change.
//
// The caller must have room for a verdict for each view. Latency: is_served_o is valid 1 cycle
// after view_valid_i, the verdict 2 cycles. Throughput: a packet per cycle.
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

    input logic                         view_valid_i,  // a packet, without backpressure
    input logic      [ErrorBytes*8-1:0] view_i,
    input length_t                      length_i,
    input mac_port_t                    mac_port_i,

    output logic is_served_o,  // not translated
    output logic is_served_valid_o,

    output verdict_t verdict_o,
    output logic     verdict_valid_o
);

  localparam int unsigned IndexBits = $clog2(NumPorts);
  typedef logic [IndexBits-1:0] index_t;

  // ---- Cycle 0: fields, the owner of the port ----

  logic from_inside;
  endpoint_t [1:0] inners;
  endpoint_t inner;
  logic quotes;
  logic [15:0] outside_port, l4_inside, l4_outside;
  packet_t packet;  // one cycle later
  logic is_owned, is_served;
  napt_headers #(
      .NumMacPorts(NumMacPorts),
      .InsidePort (InsidePort),
      .OutsidePort(OutsidePort)
  ) u_headers (
      .clk_i,
      .host_i,
      .view_i,
      .length_i,
      .mac_port_i,
      .from_inside_o (from_inside),
      .insides_o     (inners),
      .quotes_o      (quotes),
      .outside_port_o(outside_port),
      .l4_inside_o   (l4_inside),
      .l4_outside_o  (l4_outside),
      .is_owned_i    (is_owned),
      .packet_o      (packet),
      .is_served_o   (is_served)
  );

  assign inner = inners[quotes];

  // The numbers of the ports of sessions, from 0; the highest bit shows a port below the first.
  wire [16:0] number = {1'b0, outside_port} - {1'b0, regs_i.ports.first};
  logic [16:0] number_q, end_q;
  always_ff @(posedge clk_i) begin
    number_q <= number;
    end_q <= {13'b0, regs_i.ports.eighths} << (IndexBits - 3);
  end
  wire is_dynamic = number_q < end_q;

  typedef logic [NumForwards-1:0] forwards_t;
  forwards_t has_inside, has_outside, inside_q, outside_q;
  always_comb begin
    for (int unsigned f = 0; f < NumForwards; f++) begin
      logic is_protocol;
      is_protocol = regs_i.forwards[f].forward.valid &
          (regs_i.forwards[f].forward.protocol == bombus_pkg::ProtocolTcp ?
               inner.protocol == napt_pkg::ProtocolTcp :
               regs_i.forwards[f].forward.protocol == bombus_pkg::ProtocolUdp &
               inner.protocol == napt_pkg::ProtocolUdp);
      has_inside[f] = is_protocol & regs_i.forwards[f].forward.inside_ip == inner.ip &
          regs_i.forwards[f].forward.inside_port == l4_inside;
      has_outside[f] = is_protocol & regs_i.forwards[f].forward.outside_port == l4_outside;
    end
  end

  logic read_valid_q, chosen_valid_q;
  always_ff @(posedge clk_i) begin
    read_valid_q <= view_valid_i & ~rst_i;
    chosen_valid_q <= read_valid_q & ~rst_i;
    inside_q <= has_inside;
    outside_q <= has_outside;
  end
  wire forwards_t forwards = packet.from_inside ? inside_q : outside_q;
  assign is_owned = is_dynamic | |forwards;
  assign is_served_o = is_served;
  assign is_served_valid_o = read_valid_q;

  // ---- Cycle 1: the headers are judged, the new address and port of both choices ----

  typedef struct packed {
    packet_t packet;
    logic by_forward;
    logic is_served;
    logic is_dropped;
    logic [31:0] ip;
    logic [15:0] port;
  } step_t;
  step_t chosen_q;
  wire is_dropped = packet.is_fragment | packet.is_unsupported | packet.is_expired |
      packet.has_bad_source;
  logic is_new, no_port, no_session;
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
      .from_inside_i(from_inside),
      .endpoints_i(inners),
      .is_second_i(quotes),
      .index_i(index_t'(number)),
      .may_write_i(~packet.is_error & ~is_dropped & ~|forwards & ~is_served),
      .flags_i(packet.flags),
      .endpoint_o(endpoint),
      .new_o(is_new),
      .no_port_o(no_port),
      .no_session_o(no_session),
      .index_o(index)
  );

  logic [31:0] forward_ip, new_ip;
  logic [15:0] forward_inside, forward_outside, new_port;
  host_t outside_host;
  assign outside_host = host_i[OutsidePort];
  always_comb begin
    forward_ip = '0;
    forward_inside = '0;
    forward_outside = '0;
    for (int unsigned f = 0; f < NumForwards; f++) begin
      forward_ip |= regs_i.forwards[f].forward.inside_ip & {32{forwards[f]}};
      forward_inside |= regs_i.forwards[f].forward.inside_port & {16{forwards[f]}};
      forward_outside |= regs_i.forwards[f].forward.outside_port & {16{forwards[f]}};
    end
    if (packet.from_inside) begin
      new_ip   = outside_host.ip;
      new_port = |forwards ? forward_outside : regs_i.ports.first;
    end else begin
      new_ip   = |forwards ? forward_ip : endpoint.ip;
      new_port = |forwards ? forward_inside : endpoint.port;
    end
  end
  always_ff @(posedge clk_i) begin
    chosen_q <= '{
        packet: packet,
        by_forward: |forwards,
        is_served: is_served,
        is_dropped: is_dropped,
        ip: new_ip,
        port: new_port
    };
  end

  // ---- Cycle 2: the verdict ----

  packet_t chosen;
  assign chosen = chosen_q.packet;
  wire has_index = chosen.from_inside & ~chosen_q.by_forward;
  // One reason for each packet
  wire is_unsupported = ~chosen.is_fragment & chosen.is_unsupported;
  wire is_expired = ~chosen.is_fragment & ~chosen.is_unsupported & chosen.is_expired;
  wire has_bad_source = ~chosen.is_fragment & ~chosen.is_unsupported & ~chosen.is_expired &
      chosen.has_bad_source;
  wire needs_session = ~chosen_q.is_dropped & ~chosen_q.by_forward;
  // From the old fields to the new ones
  wire [31:0] ip = chosen_q.ip;
  wire [15:0] port = chosen_q.port;
  sum_t all, address, number_change, transport_change, own_change;
  assign all = ones_pkg::pair(ones_pkg::save({ip, port, ~chosen.ip, ~chosen.port}));
  assign address = ones_pkg::pair(ones_pkg::save({ip, ~chosen.ip, 32'b0}));
  assign number_change = {port, ~chosen.port};
  wire is_echo = chosen.protocol == ProtocolEcho;
  assign transport_change = is_echo ? number_change : all;
  // An error's own sum: addresses are not in the quoted sums, or cancel out.
  always_comb begin
    if (~chosen.is_error) own_change = transport_change;
    else if (is_echo) own_change = '0;
    else if (~chosen.has_quoted_csum) own_change = number_change;
    else own_change = ~address;  // the negative of each word
  end
  always_comb begin
    verdict_o = '{
        is_served: chosen_q.is_served,
        from_inside: chosen.from_inside,
        is_error: chosen.is_error,
        has_csum: chosen.has_csum,
        has_quoted_csum: chosen.has_quoted_csum,
        protocol: chosen.protocol,
        is_new: is_new,
        no_session: needs_session & no_session,
        no_port: needs_session & no_port,
        is_fragment: chosen.is_fragment,
        is_unsupported: is_unsupported,
        is_expired: is_expired,
        has_bad_source: has_bad_source,
        ip: ip,
        port: port,
        index: has_index ? 16'(index) : '0,
        has_index: ~chosen.is_error | ~(is_echo | chosen.has_quoted_csum),
        own: ones_pkg::pair({own_change, ~chosen.csum}),
        quoted: ones_pkg::pair({transport_change, ~chosen.quoted_csum}),
        quote: ones_pkg::pair({address, ~chosen.quote_csum})
    };
  end
  assign verdict_valid_o = chosen_valid_q;

endmodule
