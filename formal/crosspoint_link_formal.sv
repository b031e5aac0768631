// SPDX-License-Identifier: Apache-2.0
// crosspoint_output of one router, the link, and crosspoint_input with its queues of the router to
// the east, for any traffic at any pace: no queue overflows, also with messages longer than
// MaxPacket. Proved for all time, by induction.
module crosspoint_link_formal
  import noc_pkg::*;
  import legal_traffic_pkg::*;
#(
    parameter int unsigned Routing = 0,  // routing_e
    parameter int unsigned Depth = 4,
    parameter int unsigned MaxPacket = 2
) (
    input logic clk_i,
    input logic rst_i,
    // The fronts of the sender's two lanes.
    input logic [1:0] last_i,
    input logic [1:0][1:0] x_i,
    input logic [1:0][1:0] y_i,
    input logic [1:0] valid_i,
    input logic [NumDirs-1:0] leave_i  // a flit leaves the queue
);

  localparam routing_e Way = routing_e'(Routing);
  localparam logic [NumDirs-1:0] Queues = queues_of(Way, 1'b1, '1, int'(DirWest));

  typedef struct packed {
    logic last;
    logic [NumDirs-1:0] next_channels;
  } head_t;
  typedef logic [$clog2(Depth):0] level_t;

  head_t [1:0] head;
  logic [1:0] pop;
  logic link_valid;
  logic [NumDirs-1:0] ready, push, full, unused_open;
  level_t [NumDirs-1:0] level, depth;
  packet_flit_t link_q;

  for (genvar l = 0; l < 2; l++) begin : gen_head
    assign head[l] = '{
            last: last_i[l],
            next_channels:
            channels_of
            (
                Way, 1'b1, int'(DirWest), heading(8'(Here), 8'(Here), 8'(x_i[l]), 8'(y_i[l]))
            )
        };
  end

  logic unused_step;
  crosspoint_output #(
      .head_t(head_t),
      .NumLanes(2),
      .MaxPacket(MaxPacket)
  ) u_output (
      .clk_i,
      .rst_i,
      .head_i(head),
      .head_valid_i(valid_i),
      .pop_o(pop),
      .step_o(unused_step),
      .out_valid_o(link_valid),
      .out_ready_i(ready)
  );

  // Like the output of the queue's RAM.
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < 2; l++) begin
      if (pop[l]) begin
        link_q <= '{x: x_i[l], y: y_i[l], beat: '{length: '0, last: last_i[l], data: '0}};
      end
    end
  end

  logic [NumDirs-1:0][NumDirs-1:0] unused_next_channels;
  logic unused_drop;
  crosspoint_input #(
      .flit_t(packet_flit_t),
      .Input(int'(DirWest)),
      .Routing(Way),
      .Queues(Queues),
      .Depth(Depth),
      .MaxPacket(MaxPacket)
  ) u_input (
      .clk_i,
      .rst_i,
      .x_i(8'(Here)),
      .y_i(8'(Here)),
      .in_i(link_q),
      .in_valid_i(link_valid),
      .in_ready_o(ready),
      .open_o(unused_open),
      .level_i(level),
      .push_o(push),
      .next_channels_o(unused_next_channels),
      .drop_o(unused_drop)
  );

  queue_levels #(
      .Input (int'(DirWest)),
      .Queues(Queues),
      .Depth (Depth)
  ) u_levels (
      .clk_i,
      .rst_i,
      .push_i (push),
      .leave_i,
      .level_o(level),
      .depth_o(depth),
      .full_o (full)
  );

  // ---- Legal traffic: no U-turn, and all flits of a message take the same path ----

  logic started_q, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started_q),
      .watched_o(unused_watched)
  );
  logic [1:0] under_way;
  logic [1:0][1:0] x, y;  // destination of the current message
  logic [1:0][3:0] destination, under_way_destination;
  for (genvar l = 0; l < 2; l++) begin : gen_destination
    assign destination[l] = {x_i[l], y_i[l]};
    assign {x[l], y[l]}   = under_way_destination[l];
  end
  whole_message #(
      .mark_t(logic [3:0]),
      .Count (2),
      .Assume(1'b1)
  ) u_messages (
      .clk_i,
      .rst_i,
      .offered_i('1),
      .taken_i(pop),
      .last_i,
      .mark_i(destination),
      .inside_o(under_way),
      .mark_o(under_way_destination)
  );
  always_comb begin
    for (int unsigned l = 0; l < 2; l++) begin
      assume (32'(x_i[l]) >= Here && 32'(x_i[l]) < Size && 32'(y_i[l]) < Size);
    end
  end

  // ---- No queue overflows ----

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ((push & ~Queues) == '0);
      assert ((push & full) == '0);
    end
  end

  // ---- For the induction: the room reserved for the current message ----

  wire locked = u_output.locked_q;
  logic [NumDirs-1:0] channel;  // channel of the current message
  assign channel = link_valid ? u_input.target : u_input.choice_q;
  int unsigned rest;  // flits of it that are sent without checking for room
  assign rest = locked ? MaxPacket - 32'(u_output.count_q) : 0;

  always_comb begin
    if (started_q) begin
      assert (under_way == (locked ? u_output.owner_q : '0));
      // The flit on the link is the last one popped.
      if (link_valid) begin
        assert (link_q.beat.last == ~locked);
        assert (32'(link_q.x) >= Here && 32'(link_q.x) < Size && 32'(link_q.y) < Size);
      end else begin
        assert (u_input.first == ~locked);
      end
      if (link_valid | locked) assert ($onehot(channel) && (channel & ~Queues) == '0);
      for (int unsigned l = 0; l < 2; l++) begin
        if (under_way[l]) begin
          assert ((channel & ~head[l].next_channels) == '0);
          if (link_valid) assert (link_q.x == x[l] && link_q.y == y[l]);
        end
      end
      for (int unsigned c = 0; c < NumDirs; c++) begin
        if (channel[c]) begin
          assert (32'(level[c]) + 32'(link_valid) + rest <= 32'(depth[c]));
        end
        // Of the flits in flight when ready was computed, one may still be in flight.
        if (ready[c]) assert (32'(level[c]) + MaxPacket + CrosspointLate - 1 <= 32'(depth[c]));
      end
    end
  end


  always_comb begin
    if (started_q & ~rst_i) begin
      cover (|(full & (NumDirs'(1) << DirEast)));
      cover (u_output.long_q & |pop);
    end
  end

endmodule
