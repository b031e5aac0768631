// SPDX-License-Identifier: Apache-2.0
// Maps addresses of peers 1:1 from one /24 subnet to another, on the receive path before a
// transport layer or on the transmit path before ipv4_tx. Other addresses are unchanged.
//
// Latency: 1 cycle. Throughput: one beat per cycle. Sums change incrementally (RFC 1624).
module peer_map
  import bombus_pkg::*;
#(
    parameter type beat_t = logic,
    parameter bit Received = 1'b1,  // 0: on the transmit path
    parameter logic [23:0] FromSubnet = 24'h0a_4d_00,  // the upper 24 bits of an address
    parameter logic [23:0] ToSubnet = 24'h0a_63_00
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic  [0:0] event_o,
    output logic        busy_o
);

  localparam string Entry = "";  // takes the messages of the tile named by `before`
  localparam bit StandsBefore = 1'b1;
  localparam bit Forwards = 1'b1;
  typedef enum logic [0:0] {NextMapped} next_e;
  typedef enum int unsigned {
    EventMapped,
    NumEvents
  } event_e;

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );

  // The pseudo-header of UDP and TCP contains the address; ICMP has none.
  wire [7:0] protocol = Received ? in_i.meta.l4.ip_rx.protocol : in_i.meta.l4.ip_tx.protocol;
  wire has_pseudo_header = protocol == ProtocolUdp || protocol == ProtocolTcp;
  wire has_seed = in_i.meta.l4.ip_tx.csum_pos != '0;
  wire changes_sum = has_pseudo_header & (Received | has_seed);

  // Received: the transport layer adds the new address to a sum that covers the old one. To be
  // sent: the seed contains the old address. Only the upper 24 bits differ.
  function automatic logic [15:0] difference(logic [23:0] more, logic [23:0] less);
    logic [15:0] low;
    low = csum_add({more[7:0], 8'b0}, ~{less[7:0], 8'b0});
    return csum_add(csum_add(more[23:8], ~less[23:8]), low);
  endfunction
  localparam logic [15:0] Change = Received ? difference(
      FromSubnet, ToSubnet
  ) : difference(
      ToSubnet, FromSubnet
  );

  wire   maps = in_i.meta.ip[31:8] == FromSubnet;
  beat_t mapped;
  always_comb begin
    mapped = in_i;
    if (maps) begin
      mapped.meta.ip[31:8] = ToSubnet;
      if (changes_sum) mapped.meta.csum = csum_add(in_i.meta.csum, Change);
    end
  end

  stream_register #(
      .data_t(beat_t)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(mapped),
      .in_valid_i,
      .in_ready_o,
      .out_o,
      .out_valid_o,
      .out_ready_i
  );

  always_ff @(posedge clk_i) begin
    event_o[EventMapped] <= in_valid_i & in_ready_o & first & maps & ~rst_i;
  end
  assign busy_o = out_valid_o;

endmodule
