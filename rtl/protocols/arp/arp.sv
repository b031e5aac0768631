// SPDX-License-Identifier: Apache-2.0
// ARP (RFC 826): answers requests for the host's address, sends the requests of eth_tx, reports
// bindings to eth_tx, and announces the host after reset and after a change of its address. With
// several MAC ports, it does so for each port separately, with the port's addresses.
//
// Of RFC 5227, only this is implemented: probes are answered, and there is one announcement, in the
// form of section 3. The host neither probes for its address nor defends it: messages that claim it
// are dropped and counted.
//
// arp_resolver in eth_tx stores bindings, open questions and waiting packets, and has the registers
// of the cache, which the tile of arp shows as well. The input never stalls, so that upstream
// traffic is not delayed: a message that finds QueueDepth others waiting is dropped and counted.
//
// Latency: not on the data path; an answer takes 3 cycles (512 bits).
module arp
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter logic [MaxMacPorts-1:0] AnnouncedPorts = '1,  // bit n: MAC port n
    parameter int unsigned QueueDepth = 32,  // in messages
    // Numbers of the kinds of messages, filled in by Bombus
    parameter int unsigned KindArp = 1,
    parameter int unsigned KindArpUpdate = 2,
    parameter int unsigned KindArpQuestion = 3
) (
    input logic                    clk_i,
    input logic                    rst_i,
    input host_t [NumMacPorts-1:0] host_i,
    input logic  [           31:0] time_us_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic            [0:0] out_next_o,
    output logic            [2:0] drop_o,
    output message_number_t [2:0] drop_message_o,
    output logic            [7:0] event_o,
    output logic                  busy_o,
    output logic                  timer_o
);

  localparam string Entry = "arp";
  localparam logic [15:0] EtherType = EtherTypeArp;  // the key that eth_rx binds
  localparam bit Rare = 1'b1;  // little traffic compared with the other bound layers
  localparam string Takes = "packet arp_question";
  localparam string Sends = "arp arp_update";
  localparam bit Replicable = 0;  // ARP state is not replicated
  localparam bit AnswersForHost = 1;
  localparam string ShowsRegisters = "eth_tx";  // the cache
  typedef enum logic [0:0] {NextEthTx} next_e;
  localparam bit AlwaysTakes = 1'b1;
  typedef enum int unsigned {
    DropMalformed,
    DropConflict,
    DropBusy,
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventRequestIn,
    EventReplyIn,
    EventQuestionIn,
    EventUpdateOut,
    EventReplyOut,
    EventRequestOut,
    EventAnnouncementOut,
    EventForeign,
    NumEvents
  } event_e;

  assign in_ready_o = 1'b1;
  assign out_next_o = NextEthTx;

  message_t heard_in, heard;
  logic received_valid, received_ready, message_valid, message_ready, unused_head;
  logic malformed, conflict, request, reply, foreign, receive_busy;
  arp_receive #(
      .beat_t(beat_t),
      .NumMacPorts(NumMacPorts),
      .KindArpQuestion(KindArpQuestion)
  ) u_receive (
      .clk_i,
      .rst_i,
      .host_i,
      .in_i,
      .in_valid_i,
      .message_o(heard_in),
      .message_valid_o(received_valid),
      .malformed_o(malformed),
      .conflict_o(conflict),
      .request_o(request),
      .reply_o(reply),
      .foreign_o(foreign),
      .busy_o(receive_busy)
  );

  head_fifo #(
      .head_t(logic),
      .body_t(message_t),
      .Depth (QueueDepth)
  ) u_heard (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (heard_in),
      .in_valid_i (received_valid),
      .in_ready_o (received_ready),
      .out_head_o (unused_head),
      .out_body_o (heard),
      .out_valid_o(message_valid),
      .out_ready_i(message_ready)
  );

  // ---- Announcements ----

  // A new address is announced once it has been stable for 1 to 2 ms, since the registers of a MAC
  // address are written one by one. Time can jump, so any two steps suffice, of any length.
  localparam int unsigned SettleShift = 10;
  logic [31:SettleShift] step_q;
  always_ff @(posedge clk_i) step_q <= time_us_i[31:SettleShift];
  wire step = step_q != time_us_i[31:SettleShift];

  logic [NumMacPorts-1:0] announce_q, announced, settling;
  for (genvar p = 0; p < NumMacPorts; p++) begin : gen_port
    if (AnnouncedPorts[p]) begin : gen_announced
      logic [47:0] mac_q;
      logic [31:0] ip_q;
      logic changed_q;
      logic [1:0] settle_q;
      always_ff @(posedge clk_i) begin
        mac_q <= host_i[p].mac;
        ip_q  <= host_i[p].ip;
        if (rst_i) begin
          changed_q <= 1'b0;
          settle_q <= '0;
          announce_q[p] <= 1'b1;
        end else begin
          changed_q <= (mac_q != host_i[p].mac) | (ip_q != host_i[p].ip);
          if (changed_q) settle_q <= 2'd2;
          else if ((settle_q != '0) & step) settle_q <= settle_q - 1'b1;
          if ((settle_q == 2'd1) & step) announce_q[p] <= 1'b1;
          else if (announced[p]) announce_q[p] <= 1'b0;
        end
      end
      assign settling[p] = changed_q | (settle_q != '0);
    end else begin : gen_silent
      assign announce_q[p] = 1'b0;
      assign settling[p]   = 1'b0;
    end
  end
  assign timer_o = |settling;

  logic update_sent, reply_sent, request_sent;
  arp_send #(
      .beat_t(beat_t),
      .NumMacPorts(NumMacPorts),
      .KindArp(KindArp),
      .KindArpUpdate(KindArpUpdate)
  ) u_send (
      .message_i(heard),
      .message_valid_i(message_valid),
      .message_ready_o(message_ready),
      .announce_i(announce_q),
      .announced_o(announced),
      .update_sent_o(update_sent),
      .reply_sent_o(reply_sent),
      .request_sent_o(request_sent),
      .*
  );

  // Judged in the cycle after its last beat
  message_number_t message, judged_q, unused_begun;
  logic unused_first;
  message_number u_message (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i),
      .last_i (in_i.last),
      .first_o(unused_first),
      .here_o (message),
      .begun_o(unused_begun)
  );
  always_ff @(posedge clk_i) begin
    judged_q <= message;
    drop_message_o <= {NumDrops{judged_q}};
  end

  // A message is counted either as received or as dropped, never as both.
  wire busy = received_valid & ~received_ready;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      drop_o  <= '0;
      event_o <= '0;
    end else begin
      drop_o[DropMalformed] <= malformed;
      drop_o[DropConflict] <= conflict;
      drop_o[DropBusy] <= busy;
      event_o[EventRequestIn] <= request & ~busy;
      event_o[EventReplyIn] <= reply & ~busy;
      event_o[EventQuestionIn] <= received_valid & heard_in.question & ~busy;
      event_o[EventUpdateOut] <= update_sent;
      event_o[EventReplyOut] <= reply_sent;
      event_o[EventRequestOut] <= request_sent;
      event_o[EventAnnouncementOut] <= |announced;
      event_o[EventForeign] <= foreign & ~busy;
    end
  end

  assign busy_o = receive_busy | message_valid | (|announce_q) | out_valid_o;

endmodule
