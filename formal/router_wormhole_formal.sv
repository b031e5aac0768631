// SPDX-License-Identifier: Apache-2.0
// router_wormhole in a mesh, in its middle or with fewer ports, under any legal traffic: no flit is
// lost, duplicated, misrouted or overtaken, messages are contiguous, the port at the next router is
// right, an offer is stable, and the front of an input waits for at most one message of each rival.
// Proved for all time, by induction.
//
// One flit, at any input and at any time, is marked; all others are not.
module router_wormhole_formal
  import noc_pkg::*;
  import legal_traffic_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // ports that exist, by dir_e
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumDirs-1:0][1:0] x_i,
    input logic [NumDirs-1:0][1:0] y_i,
    input logic [NumDirs-1:0] port_i,
    input logic [NumDirs-1:0] last_i,
    input logic [NumDirs-1:0] valid_i,
    input logic [NumDirs-1:0] out_ready_i,
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
    logic port;
  } route_t;
  typedef struct packed {
    dir_e dir;
    logic [1:0] x;
    logic [1:0] y;
    logic port;
    beat_t beat;
  } flit_t;

  flit_t [NumDirs-1:0] in, out;
  logic [NumDirs-1:0] in_ready, out_valid;
  logic used;  // a flit has been marked
  for (genvar i = 0; i < NumDirs; i++) begin : gen_in
    assign in[i] = '{
            dir: way_here(x_i[i], y_i[i]),
            x: x_i[i],
            y: y_i[i],
            port: port_i[i],
            beat: '{last: last_i[i], source: 3'(i), marked: mark_i & ~used & (watched_i == i)}
        };
  end

  logic unused_busy;
  logic [NumDirs-1:0] local_ready;
  router_wormhole #(
      .flit_t(flit_t),
      .Ports (Ports),
      .Depth (Depth)
  ) u_router (
      .clk_i,
      .rst_i,
      .x_i(8'(Here)),
      .y_i(8'(Here)),
      .in_i(in[NumDirs-1:1]),
      .in_valid_i(valid_i[NumDirs-1:1]),
      .in_ready_o(in_ready[NumDirs-1:1]),
      .out_o(out[NumDirs-1:1]),
      .out_valid_o(out_valid[NumDirs-1:1]),
      .out_ready_i(out_ready_i[NumDirs-1:1]),
      .inj_i(in[DirLocal]),
      .inj_valid_i(valid_i[DirLocal]),
      .inj_taken_o(in_ready[DirLocal]),
      .inj_ready_o(local_ready),
      .ej_o(out[DirLocal]),
      .ej_valid_o(out_valid[DirLocal]),
      .ej_ready_i(out_ready_i[DirLocal]),
      .busy_o(unused_busy)
  );

  wire [NumDirs-1:0] in_taken = valid_i & in_ready;
  wire [NumDirs-1:0] out_taken = out_valid & out_ready_i;

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
  logic [NumDirs-1:0] waiting_q, arriving;  // arriving: part of a message has arrived
  route_t [NumDirs-1:0] in_route, arriving_route;
  for (genvar i = 0; i < NumDirs; i++) begin : gen_route
    assign in_route[i] = '{x: x_i[i], y: y_i[i], port: port_i[i]};
  end
  flit_t [NumDirs-1:0] in_q;

  function automatic logic is_good(int unsigned from, flit_t flit);
    return flit.dir == way_here(flit.x, flit.y) && is_legal(Ports, from, flit.x, flit.y);
  endfunction

  function automatic route_t route_of(flit_t flit);
    return '{x: flit.x, y: flit.y, port: flit.port};
  endfunction

  function automatic logic same_flit(flit_t a, flit_t b);
    return route_of(a) == route_of(b) && a.beat == b.beat;
  endfunction

  always_ff @(posedge clk_i) begin
    in_q <= in;
    waiting_q <= rst_i ? '0 : valid_i & ~in_ready;
  end
  whole_message #(
      .mark_t(route_t),
      .Count (NumDirs),
      .Assume(1'b1)
  ) u_arriving (
      .clk_i,
      .rst_i,
      .offered_i('1),
      .taken_i(in_taken),
      .last_i,
      .mark_i(in_route),
      .inside_o(arriving),
      .mark_o(arriving_route)
  );

  always_comb begin
    assume (watched_i < NumDirs);
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (started_q & waiting_q[i]) assume (valid_i[i] & same_flit(in[i], in_q[i]));
      if (Ports[i])
        assume (is_good(i, in[i]));
        else assume (~valid_i[i]);
    end
  end

  // ---- The marked flit ----

  logic marked_inside;  // the marked flit is inside
  flit_t marked;
  logic [3:0] ahead;  // flits of its input ahead of it
  logic [NumDirs-1:0][3:0] stored_q;  // flits of each input in the router
  logic [NumDirs-1:0][NumDirs-1:0] leaves_by;  // [input][output]
  logic [NumDirs-1:0] leaves;
  always_comb begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        leaves_by[i][o] = out_taken[o] & (out[o].beat.source == 3'(i));
      end
      leaves[i] = |leaves_by[i];
    end
  end
  wire watched_leaves = leaves[watched_i];
  wire marking = in_taken[watched_i] & in[watched_i].beat.marked;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      stored_q <= '0;
    end else begin
      for (int unsigned i = 0; i < NumDirs; i++) begin
        stored_q[i] <= stored_q[i] + 4'(in_taken[i]) - 4'(leaves[i]);
      end
    end
  end

  marked_flit #(
      .flit_t(flit_t),
      .Width (4)
  ) u_marked (
      .clk_i,
      .rst_i,
      .marking_i(marking),
      .flit_i(in[watched_i]),
      // On the local input, which has no buffer, it leaves in the same cycle.
      .is_queued_i(watched_i != 3'(DirLocal)),
      .level_i(stored_q[watched_i]),
      .leave_i(watched_leaves),
      .used_o(used),
      .flit_o(marked),
      .inside_o(marked_inside),
      .ahead_o(ahead)
  );

  wire flit_t expected = marked_inside ? marked : in[watched_i];

  always_comb begin
    if (started_q & ~rst_i) begin
      assert (in_ready[DirLocal] == local_ready[in[DirLocal].dir]);
      for (int unsigned i = 0; i < NumDirs; i++) begin
        assert ($onehot0(leaves_by[i]));
        assert (32'(stored_q[i]) <= ((i == int'(DirLocal) || !Ports[i]) ? 0 : Depth));
      end
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (out_taken[o]) begin
          if (out[o].beat.marked) begin
            // It leaves in turn, at its output, unchanged.
            assert (out[o].beat.source == watched_i);
            assert (marked_inside ? ahead == '0 : marking);
            assert (expected.dir == dir_e'(o));
            assert (same_flit(out[o], expected));
          end
          if (leaves_by[watched_i][o] & marked_inside & (ahead == '0)) begin
            assert (out[o].beat.marked);
          end
        end
      end
    end
  end

  // ---- Properties of every output ----

  logic [NumDirs-1:0] out_inside, out_stalled_q;
  logic [NumDirs-1:0][2:0] owner;
  flit_t [NumDirs-1:0] out_q;
  always_ff @(posedge clk_i) begin
    out_q <= out;
    out_stalled_q <= rst_i ? '0 : out_valid & ~out_ready_i;
  end
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
      .offered_i(out_valid),
      .taken_i(out_taken),
      .last_i(out_last),
      .mark_i(out_source),
      .inside_o(out_inside),
      .mark_o(owner)
  );

  always_comb begin
    if (started_q & ~rst_i) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (out_valid[o]) begin
          assert (way_here(out[o].x, out[o].y) == dir_e'(o));
          assert (out[o].dir == way_after(o, out[o].x, out[o].y));
        end
        if (out_stalled_q[o]) begin
          // The mark of a waiting unbuffered flit may change until the flit is taken.
          assert (out_valid[o] & (out[o].beat.source == out_q[o].beat.source));
          if (out[o].beat.source != 3'(DirLocal)) assert (out[o] == out_q[o]);
        end
      end
    end
  end

  // ---- Messages of other inputs that overtake an input's front ----

  logic [NumDirs-1:0][1:0] overtaken_q;  // at each output, while the watched input waits for it
  logic [NumDirs-1:0] watched_requests, watched_waits;
  function automatic int unsigned num_turns(int unsigned output_);
    num_turns = 0;
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (is_turn(Ports, i, output_)) num_turns++;
    end
  endfunction
  for (genvar o = 0; o < NumDirs; o++) begin : gen_turn
    if (!Ports[o]) begin : gen_absent
      assign watched_requests[o] = 1'b0;
      assign watched_waits[o] = 1'b0;
      assign overtaken_q[o] = '0;
      always_comb if (started_q & ~rst_i) assert (~out_valid[o]);
    end else begin : gen_present
      localparam int unsigned NumInputs = num_turns(o);
      localparam inputs_t Inputs = inputs_of(RoutingXY, o, Ports);
      logic [NumInputs-1:0] is_watched;  // numbered like the output's inputs
      logic [1:0] turn, last_winner;
      logic locked;
      if (NumInputs > 1) begin : gen_choice
        assign locked = u_router.gen_output[o].gen_present.u_merge.gen_merge.locked_q;
        assign last_winner = 2'(u_router.gen_output[o].gen_present.u_merge.gen_merge.sel_q);
      end else begin : gen_only
        assign locked = out_inside[o] | out_stalled_q[o];
        assign last_winner = '0;
      end
      always_comb begin
        turn = '0;
        for (int unsigned k = 0; k < NumInputs; k++) begin
          is_watched[k] = 3'(Inputs[k]) == watched_i;
          if (is_watched[k]) turn = 2'(k);
        end
      end
      assign watched_requests[o] = (|is_watched) & u_router.front_valid[watched_i] &
        (u_router.front[watched_i].dir == dir_e'(o));
      assign watched_waits[o] = watched_requests[o] &
          ~(out_valid[o] & (out[o].beat.source == watched_i));

      always_ff @(posedge clk_i) begin
        if (rst_i | ~watched_waits[o]) overtaken_q[o] <= '0;
        else if (out_taken[o] & out[o].beat.last) overtaken_q[o] <= overtaken_q[o] + 1'b1;
      end
      always_comb begin
        // A flit that may leave is offered, independent of ready.
        if (started_q & ~rst_i & watched_requests[o] &
            (~out_inside[o] | (owner[o] == watched_i))) begin
          assert (out_valid[o]);
        end
        if (started_q & ~rst_i & watched_waits[o]) begin
          assert (32'(overtaken_q[o]) + 32'(out_taken[o] & out[o].beat.last) < NumInputs);
        end
        // Each message of another input brings the turn at least one step nearer.
        if (started_q & (overtaken_q[o] != '0)) begin
          assert (turn != last_winner);
          assert (watched_requests[o]);
          assert (32'(overtaken_q[o]) + (32'(turn) + NumInputs - 32'(last_winner) - 1) % NumInputs +
                32'(locked) < NumInputs);
        end
        // The lock agrees with the observed message.
        if (started_q) begin
          assert (locked == (out_inside[o] | out_stalled_q[o]));
          if (out_inside[o]) assert (3'(Inputs[last_winner]) == owner[o]);
          if (out_stalled_q[o]) assert (3'(Inputs[last_winner]) == out_q[o].beat.source);
        end
      end
    end
  end

  // ---- Contents of the buffers, so that one induction step suffices ----

  typedef struct packed {
    logic [NumDirs-1:0] request;
    logic last;
    flit_t flit;
  } entry_t;
  for (genvar i = 1; i < NumDirs; i++) begin : gen_fifo
    if (Ports[i]) begin : gen_present
      entry_t [Depth-1:0] entry;  // oldest first
      flit_t [Depth-1:0] flit;
      logic [$clog2(Depth):0] level;
      assign {level, entry} = u_router.gen_input[i].gen_buffered.u_fifo.u_state.queue;
      always_comb begin
        for (int unsigned n = 0; n < Depth; n++) flit[n] = entry[n].flit;
        if (started_q) begin
          assert (32'(stored_q[i]) == 32'(level));
          for (int unsigned n = 0; n < Depth; n++) begin
            if (n < 32'(level)) begin
              assert (entry[n].request == NumDirs'(1) << flit[n].dir);
              assert (entry[n].last == flit[n].beat.last);
              assert (flit[n].beat.source == 3'(i));
              assert (is_good(i, flit[n]));
              assert (flit[n].beat.marked ==
                    (marked_inside & (watched_i == 3'(i)) & (32'(ahead) == n)));
              if (flit[n].beat.marked) assert (flit[n] == marked);
              if (n + 1 == 32'(level)) begin  // the newest
                assert (arriving[i] == ~flit[n].beat.last);
                if (arriving[i]) assert (route_of(flit[n]) == arriving_route[i]);
              end else if (~flit[n].beat.last) begin
                assert (route_of(flit[n]) == route_of(flit[n+1]));
              end
            end
          end
          for (int unsigned o = 0; o < NumDirs; o++) begin
            if (out_inside[o] & (owner[o] == 3'(i)) & (level != '0)) begin
              assert (flit[0].dir == dir_e'(o));
            end
          end
        end
      end
    end
  end

  logic [NumDirs-1:0][NumDirs-1:0] open;  // [input][output]: part of a message has left
  always_comb begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        open[i][o] = out_inside[o] & (owner[o] == 3'(i));
      end
      if (started_q) begin
        assert ($onehot0(open[i]));
        if (stored_q[i] == '0) assert ((|open[i]) == arriving[i]);
        for (int unsigned o = 0; o < NumDirs; o++) begin
          if (open[i][o] & arriving[i] & (stored_q[i] == '0)) begin
            assert (way_here(arriving_route[i].x, arriving_route[i].y) == dir_e'(o));
          end
        end
      end
    end
    if (started_q) begin
      assert (~marked_inside | used);
      if (marked_inside) begin
        assert (watched_q != 3'(DirLocal));
        assert (ahead < stored_q[watched_q]);
        assert (marked.beat.marked);
      end
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (out_stalled_q[o] & (out_q[o].beat.source == 3'(DirLocal))) begin
          assert (waiting_q[DirLocal]);
          assert (route_of(in_q[DirLocal]) == route_of(out_q[o]));
          assert (in_q[DirLocal].beat.last == out_q[o].beat.last);
          assert (way_here(in_q[DirLocal].x, in_q[DirLocal].y) == dir_e'(o));
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
      cover (32'(stored_q[DirWest]) == Depth);
      cover (32'(overtaken_q[DirLocal]) == num_turns(int'(DirLocal)) - 1);
    end
  end

endmodule
