// SPDX-License-Identifier: Apache-2.0
// Finds the session of each received segment, or creates one: for a SYN to a listening port (RFC
// 9293, 3.10.7.2), and, with ActiveOpen, for a connection requested by an application
// (tcp_connect). A segment without a session is refused. Errors reported by paths share the slots
// of requested connections; an error that arrives while another waits is lost.
//
// At most MaxHalfOpen sessions opened by peers may have an incomplete handshake, so that a flood of
// SYNs does not use up all sessions, and a peer may open at most MaxPerPeer. Without keys
// (tcp_secret), SYNs are dropped, and requested connections wait.
//
// Latency: 6 cycles, 25 for a segment that creates a session. Throughput: a segment per cycle,
// except while sessions are created or removed.
`include "bombus_assert.svh"

module tcp_lookup
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumMacPorts = 1,
    parameter bit ActiveOpen = 1,
    parameter int unsigned MaxHalfOpen = NumSessions / 2,
    parameter int unsigned MaxPerPeer = NumSessions,  // NumSessions: no limit
    parameter bit Errors = 0,  // 0: no errors are reported
    parameter bit Imports = 0  // a SYN with URG continues a connection
) (
    input logic clk_i,
    input logic rst_i,
    input long_time_t long_time_i,
    input keys_t keys_i,  // fixed from their first use on
    input logic has_keys_i,
    output logic uses_keys_o,

    input  segment_t segment_i,
    input  logic     segment_valid_i,
    output logic     segment_ready_o,
    // Fields of a SYN that is offered again (tcp_reopen), until reopened_taken_o
    input  segment_t reopened_i,
    output logic     reopened_taken_o,

    output arrival_t arrival_o,
    output logic     arrival_valid_o,
    input  logic     arrival_ready_i,

    output logic order_o,  // in segment order: the segment has a session
    output logic order_valid_o,
    input logic order_room_i,

    output segment_t refused_o,
    output logic     refused_valid_o,
    // SYNs that are dropped: there is no key; the peer has MaxPerPeer sessions; none is free, or
    // MaxHalfOpen handshakes are incomplete
    output logic     no_secret_o,
    output logic     peer_limit_o,
    output logic     no_session_o,
    output logic     short_o,          // no session is free, or none will be for the next SYN
    output logic     starved_o,        // no session is free for a SYN

    input  session_t free_i,
    input  logic     free_valid_i,
    output logic     free_ready_o,

    input  logic        listen_i,
    input  logic        listen_open_i,  // 0: no longer
    input  logic [15:0] listen_port_i,
    output logic        listen_ready_o,

    // Connections to be opened, and those that did not get a session
    input tcp_request_meta_t connect_i,
    input logic connect_valid_i,
    output logic connect_lost_o,  // see tcp_connect
    output logic [15:0] missed_port_o,
    output tuple_t missed_tuple_o,
    output logic missed_in_use_o,
    output logic missed_valid_o,
    input logic missed_ready_i,

    // Errors of segments that were sent
    input tcp_error_meta_t error_i,
    input seq_t error_seq_i,
    input logic error_valid_i,
    output logic [1:0] error_lost_o,  // dropped: another error waits; no session sent the segment

    input logic half_done_i,  // a session has completed its handshake or ended

    // Properties with which the session of the previous cycle was opened
    input session_t session_i,
    output tuple_t tuple_o,
    output logic [31:0] stamp_offset_o,  // of its timestamps (RFC 7323, 7.1)
    output bombus_pkg::vlan_t vlan_o,
    output logic [15:0] port_o,  // port of its application

    output logic busy_o
);

  localparam int unsigned IndexWidth = $clog2(NumSessions);

  if (MaxHalfOpen < 1 || MaxHalfOpen > NumSessions) begin : gen_bad_half_open
    $error("tcp_lookup: MaxHalfOpen must be from 1 to NumSessions");
  end

  // ---- Check whether the port is open ----

  segment_t segment_q;
  logic segment_valid_q, segment_take, open;
  logic [15:0] port;
  assign segment_ready_o = ~segment_valid_q | segment_take;
  assign port = segment_ready_o ? segment_i.dst_port : segment_q.dst_port;
  always_ff @(posedge clk_i) begin
    if (segment_ready_o) segment_q <= segment_i;
    if (rst_i) segment_valid_q <= 1'b0;
    else if (segment_ready_o) segment_valid_q <= segment_valid_i;
  end
  tcp_listening u_listening (
      .clk_i,
      .rst_i,
      .listen_i,
      .listen_open_i,
      .listen_port_i,
      .ready_o(listen_ready_o),
      .port_i (port),
      .open_o (open)
  );
  // The limit of its peer
  localparam int unsigned CounterWidth =
      NumSessions < 64 ? 8 : NumSessions > 4096 ? 14 : IndexWidth + 2;
  logic [CounterWidth-1:0] counter, waiting_counter_q;
  logic peer_full, peers_ready, opened, opened_by_peer, frees;
  session_t session;
  tcp_peers #(
      .NumSessions(NumSessions),
      .MaxPerPeer (MaxPerPeer)
  ) u_peers (
      .clk_i,
      .rst_i,
      .key_i(keys_i.peers),
      .peer_i('{mac_port: segment_i.mac_port, ip: segment_i.ip}),
      .load_i(segment_ready_o),
      .counter_o(counter),
      .full_o(peer_full),
      .ready_o(peers_ready),
      .open_i(opened),
      .counts_i(opened_by_peer),
      .counter_i(waiting_counter_q),
      .open_session_i(session[IndexWidth-1:0]),
      .free_i(frees),
      .free_session_i(free_i[IndexWidth-1:0])
  );

  // ---- Session table; segments wait for its response ----

  // Requested connections alternate with segments.
  tuple_t requested;
  logic [15:0] requested_port;
  logic requested_valid, request_first_q, connect_busy;
  logic port_waits, hashes_port, hash_done;
  logic [63:0] hash;
  tcp_error_meta_t error_q;
  seq_t error_seq_q;
  logic error_valid_q;
  wire request_turn = request_first_q | ~segment_valid_q;
  wire connect = requested_valid & request_turn;
  wire report = error_valid_q & ~requested_valid & request_turn;
  wire no_segment = connect | report;
  wire opens = segment_q.flags.syn & ~segment_q.flags.ack & ~segment_q.flags.rst & open;
  tuple_t tuple;
  always_comb begin
    tuple = '{
        mac_port: segment_q.mac_port,
        ip: segment_q.ip,
        peer_port: segment_q.src_port,
        own_port: segment_q.dst_port
    };
    if (connect) tuple = requested;
    if (report) tuple = error_q.tuple;
  end
  logic table_ready, done, hit, made;
  logic crowded_q;
  logic [3:0] pending_q;  // look-ups whose segments wait; removals are counted one cycle late
  logic leaves_q;
  wire room = (pending_q < 4'd9) & order_room_i;
  // One session is created or removed at a time, so that tcp_peers has counted all others.
  logic [3:0] making_q;
  wire steady = peers_ready & making_q == '0;
  wire may_open = opens & ~crowded_q & ~peer_full & has_keys_i;
  wire makes = connect | (may_open & ~report);
  wire removes = free_valid_i & steady;
  // Any SYN waits, since it is known late which ones open sessions.
  wire may_make = connect | (segment_q.flags.syn & ~no_segment);
  wire find = (segment_valid_q | requested_valid | error_valid_q) & room & ~removes &
      (steady | ~may_make);
  wire begins = find & table_ready;
  assign segment_take = begins & ~no_segment;
  assign free_ready_o = table_ready & steady;
  assign frees = removes & table_ready;
  assign uses_keys_o = begins & makes;

  logic [$clog2(NumSessions):0] unused_free;
  tcp_sessions #(
      .NumSessions(NumSessions),
      .NumMacPorts(NumMacPorts)
  ) u_sessions (
      .clk_i,
      .rst_i,
      .seed_i(keys_i.sessions),
      .valid_i(find | removes),
      .ready_o(table_ready),
      .op_i(removes ? SessionRemove : makes ? SessionInsert : SessionFind),
      .tuple_i(tuple),
      .session_i(free_i),
      .done_o(done),
      .hit_o(hit),
      .new_o(made),
      .session_o(session),
      .read_session_i(session_i),
      .read_tuple_o(tuple_o),
      .free_o(unused_free)
  );
  // A removal also reports done, but has no segment.
  logic [3:0] removal_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) removal_q <= '0;
    else removal_q <= {removal_q[2:0], removes & table_ready};
  end
  wire found = done & ~removal_q[3];

  typedef struct packed {
    logic connects;
    logic reports;
    segment_t segment;
    seq_t last;
  } waiting_t;
  waiting_t waiting;
  segment_t pseudo_segment;  // empty except for a tuple and the data of an error
  always_comb begin
    pseudo_segment = '0;
    pseudo_segment.mac_port = tuple.mac_port;
    pseudo_segment.ip = tuple.ip;
    pseudo_segment.src_port = tuple.peer_port;
    pseudo_segment.dst_port = tuple.own_port;
    pseudo_segment.ack = error_seq_q;
    pseudo_segment.flags.rst = report;
    pseudo_segment.flags.urg = error_q.refuses & report;
    pseudo_segment.options.has_mss = error_q.too_big & report;
    pseudo_segment.options.mss = 16'(error_q.mss);
  end
  wire reopened = segment_q.sack_only & segment_q.flags.syn;
  assign reopened_taken_o = segment_take & reopened;
  segment_t looked_up;
  always_comb begin
    looked_up = reopened ? reopened_i : segment_q;
    if (no_segment) looked_up = pseudo_segment;
  end
  logic unused_head, unused_valid, unused_ready;
  head_fifo #(
      .head_t(logic),
      .body_t(waiting_t),
      .Depth (8)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .in_head_i(1'b0),
      .in_body_i(
      '{
          connects: connect,
          reports: report,
          segment: looked_up,
          last: segment_q.seq + 32'(segment_q.length)
      }
      ),
      .in_valid_i(begins),
      .in_ready_o(unused_ready),
      .out_head_o(unused_head),
      .out_body_o(waiting),
      .out_valid_o(unused_valid),
      .out_ready_i(found)
  );

  // ---- Result of the look-up ----

  // A connection request was looked up, successfully or not
  wire connected = found & waiting.connects;
  wire has_session = waiting.connects ? made : hit | made;
  wire loses = found & ~has_session;
  typedef struct packed {
    bombus_pkg::vlan_t vlan;
    logic [15:0] port;
  } opened_t;
  wire opened_t opened_now =
  '{
      vlan: waiting.segment.vlan,
      port: waiting.connects ? requested_port : waiting.segment.dst_port
  }
  ;
  opened_t opened_with;
  sized_memory #(
      .data_t(opened_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_opened (
      .clk_i,
      .write_addr_i(session[IndexWidth-1:0]),
      .data_i(opened_now),
      .write_i(found & made),
      .read_addr_i(session_i[IndexWidth-1:0]),
      .data_o(opened_with)
  );
  assign {vlan_o, port_o} = opened_with;
  assign opened = found & made;
  assign opened_by_peer = ~waiting.connects;
  // The counter of the peer whose session is being created
  always_ff @(posedge clk_i) if (begins & makes) waiting_counter_q <= counter;

  // A SYN counts from the start of its look-up; otherwise many in a row would all find room.
  logic [IndexWidth+1:0] half_open_q;
  logic [3:0] claims_q;
  wire claims = begins & ~no_segment & may_open;
  logic declined_q;  // it creates no session
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      half_open_q <= '0;
      claims_q <= '0;
      declined_q <= 1'b0;
      crowded_q <= 1'b0;
      making_q <= '0;
    end else begin
      half_open_q <= half_open_q + (IndexWidth + 2)'(claims_q[0]) - (IndexWidth + 2)'(declined_q) -
          (IndexWidth + 2)'(half_done_i);
      claims_q <= {claims_q[2:0], claims};
      declined_q <= found & claims_q[3] & ~made;
      making_q <= {making_q[2:0], begins & makes};
      // This is early enough: no look-up begins in the two cycles after one that may insert
      // (tcp_session_table).
      crowded_q <= half_open_q >= (IndexWidth + 2)'(MaxHalfOpen);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) request_first_q <= 1'b0;
    else if (begins) request_first_q <= ~no_segment;
  end

  if (Errors) begin : gen_errors
    always_ff @(posedge clk_i) begin
      if (~error_valid_q) {error_q, error_seq_q} <= {error_i, error_seq_i};
      if (rst_i) begin
        error_valid_q <= 1'b0;
        error_lost_o  <= '0;
      end else begin
        error_valid_q <= error_valid_q ? ~(begins & report) : error_valid_i;
        error_lost_o  <= {loses & waiting.reports, error_valid_i & error_valid_q};
      end
    end
  end else begin : gen_no_errors
    wire unused_error = &{error_i, error_seq_i, error_valid_i};
    assign {error_q, error_seq_q, error_valid_q} = '0;
    assign error_lost_o = '0;
  end
  if (ActiveOpen) begin : gen_connect
    tcp_connect #(
        .NumSessions(NumSessions),
        .NumMacPorts(NumMacPorts)
    ) u_connect (
        .clk_i,
        .rst_i,
        .start_i(has_keys_i),
        .hash_valid_o(port_waits),
        .hash_done_i(hash_done & hashes_port),
        .hash_i(hash[13:0]),
        .request_i(connect_i),
        .request_valid_i(connect_valid_i),
        .lost_o(connect_lost_o),
        .tuple_o(requested),
        .port_o(requested_port),
        .valid_o(requested_valid),
        .taken_i(begins & connect),
        .done_i(connected),
        .hit_i(hit),
        .made_i(made),
        .in_use_o(missed_in_use_o),
        .missed_o(missed_valid_o),
        .missed_ready_i,
        .busy_o(connect_busy)
    );
  end else begin : gen_no_connect
    wire tcp_request_meta_t unused_connect = connect_i;
    wire unused_missed_ready = missed_ready_i;
    always_ff @(posedge clk_i) connect_lost_o <= connect_valid_i & ~rst_i;
    assign requested = '0;
    assign requested_port = '0;
    assign requested_valid = 1'b0;
    assign port_waits = 1'b0;
    assign missed_in_use_o = 1'b0;
    assign missed_valid_o = 1'b0;
    assign connect_busy = 1'b0;
  end
  assign missed_port_o  = requested_port;
  assign missed_tuple_o = requested;

  logic [3:0] opens_q, silent_q, limited_q;
  always_ff @(posedge clk_i) begin
    opens_q <= {opens_q[2:0], opens & ~no_segment};
    limited_q <= {limited_q[2:0], peer_full & ~crowded_q};
    // LISTEN drops segments with neither SYN nor ACK (RFC 9293, 3.10.7.2).
    silent_q <= {silent_q[2:0], open & ~no_segment & ~segment_q.flags.syn & ~segment_q.flags.ack};
    order_o <= has_session;
    order_valid_o <= found & ~waiting.connects & ~waiting.reports & ~waiting.segment.sack_only &
        ~rst_i;
    refused_o <= waiting.segment;
    refused_valid_o <= loses & ~waiting.connects & ~waiting.segment.sack_only & ~opens_q[3] &
        ~silent_q[3] & ~waiting.segment.flags.rst & ~rst_i;
    short_o <= ((loses & opens_q[3] & ~limited_q[3] & has_keys_i) |
                (half_open_q >= (IndexWidth + 2)'(MaxHalfOpen) & ~crowded_q)) & ~rst_i;
    starved_o <= loses & claims_q[3] & ~rst_i;
    no_secret_o <= loses & opens_q[3] & ~has_keys_i & ~rst_i;
    peer_limit_o <= loses & opens_q[3] & limited_q[3] & has_keys_i & ~rst_i;
    no_session_o <= loses & opens_q[3] & ~limited_q[3] & has_keys_i & ~rst_i;
  end

  arrival_t arrival, next_arrival;
  logic unused_arrival_ready, next_valid;
  assign arrival = '{
          opens: made,
          connects: waiting.connects,
          reports: waiting.reports,
          session: session,
          last: waiting.last,
          first: '0,
          segment: waiting.segment
      };
  // The fields that tcp_core needs for its selection.
  typedef struct packed {
    logic opens;
    session_t session;
  } arrival_head_t;
  arrival_head_t next_head;
  arrival_t next_body;
  head_fifo #(
      .head_t(arrival_head_t),
      .body_t(arrival_t),
      .Depth (16)
  ) u_arrivals (
      .clk_i,
      .rst_i,
      .in_head_i  ('{opens: made, session: session}),
      .in_body_i  (arrival),
      .in_valid_i (found & has_session),
      .in_ready_o (unused_arrival_ready),
      .out_head_o (next_head),
      .out_body_o (next_body),
      .out_valid_o(next_valid),
      .out_ready_i(arrival_ready_i & arrival_valid_o)
  );
  always_comb begin
    next_arrival = next_body;
    next_arrival.opens = next_head.opens;
    next_arrival.session = next_head.session;
  end

  // A keyed hash of addresses and ports, which does not reveal its key: one half starts the
  // sequence numbers (RFC 6528), the other one the timestamps. Another one, of the address and port
  // of a peer, selects local ports.
  logic hashing_q, first_valid_q, hashes_port_q;
  seq_t first_q;
  wire tuple_t opened_tuple =
  '{
      mac_port: next_arrival.segment.mac_port,
      ip: next_arrival.segment.ip,
      peer_port: next_arrival.segment.src_port,
      own_port: next_arrival.segment.dst_port
  }
  ;
  wire waits = next_valid & next_arrival.opens & ~first_valid_q;
  // A connection that is moved here continues with its sequence numbers and timestamps.
  wire imports = Imports & next_arrival.segment.flags.urg;
  wire tuple_t port_tuple =
  '{
      mac_port: requested.mac_port,
      ip: requested.ip,
      peer_port: requested.peer_port,
      own_port: '0
  }
  ;
  assign hashes_port = hashing_q ? hashes_port_q : ~waits;
  wire first_done = hash_done & ~hashes_port;
  siphash #(
      .DataWidth($bits(tuple_t) + 1)
  ) u_hash (
      .clk_i,
      .rst_i,
      .key_i  (keys_i.functions),
      .start_i((waits | port_waits) & ~hashing_q),
      .data_i ({hashes_port, hashes_port ? port_tuple : opened_tuple}),
      .done_o (hash_done),
      .hash_o (hash)
  );
  sized_memory #(
      .data_t(logic [31:0]),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_stamps (
      .clk_i,
      .write_addr_i(next_arrival.session[IndexWidth-1:0]),
      .data_i(imports ? next_arrival.segment.options.ts_echo - long_time_i[10+:32] : hash[63:32]),
      .write_i(first_done),
      .read_addr_i(session_i[IndexWidth-1:0]),
      .data_o(stamp_offset_o)
  );
  always_ff @(posedge clk_i) begin
    hashing_q <= (waits | port_waits) & ~hash_done & ~rst_i;
    hashes_port_q <= hashes_port;
    first_valid_q <= (first_done | (first_valid_q & ~arrival_ready_i)) & ~rst_i;
    // A clock of 32 bits that ticks every 4 us (RFC 9293, 3.4.1; RFC 6528, 3).
    if (first_done) begin
      first_q <= imports ? next_arrival.segment.ack : long_time_i[2+:32] + hash[31:0];
    end
  end
  assign arrival_valid_o = next_valid & ~waits;
  always_comb begin
    arrival_o = next_arrival;
    arrival_o.first = first_q;
  end

  // A slot of the last FIFO is reserved for each segment inside.
  always_ff @(posedge clk_i) begin
    leaves_q <= arrival_valid_o & arrival_ready_i & ~rst_i;
    if (rst_i) pending_q <= '0;
    else pending_q <= pending_q + 4'(begins) - 4'(loses) - 4'(leaves_q);
  end

  assign busy_o = segment_valid_q | (pending_q != '0) | connect_busy;

  `BOMBUS_ASSERT(WaitingHasRoom, !begins || unused_ready)
  `BOMBUS_ASSERT(ArrivalsHaveRoom, !(found && has_session) || unused_arrival_ready)

endmodule
