// SPDX-License-Identifier: Apache-2.0
// Finds the open session that has been idle longest, for a SYN that finds none free: neither new
// bytes have arrived for the time LeastIdleS, nor have bytes been acknowledged.
//
// A search reads one session per cycle. Its result is withdrawn if that session ceases to be idle,
// or if any session is freed. After an eviction the next search waits until a session is
// freed, for at most a second: otherwise each SYN of a burst would end a connection while the
// application of the first one still has its number.
//
// The time since an event wraps around after 50 days. Memories are cleared by writing all sessions
// as not open (write_i).
`include "bombus_assert.svh"

module tcp_idle
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned LeastIdleS = 60,
    localparam int unsigned IndexWidth = $clog2(NumSessions),
    localparam type index_t = logic [IndexWidth-1:0]
) (
    input logic clk_i,
    input logic rst_i,
    input long_time_t long_time_i,

    // Events, in any cycle
    input logic write_i,
    input index_t index_i,
    input logic open_i,  // the session is open: it may be evicted
    input logic active_i,  // the event ends its idleness
    input logic evicted_i,  // the event evicts it
    input logic free_i,  // a session is freed

    input logic search_i,  // a SYN has found no session
    output index_t idle_o,
    output logic idle_valid_o
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_idle: NumSessions must be a power of two, 2 to 16384");
  end
  if (LeastIdleS < 1 || LeastIdleS > 1000000) begin : gen_bad_time
    $error("tcp_idle: LeastIdleS must be 1 to 1000000");
  end

  typedef logic [25:0] time_t;  // in 65,536 us
  localparam time_t Least = time_t'(64'(LeastIdleS) * 15625 / 1024 + 1);
  wire time_t now = long_time_i[16+:26];

  logic searching_q, read_q, stale_q, waits_q, waits_long_q;
  index_t index_q, read_index_q, best_q;
  time_t since, longest_q;
  logic open, found_q, valid_q;
  wire ends_idleness = write_i & (active_i | ~open_i);
  sized_memory #(
      .data_t(time_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_since (
      .clk_i,
      .write_addr_i(index_i),
      .data_i(now),
      .write_i(write_i & active_i),
      .read_addr_i(index_q),
      .data_o(since)
  );
  sized_memory #(
      .data_t(logic),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_open (
      .clk_i,
      .write_addr_i(index_i),
      .data_i(open_i),
      .write_i,
      .read_addr_i(index_q),
      .data_o(open)
  );

  wire time_t idle = now - since;
  wire stale = stale_q | (ends_idleness & index_i == read_index_q);
  wire better = read_q & open & ~stale & (idle > (found_q ? longest_q : Least));
  wire second = now[3:0] == '0;  // within one
  wire start = search_i & ~searching_q & ~read_q & ~valid_q & ~waits_q;
  always_ff @(posedge clk_i) begin
    read_index_q <= index_q;
    stale_q <= ends_idleness & index_i == index_q;
    if (better) begin
      best_q <= read_index_q;
      longest_q <= idle;
    end
    if (rst_i) begin
      {searching_q, read_q, found_q, valid_q, waits_q, waits_long_q} <= '0;
      index_q <= '0;
    end else begin
      read_q <= searching_q;
      if (start) searching_q <= 1'b1;
      else if (&index_q) searching_q <= 1'b0;
      if (searching_q) index_q <= index_q + 1'b1;
      if (start | (ends_idleness & index_i == best_q & ~better)) found_q <= 1'b0;
      else if (better) found_q <= 1'b1;
      valid_q <= (valid_q | (read_q & ~searching_q & (found_q | better))) &
          ~(ends_idleness & index_i == best_q & ~better) & ~free_i;
      waits_q <= (waits_q & ~free_i & ~(waits_long_q & second)) | evicted_i;
      waits_long_q <= waits_q & (waits_long_q | ~second);
    end
  end
  assign idle_o = best_q;
  assign idle_valid_o = valid_q;

  `BOMBUS_ASSERT(RestsAtTheFirst, searching_q || index_q == '0)
  `BOMBUS_ASSERT(ResultEndsSearch, !(valid_q && searching_q))

endmodule
