// SPDX-License-Identifier: Apache-2.0
// In every head_fifo: a reference queue. Each entry written is read once, in order. The relation of
// registers and memory to the queue is asserted too, so that one step of induction suffices.
// `queue` is for the proofs of its users.
module fifo_state #(
    parameter int unsigned HeadWidth = 1,
    parameter int unsigned BodyWidth = 1,
    parameter int unsigned Depth = 4,
    localparam type head_t = logic [HeadWidth-1:0],
    localparam type body_t = logic [BodyWidth-1:0],
    localparam type addr_t = logic [$clog2(Depth)-1:0],
    localparam type level_t = logic [$clog2(Depth):0],
    localparam type entry_t = logic [HeadWidth+BodyWidth-1:0]
) (
    input logic   clk_i,
    input logic   rst_i,
    input logic   push_i,
    input entry_t in_i,
    input logic   pop_i,
    input entry_t out_i,
    input logic   valid_i,
    input logic   ready_i,
    input addr_t  write_i,
    input addr_t  read_i,
    input addr_t  next_i,
    input head_t  heads_i [Depth],
    input body_t  bodies_i[Depth]
);

  level_t level_q, level_d;
  entry_t [Depth-1:0] entry_q, entry_d;  // oldest first
  wire [$bits(level_t)+$bits(entry_q)-1:0] queue = {level_q, entry_q};

  always_comb begin
    level_d = level_q;
    entry_d = entry_q;
    if (pop_i) begin
      level_d = level_q - 1'b1;
      entry_d = entry_q >> $bits(entry_t);
    end
    if (push_i) begin
      entry_d[addr_t'(level_d)] = in_i;
      level_d = level_d + 1'b1;
    end
  end

  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    level_q   <= rst_i ? '0 : level_d;
    entry_q   <= entry_d;
  end

  addr_t [Depth:0] address;
  always_comb begin
    address[0] = read_i;
    for (int unsigned n = 1; n <= Depth; n++) address[n] = head_fifo.next_addr(address[n-1]);
    if (started_q) begin
      assert (32'(level_q) <= Depth);
      assert (valid_i == (level_q != '0));
      assert (ready_i == (32'(level_q) != Depth));
      if (valid_i) assert (out_i == entry_q[0]);

      assert (next_i == address[1]);
      assert (address[Depth] == address[0]);
      for (int unsigned n = 0; n <= Depth; n++) begin
        if (32'(level_q) == n) assert (write_i == address[n]);
      end
      for (int unsigned n = 0; n < Depth; n++) begin
        if (n < 32'(level_q)) assert ({heads_i[address[n]], bodies_i[address[n]]} == entry_q[n]);
      end
    end
  end

endmodule

bind head_fifo fifo_state #(
    .HeadWidth($bits(head_t)),
    .BodyWidth($bits(body_t)),
    .Depth(Depth)
) u_state (
    .clk_i,
    .rst_i,
    .push_i(in_valid_i & in_ready_o),
    .in_i({in_head_i, in_body_i}),
    .pop_i(out_valid_o & out_ready_i),
    .out_i({out_head_o, out_body_o}),
    .valid_i(out_valid_o),
    .ready_i(in_ready_o),
    .write_i(write_q),
    .read_i(read_q),
    .next_i(read_next_q),
    .heads_i(head_ram),
    .bodies_i(body_ram)
);
