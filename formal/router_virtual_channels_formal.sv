// SPDX-License-Identifier: Apache-2.0
// router_virtual_channels in the middle of a mesh or at its edge, with one channel or two, under
// any legal traffic: no flit is lost, duplicated, misrouted, or overtaken by one of the same input
// channel and output; the port at the next router is right; messages are contiguous in their
// channels, and at the local output altogether; no flit is sent to a channel that was not ready, no
// queue overflows, and the offer of the local output is stable.
//
// No starvation: once vc_choice has no patience left for the front of a mesh input (vc_input_formal
// counts the messages of its input; with one channel there are none), each other input starts at
// most one more message at its output, and its own input none, while it has room, from the next
// cycle on. Proved for all time, by induction.
//
// One flit, of any channel and at any time, is marked; all others are not. The legal input is in
// vc_legal_traffic, the expected output in vc_output_flits, and the content in vc_lane_content and
// vc_local_buffer.
module router_virtual_channels_formal
  import noc_pkg::*;
  import legal_traffic_pkg::*;
  import vc_flit_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // ports that exist, by dir_e
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
    input logic [2:0] watched_i,  // any input and channel, constant
    input logic watched_lane_i,
    input logic mark_i  // mark the flit taken in this cycle
);

  function automatic logic is_second(logic [NumLanes-1:0] lane);  // one-hot or zero
    return (lane >> 1) != '0;
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
                from : from,
                marked: mark_i & ~used & (from == watched),
                late: used
            }
        };
  end

  for (genvar l = 1; l < NumLanes; l++) begin : gen_no_lane  // the local port has no channels
    assign in_ready[DirLocal][l]  = 1'b0;
    assign out_valid[DirLocal][l] = 1'b0;
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
      .in_i(in[NumDirs-1:1]),
      .in_valid_i(valid_i[NumDirs-1:1]),
      .in_ready_o(in_ready[NumDirs-1:1]),
      .out_o(out[NumDirs-1:1]),
      .out_valid_o(out_valid[NumDirs-1:1]),
      .out_ready_i(out_ready_i[NumDirs-1:1]),
      .inj_i(in[DirLocal]),
      .inj_valid_i(valid_i[DirLocal][0]),
      .inj_taken_o(in_ready[DirLocal][0]),
      .inj_ready_o(),
      .ej_o(out[DirLocal]),
      .ej_valid_o(out_valid[DirLocal][0]),
      .ej_ready_i(out_ready_i[DirLocal][0]),
      .busy_o(unused_busy)
  );

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
  logic [NumDirs-1:0][NumLanes-1:0] in_ready_q, in_taken;
  logic [NumDirs-1:0][NumLanes-1:0] arriving;  // part of a message has arrived
  dir_e [NumDirs-1:0][NumLanes-1:0] arriving_dir;
  vc_legal_traffic #(
      .Ports(Ports),
      .NumLanes(NumLanes)
  ) u_traffic (
      .clk_i,
      .rst_i,
      .started_i(started_q),
      .flit_i(in),
      .valid_i,
      .ready_i(in_ready),
      .ready_q_o(in_ready_q),
      .taken_o(in_taken),
      .arriving_o(arriving),
      .arriving_dir_o(arriving_dir)
  );
  always_comb begin
    assume (32'(watched_lane_i) < NumLanes);
    assume (watched_i < NumDirs && (watched_i != 3'(DirLocal) || ~watched_lane_i));
  end

  // ---- The marked flit ----

  logic [NumDirs-1:0][NumLanes-1:0][2:0] level;  // levels of the queues
  logic [NumDirs-1:0][NumLanes-1:0] pop;
  wire watched_pop = pop[watched_i][watched_lane_i];
  logic [NumDirs-1:0] out_taken;
  always_comb begin
    for (int unsigned o = 0; o < NumDirs; o++) out_taken[o] = |out_valid[o];
    out_taken[DirLocal] = out_valid[DirLocal][0] & out_ready_i[DirLocal][0];
  end
  logic marked_inside_q;  // the marked flit is inside
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

  // ---- Properties of every output ----

  logic [NumDirs-1:0][NumLanes-1:0] out_ready_q;
  logic [NumDirs-1:0][NumLanes-1:0] out_inside;  // by channel: part of a message has left
  origin_t [NumDirs-1:0][NumLanes-1:0] owner;
  logic waits_q;
  flit_t out_q;
  vc_output_flits #(
      .NumLanes(NumLanes)
  ) u_output_flits (
      .clk_i,
      .rst_i,
      .started_i(started_q),
      .flit_i(out),
      .valid_i(out_valid),
      .ready_i(out_ready_i),
      .taken_i(out_taken),
      .watched_i(watched),
      .used_i(used),
      .marked_i(marked),
      .is_inside_i(marked_inside_q),
      .ready_q_o(out_ready_q),
      .inside_o(out_inside),
      .owner_o(owner),
      .waits_o(waits_q),
      .waiting_o(out_q)
  );

  // ---- Contents: queues, links ----

  typedef struct packed {
    logic [2:0] level;
    entry_t [Depth-1:0] entry;  // oldest first
  } queue_t;
  typedef struct packed {  // as in vc_input_state
    logic [NumLanes-1:0] pop;
    logic [NumLanes-1:0] can;
    logic [NumLanes-1:0] begun;
    logic [NumLanes-1:0] keep;
    logic [NumLanes-1:0] chosen;
    logic [NumLanes-1:0][2:0] passed;
    logic [NumLanes-1:0][NumLanes-1:0] channel;
    queue_t [NumLanes-1:0] queue;
  } input_state_t;
  input_state_t [NumDirs-1:0] state;
  logic [NumDirs-1:0][NumLanes-1:0] leaving;  // part of a message has left
  logic [NumDirs-1:0][NumLanes-1:0] continuing;  // with a flit in the last cycle
  logic [NumDirs-1:0][NumLanes-1:0][NumLanes-1:0] channel;
  logic [NumDirs-1:0] popped_lane_q;
  dir_e [NumDirs-1:0][NumLanes-1:0] leaving_dir_q;  // output of the message that is leaving
  flit_t [NumDirs-1:0][NumLanes-1:0] front;

  for (genvar i = 0; i < NumDirs; i++) begin : gen_input
    if (!Ports[i]) begin : gen_absent
      assign state[i] = '0;
    end else begin : gen_present
      assign state[i] = u_router.gen_input[i].gen_present.u_input.u_state.state;
    end
    assign pop[i] = state[i].pop;
    assign leaving[i] = state[i].begun;
    assign continuing[i] = state[i].keep;
    assign channel[i] = state[i].channel;
    for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
      assign level[i][l] = state[i].queue[l].level;
      assign front[i][l] = i == int'(DirLocal) ? in[i] : state[i].queue[l].entry[0].flit;
      if (Ports[i] && i != int'(DirLocal)) begin : gen_content
        vc_lane_content #(
            .Ports(Ports),
            .Input(i),
            .Lane (l),
            .Depth(Depth)
        ) u_content (
            .started_i(started_q),
            .ready_i(in_ready_q[i][l]),
            .level_i(level[i][l]),
            .entry_i(state[i].queue[l].entry),
            .arriving_i(arriving[i][l]),
            .arriving_dir_i(arriving_dir[i][l]),
            .leaving_i(leaving[i][l]),
            .leaving_dir_i(leaving_dir_q[i][l]),
            .watched_i(watched_q),
            .used_i(used),
            .marked_i(marked),
            .is_inside_i(in_queue),
            .ahead_i(queue_ahead)
        );
      end
      always_comb begin
        if (started_q & leaving[i][l]) assert (is_turn(Ports, i, int'(leaving_dir_q[i][l])));
      end
    end
  end
  always_comb begin
    if (started_q) begin
      assert (leaving[DirLocal] == arriving[DirLocal]);
      if (leaving[DirLocal][0]) assert (leaving_dir_q[DirLocal][0] == arriving_dir[DirLocal][0]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumDirs; i++) begin
      if (|pop[i]) popped_lane_q[i] <= is_second(pop[i]);
      for (int unsigned l = 0; l < NumLanes; l++) begin
        if (pop[i][l]) leaving_dir_q[i][l] <= front[i][l].dir;
      end
    end
  end

  wire [NumDirs-1:0][NumLanes-1:0] sent = u_router.sent;
  flit_t [NumDirs-1:0] link;
  logic [NumDirs-1:0][NumLanes-1:0] closed;
  logic [NumDirs-1:0][NumDirs-1:0][NumDirs-1:0] precedes;  // [output][input][input]
  // Like out_inside, but before the buffer of the local output
  logic [NumDirs-1:0][NumLanes-1:0] seen;
  origin_t [NumDirs-1:0][NumLanes-1:0] seen_owner;
  for (genvar o = 0; o < NumDirs; o++) begin : gen_output
    if (!Ports[o]) begin : gen_absent
      assign link[o] = '0;
      assign closed[o] = '1;
      assign precedes[o] = '0;
      assign seen[o] = '0;
      assign seen_owner[o] = '0;
      always_comb if (started_q) assert (out_valid[o] == '0);
    end else begin : gen_present
      assign closed[o] = u_router.gen_output[o].gen_present.u_output.closed_q;
      vc_link #(
          .Ports(Ports),
          .Output(o),
          .NumLanes(NumLanes)
      ) u_link (
          .clk_i,
          .rst_i,
          .started_i(started_q),
          .state_i(u_router.gen_output[o].gen_present.u_output.u_state.state),
          .sent_i(sent[o]),
          .popped_i(u_router.popped),
          .popped_lane_i(popped_lane_q),
          .ready_q_i(out_ready_q[o]),
          .leaving_i(leaving),
          .leaving_dir_i(leaving_dir_q),
          .continuing_i(continuing),
          .kept_i(u_router.kept[o]),
          .channel_i(channel),
          .out_inside_i(out_inside[o]),
          .out_owner_i(owner[o]),
          .flit_o(link[o]),
          .inside_o(seen[o]),
          .owner_o(seen_owner[o]),
          .precedes_o(precedes[o])
      );
    end
  end

  // ---- Position of the marked flit, and number of flits ahead of it ----

  logic on_link_q, in_fifo;
  wire gone = used & ~marked_inside_q;
  logic [2:0] fifo_level;
  local_entry_t [LocalDepth-1:0] fifo_entry;
  assign {fifo_level, fifo_entry} =
      u_router.gen_output[0].gen_present.gen_local.u_fifo.u_state.queue;
  vc_local_buffer #(
      .Ports(Ports)
  ) u_local (
      .clk_i,
      .rst_i,
      .started_i(started_q),
      .level_i(fifo_level),
      .entry_i(fifo_entry),
      .leave_i(out_taken[DirLocal]),
      .in_inside_i(seen[DirLocal][0]),
      .in_owner_i(seen_owner[DirLocal][0]),
      .out_inside_i(out_inside[DirLocal][0]),
      .out_owner_i(owner[DirLocal][0]),
      .marked_enters_i(on_link_q & (marked.dir == DirLocal)),
      .watched_i(watched_q),
      .marked_i(marked),
      .gone_i(gone),
      .is_inside_o(in_fifo)
  );
  always_ff @(posedge clk_i) begin
    on_link_q <= ~rst_i & (marking ? watched_i == 3'(DirLocal) :
                           in_queue & watched_pop & (queue_ahead == '0));
  end

  always_comb begin
    if (started_q) begin
      if (waits_q) assert (fifo_level != '0 && out[DirLocal] == out_q);
      // Until it leaves it is in exactly one position: it is not lost.
      assert ($onehot0({in_queue, on_link_q, in_fifo}));
      assert (marked_inside_q == (in_queue | on_link_q | in_fifo));
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (|sent[o]) begin
          assert (link[o].beat.marked == (on_link_q && link[o].beat.from == watched_q));
          if (link[o].beat.marked)
            assert (link[o] == marked);
            else if (link[o].beat.from == watched_q) begin
              assert (link[o].beat.late == (gone | in_fifo));
            end
        end
        if (on_link_q && marked.dir == dir_e'(o)) begin
          assert (|sent[o] && link[o].beat.marked);
        end
      end
      if (marked_inside_q) assert (used);
      if (used) begin
        assert (marked.beat.marked && ~marked.beat.late);
        assert (marked.beat.from == watched_q);
        assert (is_good(Ports, int'(watched_q.source), marked));
      end
      if (in_queue) assert (queue_ahead < level[watched_q.source][watched_q.lane]);
    end
  end

  // ---- Messages that overtake a front after its patience has run out ----

  localparam logic [2:0] Patience = 3'd7;
  input_state_t watched_state;
  assign watched_state = state[watched_i];
  dir_e watched_way;
  assign watched_way = front[watched_i][watched_lane_i].dir;
  wire  patient = NumLanes > 1 && watched_state.passed[watched_lane_i] != Patience;
  wire  is_mesh = watched_i != 3'(DirLocal) && Ports[watched_i];
  wire  has_room = watched_state.can[watched_lane_i] | ~watched_state.begun[watched_lane_i];
  wire  is_urgent = is_mesh & ~patient & (level[watched_i][watched_lane_i] != '0);
  // Its input chooses, and its output opens channels, by the state of the last cycle.
  logic was_urgent_q;
  always_ff @(posedge clk_i) was_urgent_q <= ~rst_i & is_urgent & has_room & ~watched_pop;
  always_comb begin
    if (started_q & was_urgent_q) begin
      assert (is_urgent);
      assert (watched_state.chosen[watched_lane_i] || closed[watched_way] == '1);
    end
  end
  wire is_next = NumLanes > 1 ? was_urgent_q : is_urgent;
  patient_front u_patient (
      .clk_i,
      .rst_i,
      .started_i(started_q),
      .watched_i,
      .is_next_i(is_next),
      .waits_i(is_next & has_room & ~watched_pop),
      .starts_i(u_router.granted[watched_way] & u_router.in_first),
      .precedes_i(precedes[watched_way])
  );

  // ---- Covers ----

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
      cover (32'(fifo_level) == 2);
      cover (32'(level[DirWest][0]) == Depth);
    end
  end

endmodule
