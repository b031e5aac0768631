// SPDX-License-Identifier: Apache-2.0
// Traffic generator and sink at an endpoint of the network between boards, for measurements such as
// figures 8 to 11 of "A Transport-Layer Network for Distributed FPGA Platforms".
//
// It stands in a row of layers after cluster_node, as cluster_send does. Registers
// (cluster_load.rdl) select the packets and their board, and count those received. The first word
// of a packet has a sequence number, and the cycle in which it was offered for the round trip.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
`include "cluster_types.svh"

module cluster_load
  import cluster_pkg::*;
#(
    parameter type regs_t = logic,
    parameter type status_t = logic,
    parameter int unsigned LinkWidth = 128,
    parameter channel_t Channel = '0,
    parameter int unsigned NumBoards = 2,  // of the cluster
    parameter bit Managed = 1'b1,  // this and the following are the parameters of cluster_endpoint
    parameter int unsigned MaxWords = 2,
    parameter int unsigned BufferSize = 64,
    parameter int unsigned FlowOffset = 16,
    parameter int unsigned FlowStride = 32,
    parameter int unsigned InitBudget = 1,
    localparam int unsigned PacketBits = $bits(header_t) + 1 + LinkWidth
) (
    input  logic    clk_i,
    input  logic    rst_i,
    input  regs_t   regs_i,
    output status_t status_o,

    `CLUSTER_CHAIN_PORTS(PacketBits)

    output logic [5:0] drop_o,
    output logic [2:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";
  localparam string MayStayOpen = "chain";
  localparam string Status = "chain";
  typedef enum logic [2:0] {
    DropBadSource,
    DropBadDestination,
    DropTooLong,
    DropNoBudget,
    DropBadControl,
    DropUnknownChannel,
    NumDrops
  } drop_e;
  typedef enum logic [1:0] {
    EventGrant,
    EventReturn,
    EventOpen,
    NumEvents
  } event_e;

  `CLUSTER_BEAT_T(packet_t, LinkWidth)
  localparam int unsigned Words = LinkWidth / WordBits;

  typedef struct packed {
    logic        is_answer;
    logic [30:0] cycle;      // in which it was offered
    logic [31:0] number;
  } word_t;

  packet_t send, received;
  logic send_valid, send_ready, received_valid, received_ready, endpoint_holds;
  bridge_endpoint #(
      .packet_t(packet_t),
      .LinkWidth(LinkWidth),
      .Channel(Channel),
      .NumBoards(NumBoards),
      .Managed(Managed),
      .MaxWords(MaxWords),
      .BufferSize(BufferSize),
      .FlowOffset(FlowOffset),
      .FlowStride(FlowStride),
      .InitBudget(InitBudget)
  ) u_endpoint (
      .clk_i,
      .rst_i,
      `CLUSTER_CHAIN_CONNECTIONS,
      .send_i(send),
      .send_valid_i(send_valid),
      .send_ready_o(send_ready),
      .receive_o(received),
      .receive_valid_o(received_valid),
      .receive_ready_i(received_ready),
      .drop_o,
      .event_o,
      .holds_o(endpoint_holds)
  );

  logic [31:0] now_q;
  always_ff @(posedge clk_i) now_q <= rst_i ? '0 : now_q + 1'b1;

  // ---- The sink ----

  wire clears = rst_i | regs_i.control.clear;
  wire word_t first_word = received.data[WordBits-1:0];
  logic in_first;
  first_beat u_in_first (
      .clk_i,
      .rst_i,
      .taken_i(received_valid & received_ready),
      .last_i (received.last),
      .first_o(in_first)
  );

  typedef struct packed {
    board_t board;
    logic [LinkWidth-1:0] data;
    length_t length;
  } answer_t;
  answer_t answer;
  logic answer_valid, answer_ready, answers_ready, answers_hold;
  wire answers = regs_i.control.echo & in_first & ~first_word.is_answer;
  stream_queue #(
      .data_t(answer_t),
      .Depth (4)
  ) u_answers (
      .clk_i,
      .rst_i,
      .in_i(
      '{
          board: received.header.source,
          data: received.data | LinkWidth'(1) << (WordBits - 1),
          length: 32'(received.header.length) > Words ? length_t'(Words) : received.header.length
      }
      ),
      .in_valid_i(received_valid & answers & ~regs_i.control.stall),
      .in_ready_o(answers_ready),
      .out_o(answer),
      .out_valid_o(answer_valid),
      .out_ready_i(answer_ready),
      .holds_o(answers_hold)
  );
  assign received_ready = ~regs_i.control.stall & (~answers | answers_ready);

  wire arrives = received_valid & received_ready & in_first;
  wire counts = arrives & ~first_word.is_answer;
  logic [31:0] next_number[NumBoards];
  logic [31:0] number_q;  // of the packet that arrives
  wire [$clog2(NumBoards)-1:0] source = received.header.source[$clog2(NumBoards)-1:0];
  logic is_wrong;
  always_comb begin
    is_wrong = counts & first_word.number != next_number[source];
    // Later beats have the number in each word.
    if (received_valid & received_ready & ~in_first) begin
      is_wrong = received.data[31:0] != number_q;
    end
  end
  logic [31:0] received_q, wrong_q, start_q, cycles_q, answers_q, round_trips_q;
  always_ff @(posedge clk_i) begin
    if (arrives) number_q <= first_word.number;
    if (clears) begin
      for (int unsigned b = 0; b < NumBoards; b++) next_number[b] <= '0;
      received_q <= '0;
      wrong_q <= '0;
      start_q <= now_q;
      cycles_q <= '0;
      answers_q <= '0;
      round_trips_q <= '0;
    end else begin
      if (is_wrong) wrong_q <= wrong_q + 1'b1;
      if (counts) begin
        next_number[source] <= first_word.number + 1'b1;
        received_q <= received_q + 1'b1;
        if (received_q <= regs_i.skip.count) start_q <= now_q;
        else cycles_q <= now_q - start_q;
      end
      if (arrives & first_word.is_answer) begin
        answers_q <= answers_q + 1'b1;
        round_trips_q <= round_trips_q + 32'(31'(now_q[30:0] - first_word.cycle));
      end
    end
  end

  // ---- The generator: answers before packets ----

  logic [31:0] sent_q;
  logic [15:0] pause_q;
  length_t sent_words_q;  // of this packet, in beats before this one
  logic inside_q, waiting_q;
  logic [30:0] offered_q;  // the cycle in which the packet at the output was first offered
  wire wants = regs_i.control.run & ~regs_i.control.clear & sent_q != regs_i.packets.count &
      pause_q == '0;
  wire sends_answer = answer_valid & ~inside_q & ~waiting_q;
  wire sends_packet = inside_q | waiting_q | (wants & ~answer_valid);
  length_t words_q;
  wire length_t words = inside_q ? words_q : regs_i.packet.words;
  wire is_last = 32'(sent_words_q) + Words >= 32'(words);
  word_t head;
  assign head = '{is_answer: 1'b0, cycle: now_q[30:0], number: sent_q};
  always_comb begin
    send = '0;
    send.last = 1'b1;
    if (sends_answer) begin
      send.header.destination = answer.board;
      send.header.length = answer.length;
      send.data = answer.data;
    end else begin
      send.header.destination = regs_i.packet.target;
      send.header.length = words;
      send.last = is_last;
      for (int unsigned w = 0; w < Words; w++) begin
        if (32'(sent_words_q) + w < 32'(words)) send.data[w*WordBits+:32] = sent_q;
      end
      if (~inside_q) begin
        send.data[WordBits-1:0] = head;
        if (waiting_q) send.data[62:32] = offered_q;
      end
    end
  end
  assign send_valid   = sends_answer | sends_packet;
  assign answer_ready = send_ready & ~inside_q & ~waiting_q;
  always_ff @(posedge clk_i) begin
    waiting_q <= sends_packet & ~sends_answer & ~inside_q & ~send_ready & ~rst_i;
    if (~waiting_q) offered_q <= now_q[30:0];
    if (~inside_q) words_q <= regs_i.packet.words;
    if (clears) begin
      sent_q <= '0;
      pause_q <= '0;
      sent_words_q <= '0;
      inside_q <= 1'b0;
    end else begin
      if (pause_q != '0) pause_q <= pause_q - 1'b1;
      if (send_valid & send_ready & ~sends_answer) begin
        inside_q <= ~is_last;
        sent_words_q <= is_last ? '0 : sent_words_q + length_t'(Words);
        if (is_last) sent_q <= sent_q + 1'b1;
        if (~inside_q) pause_q <= regs_i.packet.period == '0 ? '0 : regs_i.packet.period - 1'b1;
      end
    end
  end

  always_comb begin
    status_o = '0;
    status_o.sent.count = sent_q;
    status_o.received.count = received_q;
    status_o.wrong.count = wrong_q;
    status_o.cycles.count = cycles_q;
    status_o.answers.count = answers_q;
    status_o.round_trips.count = round_trips_q;
  end
  assign busy_o = send_valid | received_valid | answers_hold | endpoint_holds;

endmodule
