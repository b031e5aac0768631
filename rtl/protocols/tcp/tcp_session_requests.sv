// SPDX-License-Identifier: Apache-2.0
// Latest requests of the application of every session: its positions, as it advances them, and the
// end of its data. A request has taken effect in the cycle after it is accepted.
//
// A request stalls while a session is opened, which initialises all of its fields, and while a
// session synchronises, which writes the first position of the peer's bytes.
module tcp_session_requests
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
    input seq_t position_i,
    input logic toggle_i,

    input logic open_i,
    input logic synchronise_i,
    input logic [IndexWidth-1:0] open_session_i,
    input seq_t open_send_i,  // first position of the application's bytes
    input seq_t open_receive_i,  // first position of the peer's bytes

    input logic [IndexWidth-1:0] index_i,
    output session_requests_t requests_o  // of the session at the index of the previous cycle
);

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_session_requests: NumSessions must be a power of two, 2 to 16384");
  end

  if (RingBytes < 1024 || RingBytes > 2 ** 30 || RingBytes != 2 ** $clog2(
          RingBytes
      )) begin : gen_bad_ring
    $error("tcp_session_requests: RingBytes must be a power of two, 1024 to 2**30");
  end

  typedef struct packed {
    logic awaited;
    seq_t position;
  } awaited_t;

  wire begins = open_i | synchronise_i;
  wire seq_t released = (begins ? open_receive_i : position_i) + seq_t'(RingBytes);

  wire [IndexWidth-1:0] write_index = begins ? open_session_i : session_i;
  wire awaited_t awaited = open_i ? '0 : '{awaited: toggle_i, position: position_i};

  // Memories of one bit, each with separate writes. From 512 sessions on they are block RAM: the
  // multiplexers of deeper LUTRAM are slower.
  typedef struct packed {
    logic closing;
    logic aborted;
    logic freed;
    logic reads_no_more;
  } marks_t;
  marks_t marks;
  wire marks_t mark =
  '{
      closing: request_i inside {RequestClose, RequestCloseBoth},
      aborted: request_i == RequestAbort,
      freed: request_i == RequestFree,
      reads_no_more: request_i == RequestCloseBoth
  }
  ;
  for (genvar m = 0; m < $bits(marks_t); m++) begin : gen_mark
    sized_memory #(
        .Depth(NumSessions),
        .LutDepth(256)
    ) u_memory (
        .clk_i,
        .write_addr_i(write_index),
        .data_i(~open_i),
        .write_i(open_i | mark[m]),
        .read_addr_i(index_i),
        .data_o(marks[m])
    );
  end

  settings_t settings;
  sized_memory #(
      .data_t(settings_t),
      .Depth(NumSessions),
      .LutDepth(256)
  ) u_settings (
      .clk_i,
      .write_addr_i(write_index),
      .data_i(open_i ? '0 : settings_of(position_i)),
      .write_i(open_i | request_i == RequestSet),
      .read_addr_i(index_i),
      .data_o(settings)
  );

  seq_t send_end_q, release_edge_q, close_at_q;
  awaited_t read_q, write_q;
  sized_memory #(
      .data_t(seq_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_sends (
      .clk_i,
      .write_addr_i(write_index),
      .data_i(open_i ? open_send_i : position_i),
      .write_i(open_i | request_i == RequestSend),
      .read_addr_i(index_i),
      .data_o(send_end_q)
  );
  sized_memory #(
      .data_t(seq_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_releases (
      .clk_i,
      .write_addr_i(write_index),
      .data_i(released),
      .write_i(begins | request_i == RequestRelease),
      .read_addr_i(index_i),
      .data_o(release_edge_q)
  );
  sized_memory #(
      .data_t(awaited_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_reads (
      .clk_i,
      .write_addr_i(write_index),
      .data_i(awaited),
      .write_i(open_i | request_i == RequestReadable),
      .read_addr_i(index_i),
      .data_o(read_q)
  );
  sized_memory #(
      .data_t(awaited_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_writes (
      .clk_i,
      .write_addr_i(write_index),
      .data_i(awaited),
      .write_i(open_i | request_i == RequestWritable),
      .read_addr_i(index_i),
      .data_o(write_q)
  );
  sized_memory #(
      .data_t(seq_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_ends (
      .clk_i,
      .write_addr_i(write_index),
      .data_i(position_i),
      .write_i(request_i inside {RequestClose, RequestCloseBoth, RequestFree}),
      .read_addr_i(index_i),
      .data_o(close_at_q)
  );
  assign requests_o = '{
          send_end: send_end_q,
          release_edge: release_edge_q,
          closing: marks.closing,
          close_position: close_at_q,
          aborted: marks.aborted,
          reads_no_more: marks.reads_no_more,
          freed: marks.freed,
          read_toggle: read_q.awaited,
          read_position: read_q.position,
          write_toggle: write_q.awaited,
          write_position: write_q.position,
          settings: settings
      };

endmodule
