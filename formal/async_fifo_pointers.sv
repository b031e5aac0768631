// SPDX-License-Identifier: Apache-2.0
// The pointers of async_fifo and what is on its way of them: each stage is behind the one
// before. What induction needs to know of them, in every proof with such a FIFO.
module async_fifo_pointers #(
    parameter int unsigned Depth = 4,
    localparam int unsigned Width = $clog2(Depth) + 1,
    localparam type pointer_t = logic [Width-1:0],
    localparam type count_t = logic [Width+1:0]  // more than a turn of the pointers
) (
    input logic started_i,
    input count_t pushed_i,  // entries that have gone in
    input count_t fetched_i,  // that have left the memory

    input pointer_t write_i,
    input pointer_t write_src_i,  // in Gray code, from here on
    input pointer_t write_before_i,
    input pointer_t [1:0] write_stages_i,
    input logic write_changing_i,

    input pointer_t read_i,
    input pointer_t read_src_i,
    input pointer_t read_before_i,
    input pointer_t [1:0] read_stages_i,
    input logic read_changing_i,

    input logic in_ready_i,
    input pointer_t in_level_i
);

  function automatic pointer_t binary(pointer_t gray);
    pointer_t value;
    for (int unsigned b = 0; b < Width; b++) value[b] = ^(gray >> b);
    return value;
  endfunction

  wire count_t stored = pushed_i - fetched_i;
  pointer_t write_before, write_first, write_second;  // entries ahead of the reader
  pointer_t read_before, read_first, read_second;  // entries behind the writer
  always_comb begin
    write_before = binary(write_before_i) - read_i;
    write_first = binary(write_stages_i[0]) - read_i;
    write_second = binary(write_stages_i[1]) - read_i;
    read_before = write_i - binary(read_before_i);
    read_first = write_i - binary(read_stages_i[0]);
    read_second = write_i - binary(read_stages_i[1]);
    if (started_i) begin
      assert (32'(stored) <= Depth);
      assert (write_i == pushed_i[Width-1:0]);
      assert (read_i == fetched_i[Width-1:0]);
      assert (binary(write_src_i) == write_i);
      assert (binary(read_src_i) == read_i);
      // A step changes one bit.
      assert ($onehot0(write_src_i ^ write_before_i));
      assert ($onehot0(read_src_i ^ read_before_i));

      assert (count_t'(write_second) <= stored);
      assert (write_second <= write_first);
      assert (count_t'(write_first) <= stored);
      if (write_changing_i) begin
        assert (write_first <= write_before);
        assert (count_t'(write_before) <= stored);
      end

      assert (read_second <= pointer_t'(Depth));
      assert (read_first <= read_second);
      assert (count_t'(read_first) >= stored);
      if (read_changing_i) begin
        assert (read_before <= read_first);
        assert (count_t'(read_before) >= stored);
      end
      if (in_ready_i) assert (read_second < pointer_t'(Depth));
      assert (read_second <= in_level_i + 1'b1);
    end
  end

endmodule
