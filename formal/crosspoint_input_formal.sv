// SPDX-License-Identifier: Apache-2.0
// crosspoint_input in the middle of a mesh: a message enters a single queue, which leads closer to
// its destination. Lossless: no message is dropped. Dropping: a message that does not fit is
// dropped as a whole and counted once. No queue overflows (mesh inputs without losses:
// crosspoint_link_formal). Proved for all time, by induction.
module crosspoint_input_formal
  import noc_pkg::*;
  import legal_traffic_pkg::*;
#(
    parameter int unsigned Input = 0,  // dir_e
    parameter int unsigned Routing = 0,  // routing_e
    parameter bit Lossless = 1,
    parameter int unsigned Depth = 8,
    parameter int unsigned MaxPacket = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [1:0] x_i,  // destination of the message
    input logic [1:0] y_i,
    input logic [4:0] length_i,  // in bytes, with its first flit
    input logic last_i,
    input logic valid_i,
    input logic [NumDirs-1:0] leave_i  // a flit leaves the queue
);

  localparam logic [NumDirs-1:0] Queues = queues_of(routing_e'(Routing), Lossless, '1, Input);
  localparam int unsigned Ahead = int'(opposite(Input));
  localparam bit IsMesh = Lossless && Input != int'(DirLocal);

  typedef logic [$clog2(Depth):0] level_t;

  level_t [NumDirs-1:0] level, depth;
  logic [NumDirs-1:0] ready, push, full, unused_open;
  logic [NumDirs-1:0][NumDirs-1:0] next_channels;
  logic drop;
  packet_flit_t in;
  assign in = '{x: x_i, y: y_i, beat: '{length: length_i, last: last_i, data: '0}};
  crosspoint_input #(
      .flit_t(packet_flit_t),
      .Input(Input),
      .Routing(routing_e'(Routing)),
      .Lossless(Lossless),
      .Queues(Queues),
      .Depth(Depth),
      .MaxPacket(MaxPacket)
  ) u_input (
      .clk_i,
      .rst_i,
      .x_i(8'(Here)),
      .y_i(8'(Here)),
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(ready),
      .open_o(unused_open),
      .level_i(level),
      .push_o(push),
      .next_channels_o(next_channels),
      .drop_o(drop)
  );

  queue_levels #(
      .Input (Input),
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

  wire  taken = valid_i & (IsMesh | ready[0]);

  // ---- Legal traffic: no U-turn, and under XY no turn out of a column ----

  logic is_legal;
  always_comb begin
    is_legal = 32'(x_i) < Size && 32'(y_i) < Size;
    case (Input)
      int'(DirLocal): is_legal &= 32'(x_i) != Here || 32'(y_i) != Here;
      int'(DirNorth): is_legal &= 32'(y_i) >= Here && (Routing != 0 || 32'(x_i) == Here);
      int'(DirSouth): is_legal &= 32'(y_i) <= Here && (Routing != 0 || 32'(x_i) == Here);
      int'(DirEast): is_legal &= 32'(x_i) <= Here;
      default: is_legal &= 32'(x_i) >= Here;
    endcase
  end

  logic started_q, unused_watched;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(1'b0),
      .started_o(started_q),
      .watched_o(unused_watched)
  );
  logic under_way;  // inside a message
  logic [1:0] unused_x, unused_y;  // its destination
  whole_message #(
      .mark_t(logic [3:0]),
      .Assume(1'b1)
  ) u_message (
      .clk_i,
      .rst_i,
      .offered_i(1'b1),
      .taken_i(taken),
      .last_i,
      .mark_i({x_i, y_i}),
      .inside_o(under_way),
      .mark_o({unused_x, unused_y})
  );

  logic [3:0] left_q;  // flits of the message left, when dropping
  logic [NumDirs-1:0] target_q;  // queue of the message
  wire [3:0] flits = length_i < 5'd2 ? 4'd1 : 4'((length_i + 5'd1) >> 1);
  wire [3:0] left = under_way ? left_q : flits;

  always_ff @(posedge clk_i) begin
    if (taken) begin
      left_q <= left - 1'b1;
      if (~under_way) target_q <= push;
    end
  end

  always_comb begin
    assume (is_legal);
    assume (length_i < 5'd25);
    if (~Lossless) assume (last_i == (left == 4'd1));  // the length is correct
    for (int unsigned c = 0; c < NumDirs; c++) begin
      // The upstream router respects full.
      if (IsMesh && full[c]) assume (~push[c]);
    end
  end

  // ---- Allowed queues, computed independently: the output of a channel leads closer ----

  function automatic logic is_nearer(int unsigned output_, logic [1:0] x, logic [1:0] y);
    case (output_)
      int'(DirNorth): return 32'(y) < Here;
      int'(DirSouth): return 32'(y) > Here;
      int'(DirEast): return 32'(x) > Here;
      int'(DirWest): return 32'(x) < Here;
      default: return 32'(x) == Here && 32'(y) == Here;
    endcase
  endfunction

  logic [NumDirs-1:0] allowed;
  assign allowed = channels_of(
      routing_e'(Routing), Lossless, Input, heading(8'(Here), 8'(Here), 8'(x_i), 8'(y_i))
  );

  // Adaptive routing compares levels in quarters of a queue.
  localparam int unsigned Coarse = routing_e'(Routing) == RoutingAdaptive ? $clog2(Depth / 4) : 0;
  localparam logic [NumDirs-1:0] Horizontal = (NumDirs'(1) << DirEast) | (NumDirs'(1) << DirWest);
  // Queues are compared by their levels in the previous cycle. So is room in the lossless case,
  // which reserves an entry for a flit that has arrived since.
  logic   [NumDirs-1:0] has_room;
  level_t [NumDirs-1:0] before_q;
  always_ff @(posedge clk_i) before_q <= level;
  always_comb begin
    for (int unsigned c = 0; c < NumDirs; c++) begin
      has_room[c] = Lossless ? 32'(depth[c] - before_q[c]) > MaxPacket
                             : 32'(depth[c] - level[c]) >= 32'(flits);
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ($onehot0(push));
      assert ((push & ~Queues) == '0);
      assert (allowed != '0 && (allowed & ~Queues) == '0);
      if (~taken) assert (push == '0 && ~drop);
      if (taken & under_way) assert (push == target_q && ~drop);
      if (taken & ~under_way) begin
        assert ((push & ~allowed) == '0);
        if (Lossless)
          assert ($onehot(push) && ~drop);
          else assert (drop == (push == '0));
        for (int unsigned c = 0; c < NumDirs; c++) begin
          if (push[c]) begin
            assert (is_nearer(c == Input ? Ahead : c, x_i, y_i));
            // A queue with room, the emptier one of two; if equal, the horizontal one.
            for (int unsigned d = 0; d < NumDirs; d++) begin
              if (d != c && allowed[d] & has_room[d]) begin
                assert (has_room[c]);
                assert ((before_q[c] >> Coarse) <= (before_q[d] >> Coarse));
                if (Horizontal[d]) assert ((before_q[c] >> Coarse) != (before_q[d] >> Coarse));
              end
            end
            if (~Lossless) assert (32'(level[c]) + 32'(flits) <= Depth);
            if (Lossless && Input == int'(DirLocal)) begin
              assert (32'(level[c]) + MaxPacket <= Depth);
            end
          end
          // A message is dropped only if it fits nowhere.
          if (drop & allowed[c]) assert (32'(level[c]) + 32'(flits) > Depth);
        end
      end
      if (~Lossless) assert (ready == '1);
      if (Lossless && Input == int'(DirLocal) && ~under_way && |(allowed & has_room)) begin
        assert (ready[0]);
      end
      if (Lossless && Input == int'(DirLocal) && under_way) begin
        for (int unsigned c = 0; c < NumDirs; c++) begin
          if (target_q[c] && before_q[c] + 1'b1 < depth[c]) assert (ready[0]);
        end
      end
    end
  end

  // ---- For the induction ----

  always_comb begin
    if (started_q) begin
      assert (u_input.first == ~under_way);
      if (under_way) begin
        assert ($onehot0(target_q) && (target_q & ~Queues) == '0);
        if (Lossless) assert (u_input.choice_q == target_q);
      end
      for (int unsigned c = 0; c < NumDirs; c++) begin
        if (~Lossless & under_way) begin
          if (target_q[c]) assert (32'(level[c]) + 32'(left_q) <= Depth);
          if (target_q[c]) assert (u_input.choice_q == target_q);
        end
      end
      if (~Lossless & under_way) assert (left_q != '0 && left_q < 4'd12);
    end
  end
  if (!Lossless) begin : gen_dropping
    always_comb begin
      if (started_q & under_way) assert (u_input.gen_dropping.refused_q == (target_q == '0));
    end
  end

  // ---- Cover: a message ends with a full queue, or a dropped one ends ----

  always_comb begin
    if (started_q & ~rst_i) begin
      cover (|full);
      cover (under_way & taken & last_i & (Lossless | (target_q == '0)));
    end
  end
  wire unused = ^next_channels;

endmodule
