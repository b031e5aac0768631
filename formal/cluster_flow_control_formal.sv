// SPDX-License-Identifier: Apache-2.0
// cluster_flow_control: with any input, the packets granted, those in the buffer and the free
// places sum to the buffer's size, so that no beat arrives for which there is no room; and a packet
// is sent only from a budget that the destination has granted, which is never below zero. Proved
// for all time, by induction, for packets of one beat. The queue of owed answers is any queue that
// gives a board to which something is owed.
module cluster_flow_control_formal
  import cluster_pkg::*;
  import cluster_endpoint_pkg::*;
#(
    parameter int unsigned NumBoards   = 2,
    parameter int unsigned BufferSize  = 3,
    parameter int unsigned FlowStride  = 3,
    parameter int unsigned FlowOffset  = 1,
    parameter int unsigned InitBudget  = 1,
    parameter int unsigned GrantPeriod = 0
) (
    input logic clk_i,
    input logic rst_i,
    input header_t header_i,
    input logic [63:0] data_i,
    input logic last_i,
    input logic valid_i,
    input logic freed_i,
    input header_t send_header_i,
    input logic send_last_i,
    input logic send_valid_i,
    input logic out_ready_i
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [63:0] data;
  } beat_t;
  localparam int unsigned Total = BufferSize + InitBudget * NumBoards;
  localparam int unsigned Threshold = FlowOffset > InitBudget - 1 ? FlowOffset : InitBudget - 1;
  localparam int unsigned MaxGranted = Threshold + FlowStride;
  typedef logic [$clog2(MaxGranted+1)-1:0] count_t;
  typedef logic [$clog2(Total+1)-1:0] total_t;

  beat_t data, out;
  logic in_ready, data_valid, send_ready, out_valid, holds;
  logic [ NumDrops-1:0] drop;
  logic [NumEvents-1:0] events;
  cluster_flow_control #(
      .beat_t(beat_t),
      .BufferSize(BufferSize),
      .FlowOffset(FlowOffset),
      .FlowStride(FlowStride),
      .InitBudget(InitBudget),
      .NumBoards(NumBoards),
      .MaxWords(1),
      .GrantPeriod(GrantPeriod),
      .ScanCycles(2)
  ) u_flow (
      .clk_i,
      .rst_i,
      .in_i('{header: header_i, last: last_i, data: data_i}),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .data_o(data),
      .data_valid_o(data_valid),
      .freed_i,
      .send_i('{header: send_header_i, last: send_last_i, data: '0}),
      .send_valid_i,
      .send_ready_o(send_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .drop_o(drop),
      .event_o(events),
      .holds_o(holds)
  );

  logic started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started),
      .watched_o(unused_watched)
  );

  // ---- Assumptions: packets of one beat; the buffer and the queue give what they have ----

  logic [7:0] held_q;  // packets in the buffer
  logic [NumBoards-1:0] is_queued;
  always_ff @(posedge clk_i) begin
    if (rst_i) held_q <= '0;
    else held_q <= held_q + 8'(data_valid) - 8'(freed_i);
  end
  always_comb begin
    for (int unsigned b = 0; b < NumBoards; b++) begin
      is_queued[b] = u_flow.arrived[b].asks != u_flow.answers[b];
    end
    assume (last_i & send_last_i);
    if (freed_i) assume (held_q != '0);
    assume (u_flow.ack_valid == (u_flow.ready_q & |is_queued));
    if (u_flow.ack_valid) assume (is_queued[u_flow.ack.board]);
  end

  // ---- The sum ----

  logic [NumBoards-1:0][7:0] granted, budget;
  logic [7:0] granted_sum;
  always_comb begin
    granted_sum = '0;
    for (int unsigned b = 0; b < NumBoards; b++) begin
      granted[b] = 8'(count_t'(u_flow.left[b].given - u_flow.arrived[b].used));
      budget[b]  = 8'(count_t'(u_flow.arrived[b].credit - u_flow.left[b].sent));
      granted_sum += granted[b];
    end
  end
  // What is on its way to free_q.
  wire [7:0] free = 8'(u_flow.free_q) + 8'(u_flow.returned_q) + 8'(u_flow.freed_q) -
      8'(u_flow.reserved_q);

  always_comb begin
    if (started & u_flow.ready_q) begin
      assert (granted_sum + held_q + free == 8'(Total));
      assert (granted_sum <= Total && held_q <= Total && free <= Total);
      for (int unsigned b = 0; b < NumBoards; b++) begin
        // Budgets stay in range: a subtraction below zero would leave it.
        assert (budget[b] <= MaxGranted);
        assert (granted[b] <= MaxGranted);
      end
      // The queue, of at least NumBoards entries, has room: a board has at most one.
      if (u_flow.begins & u_flow.is_legal & u_flow.pushes) assert (~is_queued[u_flow.source]);
    end
  end

  // ---- For the induction: what an answer that is owed or on its way will reserve ----

  wire is_next = u_flow.answer_valid_q;
  wire [1:0] owes = u_flow.answer_q.owes;
  localparam logic [1:0] OweGrant = 2'd0, OweClosed = 2'd1, OweOpened = 2'd2;
  always_comb begin
    if (started) begin
      assert (u_flow.in_first & ~u_flow.inside_q);
      if (u_flow.head_valid) assert (u_flow.head.last);
    end
    if (started & ~u_flow.ready_q) begin
      // The tables are being cleared.
      assert (32'(u_flow.clear_q) < NumBoards);
      for (int unsigned b = 0; b < NumBoards; b++) begin
        if (b < 32'(u_flow.clear_q)) begin
          assert (u_flow.arrived[b] == '0 && u_flow.left[b] == '0 && ~u_flow.answers[b]);
        end
      end
      assert (held_q == '0 && u_flow.free_q == Total && free == Total);
      assert (u_flow.reserved_q == '0 && u_flow.returned_q == '0 && ~u_flow.freed_q);
      assert (~is_next & ~u_flow.is_scanned_q & 32'(u_flow.scan_q) < NumBoards);
      assert (~u_flow.affordable_q);
    end
    if (started & u_flow.ready_q) begin
      for (int unsigned b = 0; b < NumBoards; b++) begin
        automatic logic [1:0] owed = u_flow.arrived[b].owes;
        assert (owed <= OweOpened);
        if (is_queued[b]) begin
          assert (~(is_next & u_flow.answer_q.ack.board == b));
          assert (granted[b] <= (owed == OweOpened ? 0 : Threshold));
        end
        if (is_next & u_flow.answer_q.ack.board == b) begin
          assert (granted[b] <= (owes == OweOpened ? 0 : Threshold));
        end
        // The scan returns what it has found, or more has come since.
        if (u_flow.is_scanned_q & u_flow.scan_returns_q & u_flow.scan_q == b) begin
          assert (budget[b] >= 8'(u_flow.surplus_q) && ~u_flow.scan_opens_q);
          assert (u_flow.arrived[b].is_open && u_flow.arrived[b].opened == u_flow.left[b].nonce);
        end
      end
      assert (32'(u_flow.answer_q.ack.board) < NumBoards || ~is_next);
      assert (32'(u_flow.scan_q) < NumBoards);
      assert (u_flow.is_scanned_q == 0 || u_flow.scan_due_q);
      assert (u_flow.reserved_q <= u_flow.free_q);
      if (u_flow.reserved_q != '0) assert (~is_next & ~u_flow.affordable_q);
      if (u_flow.affordable_q) begin
        assert (is_next);
        assert (u_flow.affordable);
      end
    end
  end

  always_comb begin
    if (started) begin
      cover (held_q == 8'd1);
      cover (out_valid & ~out.header.credit);
      cover (drop[DropNoBudget]);
    end
  end

endmodule
