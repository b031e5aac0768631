// SPDX-License-Identifier: Apache-2.0
// UDP service that answers every datagram with its text in capitals.
//
// Only the letters a to z change; all other bytes, including other alphabets in UTF-8, are
// unchanged. A datagram from port 0 expects no reply (RFC 768) and is dropped; so is one without
// payload.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module udp_upper
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 1007  // Bombus reads it and binds the port to this layer
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic        out_next_o,
    output logic  [1:0] drop_o,
    output logic  [0:0] event_o,
    output logic        busy_o
);

  // Declarations that Bombus reads: entry, next hops, counters.
  localparam string Entry = "udp_upper";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropNoReplyPort,
    DropEmpty,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventChanged,  // an answer that differs from its request
    NumEvents
  } event_e;

  // Whether a beat is taken in this cycle, and whether it is the first of its message.
  wire  taken = in_valid_i & in_ready_o;
  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  // The answer, beat by beat: letters in capitals, ports swapped.
  localparam int unsigned NumBytes = $bits(in_i.data) / 8;
  beat_t answer;
  logic [NumBytes-1:0] is_small;
  always_comb begin
    answer = in_i;
    for (int unsigned i = 0; i < NumBytes; i++) begin
      is_small[i] = in_i.data[8*i+:8] inside {["a" : "z"]};
      if (is_small[i]) answer.data[8*i+5] = 1'b0;
    end
    answer.meta.l4.ports.src_port = in_i.meta.l4.ports.dst_port;
    answer.meta.l4.ports.dst_port = in_i.meta.l4.ports.src_port;
  end

  // Reason for dropping, with a message's first beat: at most one.
  logic [NumDrops-1:0] reasons;
  always_comb begin
    reasons = '0;
    if (in_i.meta.l4.ports.src_port == '0) reasons[DropNoReplyPort] = 1'b1;
    else if (in_i.length == '0) reasons[DropEmpty] = 1'b1;
  end

  // Outputs come from flip-flops; dropped messages end here.
  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(answer),
      .in_valid_i,
      .in_ready_o,
      .in_first_i(first),
      .in_next_i(NextUdpTx),
      .in_drop_i(reasons),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  // One pulse per message, with its last beat.
  logic changed_q;  // changed by an earlier beat of this message
  logic dropped_q;
  wire  changed = (~first & changed_q) | |is_small;
  wire  dropped = first ? |reasons : dropped_q;
  always_ff @(posedge clk_i) begin
    if (taken) begin
      changed_q <= changed;
      dropped_q <= dropped;
    end
    if (rst_i) event_o <= '0;
    else event_o[EventChanged] <= taken & in_i.last & changed & ~dropped;
  end

  assign busy_o = out_valid_o;

endmodule
