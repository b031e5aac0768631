// SPDX-License-Identifier: Apache-2.0
// The link of one output in router_virtual_channels, before the buffer of the local output: its
// flit has a path by this output and is from the selected input, its channel was ready, and each
// channel is held by the one message that has started in it and not ended.
module vc_link
  import noc_pkg::*;
  import vc_flit_pkg::*;
#(
    parameter logic [NumDirs-1:0] Ports = '1,  // ports that exist, by dir_e
    parameter int unsigned Output = 0,  // dir_e
    parameter int unsigned NumLanes = 2,
    localparam inputs_t Inputs = inputs_of(RoutingXY, Output),
    localparam int unsigned NumInputs = num_inputs_of(RoutingXY, Output),
    localparam int unsigned StateWidth = NumLanes + $clog2(NumInputs) + NumInputs * NumInputs
) (
    input logic clk_i,
    input logic rst_i,
    input logic started_i,
    input logic [StateWidth-1:0] state_i,  // state as in vc_output_state
    input logic [NumLanes-1:0] sent_i,  // the channel of the flit on the link
    input flit_t [NumDirs-1:0] popped_i,  // by input: the last flit sent, and its channel
    input logic [NumDirs-1:0] popped_lane_i,
    input logic [NumLanes-1:0] ready_q_i,  // in the last cycle
    // By input and channel: part of a message has left; its output and its channel.
    input logic [NumDirs-1:0][NumLanes-1:0] leaving_i,
    input dir_e [NumDirs-1:0][NumLanes-1:0] leaving_dir_i,
    input logic [NumDirs-1:0][NumLanes-1:0] continuing_i,  // with a flit in the last cycle
    input logic kept_i,  // the flit on the link does not end its message
    input logic [NumDirs-1:0][NumLanes-1:0][NumLanes-1:0] channel_i,
    // By channel: part of a message has left the router, and origin of its last flit.
    input logic [NumLanes-1:0] out_inside_i,
    input origin_t [NumLanes-1:0] out_owner_i,
    output flit_t flit_o,  // flit on the link
    output logic [NumLanes-1:0] inside_o,  // like out_inside_i, for the link
    output origin_t [NumLanes-1:0] owner_o,
    output logic [NumDirs-1:0][NumDirs-1:0] precedes_o  // the order of the arbiter
);

  localparam bit IsLocal = Output == int'(DirLocal);
  typedef struct packed {  // as in vc_output_state
    logic [NumLanes-1:0] held;
    logic [$clog2(NumInputs)-1:0] select;
    logic [NumInputs-1:0][NumInputs-1:0] order;  // numbered like the output's inputs
  } state_t;
  wire state_t state = state_i;
  wire [2:0] source = 3'(Inputs[state.select]);
  assign flit_o = popped_i[source];
  always_comb begin
    precedes_o = '0;
    for (int unsigned a = 0; a < NumInputs; a++) begin
      for (int unsigned b = 0; b < NumInputs; b++) begin
        precedes_o[Inputs[a]][Inputs[b]] = state.order[a][b];
      end
    end
  end

  always_comb begin
    if (started_i) begin
      if (IsLocal)
        assert (((sent_i | state.held) >> 1) == '0);
        else assert ((sent_i & ~ready_q_i) == '0);
      assert (kept_i == (|sent_i & ~flit_o.beat.last));
      for (int unsigned i = 0; i < NumDirs; i++) begin
        for (int unsigned l = 0; l < NumLanes; l++) begin
          if (continuing_i[i][l] & (leaving_dir_i[i][l] == dir_e'(Output))) begin
            assert (kept_i && flit_o.beat.from == {1'(l), 3'(i)});
          end
        end
      end
      if (|sent_i) begin
        assert (flit_o.beat.from == {popped_lane_i[source], source});
        assert (flit_o.dir == dir_e'(Output) && is_good(Ports, int'(source), flit_o));
      end
    end
  end

  whole_message #(
      .mark_t(origin_t),
      .Count (NumLanes)
  ) u_message (
      .clk_i,
      .rst_i,
      .offered_i(sent_i),
      .taken_i(sent_i),
      .last_i({NumLanes{flit_o.beat.last}}),
      .mark_i({NumLanes{flit_o.beat.from}}),
      .inside_o,
      .mark_o(owner_o)
  );

  for (genvar c = 0; c < NumLanes; c++) begin : gen_channel
    logic [NumDirs-1:0][NumLanes-1:0] holder;
    always_comb begin
      for (int unsigned i = 0; i < NumDirs; i++) begin
        for (int unsigned l = 0; l < NumLanes; l++) begin
          holder[i][l] =
              leaving_i[i][l] & (leaving_dir_i[i][l] == dir_e'(Output)) & channel_i[i][l][c];
        end
      end
      if (started_i) begin
        assert ($onehot0(holder));
        assert (state.held[c] == |holder);
        assert (state.held[c] == (sent_i[c] ? ~flit_o.beat.last : inside_o[c]));
        if (!IsLocal) begin
          assert (inside_o[c] == out_inside_i[c]);
          if (inside_o[c]) assert (owner_o[c] == out_owner_i[c]);
        end
        for (int unsigned i = 0; i < NumDirs; i++) begin
          for (int unsigned l = 0; l < NumLanes; l++) begin
            if (holder[i][l]) begin
              assert ((sent_i[c] ? flit_o.beat.from : owner_o[c]) == {1'(l), 3'(i)});
            end
          end
        end
      end
    end
  end

endmodule
