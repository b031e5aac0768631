// SPDX-License-Identifier: Apache-2.0
// credit_pool returns each credit once, and to no source more than it has sent. Proved for all
// time, by induction, for flits that leave after they have been sent.
module credit_pool_formal #(
    parameter int unsigned NumSources = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] left_i,
    input logic [NumSources-1:0] sent_i
);

  logic [NumSources-1:0] returned;
  credit_pool #(
      .CountWidth(5),
      .NumSources(NumSources),
      .NumReturns(2)
  ) u_pool (
      .clk_i,
      .rst_i,
      .left_i,
      .sent_i,
      .return_o(returned)
  );

  typedef logic [4:0] count_t;
  logic started_q = 1'b0;
  count_t flying_q;  // flits sent that have not left
  count_t [NumSources-1:0] outstanding_q;  // flits sent by each source whose credits are out
  count_t sent, left, outstanding, given;
  always_comb begin
    sent = '0;
    outstanding = '0;
    given = '0;
    for (int unsigned s = 0; s < NumSources; s++) begin
      sent += count_t'(sent_i[s]);
      outstanding += outstanding_q[s];
      given += count_t'(returned[s]);
    end
    left = count_t'(left_i[0]) + count_t'(left_i[1]);
  end
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) begin
      flying_q <= '0;
      outstanding_q <= '0;
    end else begin
      flying_q <= flying_q + sent - left;
      for (int unsigned s = 0; s < NumSources; s++) begin
        outstanding_q[s] <= outstanding_q[s] + count_t'(sent_i[s]) - count_t'(returned[s]);
      end
    end
  end

  always_comb begin
    if (~started_q) assume (rst_i);
    assume (left <= flying_q);
    assume (outstanding + sent <= 5'd9);  // the credits
  end

  always_comb begin
    if (started_q) begin
      // Every outstanding credit is in flight, free, or being returned.
      assert (outstanding == flying_q + u_pool.free_q + given);
      assert (flying_q <= 5'd9 && u_pool.free_q <= 5'd9 && outstanding <= 5'd9);
      for (int unsigned s = 0; s < NumSources; s++) begin
        assert (outstanding_q[s] <= 5'd9);
        if (returned[s]) assert (outstanding_q[s] != '0);
      end
    end
  end

  if (NumSources > 1) begin : gen_shares
    always_comb begin
      if (started_q) begin
        for (int unsigned s = 0; s < NumSources; s++) begin
          assert (outstanding_q[s] == u_pool.gen_several.outstanding_q[s] + count_t'(returned[s]));
        end
        if (u_pool.gen_several.plenty_q) assert (u_pool.free_q >= 5'(NumSources));
        // A free credit is granted to a source that requests one.
        if (u_pool.free_q != '0 && u_pool.gen_several.requests != '0)
          assert (u_pool.gen_several.grant != '0);
      end
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      cover (u_pool.free_q == 5'd2 && &returned);
      cover (outstanding == 5'd9);
    end
  end

endmodule
