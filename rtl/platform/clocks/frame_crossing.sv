// SPDX-License-Identifier: Apache-2.0
// Carries whole frames (AXI-Stream) from one clock domain to another.
//
// Input: a frame is accepted as a whole, or dropped as a whole and counted. With Drops the source
// never waits (in_tready_o is 1): a frame is accepted only if there is room for the longest one.
// Without Drops the source waits for room. In both cases, a frame that arrives while the two sides
// restart after a reset is dropped. A frame longer than MaxBytes is cut after MaxBytes and marked
// bad (tuser), as by a MAC.
//
// Output: a frame starts when StartBeats of its beats, or the whole frame, are in the FIFO; with 0,
// always when the whole frame is. With 0, out_tvalid_o never falls inside a frame; with 4 neither,
// if the source's clock is not slower and the source never pauses inside a frame. 1 gives the
// lowest latency.
//
// Resets: either side alone, at any time (reset_handshake). After a reset of the source, the data
// that it has sent is still delivered, and a frame that has begun to leave ends with a bad beat.
// After a reset of the destination, the content is discarded.
//
// Latency from the cycle of an input beat: 3 (StartBeats other than 1: 4) + SyncStages output
// cycles, up to one more for the phase. Throughput: one beat per cycle of the slower clock.
module frame_crossing #(
    parameter int unsigned DataWidth = 512,
    parameter int unsigned MaxBytes = bombus_pkg::MaxFrameBytes,
    parameter int unsigned Depth = 512,  // beats, a power of two
    parameter bit Drops = 1'b0,
    parameter int unsigned StartBeats = 0,
    parameter bit BlockRam = 1'b1,
    parameter int unsigned SyncStages = 2,
    localparam int unsigned DataBytes = DataWidth / 8
) (
    input logic in_clk_i,
    input logic in_rst_i,
    input logic [DataWidth-1:0] in_tdata_i,
    input logic [DataBytes-1:0] in_tkeep_i,
    input logic in_tvalid_i,
    output logic in_tready_o,
    input logic in_tlast_i,
    input logic in_tuser_i,  // with tlast: bad frame
    output logic in_drop_o,  // one-cycle pulse per dropped frame

    input logic out_clk_i,
    input logic out_rst_i,
    output logic [DataWidth-1:0] out_tdata_o,
    output logic [DataBytes-1:0] out_tkeep_o,
    output logic out_tvalid_o,
    input logic out_tready_i,
    output logic out_tlast_o,
    output logic out_tuser_o,
    output logic out_drop_o  // with Drops: the pulses of in_drop_o, later
);

  localparam int unsigned MaxBeats = (MaxBytes + DataBytes - 1) / DataBytes;
  localparam int unsigned LongestBeats = MaxBeats + 1;  // including the beat of the cut
  localparam int unsigned LevelWidth = $clog2(Depth) + 1;
  typedef logic [LevelWidth-1:0] level_t;
  typedef logic [$clog2(LongestBeats)-1:0] index_t;

  if (DataWidth < 8 || DataWidth % 8 != 0 || MaxBytes < 1) begin : gen_bad_frame
    $error("frame_crossing: DataWidth must be whole bytes, MaxBytes at least 1");
  end
  if (Depth < LongestBeats + 2) begin : gen_too_shallow
    $error("frame_crossing: Depth must be at least the beats of the longest frame and 3");
  end
  if (StartBeats > Depth) begin : gen_late_start
    $error("frame_crossing: StartBeats must be at most Depth");
  end

  typedef struct packed {
    logic user;
    logic last;
    logic [DataBytes-1:0] keep;
    logic [DataWidth-1:0] data;
  } stored_t;

  logic run, in_clear, stop, discard, out_clear, is_empty;
  reset_handshake #(
      .SyncStages(SyncStages)
  ) u_reset (
      .src_clk_i(in_clk_i),
      .src_rst_i(in_rst_i),
      .src_run_o(run),
      .src_clear_o(in_clear),
      .dst_clk_i(out_clk_i),
      .dst_rst_i(out_rst_i),
      .dst_empty_i(is_empty),
      .dst_stop_o(stop),
      .dst_discard_o(discard),
      .dst_clear_o(out_clear)
  );

  // ---- Input ----

  logic inside_q, dropping_q, fits_q, room;
  index_t index_q;
  level_t level;

  wire dropping = inside_q ? dropping_q | ~run : ~(run & (fits_q | ~Drops));
  wire step = in_tvalid_i & in_tready_o;
  wire cut = (index_q == index_t'(MaxBeats)) & ~in_tlast_i;
  wire too_long = index_q == index_t'(MaxBeats);
  wire write = in_tvalid_i & ~dropping;
  wire stored_t stored =
  '{
      user: (in_tlast_i & in_tuser_i) | too_long,
      last: in_tlast_i | too_long,
      keep: in_tkeep_i,
      data: in_tdata_i
  }
  ;

  assign in_tready_o = Drops | dropping | room;

  // level does not yet include up to two of the beats written.
  always_ff @(posedge in_clk_i) fits_q <= level <= level_t'(Depth - LongestBeats - 2);

  always_ff @(posedge in_clk_i) begin
    if (in_rst_i) begin
      inside_q <= 1'b0;
      dropping_q <= 1'b0;
      index_q <= '0;
      in_drop_o <= 1'b0;
    end else begin
      in_drop_o <= inside_q ? ~run & ~dropping_q : step & dropping;
      if (inside_q) dropping_q <= dropping;
      if (step) begin
        inside_q   <= ~in_tlast_i;
        dropping_q <= dropping | cut;
        if (in_tlast_i) index_q <= '0;
        else if (~too_long) index_q <= index_q + 1'b1;
      end
    end
  end

  // ---- Crossing ----

  stored_t beat;
  logic beat_valid, beat_ready;
  level_t unused_following;  // lower bound of the beats that follow
  async_fifo #(
      .data_t(stored_t),
      .Depth(Depth),
      .BlockRam(BlockRam),
      .SyncStages(SyncStages)
  ) u_fifo (
      .in_clk_i,
      .in_rst_i(in_clear),
      .in_i(stored),
      .in_valid_i(write),
      .in_ready_o(room),
      .in_level_o(level),
      .out_clk_i,
      .out_rst_i(out_clear),
      .out_o(beat),
      .out_valid_o(beat_valid),
      .out_ready_i(beat_ready),
      .out_level_o(unused_following)
  );

  if (Drops) begin : gen_drops
    // Every pulse crosses, unless a faster clock sends one in every cycle for a long time. Pulses
    // just before a reset may be lost.
    localparam int unsigned DropWidth = 12;
    logic [DropWidth-1:0] unused_count, unused_gray, dropped, reported_q;
    count_crossing #(
        .Width(DropWidth),
        .SyncStages(SyncStages)
    ) u_drops (
        .src_clk_i  (in_clk_i),
        .src_rst_i  (in_clear),
        .src_step_i (in_drop_o),
        .src_count_o(unused_count),
        .dst_clk_i  (out_clk_i),
        .dst_rst_i  (out_clear),
        .dst_gray_o (unused_gray),
        .dst_count_o(dropped)
    );
    assign out_drop_o = (reported_q != dropped) & ~out_clear;
    always_ff @(posedge out_clk_i) begin
      if (out_clear) reported_q <= '0;
      else reported_q <= reported_q + DropWidth'(out_drop_o);
    end
  end else begin : gen_waits
    assign out_drop_o = 1'b0;
  end

  // ---- Output ----

  logic out_inside_q, stop_q, quiet_q;
  logic start;  // a frame may begin
  wire  is_shown = beat_valid & ~discard & (out_inside_q | start);
  // The start of a frame that a reset has cut off; it is discarded.
  wire  is_rest = stop_q & ~out_inside_q & ~start;
  wire  is_drained = quiet_q & ~beat_valid;
  // The rest of the current frame will not arrive. Its last beat is still in the FIFO's output
  // register.
  wire  is_cut = is_drained & out_inside_q;

  assign out_tdata_o = beat.data;
  assign out_tkeep_o = beat.keep;
  assign out_tlast_o = beat.last | is_cut;
  assign out_tuser_o = beat.user | is_cut;
  assign out_tvalid_o = is_shown | is_cut;
  assign beat_ready = discard | is_rest | (out_tready_i & (out_inside_q | start));
  assign is_empty = is_drained & ~out_inside_q;

  always_ff @(posedge out_clk_i) begin
    stop_q  <= stop;
    // Two cycles without a beat, since one could still be leaving the memory.
    quiet_q <= stop & ~beat_valid;
    if (out_rst_i) out_inside_q <= 1'b0;
    else if (out_tvalid_o & out_tready_i) out_inside_q <= ~out_tlast_o;
  end

  if (StartBeats == 1) begin : gen_at_once
    assign start = 1'b1;
  end else begin : gen_start
    level_t unused_in, unused_frames, frames_gray;
    level_t gone;  // whole frames that have left
    logic   start_q;
    count_crossing #(
        .Width(LevelWidth),
        .SyncStages(SyncStages)
    ) u_frames (
        .src_clk_i  (in_clk_i),
        .src_rst_i  (in_clear),
        .src_step_i (write & room & stored.last),
        .src_count_o(unused_in),
        .dst_clk_i  (out_clk_i),
        .dst_rst_i  (out_clear),
        .dst_gray_o (frames_gray),
        .dst_count_o(unused_frames)
    );

    wire ends = beat_valid & beat_ready & beat.last;
    // Both cases are computed in parallel, since the FIFO's output and ready arrive late.
    wire level_t gone_next = gone + 1'b1;
    wire is_whole = ends ? frames_gray != (gone_next ^ (gone_next >> 1))
                         : frames_gray != (gone ^ (gone >> 1));
    logic is_ahead;
    if (StartBeats == 0) begin : gen_whole
      assign is_ahead = 1'b0;
    end else begin : gen_ahead
      wire stays = beat_valid & ~beat_ready;
      assign is_ahead = unused_following + level_t'(stays) >= level_t'(StartBeats);
    end
    assign start = start_q;

    always_ff @(posedge out_clk_i) begin
      if (out_clear) gone <= '0;
      else if (ends) gone <= gone_next;
      start_q <= ~out_clear & (is_whole | is_ahead);
    end
  end

endmodule
