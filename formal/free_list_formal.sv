// SPDX-License-Identifier: Apache-2.0
// free_list: each number is either in the list once or in use, never both; number_o is the next
// number to be taken. Proved for all time, by induction, for users that give back only numbers in
// use.
module free_list_formal #(
    parameter int unsigned NumNumbers = 4,
    localparam type number_t = logic [$clog2(NumNumbers)-1:0],
    localparam type count_t = logic [$clog2(NumNumbers):0]
) (
    input logic clk_i,
    input logic rst_i,
    input logic take_i,
    input logic give_i,
    input number_t given_i
);

  logic ready, available;
  count_t  count;
  number_t number;
  free_list #(
      .NumNumbers(NumNumbers)
  ) u_list (
      .clk_i,
      .rst_i,
      .ready_o(ready),
      .count_o(count),
      .available_o(available),
      .number_o(number),
      .take_i,
      .give_i,
      .given_i
  );

  logic started_q = 1'b0;
  logic [NumNumbers-1:0] taken_q;  // numbers in use
  logic was_empty_q, both_q;  // the list was empty; the only number was taken as another arrived
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      taken_q <= '0;
      was_empty_q <= 1'b0;
      both_q <= 1'b0;
    end else begin
      if (take_i) taken_q[number] <= 1'b1;
      if (give_i) taken_q[given_i] <= 1'b0;
      was_empty_q <= was_empty_q | (count == '0);
      both_q <= both_q | (take_i & give_i & (count == count_t'(1)));
    end
  end

  always_comb begin
    if (~started_q) assume (rst_i);
    if (take_i) assume (started_q & ready & (count != '0));
    if (give_i) assume (started_q & ready & taken_q[given_i]);
  end

  // ---- Contents of the memory ----

  number_t [NumNumbers-1:0] stored;
  logic [NumNumbers-1:0] listed;  // by position: the entry is valid
  always_comb begin
    for (int unsigned p = 0; p < NumNumbers; p++) begin
      stored[p] = u_list.u_memory.gen_distributed.ram[p];
      listed[p] = count_t'(number_t'(number_t'(p) - u_list.read_q)) < count;
    end
  end

  always_comb begin
    if (started_q) begin
      assert (available == (ready & count != '0));
      assert (u_list.next_q == number_t'(u_list.read_q + 1'b1));
      assert (count == count_t'(NumNumbers) - count_t'($countones(taken_q)));
      if (~ready) begin
        assert (taken_q == '0 && u_list.read_q == '0);
        for (int unsigned p = 0; p < NumNumbers; p++) begin
          if (p < 32'(u_list.write_q)) assert (32'(stored[p]) == p);
        end
      end else begin
        assert (u_list.write_q == number_t'(u_list.read_q + number_t'(count)));
        if (count != '0) assert (number == stored[u_list.read_q]);
        for (int unsigned p = 0; p < NumNumbers; p++) begin
          if (listed[p]) assert (~taken_q[stored[p]]);
          for (int unsigned q = 0; q < p; q++) begin
            if (listed[p] & listed[q]) assert (stored[p] != stored[q]);
          end
        end
      end
    end
  end

  // Cover: empty, then complete again; and the last number taken as another is given back.
  always_comb if (started_q & ready) cover (was_empty_q & (count == count_t'(NumNumbers)));
  always_comb if (started_q & ready) cover (both_q & (count == count_t'(NumNumbers)));

endmodule
