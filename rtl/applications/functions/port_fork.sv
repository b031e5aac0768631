// SPDX-License-Identifier: Apache-2.0
// Separates the packets of MAC port InnerPort, for a design in which the port has an eth_tx of its
// own: it stands before this eth_tx and sends packets of other ports to another one.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module port_fork
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit CutsReady = 0,  // passed to output_stage
    parameter int unsigned NumMacPorts = 2,
    parameter int unsigned InnerPort = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] out_next_o,
    output logic        busy_o
);

  localparam string Entry = "";  // takes the messages of the layer named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam string Precedes = "eth_tx";
  localparam bit Forwards = 1'b1;
  localparam string Takes = "packet arp arp_update";
  localparam string Sends = "taken";
  localparam string NextEthTxSends = "packet";
  typedef enum logic [0:0] {
    NextServed,
    NextEthTx
  } next_e;

  if (InnerPort >= NumMacPorts) begin : gen_bad_port
    $error("port_fork: InnerPort must be a MAC port of the design");
  end

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );
  // All kinds have the port in the same bits.
  packet_meta_t meta;
  assign meta = packet_meta_t'(in_i.meta);
  logic [0:0] next, next_q;
  assign next = meta.mac_port == mac_port_t'(InnerPort) ? NextServed : NextEthTx;
  always_ff @(posedge clk_i) if (in_valid_i & first) next_q <= next;

  output_stage #(
      .beat_t(beat_t),
      .CutsReady(CutsReady)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i,
      .in_valid_i,
      .in_ready_o,
      .in_next_i(first ? next : next_q),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o
  );
  assign busy_o = out_valid_o;

endmodule
