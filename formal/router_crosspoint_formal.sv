// SPDX-License-Identifier: Apache-2.0
// router_crosspoint in the middle of a mesh or at its edge, XY, without losses, under any traffic
// for which its queues have room (always true: crosspoint_link_formal): no flit is lost,
// duplicated, misrouted or overtaken by one with the same input and output, and messages are
// contiguous. Proved for all time, by induction. (Freedom from starvation:
// crosspoint_output_formal.)
//
// One flit, at any input and at any time, is marked; all others are not.
module router_crosspoint_formal
  import noc_pkg::*;
  import legal_traffic_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // ports that exist, by dir_e
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
    input logic [2:0] watched_i,  // any input, constant
    input logic mark_i  // mark the flit taken in this cycle
);

  typedef struct packed {
    logic last;
    logic [2:0] source;  // input that the flit arrived on
    logic marked;
  } beat_t;
  typedef struct packed {
    logic [1:0] x;
    logic [1:0] y;
    beat_t beat;
  } flit_t;

  flit_t [NumDirs-1:0] in, out;
  logic [NumDirs-1:0][NumDirs-1:0] in_valid, in_ready, out_valid;
  logic [NumDirs-1:0] drop, local_ready;
  logic used;  // a flit has been marked
  for (genvar i = 0; i < NumDirs; i++) begin : gen_in
    assign in[i] = '{
            x: x_i[i],
            y: y_i[i],
            beat: '{last: last_i[i], source: 3'(i), marked: mark_i & ~used & (watched_i == i)}
        };
    assign in_valid[i] = NumDirs'(valid_i[i]);
  end

  // The local port has no channels.
  assign in_ready[DirLocal][NumDirs-1:1]  = '0;
  assign out_valid[DirLocal][NumDirs-1:1] = '0;

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
      .in_i(in[NumDirs-1:1]),
      .in_valid_i(in_valid[NumDirs-1:1]),
      .in_ready_o(in_ready[NumDirs-1:1]),
      .out_o(out[NumDirs-1:1]),
      .out_valid_o(out_valid[NumDirs-1:1]),
      .out_ready_i(out_ready_i[NumDirs-1:1]),
      .inj_i(in[DirLocal]),
      .inj_valid_i(in_valid[DirLocal][0]),
      .inj_taken_o(in_ready[DirLocal][0]),
      .inj_ready_o(local_ready),
      .ej_o(out[DirLocal]),
      .ej_valid_o(out_valid[DirLocal][0]),
      .ej_ready_i(out_ready_i[DirLocal][0]),
      .drop_o(drop),
      .busy_o(unused_busy)
  );

  logic [NumDirs-1:0] in_taken, offered, out_taken;
  logic [NumDirs-1:0][NumDirs-1:0] enters, leaves;  // [input][output]
  always_comb begin
    for (int unsigned d = 0; d < NumDirs; d++) begin
      in_taken[d]  = valid_i[d] & (d != int'(DirLocal) | in_ready[d][0]);
      offered[d]   = out_valid[d][0];
      out_taken[d] = offered[d] & (d != int'(DirLocal) | out_ready_i[d][0]);
    end
    for (int unsigned i = 0; i < NumDirs; i++) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        enters[i][o] = in_taken[i] & (way_here(x_i[i], y_i[i]) == dir_e'(o));
        leaves[i][o] = out_taken[o] & (out[o].beat.source == 3'(i));
      end
    end
  end

  // ---- Legal traffic ----

  logic started_q;
  logic [2:0] watched_q;
  proof_start #(
      .Width(3)
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i(watched_i),
      .started_o(started_q),
      .watched_o(watched_q)
  );
  logic [NumDirs-1:0] arriving;  // part of a message has arrived
  logic [NumDirs-1:0][1:0] x, y;  // its destination
  logic [NumDirs-1:0][NumDirs-1:0][2:0] stored_q;  // flits in the router, [input][output]
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (rst_i) stored_q[i][o] <= '0;
        else stored_q[i][o] <= stored_q[i][o] + 3'(enters[i][o]) - 3'(leaves[i][o]);
      end
    end
  end

  logic [NumDirs-1:0][3:0] in_destination, arriving_destination;
  for (genvar i = 0; i < NumDirs; i++) begin : gen_arriving
    assign in_destination[i] = {x_i[i], y_i[i]};
    assign {x[i], y[i]} = arriving_destination[i];
  end
  whole_message #(
      .mark_t(logic [3:0]),
      .Count (NumDirs),
      .Assume(1'b1)
  ) u_arriving (
      .clk_i,
      .rst_i,
      .offered_i('1),
      .taken_i(in_taken),
      .last_i,
      .mark_i(in_destination),
      .inside_o(arriving),
      .mark_o(arriving_destination)
  );

  always_comb begin
    assume (watched_i < NumDirs);
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (Ports[i])
        assume (is_legal(Ports, i, x_i[i], y_i[i]));
        else assume (~valid_i[i]);
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (i != int'(DirLocal) && 32'(u_router.level[i][o]) == Depth) assume (~enters[i][o]);
      end
    end
  end

  // ---- The marked flit ----

  logic marked_inside;  // the marked flit is inside
  flit_t marked;
  dir_e marked_way;
  logic [2:0] ahead;  // flits of its input and output ahead of it
  assign marked_way = way_here(marked.x, marked.y);
  wire marking = in_taken[watched_i] & in[watched_i].beat.marked;
  wire dir_e marking_way = way_here(x_i[watched_i], y_i[watched_i]);
  wire turn_leaves = leaves[watched_i][marked_way];

  marked_flit #(
      .flit_t(flit_t)
  ) u_marked (
      .clk_i,
      .rst_i,
      .marking_i(marking),
      .flit_i(in[watched_i]),
      .is_queued_i(1'b1),
      .level_i(stored_q[watched_i][marking_way]),
      .leave_i(leaves[watched_i][marking?marking_way : marked_way]),
      .used_o(used),
      .flit_o(marked),
      .inside_o(marked_inside),
      .ahead_o(ahead)
  );

  always_comb begin
    if (started_q & ~rst_i) begin
      assert (drop == '0);
      // The ready by output agrees with that of the flit.
      if (valid_i[DirLocal]) begin
        assert (local_ready[way_here(x_i[DirLocal], y_i[DirLocal])] == in_ready[DirLocal][0]);
      end
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (out_taken[o]) begin
          assert (way_here(out[o].x, out[o].y) == dir_e'(o));
          if (out[o].beat.marked) begin
            // It leaves in turn, at its output, unchanged.
            assert (marked_inside && ahead == '0 && marked_way == dir_e'(o));
            assert (out[o] == marked);
          end
        end
      end
      if (marked_inside & turn_leaves & (ahead == '0)) assert (out[marked_way].beat.marked);
    end
  end

  // ---- Messages stay contiguous; the local output keeps its offer ----

  logic [NumDirs-1:0] out_inside;
  logic [NumDirs-1:0][2:0] owner;
  logic waits_q;
  flit_t out_q;
  always_ff @(posedge clk_i) begin
    waits_q <= ~rst_i & offered[DirLocal] & ~out_taken[DirLocal];
    out_q   <= out[DirLocal];
  end
  always_comb if (started_q & waits_q) assert (offered[DirLocal] && out[DirLocal] == out_q);
  logic [NumDirs-1:0] out_last;
  logic [NumDirs-1:0][2:0] out_source;
  for (genvar o = 0; o < NumDirs; o++) begin : gen_leaving
    assign out_last[o]   = out[o].beat.last;
    assign out_source[o] = out[o].beat.source;
  end
  whole_message #(
      .mark_t(logic [2:0]),
      .Count (NumDirs)
  ) u_leaving (
      .clk_i,
      .rst_i,
      .offered_i(offered),
      .taken_i(out_taken),
      .last_i(out_last),
      .mark_i(out_source),
      .inside_o(out_inside),
      .mark_o(owner)
  );

  // ---- Invariants between queues and counts, so that one induction step suffices ----

  typedef struct packed {
    logic [NumDirs:0] head;
    flit_t flit;
  } entry_t;
  always_comb begin
    if (started_q) begin
      if (marked_inside) begin
        assert (used && marked.beat.marked && marked.beat.source == watched_q);
        assert (ahead < stored_q[watched_q][marked_way]);
        assert (is_turn(Ports, int'(watched_q), int'(marked_way)));
      end
    end
  end

  for (genvar i = 0; i < NumDirs; i++) begin : gen_tie
    for (genvar o = 0; o < NumDirs; o++) begin : gen_queue
      wire on_link = offered[o] & (out[o].beat.source == 3'(i));
      if (is_turn(Ports, i, o)) begin : gen_present
        entry_t [Depth-1:0] entry;  // oldest first
        flit_t [Depth-1:0] flit;
        logic [$clog2(Depth):0] level;
        assign {level, entry} =
            u_router.gen_input[i].gen_queue[o].gen_present.u_queue.u_state.queue;
        always_comb for (int unsigned n = 0; n < Depth; n++) flit[n] = entry[n].flit;
        function automatic logic [NumDirs:0] head_of(flit_t f);
          return {
            f.beat.last, o == int'(DirLocal) ? NumDirs'(0) : NumDirs'(1) << way_after(o, f.x, f.y)
          };
        endfunction
        always_comb begin
          if (started_q) begin
            assert (stored_q[i][o] == 3'(level) + 3'(on_link));
            for (int unsigned n = 0; n < Depth; n++) begin
              if (n < 32'(level)) begin
                assert (entry[n].head == head_of(flit[n]));
                assert (flit[n].beat.source == 3'(i));
                assert (way_here(flit[n].x, flit[n].y) == dir_e'(o));
                assert (flit[n].beat.marked == (marked_inside && watched_q == 3'(i) &&
                                                marked_way == dir_e'(o) &&
                                                32'(ahead) == n + 32'(on_link)));
                if (flit[n].beat.marked) assert (flit[n] == marked);
              end
            end
          end
        end
      end else begin : gen_absent
        always_comb if (started_q) assert (stored_q[i][o] == '0 && ~on_link);
      end
    end
    if (Ports[i]) begin : gen_input
      typedef struct packed {  // as in crosspoint_input_state
        logic first;
        logic [NumDirs-1:0] choice;
      } state_t;
      state_t state;
      assign state = u_router.gen_input[i].gen_present.u_input.u_state.state;
      always_comb begin
        if (started_q) begin
          assert (state.first == ~arriving[i]);
          if (arriving[i]) assert (state.choice == NumDirs'(1) << way_here(x[i], y[i]));
        end
      end
    end
  end

  for (genvar o = 0; o < NumDirs; o++)
  if (Ports[o]) begin : gen_out_tie
    localparam inputs_t Inputs = inputs_of(RoutingXY, o);
    localparam int unsigned NumInputs = num_inputs_of(RoutingXY, o);
    typedef struct packed {  // as in crosspoint_output_state
      logic locked;
      logic [$clog2(MaxPacket+1)-1:0] count;
      logic [NumInputs-1:0] owner;  // numbered like the output's inputs
    } state_t;
    state_t state;
    assign state = u_router.gen_output[o].gen_present.u_output.u_state.state;
    logic [2:0] selected;
    always_comb begin
      selected = '0;
      for (int unsigned k = 0; k < NumInputs; k++) if (state.owner[k]) selected = 3'(Inputs[k]);
      if (started_q) begin
        assert (out_valid[o][NumDirs-1:1] == '0);
        if (state.locked) begin
          assert ((offered[o] ? out[o].beat.source : owner[o]) == selected);
        end
        if (offered[o]) begin
          assert ($onehot(state.owner));
          assert (out[o].beat.source == selected);
          assert (way_here(out[o].x, out[o].y) == dir_e'(o));
          assert (state.locked == ~out[o].beat.last);
          assert (out[o].beat.marked == (marked_inside && watched_q == selected &&
                                         marked_way == dir_e'(o) && ahead == '0));
          if (out[o].beat.marked) assert (out[o] == marked);
        end else begin
          assert (state.locked == out_inside[o]);
        end
      end
    end
  end

  // ---- Covers ----

  logic was_marked_q;
  always_ff @(posedge clk_i) was_marked_q <= ~rst_i & marked_inside;
  always_comb begin
    if (started_q & ~rst_i) begin
      cover (was_marked_q & ~marked_inside);
      cover (marked_inside & (ahead == 3'd3));
      cover (offered == Ports);
    end
  end

endmodule
