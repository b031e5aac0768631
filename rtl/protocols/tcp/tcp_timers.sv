// SPDX-License-Identifier: Apache-2.0
// Timers of sessions: one of each class per session, with a deadline.
//
// The core sets and clears timers of one session per cycle. A scan reads one session per cycle, all
// classes at once; an expired deadline is found within NumSessions cycles, plus three cycles for
// each timer that expires meanwhile. A timer is disarmed when it is offered as expired, so that
// each setting expires once. That requires a cycle in which the core does not write a timer of its
// class.
//
// Setting or clearing a timer withdraws its expiry, also in the cycle in which it is offered:
// expired_valid_o falls in the same cycle. A cleared timer therefore never expires, provided that
// the core accepts an expiry only after all earlier events of the session have written their
// timers. A write affects expired_valid_o in the same cycle, armed_o in the next.
//
// Deadlines are in microseconds, compared modulo 2**32: less than 2**31 (35 minutes) in the future.
// Time may jump by less than that. If it jumps in every cycle, as in a simulation that skips idle
// time, a timer expires up to NumSessions jumps late.
//
// Memories are cleared during NumSessions cycles after reset, in which no timer may be set: no
// session can be created in that time (tcp_sessions).
`include "bombus_assert.svh"

module tcp_timers
  import tcp_pkg::*;
#(
    parameter  int unsigned NumSessions = 16,
    parameter  int unsigned NumClasses  = 2,
    localparam int unsigned ClassBits   = NumClasses > 1 ? $clog2(NumClasses) : 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    input session_t session_i,
    input logic [NumClasses-1:0] set_i,  // has priority over clear_i
    input logic [NumClasses-1:0] clear_i,
    input logic [NumClasses-1:0][31:0] deadline_i,

    output session_t expired_o,
    output logic [ClassBits-1:0] expired_class_o,
    output logic expired_valid_o,
    input logic expired_ready_i,

    output logic armed_o  // a timer is armed, or was within the last two scans
);

  if (!is_num_sessions(NumSessions, 4)) begin : gen_bad_number
    $error("tcp_timers: NumSessions must be a power of two, 4 to %0d", MaxSessions);
  end
  if (NumClasses < 1) begin : gen_bad_classes
    $error("tcp_timers: NumClasses must be at least 1");
  end

  typedef logic [$clog2(NumSessions)-1:0] index_t;
  typedef logic [NumClasses-1:0] classes_t;
  typedef struct packed {
    logic armed;
    logic [31:0] deadline;
  } entry_t;

  logic clear_q;
  wire index_t written = index_t'(session_i);
  wire classes_t write = set_i | clear_i;

  // ---- Scan: read, compare ----

  index_t index0_q, index1_q, index2_q;
  logic valid1_q;
  classes_t stale1_q, armed1, due1, due2_q, disarm;
  entry_t [NumClasses-1:0] entry_q;
  wire stop = |due2_q;  // expired timers are reported first; the scan then continues
  wire classes_t stale0 = written == index0_q ? write : '0;
  wire classes_t stale1 = stale1_q | (written == index1_q ? write : '0);
  wire classes_t stale2 = written == index2_q ? write : '0;

  for (genvar c = 0; c < NumClasses; c++) begin : gen_class
    wire index_t write_index = clear_q ? index0_q : write[c] ? written : index2_q;
    wire entry_t entry = '{armed: ~clear_q & set_i[c], deadline: deadline_i[c]};
    wire write_it = clear_q | write[c] | disarm[c];
    sized_memory #(
        .data_t(entry_t),
        .Depth (NumSessions)
    ) u_memory (
        .clk_i,
        .write_addr_i(write_index),
        .data_i(entry),
        .write_i(write_it),
        .read_addr_i(index0_q),
        .data_o(entry_q[c])
    );
    wire [31:0] late = time_us_i - entry_q[c].deadline;
    assign armed1[c] = entry_q[c].armed;
    assign due1[c]   = entry_q[c].armed & ~late[31] & ~stale1[c];
  end

  always_ff @(posedge clk_i) begin
    stale1_q <= stale0;
    index1_q <= index0_q;
    if (~stop) index2_q <= index1_q;
    if (rst_i) begin
      clear_q  <= 1'b1;
      index0_q <= '0;
      valid1_q <= 1'b0;
      due2_q   <= '0;
    end else begin
      if (&index0_q) clear_q <= 1'b0;
      index0_q <= (stop ? index2_q : index0_q) + 1'b1;
      valid1_q <= ~stop & ~clear_q;
      if (stop) due2_q <= due2_q & ~stale2 & ~disarm;
      else due2_q <= valid1_q ? due1 : '0;
    end
  end

  // ---- Expiry: the lowest class first ----

  typedef logic [ClassBits-1:0] class_t;
  logic   valid_q;
  index_t expired_q;
  class_t class_q, class2;
  wire classes_t first = due2_q & (~due2_q + 1'b1);
  wire withdrawn = write[class_q] & (written == expired_q);
  assign expired_valid_o = valid_q & ~withdrawn;
  assign expired_o = session_t'(expired_q);
  assign expired_class_o = class_q;
  assign disarm = (~valid_q | expired_ready_i | withdrawn) ? first & ~write : '0;
  always_comb begin
    class2 = '0;
    for (int unsigned c = 0; c < NumClasses; c++) if (first[c]) class2 |= class_t'(c);
  end
  always_ff @(posedge clk_i) begin
    if (|disarm) begin
      expired_q <= index2_q;
      class_q   <= class2;
    end
    if (rst_i) valid_q <= 1'b0;
    else valid_q <= (|disarm) | (expired_valid_o & ~expired_ready_i);
  end

  // ---- Whether any timer is armed, known after a complete scan ----

  logic armed_q, seen_q;
  wire read = valid1_q & ~stop;
  wire seen = seen_q | (read & (|armed1)) | (|set_i);
  assign armed_o = armed_q | seen_q | valid_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      armed_q <= 1'b0;
      seen_q  <= 1'b0;
    end else if (read & (&index1_q)) begin
      armed_q <= seen;
      seen_q  <= |set_i;
    end else begin
      seen_q <= seen;
    end
  end

  `BOMBUS_ASSERT(DisarmsOneClass, $onehot0(disarm))

endmodule
