// SPDX-License-Identifier: Apache-2.0
// drop_register passes to its output_stage every beat of a message that is not dropped, each with
// the next hop of the message, and no beat of another; each message counts by its reason, once.
// output_stage passes all of it to a stream_stage, which stage_formal proves, and back. Proved for
// all time, by induction, for messages with a marked first beat.
module output_stage_formal #(
    parameter bit CutsReady = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [9:0] in_i,
    input logic in_valid_i,
    input logic [1:0] in_next_i,
    input logic [2:0] in_drop_i,
    input logic out_ready_i
);

  typedef struct packed {
    logic meta;
    logic last;
    logic [7:0] data;
  } beat_t;
  typedef logic [1:0] next_t;

  beat_t in, out, alone;
  next_t out_next, alone_next;
  logic first_q, in_ready, alone_ready, out_valid, alone_valid;
  logic [2:0] drop;
  assign in = in_i;

  drop_register #(
      .beat_t(beat_t),
      .NumDrops(3),
      .NextWidth(2),
      .CutsReady(CutsReady)
  ) u_dut (
      .clk_i,
      .rst_i,
      .in_i       (in),
      .in_valid_i,
      .in_ready_o (in_ready),
      .in_first_i (first_q),
      .in_next_i,
      .in_drop_i,
      .out_o      (out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_next_o (out_next),
      .drop_o     (drop)
  );

  output_stage #(
      .beat_t(beat_t),
      .NextWidth(2),
      .CutsReady(CutsReady)
  ) u_alone (
      .clk_i,
      .rst_i,
      .in_i       (in),
      .in_valid_i,
      .in_ready_o (alone_ready),
      .in_next_i,
      .out_o      (alone),
      .out_valid_o(alone_valid),
      .out_ready_i,
      .out_next_o (alone_next)
  );

  // ---- The message that a beat belongs to ----

  logic started_q = 1'b0;  // a reset has occurred
  logic dropped_q;
  next_t next_q;
  logic [2:0] counted_q;
  wire taken = in_valid_i & in_ready;
  wire dropped = first_q ? |in_drop_i : dropped_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      first_q   <= 1'b1;
      dropped_q <= 1'b0;
      counted_q <= '0;
    end else begin
      counted_q <= taken & first_q ? in_drop_i : '0;
      if (taken) begin
        first_q   <= in.last;
        dropped_q <= dropped;
        if (first_q) next_q <= in_next_i;
      end
    end
  end

  always_comb begin
    if (~started_q) assume (rst_i);
    if (started_q) begin
      assert (drop == counted_q);
      if (~first_q) begin
        assert (u_dut.dropping_q == dropped_q);
        assert (u_dut.next_q == next_q);
      end

      assert (u_dut.u_stage.in_valid_i == (in_valid_i & ~dropped));
      assert (u_dut.u_stage.in_i == in);
      assert (u_dut.u_stage.in_next_i == (first_q ? in_next_i : next_q));
      assert (u_dut.u_stage.in_ready_o == in_ready);
      assert ({out_valid, out, out_next} ==
              {u_dut.u_stage.out_valid_o, u_dut.u_stage.out_o, u_dut.u_stage.out_next_o});

      assert (u_alone.u_stage.in_valid_i == in_valid_i);
      assert ({u_alone.u_stage.in_head_i, u_alone.u_stage.in_body_i} == {in_next_i, in.last, in});
      assert (u_alone.u_stage.in_ready_o == alone_ready);
      assert (u_alone.u_stage.out_ready_i == out_ready_i);
      assert (alone_valid == u_alone.u_stage.out_valid_o);
      assert ({alone_next, alone.last} == u_alone.u_stage.out_head_o);
      assert ({alone.meta, alone.data} == {u_alone.u_stage.out_body_o.meta,
                                           u_alone.u_stage.out_body_o.data});
      cover (~first_q & dropped_q & taken & in.last & drop[2]);
      cover (out_valid & ~first_q & ~dropped_q & taken);
    end
  end

endmodule
