// SPDX-License-Identifier: Apache-2.0
// Router of a board: up to four links and the local side, one table of routes.
//
// Source: "A Transport-Layer Network for Distributed FPGA Platforms", section III-A: routing is
// deterministic, by the destination and the channel, so that packets of a channel stay in order.
//
// A packet for the board's own ID, below NumBoards, is sent to the local port. Any other is sent to
// the port in the table at index {class, destination}; the class is the lowest ClassBits bits of
// the channel. An entry that is no port, or a destination beyond NumBoards, drops the packet
// (no_route_o). A packet may leave by the link that it came from, which routes around a dead link
// need. The router fills in the source of packets from the local port. An entry is looked up when
// the first beat is taken, so a new entry never divides a packet. The entries of the own ID are the
// local port, whatever is written there; those of an earlier ID are as after reset.
//
// An output serves its inputs round robin, packet by packet. Packets are not interleaved. No packet
// is begun at an output that is not open. A data packet waits at its input, where a new entry still
// applies to it, and the input stalls. A flow-control packet is dropped: endpoints make up for it.
// If the output is gone (out_gone_i), data packets are dropped too. One whose first beat is in the
// output register is withdrawn, unless that is its only beat.
//
// Latency: 1 cycle (cut-through). Throughput: one beat per output and cycle, no gap between
// packets. It takes nothing while the table is written: for NumEntries + 2 ** ClassBits cycles
// after reset, for 2 * 2 ** ClassBits cycles after a change of the ID.
`include "bombus_assert.svh"
module cluster_router
  import cluster_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned NumLinks = MaxLinks,
    parameter int unsigned NumBoards = 2 ** BoardBits,
    parameter int unsigned ClassBits = 1,
    localparam int unsigned IndexBits = ClassBits + $clog2(NumBoards),
    localparam int unsigned NumEntries = 2 ** IndexBits,
    parameter logic [NumEntries-1:0][2:0] Routes = '1,  // the table after reset
    localparam int unsigned NumPorts = NumLinks + 1  // the last one is the local port
) (
    input logic clk_i,
    input logic rst_i,

    input board_t board_i,  // own ID

    input  beat_t [NumPorts-1:0] in_i,
    input  logic  [NumPorts-1:0] in_valid_i,
    output logic  [NumPorts-1:0] in_ready_o,

    output beat_t [NumPorts-1:0] out_o,
    output logic  [NumPorts-1:0] out_valid_o,
    input  logic  [NumPorts-1:0] out_ready_i,
    input  logic  [NumPorts-1:0] out_open_i,   // 0: data packets wait for a new route
    input  logic  [NumPorts-1:0] out_gone_i,   // not open, and data packets are dropped

    input  logic                 route_request_i,  // held until route_done_o
    input  logic                 route_write_i,
    input  logic [IndexBits-1:0] route_index_i,
    input  logic [          2:0] route_wdata_i,    // a port, or 7: none
    output logic [          2:0] route_rdata_o,
    output logic                 route_done_o,

    output logic [NumPorts-1:0] no_route_o,  // by input: a packet is dropped
    output logic [NumPorts-1:0] closed_o,    // by input: the same, its output is not open
    output logic [NumPorts-1:0] packet_o,    // by output: a packet leaves
    output logic                holds_o      // a beat is in an output register
);

  if (NumLinks < 1 || NumLinks > MaxLinks) begin : gen_bad_links
    $error("cluster_router: NumLinks must be 1 to %0d", MaxLinks);
  end
  if (NumBoards < 2 || NumBoards > 2 ** BoardBits) begin : gen_bad_boards
    $error("cluster_router: NumBoards must be 2 to %0d", 2 ** BoardBits);
  end
  if (ClassBits < 1 || ClassBits > ChannelBits) begin : gen_bad_classes
    $error("cluster_router: ClassBits must be 1 to %0d", ChannelBits);
  end

  typedef logic [2:0] port_t;
  typedef logic [$clog2(NumPorts)-1:0] sel_t;

  // ---- The table ----

  // One bit for each port; none: the packet is dropped.
  typedef logic [NumPorts-1:0] ports_t;
  localparam ports_t LocalPort = ports_t'(1) << NumLinks;
  function automatic ports_t decoded(port_t port);
    for (int unsigned o = 0; o < NumPorts; o++) decoded[o] = port == port_t'(o);
  endfunction
  function automatic port_t encoded(ports_t ports);
    encoded = '1;
    for (int unsigned o = 0; o < NumPorts; o++) if (ports[o]) encoded = port_t'(o);
  endfunction

  // The whole table is written, then the entries of the own ID: with that, the router is ready.
  // After a change, the entries of the ID before it are written first.
  typedef logic [$clog2(NumBoards)-1:0] destination_t;
  logic filled_q, ready_q, clears_q;
  logic [IndexBits-1:0] fill_q;
  logic [ClassBits-1:0] class_q;
  board_t own_q, before_q;
  (* ram_style = "distributed" *) ports_t ram[NumEntries];
  wire has_entry = 32'(own_q) < NumBoards;
  wire is_own = has_entry & destination_t'(route_index_i) == destination_t'(own_q);
  wire writes = ready_q & route_request_i & route_write_i;
  logic [IndexBits-1:0] index;
  ports_t written;
  always_comb begin
    index   = route_index_i;
    written = is_own ? LocalPort : decoded(route_wdata_i);
    if (~filled_q) begin
      index   = fill_q;
      written = decoded(Routes[fill_q]);
    end else if (~ready_q) begin
      index   = {class_q, destination_t'(clears_q ? before_q : own_q)};
      written = clears_q ? decoded(Routes[index]) : LocalPort;
    end
  end
  always_ff @(posedge clk_i) begin
    if (~filled_q | (~ready_q & (clears_q | has_entry)) | writes) ram[index] <= written;
  end
  always_ff @(posedge clk_i) begin
    if (ready_q | ~filled_q) own_q <= board_i;
    if (ready_q) before_q <= own_q;
    if (rst_i) begin
      filled_q <= 1'b0;
      fill_q   <= '0;
      ready_q  <= 1'b0;
      clears_q <= 1'b0;
      class_q  <= '0;
    end else begin
      if (~filled_q) begin
        fill_q   <= fill_q + 1'b1;
        filled_q <= &fill_q;
      end else if (~ready_q) begin
        class_q  <= class_q + 1'b1;
        clears_q <= clears_q & ~(&class_q);
        ready_q  <= ~clears_q & (&class_q);
      end else if (own_q != board_i) begin
        ready_q  <= 1'b0;
        clears_q <= has_entry;
      end
    end
  end
  assign route_done_o  = ready_q & route_request_i;
  assign route_rdata_o = encoded(ram[route_index_i]);

  // ---- Inputs: the port of a packet is held from its first beat to its last ----

  ports_t [NumPorts-1:0] ports;  // of the packet at each input
  logic [NumPorts-1:0] inside_q, taken;
  logic [NumPorts-1:0] drops;  // the packet that begins, because its output is not open
  logic [NumPorts-1:0] withdraws;  // by output: the packet that it has begun
  for (genvar i = 0; i < NumPorts; i++) begin : gen_input
    wire header_t header = in_i[i].header;
    wire [IndexBits-1:0] entry = {
      header.channel[ClassBits-1:0], header.destination[$clog2(NumBoards)-1:0]
    };
    wire is_known = 32'(header.destination) < NumBoards;
    ports_t ports_q;
    assign ports[i] = inside_q[i] ? ports_q : is_known ? ram[entry] : '0;
    assign taken[i] = in_valid_i[i] & in_ready_o[i];
    logic withdrawn;
    always_comb begin
      drops[i]  = 1'b0;
      withdrawn = 1'b0;
      for (int unsigned o = 0; o < NumPorts; o++) begin
        drops[i] |= ~inside_q[i] & ports[i][o] & ~out_open_i[o] & (header.credit | out_gone_i[o]);
        withdrawn |= inside_q[i] & ports_q[o] & withdraws[o];
      end
    end
    always_ff @(posedge clk_i) begin
      if (~inside_q[i]) ports_q <= drops[i] ? '0 : ports[i];
      else if (withdrawn) ports_q <= '0;
      if (rst_i) inside_q[i] <= 1'b0;
      else if (taken[i]) inside_q[i] <= ~in_i[i].last;
    end
    assign no_route_o[i] = taken[i] & ~inside_q[i] & ports[i] == '0;
    assign closed_o[i]   = (taken[i] & drops[i]) | withdrawn;
  end

  // ---- Outputs ----

  logic [NumPorts-1:0][NumPorts-1:0] request, takes;  // by output, by input
  beat_t [NumPorts-1:0] named;  // inputs, with the source
  always_comb begin
    named = in_i;
    named[NumLinks].header.source = board_i;
  end
  for (genvar o = 0; o < NumPorts; o++) begin : gen_output
    logic locked_q;
    logic waits_q;  // the first beat of a packet is in the register, and was not taken
    logic first_q;
    sel_t sel_q, candidate;
    logic [NumPorts-1:0] wins;
    round_robin #(
        .NumInputs(NumPorts)
    ) u_arbiter (
        .last_i(sel_q),
        .request_i(request[o]),
        .grant_o(candidate),
        .wins_o(wins)
    );
    wire moves = ~out_valid_o[o] | out_ready_i[o];
    wire sel_t sel = locked_q ? sel_q : candidate;
    for (genvar i = 0; i < NumPorts; i++) begin : gen_request
      assign request[o][i] = in_valid_i[i] & ports[i][o];
      assign takes[o][i] = ports[i][o] & moves &
          (locked_q ? sel_q == sel_t'(i) : wins[i] & out_open_i[o]);
    end
    assign withdraws[o] = waits_q & locked_q & out_gone_i[o] & ~out_ready_i[o];
    wire offered = locked_q ? request[o][sel_q] : out_open_i[o] & |request[o];
    always_ff @(posedge clk_i) begin
      if (moves) out_o[o] <= named[sel];
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        out_valid_o[o] <= 1'b0;
        locked_q <= 1'b0;
        waits_q <= 1'b0;
        sel_q <= '0;
      end else if (withdraws[o]) begin
        out_valid_o[o] <= 1'b0;
        locked_q <= 1'b0;
        waits_q <= 1'b0;
      end else if (moves) begin
        waits_q <= 1'b0;
        first_q <= ~locked_q;
        out_valid_o[o] <= offered & ready_q;
        if (offered & ready_q) begin
          locked_q <= ~named[sel].last;
          sel_q <= sel;
        end
      end else waits_q <= first_q;
    end
    assign packet_o[o] = out_valid_o[o] & out_ready_i[o] & out_o[o].last;
    `BOMBUS_ASSERT(TakesOneInput, $onehot0(takes[o] & in_valid_i))
    `BOMBUS_ASSERT(GoneIsClosed, !(out_gone_i[o] && out_open_i[o]))
  end
  for (genvar i = 0; i < NumPorts; i++) begin : gen_ready
    always_comb begin
      in_ready_o[i] = ports[i] == '0 | drops[i];
      for (int unsigned o = 0; o < NumPorts; o++) in_ready_o[i] |= takes[o][i];
      in_ready_o[i] &= ready_q;
    end
  end
  assign holds_o = |out_valid_o;

endmodule
