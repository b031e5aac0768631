// SPDX-License-Identifier: Apache-2.0
// crosspoint_output, for any content of its queues and any room downstream: messages are
// contiguous, none starts without room, flits beyond MaxPacket wait for room in all channels, none
// waits without reason, and a lane that may start is overtaken by at most one message of each
// rival. Proved for all time, by induction.
module crosspoint_output_formal
  import noc_pkg::*;
#(
    parameter int unsigned NumLanes = 4,
    parameter int unsigned MaxPacket = 2,
    parameter bit IsLocal = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumLanes-1:0] last_i,
    input logic [NumLanes-1:0][NumDirs-1:0] next_channels_i,
    input logic [NumLanes-1:0] valid_i,
    input logic [NumDirs-1:0] out_ready_i,
    input logic [$clog2(NumLanes)-1:0] watched_i  // any lane, constant
);

  typedef struct packed {
    logic last;
    logic [NumDirs-1:0] next_channels;
  } head_t;
  typedef logic [$clog2(MaxPacket+1)-1:0] count_t;

  head_t [NumLanes-1:0] head;
  logic  [NumLanes-1:0] pop;
  logic out_valid, step;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_head
    assign head[l] = '{last: last_i[l], next_channels: next_channels_i[l]};
  end
  crosspoint_output #(
      .head_t(head_t),
      .NumLanes(NumLanes),
      .IsLocal(IsLocal),
      .Lossless(1'b1),
      .MaxPacket(MaxPacket)
  ) u_output (
      .clk_i,
      .rst_i,
      .head_i(head),
      .head_valid_i(valid_i),
      .pop_o(pop),
      .step_o(step),
      .out_valid_o(out_valid),
      .out_ready_i
  );

  // ---- Observed history ----

  logic started_q = 1'b0;
  logic offered_q;  // a flit is on the link
  logic inside_q;  // inside a message
  count_t sent_q;  // flits of it sent, up to MaxPacket
  logic [NumLanes-1:0] owner_q;
  wire link_free = IsLocal ? ~offered_q | out_ready_i[0] : 1'b1;
  wire popped_last = |(pop & last_i);

  logic [NumLanes-1:0] may_start;
  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) begin
      may_start[l] = valid_i[l] & (IsLocal | |(next_channels_i[l] & out_ready_i));
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (|pop) owner_q <= pop;
    if (rst_i) begin
      offered_q <= 1'b0;
      inside_q <= 1'b0;
      sent_q <= '0;
    end else begin
      if (link_free) offered_q <= |pop;
      if (|pop) begin
        inside_q <= ~popped_last;
        sent_q   <= popped_last ? '0 : 32'(sent_q) == MaxPacket ? sent_q : sent_q + 1'b1;
      end
    end
  end

  always_comb if (~started_q) assume (rst_i);

  always_comb begin
    if (started_q & ~rst_i) begin
      assert (step == link_free);
      assert ($onehot0(pop));
      assert ((pop & ~valid_i) == '0);
      assert (out_valid == offered_q);
      if (~link_free) assert (pop == '0);
      if (inside_q) begin
        assert ((pop & ~owner_q) == '0);
        if (~IsLocal && 32'(sent_q) == MaxPacket) begin
          for (int unsigned l = 0; l < NumLanes; l++) begin
            if (pop[l]) assert ((next_channels_i[l] & ~out_ready_i) == '0);
          end
        end else if (link_free & |(owner_q & valid_i)) begin
          assert (pop == owner_q);  // a message that has begun and has room continues
        end
      end else begin
        assert ((pop & ~may_start) == '0);
        if (link_free & |may_start) assert (|pop);
      end
    end
  end

  // ---- For the induction ----

  always_comb begin
    if (started_q) begin
      assert (u_output.locked_q == inside_q);
      assert (u_output.count_q == sent_q);
      if (inside_q) assert (u_output.owner_q == owner_q);
      assert (u_output.valid_q == offered_q);
    end
  end

  bounded_overtaking #(
      .NumInputs(NumLanes)
  ) u_overtaking (
      .clk_i,
      .rst_i,
      .started_i(started_q),
      .watched_i,
      .waits_i  (may_start[watched_i]),
      .starts_i (inside_q ? '0 : pop),
      .before_i (u_output.u_arbiter.order)
  );

  // Cover: a long message continues.
  always_comb begin
    if (started_q & ~rst_i) cover (inside_q && 32'(sent_q) == MaxPacket && |pop);
  end

endmodule
