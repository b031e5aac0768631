// SPDX-License-Identifier: Apache-2.0
// FIFO between two asynchronous clocks.
//
// Both resets must be active at the same time, for SyncStages + 1 cycles of the slower clock;
// reset_handshake derives such a pair from independent resets of the two sides.
//
// Latency: from the cycle of a write, SyncStages + 1 output cycles to out_valid_o, and up to one
// more for the phase. Throughput: one entry per cycle of the slower clock, for a Depth of at least
// 16 (fewer entries do not cover the round trip of the pointers). Depth: a power of two from 4 on;
// all entries are usable, and out_o holds one more. Outputs are registered. BlockRam selects block
// RAM instead of LUTRAM.
//
// `bombus area async_fifo`, 645 bits per entry: 51 LUTs, 376 LUTs of memory, 690 flip-flops, 2.6 ns
// for 16 entries of LUTRAM; 105 LUTs, 90 flip-flops, 9 BRAM36, 3.2 ns for 512 entries of block RAM
// (levels included).
module async_fifo #(
    parameter type data_t = logic [31:0],
    parameter int unsigned Depth = 16,
    parameter bit BlockRam = 1'b0,
    parameter int unsigned SyncStages = 2,
    localparam int unsigned LevelWidth = $clog2(Depth) + 1
) (
    input logic in_clk_i,
    input logic in_rst_i,
    input data_t in_i,
    input logic in_valid_i,
    output logic in_ready_o,
    output logic [LevelWidth-1:0] in_level_o,  // upper bound of entries in memory; one write late

    input  logic                   out_clk_i,
    input  logic                   out_rst_i,
    output data_t                  out_o,
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output logic  [LevelWidth-1:0] out_level_o   // lower bound of entries in memory, without out_o
);

  typedef logic [LevelWidth-1:0] pointer_t;
  typedef logic [LevelWidth-2:0] addr_t;

  if (Depth < 4 || Depth != 2 ** $clog2(Depth)) begin : gen_bad_depth
    $error("async_fifo: Depth must be a power of two, at least 4");
  end

  pointer_t write, write_seen_gray, write_seen;
  pointer_t read, read_seen_gray, read_seen;
  wire push = in_valid_i & in_ready_o;
  wire fetch = (write_seen_gray != (read ^ (read >> 1))) & (~out_valid_o | out_ready_i);

  count_crossing #(
      .Width(LevelWidth),
      .SyncStages(SyncStages)
  ) u_write (
      .src_clk_i  (in_clk_i),
      .src_rst_i  (in_rst_i),
      .src_step_i (push),
      .src_count_o(write),
      .dst_clk_i  (out_clk_i),
      .dst_rst_i  (out_rst_i),
      .dst_gray_o (write_seen_gray),
      .dst_count_o(write_seen)
  );

  count_crossing #(
      .Width(LevelWidth),
      .SyncStages(SyncStages)
  ) u_read (
      .src_clk_i  (out_clk_i),
      .src_rst_i  (out_rst_i),
      .src_step_i (fetch),
      .src_count_o(read),
      .dst_clk_i  (in_clk_i),
      .dst_rst_i  (in_rst_i),
      .dst_gray_o (read_seen_gray),
      .dst_count_o(read_seen)
  );

  // Full: Depth ahead of the reader, which in Gray code flips the two highest bits. Both cases are
  // computed in parallel, since in_valid_i arrives late.
  wire pointer_t full_gray = read_seen_gray ^ {2'b11, (LevelWidth - 2)'(0)};
  wire pointer_t write_next = write + 1'b1;
  wire is_full = push ? (write_next ^ (write_next >> 1)) == full_gray
                      : (write ^ (write >> 1)) == full_gray;

  always_ff @(posedge in_clk_i) begin
    if (in_rst_i) begin
      in_ready_o <= 1'b0;
      in_level_o <= '0;
    end else begin
      in_ready_o <= ~is_full;
      in_level_o <= write - read_seen;
    end
  end

  assign out_level_o = write_seen - read;
  always_ff @(posedge out_clk_i) begin
    if (out_rst_i) out_valid_o <= 1'b0;
    else if (fetch) out_valid_o <= 1'b1;
    else if (out_ready_i) out_valid_o <= 1'b0;
  end

  if (BlockRam) begin : gen_block
    (* ram_style = "block" *) data_t ram[Depth];
    always_ff @(posedge in_clk_i) if (push) ram[addr_t'(write)] <= in_i;
    always_ff @(posedge out_clk_i) if (fetch) out_o <= ram[addr_t'(read)];
  end else begin : gen_lutram
    (* ram_style = "distributed" *) data_t ram[Depth];
    always_ff @(posedge in_clk_i) if (push) ram[addr_t'(write)] <= in_i;
    always_ff @(posedge out_clk_i) if (fetch) out_o <= ram[addr_t'(read)];
  end

endmodule
