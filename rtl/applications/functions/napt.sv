// SPDX-License-Identifier: Apache-2.0
// Network address and port translation between two MAC ports (RFC 3022, 2.2; RFC 4787, 5382, 5508):
// hosts of the network at InsidePort share the address of OutsidePort.
//
// It precedes ipv4_rx and takes IP packets of both ports with their header. A packet from inside to
// another network, and one from outside to a port that belongs to a session or a static forward,
// leaves by the other MAC port through ipv4_tx, as kind routed_packet. All others go on to ipv4_rx
// unchanged: those to the host, and those with a bad header or with options.
//
// Mapping and filtering do not depend on the remote endpoint (RFC 4787, REQ-1 and REQ-8). TCP, UDP
// and ICMP echo are translated, and ICMP errors about them with the header that they quote. Only
// packets from inside make sessions; in TCP, only a SYN. Fragments from inside are dropped and
// counted. There is no hairpinning.
//
// Latency: 4 cycles at 512 bits; narrower data adds the beats of the first 34 bytes, of an ICMP
// error of 56. Throughput: one beat per cycle.
module napt
  import bombus_pkg::*;
  import napt_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from napt.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InsidePort = 0,
    parameter int unsigned OutsidePort = 1,
    parameter int unsigned NumPorts = 32768,  // a power of two, at least 128
    parameter int unsigned NumForwards = 8,
    parameter int unsigned KindRoutedPacket = 5  // filled in by Bombus
) (
    input logic                    clk_i,
    input logic                    rst_i,
    input logic  [           31:0] time_us_i,
    input host_t [NumMacPorts-1:0] host_i,
    input regs_t                   regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic  [5:0] drop_o,
    output logic  [3:0] event_o,
    output logic        busy_o
);

  localparam string Entry = "";  // takes the messages of the layer named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = "ipv4_rx";
  localparam bit Forwards = 1'b1;
  localparam bit KeepsFlowState = 1'b1;
  localparam string NextIpv4TxSends = "routed_packet";
  typedef enum logic [0:0] {
    NextServed,
    NextIpv4Tx
  } next_e;
  typedef enum int unsigned {
    DropFragment,
    DropUnsupported,  // from inside, of another protocol
    DropExpired,  // by its time to live
    DropBadSource,
    DropNoSession,
    DropNoPort,  // for a new session
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventOutward,
    EventInward,
    EventError,    // one of these is an ICMP error
    EventSession,  // a session has begun
    NumEvents
  } event_e;

  if (InsidePort >= NumMacPorts || OutsidePort >= NumMacPorts) begin : gen_bad_port
    $error("napt: InsidePort and OutsidePort must be MAC ports of the design");
  end
  if (InsidePort == OutsidePort) begin : gen_same_port
    $error("napt: InsidePort and OutsidePort must differ");
  end
  if (NumForwards < 1 || NumForwards > 64) begin : gen_bad_forwards
    $error("napt: NumForwards must be 1 to 64");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned PacketBeats = (PacketBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned ErrorBeats = (ErrorBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned Depth = 32;  // beats, and so at most as many packets
  typedef logic [$clog2(ErrorBeats+1)-1:0] seen_t;

  // ---- The headers, and a queue of the beats that wait for the verdict ----

  logic queue_ready, sessions_ready;
  wire taken = in_valid_i & in_ready_o;
  assign in_ready_o = queue_ready & sessions_ready;

  // Beats of this packet before the present one that belong to the view.
  seen_t seen_q;
  logic [ErrorBeats*DataBytes*8-1:0] view;
  logic viewed_q;  // the verdict of this packet is on its way
  length_t length_q;
  mac_port_t mac_port_q;
  packet_meta_t in_meta;
  assign in_meta = packet_meta_t'(in_i.meta);
  wire first = seen_q == '0;
  wire length_t length = first ? in_i.length : length_q;
  wire mac_port_t mac_port = first ? in_meta.mac_port : mac_port_q;
  if (ErrorBeats == 1) begin : gen_one_beat
    assign view = in_i.data;
  end else begin : gen_more_beats
    logic [ErrorBeats-1:0][DataBytes*8-1:0] beats_q, beats;
    always_comb begin
      beats = beats_q;
      for (int unsigned b = 0; b < ErrorBeats; b++) begin
        if (32'(seen_q) == b) beats[b] = in_i.data;
      end
    end
    assign view = beats;
    always_ff @(posedge clk_i) if (taken) beats_q <= beats;
  end

  wire [7:0] kind = view[8*ipv4_pkg::HeaderBytes+:8];
  wire is_long = view[72+:8] == bombus_pkg::ProtocolIcmp & (kind inside {
      icmp_pkg::TypeUnreachable, icmp_pkg::TypeTimeExceeded, icmp_pkg::TypeParameterProblem});
  wire is_end_of_view = PacketBeats == ErrorBeats ? 32'(seen_q) == ErrorBeats - 1 :
      32'(seen_q) == ErrorBeats - 1 | (32'(seen_q) >= PacketBeats - 1 & ~is_long);
  wire is_viewed = taken & ~viewed_q & (is_end_of_view | in_i.last);
  always_ff @(posedge clk_i) begin
    if (taken) begin
      if (first) begin
        length_q   <= in_i.length;
        mac_port_q <= in_meta.mac_port;
      end
      viewed_q <= ~in_i.last & (viewed_q | is_viewed);
      if (in_i.last) seen_q <= '0;
      else if (32'(seen_q) != ErrorBeats) seen_q <= seen_q + 1'b1;
    end
    if (rst_i) begin
      seen_q   <= '0;
      viewed_q <= 1'b0;
    end
  end

  verdict_t found, verdict;
  logic found_valid, verdict_valid, verdict_ready, is_served, is_served_valid;
  napt_choice #(
      .regs_t(regs_t),
      .NumMacPorts(NumMacPorts),
      .InsidePort(InsidePort),
      .OutsidePort(OutsidePort),
      .NumPorts(NumPorts),
      .NumForwards(NumForwards)
  ) u_choice (
      .clk_i,
      .rst_i,
      .time_us_i,
      .host_i,
      .regs_i,
      .ready_o(sessions_ready),
      .view_valid_i(is_viewed),
      .view_i(view[ErrorBytes*8-1:0]),
      .length_i(length),
      .mac_port_i(mac_port),
      .is_served_o(is_served),
      .is_served_valid_o(is_served_valid),
      .verdict_o(found),
      .verdict_valid_o(found_valid)
  );

  beat_t waiting;
  logic waiting_valid, waiting_ready;
  stream_queue #(
      .data_t(beat_t),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i(in_valid_i & sessions_ready),
      .in_ready_o(queue_ready),
      .out_o(waiting),
      .out_valid_o(waiting_valid),
      .out_ready_i(waiting_ready),
      .holds_o()
  );

  // ---- The IP header of a translated packet is removed ----

  // Never full: each item belongs to a packet in the queue of beats.
  logic keeps, keeps_valid, strip_ready, waiting_first;
  stream_queue #(
      .data_t(logic),
      .Depth (Depth)
  ) u_served (
      .clk_i,
      .rst_i,
      .in_i(is_served),
      .in_valid_i(is_served_valid),
      .in_ready_o(),
      .out_o(keeps),
      .out_valid_o(keeps_valid),
      .out_ready_i(waiting_valid & waiting_first & strip_ready),
      .holds_o()
  );
  first_beat u_waiting_first (
      .clk_i,
      .rst_i,
      .taken_i(waiting_valid & waiting_ready),
      .last_i (waiting.last),
      .first_o(waiting_first)
  );
  wire may_strip = ~waiting_first | keeps_valid;
  assign waiting_ready = strip_ready & may_strip;

  beat_t body;
  logic body_valid, body_ready, body_first;
  ipv4_pkg::header_t header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(ipv4_pkg::HeaderBytes)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i(waiting),
      .in_valid_i(waiting_valid & may_strip),
      .in_ready_o(strip_ready),
      .keep_i(keeps),
      .out_o(body),
      .out_valid_o(body_valid),
      .out_ready_i(body_ready),
      .out_first_o(body_first),
      .header_o(header)
  );

  // A beat of a translated packet, before strip selects it.
  localparam int unsigned Shift = ipv4_pkg::HeaderBytes % DataBytes;
  logic [DataBytes*8-1:0] held_q;
  wire  [DataBytes*8-1:0] stripped = {waiting.data[Shift*8-1:0], held_q[DataBytes*8-1:Shift*8]};
  always_ff @(posedge clk_i) if (waiting_valid & waiting_ready) held_q <= waiting.data;

  // ---- Translation ----

  // In flip-flops at the front. Never full: twice as many as beats can wait.
  logic unused_body;
  head_fifo #(
      .head_t(verdict_t),
      .body_t(logic),
      .Depth (2 * Depth)
  ) u_verdicts (
      .clk_i,
      .rst_i,
      .in_head_i  (found),
      .in_body_i  (1'b0),
      .in_valid_i (found_valid),
      .in_ready_o (),
      .out_head_o (verdict),
      .out_body_o (unused_body),
      .out_valid_o(verdict_valid),
      .out_ready_i(verdict_ready)
  );
  logic sent_ready;
  wire  sent_valid = body_valid & verdict_valid;
  assign body_ready = sent_ready & verdict_valid;
  assign verdict_ready = sent_ready & body_valid & body.last;

  logic [2:0] beat_q;  // number in its message
  wire  [2:0] beat = body_first ? '0 : beat_q;
  always_ff @(posedge clk_i) begin
    if (sent_valid & sent_ready) beat_q <= &beat ? beat : beat + 1'b1;
  end
  logic [DataBytes*8-1:0] edited;
  napt_edit #(
      .DataWidth(DataBytes * 8)
  ) u_edit (
      .data_i(body.data),
      .stripped_i(stripped),
      .beat_i(beat),
      .verdict_i(verdict),
      .data_o(edited)
  );

  ipv4_pkg::routed_packet_meta_t routed;
  always_comb begin
    routed = '0;
    routed.source = verdict.from_inside ? verdict.ip : swap32(header.src);
    routed.ttl = header.ttl - 1'b1;
    routed.id = swap16(header.id);
    routed.may_fragment = ~header.fragment[6];
    routed.packet.mac_port = verdict.from_inside ? mac_port_t'(OutsidePort) :
        mac_port_t'(InsidePort);
    routed.packet.tos = header.tos;
    routed.packet.ip = verdict.from_inside ? swap32(header.dst) : verdict.ip;
    routed.packet.l4.ip_tx.protocol = header.protocol;
  end
  beat_t sent;
  always_comb begin
    sent = body;
    sent.data = edited;
    if (~verdict.is_served) begin
      sent.kind   = $bits(sent.kind)'(KindRoutedPacket);
      sent.meta   = $bits(sent.meta)'(routed);
      sent.length = body.length - 14'(ipv4_pkg::HeaderBytes);
    end
  end

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (~verdict.is_served) begin
      reasons[DropFragment] = verdict.is_fragment;
      reasons[DropUnsupported] = verdict.is_unsupported;
      reasons[DropExpired] = verdict.is_expired;
      reasons[DropBadSource] = verdict.has_bad_source;
      reasons[DropNoSession] = verdict.no_session;
      reasons[DropNoPort] = verdict.no_port;
    end
  end
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sent),
      .in_valid_i(sent_valid),
      .in_ready_o(sent_ready),
      .in_first_i(body_first),
      .in_next_i(verdict.is_served ? NextServed : NextIpv4Tx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  wire passes = sent_valid & sent_ready & body_first & ~verdict.is_served & reasons == '0;
  always_ff @(posedge clk_i) begin
    event_o[EventOutward] <= passes & verdict.from_inside;
    event_o[EventInward]  <= passes & ~verdict.from_inside;
    event_o[EventError]   <= passes & verdict.is_error;
    event_o[EventSession] <= passes & verdict.is_new;
    if (rst_i) event_o <= '0;
  end
  // While sessions are removed, the input stalls.
  assign busy_o = waiting_valid | body_valid | out_valid_o | ~sessions_ready;

endmodule
