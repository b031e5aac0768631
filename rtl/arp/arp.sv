// ARP (RFC 826, RFC 5227 2.4 and 3): answers requests for the host's address,
// asks for others, tells eth_tx's cache what it learns, announces the host once
// after reset.
//
// A packet that eth_tx could not address (KindUnresolved) waits here in one
// queue. When an answer comes, the whole queue is sent to eth_tx again; what
// still has no binding comes back and waits on. Addresses that nobody answers
// for are given up and their packets dropped and counted, as are packets that
// find the queue or the table of questions full. The input is never stopped, so
// that nothing behind it waits for an answer.
//
// A sender's binding is learned when it asks for us or answers us; otherwise it
// only refreshes one that is there (RFC 826: merge). A probe (sender 0.0.0.0) has
// none to learn (RFC 5227, 2.1.1), but is answered. Latency: not on the data
// path; an answer takes about 8 cycles.
module arp
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned QueueBytes = 16384  // waiting packets
) (
    input logic         clk_i,
    input logic         rst_i,
    input host_t        host_i,
    input logic  [31:0] time_us_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output next_e       out_next_o,
    output logic  [5:0] drop_o,
    output logic  [3:0] event_o,
    output logic        busy_o,
    output logic        timer_o
);

  localparam next_e Entry = NextArp;
  localparam bit Replicable = 0;  // what ARP learns is in one place
  localparam logic [31:0] NextHops = 32'(1) << NextEthTx;
  localparam bit AlwaysTakes = 1'b1;
  typedef enum int unsigned {
    DropMalformed,
    DropConflict,    // somebody else claims the host's address
    DropBusy,
    DropQueueFull,
    DropTableFull,
    DropUnresolved,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventRequestIn,
    EventReplyIn,
    EventReplyOut,
    EventRequestOut,
    NumEvents
  } event_e;

  typedef struct packed {
    logic [31:0] target_ip;
    logic [47:0] target_mac;
    logic [31:0] sender_ip;
    logic [47:0] sender_mac;
    logic [15:0] operation;
    logic [7:0]  ip_bytes;
    logic [7:0]  mac_bytes;
    logic [15:0] ip_type;
    logic [15:0] mac_type;
  } body_t;  // wire bytes, first byte lowest
  localparam int unsigned BodyBytes = $bits(body_t) / 8;
  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  localparam int unsigned BodyBeats = (BodyBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned LastBytes = BodyBytes - (BodyBeats - 1) * DataBytes;
  localparam logic [15:0] OperationRequest = 16'd1;
  localparam logic [15:0] OperationReply = 16'd2;
  localparam int unsigned EthernetBytes = 14;
  typedef logic [$clog2(BodyBeats+1)-1:0] index_t;

  assign in_ready_o = 1'b1;
  assign out_next_o = NextEthTx;

  logic first_q, is_packet_q;
  wire is_packet = first_q ? in_i.meta.kind == KindUnresolved : is_packet_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) first_q <= 1'b1;
    else if (in_valid_i) first_q <= in_i.last;
  end
  always_ff @(posedge clk_i) begin
    if (in_valid_i) is_packet_q <= is_packet;
  end

  // ---- ARP in: collect the body, check it, queue what it says ----

  index_t index_q;
  logic [BodyBeats*DataBytes*8-1:0] collected_q;
  logic body_valid_q;
  meta_t body_meta_q;
  always_ff @(posedge clk_i) begin
    if (in_valid_i & ~is_packet) begin
      for (int unsigned b = 0; b < BodyBeats; b++) begin
        if (index_q == index_t'(b)) collected_q[b*DataBytes*8+:DataBytes*8] <= in_i.data;
      end
      if (first_q) body_meta_q <= in_i.meta;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      index_q <= '0;
      body_valid_q <= 1'b0;
    end else begin
      body_valid_q <= in_valid_i & ~is_packet & in_i.last;
      if (in_valid_i & ~is_packet) begin
        if (in_i.last) index_q <= '0;
        else if (index_q != index_t'(BodyBeats)) index_q <= index_q + 1'b1;
      end
    end
  end

  body_t body;
  assign body = collected_q[BodyBytes*8-1:0];

  typedef struct packed {
    logic answer;  // a request for our address
    logic for_us;
    vlan_t vlan;
    logic [31:0] ip;
    logic [47:0] mac;
  } heard_t;

  wire is_request = swap16(body.operation) == OperationRequest;
  wire is_reply = swap16(body.operation) == OperationReply;
  wire well_formed = (body_meta_q.kind == KindPacket) & (body_meta_q.length >= 14'(BodyBytes)) &
      (swap16(
      body.mac_type
  ) == 16'd1) & (swap16(
      body.ip_type
  ) == EtherTypeIpv4) & (body.mac_bytes == 8'd6) & (body.ip_bytes == 8'd4) &
      (is_request | is_reply) & ~body.sender_mac[0];
  wire conflict = swap32(body.sender_ip) == host_i.ip;
  wire heard_t heard_in =
  '{
      answer: is_request & (swap32(body.target_ip) == host_i.ip),
      for_us: swap32(body.target_ip) == host_i.ip,
      vlan: body_meta_q.vlan,
      ip: swap32(body.sender_ip),
      mac: swap48(body.sender_mac)
  }
  ;
  wire heard_in_valid = body_valid_q & well_formed & ~conflict;

  heard_t heard;
  logic heard_valid, heard_ready, heard_room, unused_head;
  head_fifo #(
      .head_t(logic),
      .body_t(heard_t),
      .Depth (32)
  ) u_heard (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (heard_in),
      .in_valid_i (heard_in_valid),
      .in_ready_o (heard_room),
      .out_head_o (unused_head),
      .out_body_o (heard),
      .out_valid_o(heard_valid),
      .out_ready_i(heard_ready)
  );

  // ---- Packets in: take the Ethernet header off, queue them ----

  beat_t packet;
  logic packet_valid, packet_first, unused_ready;
  logic [EthernetBytes*8-1:0] unused_header;
  strip #(
      .beat_t(beat_t),
      .HeaderBytes(EthernetBytes)
  ) u_strip (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i(in_valid_i & is_packet),
      .in_ready_o(unused_ready),  // never stops, since out_ready_i is constant
      .keep_i(1'b0),
      .out_o(packet),
      .out_valid_o(packet_valid),
      .out_ready_i(1'b1),
      .out_first_o(packet_first),
      .header_o(unused_header)
  );

  // A packet is queued and its question noted in one cycle, its last.
  logic ask_ok, queue_full;
  logic  overflow_q;
  meta_t packet_meta_q;
  meta_t packet_meta;
  assign packet_meta = packet_first ? packet.meta : packet_meta_q;
  wire overflow = (overflow_q & ~packet_first) | queue_full;
  wire packet_end = packet_valid & packet.last;
  wire packet_kept = packet_end & ask_ok & ~overflow;
  always_ff @(posedge clk_i) begin
    if (packet_valid) begin
      overflow_q <= overflow;
      packet_meta_q <= packet_meta;
    end
  end

  beat_t stored_in, stored;
  logic stored_valid, stored_ready;
  always_comb begin
    stored_in = packet;
    stored_in.meta.kind = KindPacket;
    stored_in.meta.length = packet.meta.length - 14'(EthernetBytes);
  end
  frame_buffer #(
      .data_t(beat_t),
      .Depth (QueueBytes / DataBytes)
  ) u_queue (
      .clk_i,
      .rst_i,
      .data_i  (stored_in),
      .write_i (packet_valid & ~overflow),
      .commit_i(packet_kept),
      .abort_i (packet_end & ~packet_kept),
      .full_o  (queue_full),
      .data_o  (stored),
      .valid_o (stored_valid),
      .ready_i (stored_ready)
  );

  // ---- Who asks for what ----

  logic request, request_done, find_hit, find_failed, resolve, failed, release_failed;
  vlan_t request_vlan;
  logic [31:0] request_ip;
  logic pending_busy;
  logic flushing_q;
  logic find_heard;  // search for what has been heard, else for the queue's front
  arp_pending u_pending (
      .clk_i,
      .rst_i,
      .time_us_i,
      .ask_i(packet_end & ~overflow),
      .ask_vlan_i(packet_meta.vlan),
      .ask_ip_i(packet_meta.ip),
      .ask_ok_o(ask_ok),
      .request_o(request),
      .request_vlan_o(request_vlan),
      .request_ip_o(request_ip),
      .request_done_i(request_done),
      .find_vlan_i(find_heard ? heard.vlan : stored.meta.vlan),
      .find_ip_i(find_heard ? heard.ip : stored.meta.ip),
      .find_hit_o(find_hit),
      .find_failed_o(find_failed),
      .resolve_i(resolve),
      .keep_trying_i(flushing_q),
      .failed_o(failed),
      .release_failed_i(release_failed),
      .busy_o(pending_busy)
  );

  // ---- Out ----

  typedef enum logic [2:0] {
    StateIdle,
    StateUpdate,
    StateReply,
    StateRequest,
    StateAnnounce,
    StatePacket,
    StateDiscard
  } state_e;
  state_e state_q;

  logic announce_q;
  logic [$clog2(QueueBytes/DataBytes):0] waiting_q;  // packets in the queue
  logic [$clog2(QueueBytes/DataBytes):0] flush_q;  // packets of it that go out now
  index_t out_index_q;

  beat_t sent;
  logic sent_valid, sent_ready, own_valid, packet_ready;
  wire sent_done = sent_valid & sent_ready & sent.last;

  body_t sent_body;
  meta_arp_t sent_meta;
  always_comb begin
    sent_body = '{
        mac_type: swap16(16'd1),
        ip_type: swap16(EtherTypeIpv4),
        mac_bytes: 8'd6,
        ip_bytes: 8'd4,
        operation: swap16(state_q == StateReply ? OperationReply : OperationRequest),
        sender_mac: swap48(host_i.mac),
        sender_ip: swap32(host_i.ip),
        target_mac: state_q == StateReply ? swap48(heard.mac) : '0,
        target_ip:
        swap32
        (
          state_q == StateReply ? heard.ip : state_q == StateRequest ? request_ip : host_i.ip
        )
    };
    sent_meta = '0;
    sent_meta.kind = KindArp;
    sent_meta.length = 14'(BodyBytes);
    sent_meta.ip = heard.ip;
    sent_meta.mac = heard.mac;
    sent_meta.vlan = heard.vlan;
    if (state_q == StateUpdate) begin
      sent_meta.kind = KindArpUpdate;
      sent_meta.length = '0;
      sent_meta.only_refresh = (~heard.for_us & ~find_hit & ~find_failed) | (heard.ip == '0);
    end else if (state_q != StateReply) begin
      sent_meta.mac  = '1;
      sent_meta.vlan = state_q == StateRequest ? request_vlan : '0;
    end
  end

  wire [BodyBeats*DataBytes*8-1:0] sent_bits = (BodyBeats * DataBytes * 8)'(sent_body);
  always_comb begin
    sent.data = sent_bits[DataBytes*8-1:0];
    for (int unsigned b = 1; b < BodyBeats; b++) begin
      if (out_index_q == index_t'(b)) sent.data = sent_bits[b*DataBytes*8+:DataBytes*8];
    end
    sent.last  = out_index_q == index_t'(BodyBeats - 1);
    sent.bytes = sent.last ? $bits(sent.bytes)'(LastBytes) : $bits(sent.bytes)'(DataBytes);
    sent.meta  = sent_meta;
    if (state_q == StateUpdate) begin
      sent.data  = '0;
      sent.last  = 1'b1;
      sent.bytes = '0;
    end
  end

  assign find_heard = state_q == StateUpdate;
  assign sent_valid = state_q inside {StateUpdate, StateReply, StateRequest, StateAnnounce};
  assign stored_ready = ((state_q == StatePacket) & packet_ready) | (state_q == StateDiscard);
  assign heard_ready = ((state_q == StateUpdate) & sent_done & ~heard.answer) |
      ((state_q == StateReply) & sent_done);
  assign resolve = (state_q == StateUpdate) & sent_done & (find_hit | find_failed);
  assign request_done = (state_q == StateRequest) & sent_done;

  wire start_flush = resolve | (failed & ~flushing_q & (state_q == StateIdle));
  wire packet_left = stored_valid & stored_ready & stored.last;
  // Every packet of a failed address has gone by: its entry may go.
  assign release_failed = flushing_q & (flush_q == '0) & (state_q == StateIdle);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      state_q <= StateIdle;
      announce_q <= 1'b1;
      flushing_q <= 1'b0;
      flush_q <= '0;
      waiting_q <= '0;
      out_index_q <= '0;
    end else begin
      if (sent_valid & sent_ready) begin
        out_index_q <= sent.last ? '0 : out_index_q + 1'b1;
      end

      case (state_q)
        StateIdle: begin
          if (announce_q) state_q <= StateAnnounce;
          else if (heard_valid) state_q <= StateUpdate;
          else if (request) state_q <= StateRequest;
          else if ((flush_q != '0) & stored_valid) begin
            state_q <= find_failed ? StateDiscard : StatePacket;
          end
        end
        StateUpdate: if (sent_done) state_q <= heard.answer ? StateReply : StateIdle;
        StateReply, StateRequest: if (sent_done) state_q <= StateIdle;
        StateAnnounce:
        if (sent_done) begin
          state_q <= StateIdle;
          announce_q <= 1'b0;
        end
        default: if (packet_left) state_q <= StateIdle;
      endcase

      if (packet_kept & ~packet_left) waiting_q <= waiting_q + 1'b1;
      if (~packet_kept & packet_left) waiting_q <= waiting_q - 1'b1;

      if (start_flush) begin
        flushing_q <= 1'b1;
        flush_q <= waiting_q;
      end else if (packet_left) begin
        flush_q <= flush_q - 1'b1;
      end else if (release_failed) begin
        flushing_q <= 1'b0;
      end
    end
  end

  // Two registers, one of them zero: their OR finds room in the LUTs of whatever
  // multiplexer comes behind. The one waits until the other is empty.
  beat_t own, packet_out;
  logic own_ready, packet_out_valid;
  assign own_ready = ~own_valid | out_ready_i;
  assign sent_ready = own_ready & ~packet_out_valid;
  assign packet_ready = (~packet_out_valid | out_ready_i) & ~own_valid;
  wire packet_go = (state_q == StatePacket) & stored_valid & ~own_valid;

  always_ff @(posedge clk_i) begin
    if (own_ready) own <= (sent_valid & ~packet_out_valid) ? sent : '0;
    if (~packet_out_valid | out_ready_i) packet_out <= packet_go ? stored : '0;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      own_valid <= 1'b0;
      packet_out_valid <= 1'b0;
    end else begin
      if (own_ready) own_valid <= sent_valid & ~packet_out_valid;
      if (~packet_out_valid | out_ready_i) packet_out_valid <= packet_go;
    end
  end
  assign out_o = own | packet_out;
  assign out_valid_o = own_valid | packet_out_valid;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      drop_o  <= '0;
      event_o <= '0;
    end else begin
      drop_o[DropMalformed] <= body_valid_q & ~well_formed;
      drop_o[DropConflict] <= body_valid_q & well_formed & conflict;
      drop_o[DropBusy] <= heard_in_valid & ~heard_room;
      drop_o[DropQueueFull] <= packet_end & overflow;
      drop_o[DropTableFull] <= packet_end & ~overflow & ~ask_ok;
      drop_o[DropUnresolved] <= (state_q == StateDiscard) & packet_left;
      event_o[EventRequestIn] <= heard_in_valid & is_request;
      event_o[EventReplyIn] <= heard_in_valid & is_reply;
      event_o[EventReplyOut] <= (state_q == StateReply) & sent_done;
      event_o[EventRequestOut] <= request_done;
    end
  end

  assign busy_o = body_valid_q | heard_valid | packet_valid | (state_q != StateIdle) |
      flushing_q | out_valid_o;
  assign timer_o = pending_busy;

endmodule
