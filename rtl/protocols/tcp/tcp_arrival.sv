// SPDX-License-Identifier: Apache-2.0
// Effects of a received segment on its session (RFC 9293, 3.10.7; RFC 5961; RFC 7323, 5.3; RFC
// 6582), or of an error that the path reports (RFC 9293, 3.9.2.2). Three cycles: distances of
// sequence numbers, their meaning, the new block.
//
// The block of the session, the requests of its application and the segment are inputs of the first
// cycle; the block and the segment are inputs of the two following cycles, too. One segment per
// cycle; the next one of the same session after its new block has been written.
//
// One file: the three stages share the decoded meaning of the segment, whose fields are each used
// once.
module tcp_arrival
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned RingBytes = 65536,  // send buffer per session
    parameter int unsigned ReceiveBytes = 65536,  // receive buffer per session
    parameter int unsigned OwnMss = 1460,
    parameter bit Sack = 1,  // RFC 2018
    parameter bit DuplicateSack = 1,  // RFC 2883
    parameter bit Timestamps = 1,  // RFC 7323, 3
    parameter bit Ecn = 0,  // RFC 3168
    parameter bit Keepalive = 0,  // RFC 9293, 3.8.4
    parameter bit Errors = 0,  // paths report errors (RFC 1191)
    parameter bit Selective = 1,  // retransmissions are selected by SACK (RFC 6675)
    // Payload is accepted only from its first byte on, never in part. A peer that retransmits part
    // of it together with new bytes receives an acknowledgement of rcv_nxt and sends the others.
    parameter bit Whole = 0
) (
    input logic clk_i,
    input logic [31:0] time_us_i,
    input logic [ 7:0] coarse_time_i,     // time in 2**36 us

    // First cycle
    input tcb_t              block_i,
    input session_requests_t requests_i,
    input segment_t          segment_i,
    input seq_t              end_i,       // of the payload: seq + length

    // Second and third cycle
    input  tcb_t                     block_2_i,
    input  segment_t                 segment_2_i,
    input  logic                     reports_2_i,    // the segment is an error (arrival_t)
    input  session_requests_t        requests_2_i,
    output logic              [31:0] acked_2_o,      // bytes
    output logic              [31:0] sample_us_2_o,  // the round trip, if one was timed
    input  tcb_t                     block_3_i,
    input  segment_t                 segment_3_i,

    // Third cycle: ranges received beyond gaps (tcp_reassembly)
    input logic room_i,  // room for this payload
    input logic some_i,
    input logic duplicate_i,  // all of the payload was received before
    input logic reaches_i,  // the payload closes the gap before a range that
    input seq_t reach_i,  // ends at this sequence number
    output logic ahead_o,  // the payload is stored beyond a gap if there is room
    output logic in_order_o,
    output logic ends_stream_o,  // ranges beyond gaps are discarded

    // Third cycle: ranges that the peer has received beyond gaps (tcp_scoreboard)
    input logic sack_new_i,  // SACK reports new bytes
    input logic sack_old_i,  // SACK reports no new bytes
    input logic sack_lost_i,  // so many that the segment at una is lost
    input logic past_resent_i,  // una passes everything retransmitted
    output logic acks_o,
    output logic begins_o,  // recovery
    output logic tail_o,  // in recovery, una reaches a part without SACK information

    // Third cycle
    output tcb_t block_o,
    output logic new_ack_o,  // una advances to the acknowledgement
    output seq_t window_edge_o,  // end of the window of the segment
    output bombus_pkg::length_t mss_o,  // of the SYN, minus timestamps
    output logic keep_o,  // the payload is new, except its first skip_o bytes
    output bombus_pkg::length_t skip_o,
    output logic refuse_o,  // answer with a reset
    input logic may_reopen_i,  // second cycle: a SYN can wait until its TIME-WAIT has ended
    output logic reopens_o,  // the SYN ends TIME-WAIT and opens a new connection (RFC 6191)
    // the SYN of a requested connection: sets the start of the peer's bytes
    output logic synchronise_o,
    output changes_t changes_o,
    output logic wake_o,  // there may be a segment to send
    output logic set_timer_o,  // restart it for the purpose in block_o.timer
    output logic clear_timer_o,
    output logic delay_ack_o,  // set the timer of the delayed acknowledgement
    output congestion_event_t congestion_o,
    output logic sample_o,  // a round trip was timed

    // Reasons for rejection, to be counted
    output logic guessed_o,  // a wrong acknowledgement of a SYN,ACK
    output logic unacceptable_o,
    output logic stale_o,  // PAWS
    output logic out_of_order_o,

    // Effect of an error
    output logic lowers_o,  // the MSS is reduced
    output logic unreachable_o,
    output logic unused_o
);

  if (RingBytes < 1024 || RingBytes > 2 ** 30 || RingBytes != 2 ** $clog2(
          RingBytes
      )) begin : gen_bad_ring
    $error("tcp_arrival: RingBytes must be a power of two, 1024 to 2**30");
  end
  if (OwnMss < LeastMss || OwnMss > 8960) begin : gen_bad_mss
    $error("tcp_arrival: OwnMss must be 64 to 8960");
  end

  if (ReceiveBytes < 1024 || ReceiveBytes > 2 ** 29) begin : gen_bad_receive
    $error("tcp_arrival: ReceiveBytes must be 1024 to 2**29");
  end

  // ---- First cycle: distances ----

  // una and max are at most a ring apart, and so are acknowledgements that count.
  typedef logic signed [$clog2(RingBytes)+1:0] near_t;
  typedef struct packed {
    logic                bytes;      // the segment has payload
    logic                is_next;    // seq is 0
    logic                ends_here;  // last is 0
    distance_t           seq;        // from rcv_nxt
    distance_t           last;       // of the end of the payload, from rcv_nxt
    distance_t           room;       // of the receive window's edge, from rcv_nxt
    distance_t           acked;      // of the acknowledgement, from una
    logic                ack_same;   // acked is 0
    distance_t           unacked;    // of max, from the acknowledgement
    distance_t           since_wl1;
    distance_t           ts;         // of the timestamp, from the recent one,
    logic                ts_old;     // which is more than 23 days old (RFC 7323, 5.5)
    logic                freed;      // the application has freed the session
    near_t               past_nxt;   // of the acknowledgement, from nxt
    near_t               recovered;  // of the acknowledgement, from recover
    distance_t           marked;     // of the acknowledgement, from marked
    near_t               timed;      // of the acknowledgement, from the end of the timed segment
    distance_t           readable;   // of the end of the payload, from the position awaited
    distance_t           writable;   // of the end of the space, from the position awaited
    logic [31:0]         window;
    logic [31:0]         sample_us;
    bombus_pkg::length_t mss;
    bombus_pkg::length_t longest;    // as the MSS of a SYN
  } distances_t;
  distances_t found_q;

  // The window of a SYN is never scaled (RFC 7323, 2.2).
  wire [3:0] scale = block_i.scaled & ~segment_i.flags.syn ? block_i.peer_scale : 4'd0;

  always_ff @(posedge clk_i) begin
    found_q <= '{
        bytes: segment_i.length != '0,
        is_next: segment_i.seq == block_i.rcv_nxt,
        ends_here: end_i == block_i.rcv_nxt,
        seq: segment_i.seq - block_i.rcv_nxt,
        last: end_i - block_i.rcv_nxt,
        room: requests_i.release_edge - block_i.rcv_nxt,
        acked: segment_i.ack - block_i.una,
        ack_same: segment_i.ack == block_i.una,
        unacked: block_i.max - segment_i.ack,
        since_wl1: segment_i.seq - block_i.wl1,
        ts: segment_i.options.ts_value - block_i.ts_recent,
        ts_old: 8'(coarse_time_i - block_i.ts_recent_time) >= 8'd30,
        freed: requests_i.freed & (requests_i.close_position == requests_i.send_end),
        past_nxt: near_t'(segment_i.ack - block_i.nxt),
        recovered: near_t'(segment_i.ack - block_i.recover),
        marked: Ecn ? segment_i.ack - block_i.marked : '0,
        timed: near_t'(segment_i.ack - block_i.timed_seq),
        readable: end_i - requests_i.read_position,
        writable: segment_i.ack + seq_t'(RingBytes) - requests_i.write_position,
        window: 32'(segment_i.window) << scale,
        sample_us: time_us_i - block_i.timed_at,
        mss: bounded_mss(segment_i.options, OwnMss),
        longest: Errors ? block_i.mss + (block_i.timestamps ? StampBytes : 14'd0) : '0
    };
  end

  // ---- Second cycle: meaning of the distances ----

  typedef struct packed {
    logic opening;  // the SYN of a requested connection
    logic opened;  // the handshake is complete
    logic refuse;
    logic reopens;
    logic unwanted;  // the application reads no more
    logic resend;  // a retransmitted SYN: its answer is retransmitted
    logic no_offer;  // ... now without ECN
    logic unacceptable;
    logic stale;
    logic challenge;  // RFC 5961
    logic limited;  // ... which is limited to one per 131 ms
    logic throttled;  // ... and has been sent within these 131 ms
    logic reset;
    logic guessed;  // a wrong acknowledgement in SYN-RECEIVED
    logic process;  // the acknowledgement and the payload are processed
    logic new_ack;
    logic same_ack;
    logic fin_acked;
    logic all_acked;
    logic new_window;
    logic fresh;  // from a segment that is not before wl1
    seq_t wnd_edge;
    logic same_edge;  // it has not moved
    logic in_order;  // the next bytes or FIN in order
    logic ahead;  // bytes beyond a gap
    logic fits_ahead;  // ... in the window
    logic refuses;  // its bytes or FIN are not accepted: acknowledge rcv_nxt
    logic ahead_of_nxt;  // acknowledges more than was retransmitted
    logic closed;  // no bytes are accepted in this state
    logic fin;
    logic fin_again;  // the FIN that was already accepted
    logic fin_waits;  // the FIN arrives with the end of the handshake, or beyond a gap
    logic bytes;
    logic new_bytes;  // some are new
    logic recent;  // store the timestamp
    logic recovered;
    logic marked;  // the peer reports congestion, for the first time in a window
    logic past_mark;  // the acknowledgement is at or after marked
    logic congested;  // the path to this host was congested
    logic reduced;  // the peer has reduced its congestion window
    logic dsack;  // the first bytes are duplicates
    logic dsack_all;  // ... and the others, too
    logic timed;
    logic readable;
    logic writable;
    seq_t last;  // of the payload
    bombus_pkg::length_t skip;
    logic [3:0] most_window;
    bombus_pkg::length_t mss;
    logic lowers;  // an error reports that the segment was too big
    logic unreachable;
    logic unused;
  } meaning_t;
  meaning_t meaning_q;

  wire flags_t flags = segment_2_i.flags;
  wire bytes = found_q.bytes;
  wire occupies = bytes | flags.fin;
  wire synchronised = block_2_i.state inside {SynReceived, Established, FinWait1, FinWait2,
                                              CloseWait, Closing, LastAck, TimeWait};
  wire takes_bytes = block_2_i.state inside {SynReceived, Established, FinWait1, FinWait2};
  wire is_next = found_q.is_next;
  wire one_before = &found_q.seq;  // seq is rcv_nxt - 1
  // A FIN with the end of the handshake is delayed until the next departure: the report of the
  // opened session gives the first positions, the next one the end.
  wire takes_fin = flags.fin & (block_2_i.state != SynReceived);
  // At the end of the window, too, as in Linux: the number of a peer that has filled it, or of its
  // reset, also if some of these bytes were lost.
  wire begins_inside = is_next | (~found_q.seq[31] & (found_q.seq <= found_q.room));
  wire ends_new = ~found_q.last[31] & (~found_q.ends_here | takes_fin);
  wire ends_inside = found_q.last <= found_q.room;
  wire may_fit = ends_new & (32'(segment_2_i.length) <= ReceiveBytes);
  wire acceptable = begins_inside | (occupies & ends_new & ends_inside);
  wire unstamped = ~(Timestamps & segment_2_i.options.has_timestamps);  // RFC 7323, 3.2
  wire stale = block_2_i.timestamps & (unstamped | (found_q.ts[31] & ~found_q.ts_old)) & ~flags.rst;
  wire ack_forward = ~found_q.acked[31] & ~found_q.ack_same;
  wire ack_sent = ~found_q.unacked[31];
  // RFC 5961, 5.2; the peer's window is never used beyond the ring.
  wire ack_old = found_q.acked < -distance_t'(RingBytes);
  wire report = Errors & reports_2_i;
  // A retransmitted SYN, with or without bytes: before the window (RFC 9293, 3.10.7.4, first).
  wire repeated_syn = flags.syn & one_before & (block_2_i.state == SynReceived);
  wire new_ack = ack_forward & ack_sent;
  // An initial sequence number can be guessed as long as SYN-RECEIVED lasts: after MaxGuesses wrong
  // acknowledgements no other is accepted, and after one the peer can end the session neither by
  // RST nor by SYN, which would begin another round. dup_acks counts them.
  wire guessing = (block_2_i.state == SynReceived) & (block_2_i.dup_acks != '0);
  wire guessed_enough = guessing & (block_2_i.dup_acks == 2'(MaxGuesses));
  // RFC 5927, 4.1: the segment is in flight.
  wire in_flight = report & ~found_q.acked[31] & ack_sent & (found_q.unacked != '0);
  wire too_big = in_flight & segment_2_i.options.has_mss;
  // SND.WL2 is never beyond una: an acknowledgement at or after una is not before it.
  wire fresh = ~found_q.since_wl1[31];

  // RFC 6191, 2 (RFC 9293, 3.6.1: MAY-2): a newer timestamp, or a sequence number beyond those of
  // the connection. Its port is listened on: the peer has opened it. A session that its application
  // has not freed yet keeps its number; the SYN is then answered as any other.
  wire ts_newer = ~unstamped & (~block_2_i.timestamps | (~found_q.ts[31] & found_q.ts != '0));
  wire ts_older = ~unstamped & block_2_i.timestamps & found_q.ts[31] & ~found_q.ts_old;
  wire reopens = (block_2_i.state == TimeWait) & ~block_2_i.active & flags.syn & ~flags.ack &
      ~flags.rst & ~report & ~ts_older & (ts_newer | ~found_q.seq[31]) & found_q.freed &
      may_reopen_i & ~meaning_q.reopens;

  // a + b == c without a carry chain: the carry that each bit needs must equal the one that the bit
  // below generates.
  function automatic logic adds_up(seq_t a, seq_t b, seq_t c);
    return (a ^ b ^ c) == ((((a | b) & ~c) | (a & b)) << 1);
  endfunction

  function automatic meaning_t judge(logic acceptable_, logic ends_inside_);
    meaning_t meaning;
    logic fits, good, counts;
    fits = may_fit & ends_inside_;
    good = synchronised & acceptable_ & ~stale & ~report & ~repeated_syn;
    counts = good & ~flags.rst & ~flags.syn & flags.ack;
    meaning = '0;
    meaning.reopens = reopens;
    meaning.unwanted = requests_2_i.reads_no_more;
    if (reopens) begin
      // No other effect
    end else if (block_2_i.state == SynSent) begin
      // RFC 9293, 3.10.7.3
      if (flags.ack & ~(new_ack)) meaning.refuse = ~flags.rst;
      else if (flags.rst) meaning.reset = flags.ack;
      else meaning.opening = flags.syn;
      meaning.opened = meaning.opening & flags.ack;
    end else if (~synchronised) begin
      // The application has not freed the previous connection: the peer retransmits a SYN unless it
      // is refused.
      meaning.unacceptable = flags.syn & ~flags.ack;
      meaning.refuse = ~flags.rst & ~meaning.unacceptable;
    end else if (~good) begin
      meaning.stale = stale;
      meaning.unacceptable = ~stale & ~report;
      // A missing timestamp is not answered (RFC 7323, 3.2), except in a SYN (RFC 5961, 4.2).
      meaning.challenge = ~flags.rst & ~(stale & unstamped & ~flags.syn);
      // A response to our SYN when both ends have requested the connection (RFC 9293, 3.5).
      meaning.opened = flags.syn & flags.ack & ~flags.rst & new_ack & one_before &
          (block_2_i.state == SynReceived) & block_2_i.active & ~guessed_enough;
      meaning.guessed = repeated_syn & flags.ack & ~flags.rst & ~new_ack;
      meaning.resend = flags.syn & ~flags.ack & ~flags.rst & (block_2_i.state == SynReceived);
      meaning.no_offer = Ecn & meaning.resend & one_before & ~stale & ~(flags.ece & flags.cwr);
    end else if (flags.rst) begin
      // RFC 5961, 3.2
      meaning.reset = is_next;
      meaning.challenge = ~is_next;
    end else if (flags.syn) begin
      // RFC 5961, 4.2; a passive open returns to LISTEN (RFC 9293, 3.10.7.4, fourth).
      meaning.reset = (block_2_i.state == SynReceived) & ~block_2_i.active;
      meaning.challenge = ~meaning.reset;
    end else if (flags.ack & (block_2_i.state == SynReceived)) begin
      meaning.refuse  = ~new_ack & ~guessed_enough;
      meaning.guessed = ~new_ack;
      meaning.opened  = new_ack & ~guessed_enough;
      meaning.process = new_ack & ~guessed_enough;
    end else if (flags.ack) begin
      meaning.challenge = ~ack_sent | ack_old;
      meaning.process   = ack_sent & ~ack_old;
    end
    if (guessing & ~block_2_i.active) meaning.reset = 1'b0;
    // RFC 5927, 5.2: an open connection stays open.
    if (in_flight & flags.urg & (block_2_i.state == SynSent)) meaning.reset = 1'b1;
    meaning.lowers = too_big & synchronised & (block_2_i.state != SynReceived) &
        (found_q.mss < found_q.longest);
    meaning.unreachable = in_flight & ~too_big;
    meaning.unused = report & ~meaning.lowers & ~meaning.unreachable;
    // RFC 5961, 7: challenge acknowledgements are limited in rate. Keepalives and probes of a
    // closed window (RFC 9293, 3.8.4) are always answered, if their acknowledgement is acceptable.
    meaning.limited = (~occupies & ~(one_before & ack_sent & ~ack_old)) | flags.syn;
    meaning.throttled = meaning.limited & (block_2_i.challenged == challenge_time(time_us_i));
    meaning.new_ack = new_ack & ((counts & ~guessed_enough) | meaning.opened);
    meaning.past_mark = Ecn & meaning.new_ack & ~found_q.marked[31];
    meaning.same_ack = counts & found_q.ack_same & (block_2_i.state != SynReceived);
    meaning.all_acked = found_q.unacked == '0;
    meaning.fin_acked = meaning.process & block_2_i.fin_sent & (found_q.unacked == '0);
    // Also from an older segment with a new acknowledgement, which would otherwise be beyond the
    // window.
    meaning.new_window = meaning.process & ~found_q.acked[31] & (fresh | ~found_q.ack_same);
    meaning.fresh = fresh;
    meaning.wnd_edge = segment_2_i.ack + found_q.window;
    meaning.same_edge = adds_up(segment_2_i.ack, found_q.window, block_2_i.wnd_edge);
    meaning.in_order = meaning.process & takes_bytes & (bytes | takes_fin) & fits &
        (is_next | (found_q.seq[31] & ~Whole));
    meaning.refuses = meaning.process & occupies & ~meaning.in_order;
    meaning.ahead = meaning.process & takes_bytes & occupies & ~is_next & ~found_q.seq[31];
    meaning.fits_ahead = meaning.process & takes_bytes & bytes & fits & ~is_next & ~found_q.seq[31];
    meaning.closed = ~takes_bytes;
    meaning.fin = takes_fin;
    meaning.fin_again = flags.fin & (&found_q.last) & ~flags.rst & ~flags.syn & ~stale & ~report;
    meaning.fin_waits = flags.fin & ((meaning.process & (block_2_i.state == SynReceived) &
        (bytes ? meaning.in_order : is_next)) | (meaning.ahead & fits));
    meaning.bytes = bytes;
    meaning.new_bytes = bytes & ~found_q.ends_here;
    // RFC 7323, 4.3: of the first segment that the next acknowledgement covers.
    meaning.recent = meaning.process & segment_2_i.options.has_timestamps & ~block_2_i.ack_later &
        (is_next | found_q.seq[31]);
    meaning.ahead_of_nxt = found_q.past_nxt >= 0;
    meaning.recovered = found_q.recovered >= 0;
    if (Ecn & block_2_i.ecn & meaning.process) begin
      meaning.marked = flags.ece & ~found_q.marked[31] & ~block_2_i.recovering;
      meaning.congested = bytes & (&segment_2_i.tos[1:0]);
      meaning.reduced = flags.cwr;
    end
    meaning.dsack = DuplicateSack & block_2_i.sack & synchronised & ~stale & bytes & flags.ack &
        ~flags.rst & ~flags.syn & found_q.seq[31];
    meaning.dsack_all = found_q.last[31] | found_q.ends_here;
    meaning.timed = block_2_i.timing & (found_q.timed >= 0);
    meaning.readable = (requests_2_i.read_toggle != block_2_i.read_served) &
        (~found_q.readable[31] | takes_fin);
    meaning.writable = (requests_2_i.write_toggle != block_2_i.write_served) &
        ~found_q.writable[31];
    meaning.last = segment_2_i.seq + 32'(segment_2_i.length);
    meaning.skip = found_q.seq[31] & ~Whole ? 14'(-found_q.seq) : '0;
    meaning.most_window = leading_bit(found_q.window >> 1);
    meaning.mss = found_q.mss - ((report ? block_2_i.timestamps : ~unstamped) ? StampBytes : 14'd0);
    return meaning;
  endfunction

  // A further SACK block only affects the scoreboard: other segments of the session may have
  // arrived since its acknowledgement, which has been processed. Its sequence number is the end of
  // the payload of that segment: in the window or at its edge, or before rcv_nxt if that payload
  // has been accepted.
  wire near_before = found_q.seq[31] & found_q.seq >= -distance_t'(ReceiveBytes);
  wire near = is_next | near_before | (~found_q.seq[31] & found_q.seq <= found_q.room);
  // A newer timestamp may have been received since, but not one newer by 4,096.
  wire stale_block = block_2_i.timestamps &
      (unstamped | (found_q.ts[31] & ~(&found_q.ts[30:12]) & ~found_q.ts_old));
  function automatic meaning_t sack_alone();
    meaning_t meaning;
    meaning = '0;
    meaning.same_ack = synchronised & found_q.ack_same & near & ~stale_block;
    meaning.all_acked = found_q.unacked == '0;
    meaning.recovered = found_q.recovered >= 0;
    return meaning;
  endfunction

  // Whether the segment ends in the window and is acceptable are the last conditions known.
  always_ff @(posedge clk_i) begin
    meaning_q <= judge(1'b0, 1'b0);
    if (acceptable) meaning_q <= ends_inside ? judge(1'b1, 1'b1) : judge(1'b1, 1'b0);
    if (segment_2_i.sack_only & ~flags.syn) meaning_q <= sack_alone();
  end

  // ---- Third cycle: the new block ----

  wire meaning_t m = meaning_q;
  wire options_t options = segment_3_i.options;
  wire state_e state = block_3_i.state;
  // RFC 5681, 2: it contains no new information while data are outstanding.
  wire selective = Selective & block_3_i.sack;
  wire repeated = m.same_ack & ~m.bytes & ~m.fin & ~m.all_acked &
      m.same_edge & (block_3_i.timer != TimerPersist);
  // RFC 6675, 2: with SACK, it reports more bytes, even if it also acknowledges some. Bytes in a
  // further block were in the first block of an earlier acknowledgement (RFC 2018, 4); if that was
  // lost, it would have counted as a duplicate.
  wire sacks = selective & (m.same_ack | m.new_ack) & ~m.all_acked;
  wire sacks_more = sacks & sack_new_i;
  wire duplicate = (repeated & ~(selective & sack_old_i)) | sacks_more;
  wire third = duplicate & ~m.new_ack & (block_3_i.dup_acks == 2'd2);
  // RFC 6582, 3.2: not for losses before the last recovery. Nor after a timeout or while the window
  // is probed: then all bytes in flight are retransmitted.
  wire lost = (third | (sacks & sack_lost_i)) & (~block_3_i.recovering | m.new_ack) &
      m.recovered & (block_3_i.timer == TimerRetransmit);
  wire fin = m.in_order & m.fin;
  wire ends = (fin & ((state == FinWait2) | ((state == FinWait1) & m.fin_acked))) |
      ((state == Closing) & m.fin_acked);
  wire terminates = m.reset | ((state == LastAck) & m.fin_acked);
  wire more_room = m.new_window & ~m.same_edge;

  always_comb begin
    block_o = block_3_i;
    changes_o = '0;
    clear_timer_o = 1'b0;
    set_timer_o = 1'b0;
    delay_ack_o = 1'b0;

    if (m.opening) begin
      block_o.state = SynReceived;
      block_o.rcv_nxt = segment_3_i.seq + 32'd1;
      block_o.scaled = options.has_scale;
      block_o.peer_scale = options.scale;
      block_o.timestamps = options.has_timestamps;
      block_o.sack = Sack & options.sack_permitted;
      block_o.ecn = Ecn & m.opened & segment_3_i.flags.ece & ~segment_3_i.flags.cwr;
      block_o.no_ect = Ecn & (block_3_i.tries != '0);  // RFC 3168, 6.1.1
      block_o.mss = m.mss;
      block_o.ts_recent = options.ts_value;
      block_o.ts_recent_time = coarse_time_i;
      block_o.adv_edge = segment_3_i.seq + 32'd1;
      block_o.wl1 = segment_3_i.seq;
      block_o.wnd_edge = block_3_i.una;
      block_o.ack_now = 1'b1;
      block_o.retransmit = ~m.opened;  // the SYN, now with an acknowledgement
    end
    if (m.opened | (m.new_window & (m.most_window > block_3_i.most_window))) begin
      block_o.most_window = m.most_window;
    end
    if (m.opened) begin
      block_o.state = Established;
      changes_o.opened = 1'b1;
      if (~m.process) begin
        block_o.wnd_edge = m.wnd_edge;
      end
    end
    if (m.recent) begin
      block_o.ts_recent = options.ts_value;
      block_o.ts_recent_time = coarse_time_i;
    end

    if (m.new_ack) begin
      block_o.una = segment_3_i.ack;
      if (m.ahead_of_nxt) block_o.nxt = segment_3_i.ack;
      block_o.dup_acks = 2'(sacks_more);  // RFC 6675, 5
      block_o.tries = '0;
      // RFC 6298, 3 and 5.7: kept until a segment has been timed.
      if (m.timed | m.opened) block_o.backoff = '0;
      block_o.probe = 1'b0;
      if (m.timed) block_o.timing = 1'b0;
      if (block_3_i.recovering) begin
        block_o.recovering = ~m.recovered;
        block_o.retransmit = ~m.recovered & (~selective | past_resent_i);
      end
      if (m.recovered) block_o.recover = segment_3_i.ack;  // keeps the comparisons in range
      clear_timer_o = m.all_acked;
      set_timer_o   = Keepalive | ~m.all_acked;
      block_o.timer = ~m.all_acked ? TimerRetransmit : Keepalive ? TimerKeepalive : TimerNone;
      block_o.since = time_us_i[31:16];
    end else if (((duplicate & ~lost) | m.guessed) & (block_3_i.dup_acks != 2'd3)) begin
      block_o.dup_acks = block_3_i.dup_acks + 2'd1;
    end
    if (lost) begin
      block_o.recovering = 1'b1;
      block_o.recover = block_3_i.max;
      block_o.retransmit = 1'b1;
      block_o.timing = 1'b0;
    end

    if (Keepalive & m.process & (block_3_i.timer == TimerKeepalive)) begin
      block_o.tries = '0;
      set_timer_o   = 1'b1;
    end
    // RFC 9293, 3.8.6.1: the connection stays open as long as the peer answers probes of its closed
    // window.
    if (m.process & (block_3_i.timer == TimerPersist)) begin
      block_o.tries = '0;
      block_o.since = time_us_i[31:16];
    end
    if (Ecn & block_3_i.ecn) begin
      block_o.congested = m.congested | (block_3_i.congested & ~m.reduced);
      if (m.past_mark) block_o.marked = segment_3_i.ack;  // keeps the comparisons in range
      if (m.marked | lost) begin
        block_o.reduced = 1'b1;
        block_o.marked  = block_3_i.max;
      end
    end
    if (m.dsack | (DuplicateSack & block_3_i.sack & m.fits_ahead & duplicate_i)) begin
      block_o.dsack = 1'b1;
      block_o.dsack_left = segment_3_i.seq;
      block_o.dsack_right = m.dsack & ~m.dsack_all ? block_3_i.rcv_nxt : m.last;
    end

    if (m.new_window) begin
      block_o.wnd_edge = m.wnd_edge;
      if (m.fresh) block_o.wl1 = segment_3_i.seq;
      // The next departure restarts the timer if the window is still closed. A new acknowledgement
      // has already restarted or cleared it.
      if (more_room & (block_3_i.timer == TimerPersist)) begin
        block_o.backoff = '0;
        if (~m.new_ack) begin
          block_o.timer = TimerNone;
          clear_timer_o = 1'b1;
        end
      end
    end

    if (m.fin_acked & (state == FinWait1)) block_o.state = FinWait2;

    if (m.in_order) begin
      block_o.rcv_nxt = m.last + 32'(m.fin);
      if (reaches_i & ~m.fin) block_o.rcv_nxt = reach_i;
      block_o.ack_later = 1'b1;
      delay_ack_o = 1'b1;
      // RFC 5681, 4.2: at least every second segment, and at once for retransmissions and segments
      // next to a gap.
      if (block_3_i.ack_later | m.fin | m.skip != '0 | some_i | block_3_i.fin_waits |
          m.unwanted) begin
        block_o.ack_now = 1'b1;
      end
    end
    block_o.fin_waits = m.fin_waits | (block_3_i.fin_waits & ~fin);
    if (m.fin_waits) begin
      block_o.fin_at  = m.last;
      block_o.ack_now = 1'b1;
    end
    if (m.readable & m.in_order) begin
      changes_o.readable  = 1'b1;
      block_o.read_served = ~block_3_i.read_served;
    end
    if (m.writable & m.new_ack) begin
      changes_o.writable   = 1'b1;
      block_o.write_served = ~block_3_i.write_served;
    end
    if (fin) begin
      changes_o.peer_closed = 1'b1;
      unique case (state)
        FinWait1: block_o.state = Closing;
        default:  block_o.state = CloseWait;
      endcase
    end
    if (m.refuses | (m.challenge & ~m.throttled)) block_o.ack_now = 1'b1;
    if (m.challenge & m.limited) block_o.challenged = challenge_time(time_us_i);
    if (m.resend) block_o.retransmit = 1'b1;
    if (m.no_offer) block_o.no_ect = 1'b1;
    // RFC 1191, 6.5: all bytes in flight are retransmitted in shorter segments; they were not lost
    // by congestion.
    if (m.lowers) begin
      block_o.mss = m.mss;
      block_o.nxt = block_3_i.una;
      block_o.recover = block_3_i.max;
      block_o.recovering = 1'b0;
      block_o.retransmit = 1'b0;
      block_o.dup_acks = '0;
      block_o.timing = 1'b0;
    end

    if (ends) begin
      block_o.state = TimeWait;
      changes_o.closed = 1'b1;
    end
    if (ends | ((state == TimeWait) & m.fin_again)) begin  // RFC 9293, 3.10.7.4
      block_o.timer = TimerTimeWait;
      clear_timer_o = 1'b0;
      set_timer_o   = 1'b1;
    end
    if (terminates | m.reopens) begin
      block_o.state = Ended;
      block_o.timer = TimerNone;
      // Not reported if the session was never reported, or its end already was.
      changes_o.closed = (state != SynReceived || block_3_i.active) && state != TimeWait;
      changes_o.failed = m.reset & changes_o.closed;
      clear_timer_o = 1'b1;
      set_timer_o = 1'b0;
    end
  end

  assign acks_o = selective & (m.new_ack | m.same_ack);
  assign begins_o = lost;
  assign tail_o = m.new_ack & block_3_i.recovering & ~m.recovered & past_resent_i;
  assign ahead_o = m.fits_ahead;
  assign in_order_o = m.in_order;
  assign ends_stream_o = fin | m.closed;
  assign new_ack_o = m.new_ack;
  assign window_edge_o = m.wnd_edge;
  assign mss_o = m.mss;
  assign keep_o = (m.in_order & m.new_bytes) | (m.fits_ahead & room_i);
  assign skip_o = m.skip;
  assign refuse_o = m.refuse;
  assign reopens_o = m.reopens;
  assign synchronise_o = m.opening;
  assign lowers_o = m.lowers;
  assign unreachable_o = m.unreachable;
  assign unused_o = m.unused;
  assign wake_o = m.lowers | block_o.ack_now | (m.fin_acked & m.unwanted) | block_o.retransmit |
      m.opened | (block_3_i.blocked & (m.new_ack | more_room | duplicate)) |
      (selective & block_3_i.recovering & (m.new_ack | m.same_ack));
  assign sample_o = m.new_ack & m.timed;

  always_comb begin
    congestion_o = '{
        kind: CongestionNone,
        late: block_3_i.tries != '0,
        repairs: ~m.recovered,
        mss: block_o.mss,
        selective: selective
    };
    if (m.opened) congestion_o.kind = CongestionOpened;
    else if (lost) congestion_o.kind = CongestionLost;
    else if (m.marked) congestion_o.kind = CongestionMarked;
    else if (m.new_ack & ~block_3_i.recovering) congestion_o.kind = CongestionAcked;
    else if (m.new_ack & m.recovered) congestion_o.kind = CongestionRecovered;
    else if (m.new_ack) congestion_o.kind = CongestionPartial;
    else if (duplicate & block_3_i.recovering) congestion_o.kind = CongestionDupAck;
  end

  assign acked_2_o = found_q.acked;
  assign sample_us_2_o = found_q.sample_us;
  assign guessed_o = m.guessed;
  assign unacceptable_o = m.unacceptable;
  assign stale_o = m.stale;
  assign out_of_order_o = m.ahead & m.bytes;

endmodule
