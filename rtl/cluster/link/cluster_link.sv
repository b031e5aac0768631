// SPDX-License-Identifier: Apache-2.0
// One link to a neighbouring board: packets of cluster beats on one side, raw beats of a serial
// channel (as Aurora's streaming interface) on the other. Bits of the wire may flip, and beats may
// vanish; their order is kept.
//
// The network is that of "A Transport-Layer Network for Distributed FPGA Platforms", section III;
// error detection and retry are additions. Each packet arrives exactly once and in order, whatever
// the wire does, as long as neither board is reset. Formats: cluster_link_pkg; how packets are sent
// and received: cluster_link_transmit and cluster_link_receive.
//
// Without Check, packets are forwarded as they come, and bit errors and lost beats are only
// counted: cluster_link_direct_transmit and cluster_link_direct_receive.
//
// Training: a side that is not up sends training words with a number of its own, which changes at
// each reset and when packets are given up, and the number that it has heard. Runs of them are
// longer than any packet, so payload cannot imitate them. A new number means that the neighbour
// begins anew: packets on the way to it are lost (EventLost), and both sides restart. Otherwise the
// link continues. Both numbers are a part of all other CRCs (session_key_t).
//
// A link that is disabled (control_i) behaves as if its channel were down. Its sender may then be
// drained: it drops the packets that the neighbour has received, and returns the others by out_o.
// Their number is in the neighbour's state_o after both sides have been disabled. Without Check no
// packets are kept that could be returned.
//
// Latency: 1 cycle in the sender, in which words are shifted to their place; 2 in the receiver from
// the end of a packet: one in which words are classified and their CRCs computed, one in which the
// packet's CRC is compared and its first beat aligned. The sender takes 1 more if the last beat of
// the packet is not full (its CRC leaves with it), the receiver if the packet is one beat of the
// wire. Without Check together 2 cycles. Throughput: one beat per cycle. A packet, once begun at
// in_i, should be finished without delay: control words are sent between packets.
module cluster_link
  import cluster_link_pkg::*;
