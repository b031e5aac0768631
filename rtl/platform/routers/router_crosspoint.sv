// SPDX-License-Identifier: Apache-2.0
// Crosspoint-queued router for a 2D mesh (HiPerNoC, section III-B, figure 2): a block RAM queue for
// every pair of input and output that routing allows, virtual cut-through, an arbiter per output
// and no allocation at the inputs. A message whose output is busy blocks only messages with the
// same input and output.
//
// Routing: XY, O1TURN or minimal adaptive (noc_pkg::ways). Lossless: link valid is channel 0, link
// ready indicates for each queue of the next router (channel) whether a message may start; full
// queues cannot form a ring (docs/fabrics.md). Dropping: a message that does not fit is dropped and
// counted, as in the paper.
//
// Latency: 2 cycles from link to link. Throughput: one flit per cycle and output.
`include "router_ports.svh"

module router_crosspoint
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter logic [NumDirs-1:0] Ports = '1,  // which ports exist, by dir_e
    parameter routing_e Routing = RoutingXY,
    parameter bit Lossless = 1,
    parameter int unsigned Depth = 512,  // flits per queue
    parameter int unsigned MaxPacket = 24,  // flits that a message needs room for to start
    localparam int unsigned NumChannels = num_channels(FabricCrosspoint, 1)
) (
    output logic [NumDirs-1:0] drop_o,  // a message has been dropped, by input
    `BOMBUS_ROUTER_PORTS(logic [NumDirs-1:1][NumChannels-1:0])
);

  if (!Ports[DirLocal]) begin : gen_bad_ports
    $error("router_crosspoint: Ports must have the local port");
  end

  typedef struct packed {
    logic last;
    logic [NumDirs-1:0] next_channels;  // channels of the next router that the message may take
  } head_t;
  typedef logic [$clog2(Depth):0] level_t;

  logic [NumDirs-1:0][NumDirs-1:0] push, pop, lane_valid;  // [input][channel]
  head_t [NumDirs-1:0][NumDirs-1:0] head, in_head;
  level_t [NumDirs-1:0][NumDirs-1:0] level;
  flit_t [NumDirs-1:0][NumDirs-1:0] queued;  // [input][output]
  logic [NumDirs-1:0] out_valid;
  logic [NumDirs-1:0] step;  // [output]: it can take a flit

  for (genvar i = 0; i < NumDirs; i++) begin : gen_input
    localparam int unsigned Ahead = int'(opposite(i));
    localparam logic [NumDirs-1:0] Queues = queues_of(Routing, Lossless, Ports, i);
    flit_t in;
    logic in_valid;
    logic [NumChannels-1:0] in_ready;
    if (i == int'(DirLocal)) begin : gen_local
      assign in = inj_i;
      assign in_valid = inj_valid_i;
      assign inj_taken_o = in_ready[0];
      wire unused = ^in_ready;
    end else begin : gen_link
      assign in = in_i[i];
      assign in_valid = in_valid_i[i][0];
      assign in_ready_o[i] = in_ready;
      wire unused = ^in_valid_i[i];
    end

    if (!Ports[i]) begin : gen_absent
      assign in_ready = '1;
      assign drop_o[i] = 1'b0;
      assign push[i] = '0;
      assign in_head[i] = '0;
      wire unused = ^{in, in_valid, level[i], in_head[i], push[i]};
    end else begin : gen_present
      logic [NumDirs-1:0][NumDirs-1:0] next_channels;
      logic [NumDirs-1:0] open;
      crosspoint_input #(
          .flit_t(flit_t),
          .Input(i),
          .Routing(Routing),
          .Lossless(Lossless),
          .Queues(Queues),
          .Depth(Depth),
          .MaxPacket(MaxPacket)
      ) u_input (
          .clk_i,
          .rst_i,
          .x_i,
          .y_i,
          .in_i(in),
          .in_valid_i(in_valid),
          .in_ready_o(in_ready),
          .open_o(open),
          .level_i(level[i]),
          .push_o(push[i]),
          .next_channels_o(next_channels),
          .drop_o(drop_o[i])
      );
      if (i == int'(DirLocal)) begin : gen_local
        // A sender that selects the output itself has a registered ready.
        assign inj_ready_o = Routing == RoutingXY && Lossless ? open : {NumDirs{in_ready[0]}};
      end else begin : gen_mesh
        wire unused = ^open;
      end
      for (genvar o = 0; o < NumDirs; o++) begin : gen_head
        assign in_head[i][o] = '{last: in.beat.last, next_channels: next_channels[o]};
      end
    end

    for (genvar o = 0; o < NumDirs; o++) begin : gen_queue
      if (Queues[o] && o != i) begin : gen_present
        localparam int unsigned NumLanes = Queues[i] && o == Ahead ? 2 : 1;
        // Channel of a lane: the number of the output, or for the second lane that of the input.
        logic [NumLanes-1:0] lane_push, lane_pop, lane_read, valid, unused_more;
        head_t  [NumLanes-1:0] heads;
        level_t [NumLanes-1:0] levels;
        laned_queue #(
            .flit_t(flit_t),
            .head_t(head_t),
            .Depth(Depth),
            .NumLanes(NumLanes)
        ) u_queue (
            .clk_i,
            .rst_i,
            .in_i(in),
            .in_head_i(in_head[i][o]),
            .push_i(lane_push),
            .head_o(heads),
            .head_valid_o(valid),
            .more_o(unused_more),
            .read_i(lane_read),
            .pop_i(lane_pop),
            .out_o(queued[i][o]),
            .level_o(levels)
        );
        // Reading a flit without popping it has no effect, so a single lane need not wait for the
        // late arbiter. Two lanes share the read port, so only the granted lane is read.
        assign lane_read = NumLanes == 1 ? valid & {NumLanes{step[o]}} : lane_pop;
        for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
          localparam int unsigned Channel = l == 0 ? o : i;
          assign lane_push[l] = push[i][Channel];
          assign lane_pop[l] = pop[i][Channel];
          assign lane_valid[i][Channel] = valid[l];
          assign head[i][Channel] = heads[l];
          assign level[i][Channel] = levels[l];
        end
      end else begin : gen_absent
        assign queued[i][o] = '0;
        if (!Queues[o]) begin : gen_no_lane
          assign lane_valid[i][o] = 1'b0;
          assign head[i][o] = '0;
          assign level[i][o] = '0;
        end
        // Whether an output requests the absent lane.
        localparam bit IsRequested = o == i ? Lossless && is_split(
            Routing, i, Ahead
        ) && Ports[Ahead] : Ports[o] && is_legal_turn(
            Routing, i, o
        );
        if (!IsRequested) begin : gen_no_pop
          assign pop[i][o] = 1'b0;
        end
        wire unused = ^{queued[i][o], head[i][o], lane_valid[i][o], push[i][o], pop[i][o],
                        in_head[i][o], level[i][o]};
      end
    end
  end

  for (genvar o = 0; o < NumDirs; o++) begin : gen_output
    localparam inputs_t Inputs = inputs_of(Routing, o);
    localparam int unsigned NumInputs = num_inputs_of(Routing, o);
    localparam int unsigned Opposite = int'(opposite(o));
    localparam bit HasSecond = Lossless && is_split(Routing, Opposite, o);
    localparam int unsigned NumLanes = NumInputs + (HasSecond ? 1 : 0);

    flit_t out;
    logic [NumDirs-1:0] out_ready;
    if (o == int'(DirLocal)) begin : gen_local
      assign ej_o = out;
      assign ej_valid_o = out_valid[o];
      assign out_ready = NumDirs'(ej_ready_i);
    end else begin : gen_link
      assign out_o[o] = out;
      assign out_valid_o[o] = NumChannels'(out_valid[o]);
      assign out_ready = out_ready_i[o];
    end
    if (!Ports[o]) begin : gen_absent
      assign out = '0;
      assign out_valid[o] = 1'b0;
      assign step[o] = 1'b0;
      wire unused = ^out_ready;
    end else begin : gen_present
      head_t [NumLanes-1:0] lane_head;
      logic [NumLanes-1:0] valid, lane_pop;
      for (genvar k = 0; k < NumLanes; k++) begin : gen_lane
        localparam int unsigned Input = k < NumInputs ? int'(Inputs[k%NumInputs]) : Opposite;
        localparam int unsigned Channel = k < NumInputs ? o : Opposite;
        assign lane_head[k] = head[Input][Channel];
        assign valid[k] = lane_valid[Input][Channel];
        assign pop[Input][Channel] = lane_pop[k];
      end
      crosspoint_output #(
          .head_t(head_t),
          .NumLanes(NumLanes),
          .IsLocal(o == int'(DirLocal)),
          .Lossless(Lossless),
          .MaxPacket(MaxPacket)
      ) u_output (
          .clk_i,
          .rst_i,
          .head_i(lane_head),
          .head_valid_i(valid),
          .pop_o(lane_pop),
          .step_o(step[o]),
          .out_valid_o(out_valid[o]),
          .out_ready_i(out_ready)
      );

      // Selected by input, independent of the lane.
      logic [$clog2(NumInputs)-1:0] select_q;
      always_ff @(posedge clk_i) begin
        for (int unsigned k = 0; k < NumLanes; k++) begin
          if (lane_pop[k]) begin
            for (int unsigned n = 0; n < NumInputs; n++) begin
              if (k == n || (k == NumInputs && int'(Inputs[n]) == Opposite)) begin
                select_q <= ($clog2(NumInputs))'(n);
              end
            end
          end
        end
      end
      flit_t [NumInputs-1:0] candidate;
      for (genvar n = 0; n < NumInputs; n++) begin : gen_candidate
        assign candidate[n] = queued[Inputs[n]][o];
      end
      assign out = candidate[select_q];
    end
  end

  assign busy_o = |{lane_valid, out_valid};

endmodule
