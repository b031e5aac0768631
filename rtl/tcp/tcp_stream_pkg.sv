// SPDX-License-Identifier: Apache-2.0
// Side-band fields of tcp_stream (tuser of the first beat of a message), for kernels that do not
// handle messages of the mesh.
package tcp_stream_pkg;

  typedef tcp_pkg::session_t session_t;

  // To the kernel. Messages with a flag have no bytes. own_port tells of a session that is opened
  // whether the peer has done so: it is the kernel's port then.
  typedef struct packed {
    logic [31:0] ip;  // of the peer
    logic [15:0] peer_port;
    logic [15:0] own_port;
    logic failed;  // with ended: by a reset or a timeout; alone: no session for a connect
    logic ended;  // the session is over: nothing comes or goes any more
    logic closed;  // the peer will send nothing any more
    logic opened;  // a session begins
    session_t session;
  } from_peer_t;

  // From the kernel. Flags count behind the bytes of their message. The number of a session is used
  // again once the kernel has answered `ended` by `done`. The first bytes of a message with `connect`
  // are connect_t; it is answered by `opened`, or by `ended` with `failed`, of the same addresses, or
  // by `failed` alone.
  typedef struct packed {
    logic connect;  // open a connection; the session does not count
    logic done;  // this was the last message about the session
    logic reset;  // reset the connection, forget bytes that are on their way
    logic close;  // no bytes will follow, but may still come
    session_t session;
  } to_peer_t;

  typedef struct packed {
    logic [15:0] peer_port;
    logic [31:0] ip;
  } connect_t;

endpackage