#(
    parameter type beat_t = logic,  // `CLUSTER_BEAT_T
    parameter int unsigned DataWidth = 128,
    parameter int unsigned BufferBeats = DataWidth < 128 ? 400 : 200,  // of the receiver
    parameter int unsigned RetryBeats = 512,  // of the sender: at least a round trip, in cycles
    parameter bit Check = 1'b1,  // CRC and retry of each packet; 0: cut-through
    parameter int unsigned DeadCycles = 8192  // without a control word: the link is trained anew
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [DataWidth-1:0] phy_tx_data_o,
    output logic phy_tx_valid_o,
    input logic phy_tx_ready_i,
    input logic [DataWidth-1:0] phy_rx_data_i,
    input logic phy_rx_valid_i,
    input logic phy_up_i,

    input link_control_t control_i,
    output logic up_o,
    output link_state_t state_o,
    output logic [NumEvents-1:0] event_o
);

  // Longer than a packet of 256 words.
  localparam int unsigned TrainBeats = 256 * 64 / DataWidth + 4;

  orders_t orders;
  heard_t heard, heard_up;
  wanted_t wanted;
  count_t  credits;
  logic beat_valid, run_done, restart, up, draining, drained, forgets;
  logic [NumEvents-1:0] send_events, receive_events, session_events;
  // It stays down until its drain has ended.
  wire phy_up = phy_up_i & ~control_i.disable_link & ~draining;
  session_key_t send_key, receive_key;
  assign send_key = '{sender: orders.word.own, receiver: orders.word.heard};
  assign receive_key = '{sender: orders.word.heard, receiver: orders.word.own};
  always_comb begin
    orders.training = ~up;
    orders.stopped = ~phy_up;
    heard_up = heard;
    heard_up.valid &= up;
  end

  cluster_link_session #(
      .TrainBeats(TrainBeats),
      .DeadCycles(DeadCycles)
  ) u_session (
      .clk_i,
      .rst_i,
      .phy_up_i(phy_up),
      .forgets_i(forgets),
      .heard_i(heard),
      .beat_valid_i(beat_valid),
      .run_done_i(run_done),
      .run_o(orders.run),
      .word_o(orders.word),
      .fresh_o(orders.fresh),
      .restart_o(restart),
      .up_o(up),
      .event_o(session_events)
  );

  if (Check) begin : gen_retry
    beat_t returned, received;
    logic returned_valid, returned_ready, received_valid, received_ready;
    cluster_link_return #(
        .beat_t(beat_t)
    ) u_return (
        .clk_i,
        .rst_i,
        .received_i(received),
        .received_valid_i(received_valid),
        .received_ready_o(received_ready),
        .returned_i(returned),
        .returned_valid_i(returned_valid),
        .returned_ready_o(returned_ready),
        .out_o,
        .out_valid_o,
        .out_ready_i
    );

    cluster_link_transmit #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .RetryBeats(RetryBeats),
        .StateBeats(BufferBeats / 8),
        .NakCycles(RetryBeats),
        .TrainBeats(2 * TrainBeats)
    ) u_transmit (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o,
        .tx_data_o(phy_tx_data_o),
        .tx_valid_o(phy_tx_valid_o),
        .tx_ready_i(phy_tx_ready_i),
        .orders_i(orders),
        .key_i(send_key),
        .train_run_done_o(run_done),
        .heard_i(heard_up),
        .wanted_i(wanted),
        .drain_i(control_i),
        .draining_o(draining),
        .drained_o(drained),
        .forgets_o(forgets),
        .returned_o(returned),
        .returned_valid_o(returned_valid),
        .returned_ready_i(returned_ready),
        .credits_o(credits),
        .event_o(send_events)
    );

    cluster_link_receive #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .BufferBeats(BufferBeats)
    ) u_receive (
        .clk_i,
        .rst_i,
        .rx_data_i(phy_rx_data_i),
        .rx_valid_i(phy_rx_valid_i & phy_up),
        .out_o(received),
        .out_valid_o(received_valid),
        .out_ready_i(received_ready),
        .listens_i(up),
        .fresh_i(orders.fresh),
        .restart_i(restart),
        .key_i(receive_key),
        .heard_o(heard),
        .beat_valid_o(beat_valid),
        .wanted_o(wanted),
        .event_o(receive_events)
    );
  end else begin : gen_direct
    cluster_link_direct_transmit #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .StateBeats(BufferBeats / 6),
        .NakCycles(RetryBeats),
        .TrainBeats(2 * TrainBeats)
    ) u_transmit (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o,
        .tx_data_o(phy_tx_data_o),
        .tx_valid_o(phy_tx_valid_o),
        .tx_ready_i(phy_tx_ready_i),
        .orders_i(orders),
        .key_i(send_key),
        .train_run_done_o(run_done),
        .heard_i(heard_up),
        .wanted_i(wanted),
        .credits_o(credits),
        .event_o(send_events)
    );

    cluster_link_direct_receive #(
        .beat_t(beat_t),
        .DataWidth(DataWidth),
        .BufferBeats(BufferBeats)
    ) u_receive (
        .clk_i,
        .rst_i,
        .rx_data_i(phy_rx_data_i),
        .rx_valid_i(phy_rx_valid_i & phy_up),
        .out_o,
        .out_valid_o,
        .out_ready_i,
        .listens_i(up),
        .fresh_i(orders.fresh),
        .restart_i(restart),
        .key_i(receive_key),
        .heard_o(heard),
        .beat_valid_o(beat_valid),
        .wanted_o(wanted),
        .event_o(receive_events)
    );
    assign draining = 1'b0;
    assign drained  = 1'b0;
    assign forgets  = 1'b0;
    wire unused = ^control_i;
  end

  assign up_o = up;
  always_ff @(posedge clk_i) begin
    state_o <= '{
        up: up,
        in_step: up & ~wanted.hunting,
        session: orders.word.heard,
        credits: up ? credits : '0,
        drained: drained,
        known: ~wanted.is_new,
        expected: wanted.expected
    };
  end
  assign event_o = send_events | receive_events | session_events;

endmodule
