// SPDX-License-Identifier: Apache-2.0
// Stage of engines that change a packet by a digest of all its bytes: stores packets until their
// digest has been computed, lets the engine change their beats, and sends them to the next engine
// (engine_output).
//
// digest_i is given once for each packet, in order, after its last beat has been taken; with
// PerBeat once for each beat. changed_i depends combinationally on the stored beat, its info and
// its digest.
//
// Latency: 2 cycles from the digest, 3 from the first beat. Throughput: one beat per cycle.
module engine_store #(
    parameter type beat_t = logic,
    parameter type info_t = logic,  // further bits stored with each beat
    parameter type digest_t = logic,
    parameter bit PerBeat = 0,  // a digest for each beat, not for each packet
    // In beats; by default room for two packets of maximum length
    parameter int unsigned Depth = 2 ** $clog2(
        2 * bombus_pkg::MaxFrameBytes * 8 / engine_pkg::DataWidth
    ),
    parameter int unsigned Engine = 1,  // this and the following are passed to engine_output
    parameter bit CutsReady = 0,
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output logic  in_first_o,  // the next beat to be taken begins a packet
    output logic  in_taken_o,
    input  info_t info_i,

    input digest_t digest_i,
    input logic    digest_valid_i,

    output beat_t   stored_o,
    output logic    stored_first_o,  // it begins a packet
    output info_t   stored_info_o,
    output digest_t stored_digest_o, // of its packet or, with PerBeat, of the beat
    output logic    stored_taken_o,  // it is sent, as changed_i
    input  beat_t   changed_i,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic busy_o
);

  // ---- Store beats and digests ----

  typedef struct packed {
    info_t info;
    beat_t beat;
  } stored_t;
  stored_t stored;
  logic full_q, unused_full, stored_valid, stored_ready, digest_valid;
  assign in_ready_o = ~full_q;
  assign in_taken_o = in_valid_i & in_ready_o;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_taken_o),
      .last_i (in_i.last),
      .first_o(in_first_o)
  );
  frame_buffer #(
      .data_t(stored_t),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .data_i  ('{info: info_i, beat: in_i}),
      .write_i (in_taken_o),
      .commit_i(in_taken_o),
      .abort_i (1'b0),
      .full_o  (unused_full),
      .data_o  (stored),
      .valid_o (stored_valid),
      .ready_i (stored_taken_o)
  );
  assign stored_o = stored.beat;
  assign stored_info_o = stored.info;

  // There are at most as many digests as beats, so there is always room for them.
  block_fifo #(
      .data_t(digest_t),
      .Depth (Depth)
  ) u_digests (
      .clk_i,
      .rst_i,
      .data_i (digest_i),
      .write_i(digest_valid_i),
      .data_o (stored_digest_o),
      .valid_o(digest_valid),
      .ready_i(stored_taken_o & (PerBeat | stored.beat.last))
  );

  // full_q is two cycles late, so two more beats may arrive.
  logic [$clog2(Depth + 1)-1:0] level;
  logic holds;
  occupancy #(
      .Max(Depth)
  ) u_occupancy (
      .clk_i,
      .rst_i,
      .enter_i(in_taken_o),
      .leave_i(stored_taken_o),
      .level_o(level),
      .holds_o(holds)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) full_q <= 1'b0;
    else full_q <= level >= $bits(level)'(Depth - 2);
  end

  // ---- Send them as the engine changes them ----

  wire offered = stored_valid & digest_valid;
  assign stored_taken_o = offered & stored_ready;
  engine_output #(
      .beat_t(beat_t),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_out (
      .in_i(changed_i),
      .in_valid_i(offered),
      .in_ready_o(stored_ready),
      .in_first_o(stored_first_o),
      .*
  );

  assign busy_o = holds | out_valid_o;

endmodule
