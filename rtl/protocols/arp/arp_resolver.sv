// SPDX-License-Identifier: Apache-2.0
// Resolves MAC addresses of neighbours for eth_tx: the ARP cache, pending requests, and the packets
// that wait for replies.
//
// There are two steps. Every message is looked up with its first beat; the result is available
// while the message is in eth_tx's look-up stage, and an update is written into the cache. In the
// next stage, `act`, the result is in registers, and messages are handled in order: a packet
// without a binding is kept here; when its neighbour's binding arrives, the packet is returned by
// out_o before any other message leaves that stage, so that it is not overtaken. Neither kept
// packets nor updates wait for the output.
`include "bombus_assert.svh"

module arp_resolver
  import bombus_pkg::*;
  import arp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned PortBits = 0,  // width of the MAC port number in a key
    parameter int unsigned NumBindings = 2048,
    parameter int unsigned MaxAgeS = 300,
    parameter int unsigned NumQuestions = 128,
    parameter int unsigned QueueBytes = 16384,
    localparam type port_key_t = logic [PortBits+$bits(key_t)-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [SecretBits-1:0] secret_i,  // seed of the hashes
    output logic busy_o,  // no look-up is possible
    output logic open_o,  // at least one question is open

    // Look-up, with a message's first beat. in_update_i: the message is a binding.
    input neighbour_t in_meta_i,  // also for a packet: its address occupies the same bits
    input logic in_update_i,
    input logic lookup_valid_i,  // a first beat is offered, and not busy_o
    input logic lookup_ready_i,  // a first beat would be taken
    input logic idle_i,  // the look-up stage is empty, between two messages
    input logic read_i,  // no beat waits in the look-up stage

    // The beat in the look-up stage.
    output logic look_wait_o,  // it cannot leave the stage
    input  logic look_room_i,  // the next stage has room
    input  logic look_first_i,

    // The beat in the next stage, and properties of its message:
    input beat_t act_i,
    input logic act_valid_i,
    input logic act_first_i,
    input logic act_update_i,  // it brings a binding
    input logic act_packet_i,  // it is a packet, which needs a MAC address
    input logic act_body_i,  // it is sent, even if it brings a binding
    output logic act_kept_o,  // any other update, or a packet without a binding: it ends here,
    output logic act_ready_o,  // in this cycle
    output logic [47:0] act_mac_o,  // otherwise: its destination

    // Packets that have waited for a binding.
    output beat_t        out_o,
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output logic  [47:0] out_mac_o,
    output logic         reading_o,    // such packets are being sent, or will be in the next cycles

    // Questions: a request for this neighbour, sent to this MAC address.
    output port_key_t        question_key_o,
    output logic      [47:0] question_mac_o,
    output logic             question_valid_o,
    input  logic             question_ready_i,

    // Register port: an entry of the cache.
    input  logic                                show_i,            // held until shown_o
    input  logic      [$clog2(NumBindings)-1:0] show_index_i,
    output logic                                shown_o,
    output logic                                show_valid_o,
    output logic                                show_permanent_o,
    output logic                                show_used_o,
    output port_key_t                           show_key_o,
    output logic      [                   47:0] show_mac_o,

    // Register port: makes a binding permanent, or removes it if not write_keep_i.
    input  logic             write_i,          // held until written_o
    input  logic             write_keep_i,
    input  port_key_t        write_key_i,
    input  logic      [47:0] write_mac_i,
    output logic             written_o,
    output logic             write_refused_o,  // with written_o
    output logic             stalled_o,        // with shown_o or written_o: the access was given up

    // One-cycle pulses.
    output logic evicted_o,  // a binding
    output logic refused_o,  // a new binding
    output logic no_room_o,
    output logic unresolved_o,
    output logic question_sent_o,
    output logic question_repeated_o,
    output logic renewed_o
);

  localparam int unsigned NumWays = 2;  // of arp_questions
  localparam int unsigned NumBlocks = QueueBytes / 64;
  typedef logic [$clog2(NumBlocks)-1:0] block_t;

  if (QueueBytes < 16384 || 2 ** $clog2(QueueBytes) != QueueBytes) begin : gen_bad_queue
    $error("eth_tx: QueueBytes must be a power of two, at least 16384");
  end
  if (NumBindings < 64 || 2 ** $clog2(NumBindings) != NumBindings) begin : gen_bad_bindings
    $error("eth_tx: NumBindings must be a power of two, at least 64");
  end
  if (NumQuestions < 4 || 2 ** $clog2(NumQuestions) != NumQuestions) begin : gen_bad_questions
    $error("eth_tx: NumQuestions must be a power of two, at least 4");
  end

  port_key_t in_key, looked_up;
  assign in_key = port_key_t'({in_meta_i.mac_port, key_of(in_meta_i.vlan, in_meta_i.ip)});

  logic cache_busy, questions_busy, packets_busy;
  logic hit, renew, has_question;
  logic [47:0] mac;
  logic act_waits;  // a packet without a binding
  logic act_update;

  // If a question is open, an update that would only refresh also adds the binding. The preceding
  // packet may open it in this cycle.
  logic question_matches;
  arp_cache #(
      .PortBits(PortBits),
      .NumBindings(NumBindings),
      .MaxAgeS(MaxAgeS)
  ) u_cache (
      .clk_i,
      .rst_i,
      .time_us_i,
      .seed_i(secret_i[MaxKeyBits-1:0]),
      .busy_o(cache_busy),
      .wait_o(look_wait_o),
      .lookup_ready_i,
      .idle_i,
      .read_i,
      .lookup_valid_i,
      .update_i(in_update_i),
      .key_i(in_key),
      .mac_i({in_meta_i.mac_high, in_meta_i.mac_low}),
      .only_refresh_i(in_meta_i.only_refresh),
      .key_o(looked_up),
      .hit_o(hit),
      .renew_o(renew),
      .mac_o(mac),
      .add_i(has_question | (act_waits & question_matches)),
      .show_i,
      .show_index_i,
      .shown_o,
      .show_valid_o,
      .show_permanent_o,
      .show_used_o,
      .show_key_o,
      .show_mac_o,
      .write_i,
      .write_keep_i,
      .write_key_i,
      .write_mac_i,
      .written_o,
      .write_refused_o,
      .stalled_o,
      .evicted_o,
      .refused_o
  );

  // The result for a packet's first beat also holds for its last.
  logic hit_q, renew_q;
  // Its binding has already been written, and it still waits to be sent.
  logic updated_q;
  always_ff @(posedge clk_i) begin
    updated_q <= ~rst_i & ~look_room_i & (updated_q | (act_update & ~reading_o));
  end
  logic question_ready;
  neighbour_t act_meta;
  assign act_meta = act_i.meta;
  always_ff @(posedge clk_i) begin
    if (look_room_i & look_first_i) begin
      hit_q <= hit;
      renew_q <= renew;
      act_mac_o <= mac;
    end
    if (act_update & ~reading_o) out_mac_o <= {act_meta.mac_high, act_meta.mac_low};
  end
  assign act_waits   = act_valid_i & act_packet_i & ~hit_q;
  assign act_update  = act_valid_i & act_update_i & act_first_i & ~updated_q;
  assign act_kept_o  = act_waits | (act_valid_i & act_update_i & ~act_body_i);
  assign act_ready_o = ~reading_o & (question_ready | act_update);

  block_t first, last, count, link_head, chain_head, chain_tail, chain_count;
  logic fits, keep, link, free, start, question_start, question_repeat, question_renew;
  port_key_t question_key;
  wire [SecretBits-1:0] question_seed = {secret_i[15:0], secret_i[SecretBits-1:16]};
  arp_questions #(
      .PortBits (PortBits),
      .NumSets  (NumQuestions / NumWays),
      .NumWays  (NumWays),
      .NumBlocks(NumBlocks)
  ) u_questions (
      .clk_i,
      .rst_i,
      .time_us_i,
      .seed_i(question_seed[MaxKeyBits-1:0]),
      .busy_o(questions_busy),
      .open_o,
      .lookup_ready_i,
      .lookup_valid_i,
      .key_i(in_key),
      .looked_up_i(looked_up),
      .has_entry_o(has_question),
      .same_key_o(question_matches),
      .room_i(look_room_i),
      .packet_i(act_waits & act_i.last),
      .renew_i(act_valid_i & act_packet_i & act_i.last & renew_q),
      .update_i(act_update),
      .question_ready_i(question_ready),
      .reading_i(reading_o),
      .first_i(first),
      .end_i(last),
      .count_i(count),
      .fits_i(fits),
      .keep_o(keep),
      .link_o(link),
      .link_head_o(link_head),
      .free_o(free),
      .start_o(start),
      .chain_head_o(chain_head),
      .chain_tail_o(chain_tail),
      .chain_count_o(chain_count),
      .question_o(question_start),
      .question_key_o(question_key),
      .question_repeat_o(question_repeat),
      .question_renew_o(question_renew),
      .no_room_o,
      .unresolved_o
  );

  waiting_packets #(
      .beat_t(beat_t),
      .NumBlocks(NumBlocks)
  ) u_packets (
      .busy_o(packets_busy),
      .beat_i(act_i),
      .write_i(act_waits & act_ready_o),
      .first_i(act_first_i),
      .fits_o(fits),
      .first_o(first),
      .last_o(last),
      .count_o(count),
      .keep_i(keep),
      .link_i(link),
      .link_head_i(link_head),
      .link_tail_i(chain_tail),
      .free_i(free),
      .free_head_i(chain_head),
      .free_tail_i(chain_tail),
      .free_count_i(chain_count),
      .start_i(start),
      .start_head_i(chain_head),
      .start_tail_i(chain_tail),
      .*
  );

  // One question at a time waits to be sent.
  assign question_ready = ~question_valid_o;
  always_ff @(posedge clk_i) begin
    if (question_ready) begin
      question_key_o <= question_key;
      question_mac_o <= question_renew ? act_mac_o : '1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      question_valid_o <= 1'b0;
      question_sent_o <= 1'b0;
      question_repeated_o <= 1'b0;
      renewed_o <= 1'b0;
    end else begin
      question_valid_o <= question_start | (question_valid_o & ~question_ready_i);
      question_sent_o <= question_start & ~question_repeat & ~question_renew;
      question_repeated_o <= question_repeat;
      renewed_o <= question_renew;
    end
  end

  assign busy_o = cache_busy | questions_busy | packets_busy;

  `BOMBUS_ASSERT(QuestionHasRoom, !question_start || question_ready)

endmodule
