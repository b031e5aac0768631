// SPDX-License-Identifier: Apache-2.0
// Engine that writes the checksum of UDP (RFC 768) or TCP (RFC 9293) into each packet and counts
// the checksums found there. The checksum covers the bytes of the packet at this point of its
// sequence. A checksum of zero is written as 0xFFFF, for TCP too, where the two are equivalent.
// Other packets pass unchanged.
//
// Latency: 7 cycles from the last beat. Throughput: one beat per cycle.
module engine_checksum
  import bombus_pkg::*;
  import engine_pkg::*;
#(
    parameter type beat_t = logic,
    parameter int unsigned Engine = 1,  // its number in engine sequences
    parameter bit CutsReady = 0,  // passed to output_stage
    // Engines that may follow, filled in by Bombus
    parameter int unsigned NumBound = 1,
    parameter int unsigned NumBoundHops = 1,
    parameter logic [NumBound-1:0][15:0] BoundKeys = '0,
    parameter logic [NumBound-1:0][7:0] BoundHops = '0,
    localparam int unsigned NextWidth = NumBoundHops > 1 ? $clog2(NumBoundHops) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t                 out_o,
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic  [NextWidth-1:0] out_next_o,

    output logic [2:0] event_o,
    output logic       busy_o
);

  localparam string Entry = "engine_checksum";
  localparam string Takes = "engine_packet";
  localparam string Sends = "engine_packet";
  localparam bit Forwards = 1'b1;
  localparam string Binds = "engine";
  localparam int unsigned BindsWidth = 5;
  typedef enum int unsigned {NextBound} next_e;
  typedef enum int unsigned {
    EventRight,  // the checksum found was right
    EventCorrected,  // it was wrong or missing
    EventNoChecksum,  // neither UDP nor TCP
    NumEvents
  } event_e;

  logic first, taken;

  // ---- Sum of the pseudo-header and of the IPv4 payload ----

  engine_packet_meta_t arrived;
  assign arrived = engine_packet_meta_t'(in_i.meta);
  logic [engine_pkg::DataWidth-1:0] summed_q;
  logic [15:0] seed_q;
  logic summing_q, summing_last_q;
  always_ff @(posedge clk_i) begin
    summed_q <= in_i.data;
    if (first) begin
      summed_q[8*AddressByte-1:8*Ipv4Byte] <= '0;
      if (arrived.is_udp) summed_q[8*UdpChecksumByte+:16] <= '0;
      if (arrived.is_tcp) summed_q[8*TcpChecksumByte+:16] <= '0;
    end
    // The protocol and the length of the pseudo-header.
    seed_q <= {2'b0, in_i.length} - 16'(PortByte) + 16'(arrived.is_udp ? ProtocolUdp : ProtocolTcp);
    summing_last_q <= in_i.last;
    summing_q <= taken & ~rst_i;
  end

  ones_pkg::split_t sum, sum_q;
  logic sum_valid, sum_valid_q;
  frame_sum #(
      .DataBytes(engine_pkg::DataWidth / 8)
  ) u_sum (
      .clk_i,
      .rst_i,
      .data_i (summed_q),
      .valid_i(summing_q),
      .last_i (summing_last_q),
      .seed_i (seed_q),
      .sum_o  (sum),
      .valid_o(sum_valid)
  );
  always_ff @(posedge clk_i) begin
    sum_q <= sum;
    sum_valid_q <= sum_valid & ~rst_i;
  end
  // In wire order; never zero, which in UDP means no checksum.
  wire [15:0] checksum = ~ones_pkg::join_up(sum_q, 1'b1);

  // ---- Write the checksum ----

  beat_t stored, written;
  logic [15:0] digest;
  logic stored_first, stored_taken, unused_info, storing;
  engine_store #(
      .beat_t(beat_t),
      .digest_t(logic [15:0]),
      .Engine(Engine),
      .CutsReady(CutsReady),
      .NumBound(NumBound),
      .NumBoundHops(NumBoundHops),
      .BoundKeys(BoundKeys),
      .BoundHops(BoundHops)
  ) u_store (
      .in_first_o(first),
      .in_taken_o(taken),
      .info_i(1'b0),
      .digest_i(checksum),
      .digest_valid_i(sum_valid_q),
      .stored_o(stored),
      .stored_first_o(stored_first),
      .stored_info_o(unused_info),
      .stored_digest_o(digest),
      .stored_taken_o(stored_taken),
      .changed_i(written),
      .busy_o(storing),
      .*
  );

  engine_packet_meta_t meta;
  assign meta = engine_packet_meta_t'(stored.meta);
  wire [15:0] udp_checksum = stored.data[8*UdpChecksumByte+:16];
  wire [15:0] tcp_checksum = stored.data[8*TcpChecksumByte+:16];
  always_comb begin
    written = stored;
    if (stored_first) begin
      if (meta.is_udp) written.data[8*UdpChecksumByte+:16] = digest;
      if (meta.is_tcp) written.data[8*TcpChecksumByte+:16] = digest;
    end
  end

  // Compared one cycle later. In a TCP header, 0 is equivalent to 0xFFFF.
  logic counting_q, udp_q, tcp_q;
  logic [15:0] found_q, digest_q;
  wire is_right = found_q == digest_q | (tcp_q & found_q == '0 & &digest_q);
  always_ff @(posedge clk_i) begin
    counting_q <= stored_taken & stored_first & ~rst_i;
    udp_q <= meta.is_udp;
    tcp_q <= meta.is_tcp;
    found_q <= meta.is_udp ? udp_checksum : tcp_checksum;
    digest_q <= digest;
    event_o[EventRight] <= counting_q & (udp_q | tcp_q) & is_right;
    event_o[EventCorrected] <= counting_q & (udp_q | tcp_q) & ~is_right;
    event_o[EventNoChecksum] <= counting_q & ~udp_q & ~tcp_q;
    if (rst_i) event_o <= '0;
  end

  assign busy_o = storing | counting_q;

endmodule
