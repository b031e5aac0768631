// SPDX-License-Identifier: Apache-2.0
// Input of the virtual-channel router: the queues of its channels, the output channel that the
// message at the front of each has allocated, and the front flit that may request its output in
// this cycle (vc_choice).
//
// A front can be sent when its message holds a channel with room at the next router, or can start
// in a free one. The front chosen in the cycle before requests its output if it still can be sent.
//
// Latency: 1 cycle from a link to the front, none from the local input; 1 cycle from the grant to
// popped_o. Throughput: one flit per cycle.
`include "bombus_assert.svh"

module vc_input
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter int unsigned Input = 0,  // dir_e
    parameter int unsigned VirtualChannels = 2,
    parameter int unsigned Depth = 8,  // flits per virtual channel
    localparam type channels_t = logic [VirtualChannels-1:0]
) (
    input logic clk_i,
    input logic rst_i,

    input flit_t in_i,
    input channels_t in_valid_i,
    output channels_t in_ready_o,

    input channels_t [NumDirs-1:0] room_i,  // by output: channels with room
    input logic [NumDirs-1:0] free_i,  // outputs with a channel with room that is not allocated
    input logic [NumDirs-1:0] open_i,  // outputs at which a message may start
    input channels_t [NumDirs-1:0] start_i,  // by output: in this channel
    input logic [NumDirs-1:0] kept_i,  // outputs with a message that continues

    output logic [NumDirs-1:0] request_o,  // output that the chosen flit requests, or zero
    output logic request_continues_o,  // its message sent a flit in the last cycle
    output logic request_first_o,  // it starts a message, in the channel of start_i
    output logic request_last_o,
    output channels_t request_channel_o,  // the channel allocated to its message
    output logic [NumDirs-1:0] claim_o,  // outputs claimed for an urgent message
    input logic granted_i,

    output flit_t popped_o,
    output logic  busy_o
);

  if (Input >= NumDirs || VirtualChannels < 1) begin : gen_bad_input
    $error("vc_input: Input must be a dir_e, VirtualChannels at least 1");
  end

  // The local input is a single lane without a queue.
  localparam int unsigned NumLanes = Input == int'(DirLocal) ? 1 : VirtualChannels;
  localparam logic [NumDirs-1:0] Legal = outputs_of(RoutingXY, Input);

  typedef struct packed {
    logic [NumDirs-1:0] dir;  // one-hot
    logic last;
  } head_t;

  head_t [NumLanes-1:0] head;
  logic [NumLanes-1:0] front_valid, front_last, more, can, choice, pop;
  logic [NumLanes-1:0][NumDirs-1:0] front_dir;
  head_t in_head;
  assign in_head = '{dir: (NumDirs'(1) << in_i.dir) & Legal, last: in_i.beat.last};

  if (Input == int'(DirLocal)) begin : gen_local
    assign head[0] = in_head;
    assign front_valid[0] = in_valid_i[0];
    assign more = '0;
    assign in_ready_o = channels_t'(pop[0]);
    always_ff @(posedge clk_i) popped_o <= in_i;
    wire unused = ^in_valid_i;
  end else begin : gen_queued
    typedef logic [$clog2(Depth*NumLanes):0] level_t;
    level_t [NumLanes-1:0] level;
    laned_queue #(
        .flit_t(flit_t),
        .head_t(head_t),
        .Depth(Depth * NumLanes),
        .NumLanes(NumLanes)
    ) u_queue (
        .clk_i,
        .rst_i,
        .in_i,
        .in_head_i(in_head),
        .push_i(in_valid_i),
        .head_o(head),
        .head_valid_o(front_valid),
        .more_o(more),
        .read_i(choice),
        .pop_i(pop),
        .out_o(popped_o),
        .level_o(level)
    );
    // One flit may be on the link when the upstream router reads this. The pop is late, so it is
    // applied last.
    always_ff @(posedge clk_i) begin
      for (int unsigned l = 0; l < NumLanes; l++) begin
        in_ready_o[l] <= rst_i | (level[l] + level_t'(in_valid_i[l]) < level_t'(Depth - 1));
        if (pop[l] && level[l] + level_t'(in_valid_i[l]) < level_t'(Depth)) in_ready_o[l] <= 1'b1;
      end
    end
  end

  // ---- Channels allocated at the outputs ----

  logic [NumLanes-1:0] inside_q;  // the message at the front has started
  channels_t [NumLanes-1:0] channel_q;  // in this channel
  channels_t start;

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    assign front_dir[l]  = head[l].dir & Legal;
    assign front_last[l] = head[l].last;
    always_comb begin
      can[l] = 1'b0;
      for (int unsigned o = 0; o < NumDirs; o++) begin
        if (front_valid[l] & front_dir[l][o]) begin
          can[l] |= inside_q[l] ? |(channel_q[l] & room_i[o]) : free_i[o];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (pop[l] & ~inside_q[l]) channel_q[l] <= start;
      if (rst_i) inside_q[l] <= 1'b0;
      else if (pop[l]) inside_q[l] <= ~head[l].last;
    end
  end

  // ---- Request ----

  vc_choice #(
      .NumLanes(NumLanes)
  ) u_choice (
      .clk_i,
      .rst_i,
      .arrives_i(in_valid_i[NumLanes-1:0]),
      .valid_i(front_valid),
      .more_i(more),
      .can_i(can),
      .inside_i(inside_q),
      .last_i(front_last),
      .dir_i(front_dir),
      .kept_i,
      .choice_o(choice),
      .continues_o(request_continues_o),
      .claim_o,
      .granted_i,
      .start_i(request_first_o)
  );

  assign pop = granted_i ? choice : '0;
  assign request_first_o = |(choice & ~inside_q);
  assign request_last_o = |(choice & front_last);

  logic [NumDirs-1:0] chosen_dir;
  always_comb begin
    chosen_dir = '0;
    request_channel_o = '0;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      if (choice[l]) begin
        chosen_dir |= front_dir[l];
        request_channel_o |= channel_q[l];
      end
    end
    start = '0;
    for (int unsigned o = 0; o < NumDirs; o++) begin
      if (chosen_dir[o]) start |= start_i[o];
      request_o[o] = chosen_dir[o] &
          (request_first_o ? open_i[o] : |(request_channel_o & room_i[o]));
    end
  end

  assign busy_o = |front_valid;

  `BOMBUS_ASSERT(ArrivesByOneChannel, $onehot0(in_valid_i))

endmodule
