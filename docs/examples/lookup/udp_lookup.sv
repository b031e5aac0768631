// SPDX-License-Identifier: Apache-2.0
// UDP service that asks another layer: the first 8 bytes of a datagram go to a store
// as a request, and what the store answers goes back to the peer.
//
// One request at a time. While its answer is awaited, the next datagram waits
// (DropsWhenBusy = 0) or is dropped and counted (DropsWhenBusy = 1). Datagrams of other
// sizes than 8 bytes, or from port 0, are dropped.
//
// Latency: 1 cycle each way. For data widths of 64 bits and more.
module udp_lookup
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    // Of the streams to and from the store, which may use another network
    parameter type query_beat_t = beat_t,
    parameter type answer_beat_t = beat_t,
    parameter int unsigned UdpPort = 2000,
    parameter bit DropsWhenBusy = 0
) (
    input logic clk_i,
    input logic rst_i,

    // Datagrams, and answers of the store
    input beat_t in_i,
    input logic in_valid_i,
    output logic in_ready_o,
    input answer_beat_t answer_i,
    input logic answer_valid_i,
    output logic answer_ready_o,

    // Replies, and requests to the store
    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output query_beat_t query_o,
    output logic query_valid_o,
    input logic query_ready_i,

    output logic [1:0] drop_o,
    output logic       busy_o
);

  localparam string Entry = "udp_lookup";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum logic [0:0] {QueryNextStore} query_next_e;
  typedef enum int unsigned {
    DropMalformed,
    DropBusy,
    NumDrops
  } drop_e;

  // What waits for what: a datagram that is dropped when busy waits for nothing.
  localparam bit AlwaysTakes = DropsWhenBusy;
  localparam bit InWaitsForAnswer = ~DropsWhenBusy;
  // One request is outstanding at most, and there is room for its answer.
  localparam int unsigned QueryCredits = 1;
  localparam string AnswerAnswers = "query";

  localparam int unsigned KeyBytes = 8;

  logic first, asked_q, dropping_q;
  beat_t asked_q_beat;  // the datagram that is being answered
  wire   good = (in_i.length == length_t'(KeyBytes)) & (in_i.meta.l4.ports.src_port != '0);
  wire   busy = asked_q | query_valid_o;
  wire   drop = first ? ~good | (DropsWhenBusy & busy) : dropping_q;
  assign in_ready_o = drop | ~busy;
  wire taken = in_valid_i & in_ready_o;

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(first)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      asked_q <= 1'b0;
      dropping_q <= 1'b0;
      query_valid_o <= 1'b0;
      drop_o <= '0;
    end else begin
      drop_o <= '0;
      if (query_ready_i) query_valid_o <= 1'b0;
      if (taken) begin
        dropping_q <= drop;
        if (first) begin
          drop_o[DropMalformed] <= ~good;
          drop_o[DropBusy] <= good & drop;
        end
        if (~drop) begin
          query_valid_o <= 1'b1;
          asked_q <= 1'b1;
        end
      end
      if (out_valid_o & out_ready_i & out_o.last) asked_q <= 1'b0;
    end
  end

  // The request: the datagram's bytes, in one beat of whatever width.
  query_beat_t query;
  always_comb begin
    query = '0;
    query.meta = in_i.meta;
    query.length = length_t'(KeyBytes);
    query.last = 1'b1;
    query.bytes = $bits(query.bytes)'(KeyBytes);
    query.data = $bits(query.data)'(in_i.data[8*KeyBytes-1:0]);
  end

  always_ff @(posedge clk_i) begin
    if (taken & ~drop) begin
      query_o <= query;
      asked_q_beat <= in_i;
    end
  end

  // The reply: the answer's bytes under the datagram's metadata, ports swapped.
  beat_t reply;
  always_comb begin
    reply = '0;
    reply.last = 1'b1;
    reply.bytes = $bits(reply.bytes)'(KeyBytes);
    reply.data = $bits(reply.data)'(answer_i.data[8*KeyBytes-1:0]);
    reply.length = length_t'(KeyBytes);
    reply.meta = asked_q_beat.meta;
    reply.meta.l4.ports.src_port = asked_q_beat.meta.l4.ports.dst_port;
    reply.meta.l4.ports.dst_port = asked_q_beat.meta.l4.ports.src_port;
  end

  // An answer has one beat, and the register is free while it is awaited.
  assign answer_ready_o = 1'b1;
  always_ff @(posedge clk_i) begin
    if (answer_valid_i) out_o <= reply;
    if (rst_i) out_valid_o <= 1'b0;
    else if (answer_valid_i) out_valid_o <= 1'b1;
    else if (out_ready_i) out_valid_o <= 1'b0;
  end

  assign busy_o = busy | out_valid_o;

endmodule
