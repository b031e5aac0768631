// router_crosspoint in the middle of a mesh or at its edge, XY, without losses, under any traffic
// that its queues have room for (crosspoint_link_formal: there always is): no flit
// is lost, doubled, misled or overtaken by one with the same input and output, and
// messages stay whole. Proved for all time, by induction. (That nobody starves:
// crosspoint_output_formal.)
//
// One flit, at any input and at any time, is marked; all the others are not.
module router_crosspoint_formal
  import noc_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // which ports exist, by dir_e
    parameter int unsigned Depth = 4,
    parameter int unsigned MaxPacket = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumDirs-1:0][1:0] x_i,
    input logic [NumDirs-1:0][1:0] y_i,
    input logic [NumDirs-1:0] last_i,
    input logic [NumDirs-1:0] valid_i,
    input logic [NumDirs-1:0][NumDirs-1:0] out_ready_i,
    input logic [2:0] watched_i,  // any input, always the same
    input logic mark_i  // mark the flit that it takes now
);

  localparam int unsigned Here = 1;  // x and y of the router
  localparam int unsigned Size = 3;  // columns and rows

  typedef struct packed {
    logic last;
    logic [2:0] source;  // the input that the flit came by
    logic marked;
  } beat_t;
  typedef struct packed {
    logic [1:0] x;
    logic [1:0] y;
    beat_t beat;
  } flit_t;

  // Dimension order: first x, then y. Written down once more, on purpose.
  function automatic dir_e way(int unsigned from_x, int unsigned from_y, logic [1:0] x,
                               logic [1:0] y);
    if (32'(x) > from_x) return DirEast;
    if (32'(x) < from_x) return DirWest;
    if (32'(y) > from_y) return DirSouth;
    if (32'(y) < from_y) return DirNorth;
    return DirLocal;
  endfunction

  function automatic dir_e way_after(int unsigned o, logic [1:0] x, logic [1:0] y);
    case (o)
      int'(DirNorth): return way(Here, Here - 1, x, y);
      int'(DirSouth): return way(Here, Here + 1, x, y);
      int'(DirEast):  return way(Here + 1, Here, x, y);
      default:        return way(Here - 1, Here, x, y);
    endcase
  endfunction

  // No U-turn; who moves north or south is in his column.
  function automatic logic is_turn(int unsigned from, int unsigned to);
    if (from == to || !Ports[from] || !Ports[to]) return 1'b0;
    if (from == int'(DirNorth)) return to == int'(DirSouth) || to == int'(DirLocal);
    if (from == int'(DirSouth)) return to == int'(DirNorth) || to == int'(DirLocal);
    return 1'b1;
  endfunction

  flit_t [NumDirs-1:0] in, out;
  logic [NumDirs-1:0][NumDirs-1:0] in_valid, in_ready, out_valid;
  logic [NumDirs-1:0] drop;
  logic used_q;  // a flit has been marked
  for (genvar i = 0; i < NumDirs; i++) begin : gen_in
    assign in[i] = '{
            x: x_i[i],
            y: y_i[i],
            beat: '{last: last_i[i], source: 3'(i), marked: mark_i & ~used_q & (watched_i == i)}
        };
    assign in_valid[i] = NumDirs'(valid_i[i]);
  end

  logic unused_busy;
  router_crosspoint #(
      .flit_t(flit_t),
      .Ports(Ports),
      .Depth(Depth),
      .MaxPacket(MaxPacket)
  ) u_router (
      .clk_i,
      .rst_i,
      .x_i(8'(Here)),
      .y_i(8'(Here)),
      .in_i(in),
      .in_valid_i(in_valid),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .drop_o(drop),
      .busy_o(unused_busy)
  );

  logic [NumDirs-1:0] in_taken, offered, out_taken;
  logic [NumDirs-1:0][NumDirs-1:0] goes_to, leaves;  // [input][output]
  always_comb begin
    for (int unsigned d = 0; d < NumDirs; d++) begin
      in_taken[d]  = valid_i[d] & (d != int'(DirLocal) | in_ready[d][0]);
      offered[d]   = out_valid[d][0];
      out_taken[d] = offered[d] & (d != int'(DirLocal) | out_ready_i[d][0]);
    end
    for (int unsigned i = 0; i < NumDirs; i++) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        goes_to[i][o] = in_taken[i] & (way(Here, Here, x_i[i], y_i[i]) == dir_e'(o));
        leaves[i][o]  = out_taken[o] & (out[o].beat.source == 3'(i));
      end
    end
  end

  // ---- Legal traffic ----

  logic started_q = 1'b0;
  logic [2:0] watched_q;
  logic [NumDirs-1:0] inside_q;
  logic [NumDirs-1:0][1:0] x_q, y_q;
  logic [NumDirs-1:0][NumDirs-1:0][2:0] stored_q;  // flits in the router, [input][output]
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    watched_q <= watched_i;
    x_q <= x_i;
    y_q <= y_i;
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (rst_i) inside_q[i] <= 1'b0;
      else if (in_taken[i]) inside_q[i] <= ~last_i[i];
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (rst_i) stored_q[i][o] <= '0;
        else stored_q[i][o] <= stored_q[i][o] + 3'(goes_to[i][o]) - 3'(leaves[i][o]);
      end
    end
  end

  always_comb begin
    if (~started_q)
      assume (rst_i);
      else assume (~rst_i);
    assume (watched_i < NumDirs);
    if (started_q) assume (watched_i == watched_q);
    for (int unsigned i = 0; i < NumDirs; i++) begin
      assume (32'(x_i[i]) < Size && 32'(y_i[i]) < Size);
      if (Ports[i])
        assume (is_turn(i, int'(way(Here, Here, x_i[i], y_i[i]))));
        else assume (~valid_i[i]);
      if (started_q & inside_q[i]) assume (x_i[i] == x_q[i] && y_i[i] == y_q[i]);
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (i != int'(DirLocal) && 32'(u_router.level[i][o]) == Depth) assume (~goes_to[i][o]);
      end
    end
  end

  // ---- The marked flit ----

  logic marked_inside_q;  // it has gone in and not come out
  flit_t marked_q;
  dir_e marked_way;
  logic [2:0] ahead_q;  // flits of its input and output that are before it
  assign marked_way = way(Here, Here, marked_q.x, marked_q.y);
  wire marking = in_taken[watched_i] & in[watched_i].beat.marked;
  wire dir_e marking_way = way(Here, Here, x_i[watched_i], y_i[watched_i]);
  wire turn_leaves = leaves[watched_i][marked_way];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      used_q <= 1'b0;
      marked_inside_q <= 1'b0;
      ahead_q <= '0;
    end else if (marking) begin
      used_q <= 1'b1;
      marked_q <= in[watched_i];
      marked_inside_q <= 1'b1;
      ahead_q <= stored_q[watched_i][marking_way] - 3'(leaves[watched_i][marking_way]);
    end else if (marked_inside_q & turn_leaves) begin
      ahead_q <= ahead_q - 1'b1;
      if (ahead_q == '0) marked_inside_q <= 1'b0;
    end
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      assert (drop == '0);
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (out_taken[o]) begin
          assert (way(Here, Here, out[o].x, out[o].y) == dir_e'(o));
          if (out[o].beat.marked) begin
            // It comes out when it is its turn, where it wanted to, unchanged.
            assert (marked_inside_q && ahead_q == '0 && marked_way == dir_e'(o));
            assert (out[o] == marked_q);
          end
        end
      end
      if (marked_inside_q & turn_leaves & (ahead_q == '0)) assert (out[marked_way].beat.marked);
    end
  end

  // ---- Messages stay whole; what the local output offers stays ----

  logic [NumDirs-1:0] out_inside_q;
  logic [NumDirs-1:0][2:0] owner_q;
  logic waits_q;
  flit_t out_q;
  always_ff @(posedge clk_i) begin
    waits_q <= ~rst_i & offered[DirLocal] & ~out_taken[DirLocal];
    out_q   <= out[DirLocal];
    for (int unsigned o = 0; o < NumDirs; o++) begin
      if (rst_i) out_inside_q[o] <= 1'b0;
      else if (out_taken[o]) begin
        out_inside_q[o] <= ~out[o].beat.last;
        owner_q[o] <= out[o].beat.source;
      end
    end
  end
  always_comb begin
    if (started_q) begin
      if (waits_q) assert (offered[DirLocal] && out[DirLocal] == out_q);
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (offered[o] & out_inside_q[o]) assert (out[o].beat.source == owner_q[o]);
      end
    end
  end

  // ---- What ties the queues to the counts, so that one step of induction does ----

  typedef logic [$clog2(Depth)-1:0] addr_t;
  always_comb begin
    if (started_q) begin
      if (marked_inside_q) begin
        assert (used_q && marked_q.beat.marked && marked_q.beat.source == watched_q);
        assert (ahead_q < stored_q[watched_q][marked_way]);
        assert (is_turn(int'(watched_q), int'(marked_way)));
      end
    end
  end

  for (genvar i = 0; i < NumDirs; i++) begin : gen_tie
    for (genvar o = 0; o < NumDirs; o++) begin : gen_queue
      wire on_link = offered[o] & (out[o].beat.source == 3'(i));
      if (is_turn(i, o)) begin : gen_present
        addr_t [Depth:0] place;
        flit_t [Depth-1:0] flit;  // the oldest first
        logic [2:0] level;
        assign level = u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.level_q;
        always_comb begin
          for (int unsigned n = 0; n <= Depth; n++) begin
            place[n] = u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.read_q +
                addr_t'(n);
          end
          for (int unsigned n = 0; n < Depth; n++) begin
            flit[n] = u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_distributed.ram[place[n]];
          end
        end
        function automatic logic [NumDirs:0] head_of(flit_t f);
          return {
            f.beat.last, o == int'(DirLocal) ? NumDirs'(0) : NumDirs'(1) << way_after(o, f.x, f.y)
          };
        endfunction
        always_comb begin
          if (started_q) begin
            assert (32'(level) <= Depth);
            assert (stored_q[i][o] == level + 3'(on_link));
            assert (u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.valid_q ==
                    (level != '0));
            assert (u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.next_q ==
                    place[1]);
            assert (u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.write_q ==
                    place[0] + addr_t'(level));
            if (level != '0) begin
              assert (u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.head_q ==
                      head_of(flit[0]));
            end
            for (int unsigned n = 0; n < Depth; n++) begin
              if (n < 32'(level)) begin
                assert (u_router.gen_input[i].gen_queue[o].gen_present.u_queue.gen_lane[0].u_lane.heads[place[n]]
                        == head_of(
                    flit[n]
                ));
                assert (flit[n].beat.source == 3'(i));
                assert (way(Here, Here, flit[n].x, flit[n].y) == dir_e'(o));
                assert (flit[n].beat.marked == (marked_inside_q && watched_q == 3'(i) &&
                                                marked_way == dir_e'(o) &&
                                                32'(ahead_q) == n + 32'(on_link)));
                if (flit[n].beat.marked) assert (flit[n] == marked_q);
              end
            end
          end
        end
      end else begin : gen_absent
        always_comb if (started_q) assert (stored_q[i][o] == '0 && ~on_link);
      end
    end
    if (Ports[i]) begin : gen_input
      always_comb begin
        if (started_q) begin
          assert (u_router.gen_input[i].gen_present.u_input.first_q == ~inside_q[i]);
          if (inside_q[i]) begin
            assert (u_router.gen_input[i].gen_present.u_input.choice_q ==
                    NumDirs'(1) << way(Here, Here, x_q[i], y_q[i]));
          end
        end
      end
    end
  end

  for (genvar o = 0; o < NumDirs; o++)
  if (Ports[o]) begin : gen_out_tie
    localparam inputs_t Inputs = inputs_of(RoutingXY, o);
    localparam int unsigned NumInputs = num_inputs_of(RoutingXY, o);
    logic locked;
    logic [2:0] selected;
    logic [NumInputs-1:0] owner;
    assign locked = u_router.gen_output[o].gen_present.u_output.locked_q;
    assign owner = u_router.gen_output[o].gen_present.u_output.owner_q;
    assign selected = 3'(Inputs[u_router.gen_output[o].gen_present.select_q]);
    always_comb begin
      if (started_q) begin
        assert (out_valid[o][NumDirs-1:1] == '0);
        for (int unsigned a = 0; a < NumInputs; a++) begin
          for (int unsigned b = 0; b < NumInputs; b++) begin
            if (a != b) begin
              assert (u_router.gen_output[o].gen_present.u_output.u_arbiter.before_q[a][b] !=
                      u_router.gen_output[o].gen_present.u_output.u_arbiter.before_q[b][a]);
            end
          end
        end
        if (locked) assert ($onehot(owner));
        for (int unsigned k = 0; k < NumInputs; k++) begin
          if (locked & owner[k]) begin
            assert ((offered[o] ? out[o].beat.source : owner_q[o]) == 3'(Inputs[k]));
          end
        end
        if (offered[o]) begin
          assert (32'(u_router.gen_output[o].gen_present.select_q) < NumInputs);
          assert (out[o].beat.source == selected);
          assert (way(Here, Here, out[o].x, out[o].y) == dir_e'(o));
          assert (locked == ~out[o].beat.last);
          assert (out[o].beat.marked == (marked_inside_q && watched_q == selected &&
                                         marked_way == dir_e'(o) && ahead_q == '0));
          if (out[o].beat.marked) assert (out[o] == marked_q);
        end else begin
          assert (locked == out_inside_q[o]);
        end
      end
    end
  end

  // ---- It can happen at all ----

  logic was_marked_q;
  always_ff @(posedge clk_i) was_marked_q <= ~rst_i & marked_inside_q;
  always_comb begin
    if (started_q & ~rst_i) begin
      cover (was_marked_q & ~marked_inside_q);
      cover (marked_inside_q & (ahead_q == 3'd3));
      cover (offered == Ports);
    end
  end

endmodule
