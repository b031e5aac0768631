// SPDX-License-Identifier: Apache-2.0
// Ports on which applications listen, one bit each.
//
// A request is done two cycles after it is taken. After reset all are cleared, a line of 64
// per cycle, while ready_o is low.
module tcp_listening (
    input logic clk_i,
    input logic rst_i,

    input  logic        listen_i,
    input  logic [15:0] listen_port_i,
    output logic        ready_o,

    input  logic [15:0] port_i,
    output logic        open_o   // the port of the previous cycle is open
);

  logic [63:0] lines[1024];
  logic [63:0] line_q, found_q;
  logic [15:0] adding_q;
  logic [ 5:0] bit_q;
  logic adding_valid_q, clearing_q, blind_q;
  logic [9:0] clear_q;

  assign ready_o = ~adding_valid_q & ~clearing_q;
  assign open_o  = found_q[bit_q] & ~blind_q;

  always_ff @(posedge clk_i) begin
    found_q <= lines[port_i[15:6]];
    bit_q <= port_i[5:0];
    blind_q <= clearing_q;  // the line read may be from before the reset
    line_q <= lines[listen_port_i[15:6]];
    adding_q <= listen_port_i;
    if (clearing_q | adding_valid_q) begin
      lines[clearing_q?clear_q : adding_q[15:6]] <= clearing_q ? '0 : line_q | (64'd1 << adding_q[5:0]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      adding_valid_q <= 1'b0;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else begin
      adding_valid_q <= listen_i & ready_o;
      clear_q <= clear_q + 10'd1;
      if (&clear_q) clearing_q <= 1'b0;
    end
  end

endmodule
