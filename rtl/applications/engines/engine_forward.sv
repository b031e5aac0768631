// SPDX-License-Identifier: Apache-2.0
// Engine that forwards packets: a table indexed by flow gives the MAC port and the new destination
// MAC address, or refuses the packet. The source MAC address becomes that of the port.
//
// The index is the flow XOR the bits of the packet's hash selected by the register `spread`, so
// that a flow can be spread over several next hops.
//
// Latency: 2 cycles. Throughput: one beat per cycle.
module engine_forward
  import bombus_pkg::*;
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    // From engine_forward.rdl: registers, and an entry of the table
    parameter type regs_t = logic,
    parameter type next_hops_t = logic,
    parameter int unsigned NumMacPorts = 1,
    parameter int unsigned Engine = 5,  // its number in engine sequences
    parameter bit CutsReady = 0,  // passed to output_stage
    // Engines that may follow, filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NumFlows = engine_pkg::FlowCount,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic                    clk_i,
    input logic                    rst_i,
    input host_t [NumMacPorts-1:0] host_i,

    output logic       [$clog2(NumFlows)-1:0] next_hops_index_o,
    // Entry at the index of the previous cycle
    input  next_hops_t                        next_hops_i,

    input regs_t regs_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic [1:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "engine_forward";
  localparam string Takes = "engine_packet";
  localparam string Sends = "engine_packet";
  localparam bit Forwards = 1'b1;
  localparam string Binds = "engine";
  localparam int unsigned BindsWidth = 5;
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    EventRefused,  // refused by its entry
    EventNoEntry,  // the entry is not valid: also refused
    NumEvents
  } event_e;

  // The entry is read as a packet arrives, and again in each cycle in which the packet waits.
  engine_packet_meta_t arrived, meta;
  assign arrived = engine_packet_meta_t'(in_i.meta);
  beat_t held;
  logic held_valid, held_ready;
  flow_t index_q;
  wire flow_t index = arrived.flow ^ (flow_t'(arrived.hash) & regs_i.spread.bits);
  assign next_hops_index_o = in_ready_o ? index : index_q;
  always_ff @(posedge clk_i) index_q <= next_hops_index_o;

  stream_register #(
      .data_t(beat_t)
  ) u_held (
      .out_o(held),
      .out_valid_o(held_valid),
      .out_ready_i(held_ready),
      .*
  );

  logic  held_first;
  wire   moves = held_valid & held_ready;

  host_t leaves;
  by_mac_port #(
      .data_t(host_t),
      .NumMacPorts(NumMacPorts)
  ) u_host (
      .all_i (host_i),
      .port_i(mac_port_t'(next_hops_i.mac_port)),
      .one_o (leaves)
  );

  wire   refused = next_hops_i.refuse | ~next_hops_i.valid;
  beat_t forwarded;
  assign meta = engine_packet_meta_t'(held.meta);
  always_comb begin
    engine_packet_meta_t sent;
    sent = meta;
    sent.mac_port = mac_port_t'(next_hops_i.mac_port);
    sent.discard = refused;
    forwarded = held;
    forwarded.meta = $bits(held.meta)'(sent);
    if (held_first) begin
      forwarded.data[95:0] = {swap48(leaves.mac), swap48(next_hops_i.destination)};
    end
  end

  engine_output #(
      .beat_t(beat_t),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_out (
      .in_i(forwarded),
      .in_valid_i(held_valid),
      .in_ready_o(held_ready),
      .in_first_o(held_first),
      .*
  );

  always_ff @(posedge clk_i) begin
    event_o[EventRefused] <= moves & held_first & next_hops_i.valid & refused;
    event_o[EventNoEntry] <= moves & held_first & ~next_hops_i.valid;
    if (rst_i) event_o <= '0;
  end

  assign busy_o = held_valid | out_valid_o;

endmodule
