// SPDX-License-Identifier: Apache-2.0
// A session as the TCP engine reports it to an application, and an event about one.
package tcp_session_book_pkg;

  typedef struct packed {
    logic            live;          // open, or not yet freed by the application
    logic            closed;        // by the peer: no data follows read_end
    logic            over;          // the engine needs it no longer
    logic            failed;        // reset, or never opened
    logic            awaits_read;   // a notification is requested and outstanding
    logic            awaits_write;
    tcp_pkg::seq_t   read_end;      // end of the received bytes
    tcp_pkg::seq_t   write_end;     // end of the space in the send buffer
    tcp_pkg::tuple_t tuple;
  } session_report_t;

  // An event, in the cycle in which it is taken.
  typedef struct packed {
    logic taken;  // it is about the session in its metadata
    logic no_session;  // a requested connection got no session
    logic opens;  // it opens its session
    logic fails;  // it ends a requested connection before it was open
    tcp_pkg::tcp_event_meta_t meta;
  } session_event_t;

endpackage
