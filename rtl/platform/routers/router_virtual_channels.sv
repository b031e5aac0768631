// SPDX-License-Identifier: Apache-2.0
// Wormhole router with virtual channels for a 2D mesh, XY dimension order, lossless.
//
// Each mesh input has a queue per virtual channel (laned_queue: LUTRAM if small, block RAM if
// deep). The local input has none; the tile's output register serves as its buffer. At its output,
// the first flit of a message allocates any virtual channel that no other message holds and that
// has room at the next router; the message keeps it to its last flit. In each cycle an input sends
// one flit and an output takes one: each input selects, one cycle ahead, among its channels whose
// front can be sent (vc_input, vc_choice), then each output selects among the inputs (vc_output). A
// waiting message therefore does not block messages in other channels of its links. Two messages
// between the same pair of tiles may overtake each other in different channels.
//
// Link: valid is one-hot, by channel. ready indicates that the channel of the next router has room
// for two flits, since one may be in flight. Messages leave by the local output one at a time, by
// valid and ready, from a small buffer, so that a stalled tile blocks no input.
//
// Latency: 2 cycles from link to link, 1 from the local input to a link, 3 from a link to the local
// output. Throughput: one flit per cycle and output.
`include "bombus_assert.svh"
`include "router_ports.svh"

module router_virtual_channels
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter logic [NumDirs-1:0] Ports = '1,  // which ports exist, by dir_e
    parameter int unsigned VirtualChannels = 2,
    parameter int unsigned Depth = 8,  // flits per virtual channel
    localparam int unsigned NumChannels = num_channels(FabricVirtualChannels, VirtualChannels)
) (
    `BOMBUS_ROUTER_PORTS(logic [NumDirs-1:1][NumChannels-1:0])
);

  if (!Ports[DirLocal] || VirtualChannels < 1) begin : gen_bad_ports
    $error(
        "router_virtual_channels: Ports must have the local port, VirtualChannels be at least 1"
    );
  end

  typedef logic [NumChannels-1:0] channels_t;

  channels_t [NumDirs-1:0] room;  // [output]: channels of the next router with room
  channels_t [NumDirs-1:0] start;  // [output]: channel in which a message may start
  logic [NumDirs-1:0] free;  // [output]: some channel has room and is not allocated
  logic [NumDirs-1:0] open;  // [output]: and a message may start there
  logic [NumDirs-1:0][NumDirs-1:0] claim;  // [input]: outputs claimed for an urgent message
  logic [NumDirs-1:0] claimed;  // [output]
  channels_t [NumDirs-1:0] sent;  // [output]: channel of the flit on the link

  logic [NumDirs-1:0][NumDirs-1:0] in_request;  // [input]: output that the chosen flit requests
  logic [NumDirs-1:0] kept;  // [output]: the flit on the link does not end its message
  logic [NumDirs-1:0] in_continues;  // [input]: the message had a flit in the last cycle
  logic [NumDirs-1:0] in_first, in_last;  // the chosen flit is the message's first, last one
  channels_t [NumDirs-1:0] in_channel;  // the channel allocated to its message
  logic [NumDirs-1:0][NumDirs-1:0] granted;  // [output][input]
  logic [NumDirs-1:0] is_granted;  // [input]

  flit_t [NumDirs-1:0] popped;  // [input]: the flit granted in the last cycle
  logic [NumDirs-1:0] input_busy;

  for (genvar i = 0; i < NumDirs; i++) begin : gen_input
    flit_t in;
    channels_t in_valid, in_ready;
    if (i == int'(DirLocal)) begin : gen_local
      assign in = inj_i;
      assign in_valid = channels_t'(inj_valid_i);
      assign inj_taken_o = in_ready[0];
      assign inj_ready_o = {NumDirs{in_ready[0]}};
      wire unused = ^in_ready;
    end else begin : gen_link
      assign in = in_i[i];
      assign in_valid = in_valid_i[i];
      assign in_ready_o[i] = in_ready;
    end
    if (!Ports[i]) begin : gen_absent
      assign in_ready = '1;
      assign popped[i] = '0;
      assign in_request[i] = '0;
      assign in_continues[i] = 1'b0;
      assign in_first[i] = 1'b0;
      assign in_last[i] = 1'b0;
      assign in_channel[i] = '0;
      assign claim[i] = '0;
      assign input_busy[i] = 1'b0;
      wire unused = ^{in, in_valid, is_granted[i]};
    end else begin : gen_present
      vc_input #(
          .flit_t(flit_t),
          .Input(i),
          .VirtualChannels(VirtualChannels),
          .Depth(Depth)
      ) u_input (
          .clk_i,
          .rst_i,
          .in_i(in),
          .in_valid_i(in_valid),
          .in_ready_o(in_ready),
          .room_i(room),
          .free_i(free),
          .open_i(open),
          .start_i(start),
          .kept_i(kept),
          .request_o(in_request[i]),
          .request_continues_o(in_continues[i]),
          .request_first_o(in_first[i]),
          .request_last_o(in_last[i]),
          .request_channel_o(in_channel[i]),
          .claim_o(claim[i]),
          .granted_i(is_granted[i]),
          .popped_o(popped[i]),
          .busy_o(input_busy[i])
      );
    end
  end

  for (genvar o = 0; o < NumDirs; o++) begin : gen_output
    if (!Ports[o]) begin : gen_absent
      assign room[o] = '0;
      assign free[o] = 1'b0;
      assign open[o] = 1'b0;
      assign start[o] = '0;
      assign kept[o] = 1'b0;
      assign sent[o] = '0;
      assign granted[o] = '0;
      assign out_o[o] = '0;
      assign out_valid_o[o] = '0;
      wire unused = ^out_ready_i[o];
    end else begin : gen_present
      localparam inputs_t Inputs = inputs_of(RoutingXY, o);
      localparam int unsigned NumInputs = num_inputs_of(RoutingXY, o);

      logic [NumInputs-1:0] request, grant, continues, first, last;
      channels_t [NumInputs-1:0] channel;
      flit_t [NumInputs-1:0] candidate;
      logic [$clog2(NumInputs)-1:0] select;

      for (genvar k = 0; k < NumInputs; k++) begin : gen_candidate
        localparam int unsigned Input = int'(Inputs[k]);
        assign request[k] = in_request[Input][o];
        assign continues[k] = in_continues[Input];
        assign first[k] = in_first[Input];
        assign last[k] = in_last[Input];
        assign channel[k] = in_channel[Input];
        always_comb begin
          candidate[k] = popped[Input];
          candidate[k].dir = next_dir(o, x_i, y_i, 8'(popped[Input].x), 8'(popped[Input].y));
        end
      end

      vc_output #(
          .NumInputs  (NumInputs),
          .NumChannels(NumChannels)
      ) u_output (
          .clk_i,
          .rst_i,
          .room_i(room[o]),
          .claim_i(claimed[o]),
          .free_o(free[o]),
          .open_o(open[o]),
          .start_o(start[o]),
          .request_i(request),
          .continues_i(continues),
          .first_i(first),
          .last_i(last),
          .channel_i(channel),
          .grant_o(grant),
          .sent_o(sent[o]),
          .select_o(select),
          .kept_o(kept[o])
      );

      always_comb begin
        granted[o] = '0;
        for (int unsigned k = 0; k < NumInputs; k++) granted[o][Inputs[k]] = grant[k];
      end

      if (o == int'(DirLocal)) begin : gen_local
        localparam int unsigned LocalDepth = 4;
        flit_t body;
        logic last_of, valid, unused_ready;
        // Free entries that no flit is on its way to, in unary: as many ones, from bit 0
        logic [LocalDepth-1:0] free_entries_q;
        head_fifo #(
            .head_t(logic),
            .body_t(flit_t),
            .Depth (LocalDepth)
        ) u_fifo (
            .clk_i,
            .rst_i,
            .in_head_i  (candidate[select].beat.last),
            .in_body_i  (candidate[select]),
            .in_valid_i (sent[o][0]),
            .in_ready_o (unused_ready),
            .out_head_o (last_of),
            .out_body_o (body),
            .out_valid_o(valid),
            .out_ready_i(ej_ready_i)
        );
        wire leaves = valid & ej_ready_i;
        `BOMBUS_ASSERT(NoOverflow, !(sent[o][0] && !unused_ready))
        always_ff @(posedge clk_i) begin
          if (rst_i) free_entries_q <= '1;
          else if (leaves & ~|grant) free_entries_q <= {free_entries_q[LocalDepth-2:0], 1'b1};
          else if (~leaves & |grant) free_entries_q <= free_entries_q >> 1;
        end
        always_comb begin
          room[o] = '0;
          room[o][0] = free_entries_q[0];
          ej_o = body;
          ej_o.beat.last = last_of;
        end
        assign ej_valid_o = valid;
        wire unused = ^sent[o];
      end else begin : gen_mesh
        assign room[o] = out_ready_i[o];
        assign out_o[o] = candidate[select];
        assign out_valid_o[o] = sent[o];
      end
    end
  end

  always_comb begin
    claimed = '0;
    for (int unsigned i = 0; i < NumDirs; i++) claimed |= claim[i];
    is_granted = '0;
    for (int unsigned o = 0; o < NumDirs; o++) is_granted |= granted[o];
  end

  assign busy_o = |{input_busy, sent, ej_valid_o};

endmodule
