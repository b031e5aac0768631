// SPDX-License-Identifier: Apache-2.0
// Types of the load balancer.
package load_balancer_pkg;

  // Bytes of an IPv4 header without options and of the ports after it.
  parameter int unsigned ViewBytes = 24;

  typedef logic [7:0] number_t;  // of a backend
  parameter int unsigned MaxServices = 16;
  typedef logic [$clog2(MaxServices)-1:0] service_t;  // number

  // A connection. The service determines the destination and the protocol.
  typedef struct packed {
    service_t service;
    logic [31:0] ip;  // of the client
    logic [15:0] port;
  } flow_t;

  // Time of the last packet, in units of 2^StampShift us (about 17 s). Wraps after 71 minutes.
  parameter int unsigned StampShift = 24;
  typedef logic [31-StampShift:0] stamp_t;

  typedef struct packed {
    logic valid;
    stamp_t seen;
    number_t backend;
    flow_t flow;
  } connection_t;

  // What happens to a packet.
  typedef struct packed {
    logic        is_balanced;
    logic        is_fragment;  // it is dropped
    logic        has_backend;
    logic        is_new;       // the connection was not in the table
    logic        is_moved;     // its backend was down
    logic        has_evicted;  // a live connection gave up its entry
    logic [31:0] ip;           // of the backend
  } verdict_t;

endpackage
