// SPDX-License-Identifier: Apache-2.0
// tcp_expiry: an expired timer sends no segment and receives no bytes, except a FIN that waits, and
// all sound sessions (tcp_invariant_pkg) remain sound.
module tcp_expiry_formal
  import tcp_pkg::*;
  import tcp_state_pkg::*;
  import tcp_invariant_pkg::*;
#(
    parameter int unsigned SendBytes = 65536,
    parameter int unsigned ReceiveBytes = 65536
) (
    input logic clk_i,
    input logic rst_i,
    input logic [$bits(tcb_t)-1:0] block_i,
    input logic [$bits(session_requests_t)-1:0] requests_i,
    input logic last_i,
    input logic overdue_i,
    input logic delay_i,
    input logic fin_due_i
);

  tcb_t block, after;
  session_requests_t requests;
  logic takes_fin, closes, repeats, gives_up, set_timer;
  assign block = block_i;
  assign requests = requests_i;
  tcp_expiry #(
      .Keepalive(1),
      .Ecn(1)
  ) u_expiry (
      .block_i(block),
      .no_keepalive_i(requests.settings.no_keepalive),
      .last_i,
      .overdue_i,
      .delay_i,
      .fin_due_i,
      .block_o(after),
      .takes_fin_o(takes_fin),
      .closes_o(closes),
      .repeats_o(repeats),
      .gives_up_o(gives_up),
      .set_timer_o(set_timer)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    assume (rst_i == ~started_q);
    assume (is_sound(block, requests, SendBytes, ReceiveBytes));
    assume (can_progress(block, requests));
    // tcp_core accepts only the expiry of a timer that is set.
    assume (delay_i | block.timer != TimerNone);
  end

  always_comb begin
    if (started_q) begin
      assert (is_sound(after, requests, SendBytes, ReceiveBytes));
      assert (after.una == block.una & after.max == block.max & after.wnd_edge == block.wnd_edge);
      assert (after.nxt == block.nxt || after.nxt == block.una);
      // The session is queued for a departure. A timer that has expired runs only if it is set
      // again.
      assert (can_progress(after, requests));
      if (~delay_i) assert (set_timer == (after.timer != TimerNone));
      // rcv_nxt advances over a FIN that has waited, once. The connection is closed if that was the
      // last thing to happen.
      assert (closes == (after.state == TimeWait & block.state != TimeWait));
      if (takes_fin) begin
        assert (block.fin_waits & fin_due_i & ~after.fin_waits);
        assert (after.state inside {CloseWait, Closing, TimeWait});
        assert (after.rcv_nxt == block.rcv_nxt + 32'd1 & after.ack_now);
      end else begin
        assert (after.rcv_nxt == block.rcv_nxt);
      end
      if (delay_i & block.ack_later) assert (after.ack_now);
      if (gives_up) assert (after.state == Ended);
      if (after.state != block.state) begin
        assert (takes_fin | gives_up |
                (~delay_i & block.timer == TimerTimeWait & after.state == Ended));
      end
      if (repeats & ~gives_up) assert (after.nxt == block.una & after.timer == TimerNone);
    end
  end

  always_comb begin
    if (started_q) begin
      cover (takes_fin);
      cover (gives_up & repeats);
      cover (repeats & ~gives_up & after.nxt != block.nxt);
      cover (set_timer & after.probe);
    end
  end

endmodule
