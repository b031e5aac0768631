// SPDX-License-Identifier: Apache-2.0
// Sends datagrams of 16 bytes back. The first byte of a datagram says what to do wrong.
module turncoat #(
    parameter type beat_t = logic,
    parameter int unsigned UdpPort = 2002
) (
    input logic clk_i,
    input logic rst_i,

    input  beat_t in_i,
    input  logic  in_valid_i,
    output logic  in_ready_o,

    output beat_t out_o,
    output logic out_valid_o,
    input logic out_ready_i,
    output logic [1:0] out_next_o,

    output logic busy_o
);

  localparam string Entry = "turncoat";
  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;
  typedef enum logic [1:0] {
    NextUdpTx,
    NextTray,
    NextSpare
  } next_e;
  localparam bit Forwards = 1;
  localparam int unsigned MaxBusyCycles = 50;

  typedef enum logic [7:0] {
    Twice = 8'd1,  // sends it again
    Hides = 8'd2,  // is idle before it has sent it
    Turns = 8'd3,  // takes another next hop for its second beat
    Other = 8'd4,  // sends another kind of message
    Tail  = 8'd5,  // leaves bytes behind the last one
    Stray = 8'd6   // takes a next hop that it does not declare
  } wrong_e;

  beat_t [1:0] beat_q;
  logic second_q, full_q;
  logic [1:0] sent_q;  // beats that have gone
  logic [7:0] wrong_q;

  assign in_ready_o = ~full_q;
  assign out_valid_o = full_q;
  assign out_o = beat_q[sent_q[0]];
  assign out_next_o = wrong_q == Stray ? 2'd3 : sent_q[0] && wrong_q == Turns ? NextTray : NextUdpTx;
  assign busy_o = second_q | (full_q && wrong_q != Hides);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      second_q <= 1'b0;
      full_q   <= 1'b0;
      sent_q   <= '0;
    end else if (~full_q) begin
      if (in_valid_i) begin
        second_q <= ~second_q;
        full_q   <= second_q;
      end
    end else if (out_ready_i) begin
      sent_q <= sent_q + 1'b1;
      if (sent_q == (wrong_q == Twice ? 2'd3 : 2'd1)) begin
        sent_q <= '0;
        full_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i & in_ready_o) begin
      beat_q[second_q] <= in_i;
      if (~second_q) begin
        wrong_q <= in_i.data[7:0];
        beat_q[0].meta.l4.ports.src_port <= in_i.meta.l4.ports.dst_port;
        beat_q[0].meta.l4.ports.dst_port <= in_i.meta.l4.ports.src_port;
        if (in_i.data[7:0] == Other) beat_q[0].kind <= $bits(in_i.kind)'(1);
        if (in_i.data[7:0] == Tail) beat_q[0].length <= 14'd12;
      end else if (wrong_q == Tail) beat_q[1].bytes <= 4'd4;
    end
  end

endmodule
