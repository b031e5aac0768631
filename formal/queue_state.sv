// SPDX-License-Identifier: Apache-2.0
// In every laned_queue: a reference queue for each lane. Each flit leaves by its lane, once, in
// order, and the flit read last is stable until the next read. The relation of the memories to the
// queues is asserted too, so that one step of induction suffices (as in lane_state). The memories
// are read hierarchically: Yosys does not treat a port as a memory. `queue` is for the proofs of
// its users.
module queue_state #(
    parameter int unsigned FlitWidth = 1,
    parameter int unsigned HeadWidth = 1,
    parameter int unsigned Depth = 4,
    parameter int unsigned NumLanes = 1,
    localparam int unsigned LaneDepth = Depth / NumLanes,
    localparam type flit_t = logic [FlitWidth-1:0],
    localparam type head_t = logic [HeadWidth-1:0],
    localparam type addr_t = logic [$clog2(LaneDepth)-1:0],
    localparam type level_t = logic [$clog2(LaneDepth):0]
) (
    input logic clk_i,
    input logic rst_i,
    input flit_t in_i,
    input head_t in_head_i,
    input logic [NumLanes-1:0] push_i,
    input logic [NumLanes-1:0] read_lane_i,
    input logic [NumLanes-1:0] pop_i,
    input head_t [NumLanes-1:0] head_i,
    input logic [NumLanes-1:0] valid_i,
    input flit_t out_i,
    input logic [NumLanes-1:0][$clog2(Depth):0] level_i,
    input addr_t [NumLanes-1:0] read_i
);

  typedef struct packed {
    head_t head;
    flit_t flit;
  } entry_t;
  typedef struct packed {
    level_t level;
    entry_t [LaneDepth-1:0] entry;  // oldest first
  } queue_t;

  queue_t [NumLanes-1:0] queue;
  logic was_read_q;
  flit_t read_flit_q;  // the last flit read
  logic started_q = 1'b0;  // a reset has occurred
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (rst_i) was_read_q <= 1'b0;
    else if (|read_lane_i) was_read_q <= 1'b1;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      if (read_lane_i[l]) read_flit_q <= queue[l].entry[0].flit;
    end
  end
  always_comb if (started_q & was_read_q) assert (out_i == read_flit_q);

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    queue_t next;
    always_comb begin
      next = queue[l];
      if (pop_i[l]) begin
        next.level = queue[l].level - 1'b1;
        next.entry = queue[l].entry >> $bits(entry_t);
      end
      if (push_i[l]) begin
        next.entry[addr_t'(next.level)] = '{head: in_head_i, flit: in_i};
        next.level = next.level + 1'b1;
      end
    end
    always_ff @(posedge clk_i) begin
      queue[l].entry <= next.entry;
      queue[l].level <= rst_i ? '0 : next.level;
    end

    addr_t [LaneDepth-1:0] address;
    always_comb begin
      for (int unsigned n = 0; n < LaneDepth; n++) address[n] = read_i[l] + addr_t'(n);
      if (started_q) begin
        assert (level_i[l] == ($bits(level_i[l]))'(queue[l].level));
        assert (valid_i[l] == (queue[l].level != '0));
        if (valid_i[l]) assert (head_i[l] == queue[l].entry[0].head);
        for (int unsigned n = 0; n < LaneDepth; n++) begin
          if (n < 32'(queue[l].level)) begin
            assert (laned_queue.gen_lane[l].u_lane.heads[address[n]] == queue[l].entry[n].head);
            assert (laned_queue.gen_distributed.ram[l*LaneDepth+32'(address[n])] ==
                    queue[l].entry[n].flit);
          end
        end
      end
    end
  end

endmodule

bind laned_queue queue_state #(
    .FlitWidth($bits(flit_t)),
    .HeadWidth($bits(head_t)),
    .Depth(Depth),
    .NumLanes(NumLanes)
) u_state (
    .clk_i,
    .rst_i,
    .in_i,
    .in_head_i,
    .push_i,
    .read_lane_i(read_i),
    .pop_i,
    .head_i(head_o),
    .valid_i(head_valid_o),
    .out_i(out_o),
    .level_i(level_o),
    .read_i(lane_read_addr)
);
