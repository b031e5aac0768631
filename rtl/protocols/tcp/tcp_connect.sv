// SPDX-License-Identifier: Apache-2.0
// Connections requested by applications (RFC 9293, 3.9.1.1): assigns each a local port (RFC 6056,
// 3.3.3, with SipHash) and an entry in the session table.
//
// Requests are accepted at once and queued here, up to NumSessions of them; a further one is lost,
// so applications must limit their unanswered requests. (A request must not wait for a response to
// be sent, and the number of queued responses must be bounded.) One request at a time is looked up
// in the table; if peer and port are already in use, it is retried with the next port, up to 2**14
// times. The port of the application itself is skipped: it distinguishes connections of peers from
// requested ones. A request may choose its port: if that is in use, it fails.
`include "bombus_assert.svh"

module tcp_connect
  import tcp_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumMacPorts = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic start_i, // requests wait until the hash has a key

    input tcp_request_meta_t request_i,
    input logic request_valid_i,
    output logic lost_o,  // one cycle later: the queue was full, or the request is bad

    // The hash of tuple_o without own_port
    output logic hash_valid_o,  // until hash_done_i
    input logic hash_done_i,
    input logic [13:0] hash_i,

    // To be inserted into the table; the response follows taken_i
    output tuple_t tuple_o,
    output logic [15:0] port_o,  // port of the application
    output logic valid_o,
    input logic taken_i,
    input logic done_i,
    input logic hit_i,  // another session has this tuple
    input logic made_i,

    // No session or no port was free, or the peer's port is 0, or there is no such MAC port;
    // in_use_o: the port that the request has chosen is in use
    output logic missed_o,
    output logic in_use_o,
    input  logic missed_ready_i,

    output logic busy_o
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_connect: NumSessions must be a power of two, 2 to 16384");
  end
  if (NumMacPorts < 1 || NumMacPorts > 2 ** $bits(bombus_pkg::mac_port_t)) begin : gen_bad_ports
    $error("tcp_connect: NumMacPorts must be 1 to %0d", 2 ** $bits(bombus_pkg::mac_port_t));
  end

  // Such a request has an answer, but opens no connection.
  function automatic logic is_bad(bombus_pkg::mac_port_t mac_port, logic [15:0] peer_port);
    return 32'(mac_port) >= NumMacPorts || peer_port == '0;
  endfunction

  // ---- Waiting requests ----

  typedef struct packed {
    bombus_pkg::mac_port_t mac_port;
    logic [31:0] ip;
    logic [15:0] peer_port;
    logic [15:0] port;
    logic [15:0] own_port;  // 0: any
  } entry_t;
  localparam int unsigned CountWidth = $clog2(NumSessions) + 1;
  logic [CountWidth-1:0] waiting_q;
  entry_t entry;
  logic entry_valid, entry_take;
  wire full = waiting_q == CountWidth'(NumSessions);
  wire write = request_valid_i & ~full;
  block_fifo #(
      .data_t(entry_t),
      .Depth (NumSessions)
  ) u_waiting (
      .clk_i,
      .rst_i,
      .data_i(
      '{
          mac_port: request_i.mac_port,
          ip: request_i.argument,
          peer_port: request_i.peer_port,
          port: request_i.port,
          own_port: request_i.own_port
      }
      ),
      .write_i(write),
      .data_o(entry),
      .valid_o(entry_valid),
      .ready_i(entry_take)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) waiting_q <= '0;
    else waiting_q <= waiting_q + CountWidth'(write) - CountWidth'(entry_take);
    lost_o <= request_valid_i & (full | is_bad(request_i.mac_port, request_i.peer_port)) & ~rst_i;
  end

  // ---- Handle one at a time ----

  typedef enum logic [2:0] {
    Idle,
    Hash,
    Check,
    Insert,
    Wait,
    Missed
  } state_e;
  state_e state_q;
  logic hashed_q, in_use_q;
  logic [13:0] hash_q, offset_q, tries_q;
  // Of the entry: set while Idle
  logic chosen_q;
  logic [15:0] own_port_q;
  wire chosen = entry.own_port != '0;
  wire [13:0] any_port = hash_q + offset_q;
  wire again = hit_i & ~&tries_q & ~chosen_q;

  always_ff @(posedge clk_i) begin
    chosen_q   <= chosen;
    own_port_q <= chosen ? entry.own_port : {2'b11, any_port};
    if (hash_done_i & hash_valid_o) hash_q <= hash_i;
    hashed_q <= (hashed_q | (hash_done_i & hash_valid_o)) & ~entry_take & ~rst_i;
    if (rst_i) begin
      state_q  <= Idle;
      offset_q <= '0;
      tries_q  <= '0;
    end else begin
      unique case (state_q)
        Idle:
        if (entry_valid & start_i) begin
          in_use_q <= 1'b0;
          if (is_bad(entry.mac_port, entry.peer_port)) state_q <= Missed;
          else state_q <= hashed_q ? Check : Hash;
        end
        Hash:   if (hash_done_i) state_q <= Idle;
        Check: begin
          state_q  <= Insert;
          in_use_q <= 1'b1;
          if (own_port_q == entry.port) begin
            state_q  <= chosen_q ? Missed : Idle;
            offset_q <= offset_q + 14'd1;
            tries_q  <= chosen_q ? '0 : tries_q + 14'd1;
          end
        end
        Insert: if (taken_i) state_q <= Wait;
        Wait: begin
          if (done_i) begin
            in_use_q <= hit_i;
            state_q  <= made_i | again ? Idle : Missed;
            tries_q  <= again ? tries_q + 14'd1 : '0;
            if (made_i | again) offset_q <= offset_q + 14'd1;
          end
        end
        default: begin
          if (missed_ready_i) begin
            state_q  <= Idle;
            offset_q <= offset_q + 14'd1;
          end
        end
      endcase
    end
  end

  assign hash_valid_o = state_q == Hash;
  assign valid_o = state_q == Insert;
  assign missed_o = state_q == Missed;
  assign in_use_o = chosen_q & in_use_q;
  assign entry_take = (state_q == Wait & done_i & made_i) | (missed_o & missed_ready_i);
  assign port_o = entry.port;
  assign tuple_o = '{
          mac_port: entry.mac_port,
          ip: entry.ip,
          peer_port: entry.peer_port,
          own_port: own_port_q
      };
  assign busy_o = (waiting_q != '0) & start_i;

  `BOMBUS_ASSERT(WaitingIsLegal, 32'(waiting_q) <= NumSessions)

endmodule
