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
// With External, the lines are in a memory with an AXI4 port of 512 bits, which the design file
// raises, and messages wait until the lines written before them are stored (vr_vote_queue). The
// index of operations stays in block RAM.
//
// Latency: 3 cycles from the only beat of a ValidateRead to the reply, 3 cycles from the last beat
// of a Prepare with one request of 140 bytes to its PrepareOK. Throughput: one ValidateRead in 2
// cycles; one such Prepare, of 4 beats, in 5. The fields of a further request take 12 cycles on
// average, at most 19 (vr_window), each line of its operation one. External adds one cycle, to
// votes the latency of a write, to lines of the log the time until their datagram is complete. Only
// for beats of 512 bits.
`include "axi_ports.svh"

module vr_witness
  import bombus_pkg::*;
  import axi_line_pkg::*;
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
    parameter bit External = 0,  // the log is in an external memory
    parameter int unsigned AddrWidth = 34,  // of this memory
    parameter logic [63:0] BaseAddress = '0,  // a multiple of the bytes of the log
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

    `BOMBUS_AXI_WRITE_INITIATOR(axi)
    `BOMBUS_AXI_READ_INITIATOR(axi)

    output logic [5:0] drop_o,
    output logic [8:0] event_o,
    output logic       busy_o,
    output logic       timer_o
);

  if (DataWidth != 512) begin : gen_bad_width
    $error("vr_witness: the data width must be 512");
  end
  if (BufferLines < 2 || BufferLines > 256 || BufferLines > LogLines || 2 ** $clog2(
          BufferLines
      ) != BufferLines) begin : gen_bad_buffer
    $error("vr_witness: BufferLines must be a power of two from 2 to 256, at most LogLines");
  end

  localparam string Entry = "vr_witness";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  localparam bit KeepsFlowState = 1'b1;
  localparam string MayStayOpen = External ? "" : "axi";
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
    EventMemoryError,  // of the external log: no message is sent any more
    NumEvents
  } event_e;

  localparam int unsigned LineBits = $clog2(LogLines);
  typedef logic [LineBits:0] pointer_t;  // of a line, with a bit that distinguishes full from empty

  // ---- State ----

  replica_state_t now;
  st_e st_q, st_d, after_q;
  logic finish;  // the state is the last one of its message
  facts_t facts;
  drops_t drops;
  events_t events;
  actions_t actions;
  sent_t sent;
  logic out_free;

  // ---- The message ----

  logic offered, accepts, ends, handled;
  line_t first, second, found;  // two beats, and the extracted bytes
  words_t word;
  length_t length;
  packet_meta_t meta;
  header_t header;
  facts_t beat_facts;
  logic [6:0] count;
  logic is_request, is_entry, writes, found_request, found_entry, found_write;
  logic [LineBits-1:0] line_addr, found_addr;
  logic [LineBytes-1:0] keep;
  logic [5:0] place;  // rotation of a line
  logic fragment_drop, fragment_store, join_busy;
  vr_reader #(
      .beat_t(beat_t),
      .JoinLines(JoinLines),
      .LineBits(LineBits)
  ) u_reader (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .st_i(st_q),
      .finish_i(finish),
      .holds_i(facts.set_up_pending | facts.retry_due),
      .actions_i(actions),
      .now_i(now),
      .valid_o(offered),
      .accepts_o(accepts),
      .ends_o(ends),
      .handled_o(handled),
      .first_o(first),
      .word_o(word),
      .length_o(length),
      .meta_o(meta),
      .header_o(header),
      .second_o(second),
      .facts_o(beat_facts),
      .count_i(count),
      .is_request_i(is_request),
      .is_entry_i(is_entry),
      .writes_i(writes),
      .addr_i(line_addr),
      .place_o(place),
      .found_o(found),
      .keep_o(keep),
      .found_request_o(found_request),
      .found_entry_o(found_entry),
      .found_write_o(found_write),
      .found_addr_o(found_addr),
      .drop_o(fragment_drop),
      .store_o(fragment_store),
      .busy_o(join_busy)
  );

  // ---- Set-up ----

  logic [63:0] nonce_q;
  facts_t set_up_facts;
  logic refused_q;
  logic set_address, begins_recovery;
  replica_t set_slot, set_index, set_count;
  address_t set_to;
  vr_set_up #(
      .regs_t(regs_t)
  ) u_set_up (
      .clk_i,
      .rst_i,
      .regs_i,
      .word_i(word),
      .message_i(accepts & offered),
      .idle_i(st_q == StIdle),
      .set_up_i(st_q == StSetUp),
      .renew_i(st_q == StRestart),
      .is_off_i(now.state == StateOff),
      .facts_o(set_up_facts),
      .set_address_o(set_address),
      .slot_o(set_slot),
      .address_o(set_to),
      .recover_o(begins_recovery),
      .index_o(set_index),
      .replicas_o(set_count),
      .nonce_o(nonce_q),
      .refused_o(refused_q)
  );

  // ---- Requests and entries ----

  facts_t replica_facts, request_facts, transfer_facts;
  logic keeps, kept;  // a request is written
  request_t request;
  count_t request_lines;
  number_t this_op;
  logic [6:0] part;
  vr_requests u_requests (
      .clk_i,
      .st_i(st_q),
      .walks_i(actions.walks),
      .extract_i(actions.extract),
      .has_line_i(beat_facts.has_line),
      .header_i(header),
      .word_i(word),
      .first_i(first),
      .second_i(second),
      .length_i(length),
      .last_i(now.last),
      .found_i(found),
      .found_valid_i(found_request),
      .facts_o(request_facts),
      .keeps_o(keeps),
      .lines_o(request_lines),
      .request_o(request),
      .this_op_o(this_op),
      .part_o(part)
  );

  number_t keep_op, before_op, installed, reported, copy_op;
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
      .valid_i(found_entry),
      .facts_o(transfer_facts),
      .keep_o(keep_op),
      .before_o(before_op),
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

  `BOMBUS_AXI_LINES(axi)
  assign axi_awlen_o = '0;
  assign axi_arlen_o = '0;

  logic answered, frees, no_room, rechecks, log_stalls, log_error, log_busy;
  logic log_read_next, log_read_valid;
  writes_t announced, stored;  // lines
  number_t base, clean, from;
  logic [LineBits-1:0] send_first, log_read_addr;
  pointer_t send_lines, occupied;
  line_t log_read_line;
  vr_log #(
      .LogLines(LogLines),
      .LogOps(LogOps),
      .External(External),
      .AddrWidth(AddrWidth),
      .BaseAddress(BaseAddress)
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
      .found_addr_i(found_addr),
      .found_write_i(found_write),
      .place_i(place),
      .keep_i(keep_op),
      .kept_op_i(keep_op),
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
      .rechecks_o(rechecks),
      .line_addr_o(line_addr),
      .first_o(send_first),
      .lines_o(send_lines),
      .read_addr_i(log_read_addr),
      .read_next_i(log_read_next),
      .read_line_o(log_read_line),
      .read_valid_o(log_read_valid),
      .occupied_o(occupied),
      .stalls_o(log_stalls),
      .announced_o(announced),
      .stored_o(stored),
      .error_o(log_error),
      .busy_o(log_busy),
      .axi_o(axi_request),
      .axi_i(axi_response)
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

  logic sender_busy, reply_valid, reply_ready, waiting;
  beat_t reply;
  vr_reply #(
      .LineBits(LineBits),
      .FragmentLines(FragmentLines),
      .beat_t(beat_t),
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
      .source_i(meta),
      .word_i(word),
      .now_i(now),
      .nonce_i(nonce_q),
      .st_i(st_q),
      .valid_i(~header.earlier),
      .refused_i(refused_q),
      .renew_i((st_q == StReply) & facts.recovers),
      .send_log_i(actions.sends_log),
      .is_vote_i(header.is_change),
      .first_i(send_first),
      .lines_i(send_lines),
      .read_addr_o(log_read_addr),
      .read_next_o(log_read_next),
      .read_line_i(log_read_line),
      .read_valid_i(log_read_valid),
      .log_busy_o(sender_busy),
      .free_o(out_free),
      .out_o(reply),
      .out_valid_o(reply_valid),
      .out_ready_i(reply_ready)
  );
  if (External) begin : gen_vote_queue
    localparam int unsigned LeastDepth = 2 ** $clog2(FragmentLines + 1);  // of a message
    vr_vote_queue #(
        .beat_t(beat_t),
        .Depth (LeastDepth > 32 ? LeastDepth : 32)
    ) u_votes (
        .clk_i,
        .rst_i,
        .announced_i(announced),
        .stored_i(stored),
        .error_i(log_error),
        .in_i(reply),
        .in_valid_i(reply_valid),
        .in_ready_o(reply_ready),
        .out_o,
        .out_valid_o,
        .out_ready_i,
        .holds_o(waiting)
    );
  end else begin : gen_no_vote_queue
    assign out_o = reply;
    assign out_valid_o = reply_valid;
    assign reply_ready = out_ready_i;
    assign waiting = 1'b0;
    wire unused = ^{announced, stored};
  end
  assign out_next_o = NextUdpTx;

  // ---- Control ----

  always_comb begin
    facts = beat_facts | set_up_facts | replica_facts | request_facts | transfer_facts;
    facts.no_room = no_room;
    facts.rechecks = rechecks;
    facts.stalls = log_stalls;
    facts.sender_busy = sender_busy;
  end
  vr_control #(
      .BufferLines(BufferLines)
  ) u_control (
      .clk_i,
      .rst_i,
      .valid_i(offered),
      .accepts_i(accepts),
      .ends_i(ends),
      .state_i(now.state),
      .own_i(now.own),
      .replicas_i(now.replicas),
      .leader_of_view_i(now.leader),
      .leader_i(leader),
      .header_i(header),
      .sender_i(word[1][2:0]),
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
      .is_request_o(is_request),
      .is_entry_o(is_entry),
      .writes_o(writes),
      .sent_o(sent)
  );

  always_ff @(posedge clk_i) begin
    drop_o <= {fragment_drop, drops};
    event_o <= {
      log_error,
      fragment_store,
      out_valid_o & out_ready_i & out_o.last,
      finish & handled & ~|drops,
      events
    };
    if (rst_i) begin
      drop_o  <= '0;
      event_o <= '0;
    end
  end

  assign busy_o = (st_q != StIdle) | facts.set_up_pending | facts.turns | join_busy | reply_valid |
      waiting | log_busy;

  always_comb begin
    status_o = '0;
    status_o.status.state = now.state;
    status_o.status.index = now.own;
    status_o.status.replicas = now.replicas;
    status_o.status.leader = now.leader;
    status_o.status.pending = facts.set_up_pending;
    status_o.view.value = now.view;
    status_o.last.value = now.last;
    status_o.committed.value = now.committed;
    status_o.cleaned.value = now.cleaned;
    status_o.occupied.lines = 32'(occupied);
  end

endmodule
