// SPDX-License-Identifier: Apache-2.0
// ICMP errors for the TCP engine (RFC 9293, 3.9.2.2; RFC 1122, 4.2.3.9): determines the meaning of
// each for the connection whose segment it quotes.
//
// Fragmentation needed: the MTU of the path, but at least LeastPathMtu, since errors can be forged
// (RFC 5927, 7). Protocol or port unreachable: the connection is refused. All others report a
// temporary problem of the path. Only the engine can decide whether the quoted segment was sent.
//
// In a design without this layer, or without icmp_echo, the engine ignores errors and has no logic
// for them. Latency: 2 cycles. Throughput: one message per cycle.
module tcp_errors
  import icmp_pkg::*;
  import tcp_pkg::*;
#(
    parameter type beat_t = logic,
    parameter type request_beat_t = beat_t,
    parameter int unsigned LeastPathMtu = 552,
    parameter int unsigned KindTcpError = 1  // filled in by Bombus
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output request_beat_t request_o,
    output logic request_valid_o,
    input logic request_ready_i,
    output logic busy_o
);

  localparam string Entry = "tcp_errors";
  localparam logic [7:0] QuotedProtocol = bombus_pkg::ProtocolTcp;  // the key that icmp_echo binds
  localparam string Takes = "icmp_error";
  localparam string RequestSends = "tcp_error";
  localparam bit Rare = 1'b1;
  typedef enum logic [0:0] {RequestNextTcpRequest} request_next_e;

  localparam int unsigned HeaderBytesBoth = ipv4_pkg::HeaderBytes + tcp_pkg::HeaderBytes;
  if (LeastPathMtu < HeaderBytesBoth + 28 || LeastPathMtu > 1500) begin : gen_bad_mtu
    $error("tcp_errors: LeastPathMtu must be 68 to 1500 (RFC 791)");
  end

  // ---- One cycle: subtract headers from the MTU, decode the type ----

  icmp_error_meta_t error;
  assign error = icmp_error_meta_t'(in_i.meta);
  typedef struct packed {
    tuple_t tuple;
    logic refuses;
    logic too_big;
    logic [15:0] mss;
    seq_t seq;  // in wire order
  } read_t;
  read_t read, read_q;
  logic read_valid_q, read_ready;
  wire below = error.mtu < 16'(LeastPathMtu);
  wire unreachable = error.kind == TypeUnreachable;
  assign read = '{
          tuple: '{
              mac_port: error.mac_port,
              ip: error.ip,
              peer_port: error.peer_port,
              own_port: error.own_port
          },
          refuses: unreachable & (error.code inside {CodeProtocol, CodePort}),
          too_big: unreachable & (error.code == CodeTooBig),
          mss: (below ? 16'(LeastPathMtu) : error.mtu) - 16'(HeaderBytesBoth),
          seq: in_i.data[31:0]
      };
  skid_buffer #(  // ends the chain of ready in the tile, with fewer LUTs than a cut in icmp_echo
      .data_t(read_t)
  ) u_read (
      .clk_i,
      .rst_i,
      .in_i(read),
      .in_valid_i,
      .in_ready_o,
      .out_o(read_q),
      .out_valid_o(read_valid_q),
      .out_ready_i(read_ready)
  );

  // ---- Output ----

  request_beat_t   out;
  tcp_error_meta_t meta;
  always_comb begin
    meta = '{
        tuple: read_q.tuple,
        refuses: read_q.refuses,
        too_big: read_q.too_big,
        mss: |read_q.mss[15:14] ? '1 : read_q.mss[13:0]
    };
    out = '0;
    out.meta = $bits(out.meta)'(meta);
    out.kind = $bits(out.kind)'(KindTcpError);
    out.length = 14'd4;
    out.last = 1'b1;
    out.bytes = $bits(out.bytes)'(4);
    out.data = $bits(out.data)'(bombus_pkg::swap32(read_q.seq));
  end
  stream_register #(
      .data_t(request_beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(out),
      .in_valid_i(read_valid_q),
      .in_ready_o(read_ready),
      .out_o(request_o),
      .out_valid_o(request_valid_o),
      .out_ready_i(request_ready_i)
  );

  assign busy_o = read_valid_q | request_valid_o;

endmodule
