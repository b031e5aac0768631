// SPDX-License-Identifier: Apache-2.0
// Transmit path of tcp_stream: gathers the bytes from the kernel into pieces, and sends each piece
// to the send buffer when its session has space for all of it. Pieces for a session that takes no
// bytes are discarded. Requests of the kernel are passed on beat by beat.
//
// Latency: 3 cycles from the last beat of a piece, if it begins at once. Throughput: one beat per
// cycle.
module tcp_stream_transmit
  import tcp_pkg::*;
  import tcp_stream_pkg::connect_t;
  import tcp_stream_pkg::piece_t;
  import tcp_stream_pkg::port_t;
  import tcp_stream_pkg::to_peer_t;
#(
    parameter type beat_t = logic,
    parameter int unsigned DataWidth = 512,
    parameter int unsigned NumSessions = 16,
    parameter int unsigned ChunkBytes = 2048,
    parameter int unsigned KindTcpData = 1,  // number of the kind tcp_data in the design
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned UserWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    // From the kernel.
    input logic [DataWidth-1:0] tdata_i,
    input logic [KeepWidth-1:0] tkeep_i,
    input logic tvalid_i,
    output logic tready_o,
    input logic tlast_i,
    input logic [UserWidth-1:0] tuser_i,

    // The front piece, which does not change until it begins.
    output piece_t piece_o,

    // The session of the front piece; offer_i is high for a cycle in which the piece may begin.
    input logic offer_i,
    input session_t session_i,
    input logic open_i,  // it takes bytes
    input seq_t space_i,
    input seq_t start_i,  // sequence number of its next byte
    output logic begins_o,  // the piece is sent or discarded
    output logic sends_o,  // if it begins, its bytes are sent to the send buffer
    output logic discarded_o,  // a piece with bytes is discarded

    // Beats of a request
    input logic is_request_i,  // the piece being sent is a request
    output connect_t request_o,  // connect_t or port_t
    output logic request_valid_o,  // only while is_request_i is high
    input logic request_ready_i,
    output logic sending_o,  // a piece is being sent

    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i,

    output logic busy_o  // bytes from the kernel are waiting
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_stream_transmit: NumSessions must be a power of two, 2 to 16384");
  end

  localparam int unsigned LengthWidth = $clog2(ChunkBytes + 1);

  to_peer_t message;
  logic [LengthWidth-1:0] length;
  logic valid, last, sends, data_room;
  beat_t data;
  logic  data_valid;
  axi_gather #(
      .beat_t(beat_t),
      .DataWidth(DataWidth),
      .UserWidth(UserWidth),
      .MaxBytes(ChunkBytes)
  ) u_gather (
      .clk_i,
      .rst_i,
      .tdata_i,
      .tkeep_i,
      .tvalid_i,
      .tready_o,
      .tlast_i,
      .tuser_i,
      .piece_valid_o(valid),
      .piece_user_o(message),
      .piece_length_o(length),
      .piece_last_o(last),
      .begin_i(begins_o),
      .discard_i(~sends),
      .sending_o,
      .out_o(data),
      .out_valid_o(data_valid),
      .out_ready_i(is_request_i ? request_ready_i : data_room),
      .busy_o
  );

  // ---- Front piece ----

  logic stray_q, some_q, asks_q, rest_q;
  logic continues_q;  // the front piece continues a message
  wire  is_request = message.connect | message.listen | message.unlisten;
  wire  is_short = 32'(length) < (message.connect ? $bits(connect_t) : $bits(port_t)) / 8;
  always_ff @(posedge clk_i) begin
    stray_q <= 32'(message.session) >= NumSessions;
    some_q  <= length != '0;
    asks_q  <= is_request & ~continues_q & ~is_short;
    rest_q  <= is_request & (continues_q | is_short);
    if (begins_o) continues_q <= ~last;
    if (rst_i) continues_q <= 1'b0;
  end
  wire fits = asks_q | (space_i >= 32'(length));
  assign sends = asks_q | (open_i & ~stray_q & ~rest_q & some_q);
  assign begins_o = offer_i & ~sending_o & (~sends | fits);
  assign sends_o = sends & ~asks_q;
  assign discarded_o = begins_o & ~sends & (some_q | rest_q) & ~(rest_q & continues_q);
  always_comb begin
    piece_o = '{
        valid: valid & ~sending_o,
        is_request: asks_q,
        length: 14'(length),
        message: message
    };
    if (~last | asks_q | rest_q | stray_q)
      {piece_o.message.done, piece_o.message.reset, piece_o.message.close} = '0;
  end

  // ---- Output ----

  session_t session_q;
  seq_t start_q;
  always_ff @(posedge clk_i) begin
    if (begins_o & sends) begin
      session_q <= session_i;
      start_q   <= start_i;
    end
  end
  tcp_data_output #(
      .beat_t(beat_t),
      .KindTcpData(KindTcpData)
  ) u_out (
      .in_i(data),
      .in_valid_i(data_valid & ~is_request_i),
      .in_ready_o(data_room),
      .session_i(session_q),
      .start_i(start_q),
      .*
  );
  assign request_o = data.data[$bits(connect_t)-1:0];
  assign request_valid_o = data_valid;

endmodule
