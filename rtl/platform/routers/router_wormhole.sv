// SPDX-License-Identifier: Apache-2.0
// Wormhole router for a 2D mesh, XY dimension order, lossless.
//
// Mesh inputs are buffered (head_fifo, LUTRAM). The local input is not: the tile's output register
// serves as its buffer. inj_ready_o does not depend on the local input: the network interface looks
// up a route while the router arbitrates.
//
// The crossbar contains only the turns that XY routing may take between existing ports, no U-turn,
// and of these only the turns in Turns. Inputs and outputs without any turn are omitted, too. Each
// flit carries its output port at this router (`dir`); the port at the next router is computed in
// parallel with the arbitration and replaces dir on the way out. A message holds its output from
// its first flit to its last; between messages the output is granted round robin, without an idle
// cycle.
//
// Latency: 1 cycle from a mesh input, 0 from the local input. Throughput: one flit per cycle and
// output.
`include "bombus_assert.svh"
`include "router_ports.svh"

module router_wormhole
  import noc_pkg::*;
#(
    parameter type flit_t = logic,
    parameter logic [NumDirs-1:0] Ports = '1,  // which ports exist, by dir_e
    parameter turns_t Turns = '1,  // turns that messages take, known from fixed next hops
    parameter int unsigned Depth = 32  // flits per mesh input
) (
    `BOMBUS_ROUTER_PORTS(logic [NumDirs-1:1])
);

  if (!Ports[DirLocal]) begin : gen_bad_ports
    $error("router_wormhole: Ports must have the local port");
  end

  typedef struct packed {
    logic [NumDirs-1:0] request;  // the output that the flit takes here, one-hot
    logic last;
  } head_t;

  typedef struct packed {
    flit_t flit;
    logic  last;  // for stream_merge
  } offer_t;

  flit_t [NumDirs-1:0] front;  // flit at the front of each input
  logic [NumDirs-1:0][NumDirs-1:0] front_request;
  logic [NumDirs-1:0] front_valid;
  logic [NumDirs-1:0] front_taken;  // the front flit is taken, if valid

  // Outputs that an input's messages take.
  function automatic logic [NumDirs-1:0] turns_from(int unsigned input_);
    for (int unsigned o = 0; o < NumDirs; o++) turns_from[o] = Turns[o][input_];
  endfunction

  // One-hot.
  function automatic logic [NumDirs-1:0] request_of(dir_e dir);
    for (int unsigned o = 0; o < NumDirs; o++) request_of[o] = dir == dir_e'(o);
  endfunction

  for (genvar i = 0; i < NumDirs; i++) begin : gen_input
    if (!Ports[i] || turns_from(i) == '0) begin : gen_absent
      assign front[i] = '0;
      assign front_request[i] = '0;
      assign front_valid[i] = 1'b0;
      if (i == int'(DirLocal)) begin : gen_local
        assign inj_taken_o = 1'b1;
      end else begin : gen_link
        assign in_ready_o[i] = 1'b1;
      end
    end else if (i == int'(DirLocal)) begin : gen_local
      assign front[i] = inj_i;
      assign front_request[i] = request_of(inj_i.dir);
      assign front_valid[i] = inj_valid_i;
      assign inj_taken_o = front_taken[i];
    end else begin : gen_buffered
      flit_t body;
      head_t head;
      head_fifo #(
          .head_t(head_t),
          .body_t(flit_t),
          .Depth (Depth)
      ) u_fifo (
          .clk_i,
          .rst_i,
          .in_head_i  ('{request: request_of(in_i[i].dir), last: in_i[i].beat.last}),
          .in_body_i  (in_i[i]),
          .in_valid_i (in_valid_i[i]),
          .in_ready_o (in_ready_o[i]),
          .out_head_o (head),
          .out_body_o (body),
          .out_valid_o(front_valid[i]),
          .out_ready_i(front_taken[i])
      );
      always_comb begin
        front[i] = body;
        front[i].beat.last = head.last;
      end
      assign front_request[i] = head.request;
    end
  end

  for (genvar i = 0; i < NumDirs; i++) begin : gen_turn
    `BOMBUS_ASSERT(OneTurn, !front_valid[i] || $onehot(front_request[i] & turns_from(i) & Ports))
  end

  // By a router without buffers, without a choice, or without an ejection
  wire unused = &{clk_i, rst_i, x_i, y_i, in_i, in_valid_i, out_ready_i, ej_ready_i, front};

  logic [NumDirs-1:0][NumDirs-1:0] all_takes;  // [output][input]

  // An output's signals are apart from those of the others: a ready of the tile may depend on
  // inj_ready_o.
  for (genvar o = 0; o < NumDirs; o++) begin : gen_output
    logic [NumDirs-1:0] takes;  // [input]: takes the input's flit if that flit requests the output
    localparam logic [NumDirs-1:0] Sources = Turns[o] & Ports;
    localparam int unsigned NumInputs = num_inputs_of(RoutingXY, o, Sources);
    if (!Ports[o] || NumInputs == 0) begin : gen_absent
      if (o == int'(DirLocal)) begin : gen_local
        assign ej_o = '0;
        assign ej_valid_o = 1'b0;
      end else begin : gen_link
        assign out_o[o] = '0;
        assign out_valid_o[o] = 1'b0;
      end
      assign takes = '0;
    end else begin : gen_present
      localparam inputs_t Inputs = inputs_of(RoutingXY, o, Sources);

      logic [NumInputs-1:0] request, taken, unused_selected;
      offer_t [NumInputs-1:0] candidate;
      offer_t out;
      logic out_valid, out_ready;

      for (genvar k = 0; k < NumInputs; k++) begin : gen_candidate
        localparam int unsigned Input = int'(Inputs[k]);
        assign request[k] = front_valid[Input] & front_request[Input][o];
        always_comb begin
          candidate[k] = '{flit: front[Input], last: front[Input].beat.last};
          candidate[k].flit.dir = next_dir(o, x_i, y_i, 8'(front[Input].x), 8'(front[Input].y));
        end
      end

      stream_merge #(
          .beat_t(offer_t),
          .NumInputs(NumInputs)
      ) u_merge (
          .clk_i,
          .rst_i,
          .in_i(candidate),
          .in_valid_i(request),
          .in_ready_o(taken),
          .out_o(out),
          .out_valid_o(out_valid),
          .out_ready_i({NumInputs{out_ready}}),
          .selected_o(unused_selected)
      );
      if (o == int'(DirLocal)) begin : gen_local
        assign ej_o = out.flit;
        assign ej_valid_o = out_valid;
        assign out_ready = ej_ready_i;
      end else begin : gen_link
        assign out_o[o] = out.flit;
        assign out_valid_o[o] = out_valid;
        assign out_ready = out_ready_i[o];
      end

      always_comb begin
        takes = '0;
        for (int unsigned k = 0; k < NumInputs; k++) takes[Inputs[k]] = taken[k];
      end
    end
    assign all_takes[o]   = takes;
    assign inj_ready_o[o] = o != int'(DirLocal) && takes[DirLocal];
  end

  always_comb begin
    front_taken = '0;
    for (int unsigned o = 0; o < NumDirs; o++) begin
      for (int unsigned i = 0; i < NumDirs; i++) begin
        if (front_request[i][o] & all_takes[o][i]) front_taken[i] = 1'b1;
      end
    end
  end

  assign busy_o = |front_valid;

endmodule
