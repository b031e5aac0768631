// SPDX-License-Identifier: Apache-2.0
// Witness of Viewstamped Replication: holds the log of a shard and votes, but executes nothing and
// never leads. After "Viewstamped Replication Revisited" (Liskov, Cowling 2012); messages are those
// of docs/applications/vr/wire.md, and docs/applications/vr/witness.md states what it does with
// each.
//
// One message at a time. Requests of a Prepare are written after the end of the log while they
// arrive; the log is extended only when all of them are valid. Entries of other messages are stored
// first (vr_entries). A log of LogLines lines holds up to LogOps - 1 operations.
//
// Latency: 3 cycles from the only beat of a ValidateRead to the reply, 3 cycles from the last beat
// of a Prepare with one request of 140 bytes to its PrepareOK. Throughput: one ValidateRead in 2
// cycles; one such Prepare, of 4 beats, in 5. Only for beats of 512 bits.
`include "bombus_assert.svh"

module vr_witness
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type regs_t = logic,  // from vr_witness.rdl
    parameter type status_t = logic,
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned UdpPort = 12345,  // one port, and one tile, for each shard
    parameter int unsigned LogLines = 2048,  // of 64 bytes; a power of two
    parameter int unsigned LogOps = 1024,  // a power of two
    parameter int unsigned BufferLines = 256,  // entries of a received message; up to 256
    parameter int unsigned FragmentLines = 22,  // of a message; longer ones are cut
    parameter int unsigned JoinLines = 0,  // of a received message in fragments; 0: drops them
    parameter int unsigned RetryUs = 1000  // until a request is repeated
) (
    input  logic           clk_i,
    input  logic           rst_i,
    input  logic    [31:0] time_us_i,
    input  regs_t          regs_i,
    output status_t        status_o,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic  [5:0] drop_o,
    output logic  [7:0] event_o,
    output logic        busy_o,
    output logic        timer_o
);

  if (DataWidth != 512) begin : gen_bad_width
    $error("vr_witness: the data width must be 512");
  end
  if (UdpPort < 1 || UdpPort > 65535) begin : gen_bad_port
    $error("vr_witness: UdpPort must be 1 to 65535");
  end
  if (LogLines < 32 || LogLines > 65536 || 2 ** $clog2(LogLines) != LogLines) begin : gen_bad_lines
    $error("vr_witness: LogLines must be a power of two from 32 to 65536");
  end
  if (LogOps < 4 || LogOps > LogLines || 2 ** $clog2(LogOps) != LogOps) begin : gen_bad_ops
    $error("vr_witness: LogOps must be a power of two from 4 to LogLines");
  end
  if (BufferLines < 2 || BufferLines > 256 || BufferLines > LogLines || 2 ** $clog2(
          BufferLines
      ) != BufferLines) begin : gen_bad_buffer
    $error("vr_witness: BufferLines must be a power of two from 2 to 256, at most LogLines");
  end
  if (FragmentLines < 2 || FragmentLines > 140) begin : gen_bad_fragment
    $error("vr_witness: FragmentLines must be 2 to 140");
  end
  if (JoinLines == 1 || JoinLines > 256 || (JoinLines != 0 && 2 ** $clog2(
          JoinLines
      ) != JoinLines)) begin : gen_bad_join
    $error("vr_witness: JoinLines must be 0 or a power of two from 2 to 256");
  end
  if (RetryUs < 1 || RetryUs > 1000000) begin : gen_bad_retry
    $error("vr_witness: RetryUs must be 1 to 1000000");
  end

  localparam string Entry = "vr_witness";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam bit KeepsFlowState = 1'b1;
  localparam int unsigned MaxBusyCycles = 0;  // a long log is sent at the pace of the output
  typedef enum logic [0:0] {NextUdpTx} next_e;
  typedef enum int unsigned {
    DropMalformed,
    DropIgnored,  // of an earlier view, or not for this state
    DropGap,  // entries before it are missing
    DropFull,  // the log has no room
    DropLong,  // more entries than the buffer holds
    DropFragment,  // it does not continue the message that is held, or that is too long
    NumDrops
  } drop_e;
  typedef enum int unsigned {
    EventAcknowledged,  // a PrepareOK is sent
    EventValid,  // a read is answered as valid
    EventInvalid,
    EventViewChange,  // a later view is joined
    EventRecovered,
    EventHandled,  // a message has ended without being dropped
    EventSent,  // a datagram
    EventStored,  // a fragment is held until the rest of its message arrives
    NumEvents
  } event_e;

  localparam int unsigned LineBits = $clog2(LogLines);
  typedef logic [LineBits:0] pointer_t;  // of a line, with a bit that distinguishes full from empty

  // ---- State of the replica ----

  replica_state_t now;

  // ---- Control ----

  st_e st_q, st_d, after_q;
  logic finish;  // the state is the last one of its message
  facts_t facts;
  drops_t drops;
  events_t events;
  actions_t actions;
  sent_t sent;
  logic out_free;

  // ---- Fragments ----

  beat_t whole;  // a beat of a message that is no fragment
  logic whole_valid, whole_ready;
  logic fragment_drop, fragment_store, join_busy;
  if (JoinLines != 0) begin : gen_join
    vr_join #(
        .beat_t(beat_t),
        .Lines (JoinLines)
    ) u_join (
        .clk_i,
        .rst_i,
        .in_i,
        .in_valid_i,
        .in_ready_o,
        .out_o(whole),
        .out_valid_o(whole_valid),
        .out_ready_i(whole_ready),
        .drop_o(fragment_drop),
        .store_o(fragment_store),
        .busy_o(join_busy)
    );
  end else begin : gen_no_join
    assign whole = in_i;
    assign whole_valid = in_valid_i;
    assign in_ready_o = whole_ready;
    assign {fragment_drop, fragment_store, join_busy} = '0;
  end

  // ---- The message ----

  line_t line_q;  // first beat
  length_t length_q;
  packet_meta_t meta_q;
  header_t header;
  words_t word;
  assign word = words_of(line_q);
  wire number_t word_view = number_t'(word[0]);
  wire replica_t word_replica = word[1][2:0];

  logic message_q;  // a message is being handled: no request that is repeated
  logic window_ready, window_ended, has_second, window_has;
  line_t second;
  wire   accepts = (st_q == StIdle) | ((finish | st_q == StDrain) & window_ended);
  wire   begins = accepts & whole_valid;
  assign whole_ready = accepts | (window_ready & ~accepts);

  always_ff @(posedge clk_i) begin
    if (begins) begin
      line_q   <= whole.data;
      length_q <= whole.length;
      meta_q   <= packet_meta_t'(whole.meta);
    end
  end

  vr_header u_header (
      .clk_i,
      .enable_i(st_q == StCheck),
      .line_i(line_q),
      .length_i(length_q),
      .view_i(now.view),
      .last_i(now.last),
      .next_i(now.next),
      .committed_i(now.committed),
      .cleaned_i(now.cleaned),
      .header_o(header)
  );

  typedef struct packed {
    logic                is_request;  // fields of a request
    logic                is_entry;    // a line of entries
    logic                write;       // a line of the log
    logic [LineBits-1:0] addr;
  } tag_t;
  tag_t tag, found_tag;
  line_t found;
  logic [LineBytes-1:0] keep;
  logic found_valid;
  logic [6:0] count;
  vr_window #(
      .tag_t(tag_t)
  ) u_window (
      .clk_i,
      .rst_i,
      .in_i(whole.data),
      .in_valid_i(whole_valid & ~accepts),
      .in_last_i(whole.last),
      .begin_i(begins),
      .first_i(st_q == StCheck),
      .discard_i(st_q == StDrain),
      .ready_o(window_ready),
      .ended_o(window_ended),
      .next_o(second),
      .has_next_o(has_second),
      .count_i(count),
      .consume_i(actions.consume),
      .extract_i(actions.extract),
      .has_o(window_has),
      .tag_i(tag),
      .line_o(found),
      .keep_o(keep),
      .tag_o(found_tag),
      .valid_o(found_valid)
  );

  // ---- Set-up ----

  logic [63:0] nonce_q;
  logic recovers_q, refused_q;
  logic set_up_pending, by_message, set_address, begins_recovery;
  replica_t set_slot, set_index, set_count;
  address_t set_to;
  vr_set_up #(
      .regs_t(regs_t)
  ) u_set_up (
      .clk_i,
      .rst_i,
      .regs_i,
      .word_i(word),
      .message_i(begins),
      .idle_i(st_q == StIdle),
      .set_up_i(st_q == StSetUp),
      .renew_i(st_q == StRestart),
      .is_off_i(now.state == StateOff),
      .pending_o(set_up_pending),
      .by_message_o(by_message),
      .set_address_o(set_address),
      .slot_o(set_slot),
      .address_o(set_to),
      .recover_o(begins_recovery),
      .index_o(set_index),
      .replicas_o(set_count),
      .nonce_o(nonce_q),
      .refused_o(refused_q),
      .recovers_o(recovers_q)
  );


  // ---- Requests and entries ----

  facts_t replica_facts, request_facts, transfer_facts;
  logic keeps, kept;  // a request is written
  request_t request;
  count_t   request_lines;
  number_t op, this_op;
  logic [6:0] part;
  vr_requests u_requests (
      .clk_i,
      .st_i(st_q),
      .walks_i(actions.walks),
      .extract_i(actions.extract),
      .has_line_i(window_has),
      .header_i(header),
      .word_i(word),
      .first_i(line_q),
      .second_i(second),
      .length_i(length_q),
      .next_i(now.next),
      .found_i(found),
      .found_valid_i(found_valid & found_tag.is_request),
      .facts_o(request_facts),
      .keeps_o(keeps),
      .lines_o(request_lines),
      .request_o(request),
      .this_op_o(this_op),
      .op_o(op),
      .part_o(part)
  );

  number_t keep_op, before_op, kept_op, installed, reported, copy_op;
  count_t new_lines, new_ops, copy_lines;
  line_t copy_line;
  logic copy_new, copy_first;
  vr_transfer #(
      .BufferLines(BufferLines)
  ) u_transfer (
      .clk_i,
      .st_i(st_q),
      .st_next_i(st_d),
      .after_i(after_q),
      .actions_i(actions),
      .header_i(header),
      .word_i(word),
      .now_i(now),
      .same_log_i(facts.same_log),
      .line_i(found),
      .valid_i(found_valid & found_tag.is_entry),
      .facts_o(transfer_facts),
      .keep_o(keep_op),
      .before_o(before_op),
      .kept_o(kept_op),
      .installed_o(installed),
      .reported_o(reported),
      .lines_o(new_lines),
      .ops_o(new_ops),
      .line_o(copy_line),
      .new_o(copy_new),
      .first_o(copy_first),
      .op_o(copy_op),
      .op_lines_o(copy_lines)
  );

  logic answered, frees, no_room, log_busy;
  number_t base, clean, from;
  logic [LineBits-1:0] send_first, log_read_addr;
  pointer_t send_lines, occupied;
  line_t log_read_line;
  vr_log #(
      .LogLines(LogLines),
      .LogOps  (LogOps)
  ) u_log (
      .clk_i,
      .rst_i,
      .st_i(st_q),
      .st_next_i(st_d),
      .after_i(after_q),
      .actions_i(actions),
      .header_i(header),
      .now_i(now),
      .empties_i(begins_recovery | (st_q == StRestart)),
      .answered_i(answered),
      .base_i(base),
      .frees_i(frees),
      .clean_i(clean),
      .from_i(from),
      .keeps_i(keeps),
      .lines_i(request_lines),
      .request_i(request),
      .this_op_i(this_op),
      .found_i(found),
      .found_keep_i(keep),
      .found_addr_i(found_tag.addr),
      .found_write_i(found_valid & found_tag.write),
      .keep_i(keep_op),
      .kept_op_i(kept_op),
      .jumps_i(transfer_facts.jumps),
      .new_lines_i(new_lines),
      .new_ops_i(new_ops),
      .copy_line_i(copy_line),
      .copy_new_i(copy_new),
      .copy_first_i(copy_first),
      .copy_op_i(copy_op),
      .copy_lines_i(copy_lines),
      .kept_o(kept),
      .no_room_o(no_room),
      .line_addr_o(tag.addr),
      .first_o(send_first),
      .lines_o(send_lines),
      .read_addr_i(log_read_addr),
      .read_line_o(log_read_line),
      .occupied_o(occupied),
      .busy_o(log_busy)
  );

  // ---- State of the replica ----

  replica_t leader;  // of the view of the message
  logic [3:0] slot;
  vr_replica #(
      .RetryUs(RetryUs)
  ) u_replica (
      .clk_i,
      .rst_i,
      .time_us_i,
      .st_i(st_q),
      .st_next_i(st_d),
      .actions_i(actions),
      .finish_i(finish),
      .sends_i(sent.valid),
      .free_i(out_free),
      .header_i(header),
      .word_i(word),
      .recovers_i(begins_recovery),
      .index_i(set_index),
      .replicas_i(set_count),
      .nonce_i(nonce_q),
      .next_i(op),
      .before_i(before_op),
      .installed_i(installed),
      .reported_i(reported),
      .jumps_i(transfer_facts.jumps),
      .now_o(now),
      .facts_o(replica_facts),
      .answered_o(answered),
      .base_o(base),
      .frees_o(frees),
      .clean_o(clean),
      .from_o(from),
      .leader_o(leader),
      .slot_o(slot),
      .timer_o
  );

  // ---- Messages that are sent ----

  logic sender_valid, sender_last, sender_first, sender_busy;
  line_t sender_data;
  logic [6:0] sender_bytes;
  length_t sender_length;
  vr_log_sender #(
      .LineBits(LineBits),
      .FragmentLines(FragmentLines)
  ) u_sender (
      .clk_i,
      .rst_i,
      .number_i((st_q == StReply) & recovers_q),
      .nonce_i(nonce_q),
      .start_i(actions.sends_log),
      .is_vote_i(header.is_change),
      .words_i({
        64'(now.own),
        64'(now.committed),
        64'(now.last),
        header.is_change ? 64'(now.log_view) : 64'(now.committed),
        64'(now.view)
      }),
      .first_i(send_first),
      .lines_i(send_lines),
      .read_addr_o(log_read_addr),
      .read_line_i(log_read_line),
      .data_o(sender_data),
      .bytes_o(sender_bytes),
      .last_o(sender_last),
      .first_o(sender_first),
      .length_o(sender_length),
      .valid_o(sender_valid),
      .ready_i(out_free),
      .busy_o(sender_busy)
  );

  wire number_t sent_op = st_q == StAcknowledge || st_q == StFetch ? now.last :
      sent.kind == TypePrepareOk ? number_t'(word[1]) : now.committed;
  vr_reply #(
      .beat_t (beat_t),
      .UdpPort(UdpPort)
  ) u_reply (
      .clk_i,
      .rst_i,
      .set_address_i(set_address),
      .set_slot_i(set_slot),
      .address_i(set_to),
      .emit_i(sent.valid),
      .type_i(sent.kind),
      .to_source_i(sent.to_source),
      .to_slot_i(sent.to_slot),
      .source_i(meta_q),
      .word_i(word),
      .now_i(now),
      .nonce_i(nonce_q),
      .number_i(sent_op),
      .asked_view_i(st_q == StFetch ? now.view : now.log_view),
      .valid_i(~header.earlier),
      .refused_i(refused_q),
      .log_data_i(sender_data),
      .log_bytes_i(sender_bytes),
      .log_last_i(sender_last),
      .log_length_i(sender_length),
      .log_valid_i(sender_valid),
      .free_o(out_free),
      .out_o,
      .out_valid_o,
      .out_ready_i
  );
  assign out_next_o = NextUdpTx;

  // ---- Control ----

  logic sent_log_q;  // the log is being sent, or was
  always_comb begin
    facts = replica_facts | request_facts | transfer_facts;
    facts.has_second = has_second;
    facts.has_line = window_has;
    facts.no_room = no_room;
    facts.set_up_pending = set_up_pending;
    facts.by_message = by_message;
    facts.recovers = recovers_q;
    facts.sent_log = sent_log_q;
    facts.sender_busy = sender_busy;
  end
  vr_control #(
      .BufferLines(BufferLines)
  ) u_control (
      .clk_i,
      .rst_i,
      .valid_i(whole_valid),
      .accepts_i(accepts),
      .state_i(now.state),
      .own_i(now.own),
      .replicas_i(now.replicas),
      .leader_of_view_i(now.leader),
      .leader_i(leader),
      .header_i(header),
      .sender_i(word_replica),
      .facts_i(facts),
      .kept_i(kept),
      .part_i(part),
      .slot_i(slot),
      .free_i(out_free),
      .st_o(st_q),
      .st_next_o(st_d),
      .after_o(after_q),
      .finish_o(finish),
      .drops_o(drops),
      .events_o(events),
      .actions_o(actions),
      .count_o(count),
      .is_request_o(tag.is_request),
      .is_entry_o(tag.is_entry),
      .writes_o(tag.write),
      .sent_o(sent)
  );

  wire handles = finish & message_q & ~|drops;
  always_ff @(posedge clk_i) begin
    drop_o <= {fragment_drop, drops};
    event_o <= {fragment_store, out_valid_o & out_ready_i & out_o.last, handles, events};
    message_q <= begins | (message_q & ~finish);
    if (st_q == StDecide) sent_log_q <= 1'b0;
    else if (st_q == StSend) sent_log_q <= 1'b1;
    if (rst_i) begin
      message_q <= 1'b0;
      drop_o <= '0;
      event_o <= '0;
    end
  end

  assign busy_o = (st_q != StIdle) | set_up_pending | join_busy | out_valid_o | log_busy;

  always_comb begin
    status_o = '0;
    status_o.status.state = now.state;
    status_o.status.index = now.own;
    status_o.status.replicas = now.replicas;
    status_o.status.leader = now.leader;
    status_o.view.value = now.view;
    status_o.last.value = now.last;
    status_o.committed.value = now.committed;
    status_o.cleaned.value = now.cleaned;
    status_o.occupied.lines = 32'(occupied);
  end

  // ---- Invariants ----

  wire active = (now.state == StateNormal) | (now.state == StateViewChange);
  wire is_normal = now.state == StateNormal;
  wire votes = sent.valid &
      (sent.kind inside {TypePrepareOk, TypeStartViewChange, TypeValidateReadReply});
  wire acknowledges = sent.valid & (sent.kind == TypePrepareOk);
  wire is_appended = (st_q == StOp) & ~no_room & (op == number_t'(word[1]) + 1'b1);
  wire is_held = word[1] <= 64'(now.last);
  `BOMBUS_ASSERT(VotesAfterRecovery, !votes || active)
  `BOMBUS_ASSERT(AcknowledgesItsLog,
                 !acknowledges || is_normal && (st_q == StAcknowledge || is_appended || is_held))

endmodule
