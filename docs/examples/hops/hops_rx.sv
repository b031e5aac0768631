// SPDX-License-Identifier: Apache-2.0
// Takes requests from ipv4_rx, and has hops_tx answer them.
//
// Latency: 1 cycle. Throughput: one beat per cycle.
module hops_rx
  import bombus_pkg::*;
  import hops_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned KindHops = 1  // filled in by Bombus
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t       out_o,
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic        out_next_o,
    output logic  [0:0] drop_o,
    output logic        busy_o
);

  localparam string Entry = "hops_rx";
  localparam logic [7:0] IpProtocol = ProtocolHops;  // the key that ipv4_rx binds
  localparam string Sends = "hops";
  typedef enum logic [0:0] {NextHopsTx} next_e;
  typedef enum int unsigned {
    DropWrongSize,
    NumDrops
  } drop_e;

  logic first;
  first_beat u_first (
      .clk_i,
      .rst_i,
      .taken_i(in_valid_i & in_ready_o),
      .last_i (in_i.last),
      .first_o(first)
  );

  // The layer's beats have room for the wider of its two kinds.
  packet_meta_t packet;
  assign packet = packet_meta_t'(in_i.meta);

  hops_meta_t found;
  assign found = '{
          mac_port: packet.mac_port,
          vlan: packet.vlan,
          ip: packet.ip,
          body: '{token: in_i.data[55:0], ttl: packet.l4.ip_rx.ttl}
      };

  beat_t report;
  always_comb begin
    report = '0;
    report.kind = $bits(report.kind)'(KindHops);
    report.meta = $bits(report.meta)'(found);
    report.last = 1'b1;
  end

  // One beat is a whole request; further beats mean a wrong size, and are discarded.
  logic ready;
  assign in_ready_o = ready | ~first;
  drop_register #(
      .beat_t  (beat_t),
      .NumDrops(NumDrops)
  ) u_out (
      .clk_i,
      .rst_i,
      .in_i(report),
      .in_valid_i(in_valid_i & first),
      .in_ready_o(ready),
      .in_first_i(1'b1),
      .in_next_i(NextHopsTx),
      .in_drop_i(in_i.length != length_t'(BodyBytes)),
      .out_o,
      .out_valid_o,
      .out_ready_i,
      .out_next_o,
      .drop_o
  );

  assign busy_o = out_valid_o | ~first;

endmodule
