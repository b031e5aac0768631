// SPDX-License-Identifier: Apache-2.0
// Requests to a log and its answers (docs/applications/logs/format.md), and the entries of the logs
// that Bombus has. The first field in the datagram, or in an entry, is the last one of its struct.
package log_pkg;

  parameter logic [15:0] Magic = 16'h4c42;  // "BL"
  parameter logic [7:0] Version = 8'd1;

  typedef enum logic [7:0] {
    Ok,
    NotWritten,  // not yet
    Overwritten  // or discarded
  } status_e;

  typedef logic [47:0] index_t;  // number of an entry since reset

  // UDP payload of a request: reads one entry.
  typedef struct packed {
    logic [63:0] index;
    logic [31:0] number;    // returned
    logic [7:0]  reserved;  // ignored
    logic [7:0]  version;
    logic [15:0] magic;
  } request_t;

  // An answer, which the entry follows if the status is Ok.
  typedef struct packed {
    logic [6:0] reserved;
    logic ring;  // old entries are overwritten; otherwise the log stops when it is full
    logic [7:0] generation;  // how often the log was cleared
    logic [15:0] entry_bits;
    logic [31:0] lost;  // entries not written because the log was full
    logic [63:0] next;  // entries from first to next - 1 exist
    logic [63:0] first;
    logic [63:0] index;
    logic [31:0] number;
    status_e status;
    logic [7:0] version;
    logic [15:0] magic;
  } answer_t;

  // Time of an entry. The cycle counters of all logs start with the reset, so they agree.
  typedef struct packed {
    logic [31:0] time_us;  // time_us_i
    logic [47:0] cycle;
  } stamp_t;

  // packet_log: the first bytes of a message follow.
  typedef struct packed {
    bombus_pkg::packet_meta_t meta;
    logic [15:0] length;  // payload bytes
    stamp_t stamp;  // first beat
  } packet_entry_t;

  // bandwidth_log: an interval with messages.
  typedef struct packed {
    logic [39:0] bytes;     // payload of messages that ended in it
    logic [31:0] messages;
    logic [31:0] us;        // length of the interval
    stamp_t      stamp;     // its end
  } bandwidth_entry_t;

  // drop_log: a drop. The first bytes of the message follow; without `known`, they and its fields
  // are 0.
  typedef struct packed {
    bombus_pkg::packet_meta_t meta;  // with is_packet
    logic [15:0] length;  // payload bytes where the layer takes the message
    logic [5:0] reserved;
    logic is_packet;
    logic known;  // the message is
    logic [15:0] counter;  // its position among the counters of the tile
    stamp_t stamp;  // pulse of the drop
  } drop_entry_t;

endpackage
