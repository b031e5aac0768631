// SPDX-License-Identifier: Apache-2.0
// cluster_flow_control: with any input, the packets granted, those in the buffer and the free
// places sum to the buffer's size, so that no beat arrives for which there is no room; and a packet
// is sent only from a budget that the destination has granted, which is never below zero.
module cluster_flow_control_formal
  import cluster_pkg::*;
  import cluster_endpoint_pkg::*;
#(
    parameter int unsigned NumBoards  = 2,
    parameter int unsigned BufferSize = 3,
    parameter int unsigned FlowStride = 3,
    parameter int unsigned FlowOffset = 1,
    parameter int unsigned InitBudget = 1
) (
    input logic clk_i,
    input logic rst_i,
    input header_t header_i,
    input logic [63:0] data_i,
    input logic last_i,
    input logic valid_i,
    input logic freed_i,
    input header_t send_header_i,
    input logic send_last_i,
    input logic send_valid_i,
    input logic out_ready_i
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [63:0] data;
  } beat_t;
  localparam int unsigned Total = BufferSize + InitBudget * NumBoards;
  localparam int unsigned MaxGranted = FlowOffset + FlowStride;
  typedef logic [$clog2(MaxGranted+1)-1:0] count_t;
  typedef logic [$clog2(Total+1)-1:0] total_t;

  beat_t data, out;
  logic in_ready, data_valid, send_ready, out_valid, holds;
  logic [ NumDrops-1:0] drop;
  logic [NumEvents-1:0] events;
  cluster_flow_control #(
      .beat_t(beat_t),
      .BufferSize(BufferSize),
      .FlowOffset(FlowOffset),
      .FlowStride(FlowStride),
      .InitBudget(InitBudget),
      .NumBoards(NumBoards),
      .MaxWords(1),
      .ScanCycles(2)
  ) u_flow (
      .clk_i,
      .rst_i,
      .in_i('{header: header_i, last: last_i, data: data_i}),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .data_o(data),
      .data_valid_o(data_valid),
      .freed_i,
      .send_i('{header: send_header_i, last: send_last_i, data: '0}),
      .send_valid_i,
      .send_ready_o(send_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .drop_o(drop),
      .event_o(events),
      .holds_o(holds)
  );

  logic started, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started),
      .watched_o(unused_watched)
  );

  // Packets of one beat.
  logic [7:0] held_q;  // packets in the buffer
  always_ff @(posedge clk_i) begin
    if (rst_i) held_q <= '0;
    else held_q <= held_q + 8'(data_valid) - 8'(freed_i);
  end
  always_comb begin
    assume (last_i & send_last_i);
    if (freed_i) assume (held_q != '0);
  end

  logic [7:0] granted_sum;
  always_comb begin
    granted_sum = '0;
    for (int unsigned b = 0; b < NumBoards; b++) begin
      granted_sum += 8'(count_t'(u_flow.left[b].given - u_flow.arrived[b].used));
    end
  end
  // What is on its way to free_q.
  wire [7:0] free = 8'(u_flow.free_q) + 8'(u_flow.returned_q) + 8'(u_flow.freed_q) -
      8'(u_flow.reserved_q);

  always_comb begin
    if (started & u_flow.ready_q) begin
      assert (held_q <= Total);
      assert (total_t'(granted_sum + held_q + free) == total_t'(Total));
      assert (32'(granted_sum) + 32'(held_q) <= Total);
      for (int unsigned b = 0; b < NumBoards; b++) begin
        // Budgets stay in range: a subtraction below zero would leave it.
        assert (32'(count_t'(u_flow.arrived[b].credit - u_flow.left[b].sent)) <= MaxGranted);
        assert (32'(count_t'(u_flow.left[b].given - u_flow.arrived[b].used)) <= MaxGranted);
      end
    end
  end

  always_comb begin
    if (started) begin
      cover (held_q == 8'd2);
      cover (out_valid & ~out.header.credit);
      cover (drop[DropNoBudget]);
    end
  end

endmodule
