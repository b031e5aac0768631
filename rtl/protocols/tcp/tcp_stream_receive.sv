// SPDX-License-Identifier: Apache-2.0
// Receive path of tcp_stream: buffers the data of requested reads for the kernel, in the order of
// the requests and with notices about sessions between them.
//
// A credit is room for one chunk of ChunkBytes or one notice; may_push_o is high while there is
// one. A chunk that has been stored is reported by release_* so that the
// engine can free its bytes.
// Latency: 2 cycles from data to the kernel. Throughput: one beat per cycle.
`include "bombus_assert.svh"

module tcp_stream_receive
  import tcp_pkg::*;
  import tcp_stream_pkg::from_peer_t;
#(
    parameter type beat_t = logic,
    parameter type chunk_t = logic,  // as in tcp_stream
    parameter type index_t = logic,  // number of a session
    parameter int unsigned DataWidth = 512,
    parameter int unsigned ChunkBytes = 2048,
    parameter int unsigned ReadsAhead = 4,
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned UserWidth = $bits(from_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    // Chunks that have been requested, and notices; only while may_push_o is high.
    input  chunk_t chunk_i,
    input  logic   push_i,
    output logic   may_push_o,

    // Data from the receive buffer.
    input  beat_t data_i,
    input  logic  data_valid_i,
    output logic  data_ready_o,

    // Chunks whose bytes have been stored.
    output index_t release_session_o,
    output seq_t   release_end_o,
    output logic   release_valid_o,
    input  logic   release_ready_i,

    // Addresses of the session of the beat at the output.
    output index_t session_o,
    input  tuple_t tuple_i,

    output logic [DataWidth-1:0] tdata_o,
    output logic [KeepWidth-1:0] tkeep_o,
    output logic tvalid_o,
    input logic tready_i,
    output logic tlast_o,
    output logic [UserWidth-1:0] tuser_o,
    output logic busy_o
);

  chunk_t pending;
  logic pending_valid, pending_taken, unused_pending_room, unused_pending_head;
  head_fifo #(
      .head_t(logic),
      .body_t(chunk_t),
      .Depth (16)
  ) u_pending (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (chunk_i),
      .in_valid_i (push_i),
      .in_ready_o (unused_pending_room),
      .out_head_o (unused_pending_head),
      .out_body_o (pending),
      .out_valid_o(pending_valid),
      .out_ready_i(pending_taken)
  );

  typedef struct packed {
    index_t session;
    seq_t   ends_at;
  } release_t;
  release_t release_in, released;
  logic release_room, unused_release_head;
  head_fifo #(
      .head_t(logic),
      .body_t(release_t),
      .Depth (16)
  ) u_releases (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (release_in),
      .in_valid_i (pending_taken & ~pending.notice),
      .in_ready_o (release_room),
      .out_head_o (unused_release_head),
      .out_body_o (released),
      .out_valid_o(release_valid_o),
      .out_ready_i(release_ready_i)
  );
  assign release_in = '{session: pending.session, ends_at: pending.ends_at};
  assign release_session_o = released.session;
  assign release_end_o = released.ends_at;

  typedef struct packed {
    chunk_t about;
    logic last;
    logic [$clog2(KeepWidth):0] bytes;
    logic [DataWidth-1:0] data;
  } word_t;
  word_t word_in, word;
  logic word_valid, word_taken;
  wire moves = data_valid_i & data_ready_o;
  wire notifies = pending_valid & pending.notice;
  assign data_ready_o  = pending_valid & ~pending.notice & release_room;
  assign pending_taken = notifies | (moves & data_i.last);
  always_comb begin
    word_in = '{about: pending, last: data_i.last, bytes: data_i.bytes, data: data_i.data};
    if (notifies) begin
      word_in.last  = 1'b1;
      word_in.bytes = '0;
      word_in.data  = '0;
    end
  end
  block_fifo #(
      .data_t(word_t),
      .Depth (ReadsAhead * ChunkBytes / KeepWidth)
  ) u_words (
      .clk_i,
      .rst_i,
      .data_i (word_in),
      .write_i(notifies | moves),
      .data_o (word),
      .valid_o(word_valid),
      .ready_i(word_taken)
  );

  // One credit is room for one chunk.
  logic [$clog2(ReadsAhead):0] credits_q;
  wire returns = word_valid & word_taken & word.last;
  always_ff @(posedge clk_i) begin
    if (rst_i) credits_q <= ($clog2(ReadsAhead) + 1)'(ReadsAhead);
    else
      credits_q <= credits_q + ($clog2(
          ReadsAhead
      ) + 1)'(returns) - ($clog2(
          ReadsAhead
      ) + 1)'(push_i);
  end
  assign may_push_o = credits_q != '0;

  from_peer_t from;
  assign session_o = word.about.session;
  always_comb begin
    from = '{
        mac_port: tuple_i.mac_port,
        ip: tuple_i.ip,
        peer_port: tuple_i.peer_port,
        own_port: tuple_i.own_port,
        failed: word.about.failed,
        ended: word.about.ended,
        closed: word.about.closed,
        opened: word.about.opened,
        session: session_t'(word.about.session)
    };
    if (~word.about.notice) {from.failed, from.ended, from.closed, from.opened} = '0;
  end
  to_axi_stream #(
      .beat_t(word_t),
      .DataWidth(DataWidth),
      .UserWidth(UserWidth)
  ) u_rx (
      .clk_i,
      .rst_i,
      .in_i(word),
      .in_valid_i(word_valid),
      .in_ready_o(word_taken),
      .user_i(from),
      .tdata_o,
      .tkeep_o,
      .tvalid_o,
      .tready_i,
      .tlast_o,
      .tuser_o
  );

  assign busy_o = release_valid_o | pending_valid | word_valid | tvalid_o;

  `BOMBUS_ASSERT(PendingHasRoom, !push_i || unused_pending_room)

endmodule
