// SPDX-License-Identifier: Apache-2.0
// Effects of an expired timer on its session (RFC 6298, 5; RFC 9293, 3.8.3 and 3.8.6.1).
module tcp_expiry
  import tcp_pkg::*;
  import tcp_state_pkg::*;
#(
    parameter int unsigned MaxBackoff = 10,  // most doublings of the timeout
    parameter bit Keepalive = 0,  // RFC 9293, 3.8.4
    parameter bit Ecn = 0  // RFC 3168
) (
    input tcb_t block_i,
    input logic no_keepalive_i,  // the keepalive timer runs, but the peer is not probed
    input logic last_i,  // the number of timeouts has reached its limit
    input logic overdue_i,  // no acknowledgement for longer than the user timeout
    input logic delay_i,  // the expired timer is that of the delayed acknowledgement
    input logic fin_due_i,  // rcv_nxt is at the FIN that waits
    output tcb_t block_o,
    output logic takes_fin_o,  // processes a FIN that has waited
    output logic closes_o,  // ... and the connection is closed in both directions
    output logic repeats_o,  // a retransmission timeout
    output logic gives_up_o,
    output logic set_timer_o  // for the purpose in block_o.timer
);

  if (MaxBackoff < 1 || MaxBackoff > 12) begin : gen_bad_backoff
    $error("tcp_expiry: MaxBackoff must be 1 to 12");
  end

  wire handshake = block_i.state inside {SynSent, SynReceived};
  wire fin_due = block_i.fin_waits & fin_due_i;
  assign takes_fin_o = delay_i & fin_due & (block_i.state inside {Established, FinWait1, FinWait2});
  assign closes_o = takes_fin_o & (block_i.state == FinWait2);
  assign repeats_o = ~delay_i & (block_i.timer == TimerRetransmit);
  wire waits = Keepalive & ~delay_i & (block_i.timer == TimerKeepalive);
  wire alone = waits & ~no_keepalive_i &
      (block_i.tries == 4'(KeepaliveWaits + KeepaliveProbes - 1));
  wire probes = ~delay_i & (block_i.timer == TimerPersist);  // the previous probe was not answered
  // The peer does not end its side in time.
  wire fin_wait = ~delay_i & (block_i.timer == TimerTimeWait) & (block_i.state == FinWait2);
  assign gives_up_o  = ((repeats_o | probes) & (last_i | (overdue_i & ~handshake))) | alone |
      fin_wait;
  assign set_timer_o = (waits & ~alone) | closes_o;

  wire [3:0] more_tries = block_i.tries + 4'(block_i.tries != '1);

  always_comb begin
    block_o = block_i;
    if (delay_i) begin
      block_o.ack_now   = block_i.ack_now | block_i.ack_later | takes_fin_o;
      block_o.fin_waits = block_i.fin_waits & ~fin_due;
      if (takes_fin_o) begin
        block_o.state   = block_i.state == Established ? CloseWait : Closing;
        block_o.rcv_nxt = block_i.rcv_nxt + 32'd1;
      end
      if (closes_o) begin
        block_o.state = TimeWait;
        block_o.timer = TimerTimeWait;
      end
    end else begin
      block_o.timer = TimerNone;
      if (block_i.backoff != 4'(MaxBackoff)) block_o.backoff = block_i.backoff + 4'd1;
      unique case (block_i.timer)
        TimerRetransmit: begin
          block_o.tries = more_tries;
          block_o.nxt = block_i.una;
          block_o.recover = block_i.max;
          if (Ecn) begin
            block_o.reduced = block_i.ecn;
            block_o.marked  = block_i.max;
          end
          block_o.recovering = 1'b0;
          block_o.retransmit = 1'b0;
          if (~handshake) block_o.dup_acks = '0;  // see tcp_arrival
          block_o.timing = 1'b0;
        end
        TimerPersist: begin
          block_o.tries = more_tries;
          block_o.nxt   = block_i.una;
          block_o.probe = 1'b1;
        end
        TimerTimeWait: block_o.state = Ended;
        TimerKeepalive:
        if (Keepalive) begin
          block_o.timer   = TimerKeepalive;
          block_o.backoff = block_i.backoff;
          block_o.tries   = no_keepalive_i ? '0 : block_i.tries + 4'd1;
          block_o.probe   = ~no_keepalive_i & (block_i.tries >= 4'(KeepaliveWaits - 1));
        end
        default: ;
      endcase
      if (gives_up_o) begin
        block_o.state = Ended;
        block_o.timer = TimerNone;
      end
    end
  end

endmodule
