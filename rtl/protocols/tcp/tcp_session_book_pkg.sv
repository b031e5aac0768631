// SPDX-License-Identifier: Apache-2.0
// A session as the TCP engine reports it to an application.
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

endpackage
