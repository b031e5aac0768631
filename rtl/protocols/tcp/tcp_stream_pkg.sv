// SPDX-License-Identifier: Apache-2.0
// Side-band fields of tcp_stream (tuser of the first beat of a message; to the kernel, of every
// beat), for kernels that do not handle messages of the mesh.
package tcp_stream_pkg;

  typedef tcp_pkg::session_t session_t;

  // To the kernel. Messages with a flag have no bytes. If the peer opened the session, own_port is
  // the kernel's port.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;  // through which the peer is reached
    logic [31:0] ip;  // address of the peer
    logic [15:0] peer_port;
    logic [15:0] own_port;
    // With ended: by a reset of either side or a timeout. Alone: no session for a connect.
    logic failed;
    logic ended;  // the session is over: no more data in either direction
    logic closed;  // the peer will send no more data
    logic opened;  // a session begins
    session_t session;
  } from_peer_t;

  // From the kernel. Flags take effect after the bytes of their message. The number of a session is
  // reused once the kernel has acknowledged `ended` by `done`. A message with `connect` begins with
  // connect_t; the response is `opened`, or `ended` with `failed`, of the same addresses, or
  // `failed` alone. A message with `listen` or `unlisten` begins with port_t and has no response.
  // Open sessions are not affected.
  typedef struct packed {
    logic unlisten;  // accept no more connections to a port; session is ignored
    logic listen;  // accept connections to a port; session is ignored
    logic connect;  // open a connection; session is ignored
    logic done;  // this was the last message about the session
    logic reset;  // reset the connection, discard bytes still in transit
    logic close;  // no more bytes will be sent; bytes may still be received
    session_t session;
  } to_peer_t;

  typedef struct packed {
    logic [15:0] peer_port;
    logic [31:0] ip;
  } connect_t;

  typedef logic [15:0] port_t;  // lowest byte first

  // The front piece of the bytes from the kernel.
  typedef struct packed {
    logic valid;  // it is complete, and can begin
    logic is_request;  // connect, listen or unlisten
    bombus_pkg::length_t length;
    // Session and flags of its message; done, reset and close only with the last piece
    to_peer_t message;
  } piece_t;

endpackage
