// SPDX-License-Identifier: Apache-2.0
// Input of a TCP application: separates events from data, and keeps the state of each session as
// the engine reports it.
//
// An event updates the book in the cycle in which it is taken; a report shows it from the next
// cycle on. Events are taken at once, data with data_ready_i. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module tcp_session_book
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_report_t;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumReports = 1,
    parameter bit Connects = 0,  // the application opens connections
    parameter seq_t WriteOffset = '0,  // subtracted from the reported write_end
    parameter int unsigned KindTcpEvent = 2,  // number of the kind tcp_event in the design
    localparam type index_t = logic [$clog2(NumSessions)-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    // From the engine.
    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output logic first_o,  // the next beat begins a message
    output logic data_valid_o,  // the offered beat is data
    input logic data_ready_i,
    output logic event_o,  // an event about a session is taken
    output logic no_session_o,  // an event that a requested connection got no session is taken
    output index_t event_index_o,
    output tcp_event_meta_t event_meta_o,
    output logic opens_o,  // the event opens its session
    output logic fails_o,  // the event ends a requested connection before it was open

    // Reports of sessions, combinational.
    input index_t [NumReports-1:0] index_i,
    output session_report_t [NumReports-1:0] report_o,

    // Changes by the application, at session changed_index_i.
    input index_t changed_index_i,
    input logic awaits_read_i,  // it has requested a notification of bytes to read
    input logic awaits_write_i,  // it has requested a notification of space to write
    input index_t awaits_write_index_i,
    input logic frees_i  // it has freed the session
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_session_book: NumSessions must be a power of two, 2 to 16384");
  end
  if (NumReports < 1) begin : gen_bad_reports
    $error("tcp_session_book: NumReports must be at least 1");
  end

  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o
  );

  wire is_event = first_o & (32'(in_i.kind) == KindTcpEvent);
  assign in_ready_o = is_event | data_ready_i;
  assign data_valid_o = in_valid_i & ~is_event;

  assign event_meta_o = tcp_event_meta_t'(in_i.meta);
  assign event_index_o = event_meta_o.session[$bits(index_t)-1:0];
  wire changes_t changes = event_meta_o.changes;
  assign no_session_o = Connects & in_valid_i & is_event & changes.failed & ~changes.closed;
  assign event_o = in_valid_i & is_event & ~no_session_o;

  session_report_t book_q[NumSessions];
  always_comb begin
    for (int unsigned n = 0; n < NumReports; n++) report_o[n] = book_q[index_i[n]];
  end
  assign opens_o = event_o & changes.opened;
  assign fails_o = Connects & event_o & changes.closed & ~changes.opened &
      ~book_q[event_index_o].live;

  always_ff @(posedge clk_i) begin
    if (event_o) begin
      book_q[event_index_o].read_end  <= event_meta_o.read_end;
      book_q[event_index_o].write_end <= event_meta_o.write_end - WriteOffset;
      if (changes.readable) book_q[event_index_o].awaits_read <= 1'b0;
      if (changes.writable) book_q[event_index_o].awaits_write <= 1'b0;
      if (opens_o | fails_o) begin
        book_q[event_index_o].live   <= 1'b1;
        book_q[event_index_o].closed <= 1'b0;
        book_q[event_index_o].tuple  <= event_meta_o.tuple;
      end
      if (opens_o) begin
        book_q[event_index_o].awaits_read <= 1'b0;
        book_q[event_index_o].awaits_write <= 1'b0;
        book_q[event_index_o].over <= 1'b0;
        book_q[event_index_o].failed <= 1'b0;
      end
      if (changes.peer_closed & ~fails_o) book_q[event_index_o].closed <= 1'b1;
      if (changes.closed) begin
        book_q[event_index_o].over   <= 1'b1;
        book_q[event_index_o].failed <= changes.failed;
      end
    end
    if (awaits_read_i) book_q[changed_index_i].awaits_read <= 1'b1;
    if (awaits_write_i) book_q[awaits_write_index_i].awaits_write <= 1'b1;
    if (frees_i) book_q[changed_index_i].live <= 1'b0;
    if (rst_i) begin
      for (int unsigned n = 0; n < NumSessions; n++) book_q[n].live <= 1'b0;
    end
  end

  `BOMBUS_ASSERT(SessionExists, !event_o || 32'(event_meta_o.session) < NumSessions)
  `BOMBUS_ASSERT(FreesLiveSession, !frees_i || book_q[changed_index_i].live)

endmodule
