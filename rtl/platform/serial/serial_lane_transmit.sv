// SPDX-License-Identifier: Apache-2.0
// Sender of a serial lane: a beat is DataWidth / 16 symbols without a gap, its low bits first. An
// idle symbol is sent when no beat waits, and before a beat after IdleCycles cycles without one:
// the receiver aligns bytes and beats to it.
//
// Latency: 1 cycle to the first symbol. Throughput: a beat in DataWidth / 16 cycles, less
// 1 / IdleCycles.
`include "bombus_assert.svh"

module serial_lane_transmit
  import serial_pkg::*;
#(
    parameter int unsigned DataWidth  = 64,   // bits of a beat
    parameter int unsigned IdleCycles = 4096  // symbols between two idle symbols, about
) (
    input logic clk_i,  // of the lane
    input logic rst_i,

    input logic [DataWidth-1:0] in_i,
    input logic in_valid_i,
    output logic in_ready_o,

    output symbol_t symbol_o
);

  localparam int unsigned Symbols = DataWidth / 16;
  typedef logic [$clog2(Symbols)-1:0] index_t;

  logic [DataWidth-17:0] rest_q;
  index_t left_q;  // symbols of the beat in rest_q
  logic [$clog2(IdleCycles)-1:0] since_q;  // the last idle symbol
  logic due_q;

  assign in_ready_o = (left_q == '0) & ~due_q;
  wire take = in_valid_i & in_ready_o;
  wire idle = (left_q == '0) & ~take;

  always_ff @(posedge clk_i) begin
    if (take) begin
      symbol_o <= '{k: '0, bytes: in_i[15:0]};
      rest_q   <= in_i[DataWidth-1:16];
    end else if (left_q != '0) begin
      symbol_o <= '{k: '0, bytes: rest_q[15:0]};
      rest_q   <= rest_q >> 16;
    end else begin
      symbol_o <= Idle;
    end

    if (rst_i) begin
      left_q  <= '0;
      since_q <= '0;
      due_q   <= 1'b1;
    end else begin
      if (take) left_q <= index_t'(Symbols - 1);
      else if (left_q != '0) left_q <= left_q - 1'b1;
      if (idle) begin
        since_q <= '0;
        due_q   <= 1'b0;
      end else begin
        since_q <= since_q + 1'b1;
        due_q   <= due_q | (&since_q);
      end
    end
  end

  `BOMBUS_ASSERT(BeatIsWhole, left_q == '0 || symbol_o.k == '0)

endmodule
