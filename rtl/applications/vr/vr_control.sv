// SPDX-License-Identifier: Apache-2.0
// Control of vr_witness: the states of a message, and the actions in each
// (docs/applications/vr/witness.md). It keeps the state of the message only.
//
// finish_o: the state is the last one of its message; the rest of the message is discarded, or the
// next one begins. A settle waits until results and writes of earlier states are valid: this long
// after the last line of the message has been extracted.
`include "bombus_assert.svh"

module vr_control
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_header_pkg::*;
  import vr_state_pkg::*;
#(
    parameter int unsigned BufferLines = 256  // entries of a received message
) (
    input logic clk_i,
    input logic rst_i,

    input logic           valid_i,           // the next message is offered
    input logic           accepts_i,         // it is taken
    input logic           ends_i,            // the one that is handled ends
    input state_e         state_i,           // of the replica
    input replica_t       own_i,
    input replica_t       replicas_i,
    input replica_t       leader_of_view_i,  // of the witness
    input replica_t       leader_i,          // of the view of the message
    input header_t        header_i,
    input replica_t       sender_i,          // replicaIdx of a StartViewChange
    input facts_t         facts_i,
    input logic           kept_i,            // the operation is written
    input logic     [6:0] part_i,            // bytes of it in the next line
    input logic     [3:0] slot_i,            // replica whose turn it is
    input logic           free_i,            // a message can be sent

    output st_e            st_o,
    output st_e            st_next_o,     // unless the message ends
    output st_e            after_o,       // after a modulo or a settle
    output logic           finish_o,
    output drops_t         drops_o,
    output events_t        events_o,
    output actions_t       actions_o,
    output logic     [6:0] count_o,       // bytes to be consumed
    output logic           is_request_o,  // extracted are the fields of a request,
    output logic           is_entry_o,    // a line of entries, or
    output logic           writes_o,      // a line of the log
    output sent_t          sent_o
);

  localparam int unsigned SettleCycles = 8;
  logic [3:0] settle_q;
  logic sent_log_q;  // the log is being sent, or was
  st_e after_d, st_d;
  wire   begins = accepts_i & valid_i;
  wire   active = (state_i == StateNormal) | (state_i == StateViewChange);
  wire   is_normal = state_i == StateNormal;
  wire   group_off = (state_i == StateOff) | (state_i == StateRecovering);

  // The message that may be sent: by the state alone, so that it is known early in the cycle.
  sent_t sent;
  always_comb begin
    sent = '{valid: 1'b0, kind: TypePrepareOk, to_source: 1'b0, to_slot: leader_of_view_i};
    unique case (st_o)
      StDecide:
      if (header_i.is_read) begin
        sent.kind = TypeValidateReadReply;
        sent.to_source = 1'b1;
      end
      StAsk: begin
        sent.kind = TypeRequestStateTransfer;
        if (header_i.later) sent.to_slot = leader_i;
      end
      StReply: begin
        sent.kind = TypeSetUpReply;
        sent.to_source = 1'b1;
      end
      StRecover: begin
        sent.kind = TypeRecovery;
        sent.to_slot = slot_i[2:0];
      end
      StFetch: sent.kind = TypeRequestStateTransfer;
      StSpread: begin
        sent.kind = TypeStartViewChange;
        sent.to_slot = slot_i[2:0];
      end
      StChangeReply: begin
        sent.kind = TypeStartViewChange;
        sent.to_slot = sender_i;
      end
      StSend: begin  // by vr_log_sender
        sent.kind = header_i.is_change ? TypeDoViewChange : TypeStateTransfer;
        sent.to_source = header_i.is_request;
      end
      default: ;
    endcase
  end

  always_comb begin
    st_next_o = st_o;
    after_d = after_o;
    finish_o = 1'b0;
    drops_o = '0;
    actions_o = '0;
    events_o = '0;
    sent_o = sent;
    count_o = part_i;
    {is_request_o, is_entry_o, writes_o} = '0;
    unique case (st_o)
      StIdle:
      if (facts_i.set_up_pending) st_next_o = StSetUp;
      else if (facts_i.retry_due) st_next_o = state_i == StateFetching ? StFetch : StRecover;
      else if (valid_i) st_next_o = StCheck;
      StCheck: st_next_o = StDecide;
      StDrain: ;

      StDecide: begin
        // Harmless if the message is dropped.
        count_o = header_i.is_prepare ? 7'd77 : header_i.is_start ? 7'd45 : 7'd37;
        actions_o.consume = header_i.is_prepare ? facts_i.has_second :
            header_i.is_transfer | header_i.is_start;
        if (~header_i.framed | ~header_i.formed | (header_i.is_prepare & ~header_i.counted)) begin
          drops_o.malformed = 1'b1;
          finish_o = 1'b1;
        end else if (header_i.is_read) begin
          if (~is_normal | header_i.later) begin
            drops_o.ignored = 1'b1;
            finish_o = 1'b1;
          end else begin
            sent_o.valid = 1'b1;
            events_o.invalid = free_i & header_i.earlier;
            events_o.valid = free_i & ~header_i.earlier;
            finish_o = free_i;
          end
        end else if (header_i.is_prepare | header_i.is_commit) begin
          if (~active | header_i.earlier) begin
            drops_o.ignored = 1'b1;
            finish_o = 1'b1;
          end else if (header_i.later) begin
            st_next_o = StModulo;
            after_d   = StAsk;
          end else if (~is_normal) st_next_o = StAsk;
          else if (header_i.is_commit) begin
            actions_o.commits = header_i.op_is_later;
            if (header_i.op_held) finish_o = 1'b1;
            else st_next_o = StAsk;
          end else if (header_i.op_held) begin
            sent_o.valid = 1'b1;
            actions_o.cleans = free_i;
            events_o.acknowledged = free_i;
            finish_o = free_i;
          end else if (~header_i.start_follows) st_next_o = StAsk;
          else if (facts_i.has_second) begin
            actions_o.cleans = 1'b1;
            actions_o.walks = 1'b1;
            st_next_o = StOp;
          end
        end else if (header_i.is_request) begin
          if (~is_normal | header_i.later | ~header_i.op_held) begin
            drops_o.ignored = 1'b1;
            finish_o = 1'b1;
          end else begin
            st_next_o = StSettle;
            after_d   = StSendIndex;
          end
        end else if (header_i.is_transfer | header_i.is_start) begin
          if (group_off | header_i.earlier |
              (header_i.is_start & ~header_i.later & (state_i == StateFetching))) begin
            drops_o.ignored = 1'b1;
            finish_o = 1'b1;
          end else if (header_i.is_start & ~header_i.later & is_normal) st_next_o = StAcknowledge;
          else if (header_i.lines > count_t'(BufferLines)) begin
            drops_o.too_long = 1'b1;
            finish_o = 1'b1;
          end else begin
            actions_o.begins_entries = 1'b1;
            st_next_o = StEntries;
          end
        end else if (header_i.is_change) begin
          if (group_off | header_i.earlier | ~facts_i.from_group |
              (~header_i.later & (state_i != StateViewChange))) begin
            drops_o.ignored = 1'b1;
            finish_o = 1'b1;
          end else begin
            st_next_o = header_i.later ? StModulo : StChange;
            after_d   = StChange;
          end
        end else if (header_i.is_set_up) st_next_o = StSetUp;
        else if (header_i.is_response & facts_i.expected) begin
          st_next_o = StModulo;
          after_d   = StResponse;
        end else begin
          drops_o.ignored = 1'b1;
          finish_o = 1'b1;
        end
      end

      // A batch: each request, its operation.
      StOpen: begin
        actions_o.walks = 1'b1;
        st_next_o = StOp;
      end
      StOp:
      if (~facts_i.rechecks & ~facts_i.stalls) begin
        actions_o.consume = facts_i.has_line & ~(facts_i.last_part & facts_i.last_request);
        writes_o = kept_i & ~facts_i.no_room;
        if (facts_i.unfit | (facts_i.last_part & ~facts_i.sound)) begin
          drops_o.malformed = 1'b1;
          finish_o = 1'b1;
        end else if (facts_i.has_line) begin
          if (facts_i.last_part & facts_i.last_request) begin
            if (facts_i.no_room) begin
              drops_o.full = 1'b1;
              finish_o = 1'b1;
            end else begin
              sent_o.valid = 1'b1;
              events_o.acknowledged = free_i;
              actions_o.appends = free_i;
              actions_o.extract = free_i & (facts_i.has_bytes);
              finish_o = free_i;
            end
          end else begin
            actions_o.extract = facts_i.has_bytes;
            if (facts_i.last_part) st_next_o = StRequest;
          end
        end
      end
      StRequest: begin
        count_o = 7'd24;
        is_request_o = 1'b1;
        actions_o.consume = facts_i.has_line;
        actions_o.extract = facts_i.has_line;
        if (facts_i.has_line) st_next_o = StRequestWait;
      end
      StRequestWait: if (facts_i.has_request) st_next_o = StOpen;

      StModulo:
      if (~facts_i.leader_busy) begin
        if (leader_i[0]) begin
          drops_o.malformed = 1'b1;
          finish_o = 1'b1;
        end else if (state_i == StateFetching) st_next_o = StRestart;
        else st_next_o = after_o;
      end
      StAsk: begin
        sent_o.valid = facts_i.may_ask;
        drops_o.gap = free_i | ~facts_i.may_ask;
        actions_o.cleans = drops_o.gap & header_i.is_prepare;
        finish_o = free_i | ~facts_i.may_ask;
      end

      // Set-up and recovery.
      StSetUp: st_next_o = StReply;
      StReply: begin
        sent_o.valid = facts_i.by_message;
        if (free_i | ~facts_i.by_message) begin
          if (facts_i.recovers) st_next_o = StRecover;
          else finish_o = 1'b1;
        end
      end
      StRestart: st_next_o = StRecover;
      StRecover: begin
        sent_o.valid = slot_i < {1'b0, replicas_i};
        finish_o = slot_i >= {1'b0, replicas_i};
      end
      StResponse: st_next_o = StCount;
      StCount: st_next_o = StReached;
      StReached:
      if (facts_i.all_answered) begin
        events_o.recovered = facts_i.nothing_to_fetch;
        finish_o = facts_i.nothing_to_fetch;
        st_next_o = StFetch;
      end else finish_o = 1'b1;
      StFetch: begin
        sent_o.valid = 1'b1;
        finish_o = free_i;
      end

      // View change.
      StChange: begin
        events_o.view_change = header_i.later;
        st_next_o = header_i.later ? StSpread : StChangeReply;
      end
      StSpread: begin
        sent_o.valid = (slot_i < {1'b0, replicas_i}) & (slot_i[2:0] != own_i);
        if (slot_i >= {1'b0, replicas_i}) st_next_o = StQuorum;
      end
      StChangeReply: begin
        sent_o.valid = facts_i.repeated;
        if (~facts_i.repeated | free_i) st_next_o = StQuorum;
      end
      StQuorum:
      if (facts_i.has_quorum & (facts_i.repeated | ~facts_i.had_quorum)) begin
        st_next_o = StSettle;
        after_d   = StSendIndex;
      end else finish_o = 1'b1;

      // The log is read when all lines are written.
      StSettle: if (settle_q == '0) st_next_o = after_o;
      StSendIndex: st_next_o = StSendLines;
      StSendLines: st_next_o = StSend;
      StSend: begin
        actions_o.sends_log = ~sent_log_q;
        finish_o = sent_log_q & ~facts_i.sender_busy;
      end

      // Entries of a StateTransfer or a StartView.
      StEntries: begin
        count_o = 7'd64;
        is_entry_o = 1'b1;
        actions_o.consume = facts_i.has_line & (facts_i.lines_left);
        actions_o.extract = actions_o.consume;
        if (~facts_i.lines_left) begin
          st_next_o = StSettle;
          after_d   = StJudge;
        end
      end
      StJudge:
      if (facts_i.bad_entries) begin
        drops_o.malformed = 1'b1;
        finish_o = 1'b1;
      end else begin
        st_next_o = header_i.later ? StModulo : StPlan;
        after_d   = StPlan;
      end
      StPlan: begin
        st_next_o = StSettle;
        after_d   = StRoom;
      end
      StRoom:
      if (facts_i.jumps_far | facts_i.lacks) begin
        if (header_i.is_start) st_next_o = StAsk;
        else begin
          drops_o.gap = 1'b1;
          finish_o = 1'b1;
        end
      end else if (facts_i.no_room) begin
        drops_o.full = 1'b1;
        finish_o = 1'b1;
      end else st_next_o = StCopy;
      StCopy:
      if (facts_i.copied) st_next_o = StInstalled;
      else if (~facts_i.stalls) st_next_o = StCopyLine;
      StCopyLine: st_next_o = StCopy;
      StInstalled:
      if (state_i == StateFetching) begin
        if (facts_i.reaches) begin
          events_o.recovered = 1'b1;
          st_next_o = StAcknowledge;
        end else if (facts_i.has_new) st_next_o = StFetch;
        else finish_o = 1'b1;
      end else if (facts_i.same_log & (~facts_i.has_new) & ~facts_i.jumps) finish_o = 1'b1;
      else st_next_o = StAcknowledge;
      default: begin  // StAcknowledge
        sent_o.valid = 1'b1;
        events_o.acknowledged = free_i;
        finish_o = free_i;
      end
    endcase
  end
  // The state after a message: that of the next one, or the rest of this one is discarded.
  always_comb begin
    st_d = st_next_o;
    if (ends_i) st_d = begins ? StCheck : StIdle;
    else if (finish_o) st_d = StDrain;
  end


  always_ff @(posedge clk_i) begin
    st_o <= st_d;
    after_o <= after_d;
    sent_log_q <= st_o == StSend;
    settle_q <= st_o == StSettle && !facts_i.turns ? settle_q - 1'b1 : 4'(SettleCycles);
    if (rst_i) st_o <= StIdle;
  end

  wire votes = sent_o.valid &
      (sent_o.kind inside {TypePrepareOk, TypeStartViewChange, TypeValidateReadReply});
  `BOMBUS_ASSERT(VotesAfterRecovery, !votes || active)

endmodule
