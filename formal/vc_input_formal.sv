// SPDX-License-Identifier: Apache-2.0
// vc_input of a mesh input, for any offers and grants of the outputs. Proved for all time, by
// induction:
//
// - a flit leaves by its channel's queue once, unchanged and in order, and requests its output;
// - a message starts in the channel offered and keeps it and its output to the last flit;
// - no queue overflows;
// - the input chooses a front that could have been sent in the last cycle, if one need not wait for
//   a message of another input, or continues the message sent then; a front that must wait is last;
// - a front that could be sent while Patience other messages of its input started is next.
//
// The upstream router sends only to a channel that was ready in the cycle before.
module vc_input_formal
  import noc_pkg::*;
#(
    parameter int unsigned Input = 4,  // dir_e, not the local one
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_i,
    input dir_e dir_i,
    input logic last_i,
    input logic tag_i,
    input logic [1:0] valid_i,
    input logic [NumDirs-1:0][1:0] room_i,
    input logic [NumDirs-1:0] free_i,
    input logic [NumDirs-1:0] open_i,
    input logic [NumDirs-1:0][1:0] start_i,
    input logic [NumDirs-1:0] kept_i,  // outputs at which a message continues
    input logic granted_i,
    input logic watched_i  // any channel, constant
);

  localparam int unsigned NumLanes = 2;
  localparam int unsigned Patience = 7;
  localparam logic [NumDirs-1:0] Legal = outputs_of(RoutingXY, Input);
  typedef logic [NumLanes-1:0] channels_t;
  typedef logic [$clog2(Depth):0] count_t;
  typedef struct packed {
    logic last;
    logic tag;
  } beat_t;
  typedef struct packed {
    dir_e  dir;
    beat_t beat;
  } flit_t;
  typedef struct packed {
    logic [NumDirs-1:0] dir;  // one-hot
    logic last;
    flit_t flit;
  } entry_t;

  flit_t in, popped;
  channels_t ready, request_channel;
  logic [NumDirs-1:0] request, unused_claim;
  logic request_continues, request_first, request_last, unused_busy;
  assign in = '{dir: dir_i, beat: '{last: last_i, tag: tag_i}};
  vc_input #(
      .flit_t(flit_t),
      .Input(Input),
      .VirtualChannels(NumLanes),
      .Depth(Depth)
  ) u_input (
      .clk_i,
      .rst_i,
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(ready),
      .room_i,
      .free_i,
      .open_i,
      .start_i,
      .kept_i,
      .request_o(request),
      .request_continues_o(request_continues),
      .request_first_o(request_first),
      .request_last_o(request_last),
      .request_channel_o(request_channel),
      .claim_o(unused_claim),
      .granted_i,
      .popped_o(popped),
      .busy_o(unused_busy)
  );

  // ---- Reference model without RAM ----

  logic started_q;
  channels_t ready_q, valid_q;
  logic watched_q;
  proof_start u_start (
      .clk_i,
      .rst_i,
      .watched_i(watched_i),
      .started_o(started_q),
      .watched_o(watched_q)
  );
  logic  popped_q;
  flit_t popped_flit_q;
  flit_t [NumLanes-1:0][Depth-1:0] queue_q, queue_d;  // entry 0 is the oldest
  count_t [NumLanes-1:0] count_q, count_d;
  logic [NumLanes-1:0] arriving;  // the last flit received did not end its message
  dir_e [NumLanes-1:0] arriving_dir;
  logic [NumLanes-1:0] leaving_q;  // the last flit sent did not end its message
  dir_e [NumLanes-1:0] leaving_dir_q;
  channels_t [NumLanes-1:0] held_q;  // the channel allocated to it
  channels_t continuing_q;  // lane whose message sent a flit in the last cycle, not its last one
  flit_t [NumLanes-1:0] oldest;
  channels_t [NumLanes-1:0] open;  // channels that the front may take now
  logic [NumLanes-1:0] can, waits;  // waits: another message continues at its output
  channels_t choice, requests;  // the lane that may request its output, that does
  // In the last cycle: fronts that could have been sent, those that waited, and urgent ones
  channels_t could_q, waited_q, urgent_q;
  logic is_next_q;  // the watched one could, and its patience was exhausted
  wire channels_t is_urgent = u_input.u_choice.urgent;
  channels_t pop;
  // Messages of the other lane that have overtaken the watched one, up to Patience
  logic [2:0] overtaken_q;
  assign choice = u_input.choice;
  assign requests = request == '0 ? '0 : choice;
  assign pop = granted_i ? requests : '0;

  always_comb begin
    queue_d = queue_q;
    count_d = count_q;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      oldest[l] = queue_q[l][0];
      open[l]   = '0;
      can[l]    = 1'b0;
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (oldest[l].dir == dir_e'(o)) begin
          open[l] = leaving_q[l] ? held_q[l] & room_i[o] : start_i[o];
          can[l]  = leaving_q[l] ? |(held_q[l] & room_i[o]) : free_i[o];
        end
      end
      if (count_q[l] == '0) can[l] = 1'b0;
      waits[l] = kept_i[oldest[l].dir];
      if (pop[l]) begin
        for (int unsigned n = 0; n + 1 < Depth; n++) queue_d[l][n] = queue_q[l][n+1];
        count_d[l] = count_q[l] - 1'b1;
      end
      if (valid_i[l]) begin
        queue_d[l][count_d[l][$clog2(Depth)-1:0]] = in;
        count_d[l] = count_d[l] + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    ready_q  <= rst_i ? '0 : ready;
    valid_q  <= valid_i;
    queue_q  <= queue_d;
    waited_q <= waits;
    urgent_q <= is_urgent;
    count_q  <= rst_i ? '0 : count_d;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      if (pop[l]) begin
        popped_flit_q <= oldest[l];
        leaving_dir_q[l] <= oldest[l].dir;
        held_q[l] <= open[l];
      end
    end
    if (rst_i) begin
      popped_q <= 1'b0;
      leaving_q <= '0;
      continuing_q <= '0;
      could_q <= '0;
      is_next_q <= 1'b0;
      overtaken_q <= '0;
    end else begin
      popped_q <= |pop;
      continuing_q <= pop & ~{oldest[1].beat.last, oldest[0].beat.last};
      could_q <= can & ~pop;
      is_next_q <= 32'(overtaken_q) == Patience && can[watched_i] && ~pop[watched_i];
      for (int unsigned l = 0; l < NumLanes; l++) begin
        if (pop[l]) leaving_q[l] <= ~oldest[l].beat.last;
      end
      if (pop[watched_i]) overtaken_q <= '0;
      else if (can[watched_i] & |(pop & ~leaving_q) & (32'(overtaken_q) != Patience)) begin
        overtaken_q <= overtaken_q + 1'b1;
      end
    end
  end

  // ---- Legal traffic: all flits of a message take the same path ----

  whole_message #(
      .mark_t(dir_e),
      .Count (NumLanes),
      .Assume(1'b1)
  ) u_arriving (
      .clk_i,
      .rst_i,
      .offered_i(valid_i),
      .taken_i(valid_i),
      .last_i({NumLanes{last_i}}),
      .mark_i({NumLanes{dir_i}}),
      .inside_o(arriving),
      .mark_o(arriving_dir)
  );
  always_comb begin
    assume ($onehot0(valid_i));
    assume (32'(dir_i) < NumDirs && Legal[dir_i]);
    if (started_q) assume ((valid_i & ~ready_q) == '0);
    for (int unsigned o = 0; o < NumDirs; o++) begin
      assume ($onehot0(start_i[o]) && (start_i[o] & ~room_i[o]) == '0);
      assume (open_i[o] == |start_i[o]);
      assume ((free_i[o] & ~|room_i[o] | open_i[o] & ~free_i[o]) == 1'b0);
    end
    if (request == '0) assume (~granted_i);
  end

  // ---- Requests and outputs ----

  always_comb begin
    if (started_q & ~rst_i) begin
      assert ($onehot0(choice));
      assert ((requests & ~can) == '0);
      if ((could_q & (urgent_q | ~waited_q)) != '0)
        assert ((choice & (could_q | continuing_q)) != '0);
      if (is_next_q) assert (choice == channels_t'(1) << watched_i);
      for (int unsigned l = 0; l < NumLanes; l++) begin
        if (valid_i[l]) assert (32'(count_q[l]) < Depth);
        // Room once signalled stays until a flit uses it.
        if (ready_q[l] & ~valid_q[l]) assert (ready[l]);
        if (choice[l]) assert (count_q[l] != '0 && requests[l] == |open[l]);
        if (requests[l]) begin
          assert (request == NumDirs'(1) << oldest[l].dir);
          assert (request_last == oldest[l].beat.last);
          assert (request_first == ~leaving_q[l]);
          if (leaving_q[l]) begin
            assert ($onehot(request_channel) && request_channel == open[l]);
            assert (oldest[l].dir == leaving_dir_q[l]);
          end
          assert (request_continues == continuing_q[l]);
        end
        if (choice[l] & could_q[l] & waited_q[l] & ~urgent_q[l]) begin
          assert ((could_q & ~waited_q) == '0);
        end
        if (continuing_q[l] && count_q[l] != '0 && (urgent_q & could_q) == '0) assert (choice[l]);
      end
      if (popped_q) assert (popped == popped_flit_q);
    end
  end

  // ---- For the induction ----

  always_comb begin
    if (started_q) begin
      if (popped_q) assert (popped == popped_flit_q);
      assert (u_input.inside_q == leaving_q);
      assert (u_input.u_choice.keep_q == continuing_q);
      assert (overtaken_q <= u_input.u_state.state.passed[watched_q]);
    end
  end

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    entry_t [Depth-1:0] entry;  // oldest first
    logic [$clog2(Depth):0] level;
    assign {level, entry} = u_input.u_state.queue[l];
    always_comb begin
      if (started_q) begin
        if (ready_q[l]) assert (32'(count_q[l]) < Depth);
        assert (level == count_q[l]);
        for (int unsigned n = 0; n < Depth; n++) begin
          if (n < 32'(count_q[l])) begin
            assert (entry[n].flit == queue_q[l][n]);
            assert (entry[n].dir == NumDirs'(1) << queue_q[l][n].dir);
            assert (entry[n].last == queue_q[l][n].beat.last);
            assert (32'(queue_q[l][n].dir) < NumDirs && Legal[queue_q[l][n].dir]);
            if (n + 1 == 32'(count_q[l])) begin  // the newest
              assert (arriving[l] == ~queue_q[l][n].beat.last);
              assert (arriving_dir[l] == queue_q[l][n].dir);
            end else if (~queue_q[l][n].beat.last) begin
              assert (queue_q[l][n].dir == queue_q[l][n+1].dir);
            end
          end
        end
        if (leaving_q[l]) begin
          assert (u_input.channel_q[l] == held_q[l]);
          if (count_q[l] != '0)
            assert (oldest[l].dir == leaving_dir_q[l]);
            else assert (arriving[l] && arriving_dir[l] == leaving_dir_q[l]);
        end else if (count_q[l] == '0) begin
          assert (~arriving[l]);
        end
      end
    end
  end

  // Cover: a full queue; a lane that is overtaken until its patience is exhausted.
  always_comb begin
    if (started_q & ~rst_i) begin
      cover (32'(count_q[0]) == Depth);
      cover (32'(overtaken_q) == Patience && pop[watched_i]);
      cover (&leaving_q && |pop);
    end
  end

endmodule
