// SPDX-License-Identifier: Apache-2.0
// End of IP-in-IP tunnels (RFC 2003): passes the inner packet to another ipv4_rx, as one that has
// arrived on MAC port InnerPort. This port has no MAC; its addresses are those of the inner
// network.
//
// The congestion mark of the outer header is put into the inner one (RFC 6040, 4.2), whose checksum
// changes incrementally (RFC 1624). Its TTL is unchanged, since the packet is not forwarded.
//
// Dropped and counted: inner packets shorter than a header, those whose length is not what the
// outer packet carries, those of another peer than Remote, and those that a router has marked
// although their transport does not support it. ipv4_rx judges the rest of the inner header,
// fragments and further tunnels included.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module ip_in_ip_decapsulate
  import bombus_pkg::*;
  import ip_in_ip_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InnerPort = 1,  // of the inner packets
    parameter logic [31:0] Remote = '0  // address of the other end; 0: any
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [3:0] drop_o,
    output message_number_t [3:0] drop_message_o,
    output logic            [0:0] event_o,
    output logic                  busy_o
);

  localparam string Entry = "ip_in_ip_decapsulate";
  localparam logic [7:0] IpProtocol = ProtocolIpInIp;  // the key that ipv4_rx binds
  localparam bit PortWithoutMac = 1'b1;
  localparam string OtherHosts = "remote";
  localparam bit Forwards = 1'b1;
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  typedef enum logic [0:0] {NextIpv4Rx} next_e;
  typedef enum int unsigned {
    DropTruncated,
    DropBadLength,
    DropUnknownPeer,
    DropCongested,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventMarked,  // the inner congestion field has changed
    NumEvents
  } event_e;

  if (InnerPort >= NumMacPorts) begin : gen_bad_port
    $error("ip_in_ip_decapsulate: InnerPort must be a MAC port of the design");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;

  logic first;
  message_number_t message, unused_begun;
  message_number u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first),
      .here_o (message),
      .begun_o(unused_begun)
  );

  // ---- Congestion ----

  wire [7:0] inner_tos = in_i.data[15:8];
  wire [1:0] inner = inner_tos[1:0];
  wire [1:0] outer = in_i.meta.tos[1:0];
  wire capable = inner != NotEct;
  wire marks = capable & (outer == CongestionExperienced | (outer == Ect1 & inner == Ect0));
  wire [1:0] combined = marks ? outer : inner;

  // The checksum is in the first beat or in a later one.
  localparam int unsigned CsumByte = 10;
  localparam int unsigned CsumBeat = CsumByte / DataBytes;
  localparam int unsigned CsumBit = CsumByte % DataBytes * 8;
  logic [1:0] beat_q;  // of the message, saturating
  logic [1:0] inner_q, combined_q;
  wire [1:0] here = first ? '0 : beat_q;
  wire [1:0] less = first ? inner : inner_q;
  wire [1:0] more = first ? combined : combined_q;
  always_ff @(posedge clk_i) begin
    if (in_valid_i & in_ready_o) begin
      beat_q <= &here ? here : here + 1'b1;
      inner_q <= less;
      combined_q <= more;
    end
  end
  wire [15:0] csum = swap16(in_i.data[CsumBit+:16]);
  ones_pkg::saved_t saved;
  assign saved = ones_pkg::save({~csum, ~16'(less), 16'(more), 48'b0});
  wire [15:0] new_csum = ~ones_pkg::join_up(ones_pkg::split_saved(saved), 1'b0);

  beat_t sent;
  always_comb begin
    sent = in_i;
    sent.meta.mac_port = mac_port_t'(InnerPort);
    if (first) sent.data[9:8] = combined;
    if (here == 2'(CsumBeat) & less != more) sent.data[CsumBit+:16] = swap16(new_csum);
  end

  // ---- Verdict ----

  localparam length_t HeaderBytes = length_t'(ipv4_pkg::HeaderBytes);
  wire [15:0] inner_length = swap16(in_i.data[31:16]);
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (~at_least(in_i.length, HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (inner_length != {2'b0, in_i.length}) reasons[DropBadLength] = 1'b1;
    else if (Remote != '0 && in_i.meta.ip != Remote) reasons[DropUnknownPeer] = 1'b1;
    else if (outer == CongestionExperienced & ~capable) reasons[DropCongested] = 1'b1;
  end

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first),
      .in_next_i(NextIpv4Rx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{message}};
    event_o[EventMarked] <= in_valid_i & in_ready_o & first & marks & combined != inner &
        ~|reasons & ~rst_i;
  end
  assign busy_o = out_valid_o;

endmodule
