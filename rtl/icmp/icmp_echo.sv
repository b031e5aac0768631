// SPDX-License-Identifier: Apache-2.0
// ICMP (RFC 792, RFC 1122 3.2.2): answers echo requests of any size and code, and
// tells senders of packets that nobody here takes that port or protocol are
// unreachable.
//
// An echo reply is the request with another type and the checksum adjusted
// (RFC 1624), so it streams through. Errors are built from what udp_rx and
// ipv4_rx send as kind unreachable (up to 8 bytes of the packet's payload, and in
// the metadata the fields of the IP header, which is rebuilt without its options), at most BurstErrors at once and one per
// 2^RefillShift microseconds on the average. All other ICMP is dropped and counted.
//
// Latency: 1 cycle; errors about 12. Throughput: one beat per cycle.
module icmp_echo
  import bombus_pkg::*;
  import icmp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // of its output_stage
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned BurstErrors = 8,
    parameter int unsigned RefillShift = 14,  // 16 ms: 61 a second
    parameter int unsigned KindUnreachable = 4  // filled in by Bombus
) (
    input logic                    clk_i,
    input logic                    rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input logic  [           31:0] time_us_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic  [3:0] drop_o,
    output logic  [2:0] event_o,
    output logic        busy_o
);

  if (BurstErrors < 1 || RefillShift > 31) begin : gen_bad_rate
    $error("icmp_echo: BurstErrors must be at least 1, RefillShift at most 31");
  end

  localparam string Entry = "icmp";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowAddress;
  localparam logic [7:0] IpProtocol = ProtocolIcmp;  // by which ipv4_rx finds it
  localparam string Takes = "packet unreachable";
  localparam bit Rare = 1'b1;  // little comes here beside what else is bound
  typedef enum logic [0:0] {NextIpv4Tx} next_e;
  typedef enum int unsigned {
    DropTruncated,
    DropBadChecksum,
    DropNotEchoRequest,
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

  logic first_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i & in_ready_o) first_q <= in_i.last;
  end

  // ---- Echo ----

  wire header_t header = in_i.data[HeaderBytes*8-1:0];
  wire is_error = 32'(in_i.kind) == KindUnreachable;

  packet_meta_t reply_meta;
  always_comb begin
    reply_meta = in_i.meta;
    reply_meta.csum = '0;
    reply_meta.l4.ip_tx = '{protocol: ProtocolIcmp, csum_pos: '0, reserved: '0};
  end

  beat_t reply;
  always_comb begin
    reply = in_i;
    reply.kind = $bits(reply.kind)'(KindPacket);
    reply.meta = reply_meta;
    if (first_q) begin
      reply.data[7:0]   = TypeEchoReply;
      // The type went down by 8 in the high byte of the first word: add it back.
      reply.data[31:16] = swap16(csum_add(swap16(header.csum), {TypeEchoRequest, 8'h00}));
    end
  end

  // ---- Unreachable ----

  localparam int unsigned MaxQuotedBytes = 8;  // of the packet's payload
  typedef struct packed {
    logic [MaxQuotedBytes*8-1:0] payload;
    ipv4_pkg::header_t ip;
    header_t icmp;
  } unreachable_t;  // wire bytes, first byte lowest
  localparam int unsigned MaxErrorBytes = $bits(unreachable_t) / 8;
  localparam int unsigned ErrorBeats = (MaxErrorBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned IpHeaderWords = ipv4_pkg::HeaderBytes / 2;
  typedef logic [$clog2(ErrorBeats+1)-1:0] index_t;

  typedef enum logic [1:0] {
    StateStream,
    StateSum,
    StateSend
  } state_e;
  state_e state_q;
  unreachable_t error_q;
  unreachable_meta_t refused;  // the packet that the error is about
  assign refused = in_i.meta;
  logic [15:0] sum_q;
  logic [3:0] word_q;
  index_t index_q;

  logic [$clog2(BurstErrors+1)-1:0] tokens_q;
  // Periods that have gone by since the last cycle each give a token back: time may jump.
  localparam int unsigned PeriodWidth = 8;
  typedef logic [PeriodWidth:0] refill_t;
  logic [PeriodWidth-1:0] period_q;
  wire [PeriodWidth-1:0] period = time_us_i[RefillShift+:PeriodWidth];
  wire refill_t refilled = refill_t'(tokens_q) + refill_t'(PeriodWidth'(period - period_q));
  wire refill_t tokens = (refilled > refill_t'(BurstErrors)) ? refill_t'(BurstErrors) : refilled;
  wire error_start = (state_q == StateStream) & in_valid_i & first_q & is_error & (tokens_q != '0);

  ipv4_pkg::header_t summed;  // without the checksum, which the sum grows in
  always_comb begin
    summed = error_q.ip;
    summed.csum = '0;
  end
  wire [IpHeaderWords-1:0][15:0] ip_words = summed;

  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(in_i.meta.mac_port),
      .one_o (host)
  );

  always_ff @(posedge clk_i) begin
    if (error_start) begin
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
          payload: '0
      };
    end
    if (state_q == StateSum) begin
      sum_q <= csum_add(word_q == '0 ? '0 : sum_q, ip_words[word_q]);
      error_q.ip.csum <= ~csum_add(sum_q, ip_words[word_q]);
    end
  end

  beat_t error;
  // The request waits at the input while the error is built from it.
  unreachable_t error_message;
  always_comb begin
    error_message = error_q;
    error_message.payload = in_i.data[MaxQuotedBytes*8-1:0];
  end
  wire [ErrorBeats*DataBytes*8-1:0] error_bits = (ErrorBeats * DataBytes * 8)'(error_message);
  wire [5:0] error_bytes = 6'(MaxErrorBytes - MaxQuotedBytes) + 6'(in_i.length);
  wire [5:0] error_position = 6'(index_q) * 6'(DataBytes);
  wire [5:0] error_left = error_bytes - error_position;
  always_comb begin
    error.data = error_bits[DataBytes*8-1:0];
    for (int unsigned b = 1; b < ErrorBeats; b++) begin
      if (index_q == index_t'(b)) error.data = error_bits[b*DataBytes*8+:DataBytes*8];
    end
    error.last = 32'(error_left) <= DataBytes;
    error.bytes = error.last ? $bits(error.bytes)'(error_left) : $bits(error.bytes)'(DataBytes);
    error.kind = $bits(error.kind)'(KindPacket);
    error.meta = reply_meta;
    error.meta.tos = TosInternetControl;
    error.length = 14'(error_bytes);
    error.meta.l4.ip_tx = '{
        protocol: ProtocolIcmp,
        csum_pos: csum_pos_t'(CsumWord),
        reserved: '0
    };
  end

  logic out_ready;
  wire  sending = state_q == StateSend;
  wire  error_done = sending & out_ready & error.last;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q  <= StateStream;
      word_q   <= '0;
      index_q  <= '0;
      tokens_q <= $bits(tokens_q)'(BurstErrors);
      period_q <= '0;
    end else begin
      period_q <= period;
      tokens_q <= $bits(tokens_q)'(tokens) - $bits(tokens_q)'(error_start);
      case (state_q)
        StateStream: if (error_start) state_q <= StateSum;
        StateSum: begin
          word_q <= word_q + 1'b1;
          if (word_q == 4'(IpHeaderWords - 1)) begin
            word_q  <= '0;
            state_q <= StateSend;
          end
        end
        default: begin
          if (out_ready) index_q <= error.last ? '0 : index_q + 1'b1;
          if (error_done) state_q <= StateStream;
        end
      endcase
    end
  end

  // ---- Out ----

  // A request for an error is taken when the error has gone out; one that the
  // rate limit refuses is dropped like any other message.
  wire stream = state_q == StateStream;
  wire waits = is_error & first_q & (tokens_q != '0);
  assign in_ready_o = (stream & ~waits & out_ready) | error_done;

  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (sending) reasons = '0;
    else if (is_error) reasons[DropRateLimited] = 1'b1;
    else if (in_i.length < 14'(HeaderBytes)) reasons[DropTruncated] = 1'b1;
    else if (in_i.meta.csum != '1) reasons[DropBadChecksum] = 1'b1;
    else if (header.kind != TypeEchoRequest) reasons[DropNotEchoRequest] = 1'b1;
  end

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(sending ? error : reply),
      .in_valid_i(sending | (stream & in_valid_i & ~waits)),
      .in_ready_o(out_ready),
      .in_first_i(sending ? index_q == '0 : first_q),
      .in_next_i(NextIpv4Tx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else begin
      event_o[EventEchoReply] <= stream & in_valid_i & out_ready & first_q & ~waits & ~|reasons;
      event_o[EventPortUnreachable] <= error_done & (error_q.icmp.code == CodePort);
      event_o[EventProtocolUnreachable] <= error_done & (error_q.icmp.code == CodeProtocol);
    end
  end

  assign busy_o = (state_q != StateStream) | out_valid_o;

endmodule
