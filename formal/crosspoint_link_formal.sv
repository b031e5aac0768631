// crosspoint_output of one router, the link, and crosspoint_input with its queues
// of the router east of it, for any traffic and any pace: no queue overflows,
// messages longer than MaxPacket too. Proved for all time, by induction.
module crosspoint_link_formal
  import noc_pkg::*;
#(
    parameter int unsigned Routing = 0,  // routing_e
    parameter int unsigned Depth = 4,
    parameter int unsigned MaxPacket = 2
) (
    input logic clk_i,
    input logic rst_i,
    // What stands at the front of the sender's two lanes.
    input logic [1:0] last_i,
    input logic [1:0][1:0] x_i,
    input logic [1:0][1:0] y_i,
    input logic [1:0] valid_i,
    input logic [NumDirs-1:0] leave_i  // a flit leaves the queue
);

  localparam int unsigned X = 1;  // of the receiver, of 3x3
  localparam int unsigned Y = 1;
  localparam routing_e Way = routing_e'(Routing);
  localparam logic [NumDirs-1:0] Queues = queues_of(Way, 1'b1, '1, int'(DirWest));

  typedef struct packed {logic [4:0] length;} meta_t;
  typedef struct packed {
    meta_t meta;
    logic last;
    logic [15:0] data;
  } beat_t;
  typedef struct packed {
    logic [1:0] x;
    logic [1:0] y;
    beat_t beat;
  } flit_t;
  typedef struct packed {
    logic last;
    logic [NumDirs-1:0] wanted;
  } head_t;
  typedef logic [$clog2(Depth):0] level_t;

  head_t [1:0] head;
  logic [1:0] pop;
  logic link_valid;
  logic [NumDirs-1:0] ready, push;
  level_t [NumDirs-1:0] level_q;
  flit_t link_q;

  for (genvar l = 0; l < 2; l++) begin : gen_head
    assign head[l] = '{
            last: last_i[l],
            wanted:
            channels_of
            (
                Way, 1'b1, int'(DirWest), heading(8'(X), 8'(Y), 8'(x_i[l]), 8'(y_i[l]))
            )
        };
  end

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
      .out_valid_o(link_valid),
      .out_ready_i(ready)
  );

  // As the queue's RAM gives it.
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < 2; l++) begin
      if (pop[l]) begin
        link_q <= '{
            x: x_i[l],
            y: y_i[l],
            beat: '{meta: '{length: '0}, last: last_i[l], data: '0}
        };
      end
    end
  end

  logic [NumDirs-1:0][NumDirs-1:0] unused_wanted;
  logic unused_drop;
  crosspoint_input #(
      .flit_t(flit_t),
      .Input(int'(DirWest)),
      .Routing(Way),
      .Queues(Queues),
      .Depth(Depth),
      .MaxPacket(MaxPacket)
  ) u_input (
      .clk_i,
      .rst_i,
      .x_i(8'(X)),
      .y_i(8'(Y)),
      .in_i(link_q),
      .in_valid_i(link_valid),
      .in_ready_o(ready),
      .level_i(level_q),
      .push_o(push),
      .wanted_o(unused_wanted),
      .drop_o(unused_drop)
  );

  // ---- Legal traffic: it does not go back, and its flits go one way ----

  logic started_q = 1'b0;
  logic [1:0] inside_q;
  logic [1:0][1:0] x_q, y_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    x_q <= x_i;
    y_q <= y_i;
    for (int unsigned l = 0; l < 2; l++) begin
      if (rst_i) inside_q[l] <= 1'b0;
      else if (pop[l]) inside_q[l] <= ~last_i[l];
    end
    for (int unsigned c = 0; c < NumDirs; c++) begin
      if (rst_i) level_q[c] <= '0;
      else level_q[c] <= level_q[c] + level_t'(push[c]) - level_t'(leave_i[c]);
    end
  end
  always_comb begin
    if (~started_q)
      assume (rst_i);
      else assume (~rst_i);
    for (int unsigned l = 0; l < 2; l++) begin
      assume (32'(x_i[l]) >= X && 32'(x_i[l]) < 3 && 32'(y_i[l]) < 3);
      if (started_q & inside_q[l]) assume (x_i[l] == x_q[l] && y_i[l] == y_q[l]);
    end
    for (int unsigned c = 0; c < NumDirs; c++) if (level_q[c] == '0) assume (~leave_i[c]);
  end

  // ---- No queue overflows ----

  function automatic int unsigned depth_of(int unsigned channel);
    return Queues[DirWest] && (channel == int'(DirWest) || channel == int'(DirEast)) ?
        Depth / 2 : Depth;
  endfunction

  logic [NumDirs-1:0] full;
  always_comb begin
    for (int unsigned c = 0; c < NumDirs; c++) full[c] = 32'(level_q[c]) == depth_of(c);
    if (started_q & ~rst_i) begin
      assert ((push & ~Queues) == '0);
      assert ((push & full) == '0);
    end
  end

  // ---- For the induction: the room that the message under way counts on ----

  wire locked = u_output.locked_q;
  logic [NumDirs-1:0] channel;  // that the message under way takes
  assign channel = link_valid ? u_input.target : u_input.choice_q;
  int unsigned rest;  // flits of it that come without asking
  assign rest = locked ? MaxPacket - 32'(u_output.count_q) : 0;

  always_comb begin
    if (started_q) begin
      assert (u_output.u_arbiter.before_q[0][1] != u_output.u_arbiter.before_q[1][0]);
      assert (32'(u_output.count_q) <= MaxPacket);
      assert (u_output.long_q == (32'(u_output.count_q) == MaxPacket));
      assert (locked == (u_output.count_q != '0));
      assert (inside_q == (locked ? u_output.owner_q : '0));
      if (locked) assert ($onehot(u_output.owner_q));
      // The flit on the link is the last one that was popped.
      if (link_valid) begin
        assert (link_q.beat.last == ~locked);
        assert (32'(link_q.x) >= X && 32'(link_q.x) < 3 && 32'(link_q.y) < 3);
      end else begin
        assert (u_input.first_q == ~locked);
      end
      if (link_valid | locked) assert ($onehot(channel) && (channel & ~Queues) == '0);
      for (int unsigned l = 0; l < 2; l++) begin
        if (inside_q[l]) begin
          assert ((channel & ~head[l].wanted) == '0);
          if (link_valid) assert (link_q.x == x_q[l] && link_q.y == y_q[l]);
        end
      end
      for (int unsigned c = 0; c < NumDirs; c++) begin
        assert (32'(level_q[c]) <= depth_of(c));
        if (channel[c]) begin
          assert (32'(level_q[c]) + 32'(link_valid) + rest <= depth_of(c));
        end
        // Of the flits on their way when this was said, one may be left.
        if (ready[c]) assert (32'(level_q[c]) + MaxPacket + CrosspointLate - 1 <= depth_of(c));
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
