// SPDX-License-Identifier: Apache-2.0
// Next segment of a session: bytes, SYN, FIN or an acknowledgement (RFC 9293, 3.8; RFC 1122,
// 4.2.3.4; RFC 6298, 5). Three cycles: distances of sequence numbers, the shortest of them, the
// segment and the new block.
//
// The end of the segment is selected among precomputed sums, so that no adder follows the
// comparisons.
module tcp_departure
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned RingBytes = 65536,  // send buffer per session
    parameter int unsigned ReceiveBytes = 65536,  // receive buffer per session
    parameter int unsigned OwnScale = 0,  // scale of the windows sent
    parameter bit Nagle = 0,  // RFC 9293, 3.7.4
    parameter bit Selective = 1,  // retransmissions are selected by SACK (RFC 6675)
    parameter bit Ecn = 0,  // RFC 3168
    parameter bit Keepalive = 0,  // RFC 9293, 3.8.4
    parameter bit FinWait = 1  // FIN-WAIT-2 has a bound
) (
    input logic clk_i,
    input logic [31:0] time_us_i,

    // First cycle
    input tcb_t block_i,
    input session_requests_t requests_i,
    input logic resend_i,  // from tcp_scoreboard: bytes are to be retransmitted,
    input logic hole_i,  // which is a hole,
    input seq_t resent_i,  // from this sequence number on,
    input seq_t rescue_i,  // or the last segment, from this sequence number on
    input logic [31:0] congestion_window_i,  // bytes that may be in flight; at least one segment

    // Second and third cycle
    input tcb_t block_2_i,
    input session_requests_t requests_2_i,
    input logic hole_2_i,
    input logic futile_2_i,  // the retransmission is no longer needed
    input bombus_pkg::length_t hole_length_2_i,
    input logic gaps_2_i,  // there are SACK blocks to report
    input tcb_t block_3_i,
    input session_requests_t requests_3_i,
    input logic allowed_3_i,  // in recovery with SACK: another segment may be sent
    input logic [2:0] num_sacks_3_i,
    input sack_block_t [MaxSackBlocks-1:0] sacks_3_i,

    // Second cycle: bytes have arrived that the application has not released
    output logic unread_2_o,

    // Third cycle
    output tcb_t block_o,
    output departure_t segment_o,  // without the session
    output logic send_o,
    output changes_t changes_o,
    output logic wake_o,  // there is more to send immediately
    output logic set_timer_o,  // for the purpose in block_o.timer
    output logic occupies_o,  // sends bytes, SYN or FIN
    output logic repeats_o,  // sends bytes that were sent before
    output logic resends_o,  // sends the bytes announced by resend_i, in recovery with SACK,
    output logic fills_o,  // up to the end of the hole, or
    output logic fresh_o,  // sends bytes or a FIN for the first time
    output seq_t last_o,  // up to this sequence number
    output logic restarts_o,  // sends bytes while no byte was in flight
    output seq_t bare_o,  // sequence number of a segment that occupies none
    output logic sent_ack_o  // a delayed acknowledgement is no longer due
);

  if (RingBytes < 1024 || RingBytes > 2 ** 30 || RingBytes != 2 ** $clog2(
          RingBytes
      )) begin : gen_bad_ring
    $error("tcp_departure: RingBytes must be a power of two, 1024 to 2**30");
  end
  if (OwnScale > 14) begin : gen_bad_scale
    $error("tcp_departure: OwnScale must be 0 to 14 (RFC 7323, 2.3)");
  end

  if (ReceiveBytes < 1024 || ReceiveBytes > 2 ** 29) begin : gen_bad_receive
    $error("tcp_departure: ReceiveBytes must be 1024 to 2**29");
  end

  // ---- First cycle: distances from the next byte ----

  // Positions between una and the end of a ring are less than two rings apart. Congestion windows
  // are a few segments longer.
  typedef logic signed [$clog2(RingBytes)+1:0] send_t;
  typedef logic signed [$clog2(ReceiveBytes)+1:0] receive_t;
  localparam int unsigned RingWidth = $clog2(RingBytes);
  localparam int unsigned SpareWidth = RingWidth < 16 ? 20 : RingWidth > 28 ? 32 : RingWidth + 4;
  typedef logic signed [SpareWidth-1:0] spare_t;

  typedef struct packed {
    seq_t base;  // next byte to send
    seq_t fin_end;  // end of the FIN
    send_t bytes;  // bytes written by the application and not sent
    distance_t window;  // window of the peer
    send_t sent;  // bytes sent before, from base on
    send_t flight;  // distance of the next byte from una
    spare_t spare;  // congestion window minus a full segment
    distance_t readable;  // rcv_nxt, relative to the position awaited by the application
    // End of the space, relative to the position awaited by the application
    distance_t writable;
    receive_t own_window;
    receive_t kept_window;  // the rest of the window last advertised
    logic all_written;  // the application has closed: the FIN may follow
    logic fin_passed;  // rcv_nxt is beyond the FIN that waits: the peer has sent bytes after it
    seq_t below;  // sequence number of a keepalive
    logic closed;  // the window of the peer is zero
    // growth of our window since it was last advertised: any value, if peers ignore it
    distance_t opened;
  } distances_t;
  distances_t found_q;

  // Selected by two bits, since all distances depend on it.
  seq_t base;
  always_comb begin
    unique case ({
      resend_i, hole_i | block_i.retransmit
    })
      2'b00: base = block_i.nxt;
      2'b01: base = block_i.una;
      2'b10: base = rescue_i;
      2'b11: base = resent_i;
    endcase
  end
  wire seq_t fin_gap = block_i.fin_at - block_i.rcv_nxt;
  // Minus a full segment. Limited transmit (RFC 3042): the first two duplicate acknowledgements
  // each allow one more segment.
  spare_t limited;
  always_comb begin
    limited = -spare_t'({1'b0, block_i.mss});
    if (~block_i.recovering & (block_i.dup_acks == 2'd1)) limited = '0;
    if (~block_i.recovering & (block_i.dup_acks == 2'd2)) limited = spare_t'({1'b0, block_i.mss});
  end

  always_ff @(posedge clk_i) begin
    found_q <= '{
        base: base,
        fin_end: requests_i.send_end + 32'd1,
        bytes: send_t'(requests_i.send_end - base),
        window: block_i.wnd_edge - base,
        sent: send_t'(block_i.max - base),
        flight: send_t'(base - block_i.una),
        spare: spare_t'(congestion_window_i) + limited,
        readable: block_i.rcv_nxt - requests_i.read_position,
        writable: block_i.una + seq_t'(RingBytes) - requests_i.write_position,
        own_window: receive_t'(requests_i.release_edge - block_i.rcv_nxt),
        kept_window: receive_t'(block_i.adv_edge - block_i.rcv_nxt),
        all_written: requests_i.closing & (requests_i.close_position == requests_i.send_end),
        fin_passed: fin_gap[31],
        below: Keepalive ? block_i.max - 32'd1 : '0,
        closed: block_i.wnd_edge[30:0] == block_i.una[30:0],  // at most 2**30 bytes apart
        opened: requests_i.release_edge - block_i.adv_edge
    };
  end

  // ---- Second cycle: which limit is smallest ----

  // The whole buffer is free, except for the position of a FIN.
  localparam int unsigned ReceiveWidth = $clog2(ReceiveBytes);
  wire peer_closed = block_2_i.state inside {CloseWait, Closing, LastAck, TimeWait};
  assign unread_2_o = found_q.own_window[ReceiveWidth+1] | ~(found_q.own_window[ReceiveWidth] |
      (peer_closed & (&found_q.own_window[ReceiveWidth-1:0])));

  typedef struct packed {
    logic acks_first;  // SACK is sent in a segment without bytes, which has room for it
    logic sends_bytes;
    logic futile;  // the retransmission is no longer needed: another departure follows
    logic hole;  // sends a hole between SACK ranges
    logic selective;  // in recovery with SACK
    logic gated;  // ... and not the first segment of recovery
    logic full;  // the segment is of maximum length
    logic by_bytes;  // ... limited by the application's bytes
    logic push;  // it contains the last bytes written
    logic by_window;
    logic probe;  // probes a closed window, by a byte or the FIN
    logic keepalive;  // sends a keepalive
    logic closed;
    logic syn;
    logic fin;  // no bytes are left before the FIN
    logic fin_follows;  // the FIN is sent with the last bytes
    logic more;
    logic idle;  // nothing is in flight
    // More is waiting than the windows allow: bytes, or a FIN
    logic waits;
    logic shut;  // nothing is in flight: if nothing is sent, the window is the reason
    logic repeats;
    logic beyond_full;  // the end is later than max
    logic beyond_bytes;
    logic beyond_fin;
    logic beyond_window;
    logic beyond_one;
    logic update;  // our window has grown by two segments, and the peer may still send
    logic keeps;  // ... by less than one
    logic readable;
    logic writable;
    logic fin_passed;
    logic [15:0] window;
    logic [15:0] kept_window;
    seq_t base;
    seq_t below;
    seq_t full_end;
    seq_t fin_end;
    seq_t window_end;
    bombus_pkg::length_t bytes;
    bombus_pkg::length_t window_bytes;
    bombus_pkg::length_t hole_length;
  } meaning_t;
  meaning_t meaning, meaning_q;

  wire state_e state = block_2_i.state;
  wire handshake = state inside {SynSent, SynReceived};
  wire sends = state inside {Established, CloseWait, FinWait1, Closing, LastAck};
  wire distance_t mss = distance_t'({18'b0, block_2_i.mss});
  wire distance_t window = found_q.window;
  wire distance_t unsent = distance_t'(found_q.bytes);
  wire distance_t sent = distance_t'(found_q.sent);
  wire distance_t flight = distance_t'(found_q.flight);
  wire distance_t spare = distance_t'(found_q.spare);
  wire distance_t opening = found_q.opened;
  wire has_bytes = unsent > 0;
  wire full_bytes = unsent >= mss;
  wire more_bytes = unsent > mss;
  wire full_window = window >= mss;
  wire bytes_in_window = unsent <= window;
  // A FIN needs a byte of window, like data.
  wire fin_in_window = bytes_in_window & (unsent != window);
  wire fin_due = found_q.all_written & (unsent == 0);
  wire open_window = ~window[31] & (window != '0);
  // Requires room for a full segment. Retransmissions have been admitted before.
  wire selective = Selective & block_2_i.recovering & block_2_i.sack;
  wire hole = selective & hole_2_i;
  wire uncongested = (flight <= spare) | block_2_i.retransmit | selective;
  wire idle = flight == 0;
  wire by_bytes = ~hole & ~full_bytes & bytes_in_window & uncongested;
  wire full = hole ? hole_length_2_i > block_2_i.mss : full_bytes & full_window & uncongested;
  // RFC 9293, 3.8.6.2.1: no short segments because of the windows, unless nothing is in flight and
  // the window is half the largest one seen, or at least a quarter (the leading bit of that half is
  // compared), or has not grown for some time.
  wire long = (window[31:14] != '0) | ((window[13:0] >> block_2_i.most_window) != '0);
  wire by_window = ~hole & ~by_bytes & ~full & uncongested & ~window[31] & idle &
      (long | (block_2_i.probe & (window != '0)));
  wire [3:0] own_scale = 4'(block_2_i.scaled & ~handshake ? OwnScale : 0);  // RFC 7323, 2.2

  // A window as encoded in a segment.
  function automatic logic [15:0] carried(distance_t edge_, logic [3:0] by);
    logic [31:0] shifted;
    shifted = edge_ >> by;
    if (edge_ < 0) return '0;
    return shifted > 32'hFFFF ? 16'hFFFF : shifted[15:0];
  endfunction

  // An acknowledgement that was due when the connection ended is never sent.
  wire acks_first = block_2_i.ack_now & block_2_i.sack & (gaps_2_i | block_2_i.dsack) &
      !(state inside {Closed, Ended, SynSent});
  wire silent = acks_first | futile_2_i;

  always_comb begin
    meaning = '0;
    meaning.acks_first = acks_first;
    meaning.futile = futile_2_i;
    meaning.hole = hole;
    meaning.selective = selective;
    meaning.gated = selective & ~block_2_i.retransmit;
    meaning.hole_length = hole_length_2_i;
    meaning.full = full;
    meaning.by_bytes = by_bytes;
    meaning.push = by_bytes | (full & ~more_bytes);
    meaning.by_window = by_window;
    // Nagle's algorithm: RFC 9293, 3.7.4; not for retransmissions.
    meaning.sends_bytes = sends & has_bytes & ~silent &
        (hole | full | by_window | (by_bytes & (~Nagle | requests_2_i.settings.no_delay | idle |
                                                found_q.all_written | (sent > 0))));
    meaning.probe = sends & (has_bytes | fin_due) & ~silent & block_2_i.probe & ~open_window;
    meaning.keepalive = Keepalive & block_2_i.probe & (block_2_i.timer == TimerKeepalive);
    meaning.closed = found_q.closed & ~handshake;
    meaning.syn = handshake & (found_q.base == block_2_i.una) &
        (block_2_i.retransmit | (block_2_i.nxt == block_2_i.una));
    meaning.fin = sends & ~silent & fin_due & (open_window | block_2_i.probe);
    meaning.fin_follows = found_q.all_written & by_bytes & fin_in_window;
    // A FIN after the last full segment is sent immediately.
    meaning.more = full & (more_bytes ? (window > mss) & (flight < spare) : found_q.all_written);
    meaning.waits = (has_bytes & ~(by_bytes & meaning.sends_bytes)) |
        (found_q.all_written & ~fin_in_window);
    meaning.idle = idle;
    meaning.shut = sends & (has_bytes | fin_due) & idle;
    meaning.repeats = sent > 0;
    meaning.beyond_full = sent < mss;
    meaning.beyond_bytes = sent < unsent;
    meaning.beyond_fin = sent <= unsent;
    meaning.beyond_window = sent < window;
    meaning.beyond_one = sent < 1;
    meaning.update = (state inside {Established, FinWait1, FinWait2}) &
        (opening >= (mss << 1) | opening >= distance_t'(ReceiveBytes / 2));
    meaning.readable = (requests_2_i.read_toggle != block_2_i.read_served) &
        (~found_q.readable[31] | (state inside {CloseWait, Closing, LastAck, TimeWait}));
    meaning.writable = (requests_2_i.write_toggle != block_2_i.write_served) &
        ~found_q.writable[31];
    // RFC 9293, 3.8.6.2.2
    meaning.keeps = opening < mss && opening < distance_t'(ReceiveBytes / 2);
    meaning.window = carried(distance_t'(found_q.own_window), own_scale);
    meaning.kept_window = carried(distance_t'(found_q.kept_window), own_scale);
    meaning.fin_passed = found_q.fin_passed;
    meaning.base = found_q.base;
    meaning.below = found_q.below;
    meaning.full_end = found_q.base + 32'(block_2_i.mss);
    meaning.fin_end = found_q.fin_end;
    meaning.window_end = block_2_i.wnd_edge;
    meaning.bytes = unsent[13:0];
    meaning.window_bytes = window[13:0];
  end

  always_ff @(posedge clk_i) meaning_q <= meaning;

  // ---- Third cycle: the segment and the new block ----

  wire meaning_t m = meaning_q;
  wire sends_bytes = m.sends_bytes & (~m.gated | allowed_3_i);
  wire bytes = sends_bytes | (m.probe & ~m.fin);
  wire fin = m.fin | (sends_bytes & m.fin_follows);
  wire occupies = bytes | fin | m.syn;
  wire live = !(block_3_i.state inside {Closed, Ended, SynSent});
  // A window update too small to be encoded, as without scale beyond 65,535 bytes, would be a
  // duplicate acknowledgement (RFC 5681, 2). This cannot occur with smaller buffers.
  wire unchanged = (ReceiveBytes > 65536) & (m.window == m.kept_window);
  wire acks = live & (block_3_i.ack_now | (m.update & ~unchanged));
  wire new_bytes = sends_bytes & ~m.repeats;
  wire offers_ecn = Ecn & (block_3_i.state == SynSent) & (block_3_i.tries == '0);
  wire unset = block_3_i.timer == TimerNone | (Keepalive & block_3_i.timer == TimerKeepalive);
  wire [2:0] num_sacks = num_sacks_3_i + 3'(block_3_i.dsack);
  wire [2:0] most_sacks = block_3_i.timestamps ? 3'd3 : 3'd4;
  seq_t last;
  logic beyond;

  always_comb begin
    segment_o = '0;
    last = m.base;
    beyond = 1'b0;
    if (m.syn | m.probe) begin
      last = m.base + 32'd1;
      beyond = m.beyond_one;
      segment_o.length = {13'b0, m.probe & ~m.fin};
    end else if (fin) begin
      last = m.fin_end;
      beyond = m.beyond_fin;
      segment_o.length = m.bytes;
    end else if (sends_bytes) begin
      last   = m.full ? m.full_end : m.by_bytes ? requests_3_i.send_end : m.window_end;
      beyond = m.full ? m.beyond_full : m.by_bytes ? m.beyond_bytes : m.beyond_window;
      if (m.hole) beyond = 1'b0;
      segment_o.length = m.full ? block_3_i.mss : m.hole ? m.hole_length :
          m.by_bytes ? m.bytes : m.window_bytes;
    end
    send_o = occupies | acks | m.keepalive;
    segment_o.seq = m.base;
    if (~occupies) segment_o.seq = m.keepalive ? m.below : bare_o;
    segment_o.ack = block_3_i.state == SynSent ? '0 : block_3_i.rcv_nxt;
    segment_o.window = m.keeps ? m.kept_window : m.window;
    segment_o.flags.ack = block_3_i.state != SynSent;
    segment_o.flags.syn = m.syn;
    segment_o.flags.fin = fin;
    segment_o.flags.psh = bytes & m.push;
    // RFC 3168, 6.1.1 and 6.1.5: a SYN only negotiates; retransmissions are not marked and carry no
    // CWR.
    if (Ecn) begin
      segment_o.flags.ece = m.syn ? offers_ecn | block_3_i.ecn : block_3_i.congested;
      segment_o.flags.cwr = m.syn ? offers_ecn : new_bytes & block_3_i.reduced & ~block_3_i.no_ect;
      segment_o.ect = new_bytes & block_3_i.ecn & ~block_3_i.no_ect;
    end
    segment_o.has_timestamps = block_3_i.timestamps;
    segment_o.ts_echo = block_3_i.ts_recent;
    segment_o.has_scale = block_3_i.scaled;
    segment_o.sack_permitted = block_3_i.sack;
    if (block_3_i.sack & ~occupies)
      segment_o.num_sacks = num_sacks > most_sacks ? most_sacks : num_sacks;
    segment_o.sacks = sacks_3_i;
    if (block_3_i.dsack) begin
      for (int unsigned b = 1; b < MaxSackBlocks; b++) segment_o.sacks[b] = sacks_3_i[b-1];
      segment_o.sacks[0] = '{left: block_3_i.dsack_left, right: block_3_i.dsack_right};
    end

    block_o   = block_3_i;
    changes_o = '0;
    if (m.fin_passed) block_o.fin_waits = 1'b0;
    if (send_o & live) begin
      block_o.ack_now   = 1'b0;
      block_o.ack_later = 1'b0;
      block_o.dsack     = 1'b0;
      if (~m.keeps) block_o.adv_edge = requests_3_i.release_edge;
    end
    set_timer_o = 1'b0;
    if (occupies) begin
      block_o.retransmit = 1'b0;
      block_o.probe = 1'b0;
      if (new_bytes) block_o.reduced = 1'b0;
      if (beyond) block_o.max = last;
      if (m.idle & ~m.repeats) block_o.since = time_us_i[31:16];
      // The peer may reject the byte of a probe, so it is retransmitted with the others.
      if ((beyond | ~block_3_i.retransmit) & ~m.probe & ~m.hole) block_o.nxt = last;
      if (fin) begin
        block_o.fin_sent = 1'b1;
        if (block_3_i.state == Established) block_o.state = FinWait1;
        if (block_3_i.state == CloseWait) block_o.state = LastAck;
      end
      // Only first transmissions are timed (RFC 6298, 3).
      if (~m.repeats & ~block_3_i.timing & ~m.probe) begin
        block_o.timing = 1'b1;
        block_o.timed_seq = last;
        block_o.timed_at = time_us_i;
      end else if (m.repeats) begin
        block_o.timing = 1'b0;
      end
      if (unset | (~m.probe & (block_3_i.timer == TimerPersist))) begin
        block_o.timer = m.probe ? TimerPersist : TimerRetransmit;
        set_timer_o   = 1'b1;
      end
    end else if (~m.acks_first) begin
      block_o.retransmit = 1'b0;
      if (m.keepalive) block_o.probe = 1'b0;
      if (m.shut & unset) begin
        block_o.timer = TimerPersist;
        set_timer_o   = 1'b1;
        block_o.since = time_us_i[31:16];
      end
    end
    // As in Linux: unless the application still reads
    if (FinWait & (block_3_i.state == FinWait2) & requests_3_i.reads_no_more & unset) begin
      block_o.timer = TimerTimeWait;
      set_timer_o   = 1'b1;
    end
    if (set_timer_o & (block_3_i.timer == TimerKeepalive)) block_o.tries = '0;
    block_o.blocked = m.waits & ~m.acks_first;
    if (m.readable) begin
      changes_o.readable  = 1'b1;
      block_o.read_served = requests_3_i.read_toggle;
    end
    if (m.writable) begin
      changes_o.writable   = 1'b1;
      block_o.write_served = requests_3_i.write_toggle;
    end
  end

  assign occupies_o = occupies;
  assign repeats_o = bytes & m.repeats;
  // A peer whose window is zero accepts only its next sequence number, even for an acknowledgement
  // (RFC 9293, 3.10.7.4); the byte of a rejected probe does not count.
  assign bare_o = m.closed ? block_3_i.una : block_3_i.max;
  assign restarts_o = sends_bytes & m.idle & ~m.repeats;
  assign sent_ack_o = send_o & live;
  assign wake_o = (sends_bytes & (m.more | m.selective)) | m.acks_first | m.futile;
  assign resends_o = sends_bytes & m.selective & (m.hole | block_3_i.retransmit);
  assign fills_o = m.hole & ~m.full;
  assign last_o = last;
  assign fresh_o = occupies & beyond & ~m.syn & ~m.probe;

endmodule
