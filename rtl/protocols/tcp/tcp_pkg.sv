// SPDX-License-Identifier: Apache-2.0
// TCP (RFC 9293): the header on the wire, the properties of a received segment, and the metadata of
// the messages between engine, buffers and applications.
//
// Sessions are numbered from 0. Positions in a stream of bytes are sequence numbers, in both
// directions: a buffer stores byte s of a session at s modulo the size of its ring, so that no
// address translation is needed. All arithmetic is modulo 2**32.
package tcp_pkg;

  // The fixed part of the header, in wire order; the first byte is in the lowest bits.
  typedef struct packed {
    logic [15:0] urgent;
    logic [15:0] csum;
    logic [15:0] window;
    logic [7:0]  flags;     // flags_t
    logic [7:0]  offset;  // upper half: header length in 32-bit words
    logic [31:0] ack;
    logic [31:0] seq;
    logic [15:0] dst_port;
    logic [15:0] src_port;
  } header_t;

  parameter int unsigned HeaderBytes = $bits(header_t) / 8;
  parameter int unsigned MaxHeaderBytes = 60;
  parameter int unsigned CsumWord = 8;  // index of the checksum, in 16-bit words

  typedef struct packed {
    logic cwr;
    logic ece;
    logic urg;
    logic ack;
    logic psh;
    logic rst;
    logic syn;
    logic fin;
  } flags_t;

  // Option kinds (IANA).
  parameter logic [7:0] OptionEnd = 8'd0;
  parameter logic [7:0] OptionNop = 8'd1;
  parameter logic [7:0] OptionMss = 8'd2;
  parameter logic [7:0] OptionScale = 8'd3;  // RFC 7323, 2
  parameter logic [7:0] OptionSackPermitted = 8'd4;  // RFC 2018, 2
  parameter logic [7:0] OptionSack = 8'd5;  // RFC 2018, 3
  parameter logic [7:0] OptionTimestamps = 8'd8;  // RFC 7323, 3

  typedef logic [31:0] seq_t;
  typedef logic [43:0] long_time_t;  // tcp_clock

  // a - b - less, with one adder.
  function automatic seq_t difference(seq_t a, seq_t b, logic less);
    logic [32:0] sum;
    sum = {a, 1'b1} + {~b, ~less};
    return sum[32:1];
  endfunction

  // Bytes left to right - 1 (RFC 2018, 3).
  typedef struct packed {
    seq_t left;
    seq_t right;
  } sack_block_t;
  parameter int unsigned MaxSackBlocks = 4;  // SACK blocks of a segment sent

  // Decoded options of a header. A value is valid only with its flag.
  typedef struct packed {
    logic has_mss;
    logic [15:0] mss;
    logic has_scale;
    logic [3:0] scale;  // at most 14 (RFC 7323, 2.3)
    logic sack_permitted;
    logic has_timestamps;
    logic [31:0] ts_value;
    logic [31:0] ts_echo;
    logic has_sack;
    sack_block_t sack;  // one block, the first has priority: it is the most recent (RFC 2018, 4)
  } options_t;

  // Window shift to use, limited to 14 (RFC 7323, 2.3).
  function automatic logic [3:0] clamp_scale(logic [7:0] shift);
    return shift > 8'd14 ? 4'd14 : shift[3:0];
  endfunction

  // A received segment. Fields are numbers, not in wire order.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    bombus_pkg::vlan_t vlan;
    logic [7:0] tos;
    logic [31:0] ip;  // address of the peer
    logic [15:0] src_port;  // address of the peer
    logic [15:0] dst_port;  // own port
    seq_t seq;
    seq_t ack;
    flags_t flags;
    logic [15:0] window;  // not scaled
    bombus_pkg::length_t length;  // payload bytes
    // A further SACK block of an earlier acknowledgement; other segments of the session may have
    // arrived in between. Besides the block, only the acknowledgement number and the timestamps are
    // those of that acknowledgement. It has no payload, not even an empty one.
    logic sack_only;
    options_t options;
    bombus_pkg::message_number_t message;  // for reports of drops
  } segment_t;

  // The key of a session. Our address is that of the MAC port.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    logic [31:0] ip;  // address of the peer
    logic [15:0] peer_port;
    logic [15:0] own_port;
  } tuple_t;

  // The part of it that limits of peers count by.
  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    logic [31:0] ip;
  } peer_t;

  // Keys of the hashes over what peers choose, independent of each other: words of the register
  // `secret`, the first one lowest.
  typedef struct packed {
    logic [31:0]  peers;      // counters of sessions by peer (tcp_peers)
    logic [95:0]  sessions;   // lines of the session table
    logic [127:0] functions;  // SipHash: initial sequence numbers, timestamps, local ports
  } keys_t;

  // Operations of tcp_sessions.
  typedef enum logic [1:0] {
    SessionFind,
    SessionInsert,  // insert, or find if it exists
    SessionRemove
  } session_op_e;

  // ---- Metadata of the kinds of messages ----

  typedef logic [13:0] session_t;  // up to 16,384
  parameter int unsigned MaxSessions = 2 ** $bits(session_t);

  // Whether a number of sessions is a power of two, from least to MaxSessions.
  function automatic bit is_num_sessions(int unsigned number, int unsigned least);
    return number >= least && number <= MaxSessions && (number & (number - 1)) == 0;
  endfunction

  parameter int unsigned SessionLutDepth = 128;  // sessions whose state is in LUTRAM: sized_memory

  // Changes of a session, reported to its application
  typedef struct packed {
    logic opened;
    logic readable;
    logic writable;
    logic peer_closed;  // all bytes have arrived
    logic closed;       // the session has ended
    logic failed;       // see cause_e
    logic reported;     // the path has reported an error (cause_e); the session remains open
    logic connecting;   // the session of a requested connection, which is not open yet
  } changes_t;

  // Why a connection has failed, or what the path has reported; CauseNone without either.
  typedef enum logic [2:0] {
    CauseNone,
    // failed and closed
    CauseReset,  // by the peer; of a connection that never opened: refused by it or by the path
    CauseTimeout,  // the peer has not answered
    CauseEvicted,  // it was idle, and its session was needed
    // failed alone: a requested connection
    CauseNoSession,
    CausePortInUse,  // another session has the requested local port and the peer
    // reported
    CauseUnreachable,  // network or host unreachable, time exceeded, parameter problem
    CauseRefused  // protocol or port unreachable
  } cause_e;

  // Requests of an application. `argument`: sequence number up to which it has written or read, or
  // for which it waits, unless stated otherwise.
  typedef enum logic [3:0] {
    RequestNone,
    RequestSend,
    RequestRelease,
    RequestReadable,  // `toggle`: inverted for each new request, after the response to the last one
    RequestWritable,
    RequestClose,  // no more data will be written after `argument`; reading continues
    RequestAbort,
    RequestFree,  // after closed: no further requests; everything up to `argument` was written
    RequestListen,  // accept connections to port `argument`
    RequestConnect,  // open a connection to peer_port of address `argument`
    // Send buffer only: amount of payload whose transmission has started since reset, in load_t
    RequestSent,
    RequestUnlisten,  // accept no more connections to port `argument`
    RequestSet,  // settings of a session: `argument`, see settings_of
    // RequestClose, and no more data will be read: bytes that are not released reset the connection
    RequestCloseBoth
  } request_e;

  // Settings of a session, all 0 when it is opened. The bits have an effect if the engine has Nagle
  // or KeepaliveS.
  typedef struct packed {
    logic [15:0] user_timeout;  // in 65,536 us (RFC 9293, 3.9.1.2); 0: UserTimeoutS
    logic no_keepalive;
    logic no_delay;  // no Nagle
  } settings_t;

  // The settings in the argument of RequestSet: the timeout in the upper half.
  function automatic settings_t settings_of(seq_t argument);
    return '{user_timeout: argument[31:16], no_keepalive: argument[1], no_delay: argument[0]};
  endfunction

  // Kind tcp_request, application or send buffer to engine. The fields after toggle are only for
  // RequestConnect; port is the port of the application, to which its events are sent.
  typedef struct packed {
    request_e              request;
    session_t              session;
    seq_t                  argument;
    logic                  toggle;
    bombus_pkg::mac_port_t mac_port;
    logic [15:0]           peer_port;
    logic [15:0]           port;
    logic [15:0]           own_port;   // local port; 0: the engine chooses one
  } tcp_request_meta_t;
  parameter bit TcpRequestHasPayload = 1'b0;

  // Kind tcp_error, tcp_errors to engine: an error reported by the path to a peer for a segment
  // sent (RFC 9293, 3.9.2.2). Data: its sequence number, lowest byte first.
  typedef struct packed {
    tuple_t              tuple;
    logic                refuses;  // a requested connection is refused
    logic                too_big;
    bombus_pkg::length_t mss;      // with too_big: MSS of the path
  } tcp_error_meta_t;

  // Kind tcp_import: a packet for the engine from the host that moves its connection
  // (tcp_handover). Its SYN chooses our initial sequence number by its acknowledgement number, and
  // our timestamp clock by the echoed timestamp.
  typedef struct packed {bombus_pkg::packet_meta_t packet;} tcp_import_meta_t;

  // Kind tcp_event, engine to application, through the receive buffer if there is one: bytes up to
  // read_end have arrived, and bytes up to write_end may be written. port is that of the
  // application: our own port if the peer opened the connection. failed without closed: no session
  // or port was free for the requested connection of that tuple. reported may precede opened: then
  // only the tuple identifies the requested connection.
  typedef struct packed {
    logic [15:0] port;
    session_t session;
    changes_t changes;
    cause_e cause;
    bombus_pkg::length_t mss;  // payload bytes of a full segment
    seq_t read_end;
    seq_t write_end;  // until the session is open, the first byte: space must be requested
    tuple_t tuple;
  } tcp_event_meta_t;
  parameter bit TcpEventHasPayload = 1'b0;

  // Kind tcp_segment, engine to send buffer: a TCP header as data, to be followed by payload_length
  // bytes of the session's stream from sequence number start on. packet is the metadata of the
  // resulting packet; csum covers only the pseudo-header, since mac_tx sums header and payload.
  typedef struct packed {
    session_t                 session;
    seq_t                     start;
    bombus_pkg::length_t      payload_length;
    bombus_pkg::packet_meta_t packet;
  } tcp_segment_meta_t;

  // The line time of a segment with payload, in units of 64 bytes, modulo 2**16.
  typedef logic [15:0] load_t;
  function automatic load_t load_of(bombus_pkg::length_t payload_length);
    return payload_length == '0 ? '0 : load_t'(payload_length[13:6]) + 16'd2;
  endfunction

  // Kind tcp_data: bytes of a stream as data, byte n at sequence number start + n. From an
  // application to the send buffer; from the engine to the receive buffer or, without one, to the
  // application. port, that of the application, is set only by the engine. skip: bytes to ignore at
  // the front.
  typedef struct packed {
    logic [15:0]         port;
    session_t            session;
    seq_t                start;
    bombus_pkg::length_t skip;
  } tcp_data_meta_t;

  // Kind tcp_read, application to receive buffer: requests length bytes from sequence number start
  // on, to be sent as kind tcp_data to the application of this port.
  typedef struct packed {
    logic [15:0]         port;
    session_t            session;
    seq_t                start;
    bombus_pkg::length_t length;
  } tcp_read_meta_t;
  parameter bit TcpReadHasPayload = 1'b0;

endpackage
