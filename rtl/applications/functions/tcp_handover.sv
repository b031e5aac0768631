// SPDX-License-Identifier: Apache-2.0
// Takes one TCP connection from its peer: another host, the carrier, takes the place of the peer,
// to move the connection (docs/applications/functions/sessions.md).
//
// Received: after ipv4_rx, before tcp. Segments of the carrier get the address of the peer, and
// the kind tcp_import, by which tcp lets a SYN choose the initial sequence number and the timestamp
// clock. Segments of the peer are dropped and counted; it retransmits them. Otherwise to be sent,
// before ipv4_tx: segments to the peer go to the carrier, or are dropped if there is none. All
// other packets are unchanged. The checksum changes incrementally (RFC 1624), as in nat.
//
// All beats of a message use the register as it was with the first beat. Latency: 2 cycles.
// Throughput: one beat per cycle.
module tcp_handover
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from tcp_handover.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter bit Received = 1,
    parameter int unsigned KindTcpImport = 1  // filled in by Bombus
) (
    input logic  clk_i,
    input logic  rst_i,
    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [0:0] drop_o,
    output message_number_t [0:0] drop_message_o,
    output logic            [0:0] event_o,
    output logic                  busy_o
);

  localparam string Entry = "";  // takes the messages of the tile named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = Received ? "tcp" : "ipv4_tx";
  localparam string Needs = Received ? "0=tcp_handover.received" : "1=tcp_handover.received";
  localparam bit Forwards = 1'b1;
  // A layer has a parameter only for kinds that it takes or sends: the sending one never gets
  // tcp_import.
  localparam string Takes = Received ? "packet" : "packet routed_packet tcp_import";
  localparam string Sends = Received ? "packet tcp_import" : "packet routed_packet";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  typedef enum logic [0:0] {NextTaken} next_e;
  typedef enum int unsigned {
    DropHeld,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventCarried,
    NumEvents
  } event_e;

  // ---- Verdict, for the first beat ----

  // A segment begins with its ports.
  packet_meta_t in_meta;
  assign in_meta = packet_meta_t'(in_i.meta);
  wire [15:0] source = swap16(in_i.data[15:0]);
  wire [15:0] destination = swap16(in_i.data[31:16]);
  wire [7:0] protocol = Received ? in_meta.l4.ip_rx.protocol : in_meta.l4.ip_tx.protocol;
  wire ports_match = regs_i.connection.valid & protocol == ProtocolTcp &
      in_i.length >= 14'd4 &
      (Received ? source : destination) == regs_i.connection.peer_port &
      (Received ? destination : source) == regs_i.connection.own_port;
  wire of_peer = ports_match & in_meta.ip == regs_i.connection.peer_ip;
  wire has_carrier = regs_i.connection.carrier_ip != '0;
  wire of_carrier = ports_match & has_carrier & in_meta.ip == regs_i.connection.carrier_ip;
  wire [31:0] to = Received ? regs_i.connection.peer_ip : regs_i.connection.carrier_ip;

  // Plus the new address, minus the old one. The sum of a received packet has the opposite sign of
  // the seed of one to be sent: the transport layer adds the address to it.
  wire [31:0] more = Received ? in_meta.ip : to;
  wire [31:0] less = Received ? to : in_meta.ip;

  typedef struct packed {
    logic first;
    logic carries;
    logic drops;
    logic [31:0] to;
    ones_pkg::split_t csum;  // with this address
    beat_t beat;
    message_number_t message;
  } stage_t;
  stage_t stage_d, stage;
  logic stage_valid, stage_ready, first;
  message_number_t message, unused_begun;
  message_number u_message (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first),
      .here_o (message),
      .begun_o(unused_begun)
  );
  assign stage_d = '{
          first: first,
          carries: Received ? of_carrier : of_peer & has_carrier,
          drops: of_peer & (Received ? ~of_carrier : ~has_carrier),
          to: to,
          csum: ones_pkg::split_saved(ones_pkg::save({in_meta.csum, ~less, more, 16'b0})),
          beat: in_i,
          message: message
      };
  stream_register #(
      .data_t(stage_t)
  ) u_stage (
      .clk_i,
      .rst_i,
      .in_i(stage_d),
      .in_valid_i,
      .in_ready_o,
      .out_o(stage),
      .out_valid_o(stage_valid),
      .out_ready_i(stage_ready)
  );

  // ---- The message ----

  logic carries_q;
  wire  carries = stage.first ? stage.carries : carries_q;
  always_ff @(posedge clk_i) if (stage_valid & stage_ready) carries_q <= carries;

  beat_t sent;
  packet_meta_t sent_meta;
  always_comb begin
    sent_meta = packet_meta_t'(stage.beat.meta);
    if (stage.carries) begin
      sent_meta.ip   = stage.to;
      sent_meta.csum = ones_pkg::join_up(stage.csum, 1'b0);
    end
    sent = stage.beat;
    if (stage.first) sent.meta[$bits(packet_meta_t)-1:0] = sent_meta;
    if (Received & carries) sent.kind = $bits(sent.kind)'(KindTcpImport);
  end

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(stage_valid),
      .in_ready_o(stage_ready),
      .in_first_i(stage.first),
      .in_next_i(NextTaken),
      .in_drop_i(stage.drops),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    drop_message_o <= {NumDrops{stage.message}};
    event_o[EventCarried] <= stage_valid & stage_ready & stage.first & stage.carries & ~rst_i;
  end
  assign busy_o = stage_valid | out_valid_o;

endmodule
