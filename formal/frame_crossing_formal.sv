// SPDX-License-Identifier: Apache-2.0
// frame_crossing with arbitrary clocks: the frames that are not dropped leave as a whole, once, in
// order, without a bubble if StartBeats is 0; a frame that is too long is cut. The proof begins
// running and empty; resets are covered by the proof of reset_handshake. Proved for all time, by
// induction.
//
// Data is the number of the frame, among those not dropped, and of the beat in it. The end of one
// arbitrary frame is watched.
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

  // ---- Initial state: running, empty ----

  logic started;
  logic begins;
  logic [1:0] unused_in_resets, unused_out_resets;
  two_clocks_start #(
      .Resets(1'b0)
  ) u_start (
      .in_clk_i,
      .out_clk_i,
      .rst_i(1'b0),
      .started_o(started),
      .is_empty_o(begins),
      .in_resets_o(unused_in_resets),
      .out_resets_o(unused_out_resets)
  );

  always_comb begin
    if (begins) begin
      assume (u_crossing.u_reset.u_state.is_running);
      assume ({u_crossing.inside_q, u_crossing.dropping_q, u_crossing.index_q} == '0);
      assume ({u_crossing.in_drop_o, ~u_crossing.fits_q} == '0);
      assume ({u_crossing.out_inside_q, u_crossing.stop_q, u_crossing.quiet_q} == '0);
    end
  end
  if (StartBeats != 1) begin : gen_counted
    always_comb begin
      if (begins) assume ({u_crossing.gen_start.gone, u_crossing.gen_start.start_q} == '0);
    end
  end

  // ---- Input ----

  number_t watch_q;  // any value, constant
  logic in_inside_q = 1'b0;
  logic accepted_q = 1'b0;
  logic dropped_q = 1'b0;
  logic ended_q = 1'b0;  // the current frame is cut
  number_t frame_q = '0;
  number_t index_q = '0;
  wire first = ~in_inside_q;
  wire accepted = first ? ~u_crossing.dropping : accepted_q;
  wire step = in_tvalid_i & in_tready;
  wire ends = in_tlast_i | (index_q == number_t'(MaxBeats));  // of the part that is kept
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
  // The end of the watched frame.
  logic has_end_q = 1'b0;
  logic bad_q;
  number_t last_q;
  always_ff @(posedge in_clk_i) begin
    // Numbers are reused once the frame with this number has left.
    if (step & accepted & ~ended_q & (frame_q == watch_q)) begin
      has_end_q <= ends;
      last_q <= index_q;
      bad_q <= (in_tlast_i & in_tuser_i) | (index_q == number_t'(MaxBeats));
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
  // An input that may stall keeps its offer.
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

  // ---- Output ----

  logic out_inside_q = 1'b0;
  logic out_waits_q = 1'b0;
  logic [11:0] out_before_q;
  number_t out_frame_q = '0;
  number_t out_index_q = '0;
  wire [11:0] out_beat = {1'b1, out_tlast, out_tuser, out_tkeep, out_tdata};
  wire is_end = has_end_q & (out_index_q == last_q);
  always_ff @(posedge out_clk_i) begin
    out_waits_q  <= out_tvalid & ~out_tready_i;
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
    // No bubbles inside a frame.
    if (StartBeats == 0 && out_inside_q) assert (out_tvalid);
  end

  // ---- Invariants for the induction ----

  localparam int unsigned Width = $clog2(Depth) + 1;
  typedef logic [Width-1:0] pointer_t;
  typedef logic [Width+1:0] count_t;
  typedef logic [10:0] entry_t;  // user, last, keep, 0, frame, index

  always_comb begin
    assert (u_crossing.u_reset.u_state.is_running);
    assert ({u_crossing.stop_q, u_crossing.quiet_q} == '0);
  end

  count_t pushed, fetched;
  assign pushed  = u_crossing.u_fifo.u_state.pushed_q;
  assign fetched = u_crossing.u_fifo.u_state.fetched_q;
  wire count_t stored = pushed - fetched;

  // The state of the source.
  wire is_kept = in_inside_q & accepted_q & ~ended_q;
  always_comb begin
    assert (u_crossing.inside_q == in_inside_q);
    if (in_inside_q) assert (u_crossing.dropping_q == (~accepted_q | ended_q));
    assert (in_inside_q == (index_q != '0));
    assert (index_q <= number_t'(MaxBeats + 2));
    assert (ended_q == (index_q > number_t'(MaxBeats)));
    assert (32'(u_crossing.index_q) == (32'(index_q) < MaxBeats ? 32'(index_q) : MaxBeats));
    if (is_kept & (frame_q == watch_q)) assert (~has_end_q);
    if (has_end_q) assert (last_q <= number_t'(MaxBeats));
    if (waits_q) assert (~Drops & u_crossing.write);
    if (in_inside_q & accepted_q & ended_q & (frame_q == watch_q)) assert (has_end_q);
  end

  // Frames that start with enough room have room to the end.
  localparam int unsigned Longest = MaxBeats + 1;
  wire pointer_t ahead = pointer_t'(pushed) - u_crossing.u_fifo.read_seen;
  if (Drops) begin : gen_room
    always_comb begin
      if (u_crossing.fits_q) assert (32'(ahead) <= Depth - Longest);
      if (is_kept) assert (32'(ahead) <= Depth - Longest + 32'(index_q));
      if (is_kept | (~in_inside_q & u_crossing.fits_q)) assert (u_crossing.room);
    end
  end

  // Entries in order: each has the numbers that follow those of the previous one.
  function automatic logic [5:0] following(entry_t entry);
    return entry[9] ? {entry[5:3] + 3'd1, 3'd0} : {entry[5:3], entry[2:0] + 3'd1};
  endfunction
  function automatic logic is_right(  // of the watched frame: its end
      entry_t entry, number_t watch, logic has_end, number_t last, logic bad);
    logic right;
    right = entry[8] && entry[7:6] == '0 && entry[2:0] <= 3'(MaxBeats);
    right = right && (entry[9] || !entry[10]) && (entry[9] || entry[2:0] != 3'(MaxBeats));
    if (entry[5:3] == watch) begin
      right = right && entry[9] == (has_end && entry[2:0] == last);
      right = right && (!has_end || entry[2:0] <= last) && (!entry[9] || entry[10] == bad);
    end
    return right;
  endfunction

  entry_t [Depth:0] entries;  // the output register first, then the memory
  logic [Depth:0] present;
  logic [Depth:0][5:0] numbers;  // numbers of the entry, or else of the next one
  logic [5:0] next_in;
  always_comb begin
    entries[0] = u_crossing.u_fifo.out_o;
    present[0] = u_crossing.u_fifo.out_valid_o;
    for (int unsigned k = 0; k < Depth; k++) begin
      entries[k+1] = u_crossing.u_fifo.gen_lutram.ram[(Width-1)'(fetched+count_t'(k))];
      present[k+1] = count_t'(k) < stored;
    end
    numbers[0] = {out_frame_q, out_index_q};
    for (int unsigned k = 0; k < Depth; k++) begin
      numbers[k+1] = present[k] ? following(entries[k]) : numbers[k];
    end
    next_in = present[Depth] ? following(entries[Depth]) : numbers[Depth];
    for (int unsigned k = 0; k <= Depth; k++) begin
      if (present[k]) begin
        assert (entries[k][5:0] == numbers[k]);
        assert (is_right(entries[k], watch_q, has_end_q, last_q, bad_q));
      end
    end
    if (is_kept)
      assert (next_in == {frame_q, index_q});
      else if (in_inside_q & accepted_q)
        assert (next_in == {frame_q + 3'd1, 3'd0});
        else assert (next_in == {frame_q, 3'd0});
    assert (out_inside_q == (out_index_q != '0));
    assert (u_crossing.out_inside_q == out_inside_q);
    if (out_waits_q) assert (u_crossing.u_fifo.out_valid_o);
  end

  // As far as the reader sees, a frame that has begun is complete: the counts of frames and of
  // entries cross separately, but neither is far ahead of the other.
  if (StartBeats != 1) begin : gen_frames
    pointer_t [Depth:0] ends_in;  // frames that end within the first n entries in memory, or before
    always_comb begin
      ends_in[0] = pointer_t'(present[0] & entries[0][9]);
      for (int unsigned k = 0; k < Depth; k++) begin
        ends_in[k+1] = ends_in[k] + pointer_t'(present[k+1] & entries[k+1][9]);
      end
    end

    // As in count_state.
    typedef struct packed {
      pointer_t count;
      pointer_t late;
      pointer_t [1:0] stages;
      logic changing;
      logic [3:0] sampled;
      logic [2:0] is_0;
    } count_state_t;
    count_state_t frames;
    logic [3:0] write_sampled;
    pointer_t gone, frames_before, frames_first, frames_second;
    pointer_t write_before, write_first, write_second;
    always_comb begin
      frames = u_crossing.gen_start.u_frames.u_state.state;
      gone = u_crossing.gen_start.gone;
      frames_before = frames.late - gone;
      frames_first = frames.stages[0] - gone;
      frames_second = frames.stages[1] - gone;
      write_sampled = u_crossing.u_fifo.u_state.sampled;
      write_before = u_crossing.u_fifo.u_state.late;
      write_first = u_crossing.u_fifo.u_state.first;
      write_second = u_crossing.u_fifo.u_state.second;

      assert (3'(frames.count) == next_in[5:3] && 3'(gone) == out_frame_q);
      assert (pointer_t'(frames.count - gone) == ends_in[Depth]);
      assert (frames.sampled == write_sampled);
      assert (frames_second <= frames_first && frames_first <= ends_in[Depth]);
      assert (frames_second <= ends_in[write_first]);
      assert (frames_second >= ends_in[0] && frames_first >= ends_in[write_second]);
      if (u_crossing.u_fifo.u_state.changing) begin
        assert (frames_first <= frames_before && frames_before <= ends_in[Depth]);
        assert (frames_first <= ends_in[write_before]);
        assert (frames_before >= ends_in[write_first]);
      end
      if (StartBeats == 0) begin
        if (u_crossing.gen_start.start_q | out_inside_q) begin
          assert (ends_in[write_second] != '0 && frames_second != '0);
        end
      end else if (u_crossing.gen_start.start_q & present[0] & ~out_inside_q) begin
        assert (frames_second != '0 || 32'(write_second) + 1 >= StartBeats);
      end
      if (~started) begin  // both synchronisers have seen equally many edges
        assume (frames.sampled == write_sampled);
      end
    end
  end

  // Cover: a whole frame leaves, and a cut one.
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
