// router_virtual_channels in the middle of a mesh or at its edge, with one channel or
// two, under any legal traffic: no flit is lost, doubled, misled, or overtaken by one
// that came by the same channel and leaves by the same output; the port at the
// next router is right; a message is not mixed with others in its channel, at the
// local output not at all; no flit is sent to a channel that was not ready, no
// queue overflows, and what the local output offers stays. Nobody starves: when as
// many messages of its input as vc_choice has patience for have gone before (those are
// counted by vc_input_formal; with one channel there are none), the front of a mesh
// input lets each other input start one message more at its output, and its own none,
// while it has room to go. Proved for all time, by induction.
//
// One flit, of any channel and at any time, is marked; all the others are not.
// Each tells the channel that it came by, and whether it came after the marked one.
module router_virtual_channels_formal
  import noc_pkg::*;
  import legal_traffic_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // which ports exist, by dir_e
    parameter int unsigned NumLanes = 2,  // virtual channels, up to 2
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumDirs-1:0][1:0] x_i,
    input logic [NumDirs-1:0][1:0] y_i,
    input logic [NumDirs-1:0] last_i,
    input logic [NumDirs-1:0][NumLanes-1:0] valid_i,
    input logic [NumDirs-1:0][NumLanes-1:0] out_ready_i,
    input logic [2:0] watched_i,  // any input and channel, always the same
    input logic watched_lane_i,
    input logic mark_i  // mark the flit that it takes now
);

  localparam int unsigned LocalDepth = 4;  // of the buffer at the local output

  typedef struct packed {
    logic lane;
    logic [2:0] source;
  } origin_t;
  typedef struct packed {
    logic last;
    origin_t from;  // the input and the channel that the flit came by
    logic marked;
    logic late;  // it came after the marked one
  } beat_t;
  typedef struct packed {
    dir_e dir;
    logic [1:0] x;
    logic [1:0] y;
    beat_t beat;
  } flit_t;

  function automatic logic is_good(int unsigned from, flit_t flit);
    return flit.dir == way_here(flit.x, flit.y) && is_legal(Ports, from, flit.x, flit.y);
  endfunction

  function automatic logic is_second(logic [NumLanes-1:0] lane);  // one-hot or zero
    return (lane >> 1) != '0;
  endfunction

  function automatic logic same_flit(flit_t a, flit_t b);  // the direction changes
    return a.x == b.x && a.y == b.y && a.beat == b.beat;
  endfunction

  origin_t watched;
  assign watched = '{lane: watched_lane_i, source: watched_i};
  flit_t [NumDirs-1:0] in, out;
  logic [NumDirs-1:0][NumLanes-1:0] in_ready, out_valid;
  logic used;  // a flit has been marked
  for (genvar i = 0; i < NumDirs; i++) begin : gen_in
    origin_t from;
    assign from = '{lane: is_second(valid_i[i]), source: 3'(i)};
    assign in[i] = '{
            dir: way_here(x_i[i], y_i[i]),
            x: x_i[i],
            y: y_i[i],
            beat: '{
                last: last_i[i],
                from: from,
                marked: mark_i & ~used & (from == watched),
                late: used
            }
        };
  end

  logic unused_busy;
  router_virtual_channels #(
      .flit_t(flit_t),
      .Ports(Ports),
      .VirtualChannels(NumLanes),
      .Depth(Depth)
  ) u_router (
      .clk_i,
      .rst_i,
      .x_i(8'(Here)),
      .y_i(8'(Here)),
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .busy_o(unused_busy)
  );

  logic [NumDirs-1:0][NumLanes-1:0] in_taken;
  logic [NumDirs-1:0] out_taken, leaves;  // leaves: a flit of the watched channel
  always_comb begin
    for (int unsigned d = 0; d < NumDirs; d++) begin
      in_taken[d]  = d == int'(DirLocal) ? valid_i[d] & in_ready[d] : valid_i[d];
      out_taken[d] = d == int'(DirLocal) ? out_valid[d][0] & out_ready_i[d][0] : |out_valid[d];
      leaves[d] = out_taken[d] & (out[d].beat.from == watched);
    end
  end

  // ---- Legal traffic ----

  logic started_q;
  origin_t watched_q;
  proof_start #(
      .Width($bits(origin_t))
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i(watched),
      .started_o(started_q),
      .watched_o(watched_q)
  );
  logic [NumDirs-1:0][NumLanes-1:0] in_ready_q, out_ready_q;
  logic [NumDirs-1:0][NumLanes-1:0] arriving;  // a message has come in in part
  dir_e [NumDirs-1:0][NumLanes-1:0] arriving_dir;
  always_ff @(posedge clk_i) begin
    in_ready_q <= rst_i ? '0 : in_ready;
    out_ready_q <= out_ready_i;
  end
  logic [NumDirs-1:0][NumLanes-1:0] in_last;
  dir_e [NumDirs-1:0][NumLanes-1:0] in_dir;
  for (genvar i = 0; i < NumDirs; i++) begin : gen_arriving
    assign in_last[i] = {NumLanes{last_i[i]}};
    assign in_dir[i]  = {NumLanes{in[i].dir}};
  end
  whole_message #(
      .mark_t(dir_e),
      .Count (NumLanes * NumDirs),
      .Assume(1'b1)
  ) u_arriving (
      .clk_i,
      .rst_i,
      .offered_i(valid_i),
      .taken_i(in_taken),
      .last_i(in_last),
      .mark_i(in_dir),
      .inside_o(arriving),
      .mark_o(arriving_dir)
  );

  always_comb begin
    assume (32'(watched_lane_i) < NumLanes);
    assume (watched_i < NumDirs && (watched_i != 3'(DirLocal) || ~watched_lane_i));
    assume ((valid_i[DirLocal] >> 1) == '0);
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (Ports[i])
        assume (is_good(i, in[i]));
        else assume (valid_i[i] == '0);
      assume ($onehot0(valid_i[i]));
      if (started_q && i != int'(DirLocal)) assume ((valid_i[i] & ~in_ready_q[i]) == '0);
    end
  end

  // ---- The marked flit ----

  logic [NumDirs-1:0][NumLanes-1:0][2:0] level;  // of the queues
  logic [NumDirs-1:0][NumLanes-1:0] pop;
  wire watched_pop = pop[watched_i][watched_lane_i];
  logic marked_inside_q;  // it has gone in and not come out
  flit_t marked;
  wire marking = in_taken[watched_i][watched_lane_i] & in[watched_i].beat.marked;
  logic in_queue;
  logic [2:0] queue_ahead;
  marked_flit #(
      .flit_t(flit_t)
  ) u_marked (
      .clk_i,
      .rst_i,
      .marking_i(marking),
      .flit_i(in[watched_i]),
      .is_queued_i(watched_i != 3'(DirLocal)),
      .level_i(level[watched_i][watched_lane_i]),
      .leave_i(watched_pop),
      .used_o(used),
      .flit_o(marked),
      .inside_o(in_queue),
      .ahead_o(queue_ahead)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) marked_inside_q <= 1'b0;
    else if (marking) marked_inside_q <= 1'b1;
    else if (out_taken[marked.dir] & out[marked.dir].beat.marked) marked_inside_q <= 1'b0;
  end

  always_comb begin
    if (started_q & ~rst_i) begin
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (out_taken[o]) begin
          assert (way_here(out[o].x, out[o].y) == dir_e'(o));
          assert (out[o].dir == way_after(o, out[o].x, out[o].y));
          if (out[o].beat.marked) begin
            // It comes out once, where it wanted to, unchanged.
            assert (marked_inside_q && marked.dir == dir_e'(o));
            assert (same_flit(out[o], marked));
          end
        end
      end
      // Before it those that came before it, after it the others.
      if (used & leaves[marked.dir]) begin
        if (out[marked.dir].beat.late) assert (~marked_inside_q);
        else assert (marked_inside_q);
      end
    end
  end

  // ---- Every output ----

  logic [NumDirs-1:0][NumLanes-1:0] out_inside;  // by channel: a message has left in part
  origin_t [NumDirs-1:0][NumLanes-1:0] owner;
  logic waits_q;
  flit_t out_q;
  always_ff @(posedge clk_i) begin
    waits_q <= ~rst_i & out_valid[DirLocal][0] & ~out_taken[DirLocal];
    out_q   <= out[DirLocal];
  end
  logic [NumDirs-1:0][NumLanes-1:0] out_moves, out_last;
  origin_t [NumDirs-1:0][NumLanes-1:0] out_from;
  for (genvar o = 0; o < NumDirs; o++) begin : gen_leaving
    assign out_moves[o] = out_taken[o] ? out_valid[o] : '0;
    assign out_last[o]  = {NumLanes{out[o].beat.last}};
    assign out_from[o]  = {NumLanes{out[o].beat.from}};
  end
  whole_message #(
      .mark_t(origin_t),
      .Count (NumLanes * NumDirs)
  ) u_leaving (
      .clk_i,
      .rst_i,
      .offered_i(out_valid),
      .taken_i(out_moves),
      .last_i(out_last),
      .mark_i(out_from),
      .inside_o(out_inside),
      .mark_o(owner)
  );
  always_comb begin
    if (started_q & ~rst_i) begin
      assert ((out_valid[DirLocal] >> 1) == '0);
      if (waits_q) assert (out_valid[DirLocal][0] && out[DirLocal] == out_q);
      for (int unsigned o = 0; o < NumDirs; o++) begin
        assert ($onehot0(out_valid[o]));
        if (o != int'(DirLocal)) assert ((out_valid[o] & ~out_ready_q[o]) == '0);
      end
    end
  end

  // ---- What lies inside: queues, links, the buffer at the local output ----

  typedef logic [$clog2(Depth)-1:0] addr_t;
  typedef logic [$clog2(LocalDepth)-1:0] local_addr_t;
  flit_t [NumDirs-1:0][NumLanes-1:0][Depth-1:0] queued;  // the oldest first
  logic [NumDirs-1:0][NumLanes-1:0] leaving;
  logic [NumDirs-1:0][NumLanes-1:0][NumLanes-1:0] channel;
  logic [NumDirs-1:0] popped_lane_q;
  dir_e [NumDirs-1:0][NumLanes-1:0] leaving_dir_q;  // where the message that leaves goes
  flit_t [NumDirs-1:0][NumLanes-1:0] front;

  logic [NumDirs-1:0][NumLanes-1:0] sent, held;  // [output]
  flit_t [NumDirs-1:0] link;
  logic [NumDirs-1:0][NumLanes-1:0] seen;  // as out_inside, before the buffer of the local output
  origin_t [NumDirs-1:0][NumLanes-1:0] seen_owner;

  logic [2:0] fifo_level_q;
  local_addr_t [LocalDepth:0] fifo_place;
  flit_t [LocalDepth-1:0] fifo;

  for (genvar i = 0; i < NumDirs; i++) begin : gen_input
    if (!Ports[i]) begin : gen_absent
      assign pop[i] = '0;
      assign leaving[i] = '0;
      assign channel[i] = '0;
      assign level[i] = '0;
      assign queued[i] = '0;
      assign front[i] = '0;
    end else begin : gen_present
    assign pop[i] = NumLanes'(u_router.gen_input[i].gen_present.u_input.pop);
    assign leaving[i] = NumLanes'(u_router.gen_input[i].gen_present.u_input.inside_q);
    if (i == int'(DirLocal)) begin : gen_local
      assign channel[i] = (NumLanes * NumLanes)'(u_router.gen_input[i].gen_present.u_input.channel_q);
      assign level[i] = '0;
      assign queued[i] = '0;
      assign front[i] = {NumLanes{in[i]}};
      always_comb begin
        if (started_q) begin
          assert (leaving[i] == arriving[i]);
          if (leaving[i][0]) assert (leaving_dir_q[i][0] == arriving_dir[i][0]);
        end
      end
    end else begin : gen_mesh
      assign channel[i] = u_router.gen_input[i].gen_present.u_input.channel_q;
      arbiter_order #(
          .NumInputs(NumLanes)
      ) u_order (
          .started_i(started_q),
          .before_i (u_router.gen_input[i].gen_present.u_input.u_choice.u_arbiter.before_q)
      );
      for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
        addr_t [Depth:0] place;
        lane_state #(
            .Depth(Depth)
        ) u_state (
            .started_i(started_q),
            .count_i(level[i][l]),
            .level_i(u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.level_q),
            .valid_i(u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.valid_q),
            .read_i(u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.read_q),
            .next_i(u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.next_q),
            .write_i(u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.write_q),
            .place_o(place)
        );
        always_comb begin
          for (int unsigned n = 0; n < Depth; n++) begin
            queued[i][l][n] =
                u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_distributed.ram[
                l*Depth+32'(place[n])];
          end
        end
        assign level[i][l] =
            u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.level_q;
        assign front[i][l] = queued[i][l][0];
        always_comb begin
          if (started_q) begin
            if (in_ready_q[i][l]) assert (32'(level[i][l]) < Depth);
            if (level[i][l] != '0) begin
              assert (u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.head_q ==
                      {front[i][l].dir, front[i][l].beat.last});
            end else begin
              assert (leaving[i][l] == arriving[i][l]);
            end
            if (leaving[i][l]) begin
              assert (leaving_dir_q[i][l] ==
                      (level[i][l] != '0 ? front[i][l].dir : arriving_dir[i][l]));
            end
            for (int unsigned n = 0; n < Depth; n++) begin
              if (n < 32'(level[i][l])) begin
                assert (u_router.gen_input[i].gen_present.u_input.gen_queued.u_queue.gen_lane[l].u_lane.heads[place[n]]
                        == {queued[i][l][n].dir, queued[i][l][n].beat.last});
                assert (queued[i][l][n].beat.from == {1'(l), 3'(i)});
                assert (is_good(i, queued[i][l][n]));
                if (n + 1 == 32'(level[i][l])) begin  // the newest
                  assert (arriving[i][l] == ~queued[i][l][n].beat.last);
                  assert (arriving_dir[i][l] == queued[i][l][n].dir);
                end else if (~queued[i][l][n].beat.last) begin
                  assert (queued[i][l][n].dir == queued[i][l][n+1].dir);
                end
              end
            end
          end
        end
      end
    end
    end
  end

  for (genvar o = 0; o < NumDirs; o++) begin : gen_output
    if (!Ports[o]) begin : gen_absent
      assign sent[o] = '0;
      assign held[o] = '0;
      assign link[o] = '0;
      always_comb if (started_q) assert (out_valid[o] == '0);
    end else begin : gen_present
    localparam inputs_t Inputs = inputs_of(RoutingXY, o);
    localparam int unsigned NumInputs = num_inputs_of(RoutingXY, o);
    logic [2:0] source;
    assign sent[o] = u_router.gen_output[o].gen_present.u_output.sent_o;
    assign held[o] = u_router.gen_output[o].gen_present.u_output.held_q;
    assign source  = 3'(Inputs[u_router.gen_output[o].gen_present.u_output.select_o]);
    assign link[o] = u_router.popped[source];
    always_comb begin
      if (started_q) begin
        assert ($onehot0(sent[o]));
        if (o == int'(DirLocal)) assert (((sent[o] | held[o]) >> 1) == '0);
        else assert ((sent[o] & ~out_ready_q[o]) == '0);
        if (|sent[o]) begin
          assert (link[o].beat.from == {popped_lane_q[source], source});
          assert (link[o].dir == dir_e'(o) && is_good(int'(source), link[o]));
        end
      end
    end
    arbiter_order #(
        .NumInputs(NumInputs)
    ) u_order (
        .started_i(started_q),
        .before_i (u_router.gen_output[o].gen_present.u_output.u_arbiter.before_q)
    );

    // A channel is held by the one message that has started in it and not ended.
    for (genvar c = 0; c < NumLanes; c++) begin : gen_channel
      logic [NumDirs-1:0][NumLanes-1:0] holder;
      whole_message #(
          .mark_t(origin_t)
      ) u_message (
          .clk_i,
          .rst_i,
          .offered_i(sent[o][c]),
          .taken_i(sent[o][c]),
          .last_i(link[o].beat.last),
          .mark_i(link[o].beat.from),
          .inside_o(seen[o][c]),
          .mark_o(seen_owner[o][c])
      );
      always_comb begin
        for (int unsigned i = 0; i < NumDirs; i++) begin
          for (int unsigned l = 0; l < NumLanes; l++) begin
            holder[i][l] = leaving[i][l] & (leaving_dir_q[i][l] == dir_e'(o)) & channel[i][l][c];
          end
        end
        if (started_q) begin
          assert ($onehot0(holder));
          assert (held[o][c] == |holder);
          assert (held[o][c] == (sent[o][c] ? ~link[o].beat.last : seen[o][c]));
          if (o != int'(DirLocal)) begin
            assert (seen[o][c] == out_inside[o][c]);
            if (seen[o][c]) assert (seen_owner[o][c] == owner[o][c]);
          end
          for (int unsigned i = 0; i < NumDirs; i++) begin
            for (int unsigned l = 0; l < NumLanes; l++) begin
              if (holder[i][l]) begin
                assert ((sent[o][c] ? link[o].beat.from : seen_owner[o][c]) == {1'(l), 3'(i)});
              end
            end
          end
        end
      end
    end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (|pop[i]) popped_lane_q[i] <= is_second(pop[i]);
      for (int unsigned l = 0; l < NumLanes; l++) if (pop[i][l]) leaving_dir_q[i][l] <= front[i][l].dir;
    end
    if (rst_i) fifo_level_q <= '0;
    else fifo_level_q <= fifo_level_q + 3'(sent[DirLocal][0]) - 3'(out_taken[DirLocal]);
  end

  always_comb begin
    if (started_q) begin
      for (int unsigned i = 0; i < NumDirs; i++) begin
        for (int unsigned l = 0; l < NumLanes; l++) begin
          if (leaving[i][l]) begin
            assert ($onehot(channel[i][l]) && is_turn(Ports, i, int'(leaving_dir_q[i][l])));
          end
        end
      end
    end
  end

  always_comb begin
    fifo_place[0] = u_router.gen_output[0].gen_present.gen_local.u_fifo.read_q;
    for (int unsigned n = 1; n <= LocalDepth; n++) begin
      fifo_place[n] = u_router.gen_output[0].gen_present.gen_local.u_fifo.next_addr(fifo_place[n-1]);
    end
    for (int unsigned n = 0; n < LocalDepth; n++) begin
      fifo[n] = u_router.gen_output[0].gen_present.gen_local.u_fifo.body_ram[fifo_place[n]];
    end
    if (started_q) begin
      assert (32'(fifo_level_q) + 32'(sent[DirLocal][0]) +
              32'(u_router.gen_output[0].gen_present.gen_local.credits_q) == LocalDepth);
      assert (u_router.gen_output[0].gen_present.gen_local.u_fifo.read_next_q == fifo_place[1]);
      assert (u_router.gen_output[0].gen_present.gen_local.u_fifo.valid_q == (fifo_level_q != '0));
      assert (u_router.gen_output[0].gen_present.gen_local.u_fifo.ready_q ==
              (32'(fifo_level_q) != LocalDepth));
      if (fifo_level_q != '0) begin
        assert (u_router.gen_output[0].gen_present.gen_local.u_fifo.head_q == fifo[0].beat.last);
        if (out_inside[DirLocal][0]) assert (fifo[0].beat.from == owner[DirLocal][0]);
      end else begin
        assert (seen[DirLocal][0] == out_inside[DirLocal][0]);
        if (seen[DirLocal][0]) assert (seen_owner[DirLocal][0] == owner[DirLocal][0]);
      end
      if (waits_q) assert (fifo_level_q != '0 && out[DirLocal] == out_q);
      for (int unsigned n = 0; n <= LocalDepth; n++) begin
        if (32'(fifo_level_q) == n) begin
          assert (u_router.gen_output[0].gen_present.gen_local.u_fifo.write_q == fifo_place[n]);
        end
      end
      for (int unsigned n = 0; n < LocalDepth; n++) begin
        if (n < 32'(fifo_level_q)) begin
          assert (u_router.gen_output[0].gen_present.gen_local.u_fifo.head_ram[fifo_place[n]] ==
                  fifo[n].beat.last);
          assert (is_good(int'(fifo[n].beat.from.source), fifo[n]));
          assert (fifo[n].dir == DirLocal);
          if (n + 1 == 32'(fifo_level_q)) begin  // the newest
            assert (seen[DirLocal][0] == ~fifo[n].beat.last);
            assert (seen_owner[DirLocal][0] == fifo[n].beat.from);
          end else if (~fifo[n].beat.last) begin
            assert (fifo[n+1].beat.from == fifo[n].beat.from);
          end
        end
      end
    end
  end

  // ---- Where the marked flit lies, and how many are before it there ----

  logic on_link_q, in_fifo;
  logic [2:0] fifo_ahead;
  queue_position u_fifo_position (
      .clk_i,
      .rst_i,
      .enter_i(on_link_q & (marked.dir == DirLocal)),
      .level_i(fifo_level_q),
      .leave_i(out_taken[DirLocal]),
      .inside_o(in_fifo),
      .ahead_o(fifo_ahead)
  );
  always_ff @(posedge clk_i) begin
    on_link_q <= ~rst_i & (marking ? watched_i == 3'(DirLocal) :
                           in_queue & watched_pop & (queue_ahead == '0));
  end

  wire gone = used & ~marked_inside_q;
  always_comb begin
    if (started_q) begin
      // Until it comes out it lies in one place: it is not lost.
      assert ($onehot0({in_queue, on_link_q, in_fifo}));
      assert (marked_inside_q == (in_queue | on_link_q | in_fifo));
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (|sent[o]) begin
          assert (link[o].beat.marked == (on_link_q && link[o].beat.from == watched_q));
          if (link[o].beat.marked) assert (link[o] == marked);
          else if (link[o].beat.from == watched_q) begin
            assert (link[o].beat.late == (gone | in_fifo));
          end
        end
        if (on_link_q && marked.dir == dir_e'(o)) begin
          assert (|sent[o] && link[o].beat.marked);
        end
      end
      for (int unsigned n = 0; n < LocalDepth; n++) begin
        if (n < 32'(fifo_level_q)) begin
          assert (fifo[n].beat.marked == (in_fifo && 32'(fifo_ahead) == n));
          if (fifo[n].beat.marked) assert (fifo[n] == marked);
          if (fifo[n].beat.from == watched_q) begin
            if (in_fifo) assert (fifo[n].beat.late == (n > 32'(fifo_ahead)));
            else if (~gone) assert (~fifo[n].beat.late);
            else if (marked.dir == DirLocal) assert (fifo[n].beat.late);
          end
        end
      end
      for (int unsigned i = 0; i < NumDirs; i++) begin
        for (int unsigned l = 0; l < NumLanes; l++) begin
          for (int unsigned n = 0; n < Depth; n++) begin
            if (n < 32'(level[i][l])) begin
              assert (queued[i][l][n].beat.marked ==
                      (in_queue && watched_q == {1'(l), 3'(i)} && 32'(queue_ahead) == n));
              if (queued[i][l][n].beat.marked) assert (queued[i][l][n] == marked);
              if (watched_q == {1'(l), 3'(i)}) begin
                assert (queued[i][l][n].beat.late ==
                        (used && ~(in_queue && n <= 32'(queue_ahead))));
              end
            end
          end
        end
      end
      if (marked_inside_q) begin
        assert (used && marked.beat.marked && ~marked.beat.late);
        assert (marked.beat.from == watched_q);
        assert (is_good(int'(watched_q.source), marked));
      end
      if (in_queue) assert (queue_ahead < level[watched_q.source][watched_q.lane]);
      if (in_fifo) assert (marked.dir == DirLocal && fifo_ahead < fifo_level_q);
    end
  end

  // ---- How many messages of others a front lets by whose patience is at an end ----

  localparam logic [2:0] Patience = 3'd7;
  logic [NumDirs-1:0][NumLanes-1:0] patient, can;  // [input][channel], of mesh inputs
  logic [NumDirs-1:0][NumDirs-1:0][NumDirs-1:0] goes_before;  // [output][input][input]
  for (genvar i = 0; i < NumDirs; i++) begin : gen_patience
    if (Ports[i]) begin : gen_keep
      wire [NumLanes-1:0] keep = NumLanes'(u_router.gen_input[i].gen_present.u_input.u_choice.keep_q);
      always_comb if (started_q) assert ((keep & ~leaving[i]) == '0);
    end
    if (i == int'(DirLocal) || !Ports[i]) begin : gen_none
      assign patient[i] = '1;
      assign can[i] = '0;
    end else begin : gen_mesh
      logic [NumLanes-1:0][2:0] passed;
      logic [NumLanes-1:0] is_passed;
      assign passed = u_router.gen_input[i].gen_present.u_input.u_choice.passed_q;
      assign can[i] = u_router.gen_input[i].gen_present.u_input.can;
      always_comb begin
        for (int unsigned l = 0; l < NumLanes; l++) begin
          is_passed[l]  = passed[l] != '0;
          patient[i][l] = NumLanes > 1 && passed[l] != Patience;
        end
      end
      // Who starts is passed by nobody since, so only one can be.
      always_comb if (started_q) assert ($onehot0(is_passed));
    end
  end
  for (genvar o = 0; o < NumDirs; o++) begin : gen_before
    for (genvar a = 0; a < num_inputs_of(RoutingXY, o); a++) begin : gen_row
      for (genvar b = 0; b < num_inputs_of(RoutingXY, o); b++) begin : gen_pair
        localparam inputs_t Inputs = inputs_of(RoutingXY, o);
        if (Ports[o]) begin : gen_present
          assign goes_before[o][Inputs[a]][Inputs[b]] =
              u_router.gen_output[o].gen_present.u_output.u_arbiter.before_q[a][b];
        end else begin : gen_absent
          assign goes_before[o][Inputs[a]][Inputs[b]] = 1'b0;
        end
      end
    end
  end

  logic [NumDirs-1:0][1:0] overtaken_q;  // messages of each input
  logic [NumDirs-1:0] starts;  // at the output that the watched front goes to
  dir_e watched_way;
  assign watched_way = front[watched_i][watched_lane_i].dir;
  wire has_room = can[watched_i][watched_lane_i] | ~leaving[watched_i][watched_lane_i];
  wire is_next = ~patient[watched_i][watched_lane_i] & (level[watched_i][watched_lane_i] != '0);
  assign starts = is_next & has_room & ~watched_pop ?
      u_router.granted[watched_way] & u_router.want_first : '0;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (rst_i | ~is_next | ~has_room | watched_pop) overtaken_q[i] <= '0;
      else overtaken_q[i] <= overtaken_q[i] + 2'(starts[i]);
    end
  end
  always_comb begin
    if (started_q) begin
      if (~rst_i) assert (~starts[watched_i]);
      for (int unsigned i = 0; i < NumDirs; i++) begin
        assert (overtaken_q[i] <= 2'd1);
        if (overtaken_q[i] != '0) begin
          assert (is_next && i != 32'(watched_i));
          assert (goes_before[watched_way][watched_i][i]);
        end
      end
    end
  end

  // ---- It can happen at all ----

  logic was_marked_q;
  always_ff @(posedge clk_i) was_marked_q <= ~rst_i & marked_inside_q;
  logic [NumDirs-1:0] sending;
  always_comb begin
    for (int unsigned o = 0; o < NumDirs; o++) sending[o] = ~Ports[o] | (|out_valid[o]);
  end
  always_comb begin
    if (started_q & ~rst_i) begin
      cover (was_marked_q & ~marked_inside_q & (watched_i != 3'(DirLocal)));
      cover (in_queue & (queue_ahead == 3'd3));
      cover (&out_inside[DirEast] & |out_valid[DirEast]);
      cover (&sending);
      cover (32'(fifo_level_q) == 2);
      cover (32'(level[DirWest][0]) == Depth);
    end
  end

endmodule
