// SPDX-License-Identifier: Apache-2.0
// Counter read in another clock domain. It crosses in Gray code, in which one bit changes per step.
// The value read may be late, but it is always one that the counter has had.
//
// Both resets must be active at the same time (reset_handshake).
module count_crossing #(
    parameter int unsigned Width = 4,
    parameter int unsigned SyncStages = 2
) (
    input  logic             src_clk_i,
    input  logic             src_rst_i,
    input  logic             src_step_i,  // count up by one
    output logic [Width-1:0] src_count_o,

    input  logic             dst_clk_i,
    input  logic             dst_rst_i,
    output logic [Width-1:0] dst_gray_o,
    output logic [Width-1:0] dst_count_o  // the same in binary: an XOR of up to Width bits
);

  if (Width < 2) begin : gen_bad_width
    $error("count_crossing: Width must be at least 2");
  end

  logic [Width-1:0] binary;
  assign binary = src_rst_i ? '0 : src_count_o + Width'(src_step_i);

  always_ff @(posedge src_clk_i) src_count_o <= binary;

  synchroniser #(
      .Width (Width),
      .Stages(SyncStages)
  ) u_sync (
      .src_clk_i,
      .src_i(binary ^ (binary >> 1)),
      .dst_clk_i,
      .dst_rst_i,
      .dst_o(dst_gray_o)
  );

  for (genvar b = 0; b < Width; b++) begin : gen_binary
    assign dst_count_o[b] = ^dst_gray_o[Width-1:b];
  end

endmodule
