// SPDX-License-Identifier: Apache-2.0
// frame_crossing with clocks that come as they like: the frames that are not dropped come
// out whole, once, in order, without a bubble if they start whole, and a long one is cut. It
// begins running and empty; what resets do is left to the proof of reset_handshake. Not
// proved for all time: looked at for as many steps as the test says.
//
// Data are the numbers of the frame, among those not dropped, and of the beat in it. Of one
// frame, which may be any, the end is watched.
module frame_crossing_formal #(
    parameter bit Drops = 0,
    parameter int unsigned StartBeats = 0,
    parameter int unsigned MaxBeats = 1,
    parameter int unsigned Depth = 4
) (
    input logic in_clk_i,
    input logic out_clk_i,
    input logic [7:0] in_tdata_i,
    input logic in_tkeep_i,
    input logic in_tvalid_i,
    input logic in_tlast_i,
    input logic in_tuser_i,
    input logic out_tready_i
);

  typedef logic [2:0] number_t;

  logic in_tready, in_drop;
  logic [7:0] out_tdata;
  logic out_tkeep, out_tvalid, out_tlast, out_tuser, out_drop;
  frame_crossing #(
      .DataWidth(8),
      .MaxBytes(MaxBeats),
      .Depth(Depth),
      .Drops(Drops),
      .StartBeats(StartBeats),
      .BlockRam(1'b0)
  ) u_crossing (
      .in_clk_i,
      .in_rst_i(1'b0),
      .in_tdata_i,
      .in_tkeep_i,
      .in_tvalid_i,
      .in_tready_o(in_tready),
      .in_tlast_i,
      .in_tuser_i,
      .in_drop_o(in_drop),
      .out_clk_i,
      .out_rst_i(1'b0),
      .out_tdata_o(out_tdata),
      .out_tkeep_o(out_tkeep),
      .out_tvalid_o(out_tvalid),
      .out_tready_i,
      .out_tlast_o(out_tlast),
      .out_tuser_o(out_tuser),
      .out_drop_o(out_drop)
  );

  // ---- The beginning: running, empty ----

  logic in_started_q = 1'b0;
  logic out_started_q = 1'b0;
  wire started = in_started_q | out_started_q;  // an edge has been
  always_ff @(posedge in_clk_i) in_started_q <= 1'b1;
  always_ff @(posedge out_clk_i) out_started_q <= 1'b1;

  always_comb begin
    if (~started) begin
      assume (u_crossing.u_reset.state_q == 2'd3);
      assume ({u_crossing.u_reset.again_q, u_crossing.u_reset.want_q} == '0);
      assume (u_crossing.u_reset.held_q == '0);
      assume ({u_crossing.u_reset.u_stop.src_q, u_crossing.u_reset.u_stop.before_q} == '0);
      assume ({u_crossing.u_reset.u_back.src_q, u_crossing.u_reset.u_back.before_q} == '0);
      assume (u_crossing.u_reset.u_stop.stages_q == '0);
      assume (u_crossing.u_reset.u_back.stages_q == '0);
      assume ({u_crossing.inside_q, u_crossing.dropping_q, u_crossing.index_q} == '0);
      assume ({u_crossing.in_drop_o, ~u_crossing.fits_q} == '0);
      assume ({u_crossing.u_fifo.write, u_crossing.u_fifo.read} == '0);
      assume ({u_crossing.u_fifo.u_write.u_sync.src_q, u_crossing.u_fifo.u_read.u_sync.src_q} == '0);
      assume (u_crossing.u_fifo.u_write.u_sync.before_q == '0);
      assume (u_crossing.u_fifo.u_read.u_sync.before_q == '0);
      assume (u_crossing.u_fifo.u_write.u_sync.stages_q == '0);
      assume (u_crossing.u_fifo.u_read.u_sync.stages_q == '0);
      assume (u_crossing.u_fifo.in_ready_o && u_crossing.u_fifo.in_level_o == '0);
      assume (u_crossing.u_fifo.out_valid_o == '0);
      assume ({u_crossing.out_inside_q, u_crossing.stop_q, u_crossing.quiet_q} == '0);
    end
  end
  if (StartBeats != 1) begin : gen_counted
    always_comb begin
      if (~started) begin
        assume ({u_crossing.gen_start.gone, u_crossing.gen_start.start_q} == '0);
        assume (u_crossing.gen_start.u_frames.src_count_o == '0);
        assume (u_crossing.gen_start.u_frames.u_sync.src_q == '0);
        assume (u_crossing.gen_start.u_frames.u_sync.before_q == '0);
        assume (u_crossing.gen_start.u_frames.u_sync.stages_q == '0);
      end
    end
  end

  // ---- In ----

  number_t watch_q;  // any, and always the same
  logic in_inside_q = 1'b0;
  logic accepted_q = 1'b0;
  logic dropped_q = 1'b0;
  logic ended_q = 1'b0;  // the frame to be cut
  number_t frame_q = '0;
  number_t index_q = '0;
  wire first = ~in_inside_q;
  wire accepted = first ? ~u_crossing.dropping : accepted_q;
  wire step = in_tvalid_i & in_tready;
  wire ends = in_tlast_i | (index_q == number_t'(MaxBeats));  // what of it is kept
  always_comb begin
    assume (in_tdata_i == {2'b0, frame_q, index_q} && in_tkeep_i == accepted);
    assume (in_tlast_i || index_q < number_t'(MaxBeats + 2));
  end
  always_ff @(posedge in_clk_i) begin
    watch_q   <= watch_q;
    dropped_q <= step & first & ~accepted;
    if (step) begin
      in_inside_q <= ~in_tlast_i;
      accepted_q <= accepted;
      index_q <= in_tlast_i ? '0 : index_q + 1'b1;
      if (in_tlast_i & accepted) frame_q <= frame_q + 1'b1;
    end
  end
  // Of the watched frame: its end.
  logic known_q = 1'b0;
  logic bad_q;
  number_t last_q;
  always_ff @(posedge in_clk_i) begin
    if (step & accepted & ends & ~ended_q & (frame_q == watch_q)) begin
      known_q <= 1'b1;
      last_q  <= index_q;
      bad_q   <= (in_tlast_i & in_tuser_i) | (index_q == number_t'(MaxBeats));
    end
    if (step) ended_q <= ~in_tlast_i & (ends | ended_q);
  end

  always_comb begin
    assert (in_drop == dropped_q);
    if (Drops) begin
      assert (in_tready);
      if (in_tvalid_i & accepted & ~ended_q) assert (u_crossing.room);
    end else begin
      assert (~dropped_q);
    end
  end
  // Who may wait keeps what it offers.
  logic waits_q = 1'b0;
  logic last_before_q, user_before_q;
  always_ff @(posedge in_clk_i) begin
    waits_q <= in_tvalid_i & ~in_tready;
    last_before_q <= in_tlast_i;
    user_before_q <= in_tuser_i;
  end
  always_comb begin
    if (waits_q) begin
      assume (in_tvalid_i && in_tlast_i == last_before_q && in_tuser_i == user_before_q);
    end
  end

  // ---- Out ----

  logic out_inside_q = 1'b0;
  logic out_waits_q = 1'b0;
  logic [11:0] out_before_q;
  number_t out_frame_q = '0;
  number_t out_index_q = '0;
  wire [11:0] out_beat = {1'b1, out_tlast, out_tuser, out_tkeep, out_tdata};
  wire is_end = known_q & (out_index_q == last_q);
  always_ff @(posedge out_clk_i) begin
    out_waits_q <= out_tvalid & ~out_tready_i;
    out_before_q <= out_beat;
    if (out_tvalid & out_tready_i) begin
      out_inside_q <= ~out_tlast;
      out_index_q  <= out_tlast ? '0 : out_index_q + 1'b1;
      if (out_tlast) out_frame_q <= out_frame_q + 1'b1;
    end
  end
  always_comb begin
    if (out_tvalid) begin
      assert (out_tdata == {2'b0, out_frame_q, out_index_q} && out_tkeep);
      assert (out_tlast || !out_tuser);
      if (out_frame_q == watch_q) assert (out_tlast == is_end && (!is_end || out_tuser == bad_q));
    end
    if (out_waits_q) assert (out_tvalid && out_beat == out_before_q);
    // No bubble inside a frame.
    if (StartBeats == 0 && out_inside_q) assert (out_tvalid);
  end

  // It can happen at all: a whole frame has come out, and one that is cut.
  logic whole_q = 1'b0;
  logic cut_q = 1'b0;
  always_ff @(posedge out_clk_i) begin
    if (out_tvalid & out_tready_i & out_tlast) begin
      whole_q <= whole_q | ~out_tuser;
      cut_q   <= cut_q | (out_index_q == number_t'(MaxBeats));
    end
  end
  always_comb cover (whole_q & cut_q);

endmodule
