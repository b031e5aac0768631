// SPDX-License-Identifier: Apache-2.0
// Messages for a TCP kernel: between tcp_stream (kernel_rx, kernel_tx) and a kernel (message_rx,
// message_tx), in the same tile. The bytes of each session become messages of MessageBytes, or of
// the length that a field in them gives: LengthBytes bytes from byte LengthOffset on. Segments may
// be cut anywhere, and sessions may be interleaved. Messages arrive whole, one at a time, their
// first byte lowest; tuser and notices are those of tcp_stream, in order.
//
// Bytes wait in a ring of each session until their message is complete. The field plus LengthBias
// is the length of the whole message, from its first byte on. A length that does not reach the end
// of the field resets the connection, and so does one above MaxBytes; with SkipsLong, such a
// message is discarded, and the next message follows it. A message that is cut by the end of the
// stream is discarded. All three are counted.
//
// The way back needs no frames: tcp_stream joins the bytes of messages. message_tx passes, and
// resets go between its messages. Input does not wait for them, so a kernel may take input within a
// message of its own. A reset that is not sent before its connection ends is dropped.
//
// A chunk of tcp_stream must fill its beats, except for the last one. A ring holds at least the
// longest message and two beats; for full throughput of one session, 20 beats more.
//
// Latency: 16 cycles from the last byte of a message to its first beat. Throughput: one beat per
// cycle in and out at any alignment, less two cycles for each chunk, three for each message with a
// length field, and one for each message shorter than a beat.
`include "bombus_assert.svh"

module tcp_framer
  import tcp_pkg::*;
  import tcp_stream_pkg::from_peer_t;
  import tcp_stream_pkg::to_peer_t;
#(
    parameter int unsigned DataWidth = 512,  // filled in by Bombus
    parameter int unsigned NumSessions = 16,
    parameter int unsigned MessageBytes = 0,  // of each message; 0: they have a length field
    parameter int unsigned LengthOffset = 0,
    parameter int unsigned LengthBytes = 2,  // 1 to 4
    parameter bit LengthIsBig = 1,  // the first byte is the highest; 0: the lowest
    parameter int LengthBias = 0,  // bytes of a message that the field does not count
    parameter int unsigned MaxBytes = 2048,  // of a message with a length field
    parameter bit SkipsLong = 0,  // longer ones are discarded; 0: they reset the connection
    parameter int unsigned RingBytes = 4096,  // of each session: a power of two
    localparam int unsigned KeepWidth = DataWidth / 8,
    localparam int unsigned FromWidth = $bits(from_peer_t),
    localparam int unsigned ToWidth = $bits(to_peer_t)
) (
    input logic clk_i,
    input logic rst_i,

    // tcp_stream
    input logic [DataWidth-1:0] kernel_rx_tdata_i,
    input logic [KeepWidth-1:0] kernel_rx_tkeep_i,
    input logic kernel_rx_tvalid_i,
    output logic kernel_rx_tready_o,
    input logic kernel_rx_tlast_i,
    input logic [FromWidth-1:0] kernel_rx_tuser_i,
    output logic [DataWidth-1:0] kernel_tx_tdata_o,
    output logic [KeepWidth-1:0] kernel_tx_tkeep_o,
    output logic kernel_tx_tvalid_o,
    input logic kernel_tx_tready_i,
    output logic kernel_tx_tlast_o,
    output logic [ToWidth-1:0] kernel_tx_tuser_o,

    // The kernel
    output logic [DataWidth-1:0] message_rx_tdata_o,
    output logic [KeepWidth-1:0] message_rx_tkeep_o,
    output logic message_rx_tvalid_o,
    input logic message_rx_tready_i,
    output logic message_rx_tlast_o,
    output logic [FromWidth-1:0] message_rx_tuser_o,
    input logic [DataWidth-1:0] message_tx_tdata_i,
    input logic [KeepWidth-1:0] message_tx_tkeep_i,
    input logic message_tx_tvalid_i,
    output logic message_tx_tready_o,
    input logic message_tx_tlast_i,
    input logic [ToWidth-1:0] message_tx_tuser_i,

    output logic [3:0] event_o,
    output logic busy_o
);

  localparam string Entry = "";  // not reachable from the mesh
  localparam string Agrees = "num_sessions>=tcp.num_sessions";
  typedef enum int unsigned {
    EventMessage,
    EventLong,
    EventBadLength,
    EventCut,
    NumEvents
  } event_e;

  localparam bit IsFixed = MessageBytes != 0;
  localparam int unsigned Longest = IsFixed ? MessageBytes : MaxBytes;
  localparam int unsigned HeadBytes = LengthOffset + LengthBytes;
  localparam int unsigned IndexWidth = NumSessions > 1 ? $clog2(NumSessions) : 1;
  localparam int unsigned PositionWidth = $clog2(RingBytes);
  localparam int unsigned ByteWidth = $clog2(KeepWidth);

  if (DataWidth < 64 || DataWidth != 2 ** $clog2(DataWidth)) begin : gen_bad_width
    $error("tcp_framer: DataWidth must be a power of two of at least 64");
  end
  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad_sessions
    $error("tcp_framer: NumSessions must be a power of two, 2 to 16384");
  end
  if (Longest < 1 || Longest > 16383) begin : gen_bad_bytes
    $error("tcp_framer: MessageBytes or MaxBytes must be 1 to 16383");
  end
  if (LengthBytes < 1 || LengthBytes > 4) begin : gen_bad_field
    $error("tcp_framer: LengthBytes must be 1 to 4");
  end
  if (!IsFixed && (HeadBytes > MaxBytes || LengthOffset > 16379)) begin : gen_bad_offset
    $error("tcp_framer: the length field must be within MaxBytes");
  end
  if (RingBytes < Longest + 2 * KeepWidth || RingBytes < 4 * KeepWidth ||
      RingBytes != 2 ** PositionWidth) begin : gen_bad_ring
    $error("tcp_framer: RingBytes must be a power of two that holds a message and two beats");
  end
  if (LengthBias < -65536 || LengthBias > 65536) begin : gen_bad_bias
    $error("tcp_framer: LengthBias must be -65536 to 65536");
  end

  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [PositionWidth:0] position_t;  // modulo twice the ring
  typedef logic [ByteWidth:0] count_t;
  typedef logic [32:0] left_t;
  typedef logic [13:0] size_t;

  // ---- A beat, with the number of its bytes ----

  typedef struct packed {
    logic [KeepWidth-1:0][7:0] data;
    count_t bytes;
    logic last;
    from_peer_t from;
  } beat_t;
  beat_t beat_q;
  logic valid_q, finishes, clearing_q;
  count_t bytes;
  index_t clear_q;
  assign kernel_rx_tready_o = (~valid_q | finishes) & ~clearing_q;
  wire accepts = kernel_rx_tvalid_i & kernel_rx_tready_o;
  keep_count #(
      .NumBytes(KeepWidth)
  ) u_bytes (
      .keep_i (kernel_rx_tkeep_i),
      .bytes_o(bytes)
  );
  always_ff @(posedge clk_i) begin
    if (accepts) begin
      beat_q <= '{
          data: kernel_rx_tdata_i,
          bytes: bytes,
          last: kernel_rx_tlast_i,
          from : kernel_rx_tuser_i
      };
    end
    if (rst_i) begin
      valid_q <= 1'b0;
      clear_q <= '0;
      clearing_q <= 1'b1;
    end else begin
      valid_q <= accepts | (valid_q & ~finishes);
      clear_q <= clear_q + 1'b1;
      if (32'(clear_q) == NumSessions - 1) clearing_q <= 1'b0;
    end
  end

  // ---- The session of the chunk ----

  typedef enum logic [2:0] {
    Head,   // bytes up to the end of the field
    Check,  // the field is complete
    Body,
    Skip,   // bytes of a message that is discarded
    Dead    // the connection is being reset
  } phase_e;
  localparam phase_e FirstPhase = IsFixed ? Body : Head;
  localparam bit OncePerBeat = IsFixed && MessageBytes >= KeepWidth;  // at most one ends in a beat
  localparam left_t FirstLeft = IsFixed ? left_t'(MessageBytes) : left_t'(HeadBytes);
  typedef struct packed {
    phase_e phase;
    left_t left;  // bytes to the end of the phase, at least 1
    logic is_close;  // upper bits of left are zero
    size_t length;  // of the message, in Body
    position_t start;  // of the message in the ring
    position_t stored;  // end of the bytes in the ring
    logic [LengthBytes-1:0][7:0] tail;  // the bytes before the beat
  } progress_t;
  progress_t sessions[NumSessions];
  position_t released[NumSessions];  // end of the bytes that have left the ring
  progress_t at_q, at;  // before and after this cycle
  logic loaded_q, checked_q, room_q;
  wire index_t index = beat_q.from.session[IndexWidth-1:0];

  function automatic logic close_to(left_t left);
    return left[32:ByteWidth+1] == '0;
  endfunction

  function automatic progress_t restarted(progress_t was);
    restarted = was;
    restarted.phase = FirstPhase;
    restarted.left = FirstLeft;
    restarted.is_close = close_to(FirstLeft);
    restarted.length = size_t'(MessageBytes);
  endfunction

  // Bytes of the beat: those before `offset` are done; the other ones, `rest`, are stored if
  // stored_q is set.
  count_t offset_q, rest_q;
  logic stored_q;

  // ---- Effects of a cycle ----

  typedef struct packed {
    from_peer_t from;
    position_t start;
    size_t length;  // 0: a notice
    position_t ends_at;
  } message_t;
  message_t message, next_message;
  logic gives_message, message_room, next_valid, next_ready;
  logic resets, reset_room, reset_valid, reset_ready;
  logic [LengthBytes-1:0][7:0] field, tail, field_q, number;
  logic writes, go;
  logic is_long, is_bad, is_cut;

  wire works = valid_q & checked_q;
  wire is_notice = beat_q.from.opened | beat_q.from.closed | beat_q.from.ended | beat_q.from.failed;
  wire has_session = beat_q.from.opened | beat_q.from.closed | beat_q.from.ended;
  wire is_partial = (at_q.phase != Dead) & ((at_q.phase != FirstPhase) | (at_q.left != FirstLeft));
  wire count_t left = at_q.left[ByteWidth:0];
  wire ends = at_q.is_close & (left <= rest_q);
  wire fills = at_q.is_close & (left == rest_q);
  wire count_t end_offset = offset_q + left;  // if it ends in this beat
  wire left_t left_after = at_q.left - left_t'(rest_q);
  wire left_t left_again = FirstLeft - left_t'(count_t'(rest_q - left));
  wire position_t next_start = at_q.start + position_t'(at_q.length);

  // The bytes before a place in the beat.
  wire [8*(KeepWidth+LengthBytes)-1:0] bytes_before = {beat_q.data, at_q.tail};
  assign field = bytes_before[8*end_offset+:8*LengthBytes];
  assign tail  = bytes_before[8*beat_q.bytes+:8*LengthBytes];
  always_comb begin
    for (int unsigned n = 0; n < LengthBytes; n++) begin
      number[n] = field_q[LengthIsBig?LengthBytes-1-n : n];
    end
  end
  // Limits of the field: comparisons need no sum.
  localparam logic signed [34:0] LeastNumber = 35'(HeadBytes) - 35'(LengthBias);
  localparam logic signed [34:0] MostNumber = 35'(MaxBytes) - 35'(LengthBias);
  wire signed [34:0] signed_number = 35'(number);
  wire too_short = signed_number < LeastNumber;
  wire too_long = signed_number > MostNumber;
  wire left_t body_left = left_t'(signed_number - LeastNumber);

  always_comb begin
    at = at_q;
    finishes = 1'b0;
    writes = 1'b0;
    gives_message = 1'b0;
    resets = 1'b0;
    {is_long, is_bad, is_cut} = '0;
    message = '{from : beat_q.from, start: at_q.start, length: at_q.length, ends_at: next_start};
    if (works & is_notice) begin
      gives_message = 1'b1;
      message.length = '0;
      finishes = message_room;
      is_cut = finishes & has_session & is_partial;
      if (has_session) begin
        at = at_q.phase == Dead & ~beat_q.from.opened ? at_q : restarted(at_q);
        at.stored = at_q.start;
      end
    end else if (works & (at_q.phase == Check)) begin
      at.left = body_left;
      at.is_close = close_to(body_left);
      at.length = size_t'(body_left) + size_t'(HeadBytes);
      at.phase = Body;
      if (too_short | (too_long & ~SkipsLong)) begin
        resets = 1'b1;
        is_bad = reset_room & too_short;
        is_long = reset_room & ~too_short;
        at.phase = Dead;
        at.stored = at_q.start;
      end else if (too_long) begin
        is_long   = 1'b1;
        at.phase  = Skip;
        at.stored = at_q.start;
      end else if (body_left == '0) begin
        gives_message = 1'b1;
        message.length = size_t'(HeadBytes);
        message.ends_at = at_q.start + position_t'(HeadBytes);
        at = restarted(at_q);
        at.start = message.ends_at;
      end
    end else if (works & (at_q.phase == Dead)) begin
      finishes = 1'b1;
    end else if (works) begin
      writes = ~stored_q & (at_q.phase != Skip) & room_q;
      if (writes) at.stored = at_q.stored + position_t'(rest_q);
      if (stored_q | writes | (at_q.phase == Skip)) begin
        at.left = left_after;
        at.is_close = close_to(left_after);
        finishes = ~ends;
        if (ends) begin
          unique case (at_q.phase)
            Head: at.phase = Check;
            Skip: begin
              at = restarted(at_q);
              finishes = fills;
            end
            default: begin
              at = restarted(at);
              at.start = next_start;
              gives_message = 1'b1;
              finishes = (fills | OncePerBeat) & message_room;
              if (OncePerBeat) begin
                at.left = left_again;
                at.is_close = close_to(left_again);
              end
            end
          endcase
        end
      end
    end
    if (finishes) at.tail = tail;
  end
  // Nothing happens in a cycle without room for its effects.
  assign go = works & ~(gives_message & ~message_room) & ~(resets & ~reset_room);
  wire moves = go & ~is_notice & (at_q.phase != Check) & (at_q.phase != Dead) &
      (stored_q | writes | (at_q.phase == Skip));

  always_ff @(posedge clk_i) begin
    if (go) begin
      at_q <= at;
      field_q <= field;
      if (writes) stored_q <= 1'b1;
      if (at_q.phase == Check & at.phase == Skip) stored_q <= 1'b0;
      if (moves & ends) begin
        offset_q <= end_offset;
        rest_q   <= rest_q - left;
      end
    end
    // Room for a beat beyond the one that may be stored in this cycle.
    room_q <= position_t'(at_q.stored - released[index]) <= position_t'(RingBytes - 2 * KeepWidth);
    if (valid_q & ~loaded_q) at_q <= sessions[index];
    loaded_q  <= (loaded_q | valid_q) & ~(finishes & beat_q.last);
    checked_q <= loaded_q & ~(finishes & beat_q.last);
    if (accepts) begin
      offset_q <= '0;
      rest_q   <= bytes;
      stored_q <= 1'b0;
    end
    if (rst_i) {loaded_q, checked_q} <= '0;
  end
  wire progress_t cleared = restarted('0);
  always_ff @(posedge clk_i) begin
    if (clearing_q) sessions[clear_q] <= cleared;
    else if (finishes & beat_q.last & (~is_notice | has_session)) sessions[index] <= at;
  end

  // ---- The rings ----

  logic [IndexWidth-1:0] read_session;
  logic [PositionWidth-1:0] read_position;
  count_t read_end;
  logic [KeepWidth-1:0][7:0] read_data;
  ring_memory #(
      .DataBytes  (KeepWidth),
      .NumSessions(NumSessions),
      .RingBytes  (RingBytes)
  ) u_memory (
      .clk_i,
      .write_i(go & writes),
      .write_session_i(index),
      .write_position_i(at_q.stored[PositionWidth-1:0] - PositionWidth'(offset_q)),
      .write_first_i(offset_q),
      .write_end_i(beat_q.bytes),
      .write_data_i(beat_q.data),
      .read_session_i(read_session),
      .read_position_i(read_position),
      .read_end_i(read_end),
      .read_data_o(read_data)
  );

  logic unused_head;
  head_fifo #(
      .head_t(logic),
      .body_t(message_t),
      .Depth (16)
  ) u_messages (
      .clk_i,
      .rst_i,
      .in_head_i  (1'b0),
      .in_body_i  (message),
      .in_valid_i (go & gives_message),
      .in_ready_o (message_room),
      .out_head_o (unused_head),
      .out_body_o (next_message),
      .out_valid_o(next_valid),
      .out_ready_i(next_ready)
  );

  typedef struct packed {
    from_peer_t from;
    logic is_message;
    position_t start;
    position_t ends_at;
  } leaving_t;
  typedef struct packed {
    logic [DataWidth-1:0] data;
    count_t bytes;
    logic last;
  } word_t;
  leaving_t leaving;
  word_t word;
  logic leaving_room, leaving_valid, unused_leaving_head, read_ready, reading;
  logic word_valid, word_ready;
  assign next_ready = read_ready & leaving_room;
  ring_read #(
      .DataBytes(KeepWidth),
      .SessionWidth(IndexWidth),
      .PositionWidth(PositionWidth)
  ) u_read (
      .clk_i,
      .rst_i,
      .request_session_i(next_message.from.session[IndexWidth-1:0]),
      .request_position_i(next_message.start[PositionWidth-1:0]),
      .request_length_i(15'(next_message.length)),
      .request_valid_i(next_valid & leaving_room),
      .request_ready_o(read_ready),
      .read_session_o(read_session),
      .read_position_o(read_position),
      .read_end_o(read_end),
      .read_data_i(read_data),
      .out_data_o(word.data),
      .out_bytes_o(word.bytes),
      .out_last_o(word.last),
      .out_valid_o(word_valid),
      .out_ready_i(word_ready),
      .busy_o(reading)
  );
  head_fifo #(
      .head_t(logic),
      .body_t(leaving_t),
      .Depth (32)
  ) u_leaving (
      .clk_i,
      .rst_i,
      .in_head_i(1'b0),
      .in_body_i(
      '{
          from : next_message.from,
          is_message: next_message.length != '0,
          start: next_message.start,
          ends_at: next_message.ends_at
      }
      ),
      .in_valid_i(next_valid & next_ready),
      .in_ready_o(leaving_room),
      .out_head_o(unused_leaving_head),
      .out_body_o(leaving),
      .out_valid_o(leaving_valid),
      .out_ready_i(word_valid & word_ready & word.last)
  );
  logic first_word;
  position_t word_end, word_end_q;
  wire word_leaves = word_valid & word_ready;
  wire leaves = word_leaves & word.last & leaving.is_message;
  first_beat u_first_word (
      .clk_i,
      .rst_i,
      .taken_i(word_leaves),
      .last_i (word.last),
      .first_o(first_word)
  );
  assign word_end = (first_word ? leaving.start : word_end_q) + position_t'(KeepWidth);
  always_ff @(posedge clk_i) begin
    if (word_leaves) word_end_q <= word_end;
    if (clearing_q) released[clear_q] <= '0;
    else if (word_leaves & leaving.is_message) begin
      released[leaving.from.session[IndexWidth-1:0]] <= word.last ? leaving.ends_at : word_end;
    end
  end
  to_axi_stream #(
      .beat_t(word_t),
      .DataWidth(DataWidth),
      .UserWidth(FromWidth)
  ) u_rx (
      .clk_i,
      .rst_i,
      .in_i(word),
      .in_valid_i(word_valid),
      .in_ready_o(word_ready),
      .user_i(leaving.from),
      .tdata_o(message_rx_tdata_o),
      .tkeep_o(message_rx_tkeep_o),
      .tvalid_o(message_rx_tvalid_o),
      .tready_i(message_rx_tready_i),
      .tlast_o(message_rx_tlast_o),
      .tuser_o(message_rx_tuser_o)
  );

  // ---- The way back ----

  // Sessions to be reset, each at most once in the queue, so that it has room for all: input never
  // waits for the end of a message of the kernel, which may need input for it.
  session_t reset_session;
  logic first_back, back_ready;
  session_t queue[NumSessions];
  typedef logic [IndexWidth:0] place_t;
  place_t queue_write_q, queue_read_q;
  // A session is in the queue if the two differ.
  (* ram_style = "distributed" *) logic queued[NumSessions];
  (* ram_style = "distributed" *) logic dequeued[NumSessions];
  // A reset is still due: not if the connection has ended or another one begun.
  (* ram_style = "distributed" *) logic due[NumSessions];
  assign reset_session = queue[queue_read_q[IndexWidth-1:0]];
  wire index_t reset_index = reset_session[IndexWidth-1:0];
  wire is_queued = queue_write_q != queue_read_q;
  assign reset_valid = is_queued & due[reset_index];
  wire dequeues = is_queued & (reset_ready | ~due[reset_index]);
  assign reset_room = ~(dequeues & reset_index == index);
  wire enqueues = go & resets & queued[index] == dequeued[index];
  wire is_over = go & is_notice & (beat_q.from.opened | beat_q.from.ended);
  always_ff @(posedge clk_i) begin
    if (clearing_q) queued[clear_q] <= 1'b0;
    else if (enqueues) queued[index] <= ~queued[index];
    if (clearing_q) dequeued[clear_q] <= 1'b0;
    else if (dequeues) dequeued[reset_index] <= ~dequeued[reset_index];
    if (clearing_q) due[clear_q] <= 1'b0;
    else if ((go & resets) | is_over) due[index] <= resets;
    if (enqueues) queue[queue_write_q[IndexWidth-1:0]] <= beat_q.from.session;
    if (rst_i) {queue_write_q, queue_read_q} <= '0;
    else begin
      queue_write_q <= queue_write_q + place_t'(enqueues);
      queue_read_q  <= queue_read_q + place_t'(dequeues);
    end
  end
  `BOMBUS_ASSERT(QueueHasRoom,
                 clearing_q || place_t'(queue_write_q - queue_read_q) <= place_t'(NumSessions))
  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [KeepWidth-1:0] keep;
    logic last;
    to_peer_t user;
  } back_t;
  back_t back_in, back;
  assign reset_ready = first_back & back_ready;
  wire sends_reset = reset_valid & first_back;
  assign message_tx_tready_o = back_ready & ~sends_reset;
  first_beat u_first_back (
      .clk_i,
      .rst_i,
      .taken_i(message_tx_tvalid_i & message_tx_tready_o),
      .last_i (message_tx_tlast_i),
      .first_o(first_back)
  );
  always_comb begin
    back_in = '{
        data: message_tx_tdata_i,
        keep: message_tx_tkeep_i,
        last: message_tx_tlast_i,
        user: message_tx_tuser_i
    };
    if (sends_reset) begin
      back_in = '{
          data: '0,
          keep: '0,
          last: 1'b1,
          user: '{reset: 1'b1, session: reset_session, default: '0}
      };
    end
  end
  stream_register #(
      .data_t(back_t)
  ) u_tx (
      .clk_i,
      .rst_i,
      .in_i(back_in),
      .in_valid_i(message_tx_tvalid_i | sends_reset),
      .in_ready_o(back_ready),
      .out_o(back),
      .out_valid_o(kernel_tx_tvalid_o),
      .out_ready_i(kernel_tx_tready_i)
  );
  assign kernel_tx_tdata_o = back.data;
  assign kernel_tx_tkeep_o = back.keep;
  assign kernel_tx_tlast_o = back.last;
  assign kernel_tx_tuser_o = back.user;

  always_ff @(posedge clk_i) begin
    event_o[EventMessage] <= leaves & ~rst_i;
    event_o[EventLong] <= go & is_long & ~rst_i;
    event_o[EventBadLength] <= go & is_bad & ~rst_i;
    event_o[EventCut] <= go & is_cut & ~rst_i;
  end

  assign busy_o = valid_q | next_valid | reading | message_rx_tvalid_o | reset_valid |
      kernel_tx_tvalid_o;

  `BOMBUS_ASSERT(LeavingIsKnown, !word_valid || leaving_valid)
  `BOMBUS_ASSERT(FitsTheRing,
                 !works || 32'(position_t'(at_q.stored - released[index])) <= RingBytes)
  `BOMBUS_ASSERT(SessionExists, !valid_q || 32'(beat_q.from.session) < NumSessions)

endmodule
