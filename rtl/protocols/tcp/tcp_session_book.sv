// SPDX-License-Identifier: Apache-2.0
// Input of a TCP application: separates events from data, and keeps the state of each session as
// the engine reports it.
//
// An event updates the book in the cycle in which it is taken; a report shows it from the next
// cycle on. Events are taken at once, data with data_ready_i. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module tcp_session_book
  import tcp_pkg::*;
  import tcp_session_book_pkg::session_event_t;
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
    output session_event_t event_o,
    output index_t event_index_o,  // its session

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
  assign in_ready_o   = is_event | data_ready_i;
  assign data_valid_o = in_valid_i & ~is_event;

  tcp_event_meta_t meta;
  assign meta = tcp_event_meta_t'(in_i.meta);
  assign event_index_o = meta.session[$bits(index_t)-1:0];
  wire changes_t changes = meta.changes;
  wire no_session = Connects & in_valid_i & is_event & changes.failed & ~changes.closed;
  wire about_session = in_valid_i & is_event & ~no_session;
  wire opens = about_session & changes.opened;

  session_report_t book_q[NumSessions];
  always_comb begin
    for (int unsigned n = 0; n < NumReports; n++) report_o[n] = book_q[index_i[n]];
  end
  wire fails = Connects & about_session & changes.closed & ~changes.opened &
      ~book_q[event_index_o].live;
  assign event_o = '{
          taken: about_session,
          no_session: no_session,
          opens: opens,
          fails: fails,
          meta: meta
      };

  always_ff @(posedge clk_i) begin
    if (about_session) begin
      book_q[event_index_o].read_end  <= meta.read_end;
      book_q[event_index_o].write_end <= meta.write_end - WriteOffset;
      if (changes.readable) book_q[event_index_o].awaits_read <= 1'b0;
      if (changes.writable) book_q[event_index_o].awaits_write <= 1'b0;
      if (opens | fails) begin
        book_q[event_index_o].live   <= 1'b1;
        book_q[event_index_o].closed <= 1'b0;
        book_q[event_index_o].tuple  <= meta.tuple;
      end
      if (opens) begin
        book_q[event_index_o].awaits_read <= 1'b0;
        book_q[event_index_o].awaits_write <= 1'b0;
        book_q[event_index_o].over <= 1'b0;
        book_q[event_index_o].failed <= 1'b0;
      end
      if (changes.peer_closed & ~fails) book_q[event_index_o].closed <= 1'b1;
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

  `BOMBUS_ASSERT(SessionExists, !event_o.taken || 32'(event_o.meta.session) < NumSessions)
  `BOMBUS_ASSERT(FreesLiveSession, !frees_i || book_q[changed_index_i].live)

endmodule
