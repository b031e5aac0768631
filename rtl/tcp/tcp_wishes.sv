// SPDX-License-Identifier: Apache-2.0
// Latest requests of every session's application: positions, as it advances them, and the end of
// its data. A request is done when it is taken.
//
// A request waits while a session is opened, which writes all that is kept of it, and while it
// synchronises, which writes where the peer's bytes begin.
module tcp_wishes
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned RingBytes = 65536,  // receive buffer per session
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,

    input request_e request_i,
    input logic [IndexWidth-1:0] session_i,
    input seq_t place_i,
    input logic wish_i,

    input logic open_i,
    input logic synchronise_i,
    input logic [IndexWidth-1:0] open_session_i,
    input seq_t open_send_i,  // first position of the application's bytes
    input seq_t open_receive_i,  // first position of the peer's bytes

    input logic [IndexWidth-1:0] index_i,
    output wishes_t wishes_o  // of the session at the index of the previous cycle
);

  if (NumSessions < 2 || NumSessions > MaxSessions || NumSessions != 2 ** IndexWidth) begin : gen_bad
    $error("tcp_wishes: NumSessions must be a power of two, 2 to 16384");
  end

  if (RingBytes < 1024 || RingBytes > 2 ** 30 || RingBytes != 2 ** $clog2(
          RingBytes
      )) begin : gen_bad_ring
    $error("tcp_wishes: RingBytes must be a power of two, 1024 to 2**30");
  end

  typedef struct packed {
    logic wish;
    seq_t place;
  } wish_t;

  wire begins = open_i | synchronise_i;
  wire seq_t released = (begins ? open_receive_i : place_i) + seq_t'(RingBytes);

  seq_t sends[NumSessions];
  seq_t releases[NumSessions];
  wish_t reads[NumSessions];
  wish_t writes[NumSessions];
  logic closes[NumSessions];
  seq_t ends[NumSessions];
  logic aborts[NumSessions];
  logic frees[NumSessions];

  wire [IndexWidth-1:0] at = begins ? open_session_i : session_i;
  wire wish_t wish = open_i ? '0 : '{wish: wish_i, place: place_i};

  always_ff @(posedge clk_i) begin
    if (open_i | request_i == RequestSend) sends[at] <= open_i ? open_send_i : place_i;
    if (begins | request_i == RequestRelease) releases[at] <= released;
    if (open_i | request_i == RequestReadable) reads[at] <= wish;
    if (open_i | request_i == RequestWritable) writes[at] <= wish;
    if (open_i | request_i == RequestClose) closes[at] <= ~open_i;
    if (request_i == RequestClose || request_i == RequestFree) ends[at] <= place_i;
    if (open_i | request_i == RequestFree) frees[at] <= ~open_i;
    if (open_i | request_i == RequestAbort) aborts[at] <= ~open_i;
    wishes_o <= '{
        send_end: sends[index_i],
        release_edge: releases[index_i],
        closing: closes[index_i],
        close_at: ends[index_i],
        aborted: aborts[index_i],
        freed: frees[index_i],
        read_wish: reads[index_i].wish,
        read_at: reads[index_i].place,
        write_wish: writes[index_i].wish,
        write_at: writes[index_i].place
    };
  end

endmodule
