// SPDX-License-Identifier: Apache-2.0
// End-to-end flow control of a managed endpoint: a packet is sent only when the receiver has
// reserved room for it.
//
// Source: "A Transport-Layer Network for Distributed FPGA Platforms", section III-B. For each board
// the receiver counts how many packets it may still send (granted), the sender the same (budget,
// granted less the packets in transit). When granted falls to FlowOffset, a request enters the ack
// queue; a grant of FlowStride packets is sent when so much of the buffer is free. After a packet
// with the yield bit, and in every GrantPeriod-th grant, it is InitBudget instead.
//
// What the paper lacks:
// - Sessions. A sender opens one with each board: the receiver sets granted to InitBudget. It sends
//   no data before that. A packet for which nothing is reserved is dropped and answered by
//   "closed"; the sender opens the session again. The two thus find together after either board's
//   reset.
//   Each open has a new nonce, which its answer repeats, so that answers to earlier ones are void.
// - A sender that has been idle for a round of the scan returns what exceeds InitBudget.
// - A sender opens its session again when it has been idle, and when a packet has waited for 8,192
//   cycles: what the network has lost (a board in the path was reset) is thus made up for.
//
// Reservation: granted of all boards, packets in the buffer and free sum to BufferSize + InitBudget
// x NumBoards at any time, whatever arrives.
//
// in_i is always taken, except for NumBoards cycles after reset. Latency: data_o 0 cycles, out_o 2
// cycles. Throughput: one beat per cycle each way.
`include "bombus_assert.svh"
module cluster_flow_control
  import cluster_pkg::*;
  import cluster_endpoint_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned BufferSize = 64,  // packets
    parameter int unsigned FlowOffset = 16,
    parameter int unsigned FlowStride = 32,
    parameter int unsigned InitBudget = 2,
    parameter int unsigned NumBoards = 20,
    parameter int unsigned MaxWords = 2,
    parameter int unsigned GrantPeriod = 0,  // 0: all grants are FlowStride
    parameter int unsigned ScanCycles = 256  // per board; a power of two
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output beat_t data_o,        // to the buffer, which has room
    output logic  data_valid_o,
    input  logic  freed_i,       // a packet leaves the buffer

    input  beat_t send_i,        // without bubbles inside a packet
    input  logic  send_valid_i,
    output logic  send_ready_o,
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic [ NumDrops-1:0] drop_o,
    output logic [NumEvents-1:0] event_o,
    output logic                 holds_o
);

  localparam int unsigned Total = BufferSize + InitBudget * NumBoards;
  localparam int unsigned Threshold = FlowOffset > InitBudget - 1 ? FlowOffset : InitBudget - 1;
  localparam int unsigned MaxGranted = Threshold + FlowStride;
  localparam int unsigned BoardWidth = $clog2(NumBoards);
  localparam int unsigned ScanWidth = $clog2(ScanCycles);
  localparam int unsigned RetryBits = 13;

  if (NumBoards < 2 || NumBoards > 2 ** BoardBits) begin : gen_bad_boards
    $error("cluster_flow_control: NumBoards must be 2 to %0d", 2 ** BoardBits);
  end
  if (InitBudget < 1 || FlowStride < InitBudget || BufferSize < FlowStride) begin : gen_bad_budget
    $error("cluster_flow_control: 1 <= InitBudget <= FlowStride <= BufferSize");
  end
  if (MaxGranted >= 2 ** 16) begin : gen_bad_stride
    $error("cluster_flow_control: FlowOffset + FlowStride must be below 65536");
  end
  if (ScanCycles < 2 || ScanCycles != 2 ** ScanWidth) begin : gen_bad_scan
    $error("cluster_flow_control: ScanCycles must be a power of two");
  end

  typedef logic [$clog2(MaxGranted+1)-1:0] count_t;
  typedef logic [$clog2(Total+1)-1:0] total_t;
  typedef logic [BoardWidth-1:0] index_t;
  // What the receiver owes a board; a later one replaces an earlier one.
  typedef enum logic [1:0] {
    OweGrant,
    OweClosed,
    OweOpened
  } owe_e;

  // Per board, written at receiving. used: packets received and budget returned by the board.
  // credit: packets that it has granted. Both count modulo their width.
  typedef struct packed {
    count_t     used;
    count_t     credit;
    logic       is_open;      // the last open that was answered: `opened`
    logic [7:0] opened;
    logic       is_yielding;
    logic       asks;         // differs from answers: an entry is in the ack queue
    owe_e       owes;
    logic [7:0] nonce;
  } arrived_t;

  // Per board, written at sending. given: packets granted to the board. sent: packets sent and
  // budget returned to it. Budget is credit - sent, granted is given - used.
  typedef struct packed {
    count_t given;
    count_t sent;
    logic is_active;  // a packet was sent since the last scan
    logic [7:0] nonce;  // of the last open
  } left_t;

  typedef struct packed {
    index_t board;
    logic   yields;
  } ack_t;
  typedef struct packed {
    ack_t ack;
    owe_e owes;
    logic [7:0] nonce;
  } answer_t;

  // ---- Tables ----

  logic   ready_q;  // the tables are cleared
  index_t clear_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ready_q <= 1'b0;
      clear_q <= '0;
    end else if (~ready_q) begin
      ready_q <= 32'(clear_q) == NumBoards - 1;
      clear_q <= clear_q + 1'b1;
    end
  end

  (* ram_style = "distributed" *) arrived_t arrived[2**BoardWidth];
  (* ram_style = "distributed" *) left_t left[2**BoardWidth];
  (* ram_style = "distributed" *) logic answers[2**BoardWidth];

  // ---- Receiving ----

  answer_t answer_q;
  logic answer_valid_q;
  logic affordable_q;  // there is room for the answer
  logic commits;  // it is sent
  logic ack_valid, ack_pops;
  ack_t ack;

  wire header_t header = in_i.header;
  wire control_t control = control_t'(in_i.data[WordBits-1:0]);
  wire index_t source = index_t'(header.source);
  arrived_t entry, entry_after;
  left_t gone;
  assign entry = arrived[source];
  assign gone  = left[source];
  logic in_first, accepted_q;
  wire taken = in_valid_i & in_ready_o;
  wire begins = taken & in_first;
  first_beat u_first_in (
      .clk_i,
      .rst_i,
      .taken_i(taken),
      .last_i (in_i.last),
      .first_o(in_first)
  );
  assign in_ready_o = ready_q;

  wire is_known = 32'(header.source) < NumBoards;
  wire is_short = 32'(header.length) <= MaxWords;
  wire is_control = header.credit & header.length == length_t'(1) & in_i.last;
  wire is_synced = entry.is_open & entry.opened == gone.nonce;
  wire count_t granted = gone.given - entry.used;
  wire count_t budget_there = entry.credit - gone.sent;
  wire has_room = granted != '0;
  // What is owed to it is in the ack queue, leaves it, or waits after it. It is never owed twice.
  wire is_queued = entry.asks != answers[source];
  wire is_leaving = ack_pops & ack.board == source;
  wire is_next = answer_valid_q & answer_q.ack.board == source;

  wire accepts = is_known & ~header.credit & is_short & has_room;
  // The sum of both is at most MaxGranted.
  wire [31:0] room_there = MaxGranted - 32'(control.amount);
  wire is_grant = control.kind == KindGrant & is_synced & 32'(control.amount) <= MaxGranted &
      32'(budget_there) <= room_there;
  wire is_return = control.kind == KindReturn & 32'(control.amount) <= 32'(granted);
  wire is_opened = control.kind == KindOpened & ~is_synced & control.nonce == gone.nonce;
  // An answer that is out of date changes nothing.
  wire is_late = (control.kind == KindGrant & ~is_synced) |
      (control.kind == KindOpened & ~is_opened);
  wire is_open = control.kind == KindOpen;
  wire is_closed = control.kind == KindClosed;
  wire is_good = is_grant | is_return | is_opened | is_open | is_closed | is_late;

  // What is granted to it in this cycle.
  logic is_small;
  wire [15:0] leaving_amount = ~(is_next & commits) | answer_q.owes == OweClosed ? '0 :
      is_small ? 16'(InitBudget) : 16'(FlowStride);

  logic pushes;
  total_t returned;
  wire yields = entry.is_yielding | header.yield;
  always_comb begin
    entry_after = entry;
    pushes = 1'b0;
    returned = '0;
    if (~header.credit) begin
      if (has_room) begin
        entry_after.used = entry.used + 1'b1;
        if (32'(granted) <= Threshold + 1 & ~is_queued & ~is_next) begin
          pushes = 1'b1;
          entry_after.owes = OweGrant;
          entry_after.is_yielding = 1'b0;
        end else begin
          entry_after.is_yielding = yields;
        end
      end else begin
        pushes = ~is_queued & ~is_next;
        if (pushes | entry.owes == OweGrant) entry_after.owes = OweClosed;
      end
    end else begin
      if (is_grant) entry_after.credit = entry.credit + count_t'(control.amount);
      if (is_return) begin
        entry_after.used = entry.used + count_t'(control.amount);
        returned = total_t'(control.amount);
      end
      if (is_opened) begin
        entry_after.credit  = gone.sent + count_t'(InitBudget);
        entry_after.is_open = 1'b1;
        entry_after.opened  = control.nonce;
      end
      if (is_closed) entry_after.is_open = 1'b0;
      if (is_open) begin
        // What was granted is void.
        entry_after.used = gone.given + count_t'(leaving_amount);
        returned = total_t'(granted) + total_t'(leaving_amount);
        pushes = ~is_queued & ~(is_next & ~commits);
        entry_after.owes = OweOpened;
        entry_after.nonce = control.nonce;
        entry_after.is_yielding = 1'b0;
      end
    end
    if (pushes) entry_after.asks = ~entry.asks;
  end
  wire is_legal = is_known & (header.credit ? is_control : is_short);
  wire replaces = begins & is_legal & header.credit & is_open & ((is_next & ~commits) | is_leaving);

  total_t returned_q;
  always_ff @(posedge clk_i) begin
    if (~ready_q) arrived[clear_q] <= '0;
    else if (begins & is_legal) arrived[source] <= entry_after;
  end
  always_ff @(posedge clk_i) begin
    if (begins) accepted_q <= accepts;
    if (rst_i) returned_q <= '0;
    else returned_q <= begins & is_legal ? returned : '0;
  end
  assign data_o = in_i;
  assign data_valid_o = taken & (in_first ? accepts : accepted_q);

  // ---- The ack queue: at most one entry per board ----

  logic unused_ready, unused_holds;
  stream_queue #(
      .data_t(ack_t),
      .Depth (NumBoards < 4 ? 4 : 2 ** BoardWidth)
  ) u_acks (
      .clk_i,
      .rst_i,
      .in_i('{board: source, yields: yields}),
      .in_valid_i(begins & is_legal & pushes),
      .in_ready_o(unused_ready),
      .out_o(ack),
      .out_valid_o(ack_valid),
      .out_ready_i(ack_pops),
      .holds_o(unused_holds)
  );
  arrived_t asked;
  assign asked = arrived[ack.board];
  assign ack_pops = ack_valid & ~answer_valid_q;
  always_ff @(posedge clk_i) begin
    if (~ready_q) answers[clear_q] <= 1'b0;
    else if (ack_pops) answers[ack.board] <= asked.asks;
    if (ack_pops) answer_q <= '{ack: ack, owes: asked.owes, nonce: asked.nonce};
    if (replaces) begin
      answer_q.owes  <= OweOpened;
      answer_q.nonce <= control.nonce;
    end
  end

  // ---- Sending: one decision per cycle ----

  total_t free_q;
  logic is_answer_last_q, inside_q;
  logic [RetryBits-1:0] retry_q;
  logic has_asked_q;  // for the packet that waits
  logic [ScanWidth-1:0] tick_q;
  logic scan_due_q;
  logic [2:0] round_q;
  logic is_new_q;  // first round of the scan
  index_t scan_q;
  logic [7:0] nonce_q;
  initial nonce_q = '0;  // by configuration: it survives resets
  logic [15:0] grants_q;

  // A packet's destination is looked up from a register.
  beat_t head;
  logic head_valid, head_ready;
  stream_register #(
      .data_t(beat_t)
  ) u_head (
      .clk_i,
      .rst_i,
      .in_i(send_i),
      .in_valid_i(send_valid_i),
      .in_ready_o(send_ready_o),
      .out_o(head),
      .out_valid_o(head_valid),
      .out_ready_i(head_ready)
  );

  wire moves = ~out_valid_o | out_ready_i;
  wire decides = moves & ~inside_q & ready_q;
  wire yields_now = answer_q.ack.yields | (GrantPeriod != 0 && 32'(grants_q) == GrantPeriod - 1);
  assign is_small = answer_q.owes == OweOpened | yields_now;
  wire affordable = answer_q.owes == OweClosed |
      (is_small ? 32'(free_q) >= InitBudget : 32'(free_q) >= FlowStride);
  wire answering = ~scan_due_q & affordable_q & (~is_answer_last_q | ~head_valid);
  assign commits = decides & answering;
  wire is_data = ~scan_due_q & ~answering;
  wire is_there = 32'(head.header.destination) < NumBoards;
  wire index_t board = scan_due_q ? scan_q :
      answering ? answer_q.ack.board : index_t'(head.header.destination);
  arrived_t theirs;
  left_t ours, ours_after;
  assign theirs = arrived[board];
  assign ours   = left[board];
  wire count_t budget = theirs.credit - ours.sent;
  wire may_send = theirs.is_open & theirs.opened == ours.nonce;
  wire is_idle = ~ours.is_active;
  wire is_due = round_q == '0;  // sessions are opened again

  wire sends_data = is_data & head_valid & is_there & may_send & theirs.credit != ours.sent;
  wire drops_data = is_data & head_valid & ~is_there;
  wire asks_session = is_data & head_valid & is_there & ~sends_data &
      (retry_q == '0 | (~may_send & ~has_asked_q));
  // The scan looks a board up first, and acts with the next decision.
  logic is_scanned_q, scan_opens_q, scan_returns_q;
  count_t surplus_q;
  wire scans_session = scan_due_q & is_scanned_q & scan_opens_q;
  wire opens = asks_session | scans_session;
  wire returns = scan_due_q & is_scanned_q & scan_returns_q;
  always_ff @(posedge clk_i) begin
    if (decides & ~is_scanned_q) begin
      surplus_q <= budget - count_t'(InitBudget);
      scan_opens_q <= is_due & (~may_send | is_idle);
      scan_returns_q <= ~is_due & may_send & is_idle & 32'(budget) > InitBudget;
    end
    // The session may begin again before the scan acts.
    if (begins & header.credit & is_closed) scan_returns_q <= 1'b0;
  end
  wire sends_control = answering | opens | returns;
  logic dropping_q;

  control_t word;
  logic [15:0] amount;
  always_comb begin
    if (returns) amount = 16'(surplus_q);
    else if (~answering | answer_q.owes == OweClosed) amount = '0;
    else amount = is_small ? 16'(InitBudget) : 16'(FlowStride);
    word = '0;
    word.amount = amount;
    word.nonce = opens ? nonce_q : answer_q.nonce;
    if (returns) word.kind = KindReturn;
    else if (opens) word.kind = KindOpen;
    else begin
      unique case (answer_q.owes)
        OweOpened: word.kind = KindOpened;
        OweClosed: word.kind = KindClosed;
        default:   word.kind = KindGrant;
      endcase
    end
  end

  total_t reserved;  // what granted grows by
  always_comb begin
    ours_after = ours;
    reserved   = '0;
    if (sends_data) begin
      ours_after.sent = ours.sent + 1'b1;
      ours_after.is_active = 1'b1;
    end
    if (returns) ours_after.sent = ours.sent + surplus_q;
    if (scan_due_q & is_scanned_q) ours_after.is_active = 1'b0;
    if (opens) ours_after.nonce = nonce_q;
    if (answering & answer_q.owes != OweClosed) begin
      ours_after.given = ours.given + count_t'(amount);
      reserved = total_t'(amount);
    end
  end

  total_t reserved_q;
  logic   freed_q;
  always_ff @(posedge clk_i) begin
    if (~ready_q) left[clear_q] <= '0;
    else if (decides) left[board] <= ours_after;
  end
  assign head_ready = moves & (inside_q ? 1'b1 : ready_q & (sends_data | drops_data));

  beat_t controls;
  always_comb begin
    controls = '0;
    controls.header.destination = board_t'(board);
    controls.header.credit = 1'b1;
    controls.header.length = length_t'(1);
    controls.last = 1'b1;
    controls.data[WordBits-1:0] = word;
  end
  beat_t data;
  always_comb begin
    data = head;
    data.header.credit = 1'b0;
    data.header.source = '0;
    data.header.channel = '0;
  end
  always_ff @(posedge clk_i) begin
    if (moves) out_o <= inside_q | sends_data ? data : controls;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      out_valid_o <= 1'b0;
      inside_q <= 1'b0;
      dropping_q <= 1'b0;
      answer_valid_q <= 1'b0;
      is_answer_last_q <= 1'b0;
      retry_q <= '1;
      has_asked_q <= 1'b0;
      tick_q <= '0;
      scan_due_q <= 1'b0;
      scan_q <= '0;
      round_q <= '0;
      is_new_q <= 1'b1;
      is_scanned_q <= 1'b0;
      affordable_q <= 1'b0;
      grants_q <= '0;
      free_q <= total_t'(Total);
      reserved_q <= '0;
      freed_q <= 1'b0;
    end else begin
      if (moves) begin
        out_valid_o <= inside_q ? head_valid & ~dropping_q : ready_q & (sends_data | sends_control);
      end
      if (moves & head_valid) begin
        if (inside_q) inside_q <= ~head.last;
        else if (ready_q & (sends_data | drops_data)) begin
          inside_q   <= ~head.last;
          dropping_q <= drops_data;
        end
      end
      if (ack_pops) answer_valid_q <= 1'b1;
      affordable_q <= answer_valid_q & affordable & ~commits & ~replaces;
      if (decides) begin
        if (~scan_due_q) is_answer_last_q <= answering;
        if (answering) answer_valid_q <= 1'b0;
        if (answering & answer_q.owes == OweGrant && GrantPeriod != 0) begin
          grants_q <= 32'(grants_q) == GrantPeriod - 1 ? '0 : grants_q + 1'b1;
        end
        if (scan_due_q) is_scanned_q <= ~is_scanned_q;
        if (scan_due_q & is_scanned_q) begin
          scan_due_q <= 1'b0;
          scan_q <= 32'(scan_q) == NumBoards - 1 ? '0 : scan_q + 1'b1;
          if (32'(scan_q) == NumBoards - 1) begin
            round_q  <= round_q + 1'b1;
            is_new_q <= 1'b0;
          end
        end
      end
      if (decides & (sends_data | drops_data | asks_session)) retry_q <= '1;
      else if (retry_q != '0) retry_q <= retry_q - 1'b1;
      if (decides & (sends_data | drops_data | asks_session)) has_asked_q <= asks_session;
      tick_q <= tick_q + 1'b1;
      // The first round opens sessions at once.
      if (&tick_q | (is_new_q & ready_q & ~scan_due_q)) scan_due_q <= 1'b1;
      reserved_q <= decides ? reserved : '0;
      freed_q <= freed_i;
      free_q <= free_q + returned_q + total_t'(freed_q) - reserved_q;
    end
  end
  // Not reset: after a reset, answers to earlier opens are void.
  always_ff @(posedge clk_i) begin
    if (~rst_i & decides & opens) nonce_q <= nonce_q + 1'b1;
  end

  always_comb begin
    drop_o = '0;
    drop_o[DropBadSource] = begins & ~is_known;
    drop_o[DropBadDestination] = decides & drops_data;
    drop_o[DropTooLong] = begins & is_known & ~header.credit & ~is_short;
    drop_o[DropNoBudget] = begins & is_known & ~header.credit & is_short & ~has_room;
    drop_o[DropBadControl] = begins & is_known & header.credit & ~(is_control & is_good);
    event_o = '0;
    event_o[EventGrant] = decides & answering & answer_q.owes == OweGrant;
    event_o[EventReturn] = decides & returns;
    event_o[EventOpen] = decides & opens;
  end
  assign holds_o = out_valid_o | head_valid | ack_valid | answer_valid_q | inside_q;
  wire unused = ^{control.reserved, control.reserved_low};

  `BOMBUS_ASSERT(FreeIsLegal, 32'(free_q) <= Total)

endmodule
