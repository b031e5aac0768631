// SPDX-License-Identifier: Apache-2.0
// cluster_router: beats of a packet from a watched input leave by one output, each once, in order
// and with no beat of another input between them; a beat that is taken is in the output register
// of its port in the next cycle, unless it is dropped. Outputs close and open at any time. A packet
// is begun only at an output that is open, and is dropped as a whole or not at all: a data packet
// only if its output is gone. Proved for all time, by induction.
module cluster_router_formal
  import cluster_pkg::*;
#(
    parameter  int unsigned NumLinks  = 2,
    localparam int unsigned NumPorts  = NumLinks + 1,
    localparam int unsigned IndexBits = 2
) (
    input logic clk_i,
    input logic rst_i,
    input logic [NumPorts-1:0][1:0] data_i,
    input logic [NumPorts-1:0] last_i,
    input logic [NumPorts-1:0][1:0] destination_i,
    input logic [NumPorts-1:0] valid_i,
    input logic [NumPorts-1:0] credit_i,
    input logic [NumPorts-1:0] out_ready_i,
    input logic [NumPorts-1:0] out_open_i,
    input logic [NumPorts-1:0] out_gone_i,
    input logic write_i,
    input logic [IndexBits-1:0] index_i,
    input logic [2:0] route_i,
    input logic [$clog2(NumPorts)-1:0] watched_i  // any input, constant
);

  typedef struct packed {
    header_t header;
    logic last;
    logic [1:0] data;
  } beat_t;

  beat_t [NumPorts-1:0] in, out;
  logic [NumPorts-1:0] in_ready, out_valid, no_route, closed, packet;
  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    // The source marks the input.
    assign in[i] = '{
            header: '{
                destination: board_t'(destination_i[i]),
                source: board_t'(i),
                channel: '0,
                credit: credit_i[i],
                yield: 1'b0,
                length: '0
            },
            last: last_i[i],
            data: data_i[i]
        };
  end

  logic [2:0] rdata;
  logic done, holds;
  cluster_router #(
      .beat_t(beat_t),
      .NumLinks(NumLinks),
      .NumBoards(2),
      .ClassBits(1)
  ) u_router (
      .clk_i,
      .rst_i,
      .board_i(board_t'(NumLinks)),  // the local port's mark
      .in_i(in),
      .in_valid_i(valid_i),
      .in_ready_o(in_ready),
      .out_o(out),
      .out_valid_o(out_valid),
      .out_ready_i,
      .out_open_i,
      .out_gone_i,
      .route_request_i(write_i),
      .route_write_i(1'b1),
      .route_index_i(index_i),
      .route_wdata_i(route_i),
      .route_rdata_o(rdata),
      .route_done_o(done),
      .no_route_o(no_route),
      .closed_o(closed),
      .packet_o(packet),
      .holds_o(holds)
  );

  logic started, unused;
  logic [$clog2(NumPorts)-1:0] watched_q;
  proof_start #(
      .Width($clog2(NumPorts))
  ) u_start (
      .clk_i,
      .rst_i,
      .watched_i,
      .started_o(started),
      .watched_o(watched_q)
  );

  // ---- Assumption: an offer is stable, the destination is the same for the whole packet ----

  logic [NumPorts-1:0] waits_q, inside_q;  // inside: of a packet, at an input
  beat_t [NumPorts-1:0] in_q;
  wire   [NumPorts-1:0] taken = valid_i & in_ready;
  always_ff @(posedge clk_i) begin
    in_q <= in;
    waits_q <= rst_i ? '0 : valid_i & ~in_ready;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (rst_i) inside_q[i] <= 1'b0;
      else if (taken[i]) inside_q[i] <= ~last_i[i];
    end
  end
  always_comb begin
    assume (watched_i < NumPorts);
    assume ((out_open_i & out_gone_i) == '0);
    for (int unsigned i = 0; i < NumPorts; i++) begin
      if (started & waits_q[i]) assume (valid_i[i] & in[i] == in_q[i]);
    end
  end

  // ---- What the watched input has in the registers, and the owner of an output ----

  logic here_q;  // a beat of the watched input was taken in the last cycle, and not dropped
  beat_t beat_q;
  logic [NumPorts-1:0] owned_q;  // an output is inside a packet
  logic [NumPorts-1:0][7:0] owner_q;
  logic [NumPorts-1:0] stalled_q;
  beat_t [NumPorts-1:0] out_q;
  logic [$clog2(NumPorts)-1:0] port_q;
  // Number of a port that is one bit; 7: none
  function automatic logic [2:0] number(logic [NumPorts-1:0] ports);
    number = '1;
    for (int unsigned o = 0; o < NumPorts; o++) if (ports[o]) number = 3'(o);
  endfunction
  wire [2:0] port = number(u_router.ports[watched_i]);
  wire drops = u_router.drops[watched_i];
  wire filled = u_router.ready_q;
  logic open_q, first_q;  // the port's when the beat was taken; it was a first beat
  always_ff @(posedge clk_i) begin
    beat_q <= in[watched_i];
    here_q <= ~rst_i & taken[watched_i] & port <= NumLinks & ~drops;
    first_q <= ~inside_q[watched_i];
    open_q <= out_open_i[port[$clog2(NumPorts)-1:0]];
    port_q <= port[$clog2(NumPorts)-1:0];
    out_q <= out;
    stalled_q <= rst_i ? '0 : out_valid & ~out_ready_i & ~u_router.withdraws;
    for (int unsigned o = 0; o < NumPorts; o++) begin
      if (rst_i) owned_q[o] <= 1'b0;
      else if (out_valid[o] & out_ready_i[o]) begin
        owned_q[o] <= ~out[o].last;
        owner_q[o] <= out[o].header.source;
      end
    end
  end

  always_comb begin
    if (started) begin
      assert (u_router.filled_q | ~u_router.ready_q);
      // Nothing is lost: a beat that was taken is at the output of its port.
      if (here_q) assert (out_valid[port_q] & out[port_q] == beat_q);
      for (int unsigned o = 0; o < NumPorts; o++) begin
        // Nothing is interleaved: the input that has begun a packet ends it.
        if (owned_q[o] & out_valid[o]) assert (out[o].header.source == owner_q[o]);
        // Nothing changes or is doubled: a beat stays until it is taken.
        if (stalled_q[o]) assert (out_valid[o] & out[o] == out_q[o]);
        if (~stalled_q[o] & out_valid[o] & out[o].header.source == board_t'(watched_i)) begin
          assert (here_q & port_q == $bits(port_q)'(o));
        end
      end
      if (no_route[watched_i]) assert (taken[watched_i] & port > NumLinks);
      // A packet begins only at an open output.
      if (here_q & first_q) assert (open_q);
      // Data are dropped only if the output is gone.
      if (taken[watched_i] & drops) begin
        assert (~out_open_i[port[$clog2(NumPorts)-1:0]]);
        assert (credit_i[watched_i] | out_gone_i[port[$clog2(NumPorts)-1:0]]);
        assert (closed[watched_i]);
      end
      // Neither data nor credits of a packet that is gone stop an input.
      if (valid_i[watched_i] & ~inside_q[watched_i] & filled & port <= NumLinks) begin
        if (~out_open_i[port[$clog2(
                NumPorts
            )-1:0]] & (credit_i[watched_i] | out_gone_i[port[$clog2(
                NumPorts
            )-1:0]])) begin
          assert (taken[watched_i]);
        end
      end
    end
  end

  // ---- For the induction: an entry is one port or none ----

  for (genvar n = 0; n < 2 ** IndexBits; n++) begin : gen_entry
    always_comb begin
      if (started & (u_router.filled_q | 32'(u_router.fill_q) > n)) begin
        assert ($onehot0(u_router.ram[n]));
      end
    end
  end

  // ---- An output is locked to the input whose packet it has begun ----

  for (genvar o = 0; o < NumPorts; o++) begin : gen_lock
    wire withdraws = u_router.withdraws[o];
    wire waits = u_router.gen_output[o].waits_q;
    wire first = u_router.gen_output[o].first_q;
    wire locked = u_router.gen_output[o].locked_q;
    wire [7:0] selected = 8'(u_router.gen_output[o].sel_q);
    always_comb begin
      if (started) begin
        assert (selected < NumPorts);
        // Only a packet of which no beat has left is withdrawn, from an output that is gone.
        if (withdraws) assert (out_gone_i[o] & out_valid[o] & ~owned_q[o]);
        if (out_valid[o]) assert (first == ~owned_q[o]);
        if (waits) assert (out_valid[o] & first);
        if (out_valid[o]) begin
          assert (out[o].header.source == selected);
          assert (locked == ~out[o].last);
        end else begin
          assert (locked == owned_q[o]);
          if (owned_q[o]) assert (owner_q[o] == selected);
        end
        if (locked) assert (inside_q[selected[$clog2(NumPorts)-1:0]]);
      end
    end
  end
  for (genvar i = 0; i < NumPorts; i++) begin : gen_held
    wire [2:0] held = number(u_router.gen_input[i].ports_q);
    logic [NumPorts-1:0] locks;
    for (genvar o = 0; o < NumPorts; o++) begin : gen_locks
      assign locks[o] = u_router.gen_output[o].locked_q & u_router.gen_output[o].sel_q == i;
    end
    always_comb begin
      if (started) begin
        assert (u_router.inside_q[i] == inside_q[i]);
        if (inside_q[i]) assert ($onehot0(u_router.gen_input[i].ports_q));
        for (int unsigned o = 0; o < NumPorts; o++) begin
          assert (locks[o] == (inside_q[i] & held == 3'(o)));
        end
      end
    end
  end

  always_comb begin
    if (started) begin
      cover (here_q & beat_q.last & &out_valid);
      cover (no_route[0]);
      cover (u_router.withdraws[0]);
      cover (taken[watched_i] & drops & ~in[watched_i].last & ~credit_i[watched_i]);
    end
  end

endmodule
