// SPDX-License-Identifier: Apache-2.0
// In every async_fifo: its pointers and their values in transit, each stage lagging the one before.
// Entries written and read are counted. `late`, `first` and `second` are for the proofs of its
// users: the entries ahead of the reader, for the value still being sampled and for each stage of
// the synchroniser.
module async_fifo_state #(
    parameter int unsigned Depth = 4,
    localparam int unsigned Width = $clog2(Depth) + 1,
    localparam int unsigned StateWidth = 4 * Width + 8,  // of count_state
    localparam type pointer_t = logic [Width-1:0],
    localparam type count_t = logic [Width+1:0]  // wider than the pointers
) (
    input logic in_clk_i,
    input logic in_rst_i,
    input logic push_i,
    input logic in_ready_i,
    input pointer_t in_level_i,
    input logic out_clk_i,
    input logic out_rst_i,
    input logic fetch_i,
    input logic out_valid_i,
    input logic started_i,
    input logic is_empty_i,
    input logic [1:0] in_resets_i,
    input logic [1:0] out_resets_i,
    input logic [StateWidth-1:0] write_i,
    input logic [StateWidth-1:0] read_i
);

  // As in count_state.
  typedef struct packed {
    pointer_t count;
    pointer_t late;
    pointer_t [1:0] stages;
    logic changing;
    logic [3:0] sampled;
    logic sent_is_0;
    logic before_is_0;
    logic stages_are_0;
  } pointer_state_t;
  wire pointer_state_t write = write_i;
  wire pointer_state_t read = read_i;

  count_t pushed_q = '0;  // entries written
  count_t fetched_q = '0;  // entries that have left the memory
  always_ff @(posedge in_clk_i) begin
    if (in_rst_i) pushed_q <= '0;
    else if (push_i) pushed_q <= pushed_q + 1'b1;
  end
  always_ff @(posedge out_clk_i) begin
    if (out_rst_i) fetched_q <= '0;
    else if (fetch_i) fetched_q <= fetched_q + 1'b1;
  end

  wire count_t stored = pushed_q - fetched_q;
  wire [3:0] sampled = write.sampled;
  wire changing = write.changing;
  pointer_t late, first, second;  // entries ahead of the reader
  pointer_t read_before, read_first, read_second;  // entries between the reader and the writer
  always_comb begin
    late = write.late - read.count;
    first = write.stages[0] - read.count;
    second = write.stages[1] - read.count;
    read_before = write.count - read.late;
    read_first = write.count - read.stages[0];
    read_second = write.count - read.stages[1];
    if (started_i) begin
      assert (32'(stored) <= Depth);
      assert (write.count == pushed_q[Width-1:0]);
      assert (read.count == fetched_q[Width-1:0]);

      assert (count_t'(second) <= stored);
      assert (second <= first);
      assert (count_t'(first) <= stored);
      if (write.changing) begin
        assert (first <= late);
        assert (count_t'(late) <= stored);
      end

      assert (read_second <= pointer_t'(Depth));
      assert (read_first <= read_second);
      assert (count_t'(read_first) >= stored);
      if (read.changing) begin
        assert (read_before <= read_first);
        assert (count_t'(read_before) >= stored);
      end
      if (in_ready_i) assert (read_second < pointer_t'(Depth));
      assert (read_second <= in_level_i + 1'b1);
    end
  end

  // The initial state of a proof, and the state after its resets.
  always_comb begin
    if (is_empty_i) assume (in_ready_i && in_level_i == '0 && ~out_valid_i);
    if (is_empty_i) assume ({pushed_q, fetched_q} == '0);
    if (in_resets_i[0]) begin
      assert (pushed_q == '0 && write.sent_is_0 && read.stages_are_0);
      assert (in_level_i == '0 && ~in_ready_i);
    end
    if (in_resets_i[1]) assert (write.before_is_0);
    if (out_resets_i[0]) begin
      assert (fetched_q == '0 && read.sent_is_0 && write.stages_are_0 && ~out_valid_i);
    end
    if (out_resets_i[1]) assert (read.before_is_0);
  end

endmodule

bind async_fifo async_fifo_state #(
    .Depth(Depth)
) u_state (
    .in_clk_i,
    .in_rst_i,
    .push_i(push),
    .in_ready_i(in_ready_o),
    .in_level_i(in_level_o),
    .out_clk_i,
    .out_rst_i,
    .fetch_i(fetch),
    .out_valid_i(out_valid_o),
    .started_i(u_start.started_o),
    .is_empty_i(u_start.is_empty_o),
    .in_resets_i(u_start.in_resets_o),
    .out_resets_i(u_start.out_resets_o),
    .write_i(u_write.u_state.state),
    .read_i(u_read.u_state.state)
);
