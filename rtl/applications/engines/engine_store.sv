// SPDX-License-Identifier: Apache-2.0
// Stores packets until their engine has computed a digest of all their bytes, and outputs it along
// with their beats.
//
// digest_i is given once for each packet, in order, after its last beat has been taken; with
// PerBeat once for each beat.
//
// Latency: 1 cycle from the digest, 2 from the first beat. Throughput: one beat per cycle.
module engine_store #(
    parameter type beat_t = logic,
    parameter type digest_t = logic,
    parameter bit PerBeat = 0,  // a digest for each beat, not for each packet
    // In beats; by default room for two packets of maximum length
    parameter int unsigned Depth = 2 ** $clog2(
        2 * bombus_pkg::MaxFrameBytes * 8 / engine_pkg::DataWidth
    )
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    input digest_t digest_i,
    input logic    digest_valid_i,

    output beat_t   out_o,
    output digest_t digest_o,    // of the packet or beat
    output logic    out_valid_o,
    input  logic    out_ready_i,
    output logic    busy_o
);

  logic full_q, unused_full, stored_valid, digest_valid;
  wire taken = in_valid_i & in_ready_o;
  wire leaves = out_valid_o & out_ready_i;
  assign in_ready_o  = ~full_q;
  assign out_valid_o = stored_valid & digest_valid;

  frame_buffer #(
      .data_t(beat_t),
      .Depth (Depth)
  ) u_beats (
      .clk_i,
      .rst_i,
      .data_i  (in_i),
      .write_i (taken),
      .commit_i(taken),
      .abort_i (1'b0),
      .full_o  (unused_full),
      .data_o  (out_o),
      .valid_o (stored_valid),
      .ready_i (leaves)
  );

  logic digest_taken;
  if (PerBeat) begin : gen_per_beat
    assign digest_taken = leaves;
  end else begin : gen_per_packet
    assign digest_taken = leaves & out_o.last;
  end

  // There are at most as many digests as beats, so there is always room for them.
  block_fifo #(
      .data_t(digest_t),
      .Depth (Depth)
  ) u_digests (
      .clk_i,
      .rst_i,
      .data_i (digest_i),
      .write_i(digest_valid_i),
      .data_o (digest_o),
      .valid_o(digest_valid),
      .ready_i(digest_taken)
  );

  // full_q is two cycles late, so two more beats may arrive.
  logic [$clog2(Depth + 1)-1:0] level;
  occupancy #(
      .Max(Depth)
  ) u_occupancy (
      .clk_i,
      .rst_i,
      .enter_i(taken),
      .leave_i(leaves),
      .level_o(level),
      .holds_o(busy_o)
  );
  always_ff @(posedge clk_i) begin
    if (rst_i) full_q <= 1'b0;
    else full_q <= level >= $bits(level)'(Depth - 2);
  end

endmodule
