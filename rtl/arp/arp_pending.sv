// Addresses that have been asked for and not answered yet.
//
// Each is asked for at once and again after RetryS seconds or a little more, MaxTries
// times; then it is given up (failed_o) until it is released. Two searches a
// cycle: one for the packet that comes in, one for the resolver. A packet that
// asks in the cycle in which its address is resolved counts as a new question,
// so that no packet is left in the queue without one.
module arp_pending
  import bombus_pkg::*;
#(
    parameter int unsigned NumEntries = 4,
    parameter int unsigned RetryS = 1,
    parameter int unsigned MaxTries = 3
) (
    input logic clk_i,
    input logic rst_i,
    input logic [31:0] time_us_i,

    // Packet in: is somebody asking for its address, else start.
    input  logic         ask_i,
    input  vlan_t        ask_vlan_i,
    input  logic  [31:0] ask_ip_i,
    output logic         ask_ok_o,    // known or started; combinational

    // A request to send.
    output logic         request_o,
    output vlan_t        request_vlan_o,
    output logic  [31:0] request_ip_o,
    input  logic         request_done_i,

    // Search: combinational.
    input  vlan_t        find_vlan_i,
    input  logic  [31:0] find_ip_i,
    output logic         find_hit_o,
    output logic         find_failed_o,
    input  logic         resolve_i,      // the found one has its answer: forget it

    input  logic keep_trying_i,     // give up none now
    output logic failed_o,          // one has been given up
    input  logic release_failed_i,  // forget those that have been given up
    output logic busy_o
);

  localparam int unsigned TimeShift = 18;  // steps of 2^18 us, 0.26 s
  // At least RetryS (RFC 1122, 2.3.2.1), whenever in its step the first one was sent.
  localparam int unsigned RetrySteps = ((RetryS * 1000000) >> TimeShift) + 2;
  typedef logic [7:0] stamp_t;
  typedef logic [$clog2(MaxTries+1)-1:0] tries_t;
  typedef logic [$clog2(NumEntries)-1:0] index_t;

  typedef struct packed {
    logic        has_tag;
    logic [15:0] tci;
    logic [31:0] ip;
  } key_t;

  logic [NumEntries-1:0] used_q, due_q, failed_q;
  key_t [NumEntries-1:0] key_q;
  stamp_t [NumEntries-1:0] stamp_q;
  tries_t [NumEntries-1:0] tries_q;

  wire stamp_t now = time_us_i[TimeShift+:8];
  wire key_t ask = '{has_tag: ask_vlan_i.valid, tci: ask_vlan_i.tci, ip: ask_ip_i};
  wire key_t find = '{has_tag: find_vlan_i.valid, tci: find_vlan_i.tci, ip: find_ip_i};

  // The same VLAN is meant whatever the priority bits say; a tag with VID 0 tells
  // a priority only (IEEE 802.1Q, 9.6).
  function automatic logic [11:0] vid(key_t key);
    return key.has_tag ? key.tci[11:0] : '0;
  endfunction
  function automatic logic same(key_t a, key_t b);
    return (a.ip == b.ip) & (vid(a) == vid(b));
  endfunction

  logic [NumEntries-1:0] ask_match, find_match;
  index_t free, due, request_q;
  logic request_valid_q;
  always_comb begin
    free = '0;
    due  = '0;
    for (int unsigned e = 0; e < NumEntries; e++) begin
      find_match[e] = used_q[e] & same(key_q[e], find);
      ask_match[e]  = used_q[e] & ~failed_q[e] & same(key_q[e], ask) & ~(resolve_i & find_match[e]);
      if (~used_q[e]) free = index_t'(e);
      if (due_q[e]) due = index_t'(e);
    end
  end

  assign ask_ok_o = |ask_match | ~&used_q;
  // A request that has been offered stays until it is done: its body may take
  // several beats.
  assign request_o = request_valid_q & due_q[request_q];
  assign request_ip_o = key_q[request_q].ip;
  assign request_vlan_o = '{valid: key_q[request_q].has_tag, tci: key_q[request_q].tci};
  assign find_hit_o = |(find_match & ~failed_q);
  assign find_failed_o = |(find_match & failed_q);
  assign failed_o = |failed_q;
  assign busy_o = |used_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      used_q <= '0;
      due_q <= '0;
      failed_q <= '0;
      request_valid_q <= 1'b0;
    end else begin
      if (~request_o) request_valid_q <= |due_q;
      for (int unsigned e = 0; e < NumEntries; e++) begin
        if (used_q[e] & ~due_q[e] & ~failed_q[e] &
            (stamp_t'(now - stamp_q[e]) >= stamp_t'(RetrySteps))) begin
          if (tries_q[e] != tries_t'(MaxTries)) due_q[e] <= 1'b1;
          else if (~keep_trying_i) failed_q[e] <= 1'b1;
        end
        if (release_failed_i & failed_q[e]) begin
          used_q[e]   <= 1'b0;
          failed_q[e] <= 1'b0;
        end
        if (resolve_i & find_match[e]) begin
          used_q[e] <= 1'b0;
          due_q[e] <= 1'b0;
          failed_q[e] <= 1'b0;
        end
      end
      if (request_done_i) due_q[request_q] <= 1'b0;
      if (ask_i & ~|ask_match & ~&used_q) begin
        used_q[free] <= 1'b1;
        due_q[free] <= 1'b1;
        failed_q[free] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (~request_o) request_q <= due;
    if (request_done_i) begin
      stamp_q[request_q] <= now;
      tries_q[request_q] <= tries_q[request_q] + 1'b1;
    end
    if (ask_i & ~|ask_match & ~&used_q) begin
      key_q[free]   <= ask;
      stamp_q[free] <= now;
      tries_q[free] <= '0;
    end
  end

endmodule
