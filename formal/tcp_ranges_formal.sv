// SPDX-License-Identifier: Apache-2.0
// tcp_ranges against sets of bytes: a byte after the base is in a range afterwards if and only if
// it was in one before or has been added; ranges are separate and in order, and fill the slots from
// 0 on. For all ranges, bases and additions, by checking three cycles: the pipeline is the only
// state.
module tcp_ranges_formal #(
    parameter int unsigned NumRanges = 3,
    parameter int unsigned Width = 5,
    parameter bit Sorted = 0
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumRanges-1:0] valid_i,
    input logic [NumRanges-1:0] mark_i,
    input logic [NumRanges-1:0][Width-1:0] left_i,
    input logic [NumRanges-1:0][Width-1:0] right_i,
    input logic [Width-1:0] base_i,
    input logic [Width-1:0] add_left_i,
    input logic [Width-1:0] add_right_i,
    input logic add_i,
    input logic remove_i,
    input logic mark_add_i,
    input logic [Width-1:0] byte_i  // any
);

  typedef logic [NumRanges-1:0] slots_t;
  typedef logic [Width-1:0] position_t;
  typedef struct packed {
    slots_t valid;
    slots_t mark;
    position_t [NumRanges-1:0] left;
    position_t [NumRanges-1:0] right;
    position_t base;
    position_t add_left;
    position_t add_right;
    position_t watched;
  } asked_t;
  asked_t asked_q, was_q;
  logic [2:0] cycles_q = '0;
  always_ff @(posedge clk_i) begin
    asked_q <= {valid_i, mark_i, left_i, right_i, base_i, add_left_i, add_right_i, byte_i};
    was_q   <= asked_q;
    if (~&cycles_q) cycles_q <= cycles_q + 3'd1;
  end
  wire settled = cycles_q >= 3'd2;

  logic room, known, reaches, reach_wraps;
  position_t reach;
  slots_t current_3, valid_3, mark_3, left_wraps_3, right_wraps_3, valid, mark;
  position_t [NumRanges-1:0] left_3, right_3, left, right;
  tcp_ranges #(
      .NumRanges(NumRanges),
      .Width(Width),
      .Sorted(Sorted)
  ) u_ranges (
      .clk_i,
      .valid_i,
      .mark_i,
      .left_i,
      .right_i,
      .base_i,
      .add_left_i,
      .add_right_i,
      .add_i(add_i & room),
      .remove_i,
      .left_3_i(was_q.add_left),
      .right_3_i(was_q.add_right),
      .mark_3_i(mark_add_i),
      .room_o(room),
      .known_o(known),
      .reaches_o(reaches),
      .reach_o(reach),
      .reach_wraps_o(reach_wraps),
      .current_3_o(current_3),
      .valid_3_o(valid_3),
      .mark_3_o(mark_3),
      .left_3_o(left_3),
      .right_3_o(right_3),
      .left_wraps_3_o(left_wraps_3),
      .right_wraps_3_o(right_wraps_3),
      .valid_o(valid),
      .mark_o(mark),
      .left_o(left),
      .right_o(right)
  );

  // ---- Distances from the base, ordered if none is as large as half the number range ----

  typedef logic signed [Width-1:0] distance_t;
  function automatic distance_t from_base(position_t place, position_t base);
    return distance_t'(place - base);
  endfunction
  function automatic logic has(position_t l, position_t r, position_t at, position_t base);
    return from_base(l, base) <= from_base(at, base) && from_base(at, base) < from_base(r, base);
  endfunction

  // Up to a ring after or before the base: two of the four rings in the number range.
  localparam distance_t Ring = distance_t'(2 ** (Width - 2));
  function automatic logic near(position_t place, position_t base);
    return from_base(place, base) >= -Ring && from_base(place, base) <= Ring;
  endfunction

  // Requests keep the ranges ordered.
  slots_t sane, apart;
  always_comb begin
    for (int unsigned r = 0; r < NumRanges; r++) begin
      sane[r] = ~valid_i[r] | (near(left_i[r], base_i) & near(right_i[r], base_i) &
                               from_base(left_i[r], base_i) < from_base(right_i[r], base_i));
      apart[r] = 1'b1;
      for (int unsigned s = 0; s < NumRanges; s++) begin
        if (s < r && valid_i[r]) begin
          apart[r] &= valid_i[s];
          apart[r] &= from_base(
              right_i[s], base_i
          ) < from_base(
              left_i[r], base_i
          ) || (!Sorted && from_base(
              right_i[r], base_i
          ) < from_base(
              left_i[s], base_i
          ));
        end
      end
    end
    assume (rst_i == (cycles_q == '0));
    assume (&sane & &apart);
    // A range neither added nor removed, such as that of a pure acknowledgement, may have any
    // position.
    assume (~(add_i | remove_i) | (near(
        was_q.add_left, was_q.base
    ) & near(
        was_q.add_right, was_q.base
    ) & from_base(
        was_q.add_left, was_q.base
    ) < from_base(
        was_q.add_right, was_q.base
    )));
    // An added range begins after the base; in-order data at or before it.
    assume (~add_i | from_base(was_q.add_left, was_q.base) > 0);
    assume (~(add_i & remove_i));
  end

  // ---- Expected result ----

  slots_t current, met;
  logic was_in, is_in, added_in, watched, all_met_current;
  position_t last_met;
  always_comb begin
    was_in = 1'b0;
    is_in = 1'b0;
    current = '0;
    met = '0;
    for (int unsigned r = 0; r < NumRanges; r++) begin
      current[r] = was_q.valid[r] & from_base(was_q.left[r], was_q.base) > 0;
      met[r] = current[r] &
          from_base(was_q.left[r], was_q.base) <= from_base(was_q.add_right, was_q.base) &
          from_base(was_q.right[r], was_q.base) >= from_base(was_q.add_left, was_q.base);
      if (current[r] & ~(remove_i & met[r])) begin
        was_in |= has(was_q.left[r], was_q.right[r], was_q.watched, was_q.base);
      end
      if (valid[r]) is_in |= has(left[r], right[r], was_q.watched, was_q.base);
    end
    added_in = add_i & room & has(was_q.add_left, was_q.add_right, was_q.watched, was_q.base);
    watched  = from_base(was_q.watched, was_q.base) > 0;
  end

  always_comb begin
    if (settled) begin
      assert (room == ((met != '0) | (current != '1)));
      if (watched) assert (is_in == (was_in | added_in));
      for (int unsigned r = 0; r < NumRanges; r++) begin
        if (valid[r]) begin
          assert (from_base(left[r], was_q.base) > 0);
          assert (from_base(left[r], was_q.base) < from_base(right[r], was_q.base));
          for (int unsigned s = 0; s < NumRanges; s++) begin
            if (s < r) begin
              assert (valid[s]);
              assert (from_base(
                  right[s], was_q.base
              ) < from_base(
                  left[r], was_q.base
              ) || (!Sorted && from_base(
                  right[r], was_q.base
              ) < from_base(
                  left[s], was_q.base
              )));
            end
          end
        end
        // The latest one first
        if (!Sorted && r == 0 && add_i && room) begin
          assert (valid[0] & has(left[0], right[0], was_q.add_left, was_q.base));
        end
        assert (left_wraps_3[r] == (was_q.left[r] < was_q.base));
        assert (right_wraps_3[r] == (was_q.right[r] < was_q.base));
        // Marks stay with their ranges.
        for (int unsigned s = 0; s < NumRanges; s++) begin
          if (valid[r] & current[s] & ~((add_i | remove_i) & met[s]) &
              left[r] == was_q.left[s]) begin
            assert (mark[r] == was_q.mark[s]);
            assert (right[r] == was_q.right[s]);
          end
        end
        if (valid[r] & add_i & room & has(left[r], right[r], was_q.add_left, was_q.base)) begin
          assert (mark[r] == mark_add_i);
        end
      end
      assert ({current_3, valid_3, mark_3, left_3, right_3} ==
              {current, was_q.valid, was_q.mark, was_q.left, was_q.right});
    end
  end

  // ---- End of the last range touched; whether all bytes are known ----

  logic reaches_end, covers;
  position_t end_of, reached;
  always_comb begin
    reaches_end = 1'b0;
    covers = 1'b0;
    reached = '0;
    for (int unsigned r = 0; r < NumRanges; r++) begin
      if (met[r] & from_base(
              was_q.right[r], was_q.base
          ) >= from_base(
              was_q.add_right, was_q.base
          )) begin
        reaches_end = 1'b1;
        reached = was_q.right[r];
        covers |= from_base(was_q.left[r], was_q.base) <= from_base(was_q.add_left, was_q.base);
      end
    end
  end
  always_comb begin
    if (settled) begin
      assert (reaches == reaches_end);
      assert (known == covers);
      if (reaches) begin
        assert (reach == reached);
        assert (reach_wraps == (reached < was_q.base));
      end
    end
  end

  always_comb begin
    cover (settled & add_i & room & (met == '1));
    cover (settled & add_i & ~room);
    cover (settled & add_i & room & (met == '0) & (current[0] == 1'b1));
    cover (settled & remove_i & reaches & (current[0] & ~met[0]) & was_q.base > was_q.left[0]);
    cover (settled & known & add_i);
    cover (settled & valid == '1 & current != '1);
  end

endmodule
