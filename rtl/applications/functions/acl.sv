// SPDX-License-Identifier: Apache-2.0
// Access control list: passes or drops IPv4 packets by the first of NumRules ordered rules that
// matches source and destination prefix, ports, protocol and TCP flags.
//
// It stands before ipv4_rx (received packets) or before eth_tx (packets to be sent): messages of
// kind packet begin with the IPv4 header. Messages of other kinds pass. A packet that no rule
// matches is passed or dropped by a default. Packets that are malformed (acl_key) are dropped. A
// fragment other than the first has no ports. With Marks, the mark of the rule replaces the lowest
// bits of the metadata, which are unused before eth_tx (ip_tx_t.reserved).
//
// With Established, rules can ask for packets of established flows (acl_flows): those of which the
// stack has sent a packet within IdleS seconds, as acl_sent reports by messages of kind acl_flow.
//
// Software writes rules and puts them to use all at once (acl_rules); each packet is judged by the
// old rules or by the new ones.
//
// Latency: 4 cycles, and the beats until ports and flags are known. Throughput: one beat per cycle;
// a read of a counter costs one cycle.
module acl
  import bombus_pkg::*;
  import acl_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from acl.rdl
    parameter type status_t = logic,
    parameter type rule_t = logic,
    parameter type counter_t = logic,
    parameter int unsigned NumRules = 512,  // a power of two from 16 to 1024
    parameter bit DefaultAllow = 1,  // after reset (acl.rdl)
    parameter bit Marks = 0,
    parameter bit Established = 0,  // 0: reports of flows are ignored
    parameter int unsigned NumFlows = 2048,  // established ones; a power of two, at least 64
    parameter int unsigned IdleS = 300,  // 1 to 2000: a flow is forgotten, at most 3 s later
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter bit IsObserved = 0,  // filled in by Bombus
    localparam int unsigned IndexWidth = $clog2(NumRules)
) (
    input  logic    clk_i,
    input  logic    rst_i,
    input  logic [31:0] time_us_i,
    input  regs_t   regs_i,
    output status_t status_o,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    input  beat_t flow_i,
    input  logic  flow_valid_i,
    output logic  flow_ready_o,

    input  logic                   rule_request_i,  // held until rule_done_o
    input  logic                   rule_write_i,
    input  logic  [IndexWidth-1:0] rule_index_i,
    input  rule_t                  rule_wdata_i,
    output logic                   rule_done_o,

    input  logic                      counter_request_i,  // held until counter_done_o
    input  logic                      counter_write_i,
    input  logic     [IndexWidth-1:0] counter_index_i,
    input  counter_t                  counter_wdata_i,
    output counter_t                  counter_rdata_o,
    output logic                      counter_done_o,

    output logic            [2:0] drop_o,
    output message_number_t [2:0] drop_message_o,
    output logic            [4:0] event_o,
    output logic                  busy_o,
    output logic                  waits_o
);

  localparam string Takes = "any";
  localparam string Sends = "taken";
  localparam string Entry = "";  // takes the messages of the tile named by `before`
  localparam bit StandsBefore = 1'b1;
  // Established flows are those of received packets; marks are in metadata of packets to be sent.
  localparam string Precedes = Established ? "ipv4_rx" : Marks ? "eth_tx" : "ipv4_rx eth_tx";
  localparam string Needs = Established ? "acl_sent" : "";
  localparam bit Forwards = 1'b1;
  localparam string FlowTakes = "acl_flow";
  localparam string FlowEntry = "acl_flow";
  localparam bit FlowAlwaysTakes = 1'b1;
  typedef enum logic [0:0] {NextJudged} next_e;
  typedef enum int unsigned {
    DropDenied,  // by a rule
    DropDefault,  // by the default
    DropMalformed,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventDefault,  // passed by the default
    EventReport,  // a message of kind acl_flow
    EventFlow,  // a flow is established
    EventFlowEvicted,  // by a new one
    EventFlowExpired,
    NumEvents
  } event_e;

  if (Marks && Established) begin : gen_two_places
    $error("acl: Marks is for packets to be sent, Established for received ones");
  end

  localparam int unsigned DataBytes = $bits(in_i.data) / 8;
  // Beats inside: those of the longest header with what follows, and four cycles.
  localparam int unsigned Depth = DataBytes < 32 ? 32 : 16;

  // ---- Look-up ----

  typedef struct packed {
    logic malformed;
    logic exempt;  // not a packet
  } tag_t;
  typedef struct packed {
    tag_t tag;
    logic found;
    logic [IndexWidth-1:0] index;
    action_t action;
  } verdict_t;

  wire taken = in_valid_i & in_ready_o;
  logic key_valid, in_first, exempt_q;
  key_t key;
  tag_t tag;
  first_beat u_in_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(in_first)
  );
  assign tag.exempt = in_first ? 32'(in_i.kind) != KindPacket : exempt_q;
  always_ff @(posedge clk_i) if (taken) exempt_q <= tag.exempt;
  acl_key #(
      .DataBytes(DataBytes)
  ) u_key (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .data_i(in_i.data),
      .last_i(in_i.last),
      .length_i(in_i.length),
      .valid_o(key_valid),
      .key_o(key),
      .malformed_o(tag.malformed)
  );

  acl_pkg::rule_t rule;
  assign rule = '{
          valid: rule_wdata_i.valid,
          allow: rule_wdata_i.allow,
          established: rule_wdata_i.established,
          mark: rule_wdata_i.mark,
          state_mask: rule_wdata_i.state_mask,
          state: rule_wdata_i.state,
          protocol_mask: rule_wdata_i.protocol_mask,
          protocol: rule_wdata_i.protocol,
          destination_port_last: rule_wdata_i.destination_port_last,
          destination_port_first: rule_wdata_i.destination_port_first,
          source_port_last: rule_wdata_i.source_port_last,
          source_port_first: rule_wdata_i.source_port_first,
          destination_mask: rule_wdata_i.destination_mask,
          destination: rule_wdata_i.destination,
          source_mask: rule_wdata_i.source_mask,
          source: rule_wdata_i.source
      };
  logic judged, filling, rule_written, is_established;
  assign rule_done_o = rule_written | (rule_request_i & ~rule_write_i);
  verdict_t verdict;
  acl_rules #(
      .NumRules(NumRules),
      .DefaultAllow(DefaultAllow),
      .Established(Established),
      .tag_t(tag_t)
  ) u_rules (
      .clk_i,
      .rst_i,
      .key_i(key),
      .tag_i(tag),
      .valid_i(key_valid),
      .established_i(is_established),
      .valid_o(judged),
      .tag_o(verdict.tag),
      .found_o(verdict.found),
      .index_o(verdict.index),
      .action_o(verdict.action),
      .rule_write_i(rule_request_i & rule_write_i),
      .rule_index_i(rule_index_i),
      .rule_i(rule),
      .rule_done_o(rule_written),
      .commit_i(regs_i.control.commit),
      .default_allow_i(regs_i.control.default_allow),
      .filling_o(filling)
  );
  assign status_o.control.filling = filling;

  logic [2:0] flow_events;
  logic flows_busy;
  assign status_o.control.established = Established;
  if (Established) begin : gen_flows
    acl_flows #(
        .NumFlows(NumFlows),
        .IdleS(IdleS)
    ) u_flows (
        .clk_i,
        .rst_i,
        .time_us_i,
        .secret_i(regs_i.secret.bits),
        .key_i(key),
        .established_o(is_established),
        .flow_i(acl_flow_meta_t'($bits(acl_flow_meta_t)'(flow_i.meta))),
        .flow_valid_i,
        .flow_ready_o,
        .event_o(flow_events),
        .busy_o(flows_busy)
    );
  end else begin : gen_no_flows
    assign is_established = 1'b0;
    assign flow_ready_o = 1'b1;
    assign flow_events = '0;
    assign flows_busy = 1'b0;
    wire unused = ^{time_us_i, flow_i, regs_i.secret};
  end
  assign event_o[NumEvents-1:EventFlow] = flow_events;

  // ---- Messages wait for their verdicts; a verdict waits for its message ----

  beat_t beat;
  logic beat_valid, beat_ready, holds, first;
  stream_queue #(
      .data_t(beat_t),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .out_o(beat),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_ready),
      .holds_o(holds)
  );
  verdict_t front;
  logic front_valid, uses;
  acl_verdicts #(
      .data_t(verdict_t),
      .Depth (Depth)
  ) u_verdicts (
      .clk_i,
      .rst_i,
      .in_i(verdict),
      .in_valid_i(judged),
      .out_o(front),
      .out_valid_o(front_valid),
      .out_ready_i(uses)
  );

  // ---- Output ----

  logic hold, out_ready, counting;
  wire passes = ~first | (front_valid & ~hold);
  wire sent_valid = beat_valid & passes;
  assign beat_ready = out_ready & passes;
  assign uses = beat_valid & out_ready & first & ~hold;

  logic [NumDrops-1:0] reasons;
  beat_t marked;
  always_comb begin
    reasons = '0;
    if (front.tag.exempt) reasons = '0;
    else if (front.tag.malformed) reasons[DropMalformed] = 1'b1;
    else if (~front.action.allow) reasons[front.found?DropDenied : DropDefault] = 1'b1;
    marked = beat;
    if (Marks & first & ~front.tag.exempt)
      marked.meta[$bits(front.action.mark)-1:0] = front.action.mark;
  end

  logic unused_next;
  drop_register #(
      .beat_t(beat_t),
      .NumDrops(NumDrops),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(marked),
      .in_valid_i(sent_valid),
      .in_ready_o(out_ready),
      .in_first_i(first),
      .in_next_i(NextJudged),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o(unused_next),
      .drop_o
  );
  message_number_t begun, unused_here;
  message_number #(
      .Enabled(IsObserved)
  ) u_first (
      .clk_i,
      .rst_i,
      .taken_i(sent_valid & out_ready),
      .last_i (beat.last),
      .first_o(first),
      .here_o (unused_here),
      .begun_o(begun)
  );
  assign drop_message_o = {NumDrops{begun}};

  wire is_judged = uses & front_valid & ~front.tag.exempt & ~front.tag.malformed;
  always_ff @(posedge clk_i) begin
    event_o[EventDefault] <= is_judged & ~front.found & front.action.allow & ~rst_i;
    event_o[EventReport]  <= flow_valid_i & flow_ready_o & ~rst_i;
  end
  acl_counters #(
      .NumCounters(NumRules)
  ) u_counters (
      .clk_i,
      .rst_i,
      .count_i(is_judged & front.found),
      .count_index_i(front.index),
      .hold_o(hold),
      .request_i(counter_request_i),
      .write_i(counter_write_i),
      .index_i(counter_index_i),
      .wdata_i(counter_wdata_i.packets),
      .rdata_o(counter_rdata_o.packets),
      .done_o(counter_done_o),
      .busy_o(counting)
  );
  assign busy_o  = holds | out_valid_o | counting | filling | flows_busy;
  assign waits_o = ~(holds | out_valid_o);  // a fill takes longer than a change of addresses may

endmodule
