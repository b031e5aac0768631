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
// The file has more than 450 lines: the states of a message share most of their registers.
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
  localparam int unsigned OpBits = $clog2(LogOps);
  localparam int unsigned BufferBits = $clog2(BufferLines);
  localparam int unsigned UsedBits = LineBits + 10;
  typedef logic [LineBits:0] pointer_t;  // of a line, with a bit that distinguishes full from empty
  typedef logic [OpBits-1:0] index_t;  // of an operation in the index

  // ---- State of the replica ----

  replica_state_t now;
  facts_t replica_facts;
  pointer_t head_q, tail_q;
  logic [OpBits:0] held_q;  // operations in the log

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

  // ---- Log and index ----

  logic log_write_q;
  logic [LineBits-1:0] log_write_addr_q;
  line_t log_line_q, log_line;
  logic [LineBits-1:0] log_read_addr;
  line_t log_read_line;
  sized_memory #(
      .data_t(line_t),
      .Depth (LogLines)
  ) u_log (
      .clk_i,
      .write_addr_i(log_write_addr_q),
      .data_i(log_line_q),
      .write_i(log_write_q),
      .read_addr_i(log_read_addr),
      .data_o(log_read_line)
  );
  // The first line of each operation, and of the one after the last.
  logic index_write_q;
  index_t index_op_q, index_read_op;
  pointer_t index_value_q, index_value;
  sized_memory #(
      .data_t(pointer_t),
      .Depth (LogOps)
  ) u_index (
      .clk_i,
      .write_addr_i(index_op_q),
      .data_i(index_value_q),
      .write_i(index_write_q),
      .read_addr_i(index_read_op),
      .data_o(index_value)
  );

  // ---- Requests of a Prepare ----

  logic jumps_q, jumps_far_q;  // entries begin after the present log
  logic lacks_q;  // of another view, and without operations that are reported as committed
  number_t keep_q;  // operations up to this one are kept
  typedef struct packed {
    logic [63:0] client;
    logic [63:0] number;
    logic [63:0] bytes;   // of the operation
  } request_t;
  request_t request, request_q;
  wire request_t first_request =
  '{
      client: word[5],
      number: swap64({second[39:0], line_q[511:488]}),
      bytes: swap64(second[103:40])
  }
  ;
  wire request_t found_request =
  '{client: word_at(found, 0), number: word_at(found, 8), bytes: word_at(found, 16)}
  ;
  assign request = st_q == StDecide ? first_request : request_q;

  logic opened_q, kept_q, full_q, line_pending_q;
  length_t rest_q, left_q;  // bytes after this request, and of its operation
  count_t requests_q, skip_q, ops_q;  // left, to skip, opened
  number_t op_q, this_op_q;
  pointer_t write_q;  // next line
  logic [LineBits-1:0] line_addr_q, header_addr_q;
  logic [UsedBits-1:0] used_q;

  wire length_t rest = st_q == StDecide ? length_q - length_t'(77) : rest_q;
  wire count_t skip = st_q == StDecide ? header.skip : skip_q;
  wire count_t requests = st_q == StDecide ? word[4][8:0] : requests_q;
  wire keeps = skip == '0;
  wire fits_message = ~|request.bytes[63:14] & (request.bytes[13:0] <= rest);
  wire count_t request_lines = count_t'((15'(request.bytes[13:0]) + 15'd63) >> 6) + 1'b1;
  wire pointer_t used = write_q - head_q;
  // Operations before them: all, or of a new log those that are kept.
  wire [OpBits:0] remaining_ops = jumps_q ? '0 : (OpBits + 1)'(keep_q - now.cleaned);
  logic ops_full_q;
  wire no_room = full_q | (kept_q & ((used_q > UsedBits'(LogLines)) | ops_full_q));

  logic unfit_q;  // the operation is longer than the message
  logic [6:0] part_q;  // bytes of the operation in the next line
  wire last_part = left_q <= length_t'(64);
  wire last_request = requests_q == '0;
  wire sound = last_request ? rest_q == '0 : rest_q >= length_t'(24);

  // ---- Entries ----

  logic entries_bad;
  number_t entries_first, entries_last, before_q, reported_q, copied_op_q;
  count_t new_lines, new_ops, lines_q, copy_left_q;
  logic [BufferBits:0] copy_q;
  line_t copy_line;
  logic copies_q, any_q;
  vr_entries #(
      .BufferLines(BufferLines)
  ) u_entries (
      .clk_i,
      .begin_i(actions.begins_entries),
      .lines_i(header.lines),
      .view_i(word_view),
      .keep_i(keep_q),
      .line_i(found),
      .valid_i(found_valid & found_tag.is_entry),
      .bad_o(entries_bad),
      .first_o(entries_first),
      .last_o(entries_last),
      .new_lines_o(new_lines),
      .new_ops_o(new_ops),
      .read_addr_i(copy_q[BufferBits-1:0]),
      .read_line_o(copy_line)
  );
  wire is_same = facts.same_log;
  wire number_t reported = header.is_start ? number_t'(word[2]) : number_t'(word[1]);
  wire copy_first = copy_left_q == '0;
  wire number_t copy_op = number_t'(word_at(copy_line, 16));
  wire [13:0] copy_bytes = 14'(word_at(copy_line, 0));
  wire count_t copy_lines = count_t'((15'(copy_bytes) + 15'd63) >> 6);
  wire copy_new = copy_first ? copy_op > keep_q : copies_q;
  wire number_t installed = new_ops == '0 ? keep_q : entries_last;

  // ---- Set-up, and the leader of a view ----

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

  replica_t leader;  // of the view of the message
  logic leader_busy;
  vr_leader u_leader (
      .clk_i,
      .view_i(header.is_response ? number_t'(word[2]) : word_view),
      .replicas_i(now.replicas),
      .start_i(st_q != StModulo && st_d == StModulo),
      .step_i(st_q == StModulo),
      .leader_o(leader),
      .busy_o(leader_busy)
  );

  // ---- State of the replica ----

  logic answered, frees;
  number_t base, clean, from;
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
      .leader_i(leader),
      .recovers_i(begins_recovery),
      .index_i(set_index),
      .replicas_i(set_count),
      .nonce_i(nonce_q),
      .next_i(op_q),
      .before_i(before_q),
      .installed_i(installed),
      .reported_i(reported_q),
      .jumps_i(jumps_q),
      .now_o(now),
      .facts_o(replica_facts),
      .answered_o(answered),
      .base_o(base),
      .frees_o(frees),
      .clean_o(clean),
      .from_o(from),
      .slot_o(slot),
      .timer_o
  );

  // ---- Messages that are sent ----

  logic sender_valid, sender_last, sender_first, sender_busy;
  line_t sender_data;
  logic [6:0] sender_bytes;
  length_t sender_length;
  pointer_t send_lines_q;
  logic [LineBits-1:0] send_first_q;
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
      .first_i(send_first_q),
      .lines_i(send_lines_q),
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
      .report_i(
      '{
          state: now.state,
          own: now.own,
          view: now.view,
          last: now.last,
          committed: now.committed,
          cleaned: now.cleaned,
          nonce: nonce_q
      }
      ),
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

  always_comb begin
    facts = replica_facts;
    facts.has_second = has_second;
    facts.has_line = window_has;
    facts.has_request = found_valid & found_tag.is_request;
    facts.unfit = unfit_q;
    facts.last_part = last_part;
    facts.last_request = last_request;
    facts.sound = sound;
    facts.has_bytes = left_q != '0;
    facts.no_room = no_room;
    facts.lines_left = lines_q != '0;
    facts.bad_entries = entries_bad |
        (header.is_start & any_q & (entries_last != number_t'(word[1])));
    facts.jumps_far = jumps_far_q;
    facts.jumps = jumps_q;
    facts.lacks = lacks_q;
    facts.copied = copy_q == (BufferBits + 1)'(header.lines);
    facts.has_new = new_ops != '0;
    facts.set_up_pending = set_up_pending;
    facts.by_message = by_message;
    facts.recovers = recovers_q;
    facts.sent_log = any_q;
    facts.sender_busy = sender_busy;
    facts.leader_busy = leader_busy;
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
      .kept_i(kept_q),
      .part_i(part_q),
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
  assign tag.addr = line_addr_q;

  wire [15:0] freed = header.clean_is_later ? header.freed_all : header.freed;
  wire [OpBits:0] freed_ops = (OpBits + 1)'(freed);
  logic freed_q;
  always_comb begin
    index_read_op = index_t'(from) + 1'b1;
    if (st_q == StDecide || st_q == StOp || st_q == StAsk) index_read_op = index_t'(clean) + 1'b1;
    else if (st_q == StPlan || st_q == StSettle && after_q == StRoom)
      index_read_op = index_t'(keep_q) + 1'b1;
  end

  // Lines of the log: of requests, the operations of requests, copied entries.
  line_t request_line;
  assign request_line = {
    swap64(request_q.bytes),
    swap64(request_q.number),
    swap64(request_q.client),
    64'b0,
    swap64(64'd1),
    swap64(64'(this_op_q)),
    swap64(64'(now.view)),
    swap64(request_q.bytes + 64'd64)
  };
  wire writes_found = found_valid & found_tag.write;
  wire copies = (st_q == StCopyLine) & copy_new;
  always_comb begin
    for (int unsigned b = 0; b < LineBytes; b++) begin
      log_line[8*b+:8] = copy_line[8*b+:8];
      if (writes_found) log_line[8*b+:8] = keep[b] ? found[8*b+:8] : '0;
      else if (line_pending_q) log_line[8*b+:8] = request_line[8*b+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    drop_o[DropMalformed] <= drops.malformed;
    drop_o[DropIgnored] <= drops.ignored;
    drop_o[DropGap] <= drops.gap;
    drop_o[DropFull] <= drops.full;
    drop_o[DropLong] <= drops.long;
    drop_o[DropFragment] <= fragment_drop;
    event_o[EventAcknowledged] <= events.acknowledged;
    event_o[EventValid] <= events.valid;
    event_o[EventInvalid] <= events.invalid;
    event_o[EventViewChange] <= events.view_change;
    event_o[EventRecovered] <= events.recovered;
    event_o[EventStored] <= fragment_store;
    event_o[EventHandled] <= finish & message_q & ~|drops;
    event_o[EventSent] <= out_valid_o & out_ready_i & out_o.last;
    message_q <= begins | (message_q & ~finish);
    freed_q <= frees;

    // Requests.
    opened_q <= actions.walks & keeps;
    line_pending_q <= opened_q & ~no_room;
    if (actions.walks) begin
      request_q <= request;
      kept_q <= keeps;
      requests_q <= requests - 1'b1;
      rest_q <= rest - length_t'(request.bytes[13:0]);
      left_q <= length_t'(request.bytes[13:0]);
      unfit_q <= ~fits_message;
      part_q <= |request.bytes[13:6] ? 7'd64 : request.bytes[6:0];
      ops_full_q <= (OpBits + 10)'(held_q) + (OpBits + 10)'(ops_q) > (OpBits + 10)'(LogOps - 2);
      skip_q <= keeps ? '0 : skip - 1'b1;
      used_q <= UsedBits'(used) + UsedBits'(request_lines);
      if (keeps) begin
        header_addr_q <= write_q[LineBits-1:0];
        line_addr_q <= write_q[LineBits-1:0] + 1'b1;
        write_q <= write_q + pointer_t'(request_lines);
        ops_q <= ops_q + 1'b1;
        this_op_q <= op_q;
        op_q <= op_q + 1'b1;
      end
    end
    if (st_q == StCheck) begin
      write_q <= tail_q;
      ops_q <= '0;
      op_q <= now.next;
      full_q <= 1'b0;
      kept_q <= 1'b0;
    end
    if (st_q == StOp) begin
      full_q <= no_room;
      if (actions.extract) begin
        left_q <= left_q - length_t'(64);
        part_q <= left_q >= length_t'(128) ? 7'd64 : 7'(left_q - length_t'(64));
        line_addr_q <= line_addr_q + 1'b1;
      end
    end
    if (st_q == StRequest && window_has) rest_q <= rest_q - length_t'(24);
    if (found_valid & found_tag.is_request) request_q <= found_request;

    // Memories.
    log_write_q <= writes_found | line_pending_q | copies;
    log_line_q  <= log_line;
    if (writes_found) log_write_addr_q <= found_tag.addr;
    else if (line_pending_q) log_write_addr_q <= header_addr_q;
    else log_write_addr_q <= write_q[LineBits-1:0];
    index_write_q <= 1'b0;
    index_op_q <= index_t'(this_op_q) + 1'b1;
    index_value_q <= write_q;
    if (opened_q & ~no_room) index_write_q <= 1'b1;

    // Truncation.
    if (frees | actions.appends) begin
      held_q <= held_q + (actions.appends ? (OpBits + 1)'(ops_q) : '0) - (frees ? freed_ops : '0);
    end
    if (freed_q) head_q <= index_value;
    if (actions.appends) tail_q <= write_q;

    if (st_q == StDecide) begin
      keep_q <= is_same ? now.last : now.committed;
      reported_q <= reported;
      lines_q <= header.lines;
      any_q <= 1'b0;
    end
    if (begins_recovery || st_q == StRestart) begin
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
    end
    if (answered) begin
      index_write_q <= 1'b1;
      index_op_q <= index_t'(base) + 1'b1;
      index_value_q <= '0;
    end

    send_first_q <= index_value[LineBits-1:0];
    send_lines_q <= tail_q - index_value;
    if (st_q == StSend) any_q <= 1'b1;

    // Entries.
    if (st_q == StEntries) begin
      if (actions.extract) begin
        lines_q <= lines_q - 1'b1;
        any_q   <= 1'b1;
      end
      copy_q <= '0;
      copy_left_q <= '0;
    end
    if (st_q == StJudge) begin
      if (any_q) before_q <= entries_first - 1'b1;
      else before_q <= header.is_start ? number_t'(word[1]) : keep_q;
    end
    if (st_q == StSettle && after_q == StRoom) begin
      jumps_q <= before_q > keep_q;
      jumps_far_q <= before_q > keep_q && before_q > reported_q;
      lacks_q <= ~is_same & (reported_q > (new_ops == '0 ? copied_op_q : entries_last));
      // The kept part of the log, and the new entries.
      write_q <= jumps_q ? '0 : index_value;
      kept_q <= 1'b1;
      full_q <= 1'b0;
      used_q <= UsedBits'(jumps_q ? '0 : used) + UsedBits'(new_lines);
      ops_full_q <= (OpBits + 10)'(remaining_ops) + (OpBits + 10)'(new_ops) >
          (OpBits + 10)'(LogOps - 1);
      copied_op_q <= jumps_q ? before_q : keep_q;
    end
    if (st_q == StRoom && st_d == StCopy) begin
      if (jumps_q) begin
        keep_q <= before_q;
        head_q <= '0;
      end
      held_q <= remaining_ops + (OpBits + 1)'(new_ops);
      index_write_q <= 1'b1;
      index_op_q <= index_t'(copied_op_q) + 1'b1;
    end
    if (st_q == StCopy) begin
      copy_q <= copy_q + 1'b1;
      if (st_d == StInstalled) begin
        tail_q <= write_q;
        reported_q <= reported_q < installed ? reported_q : installed;
      end
    end
    if (st_q == StCopyLine) begin
      if (copy_first) copy_left_q <= copy_lines - 1'b1;
      else copy_left_q <= copy_left_q - 1'b1;
      copies_q <= copy_new;
      if (copy_new) begin
        write_q <= write_q + 1'b1;
        if (copy_first) begin
          index_write_q <= 1'b1;
          index_op_q <= index_t'(copy_op) + 1'b1;
          index_value_q <= write_q + pointer_t'(copy_lines);
        end
      end
    end
    if (rst_i) begin
      message_q <= 1'b0;
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
      opened_q <= 1'b0;
      line_pending_q <= 1'b0;
      freed_q <= 1'b0;
      drop_o <= '0;
      event_o <= '0;
    end
  end

  wire writes_log = log_write_q | line_pending_q;
  assign busy_o = (st_q != StIdle) | set_up_pending | join_busy | out_valid_o | writes_log;

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
    status_o.occupied.lines = 32'(pointer_t'(tail_q - head_q));
  end

  // ---- Invariants ----

  wire active = (now.state == StateNormal) | (now.state == StateViewChange);
  wire is_normal = now.state == StateNormal;
  wire group_off = (now.state == StateOff) | (now.state == StateRecovering);
  wire votes = sent.valid & (sent.kind inside {TypePrepareOk, TypeStartViewChange, TypeValidateReadReply});
  wire acknowledges = sent.valid & (sent.kind == TypePrepareOk);
  wire is_appended = (st_q == StOp) & ~no_room & (op_q == number_t'(word[1]) + 1'b1);
  wire is_held = word[1] <= 64'(now.last);
  wire idle = st_q == StIdle;
  `BOMBUS_ASSERT(VotesAfterRecovery, !votes || active)
  `BOMBUS_ASSERT(AcknowledgesItsLog,
                 !acknowledges || is_normal && (st_q == StAcknowledge || is_appended || is_held))
  `BOMBUS_ASSERT(ViewNeverFalls, group_off || $past(now.view) <= now.view)
  `BOMBUS_ASSERT(LogView, !active || now.log_view <= now.view)
  `BOMBUS_ASSERT(Order, !idle || (now.cleaned <= now.committed && now.committed <= now.last))
  `BOMBUS_ASSERT(NextFollows, !idle || now.next == now.last + 1'b1)
  `BOMBUS_ASSERT(HeldCounts, !idle || held_q == (OpBits + 1)'(now.last - now.cleaned))
  `BOMBUS_ASSERT(LogBounds, !idle || pointer_t'(tail_q - head_q) <= (LineBits + 1)'(LogLines))

endmodule
