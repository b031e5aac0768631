// SPDX-License-Identifier: Apache-2.0
// Ports on which applications listen, one bit each, set and cleared by requests.
//
// A request takes effect two cycles after it is accepted. After reset all bits are cleared, a line
// of 64 per cycle, while ready_o is low.
module tcp_listening (
    input logic clk_i,
    input logic rst_i,

    input  logic        listen_i,
    input  logic        listen_open_i,  // 1: connections are accepted from now on
    input  logic [15:0] listen_port_i,
    output logic        ready_o,

    input  logic [15:0] port_i,
    output logic        open_o   // the port of the previous cycle is open
);

  logic [63:0] lines[1024];
  logic [63:0] line_q, found_q;
  logic [15:0] changing_q;
  logic [ 5:0] bit_q;
  logic opens_q, changing_valid_q, clearing_q, blind_q;
  logic [ 9:0] clear_q;

  wire  [ 9:0] line_index = clearing_q ? clear_q : changing_q[15:6];
  wire  [63:0] mask = 64'd1 << changing_q[5:0];
  wire  [63:0] line = clearing_q ? '0 : opens_q ? line_q | mask : line_q & ~mask;
  assign ready_o = ~changing_valid_q & ~clearing_q;
  assign open_o  = found_q[bit_q] & ~blind_q;

  always_ff @(posedge clk_i) begin
    found_q <= lines[port_i[15:6]];
    bit_q <= port_i[5:0];
    blind_q <= clearing_q;  // the line read may be from before the reset
    line_q <= lines[listen_port_i[15:6]];
    changing_q <= listen_port_i;
    opens_q <= listen_open_i;
    if (clearing_q | changing_valid_q) lines[line_index] <= line;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      changing_valid_q <= 1'b0;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else begin
      changing_valid_q <= listen_i & ready_o;
      clear_q <= clear_q + 10'd1;
      if (&clear_q) clearing_q <= 1'b0;
    end
  end

endmodule
