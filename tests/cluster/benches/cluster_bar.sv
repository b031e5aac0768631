// SPDX-License-Identifier: Apache-2.0
// Boards in a row, each of a router, the chain and three endpoints, joined by ideal links: channel 0
// managed, with packets of one beat; channel 1 managed, with packets of up to three beats and every
// third grant small; channel 2 unmanaged. Link 0 leads to the next board, link 1 to the one before;
// at link 2 any beats can be brought in. An item is a beat_t.
//
// Streams in: 3 * board + channel (users), 3 * NumBoards + board (link 2). Streams out: 3 * board +
// channel. control: by board, reset; above, by board, an entry of its table is written: valid,
// index, port; above, by board, its link 0 is closed; above, by board, it is gone. Events by board:
// no route, unknown channel, drops of channel 0, drops of channel 1, budget returned by channel 0
// or 1; above, by board, packets dropped at link 0 while it is closed.
`include "cluster_types.svh"
`include "bench.svh"

module bench
  import cluster_pkg::*;
#(
    parameter  int unsigned NumBoards  = 4,
    parameter  int unsigned DataWidth  = 128,
    parameter  int unsigned ScanCycles = 256,
    localparam int unsigned ItemBits   = DataWidth + 32,
    localparam int unsigned IndexBits  = 1 + $clog2(NumBoards)
) (
    `BENCH_PORTS(4 * NumBoards, ItemBits, 3 * NumBoards, ItemBits,
                 NumBoards + IndexBits + 3 + 3 * NumBoards, 32)
);

  `BENCH_SHAPE
  `CLUSTER_BEAT_T(beat_t, DataWidth)
  localparam int unsigned Words = DataWidth / WordBits;

  wire [NumBoards-1:0] resets = control_i[NumBoards-1:0] | {NumBoards{rst_i}};
  wire [IndexBits-1:0] index = control_i[NumBoards+:IndexBits];
  wire [2:0] route = control_i[NumBoards+IndexBits+:3];
  wire [NumBoards-1:0] writes = control_i[NumBoards+IndexBits+3+:NumBoards];
  wire [NumBoards-1:0] closed = control_i[2*NumBoards+IndexBits+3+:NumBoards];
  wire [NumBoards-1:0] gone = control_i[3*NumBoards+IndexBits+3+:NumBoards];

  beat_t [NumBoards:0] up, up_there, down, down_there;  // links between boards b-1 and b
  logic [NumBoards:0] up_valid, up_ready, up_there_valid, up_there_ready;
  logic [NumBoards:0] down_valid, down_ready, down_there_valid, down_there_ready;
  assign {up_there_valid[0], down_there_valid[NumBoards]} = '0;
  assign {up_there[0], down_there[NumBoards]} = '0;
  assign {up_ready[NumBoards], down_ready[0]} = '1;

  function automatic logic [2**IndexBits-1:0][2:0] routes(int unsigned board);
    for (int unsigned e = 0; e < 2 ** IndexBits; e++) begin
      routes[e] = e % (2 ** (IndexBits - 1)) > board ? 3'd0 : 3'd1;
    end
  endfunction

  logic [NumBoards-1:0] holds;
  for (genvar b = 0; b < NumBoards; b++) begin : gen_board
    // up[b]: from board b to b + 1; down[b]: from board b to b - 1.
    if (b < NumBoards - 1) begin : gen_link
      ideal_link #(
          .beat_t(beat_t)
      ) u_up (
          .clk_i,
          .in_rst_i(resets[b]),
          .out_rst_i(resets[b+1]),
          .in_i(up[b]),
          .in_valid_i(up_valid[b]),
          .in_ready_o(up_ready[b]),
          .out_o(up_there[b+1]),
          .out_valid_o(up_there_valid[b+1]),
          .out_ready_i(up_there_ready[b+1])
      );
      ideal_link #(
          .beat_t(beat_t)
      ) u_down (
          .clk_i,
          .in_rst_i(resets[b+1]),
          .out_rst_i(resets[b]),
          .in_i(down[b+1]),
          .in_valid_i(down_valid[b+1]),
          .in_ready_o(down_ready[b+1]),
          .out_o(down_there[b+1]),
          .out_valid_o(down_there_valid[b+1]),
          .out_ready_i(down_there_ready[b+1])
      );
    end

    beat_t local_down, local_up;
    logic local_down_valid, local_down_ready, local_up_valid, local_up_ready;
    beat_t [3:0] unused_out;
    logic [3:0] no_route, dropped, packets;
    logic hostile_ready, up_last_ready, unused_last;
    logic [2:0] unused_rdata;
    logic unused_done, chain_drop, router_holds, chain_holds;
    beat_t hostile_out;
    logic  hostile_out_valid;
    cluster_router #(
        .beat_t(beat_t),
        .NumLinks(3),
        .NumBoards(NumBoards),
        .Routes(routes(b))
    ) u_router (
        .clk_i,
        .rst_i(resets[b]),
        .board_i(board_t'(b)),
        .in_i({local_up, beat_t'(in_i[3*NumBoards+b]), up_there[b], down_there[b+1]}),
        .in_valid_i({
          local_up_valid, in_valid_i[3*NumBoards+b], up_there_valid[b], down_there_valid[b+1]
        }),
        .in_ready_o({
          local_up_ready, in_ready_o[3*NumBoards+b], up_there_ready[b], down_there_ready[b+1]
        }),
        .out_o({local_down, hostile_out, down[b], up[b]}),
        .out_valid_o({local_down_valid, hostile_out_valid, down_valid[b], up_valid[b]}),
        .out_ready_i({local_down_ready, 1'b1, down_ready[b], up_ready[b]}),
        .out_open_i({3'b111, ~closed[b]}),
        .out_gone_i({3'b000, gone[b]}),
        .route_request_i(writes[b]),
        .route_write_i(1'b1),
        .route_index_i(index),
        .route_wdata_i(route),
        .route_rdata_o(unused_rdata),
        .route_done_o(unused_done),
        .no_route_o(no_route),
        .closed_o(dropped),
        .packet_o(packets),
        .holds_o(router_holds)
    );

    beat_t [2:0] receive, send;
    logic [2:0] receive_valid, receive_ready, send_valid, send_ready, endpoint_holds;
    cluster_chain #(
        .beat_t(beat_t),
        .NumEndpoints(3)
    ) u_chain (
        .clk_i,
        .rst_i(resets[b]),
        .down_i(local_down),
        .down_valid_i(local_down_valid),
        .down_ready_o(local_down_ready),
        .up_o(local_up),
        .up_valid_o(local_up_valid),
        .up_ready_i(local_up_ready),
        .receive_o(receive),
        .receive_valid_o(receive_valid),
        .receive_ready_i(receive_ready),
        .send_i(send),
        .send_valid_i(send_valid),
        .send_ready_o(send_ready),
        .drop_o(chain_drop),
        .holds_o(chain_holds)
    );

    logic [2:0][ cluster_endpoint_pkg::NumDrops-1:0] drops;
    logic [2:0][cluster_endpoint_pkg::NumEvents-1:0] events;
    for (genvar c = 0; c < 3; c++) begin : gen_endpoint
      beat_t received;
      logic  received_valid;
      cluster_endpoint #(
          .beat_t(beat_t),
          .DataWidth(DataWidth),
          .Managed(c != 2),
          .BufferSize(8),
          .FlowOffset(c == 0 ? 2 : 1),
          .FlowStride(4),
          .InitBudget(c == 0 ? 1 : 2),
          .NumBoards(NumBoards),
          .MaxWords(c == 1 ? 3 * Words : Words),
          .GrantPeriod(c == 1 ? 3 : 0),
          .ScanCycles(ScanCycles)
      ) u_endpoint (
          .clk_i,
          .rst_i(resets[b]),
          .in_i(receive[c]),
          .in_valid_i(receive_valid[c]),
          .in_ready_o(receive_ready[c]),
          .out_o(send[c]),
          .out_valid_o(send_valid[c]),
          .out_ready_i(send_ready[c]),
          .send_i(beat_t'(in_i[3*b+c])),
          .send_valid_i(in_valid_i[3*b+c]),
          .send_ready_o(in_ready_o[3*b+c]),
          .receive_o(received),
          .receive_valid_o(received_valid),
          .receive_ready_i(out_ready_i[3*b+c]),
          .drop_o(drops[c]),
          .event_o(events[c]),
          .holds_o(endpoint_holds[c])
      );
      assign out_o[3*b+c] = received;
      assign out_valid_o[3*b+c] = received_valid & ~resets[b];
    end
    assign event_o[b*13+:13] = {
      events[0][cluster_endpoint_pkg::EventReturn] | events[1][cluster_endpoint_pkg::EventReturn],
      drops[1],
      drops[0],
      chain_drop,
      |no_route
    };
    assign event_o[13*NumBoards+b] = |dropped;
    assign holds[b] = router_holds | chain_holds | (|endpoint_holds);
  end
  assign event_o[63:14*NumBoards] = '0;
  assign status_o = 32'(holds);

endmodule

// One direction of a link between boards as a queue: a packet arrives as a whole, Latency cycles
// after its last beat. A reset on either side removes the packet that is being transferred.
module ideal_link #(
    parameter type beat_t = logic,
    parameter int unsigned Latency = 75,
    parameter int unsigned Credits = 200  // beats
) (
    input logic clk_i,
    input logic in_rst_i,  // of the board that sends
    input logic out_rst_i, // of the board that receives

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    output beat_t out_o,
    output logic  out_valid_o,
    input  logic  out_ready_i
);

  beat_t begun[$], sent[$];
  int unsigned due[$];
  int unsigned now = 0;
  bit is_inside = 0, skips = 0;  // of a packet, at the output

  // verilator lint_off BLKSEQ
  always @(posedge clk_i) begin
    if (in_rst_i) begun.delete();
    else if (in_valid_i & in_ready_o) begin
      begun.push_back(in_i);
      if (in_i.last) begin
        foreach (begun[i]) begin
          sent.push_back(begun[i]);
          due.push_back(now + Latency);
        end
        begun.delete();
      end
    end
    if (out_rst_i) begin
      skips |= is_inside;
      is_inside = 0;
    end else if (sent.size() > 0 && (skips || (out_valid_o && out_ready_i))) begin
      is_inside = !skips && !sent[0].last;
      if (sent[0].last) skips = 0;
      void'(sent.pop_front());
      void'(due.pop_front());
    end
    now = now + 1;
    in_ready_o  <= !in_rst_i && sent.size() + begun.size() < Credits;
    out_valid_o <= !out_rst_i && !skips && sent.size() > 0 && now >= due[0];
    if (sent.size() > 0) out_o <= sent[0];
  end
  // verilator lint_on BLKSEQ

endmodule
