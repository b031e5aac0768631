// SPDX-License-Identifier: Apache-2.0
// Finds neighbours' MAC addresses for eth_tx: the ARP cache, the open questions,
// and the packets that wait for their answers.
//
// Every message is looked up with its first beat; a cycle later the answer is
// there, while the message is in eth_tx's look-up stage. A packet without a
// binding is kept here; when its neighbour's binding comes, it is given back by
// out_o before the next look-up, so that nothing overtakes it.
module arp_resolver
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned PortBits = 0,  // of the number of a MAC port in a key
    parameter int unsigned NumBindings = 2048,
    parameter int unsigned MaxAgeS = 300,
    parameter int unsigned QueueBytes = 16384,
    localparam type port_key_t = logic [PortBits+$bits(key_t)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    output logic busy_o,  // no look-up now
    output logic open_o,  // questions are open

    // Look-up: with a message's first beat. in_update_i: it is a binding.
    input neighbour_t in_meta_i,  // of a packet: its address is in the same place
    input logic in_update_i,
    input logic lookup_i,

    // The beat in the look-up stage.
    input  beat_t        look_i,
    input  logic         look_valid_i,
    input  logic         look_taken_i,   // it leaves the stage
    input  logic         look_first_i,
    input  logic         look_packet_i,  // of a packet, which needs a MAC address
    output logic         hit_o,
    output logic  [47:0] mac_o,

    // Packets that have waited; they go to mac_o.
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output logic  reading_o,    // such packets go out, or will in the next cycles

    // Questions: ask for a neighbour by a frame to this MAC address.
    output port_key_t        ask_key_o,
    output logic      [47:0] ask_mac_o,
    output logic             ask_valid_o,
    input  logic             ask_ready_i,

    // Register port: an entry of the cache.
    input  logic                                show_i,        // held until shown_o
    input  logic      [$clog2(NumBindings)-1:0] show_index_i,
    output logic                                shown_o,
    output logic                                show_valid_o,
    output port_key_t                           show_key_o,
    output logic      [                   47:0] show_mac_o,

    // Pulses.
    output logic no_room_o,
    output logic unresolved_o,
    output logic asked_o,
    output logic asked_again_o,
    output logic renewed_o
);

  localparam int unsigned NumWays = 2;
  localparam int unsigned NumBlocks = QueueBytes / 64;
  typedef logic [$clog2(NumBlocks)-1:0] block_t;

  if (QueueBytes < 16384 || 2 ** $clog2(QueueBytes) != QueueBytes) begin : gen_bad_queue
    $error("eth_tx: QueueBytes must be a power of two, at least 16384");
  end
  if (NumBindings < 64 || 2 ** $clog2(NumBindings) != NumBindings) begin : gen_bad_bindings
    $error("eth_tx: NumBindings must be a power of two, at least 64");
  end

  port_key_t in_key, looked_up;
  assign in_key = port_key_t'({in_meta_i.mac_port, key_of(in_meta_i.vlan, in_meta_i.ip)});

  logic cache_busy, questions_busy, packets_busy;
  logic renew, update, answered;
  arp_cache #(
      .PortBits(PortBits),
      .NumSets (NumBindings / NumWays),
      .NumWays (NumWays),
      .MaxAgeS (MaxAgeS)
  ) u_cache (
      .clk_i,
      .rst_i,
      .time_us_i,
      .busy_o(cache_busy),
      .idle_i(~look_valid_i),
      .lookup_i,
      .update_i(in_update_i),
      .key_i(in_key),
      .mac_i({in_meta_i.mac_high, in_meta_i.mac_low}),
      .only_refresh_i(in_meta_i.only_refresh),
      .key_o(looked_up),
      .hit_o,
      .renew_o(renew),
      .mac_o,
      .update_o(update),
      .add_i(answered),
      .hold_i(reading_o),
      .show_i,
      .show_index_i,
      .shown_o,
      .show_valid_o,
      .show_key_o,
      .show_mac_o
  );

  // The verdict of a packet's first beat holds for its last.
  logic packet_q;
  wire  is_packet = look_first_i ? look_packet_i : packet_q;
  wire  packet_end = look_taken_i & look_i.last & is_packet;
  always_ff @(posedge clk_i) begin
    if (look_taken_i) packet_q <= is_packet;
  end

  block_t first, last, count, chain_head, chain_tail, chain_count;
  logic fits, keep, link, free, start, ask, ask_again, ask_renew, ask_room;
  port_key_t ask_key;
  arp_questions #(
      .PortBits (PortBits),
      .NumBlocks(NumBlocks)
  ) u_questions (
      .clk_i,
      .rst_i,
      .time_us_i,
      .busy_o(questions_busy),
      .open_o,
      .lookup_i,
      .key_i(in_key),
      .done_i((look_taken_i & look_i.last) | update),
      .looked_up_i(looked_up),
      .packet_i(packet_end & ~hit_o),
      .renew_i(packet_end & renew),
      .update_i(update),
      .answered_o(answered),
      .first_i(first),
      .last_i(last),
      .count_i(count),
      .fits_i(fits),
      .keep_o(keep),
      .link_o(link),
      .free_o(free),
      .start_o(start),
      .chain_head_o(chain_head),
      .chain_tail_o(chain_tail),
      .chain_count_o(chain_count),
      .reading_i(reading_o),
      .ask_o(ask),
      .ask_key_o(ask_key),
      .ask_again_o(ask_again),
      .ask_renew_o(ask_renew),
      .ask_ready_i(ask_room),
      .no_room_o,
      .unresolved_o
  );

  waiting_packets #(
      .beat_t(beat_t),
      .NumBlocks(NumBlocks)
  ) u_packets (
      .clk_i,
      .rst_i,
      .busy_o(packets_busy),
      .beat_i(look_i),
      .write_i(look_taken_i),
      .first_i(look_first_i),
      .fits_o(fits),
      .first_o(first),
      .last_o(last),
      .count_o(count),
      .keep_i(keep),
      .link_i(link),
      .link_tail_i(chain_tail),
      .free_i(free),
      .free_head_i(chain_head),
      .free_tail_i(chain_tail),
      .free_count_i(chain_count),
      .start_i(start),
      .start_head_i(chain_head),
      .start_tail_i(chain_tail),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .reading_o
  );

  // One question waits for its turn to go out.
  assign ask_room = ~ask_valid_o | ask_ready_i;
  always_ff @(posedge clk_i) begin
    if (ask_room) begin
      ask_key_o <= ask_key;
      ask_mac_o <= ask_renew ? mac_o : '1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ask_valid_o <= 1'b0;
      asked_o <= 1'b0;
      asked_again_o <= 1'b0;
      renewed_o <= 1'b0;
    end else begin
      if (ask_room) ask_valid_o <= ask;
      asked_o <= ask & ~ask_again & ~ask_renew;
      asked_again_o <= ask & ask_again;
      renewed_o <= ask & ask_renew;
    end
  end

  assign busy_o = cache_busy | questions_busy | packets_busy | reading_o;

endmodule
