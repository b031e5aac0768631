// SPDX-License-Identifier: Apache-2.0
// Data that the peer of each session has received beyond gaps, reported by SACK, and the resulting
// retransmissions (RFC 6675): up to NumSacks ranges, in order of position.
//
// During recovery, each gap between una and the last range is retransmitted once, the first one
// first, as far as the congestion window allows: the bytes in flight (pipe) are those after the
// ranges and those retransmitted. When una reaches a part without SACK information, the end of the
// window may be lost, too: its last segment is retransmitted once (NextSeg, rule 4). One block is
// added at a time; blocks after the first one of an acknowledgement arrive separately.
//
// Runs in parallel with the pipeline of tcp_core: the ranges of the session are read in the cycle
// before the first, and written at the end of the third.
module tcp_scoreboard
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned NumSessions = 16,
    parameter int unsigned NumSacks = 4,
    parameter int unsigned RingBytes = 65536,  // send buffer per session
    localparam int unsigned IndexWidth = $clog2(NumSessions)
) (
    input logic clk_i,
    input logic [IndexWidth-1:0] index_i,

    // First cycle
    input tcb_t block_i,
    input logic arrives_i,
    input seq_t ack_i,  // acknowledgement of the arriving segment
    input logic has_block_i,
    input sack_block_t sack_i,  // its first SACK block, or a further one by itself
    input logic [31:0] congestion_window_i,
    // In recovery, unless block_i.retransmit has priority
    output logic resend_o,  // bytes are to be retransmitted,
    output logic hole_o,  // which is a hole,
    output seq_t resent_o,  // from this sequence number on,
    output seq_t rescue_o,  // or the last segment, from this sequence number on

    // Second cycle
    output logic hole_2_o,  // it is a hole
    output logic futile_2_o,  // it has already been retransmitted
    output bombus_pkg::length_t length_2_o,  // length of the hole; all ones if it does not fit

    // Third cycle
    input logic [IndexWidth-1:0] index_3_i,
    input tcb_t block_3_i,
    input logic clear_i,  // a new session, or a timeout (RFC 2018, 8)
    input logic arrives_3_i,
    input seq_t ack_3_i,
    input sack_block_t sack_3_i,
    input logic acks_i,  // the acknowledgement of an arriving segment is una or later
    input logic may_ack_i,  // ... regardless of whether a segment arrives
    input logic begins_i,  // recovery begins
    input logic tail_i,  // una reaches a part without SACK information
    input logic departs_i,
    input logic occupies_i,  // ... with bytes or a FIN
    input logic fresh_i,  // a segment is sent for the first time,
    input seq_t fresh_seq_i,  // from here on
    input logic resends_i,  // the bytes that resend_o announces are sent,
    input logic fills_i,  // up to the next range, or
    input seq_t last_i,  // up to this sequence number, before that range
    output logic sack_new_o,  // the block reports bytes not reported before
    output logic sack_old_o,  // the block reports nothing new
    // the block is beyond the acknowledgement, and so much is reported that its first byte is lost
    output logic sack_lost_o,  // (RFC 6675, 4: IsLost)
    output logic past_resent_o,  // una passes everything retransmitted
    output logic allowed_o,  // another segment may be sent
    input logic [3:0] slot_i,  // for registers, if no segment arrives: index of the range to show
    output logic shown_valid_o,
    output sack_block_t shown_o,
    output logic shown_beyond_o,
    output seq_t shown_resent_o
);

  // Width for positions within the ring and up to one ring away.
  localparam int unsigned Width = $clog2(RingBytes) + 2;

  if (!is_num_sessions(NumSessions, 2)) begin : gen_bad
    $error("tcp_scoreboard: NumSessions must be a power of two, 2 to 16384");
  end
  if (NumSacks < 1 || NumSacks > 16) begin : gen_bad_sacks
    $error("tcp_scoreboard: NumSacks must be 1 to 16");
  end
  if (RingBytes < 1024 || RingBytes > 2 ** 29 || RingBytes != 2 ** $clog2(
          RingBytes
      )) begin : gen_bad_ring
    $error("tcp_scoreboard: RingBytes must be a power of two, 1024 to 2**29");
  end

  typedef logic [Width-1:0] position_t;
  typedef logic signed [Width-1:0] gap_t;

  typedef struct packed {
    logic [NumSacks-1:0] valid;
    // The bytes before it are still to be retransmitted; 0 for invalid ranges.
    logic [NumSacks-1:0] beyond;
    position_t [NumSacks-1:0] left;
    position_t [NumSacks-1:0] right;
    // retransmitted up to this sequence number, except the ranges; never inside a range
    seq_t resent;
    seq_t last;  // start of the last segment
    logic rescues;  // the last segment must be retransmitted
    logic rescued;
  } board_t;
  board_t old_q, old_3, next, written;

  // ---- First cycle ----

  wire [NumSacks-1:0] beyond = old_q.beyond;
  wire recovers = block_i.recovering & block_i.sack;
  wire hole = recovers & |beyond;
  wire rescue = recovers & ~|beyond & old_q.rescues & ~block_i.retransmit & ~arrives_i;
  // Used only by departures.
  assign resend_o = recovers & ~block_i.retransmit & (|beyond | old_q.rescues);
  assign hole_o   = recovers & ~block_i.retransmit & |beyond;
  assign resent_o = old_q.resent;
  assign rescue_o = old_q.last;

  position_t first_left, top;  // left end of the first range not passed; right end of all ranges
  always_comb begin
    first_left = '0;
    top = '0;
    for (int unsigned r = NumSacks; r > 0; r--) if (beyond[r-1]) first_left = old_q.left[r-1];
    for (int unsigned r = 0; r < NumSacks; r++) if (old_q.valid[r]) top = old_q.right[r];
  end

  wire position_t base = arrives_i ? ack_i[Width-1:0] : block_i.una[Width-1:0];
  wire position_t flight = position_t'(block_i.max) - block_i.una[Width-1:0];
  typedef struct packed {
    logic recovers;
    logic hole;
    logic rescue;
    gap_t from_resent;
    position_t length;
    position_t ahead;  // from the next byte to retransmit to the end of the ranges
    position_t [NumSacks-1:0] sizes;  // sizes of the ranges already passed
    logic signed [Width+1:0] spare;  // room left in the window, counting all bytes in flight
    // Properties of an acknowledgement
    logic has_block;
    distance_t from_ack;
    distance_t size;
    distance_t to_max;
    gap_t resent_from_ack;
    gap_t resent_from_left;
    gap_t resent_to_right;
  } first_t;
  first_t first_q;
  always_ff @(posedge clk_i) begin
    first_q <= '{
        recovers: recovers,
        hole: hole,
        rescue: rescue,
        from_resent: old_q.last[Width-1:0] - old_q.resent[Width-1:0],
        length: first_left - old_q.resent[Width-1:0],
        ahead: top - old_q.resent[Width-1:0],
        sizes: '0,
        spare: {1'b0, congestion_window_i[Width:0]} - (Width + 2)'(block_i.mss) - {2'b0, flight},
        has_block: has_block_i & arrives_i & block_i.sack,
        from_ack: sack_i.left - ack_i,
        size: sack_i.right - sack_i.left,
        to_max: block_i.max - sack_i.right,
        resent_from_ack: old_q.resent[Width-1:0] - base,
        resent_from_left: old_q.resent[Width-1:0] - sack_i.left[Width-1:0],
        resent_to_right: sack_i.right[Width-1:0] - old_q.resent[Width-1:0]
    };
    for (int unsigned r = 0; r < NumSacks; r++) begin
      if (old_q.valid[r] & ~beyond[r]) begin
        first_q.sizes[r] <= old_q.right[r] - old_q.left[r];
      end
    end
  end

  // ---- Second cycle ----

  assign hole_2_o   = first_q.hole;
  assign futile_2_o = first_q.rescue & (first_q.from_resent < 0);
  assign length_2_o = |(first_q.length >> 14) ? '1 : 14'(first_q.length);

  // One sum of all terms, so that only one carry chain is needed.
  typedef logic signed [Width+2:0] sum_t;
  wire position_t ahead = first_q.hole ? first_q.ahead : '0;
  sum_t left;  // room left in the window
  always_comb begin
    left = sum_t'(first_q.spare) + sum_t'({1'b0, ahead});
    for (int unsigned r = 0; r < NumSacks; r++) left += sum_t'({1'b0, first_q.sizes[r]});
  end

  bombus_pkg::length_t mss_2_q;
  typedef struct packed {
    logic recovers;
    logic allowed;  // the bytes in flight, without those passed, are within the window
    logic has_block;
    logic good;  // the block is within the bytes sent
    logic big;  // more than two segments
    logic past_resent;
    logic past;  // resent is at or after the start of the block
    logic covers;
    logic rescue;
    logic futile;
  } second_t;
  second_t second_q;
  wire good = first_q.has_block & (first_q.from_ack > 0) & (first_q.size > 0) & ~first_q.to_max[31];
  always_ff @(posedge clk_i) begin
    mss_2_q <= block_i.mss;
    second_q <= '{
        recovers: first_q.recovers,
        allowed: left >= 0,
        has_block: first_q.has_block,
        good: good,
        big: first_q.size > distance_t'({17'b0, mss_2_q, 1'b0}),
        past_resent: first_q.resent_from_ack <= 0,
        past: first_q.resent_from_left >= 0,
        rescue: first_q.rescue,
        futile: futile_2_o,
        covers: (first_q.resent_from_left >= 0) & (first_q.resent_to_right >= 0)
    };
  end

  // ---- Third cycle ----

  logic room, reaches, reach_wraps, known;
  logic [NumSacks-1:0] current, left_wraps, right_wraps;
  position_t reach;
  wire adds = second_q.good & may_ack_i & room;
  tcp_ranges #(
      .NumRanges(NumSacks),
      .Width(Width),
      .Sorted(1)
  ) u_ranges (
      .clk_i,
      .valid_i(old_q.valid),
      .mark_i(beyond),
      .left_i(old_q.left),
      .right_i(old_q.right),
      .base_i(base),
      .add_left_i(sack_i.left[Width-1:0]),
      .add_right_i(sack_i.right[Width-1:0]),
      .add_i(adds),
      .remove_i(1'b0),
      .left_3_i(sack_3_i.left[Width-1:0]),
      .right_3_i(sack_3_i.right[Width-1:0]),
      .mark_3_i(~second_q.past),
      .room_o(room),
      .known_o(known),
      .reaches_o(reaches),
      .reach_o(reach),
      .reach_wraps_o(reach_wraps),
      .current_3_o(current),
      .valid_3_o(old_3.valid),
      .mark_3_o(old_3.beyond),
      .left_3_o(old_3.left),
      .right_3_o(old_3.right),
      .left_wraps_3_o(left_wraps),
      .right_wraps_3_o(right_wraps),
      .valid_o(next.valid),
      .mark_o(next.beyond),
      .left_o(next.left),
      .right_o(next.right)
  );
  typedef struct packed {
    seq_t resent;
    seq_t last;
    logic rescues;
    logic rescued;
  } rest_t;
  rest_t rest_2_q, rest_3_q;
  always_ff @(posedge clk_i) begin
    rest_2_q <= {old_q.resent, old_q.last, old_q.rescues, old_q.rescued};
    rest_3_q <= rest_2_q;
  end
  assign {old_3.resent, old_3.last, old_3.rescues, old_3.rescued} = rest_3_q;
  assign {next.resent, next.last, next.rescues, next.rescued} = rest_3_q;
  // If the window or an acknowledgement prevents it, retried until the next acknowledgement (RFC
  // 6675, 4: RescueRxt).
  wire tried = departs_i & second_q.rescue & (second_q.futile | occupies_i);

  assign sack_new_o = second_q.good & ~known;
  assign sack_old_o = second_q.has_block & ~sack_new_o;
  wire [NumSacks+1:0] ranges = {2'b0, current};
  wire three = |(ranges & (ranges >> 1) & (ranges >> 2));  // they are in order
  assign sack_lost_o = second_q.good & (second_q.big | three);
  assign past_resent_o = second_q.past_resent;
  assign allowed_o = second_q.allowed;

  // Extends the lower bits of a sequence number after the base.
  wire seq_t base_3 = arrives_3_i ? ack_3_i : block_3_i.una;
  wire [31-Width:0] upper = base_3[31:Width];
  wire [31-Width:0] upper_next = upper + 1'b1;
  wire [NumSacks-1:0] first_beyond = old_3.beyond & -old_3.beyond;
  position_t first_right;
  logic first_wraps;
  always_comb begin
    first_right = '0;
    first_wraps = 1'b0;
    for (int unsigned r = 0; r < NumSacks; r++) begin
      if (first_beyond[r]) first_right |= old_3.right[r];
      if (first_beyond[r]) first_wraps |= right_wraps[r];
    end
  end

  always_comb begin
    shown_valid_o = 1'b0;
    shown_o = '0;
    shown_beyond_o = 1'b0;
    for (int unsigned r = 0; r < NumSacks; r++) begin
      if ((slot_i == 4'(r)) & current[r]) begin
        shown_valid_o  = 1'b1;
        shown_o.left   = {left_wraps[r] ? upper_next : upper, old_3.left[r]};
        shown_o.right  = {right_wraps[r] ? upper_next : upper, old_3.right[r]};
        shown_beyond_o = old_3.beyond[r];
      end
    end
  end
  assign shown_resent_o = old_3.resent;

  wire begins = ~resends_i & acks_i & begins_i & ~clear_i;
  wire marks = ~(resends_i & fills_i) & ~begins & ~clear_i;
  always_comb begin
    written = next;
    if (fresh_i) written.last = fresh_seq_i;
    if (tried) {written.rescues, written.rescued} = 2'b01;
    if (acks_i) begin
      written.rescues = tail_i & ~old_3.rescued;
      if (begins_i) written.rescued = 1'b0;
    end
    // The selection is known before the new ranges are.
    written.beyond = '0;
    if (resends_i & fills_i & ~clear_i) written.beyond = old_3.beyond & ~first_beyond;
    written.beyond |= (next.valid & {NumSacks{begins}}) | (next.beyond & {NumSacks{marks}});
    written.valid &= {NumSacks{~clear_i}};
    if (resends_i) begin
      written.resent = fills_i ? {first_wraps ? upper_next : upper, first_right} : last_i;
    end else if (acks_i & (begins_i | second_q.past_resent)) begin
      written.resent = ack_3_i;
    end else if (adds & second_q.covers) begin
      written.resent = reaches ? {reach_wraps ? upper_next : upper, reach} : sack_3_i.right;
    end
  end

  sized_memory #(
      .data_t(board_t),
      .Depth(NumSessions),
      .LutDepth(SessionLutDepth)
  ) u_memory (
      .clk_i,
      .write_addr_i(index_3_i),
      .data_i(written),
      .write_i(acks_i | resends_i | clear_i | fresh_i | tried),
      .read_addr_i(index_i),
      .data_o(old_q)
  );

endmodule
