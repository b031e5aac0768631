// SPDX-License-Identifier: Apache-2.0
// ICMP (RFC 792, RFC 1122 3.2.2): answers echo requests of any size and code, and sends port and
// protocol unreachable messages.
//
// An echo reply is the request with another type and an adjusted checksum (RFC 1624), so it is not
// stored. Errors are built from messages of kind unreachable of udp_rx and ipv4_rx (up to 8 bytes
// of the packet's payload, and in the metadata the fields of the IP header, which is rebuilt
// without its options). Their rate is limited (icmp_error_limit): to each peer a burst of
// BurstErrors and one per 2^RefillShift microseconds, to all together TotalBurst and one per
// 2^TotalRefillShift.
//
// Received errors (RFC 1122, 3.2.2: unreachable, time exceeded, parameter problem) about a packet
// of this host are sent, as kind icmp_error, to the layer bound to the quoted protocol. All other
// ICMP messages are dropped and counted. If no such layer exists, there is no logic for received
// errors.
//
// Latency: 1 cycle, 2 with QueueBeats; errors about 16. Throughput: one beat per cycle; two more
// cycles for a received error. A request for an error waits while the one before is judged, for a
// cycle, and while its error is built; echo requests do not wait.
`include "bombus_assert.svh"

module icmp_echo
  import bombus_pkg::*;
  import icmp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from icmp_echo.rdl
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 1,
    // Beats that can wait here without blocking other traffic (docs/architecture.md, "Timing")
    parameter int unsigned QueueBeats = 0,
    parameter int unsigned BurstErrors = 8,
    parameter int unsigned RefillShift = 14,  // one token per 16 ms: 61 per second
    parameter int unsigned NumPeers = 64,  // buckets; a power of two
    parameter int unsigned TotalBurst = 64,
    parameter int unsigned TotalRefillShift = 10,  // one token per millisecond: 977 per second
    // Protocols with a layer that handles errors, filled in by Bombus, and the next hop of each
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    parameter int unsigned KindUnreachable = 4,  // filled in by Bombus
    parameter int unsigned KindIcmpError = 5,  // filled in by Bombus
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 1)
) (
    input logic                    clk_i,
    input logic                    rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input logic  [           31:0] time_us_i,
    input regs_t                   regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                           out_o,
    output logic                            out_valid_o,
    input  logic                            out_ready_i,
    output logic            [NextWidth-1:0] out_next_o,
    output logic            [          3:0] drop_o,
    output message_number_t [          3:0] drop_message_o,
    output logic            [          2:0] event_o,
    output logic                            busy_o
);

  if (QueueBeats != 0 && (QueueBeats < 4 || QueueBeats != 2 ** $clog2(
          QueueBeats
      ))) begin : gen_bad_queue
    $error("icmp_echo: QueueBeats must be 0 or a power of two, at least 4");
  end

  localparam string Entry = "icmp";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  localparam logic [7:0] IpProtocol = ProtocolIcmp;  // the key that ipv4_rx binds
  localparam string Takes = "packet unreachable";
  localparam bit Rare = 1'b1;  // little traffic compared with the other bound layers
  localparam string Binds = "quoted_protocol";
  localparam int unsigned BindsWidth = 8;
  localparam string Sends = "icmp_error";
  localparam string NextIpv4TxSends = "packet";
  typedef enum int unsigned {
    NextIpv4Tx,
    NextBound    // layers that handle ICMP errors
  } next_e;
  typedef enum int unsigned {
    DropTruncated,
    DropBadChecksum,
    DropNotEchoRequest,  // and not an error that a layer handles
    DropRateLimited,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventEchoReply,
    EventPortUnreachable,
    EventProtocolUnreachable,
    NumEvents
  } event_e;

  localparam logic [7:0] TosInternetControl = 8'hC0;  // RFC 1812, 4.3.2.5
  localparam int unsigned DataBytes = $bits(in_i.data) / 8;

  beat_t request;
  logic request_valid, request_ready, request_waits;
  stream_queue #(
      .data_t(beat_t),
      .Depth (QueueBeats)
  ) u_queue (
      .out_o(request),
      .out_valid_o(request_valid),
      .out_ready_i(request_ready),
      .holds_o(request_waits),
      .*
  );

  logic first;
  message_number_t message, begun;
  message_number u_first (
      .clk_i,
      .rst_i,
      .taken_i(request_valid & request_ready),
      .last_i (request.last),
      .first_o(first),
      .here_o (message),
      .begun_o(begun)
  );

  // ---- Echo ----

  wire header_t header = request.data[HeaderBytes*8-1:0];
  wire is_error = first & (32'(request.kind) == KindUnreachable);  // a message of one beat

  packet_meta_t reply_meta;
  always_comb begin
    reply_meta = request.meta;
    reply_meta.csum = '0;
    reply_meta.l4.ip_tx = '{protocol: ProtocolIcmp, csum_pos: '0, reserved: '0};
  end

  // The type decreases by 8 in the high byte of the first word, so the checksum increases by that
  // much (RFC 1624): from the bit of weight 8 on, each bit flips if all bits below it are ones,
  // with end-around carry.
  localparam int unsigned TypeBit = 11;
  function automatic logic [15:0] type_taken_out(logic [15:0] csum);
    logic carry;
    carry = ~&csum;
    for (int unsigned i = 0; i < 16; i++) begin
      type_taken_out[(TypeBit+i)%16] = csum[(TypeBit+i)%16] ^ carry;
      carry = i == 0 ? csum[TypeBit] : carry & csum[(TypeBit+i)%16];
    end
  endfunction

  beat_t reply;
  always_comb begin
    reply = request;
    reply.kind = $bits(reply.kind)'(KindPacket);
    reply.meta = reply_meta;
    if (first) begin
      reply.data[7:0]   = TypeEchoReply;
      reply.data[31:16] = swap16(type_taken_out(swap16(header.csum)));
    end
  end

  // ---- Unreachable ----

  localparam int unsigned MaxQuotedBytes = 8;  // quoted bytes of the packet's payload
  typedef struct packed {
    logic [MaxQuotedBytes*8-1:0] payload;
    ipv4_pkg::header_t ip;
    header_t icmp;
  } unreachable_t;  // in wire order, first byte lowest
  localparam int unsigned MaxErrorBytes = $bits(unreachable_t) / 8;
  localparam int unsigned ErrorBeats = (MaxErrorBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned IpHeaderWords = ipv4_pkg::HeaderBytes / 2;
  typedef logic [$clog2(ErrorBeats+1)-1:0] index_t;

  // Echo requests are answered meanwhile; the error leaves between two of them.
  typedef enum logic [1:0] {
    StateRest,
    StateJudge,
    StateSum,
    StateSend
  } state_e;
  state_e state_q;
  logic report_q;  // a received error is reported in this cycle
  wire sending = (state_q == StateSend) & first & ~report_q;
  wire stream = ~report_q & ~sending;
  wire error_taken = request_valid & request_ready & is_error;

  // The data of the error.
  unreachable_meta_t refused;  // the packet that the error is about
  assign refused = request.meta;
  unreachable_t error_q;  // without checksums
  packet_meta_t error_meta, error_meta_q;
  always_comb begin
    error_meta = reply_meta;
    error_meta.tos = TosInternetControl;
    error_meta.l4.ip_tx.csum_pos = csum_pos_t'(CsumWord);
  end
  logic [5:0] error_bytes_q;
  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(request.meta.mac_port),
      .one_o (host)
  );
  always_ff @(posedge clk_i) begin
    if (error_taken) begin
      error_q <= '{
          icmp: '{
              kind: TypeUnreachable,
              code: (refused.header.protocol == ProtocolUdp) ? CodePort : CodeProtocol,
              csum: '0,
              rest: '0
          },
          ip: '{
              version: ipv4_pkg::Version,
              ihl: ipv4_pkg::HeaderWords,
              tos: refused.tos,
              length: swap16(refused.payload_length + 16'(ipv4_pkg::HeaderBytes)),
              id: swap16(refused.header.id),
              fragment: {8'h00, 1'b0, refused.dont_fragment, 6'b0},
              ttl: refused.header.ttl,
              protocol: refused.header.protocol,
              csum: '0,
              src: swap32(refused.ip),
              dst: swap32(host.ip)
          },
          payload: request.data[MaxQuotedBytes*8-1:0]
      };
      error_meta_q <= error_meta;
      error_bytes_q <= 6'(MaxErrorBytes - MaxQuotedBytes) + 6'(request.length);
    end
  end

  // ---- Received errors ----

  logic out_ready;
  localparam bit Reports = BoundKeys != '0;
  logic reporting_q, good_quote;
  logic [NextWidth-1:0] bound;
  beat_t report;
  wire is_report = Reports & ~is_error & (request.meta.csum == '1) &
      (request.length >= 14'(MaxErrorBytes)) &
      (header.kind inside {TypeUnreachable, TypeTimeExceeded, TypeParameterProblem});
  wire is_received_error = first ? is_report : reporting_q;
  wire received_error_taken = stream & request_valid & out_ready & is_received_error;
  wire received_error_ends = received_error_taken & request.last;
  wire reporting = Reports & report_q;
  icmp_received_error #(
      .beat_t(beat_t),
      .quote_t(unreachable_t),
      .NumMacPorts(NumMacPorts),
      .NumBound(NumBound),
      .HopWidth(NextWidth),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops),
      .KindIcmpError(KindIcmpError)
  ) u_received_error (
      .clk_i,
      .rst_i,
      .host_i,
      .in_i(request),
      .taken_i(received_error_taken),
      .first_i(first),
      .inside_o(reporting_q),
      .report_o(report),
      .good_o(good_quote),
      .hop_o(bound)
  );

  // ---- Unreachable: rate limit ----

  logic allowed, limit_busy;
  wire judged = (state_q == StateJudge) & ~limit_busy;
  wire refuses = judged & ~allowed;
  icmp_error_limit #(
      .NumPeers(NumPeers),
      .Burst(BurstErrors),
      .RefillShift(RefillShift),
      .TotalBurst(TotalBurst),
      .TotalRefillShift(TotalRefillShift)
  ) u_limit (
      .clk_i,
      .rst_i,
      .time_us_i,
      .seed_i(regs_i.secret.bits),
      .ip_i(request.meta.ip),
      .take_i(error_taken),
      .allowed_o(allowed),
      .spend_i(judged & allowed),
      .busy_o(limit_busy)
  );

  // The sum of the quoted header: its words, then twice the carries.
  localparam int unsigned SumSteps = IpHeaderWords + 3;
  wire [IpHeaderWords-1:0][15:0] ip_words = error_q.ip;
  logic [$clog2(SumSteps)-1:0] step_q;
  logic [15:0] word_q;
  logic [19:0] sum_q;
  wire fold = 32'(step_q) > IpHeaderWords;
  always_ff @(posedge clk_i) begin
    word_q <= '0;
    for (int unsigned w = 0; w < IpHeaderWords; w++) begin
      if (32'(step_q) == w) word_q <= ip_words[w];
    end
    if (judged) sum_q <= '0;
    else if (state_q == StateSum && step_q != '0) begin
      sum_q <= (fold ? {4'b0, sum_q[15:0]} : sum_q) + (fold ? 20'(sum_q[19:16]) : 20'(word_q));
    end
  end

  beat_t error;
  unreachable_t error_message;
  always_comb begin
    error_message = error_q;
    error_message.ip.csum = ~sum_q[15:0];
  end
  index_t index_q;
  wire [ErrorBeats*DataBytes*8-1:0] error_bits = (ErrorBeats * DataBytes * 8)'(error_message);
  wire [5:0] error_position = 6'(index_q) * 6'(DataBytes);
  wire [5:0] error_left = error_bytes_q - error_position;
  always_comb begin
    error.data = error_bits[DataBytes*8-1:0];
    for (int unsigned b = 1; b < ErrorBeats; b++) begin
      if (index_q == index_t'(b)) error.data = error_bits[b*DataBytes*8+:DataBytes*8];
    end
    error.last   = 32'(error_left) <= DataBytes;
    error.bytes  = error.last ? $bits(error.bytes)'(error_left) : $bits(error.bytes)'(DataBytes);
    error.kind   = $bits(error.kind)'(KindPacket);
    error.meta   = error_meta_q;
    error.length = 14'(error_bytes_q);
  end

  wire error_done = sending & out_ready & error.last;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= StateRest;
      report_q <= 1'b0;
      step_q   <= '0;
      index_q  <= '0;
    end else begin
      report_q <= received_error_ends | (report_q & ~out_ready);
      case (state_q)
        StateRest:  if (error_taken) state_q <= StateJudge;
        StateJudge: if (judged) state_q <= allowed ? StateSum : StateRest;
        StateSum: begin
          step_q <= step_q + 1'b1;
          if (32'(step_q) == SumSteps - 1) begin
            step_q  <= '0;
            state_q <= StateSend;
          end
        end
        default: begin
          if (sending & out_ready) index_q <= error.last ? '0 : index_q + 1'b1;
          if (error_done) state_q <= StateRest;
        end
      endcase
    end
  end

  // ---- Output ----

  assign request_ready = is_error ? state_q == StateRest : stream & out_ready;

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (sending) reasons = '0;
    else if (reporting) reasons[DropNotEchoRequest] = ~good_quote;
    else if (request.length < 14'(HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (request.meta.csum != '1) reasons[DropBadChecksum] = 1'b1;
    else if (header.kind != TypeEchoRequest) reasons[DropNotEchoRequest] = 1'b1;
  end

  logic [NumDrops-1:0] dropped;
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sending ? error : reporting ? report : reply),
      .in_valid_i(sending | reporting | (stream & request_valid & ~is_error & ~is_received_error)),
      .in_ready_o(out_ready),
      .in_first_i(sending ? index_q == '0 : first),
      .in_next_i(reporting ? bound + NextWidth'(NextBound) : NextWidth'(NextIpv4Tx)),
      .in_drop_i(reasons),
      .drop_o(dropped),
      .*
  );
  logic refused_q;
  message_number_t message_q, judged_message_q;
  always_ff @(posedge clk_i) begin
    refused_q <= ~rst_i & refuses;
    message_q <= reporting ? begun : message;
    if (error_taken) judged_message_q <= message;
  end
  always_comb begin
    drop_o = dropped;
    drop_o[DropRateLimited] = refused_q;
    drop_message_o = {NumDrops{message_q}};
    drop_message_o[DropRateLimited] = judged_message_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else begin
      event_o[EventEchoReply] <= stream & request_valid & out_ready & first & ~is_error &
          ~is_received_error & ~|reasons;
      event_o[EventPortUnreachable] <= error_done & (error_q.icmp.code == CodePort);
      event_o[EventProtocolUnreachable] <= error_done & (error_q.icmp.code == CodeProtocol);
    end
  end

  assign busy_o = request_waits | reporting_q | report_q | (state_q != StateRest) | limit_busy |
      out_valid_o;

  `BOMBUS_ASSERT(ErrorIsOneBeat, !(request_valid && is_error) || request.last)

endmodule
