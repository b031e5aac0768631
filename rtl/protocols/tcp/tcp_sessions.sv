// SPDX-License-Identifier: Apache-2.0
// The sessions of TCP, found by address and ports of the peer, own port and MAC port.
//
// For a segment that opens a session, SessionInsert finds an existing session or creates one.
// Latency, throughput and ready_o: tcp_session_table.
module tcp_sessions
  import bombus_pkg::*;
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 1024,  // a power of two
    parameter int unsigned NumMacPorts = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [95:0] seed_i,  // of the hash: fixed from the first insertion on; a secret

    input logic valid_i,
    output logic ready_o,  // independent of the inputs
    input session_op_e op_i,
    input tuple_t tuple_i,  // for find and insert
    input session_t session_i,  // for remove

    // Four cycles later
    output logic done_o,
    output logic hit_o,  // the session existed: found, not inserted again, or removed
    output logic new_o,  // inserted; if neither is set, there is no room
    output session_t session_o,  // with hit_o or new_o

    // The tuple of a session, one cycle later. Undefined for a free session.
    input  session_t read_session_i,
    output tuple_t   read_tuple_o,

    output logic [$clog2(NumSessions):0] free_o  // sessions that can still be created
);

  if (NumSessions < 16) begin : gen_bad_number
    $error("tcp_sessions: NumSessions must be at least 16");
  end
  if (NumMacPorts < 1 || NumMacPorts > MaxMacPorts) begin : gen_bad_ports
    $error("tcp_sessions: NumMacPorts must be from 1 to MaxMacPorts");
  end

  localparam int unsigned PortBits = NumMacPorts > 1 ? $clog2(NumMacPorts) : 0;
  localparam int unsigned KeyWidth = $bits(tuple_t) - $bits(mac_port_t) + PortBits;
  typedef logic [KeyWidth-1:0] key_t;
  typedef logic [$clog2(NumSessions)-1:0] number_t;

  // The MAC port is in the highest bits, of which the unused ones are cut off.
  key_t read_key;
  number_t session;
  if (NumSessions > 32) begin : gen_table
    tcp_session_table #(
        .KeyWidth(KeyWidth),
        .NumSessions(NumSessions)
    ) u_table (
        .seed_i(key_t'(seed_i)),
        .key_i(key_t'(tuple_i)),
        .session_i(number_t'(session_i)),
        .session_o(session),
        .read_session_i(number_t'(read_session_i)),
        .read_key_o(read_key),
        .*
    );
  end else begin : gen_match
    wire key_t unused_seed = key_t'(seed_i);
    tcp_session_match #(
        .KeyWidth(KeyWidth),
        .NumSessions(NumSessions)
    ) u_match (
        .key_i(key_t'(tuple_i)),
        .session_i(number_t'(session_i)),
        .session_o(session),
        .read_session_i(number_t'(read_session_i)),
        .read_key_o(read_key),
        .*
    );
  end
  assign session_o = session_t'(session);
  assign read_tuple_o = tuple_t'(read_key);

endmodule
