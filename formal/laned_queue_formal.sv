// laned_queue against one queue for each lane: what goes in comes out by its
// lane, once, in order, and the flit that came out last stays until the next pop.
// Proved for all time, by induction.
module laned_queue_formal #(
    parameter int unsigned Depth = 4,
    parameter int unsigned NumLanes = 1
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] in_i,
    input logic [1:0] in_head_i,
    input logic [NumLanes-1:0] push_i,
    input logic [NumLanes-1:0] pop_i
);

  localparam int unsigned LaneDepth = Depth / NumLanes;
  typedef logic [1:0] part_t;
  typedef logic [$clog2(LaneDepth)-1:0] addr_t;
  typedef logic [$clog2(LaneDepth):0] count_t;

  part_t [NumLanes-1:0] head;
  logic [NumLanes-1:0] head_valid;
  part_t out;
  logic [NumLanes-1:0][$clog2(Depth):0] level;
  laned_queue #(
      .flit_t(part_t),
      .head_t(part_t),
      .Depth(Depth),
      .NumLanes(NumLanes)
  ) u_queue (
      .clk_i,
      .rst_i,
      .in_i,
      .in_head_i,
      .push_i,
      .head_o(head),
      .head_valid_o(head_valid),
      .pop_i,
      .out_o(out),
      .level_o(level)
  );

  logic started_q = 1'b0;  // reset has been
  always_ff @(posedge clk_i) started_q <= 1'b1;
  always_comb begin
    if (~started_q) assume (rst_i);
    assume ($onehot0(push_i));
    assume ($onehot0(pop_i));
  end

  // What has been popped last.
  logic  popped_q;
  part_t popped_flit_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) popped_q <= 1'b0;
    else if (|pop_i) popped_q <= 1'b1;
  end
  always_comb if (started_q & popped_q) assert (out == popped_flit_q);

  logic [NumLanes-1:0] was_full_q, empty;
  part_t [NumLanes-1:0] oldest;
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < NumLanes; l++) if (pop_i[l]) popped_flit_q <= oldest[l];
  end

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    // Entry 0 is the oldest.
    logic [LaneDepth-1:0][3:0] queue_q, queue_d;
    count_t count_q, count_d;
    always_comb begin
      queue_d = queue_q;
      count_d = count_q;
      if (pop_i[l]) begin
        queue_d = queue_q >> 4;
        count_d = count_q - 1'b1;
      end
      if (push_i[l]) begin
        queue_d[count_d[$clog2(LaneDepth)-1:0]] = {in_head_i, in_i};
        count_d = count_d + 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      queue_q <= queue_d;
      count_q <= rst_i ? '0 : count_d;
      was_full_q[l] <= ~rst_i & (was_full_q[l] | (32'(count_q) == LaneDepth));
    end
    assign oldest[l] = queue_q[0][1:0];
    assign empty[l]  = ~head_valid[l];

    always_comb begin
      if (started_q) begin
        if (32'(count_q) == LaneDepth) assume (~push_i[l]);
        if (~head_valid[l]) assume (~pop_i[l]);
        assert (32'(level[l]) == 32'(count_q));
        assert (head_valid[l] == (count_q != '0));
        if (head_valid[l]) assert (head[l] == queue_q[0][3:2]);
      end
    end

    // What ties the memory to the queue, so that one step of induction does.
    addr_t [LaneDepth:0] place;
    lane_state #(
        .Depth(LaneDepth)
    ) u_state (
        .started_i(started_q),
        .count_i(count_q),
        .level_i(u_queue.gen_lane[l].u_lane.level_q),
        .valid_i(u_queue.gen_lane[l].u_lane.valid_q),
        .read_i(u_queue.gen_lane[l].u_lane.read_q),
        .next_i(u_queue.gen_lane[l].u_lane.next_q),
        .write_i(u_queue.gen_lane[l].u_lane.write_q),
        .place_o(place)
    );
    always_comb begin
      if (started_q) begin
        for (int unsigned n = 0; n < LaneDepth; n++) begin
          if (n < 32'(count_q)) begin
            assert (u_queue.gen_lane[l].u_lane.heads[place[n]] == queue_q[n][3:2]);
            assert (u_queue.gen_distributed.ram[l*LaneDepth+32'(place[n])] == queue_q[n][1:0]);
          end
        end
      end
    end
  end

  // It can happen at all: each lane full, then empty again.
  always_comb if (started_q) cover (&was_full_q & &empty);

endmodule
