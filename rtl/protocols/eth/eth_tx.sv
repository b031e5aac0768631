// SPDX-License-Identifier: Apache-2.0
// Ethernet transmit: resolves the destination's MAC address and prepends the header. The VLAN tag
// stays in the metadata for mac_tx.
//
// arp_resolver looks up the next hop of each packet (meta.ip, MAC port, VLAN); the arp layer fills
// its cache by messages of kind arp_update. A packet without a binding waits there, while the arp
// layer is requested to resolve it (arp_question: a message without payload; its header is
// undefined). When the binding arrives, the waiting packets are sent before the next message. ARP
// bodies (kind arp) include their destination, which may also be a binding for the cache
// (is_binding). A message leaves by the MAC port in its metadata.
//
// Software reads the bindings as the table `cache`, and writes permanent ones (eth_tx.rdl).
//
// Latency: 3 cycles, with RegistersInput 4. Throughput: one beat per cycle; an update takes one
// cycle, two in a row take 3.
`include "bombus_assert.svh"

module eth_tx
  import bombus_pkg::*;
  import arp_pkg::*;
  import ethernet_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from eth_tx.rdl
    parameter type cache_t = logic,  // an ARP cache entry as software reads it
    parameter type permanent_t = logic,  // a permanent binding as software writes it
    parameter bit CutsReady = 0,  // passed to output_stage
    // A skid buffer before the look-up, for designs with slow wires. Without it, the select of an
    // upstream merge, the hash and the table address share one cycle.
    parameter bit RegistersInput = 0,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned NumBindings = 2048,  // a power of two
    // Lifetime of an unconfirmed binding in seconds, 69 to 500
    parameter int unsigned MaxAgeS = 300,
    // Neighbours that can be resolved at the same time; a power of two
    parameter int unsigned NumQuestions = 128,
    parameter int unsigned QueueBytes = 16384,  // waiting packets; a power of two
    // Numbers of the kinds of messages, filled in by Bombus
    parameter int unsigned KindArp = 1,
    parameter int unsigned KindArpUpdate = 2,
    parameter int unsigned KindArpQuestion = 3,
    // MAC ports, filled in by Bombus, and the bound next hop of each
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = $clog2(NumBoundHops + 1)
) (
    input logic                    clk_i,
    input logic                    rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input logic  [           31:0] time_us_i,

    input  logic                             cache_request_i,  // held until cache_done_o
    input  logic   [$clog2(NumBindings)-1:0] cache_index_i,
    output cache_t                           cache_rdata_o,
    output logic                             cache_done_o,

    input  logic       permanent_request_i,  // held until permanent_done_o
    input  logic       permanent_write_i,
    input  permanent_t permanent_wdata_i,
    output permanent_t permanent_rdata_o,
    output logic       permanent_done_o,

    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic [1:0] drop_o,
    output logic [7:0] event_o,
    output logic       busy_o,
    output logic       timer_o
);

  localparam string Entry = "eth_tx";
  localparam string Takes = "packet arp arp_update";
  localparam string NextArpSends = "arp_question";
  localparam bit Replicable = 0;  // ARP state is not replicated
  localparam string Binds = "mac_port";
  localparam int unsigned BindsWidth = $bits(mac_port_t);
  localparam bit BindsZero = 1;  // ports are numbered from 0
  // After reset the tables of bindings, of questions and of blocks of waiting packets are cleared.
  localparam int unsigned NumBlocks = QueueBytes / 64;
  localparam int unsigned NumRows = NumQuestions > NumBlocks ? NumQuestions : NumBlocks;
  localparam int unsigned ClearCycles = NumBindings > NumRows ? NumBindings : NumRows;
  localparam int unsigned MaxBusyCycles = ClearCycles > 4096 ? ClearCycles : 4096;
  typedef enum int unsigned {
    NextArp,
    NextBound  // the first MAC port
  } next_e;
  localparam logic [1:0] RareHops = 2'(1) << NextArp;
  typedef enum int unsigned {
    DropNoRoom,
    DropUnresolved,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventArpUpdate,
    EventPacketQueued,
    EventPacketForwarded,
    EventQuestion,
    EventQuestionRepeated,
    EventRenewal,
    EventBindingEvicted,
    EventBindingRefused,
    NumEvents
  } event_e;

  // ---- Input ----

  // Valid for a first beat
  function automatic logic brings_binding(beat_t beat);
    arp_meta_t meta;
    meta = beat.meta;
    return (32'(beat.kind) == KindArpUpdate) | ((32'(beat.kind) == KindArp) & meta.is_binding);
  endfunction

  beat_t in;
  logic in_valid, in_ready;
  if (RegistersInput) begin : gen_input
    skid_buffer #(
        .data_t(beat_t)
    ) u_skid (
        .out_o(in),
        .out_valid_o(in_valid),
        .out_ready_i(in_ready),
        .*
    );
  end else begin : gen_no_input
    assign in = in_i;
    assign in_valid = in_valid_i;
    assign in_ready_o = in_ready;
  end

  // ---- Look-up: the table is read while a message's first beat arrives ----

  logic in_first, look_first;
  logic resolver_busy, key_ready;
  beat_t look;
  logic look_valid, look_wait, look_ready;
  // Metadata is valid only with a first beat.
  wire in_is_update = in_first & brings_binding(in);
  // No message starts while the resolver is busy.
  wire stop = resolver_busy & in_first;
  assign in_ready = key_ready & ~stop;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid & in_ready),
      .last_i (in.last),
      .first_o(in_first)
  );
  first_beat u_look_first (
      .clk_i,
      .rst_i,
      .taken_i(look_valid & look_ready),
      .last_i (look.last),
      .first_o(look_first)
  );

  stream_register #(
      .data_t(beat_t)
  ) u_look (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(in_valid & ~stop),
      .in_ready_o(key_ready),
      .out_o(look),
      .out_valid_o(look_valid),
      .out_ready_i(look_ready)
  );

  // ---- Act: the result of the look-up is in registers ----

  beat_t act;
  logic act_valid, act_ready, act_first, act_kept, kept_ready, act_room;
  logic [47:0] act_mac, released_mac;
  assign look_ready = act_room & ~look_wait;
  // Type of its message; a body may also be an update
  logic act_packet_q, act_update_q, act_body_q;
  first_beat u_act_first (
      .clk_i,
      .rst_i,
      .taken_i(act_valid & act_ready),
      .last_i (act.last),
      .first_o(act_first)
  );
  always_ff @(posedge clk_i) begin
    if (act_room & look_first) begin
      act_packet_q <= 32'(look.kind) == KindPacket;
      act_update_q <= brings_binding(look);
      act_body_q   <= 32'(look.kind) == KindArp;
    end
  end
  stream_register #(
      .data_t(beat_t)
  ) u_act (
      .clk_i,
      .rst_i,
      .in_i(look),
      .in_valid_i(look_valid & ~look_wait),
      .in_ready_o(act_room),
      .out_o(act),
      .out_valid_o(act_valid),
      .out_ready_i(act_ready)
  );

  beat_t released;
  logic released_valid, released_ready, reading;
  logic [47:0] question_mac;
  localparam int unsigned PortBits = port_bits(NumMacPorts);
  logic [PortBits+$bits(key_t)-1:0] question_port_key;
  wire key_t question_key = key_t'(question_port_key);
  logic question_valid, question_ready, question_sent, question_repeated;
  logic no_room, unresolved, renewed;
  logic show_valid, show_permanent, show_used;
  logic written, write_refused, stalled, evicted, binding_refused;
  logic [PortBits+$bits(key_t)-1:0] show_port_key;
  wire key_t show_key = key_t'(show_port_key);
  logic [47:0] show_mac;
  wire permanent_write = permanent_request_i & permanent_write_i;
  wire wrong_port = 32'(permanent_wdata_i.mac_port) >= NumMacPorts;
  wire key_t permanent_key = '{vid: permanent_wdata_i.vid, ip: permanent_wdata_i.ip};
  arp_resolver #(
      .beat_t(beat_t),
      .PortBits(PortBits),
      .NumBindings(NumBindings),
      .MaxAgeS(MaxAgeS),
      .NumQuestions(NumQuestions),
      .QueueBytes(QueueBytes)
  ) u_resolver (
      .clk_i,
      .rst_i,
      .time_us_i,
      .secret_i(regs_i.secret.bits),
      .busy_o(resolver_busy),
      .open_o(timer_o),
      .in_meta_i(in.meta),
      .in_update_i(in_is_update),
      .lookup_valid_i(in_valid & in_first & ~resolver_busy),
      .lookup_ready_i(key_ready & in_first),
      .idle_i(~look_valid & in_first),
      .read_i(key_ready),
      .look_wait_o(look_wait),
      .look_room_i(act_room),
      .look_first_i(look_first),
      .act_i(act),
      .act_valid_i(act_valid),
      .act_first_i(act_first),
      .act_update_i(act_update_q),
      .act_packet_i(act_packet_q),
      .act_body_i(act_body_q),
      .act_kept_o(act_kept),
      .act_ready_o(kept_ready),
      .act_mac_o(act_mac),
      .out_o(released),
      .out_valid_o(released_valid),
      .out_ready_i(released_ready),
      .out_mac_o(released_mac),
      .reading_o(reading),
      .question_key_o(question_port_key),
      .question_mac_o(question_mac),
      .question_valid_o(question_valid),
      .question_ready_i(question_ready),
      .show_i(cache_request_i),
      .show_index_i(cache_index_i),
      .shown_o(cache_done_o),
      .show_valid_o(show_valid),
      .show_permanent_o(show_permanent),
      .show_used_o(show_used),
      .show_key_o(show_port_key),
      .show_mac_o(show_mac),
      .write_i(permanent_write & ~wrong_port),
      .write_keep_i(permanent_wdata_i.valid),
      .write_key_i((PortBits + $bits(key_t))'({permanent_wdata_i.mac_port, permanent_key})),
      .write_mac_i(permanent_wdata_i.mac),
      .written_o(written),
      .write_refused_o(write_refused),
      .stalled_o(stalled),
      .evicted_o(evicted),
      .refused_o(binding_refused),
      .no_room_o(no_room),
      .unresolved_o(unresolved),
      .question_sent_o(question_sent),
      .question_repeated_o(question_repeated),
      .renewed_o(renewed)
  );

  cache_t shown;
  assign shown = '{
          stalled: 1'b0,
          used: show_used,
          permanent: show_permanent,
          mac: show_mac,
          vid: show_key.vid,
          mac_port: 3'(MaxKeyBits'(show_port_key) >> $bits(key_t)),
          valid: show_valid,
          ip: show_key.ip
      };
  always_comb begin
    cache_rdata_o = stalled ? '0 : shown;
    cache_rdata_o.stalled = stalled;
  end

  // The last permanent binding written, and its fate.
  permanent_t permanent_q;
  logic permanent_read_q, wrong_port_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      permanent_q <= '0;
      permanent_read_q <= 1'b0;
      wrong_port_q <= 1'b0;
    end else begin
      wrong_port_q <= permanent_write & wrong_port & ~wrong_port_q;
      permanent_read_q <= permanent_request_i & ~permanent_write_i & ~permanent_read_q;
      if (written | wrong_port_q) begin
        permanent_q <= permanent_wdata_i;
        permanent_q.refused <= write_refused | wrong_port_q;
        permanent_q.stalled <= stalled & ~wrong_port_q;
      end
    end
  end
  assign permanent_rdata_o = permanent_q;
  assign permanent_done_o  = written | wrong_port_q | permanent_read_q;

  // ---- Select the output: waiting packets, a question, or the message looked up ----

  typedef enum logic [1:0] {
    FromAct,
    FromQueue,
    FromQuestion
  } source_e;
  source_e source, source_q;
  logic framed_valid, framed_ready, framed_first;
  always_comb begin
    source = source_q;
    if (framed_first) source = reading ? FromQueue : question_valid ? FromQuestion : FromAct;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) source_q <= FromAct;
    else if (framed_valid & framed_ready) source_q <= source;
  end

  beat_t selected, framed, sent;
  logic selected_valid, selected_ready;
  always_comb begin
    selected = source == FromQueue ? released : act;
    if (source == FromQuestion) begin
      selected.data  = '0;
      selected.bytes = '0;
      selected.last  = 1'b1;
    end
    case (source)
      FromQueue: selected_valid = released_valid;
      FromQuestion: selected_valid = 1'b1;
      default: selected_valid = act_valid & ~act_kept;
    endcase
  end
  assign released_ready = selected_ready & (source == FromQueue);
  assign question_ready = selected_ready & (source == FromQuestion);
  // selected_ready arrives late.
  wire act_ends = act_kept & kept_ready;
  wire act_sent = ~act_kept & (source == FromAct);
  assign act_ready = act_ends | (act_sent & selected_ready);

  // ---- Header ----

  // Valid with a message's first beat.
  arp_meta_t arp_meta;
  assign arp_meta = act.meta;
  wire   is_arp = (source == FromAct) & act_body_q;
  wire   is_question = source == FromQuestion;
  wire   kept = act_kept & kept_ready & act_first;

  host_t host;
  by_mac_port #(
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(selected.meta.mac_port),
      .one_o (host)
  );

  logic [47:0] dst_mac;
  always_comb begin
    dst_mac = act_mac;
    if (is_arp) dst_mac = {arp_meta.mac_high, arp_meta.mac_low};
    if (source == FromQueue) dst_mac = released_mac;
  end
  header_t header;
  assign header = '{
          dst: swap48(dst_mac),
          src: swap48(host.mac),
          ether_type: swap16(is_arp ? EtherTypeArp : EtherTypeIpv4)
      };
  prepend #(
      .beat_t(beat_t),
      .HeaderBytes(HeaderBytes)
  ) u_header (
      .clk_i,
      .rst_i,
      .in_i(selected),
      .in_valid_i(selected_valid),
      .in_ready_o(selected_ready),
      .header_i(header),
      .skip_i(1'b0),
      .out_o(framed),
      .out_valid_o(framed_valid),
      .out_ready_i(framed_ready),
      .out_first_o(framed_first)
  );

  arp_question_meta_t question_meta;
  always_comb begin
    question_meta = '0;
    question_meta.mac_port = mac_port_t'(MaxKeyBits'(question_port_key) >> $bits(key_t));
    question_meta.vlan = '{valid: question_key.vid != '0, tci: 16'(question_key.vid)};
    question_meta.ip = question_key.ip;
    {question_meta.mac_high, question_meta.mac_low} = question_mac;

    sent = framed;
    sent.kind = $bits(sent.kind)'(is_question ? KindArpQuestion : KindPacket);
    sent.length = framed.length + 14'(HeaderBytes);
    if (is_arp) begin
      sent.meta.l4 = '0;
    end else if (framed.meta.l4.ip_tx.csum_pos != '0) begin
      sent.meta.l4.ip_tx.csum_pos = framed.meta.l4.ip_tx.csum_pos + csum_pos_t'(HeaderBytes / 2);
    end
    if (is_question) begin
      sent.meta   = question_meta;
      sent.length = 14'(HeaderBytes);
    end
  end

  // With a single port, mac_port of a message is ignored.
  logic unused_found;
  logic [NextWidth-1:0] port_hop, next;
  bound_hop #(
      .NumBound (NumBound),
      .HopWidth (NextWidth),
      .ZeroKey  (BindsZero),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_bound (
      .key_i  (NumBound == 1 ? BoundKeys[0] : 16'(framed.meta.mac_port)),
      .found_o(unused_found),
      .hop_o  (port_hop)
  );
  assign next = is_question ? NextWidth'(NextArp) : port_hop + NextWidth'(NextBound);

  logic [NextWidth-1:0] next_q;
  always_ff @(posedge clk_i) begin
    if (framed_valid & framed_first) next_q <= next;
  end
  output_stage #(
      .beat_t(beat_t),
      .NextWidth(NextWidth),
      .CutsReady(CutsReady)
  ) u_out (
      .in_i(sent),
      .in_valid_i(framed_valid),
      .in_ready_o(framed_ready),
      .in_next_i(framed_first ? next : next_q),
      .*
  );

  always_comb begin
    drop_o = '0;
    drop_o[DropNoRoom] = no_room;
    drop_o[DropUnresolved] = unresolved;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) event_o <= '0;
    else begin
      event_o[EventArpUpdate] <= kept & act_update_q;
      event_o[EventPacketQueued] <= kept & ~act_update_q;
      event_o[EventPacketForwarded] <= released_valid & released_ready & released.last;
      event_o[EventQuestion] <= question_sent;
      event_o[EventQuestionRepeated] <= question_repeated;
      event_o[EventRenewal] <= renewed;
      event_o[EventBindingEvicted] <= evicted;
      event_o[EventBindingRefused] <= binding_refused;
    end
  end

  assign busy_o = (RegistersInput & in_valid) | look_valid | act_valid | out_valid_o |
      question_valid | resolver_busy | reading | no_room | unresolved;

  `BOMBUS_ASSERT(LegalSource, source_q inside {FromAct, FromQueue, FromQuestion})

endmodule
