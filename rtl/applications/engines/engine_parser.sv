// SPDX-License-Identifier: Apache-2.0
// Classifies frames by a table of rules, and assigns to each frame the sequence of engines that it
// visits, its flow and its output MAC port.
//
// The first matching rule applies. Frames that match no rule, and frames too short for an Ethernet
// header and 4 bytes after it, are dropped. IPv4 headers with options and fragments are treated as
// IPv4 without ports.
//
// Latency: 3 cycles. Throughput: one beat per cycle.
module engine_parser
  import bombus_pkg::*;
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from engine_parser.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned KindEnginePacket = 1,  // this and the following are filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic            [1:0] drop_o,
    output message_number_t [1:0] drop_message_o,
    output logic                  busy_o
);

  localparam string Entry = "eth_rx";  // the entry to which mac_rx sends
  localparam string Sends = "engine_packet";
  localparam string Binds = "engine";
  localparam int unsigned BindsWidth = 5;
  localparam int unsigned NumRules = engine_pkg::RuleCount;
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    DropTooShort,
    DropNoRule,
    NumDrops
  } drop_e;

  localparam int unsigned MinBytes = Ipv4Byte + 4;

  // ---- Match all rules ----

  typedef struct packed {
    logic [NumRules-1:0] hits;
    logic too_short;
    logic is_udp;
    logic is_tcp;
    beat_t beat;
  } matched_t;

  packet_meta_t arrived;
  assign arrived = packet_meta_t'(in_i.meta);
  wire [15:0] ether_type = swap16(in_i.data[8*EtherTypeByte+:16]);
  wire [7:0] protocol = in_i.data[8*ProtocolByte+:8];
  wire [15:0] port = swap16(in_i.data[8*(PortByte+2)+:16]);
  wire is_ipv4 = (ether_type == EtherTypeIpv4) & at_least(in_i.length, 14'(PortByte));
  // More Fragments and the fragment offset are zero.
  wire is_whole = in_i.data[8*Ipv4Byte+:8] == 8'h45 &
      in_i.data[8*FragmentByte+:6] == '0 & in_i.data[8*(FragmentByte+1)+:8] == '0;
  wire is_udp = is_ipv4 & is_whole & protocol == ProtocolUdp & at_least(
      in_i.length, 14'(UdpPayloadByte)
  );
  wire is_tcp = is_ipv4 & is_whole & protocol == ProtocolTcp & at_least(
      in_i.length, 14'(TcpChecksumByte + 4)
  );

  matched_t found, matched;
  always_comb begin
    found.beat = in_i;
    found.is_udp = is_udp;
    found.is_tcp = is_tcp;
    found.too_short = ~at_least(in_i.length, 14'(MinBytes));
    for (int unsigned r = 0; r < NumRules; r++) begin
      found.hits[r] = regs_i.rules[r].rule.valid &
          (regs_i.rules[r].rule.any_ether_type | regs_i.rules[r].rule.ether_type == ether_type) &
          (regs_i.rules[r].rule.any_protocol |
           (is_ipv4 & regs_i.rules[r].rule.protocol == protocol)) &
          (regs_i.rules[r].rule.any_port |
           ((is_udp | is_tcp) & regs_i.rules[r].rule.port == port)) &
          (regs_i.rules[r].rule.any_mac_port |
           mac_port_t'(regs_i.rules[r].rule.mac_port) == arrived.mac_port);
    end
  end

  logic matched_valid, matched_ready;
  stream_register #(
      .data_t(matched_t)
  ) u_matched (
      .clk_i,
      .rst_i,
      .in_i(found),
      .in_valid_i,
      .in_ready_o,
      .out_o(matched),
      .out_valid_o(matched_valid),
      .out_ready_i(matched_ready)
  );

  // The actions of a rule change together with its match fields: a frame already matched keeps the
  // old ones.
  typedef struct packed {
    engine_t [NumSteps-1:0] steps;
    flow_t flow;
    mac_port_t to_mac_port;
  } action_t;
  action_t [NumRules-1:0] actions_q;
  always_ff @(posedge clk_i) begin
    if (in_ready_o) begin
      for (int unsigned r = 0; r < NumRules; r++) begin
        actions_q[r] <= '{
            steps: regs_i.rules[r].rule.steps,
            flow : regs_i.rules[r].rule.flow,
            to_mac_port: mac_port_t'(regs_i.rules[r].rule.to_mac_port)
        };
      end
    end
  end

  // ---- Select the first match ----

  action_t action;
  logic [NumRules-1:0] first_hit;
  always_comb begin
    for (int unsigned r = 0; r < NumRules; r++) begin
      first_hit[r] = matched.hits[r] & ~|(matched.hits & ((NumRules'(1) << r) - 1'b1));
    end
    // By bit: a tree of OR gates, not a chain of the rules.
    for (int unsigned b = 0; b < $bits(action_t); b++) begin
      logic [NumRules-1:0] bits;
      for (int unsigned r = 0; r < NumRules; r++) bits[r] = actions_q[r][b];
      action[b] = |(bits & first_hit);
    end
  end

  packet_meta_t came;
  engine_packet_meta_t meta;
  beat_t classified, parsed;
  assign came = packet_meta_t'(matched.beat.meta);
  assign meta = '{
          steps: action.steps,
          flow : action.flow,
          hash: '0,
          is_udp: matched.is_udp,
          is_tcp: matched.is_tcp,
          discard: 1'b0,
          lost: 1'b0,
          vlan: came.vlan,
          mac_port: action.to_mac_port
      };
  always_comb begin
    classified = matched.beat;
    classified.kind = $bits(in_i.kind)'(KindEnginePacket);
    classified.meta = $bits(in_i.meta)'(meta);
  end

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (matched.too_short) reasons[DropTooShort] = 1'b1;
    else if (matched.hits == '0) reasons[DropNoRule] = 1'b1;
  end

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(matched_valid & matched_ready),
      .last_i (matched.beat.last),
      .first_o(first)
  );

  logic parsed_valid, parsed_ready, unused_next, unused_first;
  drop_output #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_parsed (
      .clk_i,
      .rst_i,
      .in_i(classified),
      .in_valid_i(matched_valid),
      .in_ready_o(matched_ready),
      .in_first_i(first),
      .in_next_i(1'b0),
      .in_drop_i(reasons),
      .out_o(parsed),
      .out_valid_o(parsed_valid),
      .out_ready_i(parsed_ready),
      .out_next_o(unused_next),
      .drop_o,
      .drop_message_o
  );

  engine_output #(
      .beat_t(beat_t),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_out (
      .in_i(parsed),
      .in_valid_i(parsed_valid),
      .in_ready_o(parsed_ready),
      .in_first_o(unused_first),
      .*
  );

  assign busy_o = matched_valid | parsed_valid | out_valid_o;

endmodule
