// SPDX-License-Identifier: Apache-2.0
// vr_witness, its control: after a reset, and after each begin of a recovery, it sends no vote
// before all replicas that may lead have answered with the present nonce and the log has the last
// operation that they named; it votes in no view below one that it voted in; a PrepareOK is of the
// view and of an operation that is in the log; the order cleanUpTo, committed, last holds, and the
// requests of Prepares and truncation keep the log within its lines. Proved for all time, by
// induction.
//
// Votes: PrepareOK, StartViewChange, DoViewChange, and a ValidateReadReply that is valid. Contents
// of the log, and received beats after the first one, are anything, as are the outputs of
// vr_window, vr_entries and vr_log_sender, and what the index holds. Assumed: the index points into
// the log; entries are installed with room, and with the numbers that vr_entries reports;
// vr_log_sender sends only when it is asked to.
`include "bombus_types.svh"

module vr_witness_formal
  import bombus_pkg::*;
  import vr_pkg::*;
  import vr_state_pkg::*;
#(
    localparam int unsigned LogLines = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,
    input logic [191:0] regs_i,
    input line_t data_i,
    input length_t length_i,
    input logic last_i,
    input logic in_valid_i,
    input logic out_ready_i
);

  `BOMBUS_BEAT_T(beat_t, 512)
  typedef logic [$clog2(LogLines):0] pointer_t;  // of a line
  typedef struct packed {
    struct packed {logic [63:0] value;} nonce;
    struct packed {
      logic [2:0]  slot;
      logic [15:0] port;
      logic [31:0] ip;
    } address;
    struct packed {
      logic [2:0] replicas;
      logic [2:0] index;
    } group;
    struct packed {
      logic set_address;
      logic recover;
    } command;
    struct packed {logic locked;} control;
  } regs_t;
  typedef struct packed {
    struct packed {logic [31:0] lines;} occupied;
    struct packed {logic [47:0] value;} cleaned;
    struct packed {logic [47:0] value;} committed;
    struct packed {logic [47:0] value;} last;
    struct packed {logic [47:0] value;} view;
    struct packed {
      logic       pending;
      logic [2:0] leader;
      logic [2:0] replicas;
      logic [2:0] index;
      logic [2:0] state;
    } status;
  } status_t;

  beat_t given, out;
  assign given = '{data: data_i, length: length_i, last: last_i, default: '0};
  status_t status;
  logic in_ready, out_valid, out_next, busy, timer;
  logic [5:0] drop;
  logic [8:0] count;
  vr_witness #(
      .beat_t(beat_t),
      .regs_t(regs_t),
      .status_t(status_t),
      .LogLines(LogLines),
      .LogOps(4),
      .BufferLines(2)
  ) u_witness (
      .clk_i,
      .rst_i,
      .time_us_i,
      .regs_i(regs_t'(regs_i)),
      .status_o(status),
      .in_i(given),
      .in_valid_i,
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_next_o(out_next),
      .axi_awaddr_o(),
      .axi_awlen_o(),
      .axi_awvalid_o(),
      .axi_awready_i(1'b0),
      .axi_wdata_o(),
      .axi_wstrb_o(),
      .axi_wlast_o(),
      .axi_wvalid_o(),
      .axi_wready_i(1'b0),
      .axi_bresp_i('0),
      .axi_bvalid_i(1'b0),
      .axi_bready_o(),
      .axi_araddr_o(),
      .axi_arlen_o(),
      .axi_arvalid_o(),
      .axi_arready_i(1'b0),
      .axi_rdata_i('0),
      .axi_rresp_i('0),
      .axi_rlast_i(1'b0),
      .axi_rvalid_i(1'b0),
      .axi_rready_o(),
      .drop_o(drop),
      .event_o(count),
      .busy_o(busy),
      .timer_o(timer)
  );

  // ---- What it sends ----

  wire [7:0] kind = u_witness.first[39:32];  // of the message that it handles
  words_t word, sent_word;
  assign word = u_witness.word;
  assign sent_word = words_of(u_witness.u_reply.out_data);
  wire sends = u_witness.sent.valid & u_witness.out_free;
  wire [7:0] sent_kind = u_witness.u_reply.out_data[39:32];
  wire sends_ok = sends & (sent_kind == TypePrepareOk);
  wire sends_change = sends & (sent_kind == TypeStartViewChange);
  wire sends_valid = sends & (sent_kind == TypeValidateReadReply) & u_witness.u_reply.out_data[104];
  wire sends_vote = u_witness.actions.sends_log & u_witness.header.is_change;
  wire votes = sends_ok | sends_change | sends_valid | sends_vote;
  number_t vote_view;
  always_comb begin
    vote_view = number_t'(sent_word[0]);
    if (sends_valid) vote_view = number_t'(word[0]);
    else if (sends_vote) vote_view = number_t'(u_witness.now.view);
  end

  // ---- Reference ----

  logic started_q = 1'b0;
  logic [MaxReplicas-1:0] answers_q;  // replicas that have answered
  number_t voted_q;  // the highest view of a vote
  logic complete_q;  // the log has reached what the answers named
  number_t written_q;  // requests of the message that were written after the log
  logic out_vote_q;
  number_t out_view_q;
  logic [7:0] out_kind_q;

  // States
  wire decides = u_witness.st_q == StDecide;
  wire opens = u_witness.st_q == StOpen;
  wire operates = u_witness.st_q == StOp;
  wire requests = u_witness.st_q == StRequest || u_witness.st_q == StRequestWait;
  wire divides = u_witness.st_q == StModulo;
  wire settles = u_witness.st_q == StSettle;
  wire asks = u_witness.st_q == StAsk;
  wire responds = u_witness.st_q == StResponse;
  wire counts = u_witness.st_q == StCount;
  wire reaches = u_witness.st_q == StReached;
  wire changes = u_witness.st_q == StChange;
  wire copies = u_witness.st_q == StCopy || u_witness.st_q == StCopyLine;
  wire restarts = u_witness.st_q == StRestart ||
      (u_witness.st_q == StSetUp && u_witness.begins_recovery);
  wire after_ask = divides && u_witness.after_q == StAsk;
  wire after_response = divides && u_witness.after_q == StResponse;
  wire after_change = divides && u_witness.after_q == StChange;
  wire after_plan = divides && u_witness.after_q == StPlan;
  wire sends_log = u_witness.st_q == StSendIndex ||
      u_witness.st_q == StSendLines || u_witness.st_q == StSend ||
      (settles && u_witness.after_q == StSendIndex);
  wire joins = u_witness.st_q == StSpread || u_witness.st_q == StQuorum ||
      u_witness.st_q == StChangeReply;
  wire installs = u_witness.st_q == StEntries || u_witness.st_q == StJudge ||
      u_witness.st_q == StPlan || u_witness.st_q == StRoom || copies ||
      u_witness.st_q == StInstalled || after_plan ||
      (settles && u_witness.after_q != StSendIndex);
  wire walks = opens | operates | requests;

  wire number_t view = u_witness.now.view;
  wire number_t last = u_witness.now.last;
  wire number_t next = last + 1'b1;
  wire number_t word_view = number_t'(word[0]);
  wire number_t op = number_t'(word[1]);
  wire is_normal = u_witness.now.state == StateNormal;
  wire is_changing = u_witness.now.state == StateViewChange;
  wire is_recovering = u_witness.now.state == StateRecovering;
  wire is_fetching = u_witness.now.state == StateFetching;
  wire active = is_normal | is_changing;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i | restarts) begin
      answers_q  <= '0;
      voted_q    <= '0;
      complete_q <= 1'b0;
    end else begin
      if (responds) answers_q[word[0][2:0]] <= 1'b1;
      if (votes & (vote_view > voted_q)) voted_q <= vote_view;
      if (is_fetching & (last >= u_witness.u_replica.target_q)) complete_q <= 1'b1;
      if (reaches & u_witness.finish & u_witness.events.recovered) complete_q <= 1'b1;
    end
    if (u_witness.st_q == StCheck) written_q <= '0;
    else if (u_witness.actions.walks & u_witness.keeps) written_q <= written_q + 1'b1;
    if (u_witness.out_free) begin
      out_vote_q <= sends_ok | sends_change;
      out_view_q <= vote_view;
      out_kind_q <= sent_kind;
    end
    if (rst_i) out_vote_q <= 1'b0;
  end

  // ---- Assumptions ----

  always_comb begin
    if (~started_q) assume (rst_i);
    // The index points into the log.
    if (u_witness.u_log.freed_q)
      assume (pointer_t'(u_witness.u_log.index_value - u_witness.u_log.head_q) <=
              pointer_t'(u_witness.u_log.tail_q - u_witness.u_log.head_q));
    // vr_log_sender sends while the control waits for it.
    if (u_witness.st_q != StSend) begin
      assume (~u_witness.u_reply.log_valid && ~u_witness.u_reply.log_joins);
      assume (~u_witness.u_reply.log_begins && &u_witness.u_reply.log_writes);
      assume (u_witness.u_reply.log_clears == '0);
    end
    // Entries
    if (copies && u_witness.st_d == StInstalled)
      assume (pointer_t'(u_witness.u_log.write_q - u_witness.u_log.head_q) <= LogLines);
    if (installs) begin
      assume (u_witness.u_transfer.first >= 1);
      assume (u_witness.u_transfer.first <= u_witness.u_transfer.last);
      if (u_witness.u_transfer.has_new_q) assume (u_witness.u_transfer.last >= u_witness.keep_op);
    end
  end

  // ---- Votes ----

  always_comb begin
    if (started_q & ~rst_i) begin
      if (votes) begin
        assert (complete_q);
        assert ($countones(answers_q) > 32'(u_witness.now.replicas >> 1));
        assert ((answers_q & 8'haa) == '0);
        assert (vote_view == view && vote_view >= voted_q);
      end
      if (sends_ok) begin
        assert (is_normal);
        assert (sent_word[1] <= 64'(last + (u_witness.actions.appends ? written_q : '0)));
      end
      if (u_witness.actions.appends) assert (op == last + written_q);
      if (sends_valid) assert (is_normal);
      // The vote at the port is the one that was decided on.
      if (out_valid & out_vote_q) begin
        assert (out.data[39:32] == out_kind_q);
        assert (word_at(out.data, HeaderBytes) == 64'(out_view_q));
      end
    end
  end

  // ---- Invariants ----

  wire [48:0] opened = 49'(word[4]) - 49'(u_witness.u_requests.requests_q);
  wire number_t skipped = next - number_t'(word[2]);
  always_comb begin
    if (started_q) begin
      assert (voted_q <= view);
      if (~active)
        assert (voted_q == '0);
        else assert (complete_q);
      if (active | is_fetching) begin
        assert ($countones(answers_q) > 32'(u_witness.now.replicas >> 1));
      end
      if (is_recovering) assert (answers_q == u_witness.u_replica.votes_q);
      assert ((answers_q & 8'haa) == '0);
      assert (u_witness.now.state <= StateViewChange && u_witness.st_q <= StAcknowledge);

      // The first beat, compared with the state.
      if (decides) begin
        assert (u_witness.header.later == (word_view > view));
        assert (u_witness.header.earlier == (word_view < view));
        assert (u_witness.header.op_held == (op <= last));
        assert (u_witness.header.start_follows == (49'(word[2][47:0]) <= 49'(last) + 49'd1));
        assert (u_witness.header.skip == count_t'(skipped));
        assert (u_witness.u_requests.op_q == next && written_q == '0);
      end
      if (decides | walks | asks | divides | installs | changes | responds | counts | reaches) begin
        if (u_witness.header.is_prepare & u_witness.header.formed) begin
          assert (word[0] >> 48 == '0 && word[1] >> 48 == '0 && word[2] >> 48 == '0);
          assert (word[4] >> 10 == '0 && word[2] != '0 && word[4] != '0);
          if (u_witness.header.counted) assert (word[1] + 64'd1 == word[2] + word[4]);
        end
        assert (u_witness.header.is_response == (kind == TypeRecoveryResponse));
        assert (u_witness.header.is_start == (kind == TypeStartView));
        assert (u_witness.header.is_prepare == (kind == TypePrepare));
        assert (u_witness.header.is_commit == (kind == TypeCommit));
        assert (u_witness.header.is_change == (kind == TypeStartViewChange));
        assert (u_witness.header.is_request == (kind == TypeRequestStateTransfer));
      end
      if (decides & u_witness.u_replica.expected_q) begin
        assert (is_recovering && word[1] == u_witness.nonce_q && ~word[0][0]);
      end
      if (divides) assert (after_ask | after_response | after_change | after_plan);
      if (settles) begin
        assert (u_witness.after_q == StSendIndex || u_witness.after_q == StJudge
                || u_witness.after_q == StRoom);
      end

      // Requests of a Prepare
      if (decides | walks) assert (u_witness.u_requests.is_first_q == decides);
      if (walks) begin
        assert (is_normal && word_view == view && op > last);
        assert (u_witness.header.is_prepare & u_witness.header.formed & u_witness.header.counted);
        assert (~u_witness.header.later);
        assert (number_t'(word[2]) <= next && word[4] < 64'd1024);
        assert (64'(u_witness.u_requests.requests_q) < word[4]);
        assert (u_witness.u_requests.last_request_q == (u_witness.u_requests.requests_q == '0));
        assert (u_witness.u_requests.op_q == next + written_q);
        if (u_witness.u_requests.skip_q == '0)
          assert (opened == 49'(written_q) + 49'(skipped));
          else
            assert (written_q == '0 && opened + 49'(u_witness.u_requests.skip_q) == 49'(skipped));
      end
      if (opens | requests) assert (u_witness.u_requests.requests_q != '0);

      // Recovery
      if (after_response | responds) begin
        assert (is_recovering && ~word[0][0] && word[1] == u_witness.nonce_q);
        assert (kind == TypeRecoveryResponse);
      end
      if (counts | reaches) assert (is_recovering);
      if (reaches & u_witness.u_replica.all_answered_q) begin
        assert ($countones(answers_q) > 32'(u_witness.now.replicas >> 1));
      end
      if (u_witness.st_q == StFetch) assert (is_fetching);

      // Entries
      if (installs) begin
        assert (active | is_fetching);
        assert (word_view >= view && u_witness.header.later == (word_view > view));
        if (is_fetching) begin
          if (copies || settles && u_witness.after_q == StRoom ||
              u_witness.st_q == StPlan || u_witness.st_q == StRoom ||
              u_witness.st_q == StInstalled)
            assert (~u_witness.header.later);
        end
      end
      if (u_witness.st_q == StAcknowledge) assert (is_normal);
      if (u_witness.st_q == StInstalled) begin
        assert (u_witness.u_replica.reaches_q == (last >= u_witness.u_replica.target_q));
      end
      if ((settles && u_witness.after_q == StRoom || u_witness.st_q == StRoom) &&
          u_witness.u_transfer.jumps_q) begin
        assert (u_witness.before_op >= u_witness.keep_op);
      end

      // View change
      if (after_change | changes) begin
        assert (active | is_fetching);
        assert (word_view >= view && u_witness.header.later == (word_view > view));
        assert (u_witness.header.later | is_changing);
        assert (u_witness.header.is_change);
      end
      if (changes) assert (~is_fetching);
      if (joins) assert (is_changing && u_witness.header.is_change);
      if (sends_log) begin
        assert (u_witness.header.is_change ? is_changing : is_normal);
      end

      // The order of operations
      assert (u_witness.now.cleaned <= u_witness.now.committed);
      if (~copies) assert (u_witness.now.committed <= last);
      if (installs) assert (u_witness.now.committed <= u_witness.keep_op);
      if (u_witness.st_q == StInstalled) assert (u_witness.reported <= last);
      if (decides) assert (u_witness.header.op_is_later == (op > u_witness.now.committed));
      if ((decides | walks | asks | after_ask) & u_witness.header.is_prepare) begin
        assert (u_witness.header.clean_is_later == (number_t'(word[3]) > u_witness.now.committed));
      end

      // The log: its lines, and those of the requests that are written after it
      if (~copies) begin
        assert (pointer_t'(u_witness.u_log.tail_q - u_witness.u_log.head_q) <= LogLines);
      end
      if (walks && u_witness.kept) begin
        assert (pointer_t'(u_witness.u_log.room_q) == pointer_t'
            (LogLines + u_witness.u_log.head_q - u_witness.u_log.write_q));
        if (opens | requests) assert (u_witness.u_log.full_q == u_witness.no_room);
        if (~u_witness.no_room | (u_witness.u_log.opened_q & u_witness.u_log.freed_q)) begin
          assert ($signed(u_witness.u_log.room_q) <=
                  $signed(32'(LogLines) -
                          32'(pointer_t'(u_witness.u_log.tail_q - u_witness.u_log.head_q))));
        end
      end
      if (walks || decides) begin
        assert (u_witness.kept == (written_q != '0));
        if (~u_witness.kept) assert (u_witness.u_log.write_q == u_witness.u_log.tail_q);
      end
      if (u_witness.u_log.freed_q) begin
        assert (~decides && ~opens && ~requests && ~installs);
        if (operates) assert (u_witness.u_log.opened_q == u_witness.kept);
      end
    end
  end

  // ---- What can happen ----

  always_comb begin
    if (started_q & ~rst_i) begin
      cover (u_witness.st_q == StReply && !u_witness.refused_q);
      cover (out_valid && out.data[39:32] == TypeSetUpReply);
    end
  end

endmodule
