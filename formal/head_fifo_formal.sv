// head_fifo against a queue: what goes in comes out, once, in order, whatever
// the two sides do. Proved for all time, by induction.
module head_fifo_formal #(
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] in_head_i,
    input logic [1:0] in_body_i,
    input logic in_valid_i,
    input logic out_ready_i
);

  typedef logic [1:0] part_t;
  typedef logic [$clog2(Depth)-1:0] addr_t;

  logic in_ready, out_valid;
  part_t out_head, out_body;
  head_fifo #(
      .head_t(part_t),
      .body_t(part_t),
      .Depth (Depth)
  ) u_fifo (
      .clk_i,
      .rst_i,
      .in_head_i,
      .in_body_i,
      .in_valid_i,
      .in_ready_o (in_ready),
      .out_head_o (out_head),
      .out_body_o (out_body),
      .out_valid_o(out_valid),
      .out_ready_i
  );

  // The queue: entry 0 is the oldest.
  logic [Depth-1:0][3:0] queue_q;
  logic [$clog2(Depth):0] count_q;
  wire push = in_valid_i & in_ready;
  wire pop = out_valid & out_ready_i;
  logic [Depth-1:0][3:0] queue_d;
  logic [$clog2(Depth):0] count_d;
  always_comb begin
    queue_d = queue_q;
    count_d = count_q;
    if (pop) begin
      queue_d = queue_q >> 4;
      count_d = count_q - 1'b1;
    end
    if (push) begin
      queue_d[count_d[$clog2(Depth)-1:0]] = {in_head_i, in_body_i};
      count_d = count_d + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    queue_q <= queue_d;
    count_q <= rst_i ? '0 : count_d;
  end

  logic started_q = 1'b0;  // reset has been
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb if (~started_q) assume (rst_i);

  always_comb begin
    if (started_q) begin
      assert (count_q <= Depth);
      assert (out_valid == (count_q != '0));
      assert (in_ready == (count_q != Depth));
      if (out_valid) assert ({out_head, out_body} == queue_q[0]);
    end
  end

  // What ties the memory to the queue, so that one step of induction does.
  addr_t [Depth:0] place;
  always_comb begin
    place[0] = u_fifo.read_q;
    for (int unsigned n = 1; n <= Depth; n++) place[n] = u_fifo.next_addr(place[n-1]);
    if (started_q) begin
      assert (u_fifo.read_next_q == place[1]);
      assert (place[Depth] == place[0]);
      for (int unsigned n = 0; n <= Depth; n++) begin
        if (count_q == n) assert (u_fifo.write_q == place[n]);
        if (n < count_q) begin
          assert ({u_fifo.head_ram[place[n]], u_fifo.body_ram[place[n]]} == queue_q[n]);
        end
      end
    end
  end

  // It can happen at all: full, then empty again.
  logic was_full_q;
  always_ff @(posedge clk_i) was_full_q <= ~rst_i & (was_full_q | ~in_ready);
  always_comb if (started_q) cover (was_full_q & ~out_valid);

endmodule
